"""What every room stands on: errors, checks, progress, charts, and how anything gets to a disk."""
