"""What a metric is, and what measuring one gives: the value of every class, and every aggregate under its own name.

The literature mixes minimum, mean over classes and mean over records freely, so a `Metric` keeps them all and says
which of them its headline `value` is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from lookalike.recognition.metrics.view import ClassView

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True)
class Definition:
    """A metric as the literature defines it.

    risk_sign: +1 where larger means that the columns identify or disclose more, -1 where less, 0 where it says
    nothing. cost_sign: +1 where larger means that blurring the columns costs more utility, -1 less, 0 nothing,
    None: your choice.
    """

    name: str
    domain: str  #: causality, privacy, utility or qid-specific
    formula: str
    risk_sign: int
    cost_sign: int | None
    aggregate: str  #: the aggregate that is the headline value
    needs: tuple[str, ...]  #: which of sensitive, target, treatment, adjacency must be given
    compute: Callable[..., Metric] = field(repr=False)


@dataclass(frozen=True, eq=False)
class Metric:
    """A measured metric. `values` holds one number per class, per attribute, or a single one for the whole set."""

    definition: Definition = field(repr=False)
    columns: tuple[str, ...]
    per: str  #: class, attribute or set
    values: NDArray[np.float64] = field(repr=False)
    weights: NDArray[np.int64] = field(repr=False)  #: records behind each value
    find_labels: Callable[[], Sequence[Any]] = field(repr=False)
    details: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        """Name of the metric."""
        return self.definition.name

    @property
    def domain(self) -> str:
        """causality, privacy, utility or qid-specific."""
        return self.definition.domain

    @property
    def risk_sign(self) -> int:
        """+1 where larger means more risk."""
        return self.definition.risk_sign

    @property
    def cost_sign(self) -> int | None:
        """+1 where larger means that blurring costs more."""
        return self.definition.cost_sign

    @cached_property
    def labels(self) -> list[Any]:
        """What each value belongs to: the tuple of a class (None is missing), an attribute, or the whole set."""
        return list(self.find_labels())

    @property
    def value(self) -> float:
        """The headline number: the aggregate that the definition names."""
        return float(getattr(self, self.definition.aggregate))

    @cached_property
    def _known(self) -> NDArray[np.bool_]:
        return ~np.isnan(self.values) & (self.weights > 0)

    def _over(self, reduce: Callable[[NDArray[np.float64]], Any]) -> float:
        return float(reduce(self.values[self._known])) if self._known.any() else float("nan")

    @property
    def min(self) -> float:
        """Smallest value."""
        return self._over(np.min)

    @property
    def max(self) -> float:
        """Largest value."""
        return self._over(np.max)

    @property
    def mean(self) -> float:
        """Mean over classes (attributes), each counting once."""
        return self._over(np.mean)

    @property
    def record_mean(self) -> float:
        """Mean over records: classes count by their size."""
        if not self._known.any():
            return float("nan")
        return float(np.average(self.values[self._known], weights=self.weights[self._known]))

    @property
    def total(self) -> float:
        """Sum of the values."""
        return self._over(np.sum)

    @property
    def median(self) -> float:
        """Median over classes."""
        return self._over(np.median)

    @property
    def sd(self) -> float:
        """Standard deviation over classes (of the population, not a sample)."""
        return self._over(np.std)

    def quantile(self, share: float) -> float:
        """The value below which this share of the classes lies."""
        return self._over(lambda values: np.quantile(values, share))

    @property
    def quantiles(self) -> dict[float, float]:
        """Quantiles over classes."""
        return {share: self.quantile(share) for share in QUANTILES}

    def to_dict(self) -> dict[str, Any]:
        """Definition and aggregates, as plain JSON values; no class labels, since these are private."""
        return {
            "name": self.name,
            "domain": self.domain,
            "formula": self.definition.formula,
            "risk_sign": self.risk_sign,
            "cost_sign": self.cost_sign,
            "columns": list(self.columns),
            "per": self.per,
            "count": len(self.values),
            "aggregate": self.definition.aggregate,
            "value": self.value,
            "min": self.min,
            "max": self.max,
            "mean": self.mean,
            "record_mean": self.record_mean,
            "median": self.median,
            "sd": self.sd,
            "quantiles": {str(share): value for share, value in self.quantiles.items()},
            **({"details": dict(self.details)} if self.details else {}),
        }

    def plot(self) -> Any:
        """Histogram, empirical CDF beside a normal one, and Q-Q plot, as an altair chart: `.plot().save("k.svg")`."""
        from lookalike.recognition.charts import plot_metric

        return plot_metric(self)

    def __repr__(self) -> str:
        of = ", ".join(self.columns) or "no columns"
        if self.per == "set":
            return f"{self.name}({of}) = {self.value:.4g}"
        return (
            f"{self.name}({of}): {self.definition.aggregate} {self.value:.4g}; {len(self.values):,} "
            f"{'classes' if self.per == 'class' else 'attributes'}, min {self.min:.4g}, mean {self.mean:.4g} "
            f"(over records {self.record_mean:.4g}), max {self.max:.4g}"
        )


def per_class(
    definition: Definition, view: ClassView, values: NDArray[Any], weights: NDArray[np.int64] | None = None
) -> Metric:
    """A metric with one value per equivalence class."""
    return Metric(
        definition,
        view.quasi,
        "class",
        values.astype(np.float64),
        view.sizes if weights is None else weights,
        view.labels,
    )


def per_attribute(
    definition: Definition, view: ClassView, values: Mapping[str, float], **details: Any
) -> Metric:
    """A metric with one value per attribute; the set's value is their mean."""
    numbers = np.array(list(values.values()), dtype=np.float64)
    return Metric(
        definition,
        view.quasi,
        "attribute",
        numbers,
        np.full(len(numbers), view.records, dtype=np.int64),
        lambda: list(values),
        details,
    )


def of_set(definition: Definition, view: ClassView, value: float, **details: Any) -> Metric:
    """A metric of the set as a whole."""
    return Metric(
        definition,
        view.quasi,
        "set",
        np.array([value], dtype=np.float64),
        np.array([max(view.records, 1)], dtype=np.int64),
        lambda: [view.quasi],
        details,
    )
