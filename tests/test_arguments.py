"""Whatever is passed to a public verb in whichever place, it works or is refused in a sentence of ours."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import lookalike as la


class Odd:
    """Something nobody expects."""


ODD = [Odd(), 3, -1, 2.5, float("nan"), "zz", "", True, None, [1], ["zz"], {"zz": 1}, {"a": Odd()}, {1: 2}]
ODD += [b"x", [[1]], 10**20, ("a",)]
FRAME = pl.DataFrame(
    {"a": [1, 1, 2, 2, 3, 3, 4, 4], "b": list("xxyyxxyy"), "s": list("pqpqpqpq"), "i": list("abcdefgh")}
)
ROLES: dict[str, Any] = {"identifiers": ["i"], "quasi": ["a", "b"], "sensitive": ["s"], "others": []}
PEOPLE = la.table(FRAME, **ROLES)
RELEASE = la.anonymize(PEOPLE, la.KAnonymity(2), seed=1)
ROW = {"a": 1, "b": "x", "s": "p"}
EXPLAINER = la.KAnonymousExplainer(lambda rows: [int(a > 2) for a in rows["a"]], PEOPLE, k=2)
ASKED = la.Question("mean", of="a")
CALLS: dict[str, tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = {
    "table": (la.table, (FRAME,), ROLES),
    "read": (la.read, ("people.csv",), ROLES),
    "inspect": (la.inspect, (PEOPLE,), {}),
    "risk": (la.risk, (PEOPLE,), {}),
    "semantic_risk": (la.semantic_risk, (PEOPLE,), {}),
    "special_uniques": (la.special_uniques, (PEOPLE,), {}),
    "levels": (la.levels, (PEOPLE,), {}),
    "linked_columns": (la.linked_columns, (PEOPLE,), {}),
    "with_population": (la.with_population, (PEOPLE, FRAME), {}),
    "anonymize": (la.anonymize, (PEOPLE, la.KAnonymity(2)), {"method": "optimal"}),
    "pseudonymise": (la.pseudonymise, (PEOPLE, ["i"]), {}),
    "deidentify": (la.deidentify, (PEOPLE,), {"levels": {"a": 1}, "k": 2}),
    "interact": (la.interact, (PEOPLE,), {"k": 2}),
    "choose_k": (la.choose_k, (PEOPLE,), {"ks": [2], "questions": [ASKED]}),
    "apply": (la.apply, ("out", FRAME), {}),
    "verify": (la.verify, ("out/release.csv", "out/certificate.json"), {}),
    "evaluate": (la.evaluate, (PEOPLE, RELEASE), {"targets": [], "questions": [ASKED]}),
    "loss": (la.loss, (PEOPLE, RELEASE), {}),
    "attack": (la.attack, (PEOPLE, RELEASE), {"only": ["linkage"]}),
    "attack_explanations": (la.attack_explanations, ([EXPLAINER.explain(ROW)], PEOPLE), {}),
    "measure": (la.measure, (PEOPLE, "distinction"), {"quasi": ["a"]}),
    "search_quasi": (la.search_quasi, (PEOPLE,), {}),
    "minimal_quasi": (la.minimal_quasi, (PEOPLE,), {"threshold": 0.9}),
    "select_metrics": (la.select_metrics, (PEOPLE,), {"size": 2}),
    "score_recognition": (la.score_recognition, (["a"], ["a"], ["a", "b"]), {}),
    "prepare": (la.prepare, ("people.csv",), {}),
    "run": (la.run, ("recipe.toml",), {}),
    "read_release": (la.read_release, ("out",), {}),
    "save": (RELEASE.save, ("again",), {"overwrite": True}),
    "report": (RELEASE.report, ("report.html",), {}),
    "KAnonymousExplainer": (la.KAnonymousExplainer, (EXPLAINER.outcomes.model, PEOPLE), {"k": 2}),
    "explain": (EXPLAINER.explain, (ROW,), {}),
    "explain_in_several_ways": (EXPLAINER.explain_in_several_ways, (ROW,), {"alternatives": 2}),
    "population": (la.datasets.population, (10,), {}),
    "Fitness": (la.Fitness, (), {}),
}


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    FRAME.write_csv("people.csv")
    RELEASE.save("out")
    la.prepare("people.csv").save("recipe.toml")


def refusal(verb: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]) -> str:
    """What is said of a call; a full stop where it works."""
    try:
        verb(*args, **kwargs)
    except la.LookalikeError as refused:
        return str(refused).rstrip()
    except Exception as wrong:
        return f"{type(wrong).__name__}: {wrong} (no error of ours)"
    return "."


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
def test_what_does_not_belong_is_refused_in_a_sentence(name: str) -> None:
    verb, args, kwargs = CALLS[name]
    verb(*args, **kwargs)
    for place, argument in enumerate(signature(verb).parameters.values()):
        if argument.kind is Parameter.VAR_KEYWORD or argument.name == "progress":
            continue
        for odd in ODD:
            given, named = list(args), dict(kwargs)
            if argument.kind is Parameter.VAR_POSITIONAL:
                given = [*args[:place], odd]
            elif place < len(args) and argument.kind is not Parameter.KEYWORD_ONLY:
                given[place] = odd
            else:
                named[argument.name] = odd
            said = refusal(verb, given, named)
            assert said.endswith("."), (argument.name, odd, said)
            assert " object at 0x" not in said, (argument.name, said)


def test_a_missing_argument_is_told_as_python_does() -> None:
    with pytest.raises(TypeError, match=r"deidentify\(\) missing 1 required keyword-only argument: 'levels'"):
        la.deidentify(PEOPLE, k=2)  # type: ignore[call-arg]


def test_warnings_point_at_the_line_that_called() -> None:
    with pytest.warns(la.LookalikeWarning, match="no role was given") as heard:
        la.table(FRAME, quasi=["a"])
    assert {Path(one.filename).name for one in heard} == {Path(__file__).name}
    with pytest.warns(la.LookalikeWarning, match="no roles were given") as heard:
        la.risk(la.datasets.population(50, seed=0))
    assert {Path(one.filename).name for one in heard} == {Path(__file__).name}
