"""Models from files: skops and ONNX are read without running what is inside; a pickle runs whatever is in it.

skops: https://skops.readthedocs.io (types it does not know are refused). ONNX: https://onnx.ai.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lookalike.base.errors import FileError, MissingExtra, RequestError
from lookalike.explanations.onnx import OnnxModel

PICKLES = (".joblib", ".pkl", ".pickle")
#: parts of scikit-learn's models that hold numbers and other parts only, which skops does not vouch for by itself
KNOWN = frozenset(
    {
        "numpy.dtype",
        "sklearn.calibration._CalibratedClassifier",
        "sklearn.calibration._SigmoidCalibration",
        "sklearn.utils._bunch.Bunch",
        "sklearn.tree._tree.Tree",
        "sklearn._loss._loss.CyHalfBinomialLoss",
        "sklearn._loss.link.Interval",
        "sklearn._loss.link.LogitLink",
        "sklearn._loss.loss.HalfBinomialLoss",
        "sklearn.ensemble._hist_gradient_boosting.binning._BinMapper",
        "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    }
)


def read_model(path: str | Path, *, trusted: bool = False) -> Any:
    """The model in a file: .skops or .onnx; .joblib and .pkl only where whoever made the file is trusted."""
    path = Path(path)
    if not path.is_file():
        raise FileError(f"{path}: no such file.")
    kind = path.suffix.lower()
    if kind in PICKLES:
        if not trusted:
            raise RequestError(
                f"{path}: is a pickle, and loading one runs whatever its author put inside. If you made it "
                "yourself, or trust who did as you would trust a program of theirs, pass trusted=True (--trust-model); "
                "else ask for a .skops or .onnx file."
            )
        return _load_pickle(path)
    if kind == ".skops":
        return _load_skops(path)
    if kind == ".onnx":
        return OnnxModel(path)
    raise FileError(f"{path}: models come as .skops, .onnx or, where trusted, {', '.join(PICKLES)}.")


def _load_pickle(path: Path) -> Any:
    try:
        import joblib
    except ImportError:
        raise MissingExtra("joblib", "ml", "loading a trusted model") from None
    try:
        return joblib.load(path)
    except Exception as problem:
        raise FileError(f"{path}: cannot be loaded ({type(problem).__name__}).") from None


def _load_skops(path: Path) -> Any:
    try:
        from skops import io
    except ImportError:
        raise MissingExtra("skops", "models", "reading a .skops model") from None
    try:
        asked = io.get_untrusted_types(file=path)
    except Exception as problem:
        raise FileError(f"{path}: is not a skops file ({type(problem).__name__}).") from None
    unknown = [kind for kind in asked if str(kind) not in KNOWN]
    if unknown:
        raise FileError(
            f"{path}: holds types that are not known to be safe: {', '.join(map(str, unknown[:5]))}. "
            "Nothing was loaded. Ask for a model without these parts, or for an .onnx file of it."
        )
    return io.load(path, trusted=asked)
