"""Where rows may be: files larger than memory, databases, Spark. Counting and applying run there; only cells travel."""

from lookalike.tables.engines.far import FarTable as FarTable
from lookalike.tables.engines.far import count_values as count_values
from lookalike.tables.engines.far import look_at as look_at
from lookalike.tables.engines.far import open_far as open_far
from lookalike.tables.engines.opening import is_far as is_far
