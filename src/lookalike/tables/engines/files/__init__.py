"""Files larger than memory, a piece at a time."""
