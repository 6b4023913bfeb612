"""What Lookalike costs and how well it does: see README.md. Run from the root of the repository."""
