"""`python -m lookalike` is the same as the command `lookalike`."""

from lookalike.cli import main

if __name__ == "__main__":
    main()
