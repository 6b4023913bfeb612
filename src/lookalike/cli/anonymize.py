"""`lookalike anonymize`: a file in, a folder out that holds the release, its certificate and its recoding."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from lookalike.base.errors import RequestError
from lookalike.cli._options import File, Json, asks, option
from lookalike.cli._promises import HowOptions, PromiseOptions, how_option
from lookalike.cli._reading import COUNTED, FILE, HIERARCHIES, KNOWN, PeopleOptions
from lookalike.cli._saving import PseudonymOptions, SavingOptions
from lookalike.cli._semantic import ScaleOptions, semantic_option
from lookalike.cli._typed import split_levels

_method = partial(option, panel="Of single methods")


@dataclass(frozen=True, kw_only=True)
class MethodOptions(ScaleOptions):
    """The method, and the options that only some methods have."""

    method: str = how_option(
        "auto (local, or optimal where that cannot keep the promise), optimal (one rule for all rows), local, "
        "mondrian, datafly, sangreea, semantic or levels.",
        default="auto",
    )
    loss: str | None = _method("Optimal: what it minimises, loss, ncp, discernibility, …")
    seconds: float | None = _method("Optimal, local: time limit of the search.")
    relaxed: bool = _method("Mondrian: may part equal records.", default=False)
    publish: str | None = _method(
        "Local: meaning (ranges, values of one group or the group), sets (any values), hierarchy (nodes)."
    )
    levels: dict[str, int] = _method(
        "Levels: how far up its hierarchy each column goes, age=2,zip=1 (0 where not named).",
        metavar="COLUMN=LEVEL,…",
        parse=split_levels,
    )
    semantic_threshold: float | None = semantic_option("The largest semantic risk to release.")
    forget: int | None = semantic_option("Attributes to leave out, at most, before any record.", min=0)

    def for_library(self) -> dict[str, Any]:
        """The options that were typed, as `la.anonymize` takes them; one of another method is refused."""
        from lookalike.anonymizers.methods import AUTO, METHODS

        typed = {
            "loss": ("--loss", self.loss),
            "seconds": ("--seconds", self.seconds),
            "strict": ("--relaxed", False if self.relaxed else None),
            "output": ("--publish", self.publish),
            "levels": ("--levels", self.levels or None),
            "scales": ("--scale", self.scale or None),
            "uncovered": ("--uncovered", self.uncovered),
            "threshold": ("--semantic-threshold", self.semantic_threshold),
            "forget": ("--forget", self.forget),
        }
        given = {name: (flag, value) for name, (flag, value) in typed.items() if value is not None}
        asked = AUTO if self.method == "auto" else (self.method,)
        for name, (flag, _) in given.items():
            fitting = [method for method, known in METHODS.items() if name in known.options]
            if self.method in (*METHODS, "auto") and not set(asked) & set(fitting):
                raise RequestError(
                    f"{flag} goes with --method {' or '.join(fitting)}, not with {self.method}."
                )
        if self.method == "levels" and "levels" not in given:
            raise RequestError(
                "--method levels takes the levels from --levels, such as --levels age=2,zip=1."
            )
        return {name: value for name, (_, value) in given.items()}


def anonymize(
    file: File,
    table: Annotated[
        PeopleOptions,
        asks(*KNOWN, "sensitive", "identifiers", "targets", "others", "unit", *HIERARCHIES, *FILE, *COUNTED),
    ],
    promise: PromiseOptions,
    how: HowOptions,
    method: MethodOptions,
    pseudonyms: PseudonymOptions,
    saving: SavingOptions,
    population: Path | None = option(
        "A file of everybody, with the same columns, for promises that speak about a population.",
        panel="What is promised",
    ),
    stars: bool = how_option("Keep suppressed records as stars.", default=False),
    seed: int = how_option("Same seed, same bytes (but for --seconds).", default=0, min=0),
    json: Json = False,
) -> None:
    """Make a release in which nobody stands out, losing as little as possible.

    The folder holds release.csv and certificate.json, which anybody can check with `lookalike verify`, and private/,
    which only you can read and which stays with you: its recoding.json recodes next month's rows the same way.

        lookalike anonymize people.csv --quasi age,sex,zip -k 10 -o out/
        lookalike anonymize people.csv -q age,sex,zip -s disease -k 10 -l disease=3 --drop name -o out/
        lookalike anonymize people.csv -q age,sex,zip -k 10 --method local --suppression 0 -o out/
        lookalike anonymize people.csv --roles auto --quasi=+zip,-year -k 10 -l all=2 -o out/
    """
    import lookalike as la

    saving.check()
    if pseudonyms.key is not None and not pseudonyms.pseudonym:
        raise RequestError("--key is for pseudonyms: say with --pseudonym which columns they are made from.")
    options = method.for_library()
    if not promise and method.method != "semantic":
        raise RequestError(
            "say what to promise: -k 10, -l disease=3, -t disease=0.2, --promise 'beta=1 of disease', or several."
        )
    people = table.read(file, dropped=how.drop)
    # what is left out need not name anybody
    naming = (*(table.identifiers or ()), *pseudonyms.pseudonym, people.unit)
    dropped = [name for name in how.drop if name not in naming]
    release = la.anonymize(
        people.with_roles(**dict.fromkeys(dropped, "other")),
        *promise.models(people),
        method=method.method,
        suppression=how.suppression,
        weights=how.weights,
        linked=how.linked,
        pseudonyms=pseudonyms.make(people),
        drop=dropped,
        suppressed="star" if stars else "drop",
        population=None if population is None else table.only_file().read(population),
        seed=seed,
        progress=not json,
        **options,
    )
    saving.save(release, json=json)
