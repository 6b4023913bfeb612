"""The options by which commands read a table, and the table they describe."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lookalike.base.errors import RequestError, UnknownColumn, unknown_column
from lookalike.cli._compiling import announce_compiling
from lookalike.cli._options import option
from lookalike.cli._proposing import propose
from lookalike.cli._typed import join_names, names_or_none, split_each, split_names
from lookalike.tables.columns.roles import WORDS

if TYPE_CHECKING:
    from lookalike.tables.table import Table

#: options that belong together, for commands that ask for some of `TableOptions`
KNOWN = ("quasi", "roles", "types")
HIERARCHIES = ("hierarchies", "hierarchy")
FILE = ("na", "delimiter", "quote", "encoding", "no_header", "sheet", "skip_rows")
LARGE = ("engine", "memory")
SPARK = (*LARGE, "master", "table")
COUNTED = (*SPARK, "most")

_BOOKS = (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods")
#: options that only go with some engines
_OF_ENGINES = {
    "memory": ("streaming", "spark"),
    "master": ("spark",),
    "table": ("spark",),
    "most": ("streaming", "spark"),
}


def parse_types(text: str | None) -> dict[str, str | list[str]] | None:
    """`zip=nominal,grade=low<mid<high` as types by column."""
    if text is None:
        return None
    types = split_each(split_names(text), option="--types", form="column=type,column=type")
    return {name: kind.split("<") if "<" in kind else kind for name, kind in types.items()}


def _parse_forms(typed: list[str] | None) -> dict[str, str]:
    return split_each(typed, option="--hierarchy", form="column=form, such as age=intervals:5,10")


_role = partial(option, panel="What the columns are")
_columns = partial(_role, metavar="COLUMNS", parse=names_or_none)
_file = partial(option, panel="How the file is read")


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """What the columns of a table are, how its file is read, and where its rows are counted."""

    quasi: list[str] | None = _columns(
        "Columns that outsiders may know: age,sex,zip. With --roles auto, changes: +zip,-year.", "-q"
    )
    roles: str | None = _role(
        "auto: the roles that `lookalike inspect` proposes, but for the columns named in the options below.",
        metavar="auto",
    )
    sensitive: list[str] | None = _columns("Columns that must not be learnt about a person.", "-s")
    identifiers: list[str] | None = _columns("Columns that name a person; left out.")
    targets: list[str] | None = _columns("Columns models predict.")
    others: list[str] | None = _columns("Columns to publish as they are; '' accepts all that are not named.")
    types: dict[str, str | list[str]] | None = _role(
        "Types where the guess is wrong: zip=nominal,visit=date; an order: grade=low<mid<high.",
        metavar="COLUMN=TYPE,…",
        parse=parse_types,
    )
    unit: str | None = _role("The column that tells people apart who have several rows.", metavar="COLUMN")
    weight: str | None = _role("The column of sampling weights.", metavar="COLUMN")
    hierarchies: Path | None = _role("A folder of hierarchy files COLUMN.csv.", metavar="FOLDER")
    hierarchy: dict[str, str] = _role(
        "A hierarchy in words, once per column: age=intervals:5,10,20, zip=mask, or a file: zip=zip.csv.",
        metavar="COLUMN=FORM",
        parse=_parse_forms,
        several=True,
    )
    dictionary: list[Path] | None = _role(
        "A TOML file of further official names of variables; may be said several times.", metavar="FILE"
    )
    na: list[str] = _file(
        "Spellings of a missing value besides the empty one; a release leaves them empty.",
        default="?",
        metavar="TEXTS",
        parse=split_names,
    )
    delimiter: str | None = _file("Between the fields; guessed otherwise.")
    quote: str = _file("Around fields; '' if quotation marks are ordinary characters.", default='"')
    encoding: str = _file("Of a text file.", default="utf-8")
    no_header: bool = _file("The first line is data; columns are column_1, …", default=False)
    sheet: str | None = _file("Of a workbook; the first one otherwise.")
    skip_rows: int | None = _file(
        "Rows above the names of the columns, such as a title, to pass over.",
        metavar="NUMBER",
        min=0,
        show_default=False,
    )
    engine: str | None = _file(
        "streaming: files larger than memory, a folder or a pattern of them, a piece at a time. spark: what Spark "
        "reads, where Spark runs.",
        metavar="streaming|spark",
    )
    memory: str | None = _file("What the process may take, with --engine.", metavar="2GB")
    master: str | None = _file(
        "With --engine spark: spark://host:7077, yarn, k8s://…; local[*] otherwise.", metavar="URL"
    )
    table: bool = _file("With --engine spark: the name is a table of its catalogue.", default=False)
    most: int | None = _file(
        "With --engine: distinct tuples that may be taken into memory.", metavar="NUMBER", min=1
    )

    def read(self, file: Path, *, dropped: list[str] | None = None) -> Table:
        """The table as the options describe it; what was not typed is left to the defaults of `la.read`.

        dropped: columns that are left out, so that nobody needs to say what they are.
        """
        import lookalike as la

        announce_compiling()
        self._refuse_engine()
        if self.sheet is not None and file.suffix.lower() not in _BOOKS:
            raise RequestError(f"{file}: is no workbook, so it has no --sheet.")
        if self.roles not in (None, "auto"):
            raise RequestError(f"--roles: expected auto, found {self.roles!r}.")
        identifiers = list(dict.fromkeys([*(self.identifiers or ()), *(dropped or ())])) or self.identifiers
        people = replace(self, identifiers=identifiers)
        try:
            if self.engine is not None:
                return people._with_hierarchies(people._read_there(file))
            how, named = people._as_typed(FILE), people._as_typed(tuple(WORDS))
            about = people._as_typed(("types", "unit", "weight", "hierarchies"))
            header = not how.pop("no_header")
            if self.roles is None:
                return people._with_hierarchies(la.read(file, header=header, **how, **about, **named))
            about["others"] = []
            return propose(people._with_hierarchies(la.read(file, header=header, **how, **about)), named)
        except UnknownColumn as problem:
            if problem.column in (dropped or ()) and problem.where == "identifiers":
                raise unknown_column(problem.column, problem.columns, "drop") from None
            raise

    def only_file(self) -> TableOptions:
        """How the file is read, and nothing about its columns: for a second table beside the first."""
        return TableOptions(**{name: getattr(self, name) for name in (*FILE, *COUNTED)})

    def for_library(self) -> dict[str, Any]:
        """What was typed on how the file is read and what its columns are, as `la.prepare` takes it."""
        said = {one: getattr(self, one) for one in (*FILE, *LARGE, "types") if self._is_said(one)}
        if said.pop("no_header", False):
            said["header"] = False
        return {**said, "dictionaries": self.dictionary or ()}

    def typed_again(self) -> str:
        """The options on how the file is read that were typed, as they can be typed again."""
        return "".join(
            f" {as_typed(one, getattr(self, one))}" for one in (*FILE, "types") if self._is_said(one)
        )

    def _as_typed(self, names: tuple[str, ...]) -> dict[str, Any]:
        return {name: value for name in names if (value := getattr(self, name)) is not None}

    def _is_said(self, name: str) -> bool:
        return bool(getattr(self, name) != getattr(_NOTHING, name))

    def _with_hierarchies(self, people: Table) -> Table:
        """The table with the hierarchies that were typed in words, `age=intervals:5,10` each."""
        if not self.hierarchy:
            return people
        from lookalike.tables.hierarchies.files import collect

        return people.with_hierarchies(collect(self.hierarchy, people.names))

    def _refuse_engine(self) -> None:
        """Refuse options of another engine than the one that was typed."""
        if self.engine not in (None, "streaming", "spark"):
            raise RequestError(f"--engine: expected streaming or spark, found {self.engine!r}.")
        for name, fitting in _OF_ENGINES.items():
            if getattr(self, name) and self.engine not in fitting:
                raise RequestError(f"--{name} goes with --engine {fitting[0]}.")

    def _read_there(self, file: Path) -> Table:
        """Rows that stay where they are, in files or in Spark."""
        import lookalike as la

        odd = ("encoding", "sheet", "skip_rows", "weight", "roles", "no_header")
        for name in odd:
            if self._is_said(name):
                raise RequestError(f"--{name.replace('_', '-')} does not go with --engine {self.engine}.")
        told = self._as_typed((*WORDS, "types", "unit", "hierarchies", "na", "delimiter", "quote"))
        limits = self._as_typed(("memory", "most"))
        if self.engine == "spark":
            how = {name: told.pop(name) for name in ("delimiter", "quote") if name in told}
            source = read_with_spark(file, master=self.master, table=self.table, **how)
            return la.table(source, **limits, **told)
        return la.read(file, engine="streaming", **limits, **told)


@dataclass(frozen=True, kw_only=True)
class PeopleOptions(TableOptions):
    """The options of a table whose quasi-identifiers are needed."""

    def __post_init__(self) -> None:
        if self.quasi is None and self.roles is None:
            raise RequestError(
                "say which columns outsiders may know: --quasi age,sex,zip; or --roles auto for those that "
                "`lookalike inspect` proposes."
            )


_NOTHING = TableOptions()


def read_with_spark(file: Path, *, master: str | None, table: bool, **how: str) -> Any:
    """What Spark finds at an address; a path has lost one of the slashes that an address begins with."""
    from lookalike.tables.engines.spark.session import read_frame

    address = re.sub(r"^(\w+):/(?!/)", r"\1://", str(file)).replace("file://", "file:///", 1)
    return read_frame(address, master=master, table=table, **how)


def as_typed(name: str, value: Any) -> str:
    """An option as it could be typed."""
    option = f"--{name.replace('_', '-')}"
    if value is True:
        return option
    if isinstance(value, dict):
        value = [f"{n}={kind if isinstance(kind, str) else '<'.join(kind)}" for n, kind in value.items()]
    return f"{option}={shlex.quote(join_names(value) if isinstance(value, list) else str(value))}"
