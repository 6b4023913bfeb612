"""Recipe: what is read, what each column is, what is promised and how, as one value and one TOML file.

A recipe is data: it holds no code, and its paths stay inside its own folder unless that is allowed. Whatever is not
understood is refused with its line, so that a slip never weakens a promise.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from lookalike.base.checks import is_number
from lookalike.base.errors import FileError, LookalikeError, RequestError, in_words
from lookalike.base.writing import write_file
from lookalike.models import model_from_dict
from lookalike.models.model import Model
from lookalike.releases.recipes import toml
from lookalike.tables.columns.roles import Role
from lookalike.tables.hierarchies import Hierarchy
from lookalike.tables.hierarchies.texts import parse_hierarchy, write_hierarchy
from lookalike.tables.hierarchies.tree import RAREST_FIRST
from lookalike.tables.meanings.reasons import Reason, Why, written_by_hand
from lookalike.tables.sources.files import resolve_within

FORMAT = 1

#: no file can be called so on Windows, whatever its ending
_DEVICES = {"CON", "PRN", "AUX", "NUL", *(f"{port}{n}" for port in ("COM", "LPT") for n in "0123456789¹²³")}

#: stands above the file of a hierarchy that was grown
_GROWN = (
    "# To publish groups of your own, edit this file and take off the # below. Local recoding publishes any sets of "
    "values without it, which keep more detail than groups as they were grown."
)

Check = Callable[[Any], bool]


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_text, value))


def _flag(value: Any) -> bool:
    return isinstance(value, bool)


def _table(value: Any) -> bool:
    return isinstance(value, dict)


#: section -> key -> (whether a value fits, how it must look)
KEYS: dict[str, dict[str, tuple[Check, str]]] = {
    "source": {
        "file": (_text, "a path in quotation marks"),
        "delimiter": (_text, "text"),
        "quote": (_text, "text"),
        "encoding": (_text, "text"),
        "header": (_flag, "true or false"),
        "sheet": (_text, "text"),
        "skip_rows": (lambda value: is_number(value) and value == int(value) >= 0, "a whole number"),
        "engine": (lambda value: value == "streaming", "streaming"),
        "memory": (_text, "an amount such as 2GB"),
        "na": (_texts, "a list of texts"),
        "unit": (_text, "the name of a column"),
        "weight": (_text, "the name of a column"),
    },
    "column": {
        "role": (
            lambda value: _text(value) and value in set(map(str, Role)),
            "one of " + ", ".join(map(str, Role)),
        ),
        "reason": (_text, "text"),
        "type": (lambda value: _text(value) or _texts(value), "a type, or the values in their order"),
        "hierarchy": (
            lambda value: _text(value) or _table(value),
            "a hierarchy such as intervals:5,10,20, or a file such as hierarchies/age.csv",
        ),
        "weight": (is_number, "a number"),
        "linked": (_text, "quasi, drop, follow or accept"),
        "drop": (_flag, "true or false"),
        "numbers": (_text, "midpoint or mean"),
        "round": (is_number, "a number"),
    },
    "method": {
        "name": (_text, "the name of a method"),
        "suppression": (is_number, "a share from 0 to 1"),
        "suppressed": (_text, "drop or star"),
        "seed": (is_number, "a whole number"),
        "options": (_table, "a table of the method's options"),
    },
    "attacks": {"run": (_flag, "true or false"), "only": (_texts, "a list of names")},
    "output": {
        "format": (_text, "csv or parquet"),
        "spreadsheet_safe": (_flag, "true or false"),
        "despite": (_text, "why another release of the same people may lie beside this one"),
    },
}


@dataclass(frozen=True)
class ColumnRecipe:
    """What is known and decided about one column, and why."""

    role: Role
    reasons: tuple[Reason, ...] = ()
    type: str | Sequence[str] | None = None
    hierarchy: str | Mapping[str, Any] | None = None  #: its text, a file beside the recipe, or all of it
    weight: float | None = None
    linked: str | None = None
    drop: bool = False
    numbers: str | None = None
    round: float | None = None
    grown: str | None = (
        None  #: a file of the hierarchy that was grown, for a person to edit and name as `hierarchy`
    )

    @property
    def reason(self) -> str:
        """The reasons in words."""
        return "; ".join(reason.text for reason in self.reasons)

    def because(self, why: Why) -> Reason | None:
        """The first reason of a kind, the evidence of a proposal included."""
        evidence = [reason.facts["evidence"] for reason in self.reasons if reason.why is Why.PROPOSED]
        return next((reason for reason in (*self.reasons, *evidence) if reason.why is why), None)

    def with_reason(self, why: Why, facts: Mapping[str, Any] | None = None, **changes: Any) -> ColumnRecipe:
        """The same column with one more reason, and what is changed by it."""
        return replace(self, reasons=(*self.reasons, Reason(why, facts or {})), **changes)

    @property
    def unknown(self) -> bool:
        """Whether a draft blurs it before the others, since nothing says what it is."""
        return self.role is Role.QUASI and self.weight is not None and self.weight < 1

    def to_dict(self) -> dict[str, Any]:
        """What is not the default, as plain JSON values."""
        own = {"role": None, "reason": self.reason, **vars(self)}
        own |= {"role": str(self.role), "reasons": None, "grown": None}
        return {name: value for name, value in own.items() if value not in (None, "", False)}


@dataclass(frozen=True)
class Recipe:
    """A whole run. `load` reads one, `save` writes it; `la.prepare` drafts one and `la.run` carries it out.

    Examples:
        >>> import lookalike as la
        >>> recipe = la.prepare(la.datasets.population(200, seed=1).select("age", "gender", "income"))
        >>> {name: column.role.value for name, column in recipe.columns.items()}
        {'age': 'quasi', 'gender': 'quasi', 'income': 'sensitive'}
    """

    columns: Mapping[str, ColumnRecipe]  #: column -> its role, hierarchy and treatment
    promises: tuple[Model, ...]  #: the privacy models
    source: Mapping[str, Any] = field(default_factory=dict)  #: file and how to read it
    method: Mapping[str, Any] = field(default_factory=dict)  #: method and its options
    questions: tuple[Mapping[str, Any], ...] = ()  #: questions to ask of the release
    attacks: Mapping[str, Any] = field(default_factory=dict)  #: which attacks to try
    output: Mapping[str, Any] = field(default_factory=dict)  #: format of the release and its reports
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)  #: made here, not written yet
    folder: Path = Path()  #: what paths in it start from
    within: Path | None = field(default=None, compare=False)  #: where its files must lie, wherever links lead
    notes: tuple[
        str, ...
    ] = ()  #: what was decided about how the table is read, for people; comments in the file
    #: what has to be answered before a release of it is handed over, for people; comments in the file
    doubts: tuple[str, ...] = field(default=(), compare=False)
    #: why each promise is made, by what it is `about`
    reasons: Mapping[tuple[str, ...], str] = field(default_factory=dict, compare=False)

    @staticmethod
    def load(path: str | Path, *, anywhere: bool = False) -> Recipe:
        """Read a recipe; its paths must stay inside its folder unless they may lead `anywhere`."""
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise FileError(f"{path}: is not UTF-8 text, so it is no recipe.") from None
        except OSError as problem:
            raise FileError(f"{path}: the recipe cannot be read ({in_words(problem)}).") from None
        return _Reader(text, path, anywhere).recipe()

    def to_toml(self) -> str:
        """The recipe as text, reasons as comments behind the roles."""
        lines = [
            "# A whole run of Lookalike: change what you like, then `lookalike run` this file.",
            f"format = {FORMAT}",
        ]
        lines += _section("source", self.source)
        lines += [f"# {toml.comment(note)}" for note in (*self.notes, *self.doubts)]
        for name, column in self.columns.items():
            lines += ["", f"[columns.{toml.write_key(name)}]"]
            if column.reason:
                lines.append(f"# {toml.comment(column.reason)}")
            about = {key: value for key, value in column.to_dict().items() if key != "reason"}
            lines += [toml.write_line(key, value) for key, value in about.items()]
            if column.grown is not None:
                lines += [_GROWN, f"# hierarchy = {toml.quote(column.grown)}"]
        for model in self.promises:
            lines += ["", "[[promise]]", f"# {toml.comment(model.counting(self.source.get('unit')))}"]
            if model.about in self.reasons:
                lines.append(f"# {toml.comment(self.reasons[model.about])}")
            lines += [toml.write_line(key, v) for key, v in model.to_dict().items() if v is not None]
        lines += _section("method", self.method)
        for question in self.questions:
            lines += ["", "[[question]]"]
            lines += [toml.write_line(key, value) for key, value in question.items()]
        lines += _section("attacks", self.attacks) + _section("output", self.output)
        return "\n".join(lines) + "\n"

    def hierarchy_of(self, name: str) -> Hierarchy | None:
        """The hierarchy a column is given, out of its text or its file."""
        written = self.columns[name].hierarchy
        if name in self.hierarchies or written is None:
            return self.hierarchies.get(name)
        if not isinstance(written, str):
            return Hierarchy.from_dict(written)
        return Hierarchy.read(self.path_of(written)) if written.endswith(".csv") else parse_hierarchy(written)

    def path_of(self, written: str) -> Path:
        """Where a path that the recipe names leads at this moment."""
        path = self.folder / written
        return path if self.within is None else resolve_within(path, self.within)

    def having(self, role: Role) -> list[str]:
        """The columns of a role that are not left out."""
        return [name for name, column in self.columns.items() if column.role is role and not column.drop]

    def files(self, name: str = "recipe.toml") -> dict[str, str]:
        """What is written: the recipe, and a file for each grown hierarchy, for a person to edit."""
        columns = dict(self.columns)
        files: dict[str, str] = {}
        for column, hierarchy in self.hierarchies.items():
            short: str | Mapping[str, Any] | None = write_hierarchy(hierarchy)
            if short is None and hierarchy.how == "rows":
                path = f"hierarchies/{_file_name(column, files)}"
                files[path] = "".join(map(_csv_line, hierarchy.options["rows"]))
                if (
                    hierarchy.options.get("source") == RAREST_FIRST
                ):  # grown again, it means less than one that is given
                    columns[column] = replace(columns[column], grown=path)
                    continue
                short = path
            columns[column] = replace(columns[column], hierarchy=short or hierarchy.to_dict())
        return {name: replace(self, columns=columns, hierarchies={}).to_toml(), **files}

    def beside(self, folder: Path) -> Recipe:
        """The same recipe written down in another folder: paths start from there."""
        if "file" not in self.source:
            return replace(self, folder=folder)
        there = (self.folder / self.source["file"]).resolve()
        base = folder.resolve()
        path = there.relative_to(base) if there.is_relative_to(base) else there
        return replace(self, source={**self.source, "file": str(path)}, folder=folder)

    def save(self, path: str | Path) -> Path:
        """Write the recipe and, beside it, the hierarchies that need files of their own; for their owner only.

        They name values of the table, of people whom a release may leave out.
        """
        path = Path(path)
        (recipe, text), *hierarchies = self.files(path.name).items()
        for name, rows in hierarchies:  # first, so that no recipe ever names a file that is not there
            try:
                (path.parent / name).parent.mkdir(mode=0o700, exist_ok=True)
            except OSError as problem:
                raise FileError(f"{path}: the recipe cannot be written ({in_words(problem)}).") from None
            write_file(path.parent / name, rows, what="a hierarchy of the recipe", mode=0o600)
        return write_file(path.parent / recipe, text, what="the recipe", mode=0o600)


class _Reader:
    """One reading of a recipe's text; every refusal names the line."""

    def __init__(self, text: str, path: Path, anywhere: bool) -> None:
        self.text, self.path, self.anywhere = text, path, anywhere

    def recipe(self) -> Recipe:
        content = toml.parse(self.text, str(self.path))
        known = ("format", "source", "columns", "promise", "method", "question", "attacks", "output")
        for name in content:
            if name not in known:
                raise self.slip(f"there is no section {name!r}; there are {', '.join(known)}", name)
        if content.get("format") != FORMAT:
            raise FileError(
                f"{self.path}: is a recipe of format {content.get('format')!r}; "
                f"this version of Lookalike reads format {FORMAT}."
            )
        columns = self.section(content, "columns")
        source = self.checked(self.section(content, "source"), "source", "source")
        if "file" in source:
            self.inside(source["file"], "source", "file")
        return Recipe(
            columns={name: self.column(name, about) for name, about in columns.items()},
            promises=tuple(self.promise(i, asked) for i, asked in enumerate(self.tables(content, "promise"))),
            source=source,
            method=self.checked(self.section(content, "method"), "method", "method"),
            questions=tuple(self.tables(content, "question")),
            attacks=self.checked(self.section(content, "attacks"), "attacks", "attacks"),
            output=self.checked(self.section(content, "output"), "output", "output"),
            folder=self.path.parent,
            within=None if self.anywhere else self.path.parent.resolve(),
        )

    def column(self, name: str, about: Any) -> ColumnRecipe:
        if not isinstance(about, dict):
            raise self.slip("a column is a table of its own, such as [columns.age]", "columns", name)
        checked = self.checked(about, "column", "columns", name)
        if "role" not in checked:
            raise self.slip(
                f"column {name!r} has no role; give it one of {', '.join(map(str, Role))}", "columns", name
            )
        written = checked.get("hierarchy")
        if isinstance(written, str) and written.endswith(".csv"):
            self.inside(written, "columns", name, "hierarchy")
        elif written is not None:
            make = parse_hierarchy if isinstance(written, str) else Hierarchy.from_dict
            self.told(lambda: make(written), "columns", name, "hierarchy")
        reasons = written_by_hand(checked.pop("reason", ""))
        return ColumnRecipe(**{**checked, "role": Role(checked["role"]), "reasons": reasons})

    def promise(self, number: int, asked: Mapping[str, Any]) -> Model:
        made: Model = self.told(lambda: model_from_dict(asked), "promise", number)
        return made

    def told(self, make: Callable[[], Any], *place: str | int) -> Any:
        """What `make` makes; its refusal gets the line."""
        try:
            return make()
        except LookalikeError as problem:
            raise self.slip(str(problem).rstrip("."), *place) from None

    def section(self, content: Mapping[str, Any], name: str) -> dict[str, Any]:
        found = content.get(name, {})
        if not isinstance(found, dict):
            raise self.slip(f"{name!r} must be a section: [{name}]", name)
        return found

    def tables(self, content: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
        found = content.get(name, [])
        if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
            raise self.slip(f"each {name} is a section of its own: [[{name}]]", name)
        return found

    def checked(self, found: Mapping[str, Any], kind: str, *place: str) -> dict[str, Any]:
        for key, value in found.items():
            if key not in KEYS[kind]:
                raise self.slip(
                    f"there is no key {key!r} here; there are {', '.join(KEYS[kind])}", *place, key
                )
            fits, form = KEYS[kind][key]
            if not fits(value):
                raise self.slip(f"{key!r} must be {form}", *place, key)
        return dict(found)

    def inside(self, written: str, *place: str) -> None:
        if not self.anywhere:
            self.told(lambda: resolve_within(self.path.parent / written, self.path.parent), *place)

    def slip(self, words: str, *place: str | int) -> RequestError:
        line = toml.line_of(self.text, *place)
        return FileError(f"{self.path}{'' if line is None else f', line {line}'}: {words}.")


def _section(name: str, content: Mapping[str, Any]) -> list[str]:
    if not content:
        return []
    lines = [toml.write_line(key, value) for key, value in content.items() if value is not None]
    return ["", f"[{name}]", *lines]


def _csv_line(row: Sequence[str]) -> str:
    """A line of a hierarchy file: `;` between levels, quoted where it must be."""
    line = io.StringIO()
    csv.writer(line, delimiter=";", lineterminator="\n").writerow(row)
    return line.getvalue()


def _file_name(column: str, taken: Mapping[str, Any]) -> str:
    """A file name for a column's hierarchy: safe on every system, unlike every other."""
    plain = "".join(c if c.isalnum() or c in "-_" else "_" for c in column)[:60] or "column"
    if plain.upper() in _DEVICES:
        plain += "_"
    names = {path.removeprefix("hierarchies/").lower() for path in taken}
    number = 0
    while f"{plain}{number or ''}.csv".lower() in names:
        number += 1
    return f"{plain}{number or ''}.csv"
