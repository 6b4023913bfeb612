"""Whatever is done to a file, its reader reads it or refuses it in a sentence that shows no private cell."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lookalike as la
from fuzz.fuzzing import feed
from fuzz.mutating import mutate
from fuzz.readers import CANARY, READERS, home

pytestmark = pytest.mark.filterwarnings("ignore::lookalike.LookalikeWarning")
FALLEN = Path(__file__).parent / "fallen"


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return home(tmp_path_factory.mktemp("home"))


@pytest.mark.parametrize("name", READERS)
def test_every_file_of_the_corpus_is_valid(here: Path, name: str) -> None:
    READERS[name].read(here / READERS[name].file)


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(draw=st.randoms(use_true_random=False))
def test_damaged_files_are_read_or_refused(here: Path, name: str, draw: random.Random) -> None:
    damaged = mutate(draw, (here / READERS[name].file).read_bytes())
    assert list(feed(name, damaged, here)) == []


@pytest.mark.parametrize("path", sorted(FALLEN.iterdir()), ids=lambda path: path.name)
def test_what_a_reader_fell_over_once_it_refuses(here: Path, path: Path) -> None:
    name = next(name for name, reader in READERS.items() if reader.file == path.name)
    assert list(feed(name, path.read_bytes(), here)) == []


@pytest.mark.parametrize("name", ["csv", "tsv"])
@pytest.mark.parametrize("at", ["head", "row"])
@pytest.mark.parametrize("odd", ["\r", "x" * 200_000, "9" * 200_000])
def test_stray_line_ends_and_endless_cells_are_no_trouble(here: Path, name: str, at: str, odd: str) -> None:
    text = (here / READERS[name].file).read_text(encoding="utf-8")
    place = text.index("town") if at == "head" else text.index("Gent")
    damaged = text[:place] + odd + text[place:]
    assert list(feed(name, damaged.encode(), here)) == []


@pytest.mark.parametrize("name", ["questions", "recipe"])
@pytest.mark.parametrize("text", ["a = " + "9" * 5000, "a = " + "[" * 100_000, "[" * 5000 + "a" + "]" * 5000])
def test_toml_without_measure_is_refused(here: Path, text: str, name: str) -> None:
    assert list(feed(name, text.encode(), here)) == []


def test_a_recipe_whose_role_is_a_table_is_refused(here: Path) -> None:
    assert list(feed("recipe", b"format = 1\n[columns.age.role]\nx = 1\n", here)) == []


def _texts(value: Any) -> Iterator[str]:
    """Every text in a document, but for the names of its parts."""
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)
    elif isinstance(value, str):
        yield value


@pytest.mark.parametrize("name", ["recoding of boxes", "recoding of levels"])
def test_a_value_that_damage_made_the_name_of_a_column_is_not_shown(here: Path, name: str) -> None:
    """Once a label was: what was left of it stood where the name of a column belongs."""
    valid = json.loads((here / READERS[name].file).read_text(encoding="utf-8"))
    values = {text for text in _texts(valid) if CANARY in text}
    assert values
    for text in values | {text.partition(" ")[2] for text in values if text.startswith("{")}:
        damaged = {
            **valid,
            "columns": {text if key == "ill" else key: how for key, how in valid["columns"].items()},
        }
        assert set(damaged["columns"]) != set(valid["columns"])
        assert list(feed(name, json.dumps(damaged, ensure_ascii=False, indent=2).encode(), here)) == []


def test_a_release_with_columns_without_end_is_judged_soon(here: Path) -> None:
    valid = (here / READERS["release"].file).read_bytes()
    head, _, rows = valid.partition(b"\n")
    wide = b",".join([head, *(b"c%d" % i for i in range(20_000))])
    damaged = wide + b"\n" + b"\n".join(row + b"," * 20_000 for row in rows.splitlines()) + b"\n"
    assert list(feed("release", damaged, here)) == []


def test_a_certificate_that_names_what_no_file_can_be_called_is_checked_all_the_same(here: Path) -> None:
    folder = here / "levels"
    written = json.loads((folder / "certificate.json").read_text("utf-8"))
    written["beside"] |= {"x" * 5000: "0" * 64}
    odd = folder / "odd.json"
    odd.write_text(json.dumps(written), encoding="utf-8")
    found = la.verify(folder / "release.csv", odd)
    odd.unlink()
    assert [one.check for one in found.findings if one.ok is False] == ["certificate"]  # it was changed
