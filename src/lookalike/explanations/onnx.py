"""A model in an ONNX file: a graph of known operations, read without running any code that came with it.

It is read from its bytes alone, so it cannot name other files. https://onnx.ai/onnx/repo-docs/ExternalData.html
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.base.errors import FileError, MissingExtra, RequestError
from lookalike.tables.columns.naming import nameless

_TYPES: dict[str, Any] = {
    "tensor(string)": object,
    "tensor(bool)": bool,
    "tensor(int32)": np.int32,
    "tensor(int64)": np.int64,
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
}


class OnnxModel:
    """Outcomes of an ONNX model: the first of its outputs. It takes one matrix, or a column for each input by name."""

    def __init__(self, path: Path) -> None:
        try:
            import onnxruntime
        except ImportError:
            raise MissingExtra("onnxruntime", "models", "reading an .onnx model") from None
        try:
            self._session = onnxruntime.InferenceSession(
                path.read_bytes(), providers=["CPUExecutionProvider"]
            )
        except Exception as problem:
            raise FileError(f"{path}: is not an ONNX model ({type(problem).__name__}).") from None
        self._inputs = {one.name: one for one in self._session.get_inputs()}
        for name, one in self._inputs.items():
            if one.type not in _TYPES:
                known = ", ".join(_TYPES)
                raise FileError(f"{path}: its input {name!r} is a {one.type}; inputs of a table are {known}.")
        if len(self._inputs) > 1:
            self.feature_names_in_ = list(self._inputs)

    def predict(self, rows: Any) -> NDArray[Any]:
        """One outcome per row."""
        frame = rows if isinstance(rows, pl.DataFrame) else pl.DataFrame(rows)
        if len(self._inputs) == 1:
            (name,) = self._inputs
            fed = {name: np.column_stack([self._column(frame, other, name) for other in frame.columns])}
        else:
            fed = {name: self._column(frame, name, name).reshape(-1, 1) for name in self._inputs}
        try:
            outcomes: NDArray[Any] = self._session.run(None, fed)[0]
        except Exception as problem:  # its message could show a cell
            wanted = ", ".join(f"{name} {one.type}{one.shape}" for name, one in self._inputs.items())
            raise RequestError(
                f"the ONNX model does not take these {frame.width} columns ({type(problem).__name__}). It wants: "
                f"{wanted}."
            ) from None
        return outcomes

    def _column(self, frame: pl.DataFrame, column: str, taken_by: str) -> NDArray[Any]:
        """A column as the input has it: missing numbers are NaN, missing texts empty."""
        kind = self._inputs[taken_by].type
        series = nameless(frame[column])
        try:
            if kind == "tensor(string)":
                return series.cast(pl.String).fill_null("").to_numpy().astype(object)
            if series.null_count() and _TYPES[kind] not in (np.float32, np.float64):
                raise TypeError
            return series.to_numpy().astype(_TYPES[kind])
        except (TypeError, ValueError, pl.exceptions.PolarsError):
            raise RequestError(
                f"column {column!r} cannot be the ONNX model's {kind}: missing values need a float input, texts a "
                "string input. Export the model with an input of a fitting type."
            ) from None
