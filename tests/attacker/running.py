"""Attacks, each from one number: what they have in common, and the main one, a random job run and checked.

An attack yields a sentence for everything that is wrong, and counts what it did.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import shutil
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import lookalike as la
from attacker import jobs
from attacker.checking import leaks, problems
from attacker.jobs import Job
from verifier.editing import edits, slips_through

Attack = Callable[[int, Path, Counter[str]], Iterator[str]]
REFUSED = (la.GuaranteeError, la.RequestError)


@dataclass
class Tally:
    """What was done, and what fell: a line per failure with the number that brings it back."""

    done: Counter[str] = field(default_factory=Counter)
    fell: list[str] = field(default_factory=list)

    def fall(self, attack: str, seed: int, what: str) -> None:
        """Note a failure."""
        self.fell.append(f"{attack} {seed}: {what}")


@contextlib.contextmanager
def overheard() -> Iterator[io.StringIO]:
    """All that is written to the terminal, and every warning."""
    said = io.StringIO()
    with warnings.catch_warnings(record=True) as warned, contextlib.redirect_stdout(said):
        warnings.simplefilter("always")
        with contextlib.redirect_stderr(said):
            yield said
    said.write("\n".join(str(one.message) for one in warned))


def attempt(name: str, attack: Attack, seed: int, tally: Tally) -> None:
    """Run one attack in a folder of its own; an exception nobody meant is a fall, and so is a panic."""
    folder = Path(tempfile.mkdtemp(prefix="attacker-"))
    try:
        for what in dict.fromkeys(attack(seed, folder, tally.done)):
            tally.fall(name, seed, what)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as problem:
        last = traceback.extract_tb(problem.__traceback__)[-1]
        tally.fall(
            name, seed, f"{type(problem).__name__} at {Path(last.filename).name}:{last.lineno}: {problem}"
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def job(seed: int, folder: Path, done: Counter[str]) -> Iterator[str]:
    """A random job: refused in words, or a release that the checker and `verify` find whole, and edits of it found."""
    made = jobs.make(seed)
    done["tables"] += 1
    try:
        with overheard() as said:
            people = made.table(folder)
            release = la.anonymize(people, *made.models, population=made.population(), **made.options)
            release.save(folder / "out", **made.save)
            shown = [str(release), repr(release), str(people), repr(people), json.dumps(release.to_dict())]
    except REFUSED as refusal:
        done["refusals"] += 1
        yield from leaks(made.case, str(refusal))
        return
    done["releases"] += 1
    done[f"releases by {made.case.method}"] += 1
    for promise in made.case.promises:
        done[f"releases of {promise['model']}"] += 1
    yield from problems(made.case, folder / "out", said="\n".join([said.getvalue(), *shown]))
    yield from _frame_agrees(made, release)
    yield from _verified(made, folder, done)
    if seed % 8 == 0 and made.options["method"] != "sangreea":
        yield from _same_bytes(made, folder)


def _frame_agrees(made: Job, release: la.Release) -> Iterator[str]:
    frame = release.frame
    kind = type(frame).__module__.split(".")[0]
    wanted = {"csv": "polars", "parquet": "polars", "pandas categories": "pandas"}.get(made.frame, made.frame)
    if kind != wanted:
        yield f"a {kind} frame came back for a {made.frame} one"
    if len(frame) != release.rows.height:
        yield "the frame has other rows than the release"


def _verified(made: Job, folder: Path, done: Counter[str]) -> Iterator[str]:
    out = folder / "out"
    result = la.verify(out / "release.csv", out / "certificate.json", allow_unknown=True)
    if not result.ok:
        bad = [f"{one.check}: {one.message}" for one in result.findings if one.ok is False]
        yield f"verify does not pass an honest release: {bad}"
    yield from leaks(made.case, str(result)) if made.case.stars else ()
    copy = folder / "copy.json"
    original = json.loads((out / "certificate.json").read_text(encoding="utf-8"))
    copy.write_text(json.dumps(original))
    if not la.verify(out / "release.csv", copy).ok:
        return  # not all of it can be known, so that edits cannot make it worse
    for where, value in random.Random(made.seed).sample(list(edits(original)), 2):
        done["edits"] += 1
        if slips_through(out / "release.csv", copy, original, where, value):
            yield f"an edit of {where} to {value!r} is not found"


def _same_bytes(made: Job, folder: Path) -> Iterator[str]:
    """The same job with its rows in another order gives the same file."""
    rows = list(made.case.rows)
    random.Random(made.seed).shuffle(rows)
    again = jobs.as_table(rows, made.roles, made.frame, folder)
    with overheard():
        release = la.anonymize(again, *made.models, population=made.population(), **made.options)
        release.save(folder / "again", **made.save)
    if (folder / "again" / "release.csv").read_bytes() != (folder / "out" / "release.csv").read_bytes():
        yield "rows in another order give another release"
