"""What every privacy model is: a question asked of all classes at once.

`breaks(classes)` says which classes break the promise, `achieved(classes)` the strictest parameter that the classes
as they are would keep. Both look at counts and histograms only, never at rows.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lookalike.cells import Classes

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Model:
    """A privacy model with its parameters."""

    name: ClassVar[str]  #: as users write it: "k-anonymity"
    #: Merging two classes that keep the promise gives one that keeps it, whatever else is in the table.
    monotone: ClassVar[bool]
    #: Leaving classes out can make a remaining class break (because it is compared with the whole table, say).
    relative: ClassVar[bool] = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The sensitive columns the model looks at."""
        return ()

    def breaks(self, classes: Classes) -> Flags:
        """Which classes break the promise."""
        raise TypeError(f"{type(self).__name__} must say which classes break it.")

    def achieved(self, classes: Classes) -> float:
        """The strictest parameter that all classes keep."""
        raise TypeError(f"{type(self).__name__} must say what is achieved.")

    def check(self, classes: Classes) -> None:
        """Refuse, with the reason, what no recoding of this table could reach."""

    def to_dict(self) -> dict[str, Any]:
        """Name and parameters, as plain JSON values."""
        return {"model": self.name, **asdict(self)}

    def __str__(self) -> str:
        parameters = ", ".join(f"{k}={v}" for k, v in asdict(self).items())
        return f"{self.name} ({parameters})"
