"""For `make docs`: writes the page `reference.md`, an entry for every public name, from signatures and docstrings.

Docstrings describe arguments as `name: text`, or `a, b: text`, at the start of a line or of a sentence; lines indented
below go on. `#:` after or above a field of a class describes the field. Examples are doctests.
"""

from __future__ import annotations

import ast
import doctest
import inspect
import re
import textwrap
from collections.abc import Iterator
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum
from functools import cache, cached_property
from typing import Any

import lookalike as la

#: Arguments that mean the same wherever they occur.
SHARED = {
    "people": "The table, or a frame with what `la.table` says about its columns.",
    "models": "The promises, such as `la.KAnonymity(10)`.",
    "quasi": "The quasi-identifiers; those of the table unless given.",
    "sensitive": "The sensitive columns; those of the table unless given.",
    "release": "What `la.anonymize` returned, or the folder it was saved in.",
    "seed": "The same seed gives the same result.",
    "progress": "True shows a bar; a function is called with the share done, from 0 to 1.",
    "overwrite": "Whether a folder that is there already may be replaced.",
    "path": "The file.",
    "folder": "The folder.",
}
TOPICS = {
    "Tables": "table read Table Role Kind Hierarchy with_population datasets.population datasets.population_groupings",
    "Understand columns": "inspect Inspection linked_columns Link measure minimal_quasi search_quasi select_metrics "
    "score_recognition Fitness LinearFitness discover_graph QuasiSelector recognition_scorer",
    "Risk": "risk Risk levels Levels special_uniques semantic_risk SemanticRisk Scale Context",
    "Privacy models": "Model KAnonymity LDiversity TCloseness KLCloseness AlphaK BetaLikeness DeltaDisclosure "
    "DirectionalDiversity DeltaPresence KMap AverageRisk SampleUniqueness",
    "Make a release": "anonymize Release Outcome Recoding apply NextRelease anonymize_in_parts PartedRelease "
    "Anonymizer interact Dialogue deidentify pseudonymise Pseudonyms Key",
    "Check and sign": "verify Verification sign generate_signing_key read_release",
    "Is it still good?": "evaluate Evaluation loss Losses Question Answer read_questions choose_k ChosenK",
    "Attacks": "attack Attacks attack_explanations attack_membership",
    "Whole runs": "prepare Recipe run Run",
    "Explanations": "KAnonymousExplainer Explanation Wording study_explanations ExplanationStudy",
    "Errors and warnings": "LookalikeError RequestError ColumnError HierarchyError UnseenValues FileError "
    "GuaranteeError LinkedColumnError MissingExtra LookalikeWarning",
}


@dataclass(frozen=True)
class Row:
    """A line of a table: an argument or a field."""

    name: str
    kind: str
    text: str
    default: str = ""


@dataclass(frozen=True)
class Entry:
    """A public name with what its signature and docstring say."""

    name: str
    thing: Any
    owner: type | None = None  #: the class of a method

    @cached_property
    def parameters(self) -> dict[str, inspect.Parameter]:
        """The arguments; of a class, those of its constructor."""
        try:
            found = inspect.signature(self.thing).parameters
        except ValueError:  # errors that take what every exception takes
            return {}
        return {name: each for name, each in found.items() if name not in ("self", "cls")}

    @cached_property
    def _parts(self) -> tuple[str, dict[str, str], str]:
        """Text, arguments, examples."""
        document = inspect.getdoc(inspect.unwrap(self.thing)) or ""
        text, examples = "", ""
        for part in doctest.DocTestParser().parse(document):
            if isinstance(part, doctest.Example):
                first, *rest = part.source.rstrip().split("\n")
                lines = [f">>> {first}", *(f"... {line}" for line in rest)]
                examples += (
                    "\n".join([*lines, *part.want.rstrip().split("\n")] if part.want else lines) + "\n"
                )
            else:
                text += part
        text = re.sub(r"^Examples:\s*\Z", "", text.rstrip() + "\n", flags=re.MULTILINE)
        return *self._described(text), examples

    def _described(self, text: str) -> tuple[str, dict[str, str]]:
        """The text without the descriptions of arguments, and these by name."""
        starts = [
            (at.start(), at.end(), names)
            for at in re.finditer(r"(?:^|(?<=[.;)] ))(\w+(?:, \w+)*): (?=\S)", text, re.MULTILINE)
            if (names := at[1].split(", ")) and all(name in self.parameters for name in names)
        ]
        described, kept, end = {}, "", 0
        ends = [*(start for start, _, _ in starts[1:]), len(text)] if starts else []
        for (start, body, names), limit in zip(starts, ends, strict=True):
            kept += text[end:start]
            said = text[body:limit]
            # a paragraph, or a line that is not indented, ends what is said of the last argument of its line
            stop = re.search(r"\n\s*\n", said)
            end = body + (stop.start() if stop else len(said))
            words = " ".join(text[body:end].split()).rstrip(";")
            described |= dict.fromkeys(names, words[:1].upper() + words[1:])
        return re.sub(r"\n{3,}", "\n\n", kept + text[end:]).strip(), described

    @property
    def text(self) -> str:
        """What the docstring says besides arguments and examples."""
        return self._parts[0]

    @property
    def examples(self) -> str:
        """The doctests."""
        return self._parts[2]

    @cached_property
    def arguments(self) -> list[Row]:
        """Every argument; text is empty where nothing describes it."""
        own = {row.name: row.text for row in self.fields} | self._parts[1]
        if not isinstance(self.owner, type):
            own = SHARED | own
        return [
            Row(
                ("*" if each.kind is each.VAR_POSITIONAL else "**" if each.kind is each.VAR_KEYWORD else "")
                + name,
                _type(each.annotation),
                own.get(name, ""),
                _default(each.default),
            )
            for name, each in self.parameters.items()
        ]

    @cached_property
    def fields(self) -> list[Row]:
        """What a result or a value holds: fields and properties, members of an enumeration."""
        if not inspect.isclass(self.thing) or issubclass(self.thing, Exception):
            return []
        comments = {**self._parts[1], **_comments(self.thing), **_parameters(self.thing)}
        if issubclass(self.thing, Enum):
            return [Row(each.name, repr(each.value), comments.get(each.name, "")) for each in self.thing]
        rows = []
        if is_dataclass(self.thing):
            rows += [
                Row(each.name, _type(each.type), comments.get(each.name, ""))
                for each in fields(self.thing)
                if not each.name.startswith("_")
            ]
        for name, member in _members(self.thing):
            if isinstance(member, property | cached_property):
                getter = member.fget if isinstance(member, property) else member.func
                summary = " ".join((inspect.getdoc(member) or "").split("\n\n")[0].split())
                rows.append(Row(name, _type(inspect.signature(getter).return_annotation), summary))
        return rows

    @cached_property
    def methods(self) -> list[Entry]:
        """The public methods, constructors among them."""
        if not inspect.isclass(self.thing):
            return []
        if issubclass(self.thing, la.Model) and self.thing is not la.Model:
            return []  # a caller makes a model; its methods are for those who measure by it
        return [
            Entry(f"{self.name}.{name}", getattr(self.thing, name), self.thing)
            for name, member in _members(self.thing)
            if callable(getattr(self.thing, name)) and not isinstance(member, property | cached_property)
        ]

    @property
    def is_made(self) -> bool:
        """Whether a caller makes it: functions are called, results come from other calls."""
        if not inspect.isclass(self.thing):
            return True
        if issubclass(self.thing, Enum | Exception) or not self.parameters:
            return False
        optional = all(each.default is not each.empty for each in self.parameters.values())
        return optional or bool(self._parts[1]) or not sources(self.name)

    @property
    def is_constructor(self) -> bool:
        """Whether a method makes something without having one of its kind."""
        name = self.name.rpartition(".")[2]
        return any(
            isinstance(vars(each).get(name), staticmethod | classmethod) for each in self.owner.__mro__
        )

    @property
    def returns(self) -> str:
        """The type of what a call gives."""
        return "" if inspect.isclass(self.thing) else _type(inspect.signature(self.thing).return_annotation)

    def signature(self) -> str:
        """The call with types, an argument per line where it is long."""
        parts, starred = [], False
        for name, each in self.parameters.items():
            if each.kind is each.KEYWORD_ONLY and not starred:
                parts.append("*")
                starred = True
            starred = starred or each.kind is each.VAR_POSITIONAL
            star = "*" if each.kind is each.VAR_POSITIONAL else "**" if each.kind is each.VAR_KEYWORD else ""
            kind = "" if each.annotation is each.empty else f": {_type(each.annotation)}"
            default = f" = {_default(each.default)}" if each.default is not each.empty else ""
            parts.append(f"{star}{name}{kind}{default}")
            if each.kind is each.POSITIONAL_ONLY:
                parts.append("/")
        returns = (
            "" if inspect.isclass(self.thing) else _type(inspect.signature(self.thing).return_annotation)
        )
        returns = f" -> {returns}" if returns else ""
        line = f"{self.name}({', '.join(parts)}){returns}"
        if len(line) <= 100:
            return line
        return f"{self.name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){returns}"

    def markdown(self, level: int = 3) -> Iterator[str]:
        """Heading, signature, text, tables, examples, methods."""
        yield f"{'#' * level} {self.name} {{#la.{self.name}}}\n"
        if self.is_made:
            yield f"```python\n{self.signature()}\n```\n"
        elif origins := sources(self.name):
            yield f"*From {', '.join(f'`la.{each}`' for each in origins)}.*\n"
        yield f"{self.text}\n"
        described = [row for row in self.arguments if row.text]
        if self.is_made and described:
            yield _table(("argument", "type", "default", "what it is"), described)
        told = set(self.parameters) if self.is_made else set()
        if shown := [row for row in self.fields if row.name not in told | self._inherited]:
            yield _table(("field", "type", "what it is"), shown)
        if self.examples:
            yield f"```pycon\n{self.examples}```\n"
        for method in self.methods:
            if method.name.rpartition(".")[2] not in self._inherited:
                yield from method.markdown(level + 1)

    @cached_property
    def _inherited(self) -> set[str]:
        """Names that another public class explains."""
        bases = [each for each in getattr(self.thing, "__mro__", ())[1:] if each.__name__ in la.__all__]
        return {row.name for base in bases for row in Entry(base.__name__, base).fields} | {
            name for base in bases for name, _ in _members(base)
        }


def entries() -> list[Entry]:
    """Every public name, in the order of the page."""
    return [Entry(name, _look_up(name)) for names in TOPICS.values() for name in names.split()]


def page() -> str:
    """The entries, topic by topic."""
    lines = []
    for topic, names in TOPICS.items():
        lines.append(f"## {topic}\n")
        for name in names.split():
            lines += Entry(name, _look_up(name)).markdown()
    return "\n".join(lines)


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Append the entries to the page `reference.md`."""
    return f"{markdown}\n{globals()['page']()}" if page.file.src_uri == "reference.md" else markdown


@cache
def sources(name: str) -> tuple[str, ...]:
    """Where a class comes from, so that nobody has to make one: calls, constructors of its own, or fields of others."""
    word = re.compile(rf"\b{name}\b")
    functions = [each for each in entries() if not inspect.isclass(each.thing)]
    classes = [each for each in entries() if inspect.isclass(each.thing)]
    own = [
        method for each in classes if each.name == name for method in each.methods if method.is_constructor
    ]
    others = [method for each in classes if each.name != name for method in each.methods]
    for calls in (functions, own, others):
        if given := [each.name for each in calls if word.search(each.returns)]:
            return tuple(given)
    return tuple(
        f"{each.name}.{row.name}" for each in classes for row in each.fields if word.search(row.kind)
    )


def _look_up(name: str) -> Any:
    thing: Any = la
    for part in name.split("."):
        thing = getattr(thing, part)
    return thing


def _members(kind: type) -> list[tuple[str, Any]]:
    """Public members of a class and of those it comes from, ours alone, each once."""
    found: dict[str, Any] = {}
    for each in kind.__mro__:
        if each.__module__.startswith("lookalike"):
            for name, member in vars(each).items():
                if not name.startswith("_"):
                    found.setdefault(name, member)
    return list(found.items())


def _comments(kind: type) -> dict[str, str]:
    """What `#:` says after or above each field of a class."""
    said: dict[str, str] = {}
    for each in reversed(kind.__mro__):
        if not each.__module__.startswith("lookalike"):
            continue
        source = textwrap.dedent(inspect.getsource(each))
        lines = source.splitlines()
        for node in ast.parse(source).body[0].body:  # type: ignore[attr-defined]
            target = node.target if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [None])[0]
            if not isinstance(target, ast.Name) or node.end_lineno is None:
                continue
            text = "".join(line.partition("#: ")[2] for line in lines[node.lineno - 1 : node.end_lineno])
            if not text:
                above = []
                for line in reversed(lines[: node.lineno - 1]):
                    if not line.strip().startswith("#: "):
                        break
                    above.insert(0, line.strip()[3:])
                text = " ".join(above)
            if text:
                said[target.id] = text[:1].upper() + text[1:]
    return said


def _parameters(kind: type) -> dict[str, str]:
    """What a privacy model says about its parameters."""
    said = kind.parameters() if issubclass(kind, la.Model) else {}
    return {name: one.about[:1].upper() + one.about[1:] for name, one in said.items() if one.about}


def _type(annotation: Any) -> str:
    if annotation is inspect.Parameter.empty:
        return ""
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def _default(value: Any) -> str:
    if value is inspect.Parameter.empty:
        return ""
    if isinstance(value, MISSING.__class__) or "factory" in repr(value):
        return "..."
    return str(value) if inspect.isclass(value) else repr(value) if len(repr(value)) < 60 else "..."


def _table(heads: tuple[str, ...], rows: list[Row]) -> str:
    def cell(text: str) -> str:
        return " ".join(text.split()).replace("|", "\\|")

    lines = [f"| {' | '.join(heads)} |", "| --- " * len(heads) + "|"]
    for row in rows:
        default = [f"`{cell(row.default)}`" if row.default else ""] if "default" in heads else []
        kind = f"`{cell(row.kind)}`" if row.kind else ""
        text = cell(row.text) + ("" if row.text.endswith((".", "?")) else ".")
        lines.append(f"| {' | '.join([f'`{row.name}`', kind, *default, text])} |")
    return "\n".join(lines) + "\n"
