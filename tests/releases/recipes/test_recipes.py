"""Recipes: what is written reads back, and whatever is not understood is refused with its line."""

from __future__ import annotations

import tomllib
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.releases.recipes import ColumnRecipe, Recipe, toml
from lookalike.tables.hierarchies.texts import parse_hierarchy, write_hierarchy
from lookalike.tables.meanings.reasons import written_by_hand

GOOD = """format = 1

[source]
file = "people.csv"

[columns.age]
role = "quasi"
hierarchy = "intervals:5,10"

[columns."odd name"]
role = "sensitive"

[[promise]]
model = "k-anonymity"
k = 5

[[promise]]
model = "l-diversity"
column = "odd name"
l = 2

[method]
suppression = 0.05
"""

names = st.text(min_size=1, max_size=12).filter(lambda s: not any(0xD800 <= ord(c) < 0xE000 for c in s))


def write(folder: Path, text: str) -> Path:
    path = folder / "recipe.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_recipe_reads_back_as_what_was_written(tmp_path: Path) -> None:
    recipe = Recipe.load(write(tmp_path, GOOD))
    assert recipe.promises == (la.KAnonymity(5), la.LDiversity("odd name", 2))
    assert recipe.columns["age"].hierarchy == "intervals:5,10"
    recipe.save(tmp_path / "again.toml")
    again = Recipe.load(tmp_path / "again.toml")
    assert again == recipe


@settings(deadline=None, max_examples=150)
@given(st.dictionaries(names, st.sampled_from(list(la.Role)), min_size=1, max_size=5), names)
def test_odd_names_of_columns_survive(
    tmp_path_factory: pytest.TempPathFactory, roles: dict, reason: str
) -> None:
    recipe = Recipe(
        {n: ColumnRecipe(role, written_by_hand(reason)) for n, role in roles.items()}, (la.KAnonymity(3),)
    )
    path = write(tmp_path_factory.mktemp("r"), recipe.to_toml())
    assert {n: c.role for n, c in Recipe.load(path).columns.items()} == roles


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('role = "quasi"', 'role = "quasy"', r"line 7: 'role' must be one of"),
        ("k = 5", 'k = "five"', r"line 13: k-anonymity: `k` must be a whole number"),
        ("k = 5", "kk = 5", r"line 13: k-anonymity"),
        (
            'model = "k-anonymity"',
            'model = "x-anonymity"',
            r"line 13: there is no privacy model 'x-anonymity'",
        ),
        ("intervals:5,10", "intervalls:5", r"line 8: there is no hierarchy 'intervalls'"),
        ("suppression = 0.05", 'suppression = "lots"', r"line 23: 'suppression' must be a share"),
        ("suppression", "supression", r"line 23: there is no key 'supression'"),
        ("[method]", "[metod]", r"line 22: there is no section 'metod'"),
        (
            'file = "people.csv"',
            'file = "../people.csv"',
            r"line 4: the path leads out of the recipe's folder",
        ),
        ("format = 1", "format = 2", r"format 2; this version of Lookalike reads format 1"),
        ("[columns.age]", "[columns.age", r"is not TOML: a slip at line 6"),
    ],
)
def test_a_slip_is_refused_with_its_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in GOOD
    with pytest.raises(la.FileError, match=said):
        Recipe.load(write(tmp_path, GOOD.replace(old, new, 1)))


def test_paths_may_lead_out_where_that_is_allowed(tmp_path: Path) -> None:
    text = GOOD.replace("people.csv", "../people.csv")
    assert Recipe.load(write(tmp_path, text), anywhere=True).source["file"] == "../people.csv"


@pytest.mark.parametrize("text", ["[" * 100_000, "a = " + "[" * 5_000, "\x00", "format = 1\n" * 2])
def test_hostile_recipes_are_refused_in_a_sentence(tmp_path: Path, text: str) -> None:
    with pytest.raises(la.FileError):
        Recipe.load(write(tmp_path, text))


def test_a_slip_never_shows_what_stands_there(tmp_path: Path) -> None:
    with pytest.raises(la.FileError) as problem:
        Recipe.load(write(tmp_path, GOOD + "\nsecret canary"))
    assert "canary" not in str(problem.value)


@pytest.mark.parametrize(
    "hierarchy",
    [
        la.Hierarchy.intervals(5, 10, 20),
        la.Hierarchy.intervals(10, bottom=20, top=80),
        la.Hierarchy.cuts([18, 40, 65], [40]),
        la.Hierarchy.quantiles(8, 4, 2),
        la.Hierarchy.dates("month", "year"),
        la.Hierarchy.mask(),
        la.Hierarchy.mask(direction="left"),
        la.Hierarchy.prefixes(3, 1),
        la.Hierarchy.parts("-"),
        la.Hierarchy.groups({"north": ["Leeds", "York"], "south": ["Bath"]}),
        la.Hierarchy.ordering(["low", "mid", "high"]),
        la.Hierarchy.ordering(),
        la.Hierarchy.automatic(),
    ],
    ids=str,
)
def test_hierarchies_have_a_text_that_reads_back(hierarchy: la.Hierarchy) -> None:
    text = write_hierarchy(hierarchy)
    assert text is not None
    assert parse_hierarchy(text) == hierarchy


def test_groups_whose_names_hold_the_marks_have_no_short_text() -> None:
    assert write_hierarchy(la.Hierarchy.groups({"a|b": ["x=y", "p+q"]})) is None


def test_grown_hierarchies_are_files_beside_the_recipe(tmp_path: Path) -> None:
    frame = pl.DataFrame({"town": ["Leeds; East", "York", "Bath", "Hull"] * 10, "sex": ["f", "m"] * 20})
    recipe = la.prepare(la.table(frame, quasi=["town", "sex"]))
    quasi = [name for name, column in recipe.columns.items() if column.role is la.Role.QUASI]
    recipe.save(tmp_path / "recipe.toml")
    again = Recipe.load(tmp_path / "recipe.toml")
    table = la.table(frame, others=[])
    for name in quasi:
        grown = la.Hierarchy.read(tmp_path / "hierarchies" / f"{name}.csv")
        assert grown.grow(table.column(name).domain).labels == table.tree(name).labels
        assert again.hierarchy_of(name) is None  # until somebody edits the file and says so


def test_lines_are_found() -> None:
    assert toml.line_of(GOOD, "columns", "odd name", "role") == 11
    assert toml.line_of(GOOD, "promise", 1) == 17
    assert toml.line_of(GOOD, "method", "suppression") == 23


@pytest.mark.parametrize(
    "value",
    [
        "ordering:" + "<".join(f"{year}-{month:02d}" for year in range(1960, 2020) for month in range(1, 13)),
        "groups:" + "|".join(f"g{i}= a{i}+ b, c" for i in range(60)),
        'a "quoted" \\ text, with < marks | + and\nlines\t, ' * 9,
        ",".join(["[x]", "k = 1", " y ", '"""', "\\"] * 30),
        [f"value {i}, [{i}]" for i in range(80)],
    ],
)
def test_long_values_go_on_in_the_next_lines_and_read_back(value: str | list[str]) -> None:
    written = toml.write_line("hierarchy", value)
    assert max(map(len, written.splitlines())) <= 130
    text = f"[columns.a]\n{written}\nrole = 1\n[columns.b]\nrole = 2\n"
    assert tomllib.loads(text)["columns"]["a"]["hierarchy"] == value
    lines = text.splitlines()
    assert toml.line_of(text, "columns", "a", "role") == lines.index("role = 1") + 1
    assert toml.line_of(text, "columns", "b", "role") == len(lines)
