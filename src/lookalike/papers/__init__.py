"""One script per paper: regenerates its tables and figures beside the printed numbers."""
