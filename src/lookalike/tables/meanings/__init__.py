"""What columns mean, from their names and their values."""
