"""What gives people away, what a release is good for, and what an attacker learns from it."""
