"""The options by which commands read a table, and the table they describe."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from functools import partial, wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lookalike.cli._common import announce_compiling, split_names
from lookalike.cli._proposing import propose
from lookalike.columns.roles import WORDS
from lookalike.errors import RequestError

if TYPE_CHECKING:
    from lookalike.progress import Progress
    from lookalike.tables.table import Table

_ROLES, _FILE = "What the columns are", "How the file is read"

File = Annotated[
    Path, typer.Argument(help="The table: csv, tsv, parquet, arrow or xlsx.", show_default=False)
]
Quasi = Annotated[
    str | None,
    typer.Option(
        "--quasi",
        "-q",
        metavar="COLUMNS",
        help="Columns that outsiders may know: age,sex,zip. With --roles auto, changes: +zip,-year.",
        rich_help_panel=_ROLES,
    ),
]
Roles = Annotated[
    str | None,
    typer.Option(
        "--roles",
        metavar="auto",
        help="auto: the roles that `lookalike inspect` proposes, but for the columns named in the options below.",
        rich_help_panel=_ROLES,
    ),
]
Sensitive = Annotated[
    str | None,
    typer.Option(
        "--sensitive",
        "-s",
        metavar="COLUMNS",
        help="Columns that must not be learnt about a person.",
        rich_help_panel=_ROLES,
    ),
]
Identifiers = Annotated[
    str | None,
    typer.Option(
        "--identifiers",
        metavar="COLUMNS",
        help="Columns that name a person; left out.",
        rich_help_panel=_ROLES,
    ),
]
Targets = Annotated[
    str | None,
    typer.Option("--targets", metavar="COLUMNS", help="Columns models predict.", rich_help_panel=_ROLES),
]
Others = Annotated[
    str | None,
    typer.Option(
        "--others",
        metavar="COLUMNS",
        help="Columns to publish as they are; '' accepts all that are not named.",
        rich_help_panel=_ROLES,
    ),
]
Types = Annotated[
    str | None,
    typer.Option(
        "--types",
        metavar="COLUMN=TYPE,…",
        help="Types where the guess is wrong: zip=nominal,visit=date; an order: grade=low<mid<high.",
        rich_help_panel=_ROLES,
    ),
]
Unit = Annotated[
    str | None,
    typer.Option(
        "--unit",
        metavar="COLUMN",
        help="The column that tells people apart who have several rows.",
        rich_help_panel=_ROLES,
    ),
]
Weight = Annotated[
    str | None,
    typer.Option(
        "--weight", metavar="COLUMN", help="The column of sampling weights.", rich_help_panel=_ROLES
    ),
]
Hierarchies = Annotated[
    Path | None,
    typer.Option(
        "--hierarchies",
        metavar="FOLDER",
        help="A folder of hierarchy files COLUMN.csv.",
        rich_help_panel=_ROLES,
    ),
]
Forms = Annotated[
    list[str] | None,
    typer.Option(
        "--hierarchy",
        metavar="COLUMN=FORM",
        help="A hierarchy in words, once per column: age=intervals:5,10,20, zip=mask, or a file: zip=zip.csv.",
        rich_help_panel=_ROLES,
    ),
]
Dictionaries = Annotated[
    list[Path] | None,
    typer.Option(
        "--dictionary",
        metavar="FILE",
        help="A TOML file of further official names of variables; may be said several times.",
    ),
]
Missing = Annotated[
    str,
    typer.Option(
        "--na",
        metavar="TEXTS",
        help="Spellings of a missing value besides the empty one; a release leaves them empty.",
        rich_help_panel=_FILE,
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option("--delimiter", help="Between the fields; guessed otherwise.", rich_help_panel=_FILE),
]
Encoding = Annotated[str, typer.Option("--encoding", help="Of a text file.", rich_help_panel=_FILE)]
NoHeader = Annotated[
    bool,
    typer.Option(
        "--no-header", help="The first line is data; columns are column_1, …", rich_help_panel=_FILE
    ),
]
Quote = Annotated[
    str,
    typer.Option(
        "--quote", help="Around fields; '' if quotation marks are ordinary characters.", rich_help_panel=_FILE
    ),
]
Sheet = Annotated[
    str | None,
    typer.Option("--sheet", help="Of a workbook; the first one otherwise.", rich_help_panel=_FILE),
]
SkipRows = Annotated[
    int | None,
    typer.Option(
        "--skip-rows",
        min=0,
        metavar="NUMBER",
        help="Rows above the names of the columns, such as a title, to pass over.",
        show_default=False,
        rich_help_panel=_FILE,
    ),
]

Read = Callable[..., "Table"]  #: reads a file, given the roles of its columns as they were typed or as lists

_HOW = [
    Parameter("na", Parameter.KEYWORD_ONLY, annotation=Missing, default="?"),
    Parameter("delimiter", Parameter.KEYWORD_ONLY, annotation=Delimiter, default=None),
    Parameter("quote", Parameter.KEYWORD_ONLY, annotation=Quote, default='"'),
    Parameter("encoding", Parameter.KEYWORD_ONLY, annotation=Encoding, default="utf-8"),
    Parameter("no_header", Parameter.KEYWORD_ONLY, annotation=NoHeader, default=False),
    Parameter("sheet", Parameter.KEYWORD_ONLY, annotation=Sheet, default=None),
    Parameter("skip_rows", Parameter.KEYWORD_ONLY, annotation=SkipRows, default=None),
]


Engine = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="streaming|spark",
        help="streaming: files larger than memory, a folder or a pattern of them, a piece at a time. spark: what Spark "
        "reads, where Spark runs.",
        rich_help_panel=_FILE,
    ),
]
Memory = Annotated[
    str | None,
    typer.Option(
        "--memory", metavar="2GB", help="What the process may take, with --engine.", rich_help_panel=_FILE
    ),
]
Master = Annotated[
    str | None,
    typer.Option(
        "--master",
        metavar="URL",
        help="With --engine spark: spark://host:7077, yarn, k8s://…; local[*] otherwise.",
        rich_help_panel=_FILE,
    ),
]
Most = Annotated[
    int | None,
    typer.Option(
        "--most",
        min=1,
        metavar="NUMBER",
        help="With --engine: distinct tuples that may be taken into memory.",
        rich_help_panel=_FILE,
    ),
]
SparkTable = Annotated[
    bool,
    typer.Option(
        "--table", help="With --engine spark: the name is a table of its catalogue.", rich_help_panel=_FILE
    ),
]
_FAR = [
    Parameter("engine", Parameter.KEYWORD_ONLY, annotation=Engine, default=None),
    Parameter("memory", Parameter.KEYWORD_ONLY, annotation=Memory, default=None),
]
_SPARK = [
    *_FAR,
    Parameter("master", Parameter.KEYWORD_ONLY, annotation=Master, default=None),
    Parameter("table", Parameter.KEYWORD_ONLY, annotation=SparkTable, default=False),
]
_COUNTED = [*_SPARK, Parameter("most", Parameter.KEYWORD_ONLY, annotation=Most, default=None)]
_PLACES = {"risk": _COUNTED, "anonymize": _COUNTED, "inspect": _SPARK, "prepare": _FAR, "run": _FAR}
_FORMS = Parameter("hierarchy", Parameter.KEYWORD_ONLY, annotation=Forms, default=None)
_PROPOSED = Parameter("roles", Parameter.KEYWORD_ONLY, annotation=Roles, default=None)


def reads_files(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that say how files are read; it gets one function `read` in their place.

    A command that asks for quasi-identifiers also takes `--roles auto`, which proposes them; one that asks for a folder
    of hierarchies also takes `--hierarchy age=intervals:5,10`.
    """
    own = [one for one in signature(command, eval_str=True).parameters.values() if one.name != "read"]
    asks = any(one.name == "quasi" for one in own)
    own = [one.replace(default=None) if one.name == "quasi" else one for one in own]
    forms = [_FORMS] if any(one.name == "hierarchies" for one in own) else []
    how = [*([_PROPOSED] if asks else []), *forms, *_HOW]
    how += _PLACES.get(command.__name__, [])
    shown = [*(one.replace(kind=Parameter.KEYWORD_ONLY) for one in own), *how]

    @wraps(command)
    def call(**typed: Any) -> None:
        said = {one.name: typed.pop(one.name) for one in how}
        if asks and typed["quasi"] is None and said["roles"] is None:
            raise RequestError(
                "say which columns outsiders may know: --quasi age,sex,zip; or --roles auto for those that "
                "`lookalike inspect` proposes."
            )
        command(read=partial(read_people, **said), **typed)

    call.__annotations__ = {one.name: one.annotation for one in shown}
    call.__signature__ = Signature(shown)  # type: ignore[attr-defined]
    return call


def read_people(
    file: Path,
    *,
    no_header: bool = False,
    roles: str | None = None,
    hierarchy: list[str] | None = None,
    engine: str | None = None,
    progress: Progress = False,
    hold: bool = False,
    **typed: Any,
) -> Table:
    """The table as the options describe it; what was not typed is left to the defaults of `la.read`.

    hold: whether rows that are not in memory are needed again, as for a release.
    """
    import lookalike as la

    announce_compiling()
    told = {name: value for name, value in typed.items() if value is not None}
    where = {name: told.pop(name, None) for name in ("memory", "master", "table", "most")}
    where = {name: value for name, value in where.items() if value}
    _refuse_engine(engine, where)
    if "sheet" in told and file.suffix.lower() not in (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods"):
        raise RequestError(f"{file}: is no workbook, so it has no --sheet.")
    for name in ("identifiers", "quasi", "sensitive", "targets", "others", "na"):
        if isinstance(told.get(name), str):
            told[name] = split_names(told[name])
    if isinstance(told.get("types"), str):
        told["types"] = parse_types(told["types"])
    if engine is not None:
        far = _read_far(engine, file, where, roles, no_header, told, hold=hold, progress=progress)
        return _with_forms(far, hierarchy)
    if roles is None or "quasi" not in typed:
        return _with_forms(la.read(file, header=not no_header, **told), hierarchy)
    if roles != "auto":
        raise RequestError(f"--roles: expected auto, found {roles!r}.")
    named = {word: told.pop(word) for word in WORDS if word in told}
    return propose(_with_forms(la.read(file, header=not no_header, others=[], **told), hierarchy), named)


def _refuse_engine(engine: str | None, where: dict[str, Any]) -> None:
    """Refuse options of another engine than the one that was typed."""
    if engine not in (None, "streaming", "spark"):
        raise RequestError(f"--engine: expected streaming or spark, found {engine!r}.")
    for name, fitting in {
        "memory": "streaming",
        "master": "spark",
        "table": "spark",
        "most": "streaming",
    }.items():
        if name in where and (engine is None or (engine == "streaming" and fitting == "spark")):
            raise RequestError(f"--{name} goes with --engine {fitting}.")


def _read_far(
    engine: str,
    file: Path,
    where: dict[str, Any],
    roles: str | None,
    no_header: bool,
    told: dict[str, Any],
    *,
    hold: bool,
    progress: Progress,
) -> Table:
    """Rows that are counted a piece at a time, or by Spark; where nobody asks for roles, some of them."""
    from lookalike.engines import look_at, open_far

    told = {name: value for name, value in told.items() if (name, value) != ("encoding", "utf-8")}
    odd = [name for name in ("encoding", "sheet", "skip_rows", "weight") if name in told]
    if odd or roles is not None or no_header:
        option = f"--{odd[0].replace('_', '-')}" if odd else "--roles" if roles is not None else "--no-header"
        raise RequestError(f"{option} does not go with --engine {engine}.")
    limits = {name: where[name] for name in ("memory", "most") if name in where}
    source: Any = file
    if engine == "spark":
        how = {name: told.pop(name) for name in ("delimiter", "quote") if name in told}
        source = read_with_spark(file, where, **how)
    if "quasi" not in told:
        return look_at(source, **limits, **told)
    return open_far(source, hold=hold, progress=progress, **limits, **told)


def read_with_spark(file: Path, where: dict[str, Any], **how: Any) -> Any:
    """What Spark finds at an address; a path has lost one of the slashes that an address begins with."""
    from lookalike.engines.spark_session import read_frame

    address = re.sub(r"^(\w+):/(?!/)", r"\1://", str(file)).replace("file://", "file:///", 1)
    return read_frame(address, master=where.get("master"), table=where.get("table", False), **how)


def _with_forms(people: Table, typed: list[str] | None) -> Table:
    """The table with the hierarchies that were typed in words, `age=intervals:5,10` each."""
    if not typed:
        return people
    from lookalike.hierarchies.files import collect

    forms: dict[str, str] = {}
    for one in typed:
        name, equals, form = one.partition("=")
        if not equals or not name or not form:
            raise RequestError(
                f"--hierarchy: expected column=form, such as age=intervals:5,10; found {one!r}."
            )
        forms[name] = form
    return people.with_hierarchies(collect(forms, people.names))


def how_read(read: Read, types: str | None = None) -> dict[str, Any]:
    """What was typed on how the file is read, and the types of its columns, as `la.read` takes it."""
    said = getattr(read, "keywords", {})
    options = [*_HOW, *_FAR]
    typed = {one.name: said[one.name] for one in options if said.get(one.name, one.default) != one.default}
    if "na" in typed:
        typed["na"] = split_names(typed["na"])
    if types:
        typed["types"] = parse_types(types)
    return {"header": False, **typed} if typed.pop("no_header", False) else typed


def typed_again(read: Read, **instead: str) -> str:
    """The options on how the file is read that were typed, as they can be typed again, but for some."""
    said = {**getattr(read, "keywords", {}), **instead}
    out = []
    for one in _HOW:
        value = said.get(one.name, one.default)
        if value != one.default:
            option = f"--{one.name.replace('_', '-')}"
            out.append(option if value is True else f"{option}={shlex.quote(str(value))}")
    return "".join(f" {option}" for option in out)


def parse_types(text: str | None) -> dict[str, str | list[str]]:
    """`zip=nominal,grade=low<mid<high` as types by column."""
    types: dict[str, str | list[str]] = {}
    for part in split_names(text):
        name, equals, kind = part.partition("=")
        if not equals or not name or not kind:
            raise RequestError(f"--types: expected column=type,column=type; {part!r} is not of that form.")
        types[name] = kind.split("<") if "<" in kind else kind
    return types
