"""Scales: how the values of a column become attributes that a person has or has not.

Nominal, interval (overlapping or not), ordinal, inter-ordinal and dichotomic scales after Ganter and Wille (1999),
doi:10.1007/978-3-642-59830-2, section 1.3. A scale sees a domain, never rows: O(values x attributes).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from math import floor, isfinite
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import ColumnError, RequestError
from lookalike.tables.columns.domains import FINEST, GREATEST, Domain, number_text, spread
from lookalike.tables.columns.roles import Kind

Bound = float | str | date
Closed = Literal["left", "right", "both", "neither"]
_Columns = list[tuple[str, NDArray[np.bool_]]]
_MOST = 10_000  # windows of one column; each is an attribute


@dataclass(frozen=True)
class Scale:
    """A way to read a column as attributes. Make one with the class methods; `str(scale)` says which it is.

    Examples:
        >>> import lookalike as la
        >>> print(la.Scale.windows(20, step=10))
        windows of 20 every 10
        >>> print(la.Scale.parse("ordinal:18,65"))
        ordinal >= 18, 65
    """

    text: str  #: the scale in words, as `Scale.parse` reads it
    _attributes: Callable[[str, Domain], _Columns]
    partial: bool = (
        False  #: a value without any attribute is meant, as below the first cut of an ordinal scale
    )

    @classmethod
    def nominal(cls) -> Scale:
        """One attribute per value: `sex=F`."""
        return cls("nominal", lambda name, domain: _nominal(name, domain))

    @classmethod
    def intervals(cls, bounds: Sequence[tuple[Bound, Bound]], *, closed: Closed = "left") -> Scale:
        """One attribute per interval; intervals may overlap. `closed` says which ends belong: [a, b) by default."""
        if not bounds:
            raise RequestError("an interval scale needs at least one interval.")
        if closed not in ("left", "right", "both", "neither"):
            raise RequestError(f"closed must be left, right, both or neither, not {closed!r}.")
        shown = ", ".join(_interval_text(a, b, closed) for a, b in bounds)
        return cls(f"intervals {shown}", lambda name, domain: _intervals(name, domain, bounds, closed))

    @classmethod
    def windows(cls, width: float, *, step: float | None = None, start: float = 0.0) -> Scale:
        """Half-open intervals of one width over the whole column, one every `step` (default: half the width)."""
        step = width / 2 if step is None else step
        if width <= 0 or not 0 < step <= width:
            raise RequestError(
                f"windows need a width above 0 and a step of at most the width, not {width} and {step}."
            )
        text = f"windows of {number_text(width)} every {number_text(step)}"
        return cls(text, lambda name, domain: _windows(name, domain, width, step, start))

    @classmethod
    def ordinal(cls, cuts: Sequence[Bound] | None = None, *, down: bool = False) -> Scale:
        """One attribute per cut: `age >= 30` (or `<=` with `down`). Without cuts, every value is one."""
        word = "<=" if down else ">="
        text = f"ordinal {word}{_cut_text(cuts)}"
        return cls(text, lambda name, domain: _ordinal(name, domain, cuts, word), partial=True)

    @classmethod
    def interordinal(cls, cuts: Sequence[Bound] | None = None) -> Scale:
        """Both orders at once: `age <= 30` and `age >= 30` for every cut. Without cuts, every value is one."""
        return cls(
            f"interordinal{_cut_text(cuts)}",
            lambda name, domain: [*_ordinal(name, domain, cuts, "<="), *_ordinal(name, domain, cuts, ">=")],
        )

    @classmethod
    def dichotomic(cls, scale: Scale | None = None) -> Scale:
        """Another scale (default: nominal) with the opposite of each attribute: the attacker knows both.

        Basic semantic risk then equals the classical risk.
        """
        inner = cls.nominal() if scale is None else scale
        return cls(
            f"dichotomic {inner}", lambda name, domain: _with_opposites(inner.attributes(name, domain))
        )

    @classmethod
    def automatic(cls) -> Scale:
        """Nominal for names, ordinal for ranks, half-overlapping windows of a round tenth of the range otherwise."""
        return cls("automatic", lambda name, domain: fitting_scale(domain).attributes(name, domain))

    @classmethod
    def parse(cls, text: str) -> Scale:
        """A scale from text.

        `nominal`, `automatic`, `intervals:0..18,18..65`, `windows:20/10` (width/step), `ordinal` or `ordinal:18,65`,
        `interordinal` likewise, `dichotomic` or `dichotomic:` and a further scale.
        """
        kind, _, rest = text.partition(":")
        if kind == "intervals" and all(part.count("..") == 1 for part in rest.split(",")):
            ends = [part.split("..") for part in rest.split(",")]
            return cls.intervals([(_bound(low), _bound(high)) for low, high in ends])
        if kind == "windows":
            width, step = _bound(rest.partition("/")[0]), _bound(rest.partition("/")[2] or "0")
            if isinstance(width, float) and isinstance(step, float):
                return cls.windows(width, step=step or None)
        if kind in ("ordinal", "interordinal"):
            cuts = [_bound(cut) for cut in rest.split(",")] if rest else None
            return cls.ordinal(cuts) if kind == "ordinal" else cls.interordinal(cuts)
        if kind == "dichotomic":
            return cls.dichotomic(cls.parse(rest) if rest else None)
        if text in ("nominal", "automatic"):
            return cls.nominal() if kind == "nominal" else cls.automatic()
        raise RequestError(
            f"there is no scale {text!r}; use nominal, intervals:0..18,18..65, windows:20/10, ordinal, ordinal:18,65, "
            "interordinal, dichotomic or automatic."
        )

    def attributes(self, name: str, domain: Domain) -> _Columns:
        """The attributes of a column: name, and for each code of the domain whether a record with it has it."""
        return self._attributes(name, domain)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Scale({self.text})"


def _with_missing(name: str, domain: Domain, columns: _Columns) -> _Columns:
    """Missing is a value of its own under every scale."""
    if not domain.missing:
        return columns
    last = np.arange(domain.size) == domain.size - 1
    return [*((text, having & ~last) for text, having in columns), (f"{name} missing", last)]


def _nominal(name: str, domain: Domain) -> _Columns:
    codes = np.arange(domain.size)
    return _with_missing(
        name, domain, [(f"{name}={text}", codes == i) for i, text in enumerate(domain.texts)]
    )


def _with_opposites(columns: _Columns) -> _Columns:
    return [pair for text, having in columns for pair in ((text, having), (f"not {text}", ~having))]


def _intervals(name: str, domain: Domain, bounds: Sequence[tuple[Bound, Bound]], closed: Closed) -> _Columns:
    values = domain.numbers
    columns = []
    for low, high in bounds:
        a, b = _number(low, name, domain), _number(high, name, domain)
        if not (a < b or (a == b and closed == "both")):
            raise RequestError(f"column {name!r}: the interval {_interval_text(low, high, closed)} is empty.")
        above = values >= a if closed in ("left", "both") else values > a
        below = values <= b if closed in ("right", "both") else values < b
        columns.append((f"{name} {_interval_text(low, high, closed)}", above & below))
    return _with_missing(name, domain, columns)


def _windows(name: str, domain: Domain, width: float, step: float, start: float) -> _Columns:
    if not domain.kind.numeric or domain.kind is Kind.DATE:
        raise ColumnError(f"column {name!r} holds no numbers, so it cannot be scaled by windows.")
    values = domain.numbers[: len(domain.values)]
    if not len(values):
        return _with_missing(name, domain, [])
    low, high = float(values[0]) - start - width, float(values[-1]) - start
    # where floats do not reach, windows are counted before they are subtracted
    first = floor(low / step if isfinite(low) else values[0] / step - start / step - width / step) + 1
    last = floor(high / step if isfinite(high) else values[-1] / step - start / step)
    if last - first >= _MOST:
        raise RequestError(
            f"column {name!r}: windows every {_text(step)} would be more than {_MOST:,} attributes. Make them wider."
        )
    starts = dict.fromkeys(max(start + i * step, -GREATEST) for i in range(first, last + 1))
    return _intervals(name, domain, [(at, at + width) for at in starts], "left")


def _ordinal(name: str, domain: Domain, cuts: Sequence[Bound] | None, word: str) -> _Columns:
    if not domain.kind.ordered:
        raise ColumnError(
            f"column {name!r} has no order; scale it nominally, or give its order with `types`."
        )
    values = domain.numbers
    if cuts is None:
        marks = list(zip(domain.texts, values[: len(domain.texts)].tolist(), strict=True))
    else:
        marks = [(_text(cut), _number(cut, name, domain)) for cut in cuts]
    columns = [
        (f"{name} {word} {text}", values >= at if word == ">=" else values <= at) for text, at in marks
    ]
    return _with_missing(name, domain, columns)


def fitting_scale(domain: Domain) -> Scale:
    """The scale that suits a domain."""
    if domain.kind is Kind.ORDINAL:
        return Scale.ordinal()
    values = domain.numbers[: len(domain.values)]
    if not domain.kind.numeric or len(np.unique(values)) <= 10:
        return Scale.nominal()
    if domain.kind is not Kind.DATE:
        step = _round_step(spread(values) / 20)
        return Scale.windows(2 * step, step=step)
    first, last = (int(str(day)[:4]) for day in domain.values[[0, -1]].astype("datetime64[Y]"))
    years = int(_round_step(max((last - first + 1) / 20, 1)))
    starts = range(first - first % years - years, last + 1, years)
    return Scale.intervals([(f"{year:04d}-01-01", f"{year + 2 * years:04d}-01-01") for year in starts])


def _round_step(least: float) -> float:
    """The smallest of 1, 2, 5, 10, 20, 50, ... (or tenths, hundredths of them) that is at least this."""
    least = max(least, FINEST)
    power = 10.0 ** np.floor(np.log10(least))
    return float(next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least))


def _bound(text: str) -> Bound:
    try:
        return float(text)
    except ValueError:
        return text.strip()


def _number(bound: Bound, name: str, domain: Domain) -> float:
    """A bound on the number line of the column: its value, the day of a date, or the rank of an ordinal value."""
    if domain.kind is Kind.ORDINAL:
        if str(bound) not in domain.texts:
            raise ColumnError(f"column {name!r}: the scale names a value that the column does not have.")
        return float(domain.texts.index(str(bound)))
    if not domain.kind.numeric:
        raise ColumnError(f"column {name!r} has no order, so it cannot be scaled by intervals or cuts.")
    try:
        if domain.kind is Kind.DATE:
            return float(np.datetime64(str(bound), "D").astype(np.int64))
        return float(bound)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise ColumnError(f"column {name!r}: the bound {bound!r} does not read as {domain.kind}.") from None


def _text(bound: Bound) -> str:
    return number_text(bound) if isinstance(bound, int | float) else str(bound)


def _interval_text(low: Bound, high: Bound, closed: Closed) -> str:
    left = "[" if closed in ("left", "both") else "("
    right = "]" if closed in ("right", "both") else ")"
    return f"{left}{_text(low)}, {_text(high)}{right}"


def _cut_text(cuts: Sequence[Bound] | None) -> str:
    return "" if cuts is None else " " + ", ".join(_text(cut) for cut in cuts)
