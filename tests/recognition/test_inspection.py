"""Inspection: the right role for columns of tables it has never seen, in words a person can check."""

from __future__ import annotations

import json
import shlex
import tomllib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from typer.testing import CliRunner
from xlsxwriter import Workbook

import lookalike as la
from lookalike.cli import app
from lookalike.cli._typed import split_names
from lookalike.recognition.metrics.performance import Scores
from lookalike.recognition.telling import told_share
from lookalike.recognition.truths import truth_of, truths

N = 240
RNG = np.random.default_rng(7)
Make = Callable[[], list[object]]


def pick(*values: object) -> list[object]:
    return [values[i] for i in RNG.integers(0, len(values), N)]


def whole(low: int, high: int) -> list[object]:
    return RNG.integers(low, high + 1, N).tolist()


def days(first: str, last: str, form: str = "%Y-%m-%d") -> list[object]:
    span = int((np.datetime64(last) - np.datetime64(first)).astype(int))
    return [(np.datetime64(first) + int(d)).astype(object).strftime(form) for d in RNG.integers(0, span, N)]


def prose() -> list[object]:
    words = [
        "seen",
        "today",
        "with",
        "mild",
        "pain",
        "no",
        "further",
        "action",
        "needed",
        "call",
        "back",
        "soon",
    ]
    return [" ".join(RNG.choice(words, 12)) for _ in range(N)]


def dni() -> list[object]:
    return [f"{n:08d}{'TRWAGMYFPDXBNJZSQVHLCKE'[n % 23]}" for n in RNG.integers(10**6, 10**8, N).tolist()]


#: column -> (values, role); roles by their first letter
TABLES: dict[str, dict[str, tuple[list[object], str]]] = {
    "insurance": {
        "age": (whole(18, 64), "q"),
        "sex": (pick("male", "female"), "q"),
        "bmi": (RNG.normal(30, 6, N).round(2).tolist(), "s"),
        "children": (whole(0, 5), "q"),
        "smoker": (pick("yes", "no"), "s"),
        "region": (pick("southwest", "southeast", "northwest"), "q"),
        "charges": (RNG.normal(13000, 5000, N).round(4).tolist(), "s"),
    },
    "staff": {
        "EmployeeNumber": (list(range(1, N + 1)), "i"),
        "Age": (whole(18, 60), "q"),
        "Attrition": (pick("Yes", "No"), "s"),
        "DistanceFromHome": (whole(1, 29), "q"),
        "EducationField": (pick("Life Sciences", "Marketing"), "q"),
        "EmployeeCount": ([1] * N, "o"),
        "JobRole": (pick("Sales Executive", "Manager", "Research Scientist"), "q"),
        "MaritalStatus": (pick("Single", "Married", "Divorced"), "q"),
        "MonthlyIncome": (whole(1000, 20000), "s"),
        "OverTime": (pick("Yes", "No"), "o"),
        "YearsAtCompany": (whole(0, 40), "q"),
    },
    "klinik": {
        "Fallnummer": (list(range(50_001, 50_001 + N)), "i"),
        "Geburtsdatum": (days("1930-01-01", "2010-01-01", "%d.%m.%Y"), "q"),
        "Geschlecht": (pick("m", "w", "d"), "q"),
        "PLZ": (pick("10115", "80331", "01067", "50667"), "q"),
        "Wohnort": (pick("Berlin", "München", "Dresden"), "q"),
        "Familienstand": (pick("ledig", "verheiratet"), "q"),
        "Aufnahmedatum": (days("2019-01-01", "2020-12-31", "%d.%m.%Y"), "q"),
        "Hauptdiagnose": (pick("I21.0", "E11.9", "J18.9", "C50.1", "K35.8", "F32.1", "M54.5", "S72.0"), "s"),
        "Konfession": (pick("rk", "ev", "keine"), "s"),
        "Bemerkung": (prose(), "i"),
    },
    "enquête": {
        "identifiant": (list(range(N)), "i"),
        "sexe": (pick("H", "F"), "q"),
        "âge": (whole(18, 95), "q"),
        "code_postal": (pick("75001", "69002", "13001"), "q"),
        "situation_matrimoniale": (pick("marié", "célibataire"), "q"),
        "nb_enfants": (whole(0, 5), "q"),
        "profession": (pick("cadre", "ouvrier", "employé"), "q"),
        "revenu_mensuel": (whole(900, 9000), "s"),
        "fumeur": (pick("oui", "non"), "s"),
    },
    "clientes": {
        "DNI": (dni(), "i"),
        "apellidos": (pick(*(f"Apellido{i}" for i in range(80))), "i"),
        "fecha_nacimiento": (days("1940-01-01", "2005-01-01", "%d/%m/%Y"), "q"),
        "municipio": (pick("Sevilla", "Madrid", "Vigo"), "q"),
        "cp": (pick("41001", "28013", "36201"), "q"),
        "nacionalidad": (pick("española", "marroquí"), "q"),
        "salario": (whole(800, 5000), "s"),
        "teléfono": ([f"+34 6{n:08d}" for n in RNG.integers(0, 10**8, N)], "i"),
    },
    "patiënten": {
        "achternaam": (pick(*(f"van Naam{i}" for i in range(80))), "i"),
        "geboortedatum": (days("1930-01-01", "2005-01-01", "%d-%m-%Y"), "q"),
        "geslacht": (pick("man", "vrouw"), "q"),
        "woonplaats": (pick("Utrecht", "Delft"), "q"),
        "opleiding": (pick("mbo", "hbo", "wo"), "q"),
        "inkomen": (whole(1000, 9000), "s"),
        "aandoening": (pick("astma", "copd"), "s"),
    },
    "nameless": {
        "V1": (pick("male", "female"), "q"),
        "V2": (pick("married", "single", "divorced"), "q"),
        "V3": (days("1930-01-01", "2004-01-01"), "q"),
        "V4": ([f"user{i}@example.org" for i in range(N)], "i"),
        "V5": (pick("asthma", "breast cancer", "diabetes type 2"), "s"),
        "V6": (RNG.normal(5, 1, N).round(3).tolist(), "o"),
        "V7": (pick("SW1A 1AA", "M1 1AE", "B33 8TH", "CR2 6XH", "DN55 1PT"), "q"),
        "V8": (prose(), "i"),
        "V9": (list(range(N)), "i"),
        "V10": (pick("catholic", "muslim"), "s"),
    },
    "things": {
        "sepal_length": (RNG.normal(5, 1, N).round(1).tolist(), "o"),
        "species": (pick("setosa", "virginica"), "o"),
        "horsepower": (whole(40, 230), "o"),
        "storage": (whole(1, 500), "o"),
        "product_category": (pick("toys", "books"), "o"),
        "merchant_city": (pick("Leeds", "York"), "o"),
        "voltage": (RNG.normal(230, 3, N).round(1).tolist(), "o"),
    },
}
ROLES = {"i": "identifier", "q": "quasi", "s": "sensitive", "o": "other"}


def frame_of(name: str) -> pl.DataFrame:
    return pl.DataFrame(
        {c: pl.Series(c, [str(v) for v in values]) for c, (values, _) in TABLES[name].items()}
    )


@pytest.mark.parametrize("name", TABLES)
def test_columns_of_unseen_tables_get_their_roles(name: str) -> None:
    found = la.inspect(frame_of(name))
    assert {c.name: str(c.role) for c in found.columns} == {c: ROLES[r] for c, (_, r) in TABLES[name].items()}


def test_every_column_says_why_and_how_sure() -> None:
    found = la.inspect(frame_of("klinik"))
    for column in found.columns:
        assert 0 < column.confidence < 1
        assert len(column.evidence) >= 2
    assert "the name says dates of birth ('geburtsdatum')" in found["Geburtsdatum"].evidence
    assert any("stand in for one of them" in line for line in found["Wohnort"].evidence)
    assert any("adds" in line for line in la.inspect(frame_of("insurance"))["age"].evidence)
    assert found["Hauptdiagnose"].known < 0.5 < found["PLZ"].known


def test_evidence_shows_no_value() -> None:
    secret = [f"Zyx{i} Wvu{i}" for i in range(N)]
    found = la.inspect(frame_of("staff").with_columns(Name=pl.Series(secret)))
    assert "Zyx" not in json.dumps(found.to_dict())
    assert found["Name"].role == "identifier"


def test_what_a_column_adds_is_its_gain_in_distinction() -> None:
    found = la.inspect(frame_of("insurance"))
    people = la.table(frame_of("insurance"), others=[])
    assert found.distinction == la.measure(people, "distinction", quasi=found.quasi).value
    without = [name for name in found.quasi if name != "age"]
    gain = found.distinction - la.measure(people, "distinction", quasi=without).value
    assert found["age"].adds == pytest.approx(gain)


def test_a_column_that_follows_a_sensitive_one_tells_it() -> None:
    salary = whole(1, 50)
    rows = pl.DataFrame({"job": [f"job {s}" for s in salary], "sex": pick("m", "f"), "salary": salary})
    found = la.inspect(rows)
    assert found["job"].tells > 0.9
    assert found["sex"].tells < 0.1
    assert any("there is to know about 'salary'" in line for line in found["job"].evidence)


def test_luck_is_not_told() -> None:
    rows = la.table(pl.DataFrame({"a": whole(0, 10**9), "s": whole(0, 10**9)}), others=[])
    assert told_share(rows.column("a"), rows.column("s")) < 0.15


def test_the_proposal_does_not_depend_on_the_order_of_rows_or_the_kind_of_frame() -> None:
    rows = frame_of("klinik")
    one = la.inspect(rows).to_dict()
    assert la.inspect(rows.sample(fraction=1.0, shuffle=True, seed=1)).to_dict() == one
    assert la.inspect(rows.to_pandas()).to_dict() == one
    assert isinstance(la.inspect(rows.to_pandas()).frame, pd.DataFrame)


def test_constant_missing_unique_and_single_row_columns_are_answered() -> None:
    rows = pl.DataFrame(
        {
            "age": [40] * 30,
            "city": pl.Series([None] * 30, dtype=pl.String),
            "blob": [f"k{i}" for i in range(30)],
            "x": np.linspace(0, 1, 30),
        }
    )
    found = la.inspect(rows)
    assert {c.name: str(c.role) for c in found.columns} == {
        "age": "other",
        "city": "other",
        "blob": "identifier",
        "x": "other",
    }
    assert found.quasi == []
    alone = la.inspect(pl.DataFrame({"age": [40], "disease": ["flu"]}))
    assert [c.role for c in alone.columns] == ["other", "other"]


def test_a_name_its_values_contradict_is_not_believed() -> None:
    rows = pl.DataFrame(
        {"age": whole(200, 900), "cp": whole(1, 4), "phone": pick("yes", "no"), "sex": whole(0, 500)}
    )
    assert la.inspect(rows).quasi == []


def test_a_key_that_repeats_is_still_a_persons() -> None:
    keys = [f"{n:032x}" for n in RNG.integers(2**40, 2**60, 40).tolist()]
    rows = pl.DataFrame({"who": pick(*keys), "value": whole(0, 9)})
    assert la.inspect(rows)["who"].role == "identifier"


def test_a_column_nobody_knows_is_for_a_person_to_decide() -> None:
    found = la.inspect(frame_of("nameless"))
    assert found.undecided == ["V6"]
    assert found["V6"].role == "other"
    assert found.to_dict()["undecided"] == ["V6"]
    assert (
        la.inspect(frame_of("staff")).undecided == []
    )  # the name of OverTime says what it is; one value is harmless


def test_given_roles_stay_and_differences_are_said() -> None:
    people = la.table(frame_of("insurance"), quasi=["charges"], others=[])
    found = la.inspect(people)
    assert people.quasi == ["charges"]
    assert found["charges"].role == "sensitive"
    assert found["charges"].evidence[-1] == "was given the role quasi"
    assert found.table.quasi == found.quasi


def test_the_recipe_reads_back_as_the_roles() -> None:
    rows = frame_of("insurance").rename({"region": 'odd "name"\n'})
    written = tomllib.loads(la.prepare(rows).to_toml())["columns"]
    assert {name: la.Role(column["role"]) for name, column in written.items()} == la.inspect(rows).roles


def test_the_command_shows_writes_and_speaks_json(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    frame_of("insurance").write_csv(file)
    run = CliRunner().invoke
    shown = run(app, ["inspect", str(file), "--recipe", str(tmp_path / "roles.toml")], env={"COLUMNS": "200"})
    assert shown.exit_code == 0
    assert "quasi-identifiers single out" in shown.output
    written = tomllib.loads((tmp_path / "roles.toml").read_text())
    assert written["source"]["file"] == file.name
    roles = {name: column["role"] for name, column in written["columns"].items()}
    assert [name for name, role in roles.items() if role == "quasi"] == ["age", "sex", "children", "region"]
    spoken = json.loads(run(app, ["inspect", str(file), "--json"]).stdout)
    assert {"name", "role", "confidence", "evidence"} <= set(spoken["columns"][0])


@pytest.mark.parametrize("width", [80, 120])
def test_no_line_of_the_table_is_wider_than_the_terminal(tmp_path: Path, width: int) -> None:
    file = tmp_path / "wide.csv"
    frame_of("klinik").rename({"Konfession": "Konfession der Person laut Angabe im Aufnahmebogen"}).write_csv(
        file
    )
    for more in ([], ["--details"]):
        shown = CliRunner().invoke(app, ["inspect", str(file), *more], env={"COLUMNS": str(width)}).stdout
        table, _, _ = shown.partition("\nadds:")
        assert max(map(len, table.splitlines())) <= width
        assert "Konfession der Person laut Angabe i…" in table


def test_the_command_gives_one_reason_or_on_request_all(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    frame_of("insurance").write_csv(file)
    run = CliRunner().invoke
    wide, narrow, full = (
        run(app, ["inspect", str(file), *more], env={"COLUMNS": columns}).stdout.splitlines()
        for more, columns in (([], "120"), ([], "60"), (["--details"], "120"))
    )
    assert wide[2].startswith("sex")
    assert wide[2].endswith("name: sex or gender ('sex')")
    assert narrow[3].startswith("sex")
    assert narrow[4] == "    name: sex or gender ('sex')"
    assert "    anybody can see it, registers hold it" in [line.rstrip() for line in full]


def test_the_next_command_can_be_pasted(tmp_path: Path) -> None:
    file = tmp_path / "our people.csv"
    named = {"sex": 'sex [m, "f"]', "age": "age in years"}
    frame_of("insurance").rename(named).write_csv(file)
    shown = CliRunner().invoke(app, ["inspect", str(file)]).stdout
    _, *arguments = shlex.split(shown.splitlines()[-2])
    assert arguments[:2] == ["risk", str(file)]
    assert split_names(arguments[3]) == ["age in years", 'sex [m, "f"]', "children", "region"]
    assert arguments[4:] == ["--sensitive", "bmi,smoker,charges"]
    assert CliRunner().invoke(app, arguments).exit_code == 0


def test_the_command_that_anonymises_carries_every_role_and_leaves_out_what_nobody_knows(
    tmp_path: Path,
) -> None:
    file, out = tmp_path / "people.csv", tmp_path / "release"
    rows = frame_of("staff").with_columns(xkv=pl.Series([str(i % 7) for i in range(N)]))
    rows.write_csv(file, separator=";")
    shown = CliRunner().invoke(app, ["inspect", str(file), "--delimiter", ";"])
    assert "Decide about 1 column" in shown.stdout
    _, *arguments = shlex.split(shown.stdout.splitlines()[-1])
    assert arguments[0] == "anonymize"
    assert arguments[arguments.index("--drop") + 1] == "xkv"
    done = CliRunner().invoke(app, [*arguments[:-1], str(out)])
    assert done.exit_code == 0, done.output
    kept = pl.read_csv(out / "release.csv").columns
    assert set(rows.columns) - set(kept) == {"xkv", "EmployeeNumber"}


def test_the_command_reads_other_quotation_marks_and_sheets(tmp_path: Path) -> None:
    run = CliRunner().invoke
    quoted, book = tmp_path / "people.csv", tmp_path / "people.xlsx"
    quoted.write_text("'age','full, name'\n34,'Müller, Eva'\n51,'Novak, Ida'\n", encoding="utf-8")
    with Workbook(book) as workbook:
        pl.DataFrame({"note": ["first", "sheet"]}).write_excel(workbook, worksheet="notes")
        frame_of("insurance").write_excel(workbook, worksheet="people")
    for arguments, columns in (
        ([str(quoted), "--quote", "'"], ["age", "full, name"]),
        ([str(book), "--sheet", "people"], frame_of("insurance").columns),
    ):
        spoken = run(app, ["inspect", *arguments, "--json"])
        assert spoken.exit_code == 0, spoken.stderr
        assert [column["name"] for column in json.loads(spoken.stdout)["columns"]] == columns


def test_the_command_fails_in_words(tmp_path: Path) -> None:
    run = CliRunner().invoke
    assert run(app, ["inspect", str(tmp_path / "absent.csv")]).exit_code == 2
    file = tmp_path / "people.csv"
    frame_of("things").write_csv(file)
    nowhere = run(app, ["inspect", str(file), "--recipe", str(tmp_path / "no" / "r.toml")])
    assert nowhere.exit_code == 2
    assert "the recipe cannot be written" in nowhere.stderr
    assert "No quasi-identifiers found" in run(app, ["inspect", str(file)]).output


def test_recognition_reaches_its_bar_on_the_public_sets(shared_data: Path) -> None:
    total = Scores(0, 0, 0, 0)
    for name, known in truths().items():
        people = la.read(shared_data / known.path, others=[])
        truth = truth_of(name, people.names)
        total += la.score_recognition(la.inspect(people).quasi, truth.quasi, people.names)
    assert total.f1 >= 0.9


def test_a_truth_is_checked_against_the_columns() -> None:
    with pytest.raises(la.RequestError, match="it lacks age"):
        truth_of("heart_cleveland", ["sex"])
    with pytest.raises(la.RequestError, match="there is no truth for"):
        truth_of("moon", [])


def test_patients_with_several_stays_are_counted_as_people(tmp_path: Path) -> None:
    draw = np.random.default_rng(5)
    of_row = np.repeat(np.arange(300), draw.choice([1, 1, 2, 3], 300))
    born = np.datetime64("1930-01-01") + draw.integers(0, 27_000, 300)
    frame = pl.DataFrame(
        {
            "Fallnr": np.arange(len(of_row)) * 4 // 5 + 70_000,
            "Pat-Nr": [f"P{i:05d}" for i in of_row],
            "Nachname": draw.choice(["Huber", "Gruber", "Bauer", "Wagner", "Moser"], 300)[of_row],
            "Geburtsdatum": pl.Series(born[of_row]),
            "Geschlecht": draw.choice(["m", "w"], 300)[of_row],
            "Diagnose": draw.choice(["E11.9", "I10", "J45.0", "F32.1"], len(of_row)),
        }
    )
    found = la.inspect(frame)
    assert found.having("identifier") == ["Fallnr", "Pat-Nr", "Nachname"]
    assert la.prepare(frame).source["unit"] == "Pat-Nr"


def test_rows_of_one_person_are_no_evidence_that_columns_are_linked() -> None:
    """What a person's rows repeat would seem to follow from any two columns that tell people apart."""
    rng = np.random.default_rng(0)
    person = np.repeat(np.arange(300), 5)
    frame = pl.DataFrame(
        {
            "patient id": [f"P{i:04d}" for i in person],
            "age": rng.integers(18, 90, 300)[person],
            "admission date": np.array(
                [str(np.datetime64("2024-01-01") + d) for d in rng.integers(0, 120, 300)]
            )[person],
            "treatment": rng.choice(["drug", "placebo", "none"], 300)[person],
        }
    )
    found = la.inspect(frame)
    assert found.unit() == "patient id"
    assert found.linked == ()
    assert la.inspect(frame.drop("patient id")).linked != ()
