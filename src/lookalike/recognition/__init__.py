"""Recognition: which columns give people away, how that is measured, and how good the guess is."""
