"""`run`: a recipe carried out from the file to the folder that goes out: read, blur, ask, attack, report, save."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from lookalike.anonymizers.anonymization import anonymize
from lookalike.anonymizers.applying import apply
from lookalike.anonymizers.linked import what_choices_mean
from lookalike.anonymizers.next_release import NextRelease
from lookalike.base.checks import checked, path
from lookalike.base.errors import (
    ColumnError,
    FileError,
    LinkedColumnError,
    NothingToFollow,
    RequestError,
    warn,
)
from lookalike.base.progress import Progress
from lookalike.measures.attacks.attacking import attack
from lookalike.measures.attacks.results import Attacks
from lookalike.measures.utility.evaluation import evaluate
from lookalike.measures.utility.questions.answers import Answer
from lookalike.measures.utility.questions.question import Question
from lookalike.recodings.files import RECODING
from lookalike.recognition.units import whose_are_known
from lookalike.releases.recipes.recipe import Recipe
from lookalike.releases.recipes.toml import write_key
from lookalike.releases.release import Release
from lookalike.runs.agreeing import refuse_contradictions, said_of
from lookalike.runs.verdict import ReleaseVerdict, judge
from lookalike.tables.columns.roles import WORDS, Role
from lookalike.tables.engines.opening import is_elsewhere
from lookalike.tables.hierarchies import Hierarchy
from lookalike.tables.intake import open_there, read, table
from lookalike.tables.table import Table


@dataclass(frozen=True, eq=False)
class Run:
    """What a run made: the release, its answers and attacks, and the folder where all of it lies.

    Examples:
        >>> import lookalike as la
        >>> frame = la.datasets.population(200, seed=1).select("age", "gender", "income")
        >>> run = la.run(la.prepare(frame), source=frame, output="out")
        >>> run.folder.name, run.attacks is None
        ('out', False)
    """

    recipe: Recipe  #: the recipe that was carried out
    release: Release | NextRelease  #: the release
    answers: tuple[Answer, ...]  #: answers to its questions
    attacks: Attacks | None  #: results of the attacks; None where none were asked for
    folder: Path | None  #: where everything was saved; None without `output`

    @property
    def verdict(self) -> ReleaseVerdict:
        """Whether the release may be handed over, and what speaks against it."""
        return judge(self.recipe, self.release, self.attacks)

    def __repr__(self) -> str:
        where = "" if self.folder is None else f" in {self.folder}"
        return f"Run({self.release!r}{where})"


@checked
def run(
    recipe: str | Path | Recipe,
    *,
    source: Any = None,
    following: Any = None,
    joins: bool = False,
    output: str | Path | None = None,
    overwrite: bool = False,
    anywhere: bool = False,
    progress: Progress = False,
) -> Run:
    """Carry out a recipe, and save everything in the folder `output` where one is given.

    source: a frame, or a table that was read already, instead of the file that the recipe names.
    following: next month's rows, a frame or a file, recoded as the release was whose private folder holds the recipe.
    joins: these rows are counted, and published, together with that release.
    anywhere: paths in the recipe may lead out of its folder.
    recipe: a recipe, or its file. output: a new folder.

    Examples:
        >>> import lookalike as la
        >>> frame = la.datasets.population(200, seed=1).select("age", "gender", "income")
        >>> run = la.run(la.prepare(frame), source=frame)
        >>> run.release.k
        5
    """
    steps = recipe if isinstance(recipe, Recipe) else Recipe.load(path(recipe, "recipe"), anywhere=anywhere)
    if following is not None:
        return _go_on(steps, following, joins, output, overwrite)
    refuse_contradictions(steps)
    people = open_people(steps, source)
    if not people.in_memory and steps.questions:
        raise RequestError(
            "questions need the rows in memory: leave `engine` out of the recipe, or the questions."
        )
    known = whose_are_known(people)
    release = _with_left_out(
        _blur(known, steps, progress), 0 if known is people else len(people) - len(known)
    )
    people = known
    answers: tuple[Answer, ...] = ()
    if steps.questions:
        asked = [Question(**question) for question in steps.questions]
        answers = evaluate(people, release, targets=[], questions=asked, progress=progress).questions
    attacks = None
    if steps.attacks.get("run"):
        attacks = attack(people, release, only=steps.attacks.get("only"), progress=progress)
        attacks = _with_unknown(attacks, steps)
    if output is not None:
        release = complete(release, steps, answers, attacks)
        release.save(output, overwrite=overwrite, **steps.output)
    return Run(steps, release, answers, attacks, None if output is None else Path(output))


def _with_left_out(release: Release, rows: int) -> Release:
    """The release, of a table of so many more rows that do not say whose they are: these were left out, too."""
    if not rows:
        return release
    records = release.records + rows

    def beside(loss: float) -> float:
        return (loss * release.records + rows) / records

    return replace(
        release,
        records=records,
        suppressed=release.suppressed + rows,
        loss=beside(release.loss),
        ncp=beside(release.ncp),
    )


def _with_unknown(attacks: Attacks, steps: Recipe) -> Attacks:
    """The attacks; where none was tried on values, the columns that nobody has decided about are named."""
    unknown = [name for name, column in steps.columns.items() if column.unknown and not column.drop]
    if not unknown:
        return attacks
    words = (
        f"no column is called sensitive. Nothing says what these are, and some may be: {', '.join(unknown)}; "
        'write role = "sensitive" in the recipe to have it tried'
    )
    return replace(attacks, skipped={**attacks.skipped, **dict.fromkeys(attacks.without_values, words)})


def complete(
    release: Release, recipe: Recipe, answers: Sequence[Answer] = (), attacks: Attacks | None = None
) -> Release:
    """The release with all that was asked of it: its report tells what was found, its recipe makes it again."""
    grown = recipe if release.request is None else replace(recipe, hierarchies=release.request.hierarchies)
    return replace(
        release,
        answers=[one.to_dict() for one in answers],
        request=grown,
        **({} if attacks is None else attacks.told),
    )


def _blur(people: Table, steps: Recipe, progress: Progress) -> Release:
    """The release; a column that followed one which somebody has left out since is left out with it."""
    asked = arguments(steps)
    while True:
        try:
            return anonymize(people, *steps.promises, progress=progress, **asked)
        except NothingToFollow as lost:
            warn(
                f"column {lost.column!r} follows a quasi-identifier that is not there any more, so it is left out as "
                f'well. To publish it as it is, write linked = "accept" under [columns.{write_key(lost.column)}].'
            )
            asked["linked"] = {**asked["linked"], lost.column: "drop"}
        except LinkedColumnError as refused:
            raise LinkedColumnError(_where_to_say(refused), refused.found, refused.columns) from None


def _where_to_say(refused: LinkedColumnError) -> str:
    """What undoes the release, and the lines of the recipe that decide about it."""
    lines = [
        f'under [columns.{write_key(name)}] linked = "{choice}"' for name, choice in refused.columns.items()
    ]
    return f"{refused.found} Decide in the recipe, such as {', '.join(lines)} ({what_choices_mean()})."


def _go_on(steps: Recipe, following: Any, joins: bool, output: str | Path | None, overwrite: bool) -> Run:
    """Recode new rows as the release that was made by this recipe; a promise that breaks is refused."""
    if not (steps.folder / Path(RECODING).name).is_file():
        raise FileError(
            f"{steps.folder}: holds no release's recipe. Next month's rows are recoded as a release was: run the "
            "recipe first, then the one in private/ of its folder with the new rows."
        )
    if isinstance(following, str | Path) and "engine" not in steps.source:
        how = {key: value for key, value in steps.source.items() if key not in ("file", "unit", "weight")}
        new = read(following, others=[], **how)
        following = new.rows if new.in_memory else following
    release = apply(steps.folder.parent, following, joins=joins, memory=steps.source.get("memory"))
    if output is not None:
        release.save(output, overwrite=overwrite, **steps.output)
    return Run(steps, release, (), None, None if output is None else Path(output))


def open_people(recipe: Recipe, source: Any = None) -> Table:
    """The table that a recipe describes; every column of it must be in the recipe, and the other way round."""
    how = dict(recipe.source)
    roles = {
        "identifiers": [n for n, c in recipe.columns.items() if c.role is Role.IDENTIFIER],
        "quasi": recipe.having(Role.QUASI),
        "sensitive": recipe.having(Role.SENSITIVE),
        "targets": recipe.having(Role.TARGET),
        "others": recipe.having(Role.OTHER) + _left_out(recipe),
    }
    named: dict[str, Any] = {
        "types": {n: c.type for n, c in recipe.columns.items() if c.type is not None},
        "hierarchies": {
            n: h
            for n, c in recipe.columns.items()
            if not c.drop and (h := recipe.hierarchy_of(n)) is not None
        },
    }
    file = how.pop("file", None)
    make: Callable[..., Table] = table
    if source is None and file is not None:
        there = recipe.folder / file
        if how.pop("engine", None) or is_elsewhere(
            there
        ):  # each file of a pattern or a folder must lie inside
            make, source = partial(open_there, within=recipe.within), there
        else:
            make, source = read, recipe.path_of(file)
    elif source is not None:
        how = {key: value for key, value in how.items() if key in ("na", "unit", "weight")}
    if source is None:
        raise ColumnError("the recipe names no file: give the table as `source`.")
    if isinstance(source, Table):
        people = _described(source, roles, **named, **how)
    else:
        people = make(source, **roles, **named, **how)
    strange = [name for name in people.names if name not in recipe.columns]
    if strange:
        raise ColumnError(
            f"the table has a column {strange[0]!r} that the recipe does not speak of. Give it a role: "
            f"a section [columns.{strange[0]}] with role = ..., so that nothing goes out undecided."
        )
    return people


def _described(
    people: Table,
    roles: Mapping[str, Sequence[str]],
    *,
    types: Mapping[str, Any],
    hierarchies: Mapping[str, Hierarchy],
    na: Sequence[str] = ("?",),
    unit: str | None = None,
    weight: str | None = None,
) -> Table:
    """A table that was read already, as the recipe describes it; what is known of its columns is kept."""
    if weight != people.weight:
        raise RequestError("`source`: the table was read with another `weight` than the recipe names.")
    if tuple(na) != people.na:
        people = people.with_na(na)
    if changed := {name: kind for name, kind in types.items() if people.kinds.get(name) != kind}:
        people = people.with_kinds(changed)
    given = {name: WORDS[word] for word, names in roles.items() for name in names}
    return people.with_roles(**given).with_unit(unit).with_hierarchies(hierarchies)


def _left_out(recipe: Recipe) -> list[str]:
    """What is left out though it names nobody; a table in which it is quasi would count it."""
    return [n for n, c in recipe.columns.items() if c.drop and c.role is not Role.IDENTIFIER]


def arguments(recipe: Recipe) -> dict[str, Any]:
    """What a recipe says about the method, as `anonymize` takes it."""
    method = dict(recipe.method)
    options = method.pop("options", {})
    if "name" in method:
        method["method"] = method.pop("name")
    keys = {"weights": "weight", "linked": "linked", "numbers": "numbers", "rounding": "round"}
    per_column: dict[str, Any] = {
        argument: {n: getattr(c, key) for n, c in recipe.columns.items() if said_of(c, key)}
        for argument, key in keys.items()
    }
    per_column["drop"] = _left_out(recipe)
    return {**method, **{key: value for key, value in per_column.items() if value}, **options}
