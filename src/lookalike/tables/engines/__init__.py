"""Where rows may be: large files, databases, Spark. Counting and applying run there; only tuples travel."""
