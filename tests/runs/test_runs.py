"""Runs: a file nobody has described becomes a release one can defend, and its recipe gives the same rows again."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import lookalike as la
from lookalike.cli import app
from lookalike.releases.recipes.recipe import ColumnRecipe
from lookalike.runs.explaining import explain
from lookalike.runs.linking import decide_links

run = CliRunner().invoke


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "people.csv"
    write_people(path, 800, seed=5)
    return path


def write_people(path: Path, n: int, *, seed: int) -> None:
    frame = la.datasets.population(n, seed=seed).select(
        "name", "age", "gender", "occupation", "income", "on_benefits"
    )
    frame.with_columns(age_code=pl.col("age") * 3 + 7).write_csv(path)


def test_a_file_becomes_a_checked_release_in_one_command(people: Path, tmp_path: Path) -> None:
    done = run(app, ["run", str(people), "--yes", "-o", str(tmp_path / "out"), "--json"])
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    assert said["k"] >= 5
    out = tmp_path / "out"
    assert {"release.csv", "certificate.json", "report.html", "private"} <= {p.name for p in out.iterdir()}
    assert la.verify(out / "release.csv", out / "certificate.json").ok
    released = pl.read_csv(out / "release.csv")
    assert "name" not in released.columns
    inside = {p.name for p in (out / "private").iterdir()}
    assert {"recipe.toml", "recoding.json", "report-internal.html"} <= inside
    assert "What an attacker still learns" in (out / "private" / "report-internal.html").read_text("utf-8")


def test_attacks_that_were_not_tried_are_told_with_the_reason(
    people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("sklearn", "sklearn.tree"):  # a plain installation has no scikit-learn
        monkeypatch.setitem(sys.modules, name, None)
    out = tmp_path / "out"
    done = run(app, ["run", str(people), "--yes", "-o", str(out)])
    assert done.exit_code == 0, done.output
    internal = (out / "private" / "report-internal.html").read_text("utf-8")
    for name, why in (("attribute-inference", "needs scikit-learn"), ("composition", "a second release")):
        assert re.search(rf"^not tried: [^(]*\b{name}\b[^(]*\([^)]*{why}", done.stdout, re.MULTILINE)
        assert f"<td>{name}</td>" in internal
        assert why in internal
    assert "attribute-inference" not in (out / "report.html").read_text("utf-8")
    again = run(app, ["report", str(out)])
    assert again.exit_code == 0, again.output
    assert (out / "private" / "report-internal.html").read_text("utf-8") == internal


def test_a_report_of_a_release_that_was_not_attacked_says_so(tmp_path: Path) -> None:
    rows = pl.DataFrame({"age": [30, 31, 32, 33] * 3})
    released = la.anonymize(la.table(rows, quasi=["age"]), la.KAnonymity(3))
    assert "No attack was tried on this release" in released.report(tmp_path / "r.html").read_text("utf-8")


def test_the_recipe_of_a_release_gives_the_same_rows_again(people: Path, tmp_path: Path) -> None:
    first = la.run(la.prepare(people), output=tmp_path / "a")
    again = la.run(tmp_path / "a" / "private" / "recipe.toml", output=tmp_path / "b", anywhere=True)
    assert (tmp_path / "a" / "release.csv").read_bytes() == (tmp_path / "b" / "release.csv").read_bytes()
    assert again.release.models == first.release.models


def test_every_anonymize_writes_the_recipe_of_what_it_did(people: Path, tmp_path: Path) -> None:
    table = la.read(
        people,
        identifiers=["name"],
        quasi=["age", "gender"],
        sensitive=["on_benefits"],
        others=["occupation", "income", "age_code"],
    )
    release = la.anonymize(
        table,
        la.KAnonymity(4),
        method="optimal",
        weights={"age": 2},
        linked={"age_code": "drop"},
        rounding={"income": 500},
        seed=3,
    )
    release.save(tmp_path / "out")
    again = la.run(tmp_path / "out" / "private" / "recipe.toml", source=pl.read_csv(people))
    assert again.release.rows.equals(release.rows)


def test_a_draft_says_why_and_leaves_no_column_undecided(people: Path, tmp_path: Path) -> None:
    done = run(app, ["prepare", str(people), "-o", str(tmp_path / "recipe.toml")])
    assert done.exit_code == 0, done.output
    recipe = la.Recipe.load(tmp_path / "recipe.toml", anywhere=True)
    assert set(recipe.columns) == set(pl.read_csv(people).columns)
    assert "% sure" in (tmp_path / "recipe.toml").read_text(encoding="utf-8")
    assert recipe.columns["name"].role is la.Role.IDENTIFIER
    refused = run(app, ["prepare", str(people), "-o", str(tmp_path / "recipe.toml")])
    assert refused.exit_code == 2
    assert "exists already" in refused.stderr


def test_columns_nobody_knows_are_covered_by_the_promise_and_lose_detail_first(tmp_path: Path) -> None:
    rows, chance = 600, np.random.default_rng(3)
    table = pl.DataFrame(
        {
            "age": chance.integers(20, 80, rows),
            "sex": chance.choice(["f", "m"], rows),
            "xkv": chance.integers(0, 9, rows),
            "qrz": chance.choice(["u", "v", "w"], rows),
        }
    )
    table.write_csv(tmp_path / "people.csv")
    recipe = la.prepare(tmp_path / "people.csv")
    assert recipe.having(la.Role.QUASI) == ["age", "sex", "xkv", "qrz"]
    assert recipe.columns["xkv"].weight == recipe.columns["qrz"].weight == 0.25
    release = la.run(recipe).release
    assert min(release.rows.group_by("age", "sex", "xkv", "qrz").len()["len"]) >= 5
    kept = {outcome.column: outcome.kept for outcome in release.outcomes}
    assert kept["age"] > kept["xkv"]


def test_codes_for_missing_are_read_as_missing_where_no_column_has_them_as_values(tmp_path: Path) -> None:
    rows, chance = 300, np.random.default_rng(4)
    table = pl.DataFrame(
        {
            "age": np.where(chance.random(rows) < 0.1, -9, chance.integers(20, 80, rows)),
            "income": np.where(chance.random(rows) < 0.1, -8, 100 * chance.integers(10, 90, rows)),
            "balance": chance.integers(-20, 20, rows),
        }
    )
    table.write_csv(tmp_path / "people.csv")
    assert "na" not in la.prepare(tmp_path / "people.csv").source  # balances of -8 and -9 are balances
    table.drop("balance").write_csv(tmp_path / "people.csv")
    recipe = la.prepare(tmp_path / "people.csv")
    assert recipe.source["na"] == ["?", "-8", "-9"]
    assert not la.run(recipe).release.rows["age"].str.contains("-9").any()


def test_a_code_among_words_does_not_forbid_reading_it_as_missing_among_numbers(tmp_path: Path) -> None:
    rows, chance = 300, np.random.default_rng(4)
    table = pl.DataFrame(
        {
            "age": np.where(chance.random(rows) < 0.1, -9, chance.integers(20, 80, rows)),
            "education": chance.choice(["Degree", "GCSE", "A level", "-9"], rows),
            "income_band": chance.choice(["<10k", "10k-20k", "20k+", "-9"], rows),
        }
    )
    table.write_csv(tmp_path / "people.csv")
    recipe = la.prepare(tmp_path / "people.csv")
    assert recipe.source["na"] == ["?", "-9"]
    rows_out = la.run(recipe).release.rows
    assert not any(rows_out[name].str.contains("-9").any() for name in rows_out.columns)


def test_a_plausible_value_is_never_read_as_missing_unasked(tmp_path: Path) -> None:
    chance = np.random.default_rng(4)
    table = pl.DataFrame(
        {
            "age": chance.integers(20, 80, 300),
            "dependants": chance.choice([0, 1, 2, 3, 4, 7], 300),
            "sex": chance.choice([1, 2, 9], 300),
            "children": chance.choice([0, 1, 2, 3, 9], 300),
            "month": [f"2015-{1 + i % 12:02}" for i in range(300)],
        }
    )
    table.write_csv(tmp_path / "people.csv")
    recipe = la.prepare(tmp_path / "people.csv")
    assert "na" not in recipe.source
    told = f"(`na` says so): 9 ({(table['sex'] == 9).sum()} records of sex), a value of children"
    assert told in explain(recipe)
    assert f"# left as values, though they may mean missing {told}" in recipe.to_toml()


def test_what_is_read_as_missing_is_told_in_the_plan_and_in_the_recipe(tmp_path: Path) -> None:
    table = pl.DataFrame({"age": [*range(20, 60), *[-9] * 10], "sex": ["f", "m"] * 25})
    table.write_csv(tmp_path / "people.csv")
    recipe = la.prepare(tmp_path / "people.csv")
    told = "read as missing, in every column: -9 (10 records of age)"
    assert told in explain(recipe)
    recipe.save(tmp_path / "recipe.toml")
    assert f"# {told}" in (tmp_path / "recipe.toml").read_text(encoding="utf-8")
    again = la.Recipe.load(tmp_path / "recipe.toml")
    assert "read as missing, in every column: -9" in explain(again)


def test_a_number_is_not_read_as_missing_where_one_column_leaves_a_doubt(tmp_path: Path) -> None:
    table = pl.DataFrame({"sex": [1, 2, 9] * 40, "xkv": [1, 2, 9, 2, 1, 1] * 20, "age": [*range(20, 80)] * 2})
    table.write_csv(tmp_path / "people.csv")
    assert "na" not in la.prepare(tmp_path / "people.csv").source
    table.drop("xkv").write_csv(tmp_path / "people.csv")
    assert la.prepare(tmp_path / "people.csv").source["na"] == ["?", "9"]


def test_bands_of_income_are_in_order_though_some_are_unknown(tmp_path: Path) -> None:
    bands = ["<£15k", "£15k-£30k", "£30k-£60k", ">£60k", "unknown"]
    chance = np.random.default_rng(4)
    table = pl.DataFrame({"age": chance.integers(20, 80, 300), "income_band": chance.choice(bands, 300)})
    table.write_csv(tmp_path / "people.csv")
    recipe = la.prepare(tmp_path / "people.csv")
    assert recipe.source["na"] == ["?", "unknown"]
    column = la.read(tmp_path / "people.csv", others=[], na=recipe.source["na"]).column("income_band")
    assert column.domain.texts == bands[:4]


def test_without_a_folder_the_release_lies_here_under_the_tables_name(
    people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(app, ["run", str(people), "--yes"])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "people-release" / "certificate.json").is_file()
    again = run(app, ["run", str(people), "--yes"])  # nothing is replaced unasked
    assert again.exit_code == 2
    assert "replace it with --force" in again.stderr


def test_nothing_starts_before_somebody_agrees(people: Path, tmp_path: Path) -> None:
    done = run(app, ["run", str(people), "-o", str(tmp_path / "out")])
    assert done.exit_code == 2
    assert "--yes" in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_column_the_recipe_does_not_speak_of_stops_the_run(people: Path) -> None:
    recipe = la.prepare(people)
    wider = pl.read_csv(people).with_columns(shoe=pl.lit(42))
    with pytest.raises(la.ColumnError, match="'shoe' that the recipe does not speak of"):
        la.run(recipe, source=wider)


def test_next_months_rows_are_recoded_as_the_release_was(people: Path, tmp_path: Path) -> None:
    la.run(la.prepare(people), output=tmp_path / "out")
    later = tmp_path / "later.csv"
    write_people(later, 3_000, seed=6)
    recipe = tmp_path / "out" / "private" / "recipe.toml"
    recipe.write_text(recipe.read_text("utf-8").replace("suppression = 0.05", "suppression = 0.5"), "utf-8")
    done = run(
        app, ["run", str(recipe), "--anywhere", "--next", str(later), "--joins", "-o", str(tmp_path / "next")]
    )
    assert done.exit_code == 0, done.output
    assert la.verify(tmp_path / "next" / "release.csv", tmp_path / "next" / "certificate.json").ok
    elsewhere = la.prepare(people)
    with pytest.raises(la.FileError, match="holds no release's recipe"):
        la.run(elsewhere, following=later)


def test_people_with_several_rows_are_counted_once() -> None:
    frame = pl.DataFrame(
        {"patient_id": [f"P{i // 3:04d}" for i in range(600)], "age": [20 + (i // 3) % 50 for i in range(600)],
         "sex": ["f" if (i // 3) % 2 else "m" for i in range(600)]}
    )  # fmt: skip
    recipe = la.prepare(frame)
    assert recipe.source["unit"] == "patient_id"


@pytest.mark.parametrize(
    "name",
    [
        "adult/adult.csv",
        "cmc/cmc.csv",
        "heart_cleveland/heart_cleveland.csv",
        "german_credit/german_credit.csv",
    ],
)
def test_public_tables_run_without_any_other_option(shared_data: Path, tmp_path: Path, name: str) -> None:
    recipe = la.prepare(shared_data / name)
    some = pl.read_csv(shared_data / name, infer_schema=False).head(1500)
    done = la.run(recipe, source=some, output=tmp_path / "out")
    assert la.verify(tmp_path / "out" / "release.csv", tmp_path / "out" / "certificate.json").ok
    assert done.release.k >= 3


def _school(rows: int = 400) -> pl.DataFrame:
    """Pupils whose class says who teaches it, in columns that nothing is known of."""
    chance = np.random.default_rng(8)
    room = chance.integers(0, 9, rows)
    return pl.DataFrame(
        {
            "age": chance.integers(10, 19, rows),
            "sex": chance.choice(["f", "m"], rows),
            "xkv": [f"t{n}" for n in room],
            "region": chance.choice(["north", "south", "west"], rows),
            "number of children": 3 * room + 1,
        }
    )


def test_a_draft_decides_about_columns_that_give_away_what_nothing_is_known_of() -> None:
    told = _school()
    columns = {
        "age": ColumnRecipe(la.Role.QUASI),
        "sex": ColumnRecipe(la.Role.QUASI),
        "xkv": ColumnRecipe(la.Role.QUASI, weight=0.25),
        "region": ColumnRecipe(la.Role.OTHER),
        "number of children": ColumnRecipe(la.Role.OTHER),
    }
    people = la.table(told, others=[])
    settled = decide_links(people, columns)
    assert settled["number of children"].linked == "follow"
    assert "one to one with xkv" in settled["number of children"].reason
    assert settled["region"] == columns["region"]
    release = la.run(la.Recipe(settled, (la.KAnonymity(5),)), source=told).release
    assert release.k >= 5
    gone = {**columns, "xkv": replace(columns["xkv"], drop=True)}
    assert decide_links(people, gone)["number of children"].drop
    private = {**columns, "number of children": ColumnRecipe(la.Role.SENSITIVE)}
    assert decide_links(people, private)["xkv"].drop
    known = {**private, "xkv": ColumnRecipe(la.Role.QUASI)}
    assert decide_links(people, known)["number of children"].linked == "follow"


def test_a_recipe_whose_columns_undo_it_is_told_the_line_to_write(tmp_path: Path) -> None:
    _school().drop("region").write_csv(tmp_path / "school.csv")
    recipe = tmp_path / "recipe.toml"
    told = 'format = 1\n[source]\nfile = "school.csv"\n[columns.age]\nrole = "quasi"\n[columns.sex]\nrole = "quasi"\n'
    told += '[columns.xkv]\nrole = "quasi"\n[[promise]]\nmodel = "k-anonymity"\nk = 5\n'
    recipe.write_text(told + '[columns."number of children"]\nrole = "other"\n', encoding="utf-8")
    refused = run(app, ["run", str(recipe), "-o", str(tmp_path / "out")])
    assert refused.exit_code == 1
    line = 'under [columns."number of children"] linked = "follow"'
    assert line in refused.stderr
    recipe.write_text(told + '[columns."number of children"]\nrole = "other"\nlinked = "follow"\n', "utf-8")
    assert run(app, ["run", str(recipe), "-o", str(tmp_path / "out")]).exit_code == 0


@pytest.fixture(scope="module")
def draft(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A drafted recipe beside its table, without attacks."""
    folder = tmp_path_factory.mktemp("draft")
    chance, rows = np.random.default_rng(3), 300
    pl.DataFrame(
        {
            "age": chance.integers(20, 80, rows),
            "sex": chance.choice(["f", "m"], rows),
            "town": chance.choice(["Bath", "Hull", "Leeds", "York"], rows),
            "xkv": chance.integers(0, 9, rows),
            "religion": chance.choice(["a", "b", "c"], rows),
            "hobby": chance.choice(["u", "v", "w"], rows),
        }
    ).write_csv(folder / "people.csv")
    la.prepare(folder / "people.csv").save(folder / "recipe.toml")
    text = (folder / "recipe.toml").read_text("utf-8").replace("run = true", "run = false")
    (folder / "recipe.toml").write_text(text, "utf-8")
    return folder / "recipe.toml"


def _edited(draft: Path, name: str, *lines: str, without: str = "-") -> Path:
    """The draft with lines added to a column's section, and without those that begin so."""
    text = draft.read_text("utf-8")
    head = f"[columns.{name}]\n"
    before, rest = text.split(head)
    body, after = rest.split("\n\n", 1)
    kept = [line for line in body.split("\n") if not line.startswith(without)]
    out = draft.with_name("edited.toml")
    out.write_text(before + head + "\n".join([*lines, *kept]) + "\n\n" + after, "utf-8")
    return out


def test_a_column_may_be_left_out_whatever_else_is_said_of_it(draft: Path) -> None:
    assert "weight" in draft.read_text("utf-8")
    lines = ("drop = true", 'hierarchy = "hierarchies/gone.csv"', "round = 5")
    assert "xkv" not in la.run(_edited(draft, "xkv", *lines, without="hierarchy")).release.rows.columns


@pytest.mark.parametrize("role", ["sensitive", "other", "target", "identifier"])
def test_a_column_may_change_its_role(draft: Path, role: str) -> None:
    edited = _edited(draft, "xkv", f'role = "{role}"', without="role")
    with pytest.warns(la.LookalikeWarning, match="`weight` of column 'xkv'"):
        released = la.run(edited).release.rows
    assert ("xkv" in released.columns) == (role != "identifier")


@pytest.mark.parametrize(
    ("lines", "without", "said"),
    [
        (
            ["drop = true"],
            "-",
            r"\[\[promise\]\] of l-diversity with column = 'religion' has to be taken out",
        ),
        (['role = "quasi"'], "role", r'write role = "sensitive" under \[columns.religion\], or take out'),
        (["round = 5"], "-", r"take `round` out from under \[columns.religion\]"),
    ],
)
def test_a_promise_that_no_longer_fits_is_told_with_its_section(
    draft: Path, lines: list[str], without: str, said: str
) -> None:
    with pytest.raises(la.RequestError, match=said):
        la.run(_edited(draft, "religion", *lines, without=without))


def test_the_mark_before_a_grown_hierarchy_can_be_taken_off(draft: Path) -> None:
    text = draft.read_text("utf-8")
    assert "# hierarchy = " in text
    draft.with_name("edited.toml").write_text(text.replace("# hierarchy = ", "hierarchy = "), "utf-8")
    assert la.run(draft.with_name("edited.toml")).release.k >= 3


def test_what_follows_a_column_that_somebody_leaves_out_is_left_out_with_it() -> None:
    columns = {name: ColumnRecipe(la.Role.QUASI) for name in ("age", "sex", "xkv", "region")}
    columns["number of children"] = ColumnRecipe(la.Role.OTHER, linked="follow")
    recipe = la.Recipe(columns, (la.KAnonymity(5),))
    assert "number of children" in la.run(recipe, source=_school()).release.rows.columns
    columns["xkv"] = replace(columns["xkv"], drop=True)
    with pytest.warns(la.LookalikeWarning, match=r'linked = "accept" under \[columns."number of children"\]'):
        released = la.run(recipe, source=_school()).release.rows
    assert released.columns == ["age", "sex", "region"]


def test_a_recipe_without_quasi_identifiers_or_promises_says_what_to_write() -> None:
    columns = {"age": ColumnRecipe(la.Role.OTHER)}
    with pytest.raises(la.RequestError, match='give role = "quasi"'):
        la.run(la.Recipe(columns, (la.KAnonymity(5),)), source=_school())
    with pytest.raises(la.RequestError, match=r"add a section \[\[promise\]\]"):
        la.run(la.Recipe({"age": ColumnRecipe(la.Role.QUASI)}, ()), source=_school())


@pytest.mark.filterwarnings("ignore:.*without a name:lookalike.LookalikeWarning")
def test_columns_in_which_no_row_has_a_value_are_left_out_with_a_word(tmp_path: Path) -> None:
    lines = [f"{20 + i % 50};{'fm'[i % 2]};;" for i in range(200)]
    (tmp_path / "people.csv").write_text("\n".join(["age;sex;;", *lines]), "utf-8")
    recipe = la.prepare(tmp_path / "people.csv", delimiter=";")
    assert la.run(recipe).release.rows.columns == ["age", "sex"]
    assert "left out, since no row has a value: column_3, column_4" in explain(recipe)


def test_what_was_not_tried_names_the_columns_nobody_has_decided_about(tmp_path: Path) -> None:
    told = _school().select("age", "sex", "xkv")
    columns = {"age": ColumnRecipe(la.Role.QUASI), "sex": ColumnRecipe(la.Role.QUASI)}
    columns["xkv"] = ColumnRecipe(la.Role.QUASI, weight=0.25)
    recipe = la.Recipe(columns, (la.KAnonymity(5),), attacks={"run": True, "only": ["homogeneity"]})
    found = la.run(recipe, source=told).attacks
    assert found is not None
    assert "some may be: xkv; write role" in found.skipped["homogeneity"]
    assert "if one of them must not be learnt, make it sensitive" in explain(recipe)
    columns["xkv"] = ColumnRecipe(la.Role.QUASI)
    found = la.run(recipe, source=told).attacks
    assert found is not None
    assert found.skipped["homogeneity"] == "no sensitive column is published"


def test_reports_say_which_sensitive_columns_have_no_promise_about_their_values(tmp_path: Path) -> None:
    people = la.table(
        _school(), quasi=["age", "sex"], sensitive=["xkv", "region"], others=["number of children"]
    )
    made = la.anonymize(people, la.KAnonymity(5), la.LDiversity("region", 2), drop=["number of children"])
    said = "Nothing is promised about the values of xkv, though sensitive."
    assert said in made.report(tmp_path / "r.html").read_text("utf-8")
