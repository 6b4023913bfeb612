"""How commands declare options: each with one call of `option`, and those that several commands take in a bundle.

A bundle is a frozen dataclass whose fields are options:

    @dataclass(frozen=True, kw_only=True)
    class FileOptions:
        delimiter: str | None = option("Between the fields; guessed otherwise.")

    def search(file: File, table: FileOptions, top: int = option("How many sets to show.", default=10)) -> None: ...

A command takes a bundle as one parameter and its user sees the single options. `Annotated[TableOptions,
asks("types", "unit")]` takes some of them; the others keep their defaults.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import Field, dataclass, field, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

File = Annotated[
    Path, typer.Argument(help="The table: csv, tsv, parquet, arrow or xlsx.", show_default=False)
]

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON, for machines.")]
_OPTION = "option"


@dataclass(frozen=True)
class _Option:
    """How an option is typed on the command line, and what turns the text into its value."""

    flags: tuple[str, ...]
    default: Any
    parse: Callable[[Any], Any] | None
    several: bool
    settings: dict[str, Any]

    def parameter(self, name: str, kind: Any) -> Parameter:
        """The option as Typer reads it, as a parameter of a function."""
        if self.parse is not None:
            kind = list[str] if self.several else str
            kind = kind if self.default is not None else kind | None
        flags = self.flags
        if not any(flag.startswith("--") for flag in flags):
            flags = (f"-{name}" if len(name) == 1 else f"--{name.replace('_', '-')}", *flags)
        said = self.settings["help"]
        settings = self.settings | {"help": said() if callable(said) else said}
        annotation = Annotated[kind, typer.Option(*flags, **settings)]
        return Parameter(name, Parameter.KEYWORD_ONLY, annotation=annotation, default=self.default)

    def value(self, typed: Any) -> Any:
        """What was typed as the command takes it."""
        return typed if self.parse is None else self.parse(typed)


@dataclass(frozen=True)
class _Asked:
    """The options of a bundle that a command takes."""

    names: tuple[str, ...]


def option(
    help: str | Callable[[], str],
    *flags: str,
    default: Any = None,
    required: bool = False,
    parse: Callable[[Any], Any] | None = None,
    several: bool = False,
    panel: str | None = None,
    **settings: Any,
) -> Any:
    """An option, called as the field or argument that it is the default of, unless flags say otherwise.

    flags: `-q` stands beside the long form. parse: makes the value from the text that was typed, which may be none, or
    from `several` texts. help: a function makes it when the command is called. settings: of `typer.Option`, such as
    `metavar` and `min`.
    """
    given = Parameter.empty if required else default
    about = {
        _OPTION: _Option(flags, given, parse, several, {"help": help, "rich_help_panel": panel, **settings})
    }
    if required:
        return field(metadata=about)
    if parse is None:
        return field(default=default, metadata=about)
    return field(default_factory=lambda: parse(default), metadata=about)


def asks(*names: str) -> _Asked:
    """Of a bundle, these options only."""
    return _Asked(names)


def bundled(command: Callable[..., None]) -> Callable[..., None]:
    """The command as Typer reads it: in place of each bundle its options."""
    shown: list[Parameter] = []
    options: dict[str, _Option] = {}
    bundles: dict[str, tuple[type[Any], list[str]]] = {}
    for parameter in signature(command, eval_str=True).parameters.values():
        bundle, names = _bundle(parameter.annotation)
        if bundle is not None:
            kinds = get_type_hints(bundle)
            declared = {one.name: _declared(one) for one in fields(bundle) if one.name in names}
            bundles[parameter.name] = bundle, list(declared)
        elif isinstance(parameter.default, Field):
            kinds, declared = (
                {parameter.name: parameter.annotation},
                {parameter.name: _declared(parameter.default)},
            )
        else:
            shown.append(parameter.replace(kind=Parameter.KEYWORD_ONLY))
            continue
        options |= declared
        shown += [one.parameter(name, kinds[name]) for name, one in declared.items()]

    @wraps(command)
    def call(**typed: Any) -> None:
        given = {
            name: options[name].value(value) if name in options else value for name, value in typed.items()
        }
        for parameter, (bundle, names) in bundles.items():
            given[parameter] = bundle(**{name: given.pop(name) for name in names})
        command(**given)

    call.__annotations__ = {one.name: one.annotation for one in shown}
    call.__signature__ = Signature(shown)  # type: ignore[attr-defined]
    return call


def _bundle(annotation: Any) -> tuple[type[Any] | None, set[str]]:
    """The bundle that a parameter stands for, if any, and the names of the options that are asked for."""
    about = getattr(annotation, "__metadata__", ())
    kind = getattr(annotation, "__origin__", annotation)
    if not (isinstance(kind, type) and is_dataclass(kind)):
        return None, set()
    asked = next((one.names for one in about if isinstance(one, _Asked)), None)
    return kind, {one.name for one in fields(kind)} if asked is None else set(asked)


def _declared(one: Field[Any]) -> _Option:
    """The option that a field declares."""
    made: _Option = one.metadata[_OPTION]
    return made
