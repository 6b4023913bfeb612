"""What names and values mean: several languages, check digits, shapes; and what they must not be mistaken for."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.tables.meanings import check_digits
from lookalike.tables.meanings.check_digits import CHECKED
from lookalike.tables.meanings.concepts import CONCEPTS
from lookalike.tables.meanings.names import lexicon, read_name, split_words
from lookalike.tables.meanings.patterns import read_values, vocabularies


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("dateOfBirth", ["date", "of", "birth"]),
        ("DATE_OF_BIRTH", ["date", "of", "birth"]),
        ("ZIPCode3", ["zip", "code", "3"]),
        ("marital-status", ["marital", "status"]),
        ("Straße", ["strasse"]),
        ("Âge", ["age"]),
        ("年龄", ["年龄"]),
        ("", []),
    ],
)
def test_names_are_cut_into_words(name: str, words: list[str]) -> None:
    assert split_words(name) == words


@pytest.mark.parametrize(
    ("concept", "names"),
    [
        (
            "birth_date",
            "dob DateOfBirth birth_date Geburtsdatum gebdat date_naissance fechaNacimiento geboortedatum",
        ),
        ("birth_date", "data_nascimento DataDiNascita 出生日期 patient.birthdate"),
        ("sex", "sex Gender GESCHLECHT sexe sexo geslacht sesso gênero 性别 płeć"),
        ("age", "age AGE_GROUP alter leeftijd edad idade età âge ageYears agegrp kundenalter 年齢"),
        ("postcode", "zip ZIP_Code postcode PLZ Postleitzahl code_postal CódigoPostal cep 邮编"),
        ("place", "city county Wohnort commune municipio woonplaats comune bairro state"),
        (
            "marital",
            "marital-status Familienstand situation_matrimoniale estado_civil burgerlijke_staat stato_civile",
        ),
        (
            "education",
            "education EDUC Bildungsabschluss niveau_etudes escolaridad opleiding titolo_studio Weducation medu",
        ),
        ("occupation", "occupation jobTitle Beruf métier profesión beroep professione Fjob"),
        (
            "nationality",
            "nationality Staatsangehörigkeit Staatsangehoerigkeit nationalité birthplace native-country",
        ),
        ("race", "race ethnicity RACEX raza etnia"),
        ("last_name", "surname Nachname apellidos achternaam cognome sobrenome"),
        ("phone", "phone mobile Telefonnummer téléphone teléfono telefoonnummer"),
        ("diagnosis", "diagnosis ICD10 Hauptdiagnose maladie enfermedad aandoening malattia doença"),
        ("income", "income Gehalt Nettoeinkommen salaire salario inkomen reddito renda"),
        ("belief", "religion Konfession geloof religião"),
    ],
)
def test_names_are_understood_in_many_languages(concept: str, names: str) -> None:
    for name in names.split():
        assert read_name(name)[0].concept == concept, name


@pytest.mark.parametrize(
    "name",
    [
        "page",
        "stage",
        "usage",
        "average",
        "storage",
        "trace",
        "persons",
        "operating",
        "manage",
        "grace",
        "value",
    ],
)
def test_words_inside_other_words_are_not_seen(name: str) -> None:
    assert not [r for r in read_name(name) if CONCEPTS[r.concept].role == "quasi"]


def test_a_things_attribute_is_told_from_a_persons() -> None:
    assert read_name("merchant_county")[0].whose == "thing"
    assert read_name("hospital_county")[0].whose == "site"
    assert read_name("doctor_sex")[0].whose == "staff"
    assert read_name("patient_county")[0].whose == "person"
    assert read_name("county")[0].whose == "person"


def test_the_lexicon_and_vocabularies_speak_of_known_concepts() -> None:
    assert {c for owners in lexicon().terms.values() for c in owners} <= set(CONCEPTS)
    assert set(vocabularies()) - {"neutral"} <= set(CONCEPTS)


VALID = {
    "iban": "GB82WEST12345698765432",
    "nir": "255081416802538",
    "codice_fiscale": "RSSMRA85T10A562S",
    "chinese": "11010519491231002X",
    "dni": "12345678Z",
    "hetu": "131052-308T",
    "belgian": "85073003328",
    "cpf": "52998224725",
    "tc_kimlik": "10000000146",
    "fodselsnummer": "01010750160",
    "pesel": "44051401359",
    "ahv": "7569217076985",
    "steuer_id": "86095742719",
    "personnummer": "8112289874",
    "aadhaar": "234123412346",
    "nhs": "9434765919",
    "bsn": "111222333",
    "nif_pt": "123456789",
    "vin": "1M8GDM9AXKP042788",
    "luhn": "4111111111111111",
}  # examples published to show the scheme; nobody's numbers


@pytest.mark.parametrize("scheme", VALID)
def test_a_published_example_passes_and_its_neighbour_fails(scheme: str) -> None:
    valid = getattr(check_digits, scheme)
    number = VALID[scheme]
    assert valid(number)
    place = next(i for i in range(len(number) - 1, -1, -1) if number[i].isdigit())
    wrong = number[:place] + str((int(number[place]) + 1) % 10) + number[place + 1 :]
    assert not valid(wrong)


@given(st.text(max_size=20))
def test_no_check_fails_on_any_text(text: str) -> None:
    assert all(isinstance(kind.valid(text), bool) for kind in CHECKED)


def strongest(values: list[object], name: str = "x") -> str | None:
    found = read_values(la.table(pl.DataFrame({name: values}), others=[]).column(name))
    return found[0].concept if found else None


@pytest.mark.parametrize(
    ("concept", "values"),
    [
        ("email", [f"p{i}@example.org" for i in range(9)]),
        ("online_id", [f"10.0.{i}.7" for i in range(9)]),
        ("online_id", [f"https://example.org/{i}" for i in range(9)]),
        ("person_id", [f"{i:08x}-0000-4000-8000-00000000000{i}" for i in range(9)]),
        ("national_id", [f"12{i}-45-678{i}" for i in range(9)]),
        ("phone", [f"+44 20 7946 000{i}" for i in range(9)]),
        ("postcode", ["SW1A 1AA", "M1 1AE", "B33 8TH", "CR2 6XH", "DN55 1PT"]),
        ("postcode", ["1011 AB", "2513 AA", "3511 CE", "9712 HM", "6211 KW"]),
        ("postcode", ["K1A 0B1", "H2X 3Y7", "V6B 4Y8", "T2P 2M5", "M5V 3L9"]),
        ("street_address", [f"{i} High Street" for i in range(1, 9)]),
        ("street_address", [f"Lindenstraße {i}" for i in range(1, 9)]),
        ("event_date", [f"0{i}-22-1990" for i in range(1, 9)]),
        ("event_date", [f"0{i}:29" for i in range(9)]),
        ("diagnosis", ["I21.0", "E11.9", "J18.9", "C50.1", "K35.8", "F32.1", "M54.5", "S72.0"]),
        ("diagnosis", ["250.83", "428.1", "414.0", "V27.0", "E900", "648.9", "197.0", "276.5"]),
        ("age", ["0 to 17", "18 to 29", "30 to 49", "50 to 69", "70 or Older"]),
        ("sex", ["male", "female"]),
        ("marital", ["ledig", "verheiratet", "geschieden"]),
        ("place", ["Germany", "France", "Spain", "Italy"]),
        (
            "person_name",
            ["Anna Schmidt", "John Smith", "Marie Dubois", "Luca Rossi", "Carlos Garcia", "Emma Brown"],
        ),
        ("exact_point", [f"51.50{i}1, -0.12{i}7" for i in range(9)]),
    ],
)
def test_values_are_recognised_without_a_name(concept: str, values: list[object]) -> None:
    assert strongest(values) == concept


def test_check_digits_overrule_digits() -> None:
    numbers = [VALID["bsn"], "123456782", "100000009", "100000011"]
    assert [check_digits.bsn(n) for n in numbers] == [True, True, True, False]
    thousand = (f"{n:09d}" for n in range(100_000_000, 100_004_000))
    valid = [n for n in thousand if check_digits.bsn(n)]
    assert strongest(valid) == "national_id"


def test_codes_of_a_code_book_are_not_illnesses() -> None:
    assert strongest(["A11", "A12", "A13", "A14", "A30", "A31", "A32", "A33", "A34"]) is None


def test_long_prose_is_read_fast_and_is_free_text() -> None:
    text = "seen today with mild pain and no further action needed " * 200
    assert strongest([f"{text}{i}" for i in range(30)]) == "free_text"


GERMAN = (
    "Pat-Nr",
    "PatNr",
    "PATNR",
    "Fallnr",
    "Kunden-Nr",
    "KdNr",
    "Mitarbeiter-Nr",
    "Probanden-ID",
    "MatrNr",
)
ENGLISH = (
    "customer_no",
    "cust_no",
    "CUSTNO",
    "emp_no",
    "policy_no",
    "NumPatient",
    "case_no",
    "Patient",
    "Subject",
)
OTHERS = ("num_client", "id_paciente", "numéro de dossier", "patiënt nr")


@pytest.mark.parametrize("name", [*GERMAN, *ENGLISH, *OTHERS])
def test_numbers_given_to_people_are_read_in_every_spelling(name: str) -> None:
    assert read_name(name)[0].concept == "person_id"


@pytest.mark.parametrize(
    "name",
    ["num_children", "number of patients", "employee count", "Policy Type", "Fallzahl", "personal status"],
)
def test_numbers_of_people_are_not_numbers_given_to_them(name: str) -> None:
    assert "person_id" not in {one.concept for one in read_name(name)}


def test_a_dozen_patients_with_many_rows_are_people_and_places_in_a_household_are_not() -> None:
    def concept(name: str, numbers: list[int]) -> str:
        rows = pl.DataFrame({name: numbers, "age": [20 + i % 50 for i in range(len(numbers))]})
        return next(one.concept for one in la.inspect(rows).columns if one.name == name)

    assert concept("patient_id", [i % 12 + 1 for i in range(600)]) == "person_id"
    sizes = [1 + i % 4 + (4 if i % 50 == 0 else 0) for i in range(300)]
    members = [place for size in sizes for place in range(1, size + 1)]
    assert concept("person_no", members) != "person_id"


@pytest.mark.parametrize(
    "form", ["{month:02}/{year}", "{month:02}.{year}", "{year}-{month:02}", "{year} Q{part}"]
)
def test_months_and_quarters_of_years_are_dates_and_no_keys(form: str) -> None:
    values = [form.format(month=i % 12 + 1, part=i % 4 + 1, year=2000 + i % 23) for i in range(600)]
    rows = pl.DataFrame({"First registered": values, "sex": ["f", "m"] * 300})
    assert la.inspect(rows)["First registered"].concept == "event_date"


def test_a_date_of_something_private_is_known_for_its_date() -> None:
    days = [f"2024-{i % 12 + 1:02}-{i % 28 + 1:02}" for i in range(300)]
    told = la.inspect(pl.DataFrame({"Claim date": days, "sex": ["f", "m", "m"] * 100}))["Claim date"]
    assert told.role == "quasi"
    assert told.evidence[0] == "the name says money ('claim'), and the values when that was"
