"""The `lookalike` command: one subcommand per verb, each in its own file, imported only when called.

Exit codes: 0 done, 1 the guarantee cannot be met or a check failed, 2 the request is wrong or cannot be carried out
here (memory, disk), 130 interrupted, 141 nobody reads the output any more.
"""

from __future__ import annotations

import json
import re
import sys
import warnings
from importlib import import_module
from inspect import cleandoc
from io import TextIOWrapper
from typing import Any, TextIO

import typer
from typer.core import TyperCommand, TyperGroup

import lookalike
from lookalike.base.errors import LookalikeError, LookalikeWarning, in_words, is_out_of_memory
from lookalike.cli._interrupts import (
    end_quietly_without_reader,
    make_interrupts_safe,
    saying_what_is_not_written,
)
from lookalike.cli._options import bundled

# name -> (module:function inside this package, the line shown by --help), in the order a newcomer meets them
COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("demo:demo", "The whole story on a built-in synthetic population."),
    "inspect": ("inspect:inspect", "Find the columns that give people away, and say why."),
    "risk": ("risk:risk", "How easily are people told apart?"),
    "semantic": (
        "semantic:semantic",
        "Regions, rules, chains and noise of a table by formal concept analysis.",
    ),
    "anonymize": ("anonymize:anonymize", "Make a release in which nobody stands out."),
    "hierarchy": ("hierarchy:hierarchy", "Show how a column is blurred, level by level, or write it down."),
    "search": ("search:search", "Search the set of columns that tells people apart best."),
    "measure": ("measure:measure", "Measure a set of columns by every metric that fits."),
    "deidentify": ("deidentify:deidentify", "Blur column by column, and see what each step buys."),
    "apply": ("apply:apply", "Recode next month's rows as a release was."),
    "prepare": ("prepare:prepare", "Draft a recipe: roles, hierarchies and promises, with reasons."),
    "run": ("run:run", "Do the whole job, from a recipe or from a table."),
    "report": ("report:report", "Make the reports of a release again."),
    "explain": ("explain:explain", "Say why a model decided so, without giving anybody away."),
    "interact": ("interact:interact", "Learn from your choices what matters, then anonymise."),
    "verify": ("verify:verify", "Check a release against its certificate."),
    "evaluate": ("evaluate:evaluate", "Compare what original and release answer and teach."),
    "choose-k": ("choose_k:choose_k", "The largest k that still answers your questions."),
    "sign": ("sign:sign", "Sign the certificate of a release."),
    "key": ("key:key", "Make a secret key, for pseudonyms or for signing."),
    "attack": ("attack:attack", "Say what attackers still learn from a release."),
    "serve": ("serve:serve", "The workbench: all of it in the browser, on this machine."),
    "warm": ("warm:warm", "Compile everything once, so that no later command waits."),
    "paper": ("paper:paper", "Regenerate a paper's tables and figures beside the printed numbers."),
}

#: arguments of the library whose options are called otherwise
SPELT = {"header": "no_header", "overwrite": "force", "scales": "scale", "targets": "target"}
TOO_LITTLE = (
    "there is too little memory for this; nothing was written. Close other programs, leave columns out that nobody "
    "needs, take a sample of the rows, or use a machine with more."
)


_SHARE = re.compile(r"\d+(\.\d+)?%")


class Command(TyperCommand):
    """A subcommand whose errors become one readable line (one JSON object after --json) and an exit code."""

    _said: set[tuple[str, str]]  #: warnings are told once, also where fewer rows are read again

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Read the options; of a run, one that it does not have may be a line of its recipe."""
        recipe = next((arg for arg in args if arg.endswith(".toml")), None)
        try:
            return super().parse_args(ctx, args)
        except Exception as problem:
            if self.name == "run" and type(problem).__name__ == "NoSuchOption":  # typer's, or click's own
                from lookalike.releases.recipes.lines import where_to_write

                problem.message += where_to_write(problem.option_name, recipe)  # type: ignore[attr-defined]
            raise

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        self._said = set()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("always", LookalikeWarning)
                warnings.showwarning = self._show_warning
                return super().invoke(ctx)
        except LookalikeError as error:
            self._show_error(ctx, self._with_options(str(error)))
            raise typer.Exit(error.exit_code) from None
        except OSError as error:
            if error.filename is None:
                raise
            self._show_error(ctx, f"{error.filename}: {in_words(error)}.")
            raise typer.Exit(2) from None
        except KeyboardInterrupt:
            typer.echo("\ninterrupted", err=True)
            raise typer.Exit(130) from None
        except BaseException as problem:
            if not is_out_of_memory(problem):
                raise
            self._show_error(ctx, TOO_LITTLE)
            raise typer.Exit(2) from None

    def _show_error(self, ctx: typer.Context, message: str) -> None:
        if any("--json" in param.opts and ctx.params.get(param.name or "") for param in self.params):
            typer.echo(json.dumps({"error": message}), err=True)
        else:
            _say("error", typer.colors.RED, message)

    def _with_options(self, message: str) -> str:
        """A message of the library as it is to be read here: `quasi` in backticks becomes --quasi."""
        options = {param.name: max(param.opts, key=len) for param in self.params}
        options |= {word: options[name] for word, name in SPELT.items() if name in options}
        return re.sub(r"`(\w+)`", lambda word: options.get(word[1], word[0]), message)

    def _show_warning(
        self,
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        ours = issubclass(category, LookalikeWarning)
        word = "warning" if ours else f"{category.__name__} at {filename}:{lineno}"
        text = self._with_options(str(message))
        same = (word, _SHARE.sub("", text))
        if same not in self._said:
            self._said.add(same)
            _say(word, typer.colors.YELLOW, text)


class LazyGroup(TyperGroup):
    """Lists the commands from the table; imports a command's module only to run it or to show its help."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = {name: TyperCommand(name, help=line) for name, (_, line) in COMMANDS.items()}

    def resolve_command(self, ctx: typer.Context, args: list[str]) -> Any:  # type: ignore[override]
        name, listed, rest = super().resolve_command(ctx, args)
        return name, _load(name) if name and listed else listed, rest


def _load(name: str) -> Any:
    module, function = COMMANDS[name][0].split(":")
    single = typer.Typer(add_completion=False)
    call = getattr(import_module(f"{__name__}.{module}"), function)
    text, examples = _split_help(call.__doc__ or "")
    single.command(name, cls=Command, help=text, epilog=examples)(bundled(call))
    return typer.main.get_command(single)


def _split_help(text: str) -> tuple[str, str]:
    """A docstring as paragraphs that the terminal wraps, and its indented lines as examples below the options."""
    paragraphs = cleandoc(text).split("\n\n")
    told = [" ".join(part.split("\n")) for part in paragraphs if not part.startswith(" ")]
    examples = [line.strip() for part in paragraphs if part.startswith(" ") for line in part.split("\n")]
    return "\n\n".join(told), "\n\n".join(["Examples:", *examples] if examples else [])


def _say(word: str, colour: str, message: str) -> None:
    typer.echo(f"{typer.style(word, fg=colour, bold=True)}: {message}", err=True)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"lookalike {lookalike.__version__}")
        raise typer.Exit


app = typer.Typer(
    cls=LazyGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="New here: lookalike demo. With a table of your own: lookalike inspect people.csv\n\n"
    "Exit codes: 0 done, 1 a promise cannot be kept or a check failed, 2 the request is wrong or cannot be "
    "carried out.",
)


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", help="Print the version.", callback=_print_version, is_eager=True
    ),
) -> None:
    """Share tables about people, and explain decisions about them, without giving anyone away."""


def main() -> None:
    """The console script."""
    make_interrupts_safe()
    end_quietly_without_reader()
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # letters that the terminal does not know are shown as ?
            stream.reconfigure(errors="replace")
    try:
        with saying_what_is_not_written():
            app(prog_name="lookalike")
    except KeyboardInterrupt:
        sys.exit(130)
