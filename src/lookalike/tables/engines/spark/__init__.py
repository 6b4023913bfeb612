"""Spark: rows of a DataFrame, counted, recoded and written on its workers."""
