"""What inspecting a table found: the proposed role of each column with its reasons, codes for missing, whose rows."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from lookalike.base.charts import QUIET, SEEN, WARNED, horizontal
from lookalike.base.errors import amount
from lookalike.base.notebooks import panel
from lookalike.recognition.entities import Described
from lookalike.recognition.links import Link
from lookalike.recognition.units import WhoseRows, find_unit, whose_are_known
from lookalike.tables.columns.roles import Role
from lookalike.tables.meanings.reasons import Reason
from lookalike.tables.table import Table

_COLOURS = {
    "identifier": "#dc2626",
    "quasi": WARNED,
    "sensitive": "#a855f7",
    "other": QUIET,
    "decide": SEEN,
}
_SHOWN = 8  # unknown columns named in a sentence


@dataclass(frozen=True)
class ColumnReport:
    """A proposed role, how sure it is, and why."""

    name: str
    role: Role
    confidence: float
    reasons: tuple[Reason, ...]
    concept: str  #: what the column is about
    known: float  #: would an outsider know it, 0 to 1, by judgement
    distinct: int
    missing: float  #: share of records without a value
    unique: float  #: share of records alone with their value
    adds: float  #: distinction gained by adding it to the (other) quasi-identifiers
    tells: float  #: largest share of what there is to know about a sensitive column
    given: Role | None = None  #: the role the table was made with, where somebody gave one
    decide: bool = False  #: nothing says what it is: `other` is no proposal then, and a person has to decide
    stand_ins: tuple[str, ...] = ()  #: values that may stand for missing

    @property
    def evidence(self) -> tuple[str, ...]:
        """The reasons in words."""
        return tuple(reason.text for reason in self.reasons)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            **{key: value for key, value in vars(self).items() if key != "reasons"},
            "role": str(self.role),
            "given": None if self.given is None else str(self.given),
            "evidence": list(self.evidence),
            "stand_ins": list(self.stand_ins),
        }


@dataclass(frozen=True)
class MissingCode:
    """A value of a column that may stand for missing."""

    column: str
    text: str
    records: int
    sure: bool  #: it can hardly be anything else
    elsewhere: tuple[
        str, ...
    ]  #: columns that have it as a value: `na`, which is for all columns, would take it there

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {**vars(self), "elsewhere": list(self.elsewhere)}


@dataclass(frozen=True, eq=False)
class Inspection:
    """The proposed role of every column, with the evidence. `roles` and `table` can be used at once.

    Examples:
        >>> import lookalike as la
        >>> inspection = la.inspect(la.datasets.population(200, seed=1).select("name", "age", "gender", "income"))
        >>> inspection.quasi, inspection.records
        (['age', 'gender'], 200)
        >>> people = inspection.table
        >>> people.identifiers
        ['name']
    """

    columns: tuple[ColumnReport, ...]  #: a report for each column: its role and the evidence
    records: int  #: rows that were inspected
    distinction: float  #: classes per record by the proposed quasi-identifiers
    uniqueness: float  #: share of people (rows where each has one) that they single out
    linked: tuple[Link, ...]  #: columns that would give a quasi-identifier away
    source: Table = field(repr=False)  #: the table as it was before
    codes: tuple[MissingCode, ...] = ()  #: values that may stand for missing

    @property
    def roles(self) -> dict[str, Role]:
        """Column name to proposed role."""
        return {column.name: column.role for column in self.columns}

    def having(self, role: Role | str) -> list[str]:
        """The columns proposed for a role."""
        return [column.name for column in self.columns if column.role is Role(role)]

    @property
    def quasi(self) -> list[str]:
        """The proposed quasi-identifiers."""
        return self.having(Role.QUASI)

    def unit(self, count: Callable[[str], tuple[int, int]] | None = None) -> str | None:
        """The column that tells people apart where they have several rows; of patients and their stays, the patients.

        count: the values of a column and the rows, in all of the table where this is of a sample, which hides repeats.
        """
        return self.whose_rows(count).column

    def whose_rows(self, count: Callable[[str], tuple[int, int]] | None = None) -> WhoseRows:
        """As `unit`, with what is to be feared where no column surely tells people apart."""
        known = [Described(c.name, c.role, c.concept, c.distinct, c.missing) for c in self.columns]
        return find_unit(self.source, known, count)

    @cached_property
    def table(self) -> Table:
        """The same table with the proposed roles, in which people are counted; what is undecided must get a role first.

        The few rows that do not say whose they are, where people have several, are left out with a warning.
        """
        out = self.source.with_roles(**self.roles).with_undecided(self.undecided)
        return whose_are_known(out.with_unit(out.unit or self.unit()))

    @cached_property
    def frame(self) -> Any:
        """One row per column of the table, in the caller's kind of frame."""
        rows = [
            {**c.to_dict(), "evidence": "; ".join(c.evidence), "stand_ins": ", ".join(c.stand_ins)}
            for c in self.columns
        ]
        return self.source.give_back(pl.DataFrame(rows, infer_schema_length=None))

    @property
    def undecided(self) -> list[str]:
        """Columns of which nothing is known. They should not be published before somebody has looked at them."""
        return [column.name for column in self.columns if column.decide]

    def unknown(self, *, besides: Collection[str] = ()) -> str:
        """Which columns nothing is known of, in words, those `besides` aside; empty where there are none.

        Those that would tell most people apart come first.
        """
        names = [name for name in self.undecided if name not in besides]
        names.sort(key=lambda name: -self[name].adds)
        if not names:
            return ""
        shown = ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
        return f"nothing says what {amount(len(names), 'column')} {'holds' if len(names) == 1 else 'hold'}: {shown}"

    @property
    def na(self) -> list[str]:
        """The spellings of missing the table was read with, and those that may be some too; the argument `na`.

        What is a value of another column is not among them.
        """
        found = (code.text for code in self.codes if not code.elsewhere)
        return list(dict.fromkeys([*self.source.na, *found]))

    def __getitem__(self, name: str) -> ColumnReport:
        return next(column for column in self.columns if column.name == name)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "records": self.records,
            "distinction": self.distinction,
            "uniqueness": self.uniqueness,
            "undecided": self.undecided,
            "na": self.na,
            "codes": [code.to_dict() for code in self.codes],
            "columns": [column.to_dict() for column in self.columns],
            "linked": [link.to_dict() for link in self.linked],
        }

    def plot(self) -> Any:
        """The proposed role of every column, how sure it is, and why; with altair."""
        rows = [
            {
                "column": c.name,
                "sure": c.confidence,
                "role": "decide" if c.decide else str(c.role),
                "because": c.evidence[0],
                "adds": f"{c.adds:.1%} of distinction",
            }
            for c in self.columns
        ]
        return horizontal(
            rows,
            title=f"Proposed roles of {len(self.columns)} columns, and how sure",
            name="column",
            share="sure",
            kind="role",
            colours=_COLOURS,
            hints=("because", "adds"),
        )

    def _repr_html_(self) -> str:
        rows = [
            (c.name, "decide" if c.decide else c.role, f"{c.confidence:.0%}", "; ".join(c.evidence))
            for c in self.columns
        ]
        return panel(
            f"Proposed roles of {len(self.columns)} columns, {self.records:,} records",
            heads=("column", "role", "sure", "because"),
            rows=rows,
        )

    def __repr__(self) -> str:
        width = max(len(c.name) for c in self.columns)
        lines = [
            f"{c.name:<{width}}  {'decide' if c.decide else c.role!s:<10}  {c.confidence:4.0%}  {'; '.join(c.evidence)}"
            for c in self.columns
        ]
        return "\n".join([f"Inspection({self.records:,} records, {len(self.columns)} columns)", *lines])
