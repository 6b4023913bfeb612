"""Why some of the rows asked about cannot be explained: an error that stops all, or a reason for each of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lookalike.base.errors import LookalikeError


class Obstacles:
    """The rows that cannot be explained (`why`, by position), each with its reason. `strict` stops at the first."""

    def __init__(self, called: Sequence[int], *, strict: bool) -> None:
        self.called, self.strict = called, strict
        self.why: dict[int, str] = {}

    def add(self, rows: Iterable[int], reason: str, error: type[LookalikeError]) -> None:
        """Some rows that cannot be explained for a reason."""
        some = [int(row) for row in rows]
        if some and self.strict:
            others = f" This is so for {len(some)} of {len(self.called)} rows." if len(some) > 1 else ""
            raise error(f"row {self.called[some[0]]}: {reason}{others}")
        self.why |= dict.fromkeys(some, reason)
