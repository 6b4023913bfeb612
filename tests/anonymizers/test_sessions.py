"""The file of a dialogue: whatever is not exactly a saved dialogue is refused in one line, nothing raw comes out."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lookalike as la

QUASI = ["age", "gender", "area"]
PEOPLE = la.table(la.datasets.population(120, seed=3).select(QUASI), quasi=QUASI)


@pytest.fixture(scope="module")
def saved() -> str:
    dialogue = la.interact(PEOPLE, k=5, sliders={"age": 2}, seed=1)
    for answer in ("A", "B"):
        question = dialogue.ask()
        assert question is not None
        dialogue.answer(question, answer)
    return json.dumps(dialogue.to_dict())


def resumed(path: Path, content: str) -> la.Dialogue:
    path.write_text(content, encoding="utf-8")
    return la.interact(PEOPLE, resume=path)


def changed(saved: str, place: tuple[Any, ...], value: Any) -> str:
    """The file with another value in one place; `...` takes the key away."""
    written = json.loads(saved)
    inside = written
    for key in place[:-1]:
        inside = inside[key]
    if value is ...:
        del inside[place[-1]]
    else:
        inside[place[-1]] = value
    return json.dumps(written)


@pytest.mark.parametrize("content", ["", "null", "5", "[]", "{}", "\0", "[" * 100_000, '{"a":' * 100_000])
def test_a_file_of_another_kind_is_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(la.FileError, match="is not a saved dialogue"):
        resumed(tmp_path / "s.json", content)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_bytes(b"\xff\xfe{}")
    with pytest.raises(la.FileError, match="is not a saved dialogue"):
        la.interact(PEOPLE, resume=tmp_path / "s.json")


COST, NOW = ("answers", 0, "A", "cost"), ("answers", 1, "B", "now")


@pytest.mark.parametrize(
    ("place", "value"),
    [
        *((("format",), value) for value in (2, "3", None, ...)),
        *((("dialogue",), value) for value in ("x", None, [], {}, ...)),
        *((("quasi",), value) for value in (None, 5, [1, 2], ["age"], ...)),
        *((("answers",), value) for value in (None, "abc", [1], [None], {"a": 1}, ...)),
        *((("dialogue", "k"), value) for value in ("x", -1, 2.5, True, None, ...)),
        *((("dialogue", "rule"), value) for value in ("x", [], None, ...)),
        *((("dialogue", "seed"), value) for value in (-1, "x", 0.5, None, [1], ...)),
        *((("dialogue", "eta"), value) for value in ("x", 0, math.nan, math.inf, 1e308, None, ...)),
        *((("dialogue", "questions"), value) for value in (True, "x", None, ...)),
        *(
            (("dialogue", "sliders"), value)
            for value in ("x", [1], {"age": -1}, {"age": "1"}, {"zz": 1}, ...)
        ),
        *((("dialogue", word), "x") for word in ("zz", "people", "teach")),
        *((("answers", 0, "answer"), value) for value in ("C", ["A"], None, ...)),
        *((("answers", 0, "number"), value) for value in ("x", 2, None, ...)),
        *((("answers", 0, "record"), value) for value in (None, [], {}, ...)),
        *((("answers", 0, "record", "age"), value) for value in ({"x": 1}, 5, "\ud800", ...)),
        *((("answers", 0, "A", "records"), value) for value in (-5, 0, 5, 1.5, "1", True, ...)),
        *((COST, value) for value in ({}, None, [0, 0, 0], ...)),
        *(((*COST, "age"), value) for value in (math.nan, math.inf, 1e308, -0.5, "x", None, True, ...)),
        *((NOW, value) for value in ({}, None, [], ...)),
        *(((*NOW, "age"), value) for value in (5, [1], {}, ...)),
    ],
)
def test_a_wrong_value_in_any_place_is_refused(
    tmp_path: Path, saved: str, place: tuple[Any, ...], value: Any
) -> None:
    with pytest.raises(la.FileError, match=r"s\.json: "):
        resumed(tmp_path / "s.json", changed(saved, place, value))


def test_a_file_named_inside_the_settings_is_not_followed(tmp_path: Path, saved: str) -> None:
    other = tmp_path / "other.json"
    other.write_text(saved, encoding="utf-8")
    with pytest.raises(la.FileError, match="and nothing else"):
        resumed(tmp_path / "s.json", changed(saved, ("dialogue", "resume"), str(other)))


def test_columns_in_another_order_mean_the_same(tmp_path: Path, saved: str) -> None:
    record = json.loads(saved)["answers"][0]["record"]
    turned = resumed(
        tmp_path / "t.json", changed(saved, ("answers", 0, "record"), dict(reversed(record.items())))
    )
    assert turned.weights == resumed(tmp_path / "s.json", saved).weights


def places(written: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inside = written.items() if isinstance(written, dict) else enumerate(written)
    for key, value in inside:
        yield (*before, key)
        if isinstance(value, dict | list):
            yield from places(value, (*before, key))


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*QUASI, "k"]), inner),
    max_leaves=5,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_change_is_refused_or_leaves_a_dialogue_that_works(
    tmp_path: Path, saved: str, data: st.DataObject
) -> None:
    place = data.draw(st.sampled_from(list(places(json.loads(saved)))))
    value = data.draw(anything | st.just(...))
    try:
        dialogue = resumed(tmp_path / "s.json", changed(saved, place, value))
    except la.LookalikeError:
        return
    assert sum(dialogue.weights.values()) == pytest.approx(1)
    dialogue.ask()
    assert all(str(question) for question, _ in dialogue.answers)
    dialogue.save(tmp_path / "again.json")
