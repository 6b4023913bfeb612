"""What a model sees of the training table: values of training rows exactly as it was trained on them.

Frames come back as the kind of frame that they were. A text file holds texts, but whoever trains a model on one has
read it with pandas or Polars first: so it is read again the way pandas does, or Polars where pandas is not installed.
Models that `trained` made here know texts. O(values) once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

import polars as pl
from numpy.typing import NDArray

from lookalike.explanations.trained import TrainedModel
from lookalike.tables.columns.naming import named, nameless
from lookalike.tables.sources.frames import take
from lookalike.tables.table import Table


class AsTrained:
    """The columns of a training table as a model knows them."""

    def __init__(self, people: Table, features: Sequence[str], model: Any) -> None:
        self.people, self.features = people, list(features)
        self.rows, self.give_back, self.again = people.rows, people.give_back, False
        if people.is_text and not isinstance(model, TrainedModel):
            taken = take(_read_again(people.rows.select(named(self.features))))
            self.rows, self.give_back, self.again = taken.rows, taken.give_back, True
            #: texts of each column that are read as missing
            self.void = {
                name: nameless(people.rows[name]).filter(self.rows[name].is_null()).unique().to_list()
                for name in self.features
            }

    def frame(self, rows: pl.DataFrame) -> Any:
        """Rows that are written as those of the table are."""
        if self.again:
            rows = pl.DataFrame({name: self._read(rows[name], name) for name in self.features})
        return self.give_back(rows.select(named(self.features)))

    def at(self, where: Mapping[str, NDArray[Any]]) -> Any:
        """Made-up rows: for each column, the training rows its values are taken from."""
        made = {name: nameless(self.rows[name]).gather(pl.Series(where[name])) for name in self.features}
        return self.give_back(pl.DataFrame(made))

    def _read(self, texts: pl.Series, name: str) -> pl.Series:
        """Texts as the values that the training table has for them; others by its type, missing where none fits."""
        texts, kind = nameless(texts), self.rows.schema[name]
        texts = texts.set(texts.is_in(self.void[name]).fill_null(True), None)
        if kind == pl.String:
            return texts
        fitting = texts.str.to_lowercase() == "true" if kind == pl.Boolean else texts.str.strip_chars()
        return fitting.cast(kind, strict=False)


def _read_again(rows: pl.DataFrame) -> Any:
    """A frame of texts as a text file of them is read."""
    written = BytesIO(rows.write_csv().encode())
    try:
        import pandas
    except ImportError:
        return pl.read_csv(written, infer_schema_length=None)
    out = pandas.read_csv(written, index_col=False)
    out.columns = pandas.Index(rows.columns)
    return out
