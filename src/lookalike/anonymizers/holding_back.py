"""HeldBack: why new rows cannot go out by the rules of an earlier release, and what to do about it, in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lookalike.base.errors import GuaranteeError, amount, percent
from lookalike.recodings.joining import Waiting

_SHOWN = 5  #: columns named in a sentence, those with the most rows first


@dataclass(frozen=True)
class HeldBack:
    """How many new rows are held back, by reason."""

    local: bool  #: the release has classes of its own ranges, where new rows may be few
    waiting: Waiting | None = None  #: how many newcomers would do, where they join a release
    unseen: Mapping[str, int] = field(default_factory=dict)  #: column -> rows with a value no rule covers
    strange: int = 0  #: rows with such a value in any column
    uncovered: int = 0  #: rows that fit no class of the release
    broken: int = 0  #: rows in classes that would break the promise

    @property
    def reasons(self) -> dict[str, int]:
        """Each reason and its rows."""
        return {
            "with a value that no rule covers": self.strange,
            "fitting no class of the release": self.uncovered,
            "in a class that would break the promise": self.broken,
        }

    def nothing(self) -> GuaranteeError:
        """The error where not one row is left."""
        return GuaranteeError(f"nothing is left of the new rows: {self._why()}. {self._advice(0.0)}")

    def too_many(self, held: int, everybody: int, who: str, allowed: float) -> GuaranteeError:
        """The error where more are held back than may be."""
        return GuaranteeError(
            f"the promise cannot be kept by the rules of the release: {held:,} of {everybody:,} new {who} would have "
            f"to be held back, where {percent(allowed)} may be: {self._why()}. {self._advice(1 - allowed)}"
        )

    def _why(self) -> str:
        most = sorted(self.unseen.items(), key=lambda pair: -pair[1])
        named = ", ".join(f"{name} {n:,}" for name, n in most[:_SHOWN])
        more = f" and {amount(len(most) - _SHOWN, 'other column')}" if len(most) > _SHOWN else ""
        few = "too few new rows share them"
        if self.waiting is not None:
            few += " (rows that are out can be subtracted, so newcomers keep the promise among themselves)"
        words = {
            f"{amount(self.strange, 'row')} with values that no rule covers (by column: {named}{more})": self.strange,
            f"{amount(self.uncovered, 'row')} fitting no class of the release": self.uncovered,
            f"{amount(self.broken, 'row')} in classes that would break the promise, since {few}": self.broken,
        }
        return ", ".join(text for text, n in words.items() if n)

    def _advice(self, share: float) -> str:
        """share: of the newcomers who should go out; 0 where any would do."""
        ways = ["make a release of their own (run the recipe with their file under [source])"]
        if self.broken and self.waiting is not None:
            ways.insert(
                0,
                f"wait until there are about {amount(self.waiting.people(share), 'new person', 'new people')}",
            )
        if share:
            ways.append("allow more `suppression`")
        words = f"{', '.join(ways[:-1])}, or {ways[-1]}." if len(ways) > 1 else f"{ways[0]}."
        if self.local:
            words += (
                ' For a table that is released again and again, make the first release with method "optimal": one rule '
                "for all rows travels better than classes of their own ranges"
            )
            words += ", and dates and intervals cover values to come." if self.strange else "."
        return words[0].upper() + words[1:]
