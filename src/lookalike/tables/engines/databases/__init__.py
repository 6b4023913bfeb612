"""Databases: rows counted and recoded in SQL, in DuckDB or on a PostgreSQL server."""
