"""Thresholds in use, with their sources, and a plain reading of a table against them. Never a legal conclusion.

Risks are compared as group sizes: a limit of 0.09 is a group of 11, although 1/11 is 0.0909.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from lookalike.base.checks import column_names
from lookalike.base.errors import RequestError

PRACTICE = "El Emam's overview of practice"
IN_PRACTICE = (3, 5, 11, 20)
ONTARIO = "Information and Privacy Commissioner of Ontario, October 2025 (as reported by others)"


@dataclass(frozen=True)
class Regime:
    """What a body asks for: a smallest group, or a largest average risk, or words without a number."""

    name: str
    source: str
    group: int | None = None  #: everybody shares a group of at least so many
    average: float | None = None  #: the average risk is at most this
    words: str = ""  #: what is asked where no number is


REGIMES = {
    regime.name: regime
    for regime in (
        Regime("practice-3", PRACTICE, group=3, words="a risk of 0.33, the least strict in use"),
        Regime("practice-5", PRACTICE, group=5, words="a risk of 0.2"),
        Regime("practice-11", PRACTICE, group=11, words="a risk of 0.09"),
        Regime("practice-20", PRACTICE, group=20, words="a risk of 0.05"),
        Regime("cms", "US CMS cell suppression policy, 2024", group=11, words="no cell of 1 to 10"),
        Regime("pcornet", "PCORnet", group=11),
        Regime("pedsnet", "PEDSnet and OMOP tools", group=5),
        Regime("abs", "Australian Bureau of Statistics", group=10, words="dominance rules come on top"),
        Regime(
            "ema",
            "EMA policy 0070 (through vendors' guidance)",
            group=11,
            words="a risk of 0.09 in most cases",
        ),
        Regime(
            "health-canada",
            "Health Canada, public release of clinical information (through vendors' guidance)",
            group=11,
            words="a risk of 0.09 in most cases",
        ),
        Regime("ontario-low", ONTARIO, group=11, words="a risk of 0.09 where sensitivity is low"),
        Regime("ontario-medium", ONTARIO, group=15, words="a risk of 0.075 where sensitivity is medium"),
        Regime("ontario-high", ONTARIO, group=20, words="a risk of 0.05 where sensitivity is high"),
        Regime(
            "controlled",
            "health-data literature quoted by Aranda-Corral et al. 2023",
            average=0.5,
            words="controlled sharing is judged by the average, which is never to be above 0.5",
        ),
        Regime(
            "hipaa-expert",
            "HIPAA expert determination, 45 CFR 164.514(b)(1)",
            words="a very small risk for the anticipated recipient, without a number; methods and results documented",
        ),
    )
}


@dataclass(frozen=True)
class RegimeReading:
    """One sentence about a table and a threshold."""

    regime: str
    met: bool | None  #: None where the regime names no number
    text: str
    source: str

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self)


def read_against(
    regime: str | Sequence[str] | None, *, k: int, average: float, bounded: bool = False
) -> tuple[RegimeReading, ...]:
    """What each regime asks and what was found; without any, which of the group sizes in practice is reached.

    bounded: the average is known to be at most so high.
    """
    if regime is None:
        return (_read_practice(k),)
    names = [regime] if isinstance(regime, str) else column_names(regime, "regime")
    unknown = [name for name in names if name not in REGIMES]
    if unknown:
        raise RequestError(f"there is no regime {unknown[0]!r}. There are: {', '.join(REGIMES)}.")
    return tuple(_read(REGIMES[name], k, average, bounded) for name in names)


def _read_practice(k: int) -> RegimeReading:
    reached = [size for size in IN_PRACTICE if k >= size]
    found = f"reaches {reached[-1]}" if reached else "reaches none of them"
    asked = "the smallest groups in use are 3, 5, 11 and 20 (risks 0.33, 0.2, 0.09, 0.05)"
    return RegimeReading("practice", None, f"{asked}; the smallest here has {k}: {found}.", PRACTICE)


def _read(regime: Regime, k: int, average: float, bounded: bool) -> RegimeReading:
    about = f" ({regime.words})" if regime.words else ""
    if regime.group is not None:
        met = k >= regime.group
        text = f"asks for groups of at least {regime.group}{about}; the smallest here has {k}: " + (
            "within it." if met else "not within it."
        )
        return RegimeReading(regime.name, met, text, regime.source)
    if regime.average is not None:
        met = average <= regime.average
        here = f"{'at most ' if bounded else ''}{average:.3g}"
        text = f"asks for an average risk of at most {regime.average:g}{about}; here it is {here}: " + (
            "within it." if met else "not within it."
        )
        return RegimeReading(regime.name, met, text, regime.source)
    return RegimeReading(
        regime.name, None, f"asks for {regime.words}: this is for a person to judge.", regime.source
    )
