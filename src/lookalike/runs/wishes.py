"""What somebody asks of a draft beforehand, as on the command line; all else is proposed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lookalike.base.errors import RequestError, unknown_column
from lookalike.models.model import Model
from lookalike.releases.recipes.recipe import ColumnRecipe
from lookalike.tables.columns.roles import Role, signed_name
from lookalike.tables.meanings.reasons import Reason, Why
from lookalike.tables.table import Table

ROWS = "rows"  #: what `unit` says where every row is another person
#: the words of the command line for what a column is to be
_QUASI, _TARGET, _DROP, _PROMISE = "quasi", "target", "drop", "promise"


@dataclass(frozen=True)
class Wishes:
    """Decisions that a draft takes over, with the reason "said on the command line".

    quasi, drop, target: columns; `+zip` or `zip` gives the role, `-year` takes it, so that the column is published.
    promises: beside those of the draft; of one model about one column, instead of the draft's.
    """

    k: int | None = None
    quasi: Sequence[str] = ()
    drop: Sequence[str] = ()
    target: Sequence[str] = ()
    unit: str | None = None
    promises: tuple[Model, ...] = ()

    def look_at(self, people: Table) -> Table:
        """The table with the unit that was asked for; columns that it does not have are refused."""
        self._given(people.names)
        if self.unit is None or self.counts_rows(people.names):
            return people
        if self.unit not in people.names:
            raise unknown_column(self.unit, people.names, "unit")
        return people.with_unit(self.unit)

    def counts_rows(self, names: Sequence[str]) -> bool:
        """Whether every row was said to be another person: `rows`, where no column has that name."""
        return self.unit == ROWS and ROWS not in names

    def decide(self, columns: Mapping[str, ColumnRecipe]) -> dict[str, ColumnRecipe]:
        """The columns as they were asked for, others as they are."""
        out = dict(columns)
        for name, (word, wanted) in self._given(list(columns)).items():
            out[name] = _as_asked(out[name], name, word, wanted)
        return out

    def keeps(self, name: str, names: Sequence[str]) -> bool:
        """Whether a column was asked for as a quasi-identifier, so that the draft does not leave it out."""
        return self._given(names).get(name) == (_QUASI, True)

    @property
    def smallest_group(self) -> tuple[int, str] | None:
        """The k that was asked for, with the reason."""
        return None if self.k is None else (self.k, f"Groups of {self.k}: {_REASON.text}")

    def promised(self, proposed: Sequence[Model]) -> tuple[Model, ...]:
        """The promises of the draft and those that were asked for."""
        asked = {model.about for model in self.promises}
        return (*(model for model in proposed if model.about not in asked), *self.promises)

    @property
    def reasons(self) -> dict[tuple[str, ...], str]:
        """Why each promise that was asked for is made."""
        return {model.about: _REASON.text.capitalize() for model in self.promises}

    def _given(self, names: Sequence[str]) -> dict[str, tuple[str, bool]]:
        """What each column that is named is to be, or not to be."""
        given: dict[str, tuple[str, bool]] = {}
        promised = [name for model in self.promises for name in model.columns]
        said = {_QUASI: self.quasi, _TARGET: self.target, _DROP: self.drop, _PROMISE: promised}
        for word, entries in said.items():
            for entry in entries:
                sign, name = signed_name(entry, names, word)
                if given.setdefault(name, (word, sign == "+"))[0] != word:
                    raise RequestError(
                        f"column {name!r} is named in --{given[name][0]} and in --{word}. Name it in one of them."
                    )
        return given


_REASON = Reason(Why.COMMAND_LINE)
_ROLES = {_QUASI: Role.QUASI, _TARGET: Role.TARGET, _PROMISE: Role.SENSITIVE}


def _as_asked(column: ColumnRecipe, name: str, word: str, wanted: bool) -> ColumnRecipe:
    """A column in the role that was asked for, or published where its role was taken."""
    said = column.with_reason(_REASON.why)
    if word == _DROP:
        return replace(said, drop=wanted, linked=None)
    plain = replace(said, drop=False, linked=None, weight=None, round=None)
    if wanted and word == _QUASI and column.role is Role.IDENTIFIER:
        raise RequestError(
            f"--quasi: {name!r} was read as an identifier, and generalising one would publish ranges or sets of "
            f"identifiers. Leave it out, or count people by it with --unit {name}. If it is something else, write "
            f'role = "quasi" under [columns.{name}] in the recipe.'
        )
    if wanted:
        return replace(plain, role=_ROLES[word])
    if column.role is not _ROLES[word]:
        raise RequestError(
            f"--{word}: -{name} takes a role that was not proposed; {name!r} is {column.role}."
        )
    return replace(plain, role=Role.OTHER)
