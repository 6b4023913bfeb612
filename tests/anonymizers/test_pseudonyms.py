"""Keyed pseudonyms: known vectors, keys that never show."""

from __future__ import annotations

import random
import stat
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import lookalike as la

KEY = la.Key(bytes(range(32)))


def test_known_vectors() -> None:
    lee = KEY.pseudonym(["Ann Lee", "AB1 2CD"])
    other = KEY.pseudonym(["Ann LeeA", "B1 2CD"])
    assert lee == "7b67afe162e883e9b7d1dc9e8df9d94ac5f15ad02d831e193521f995e934a431"
    assert other == "890fedec14990dd52292b3f130f78912e890312c6c2cf9b916e54518b3f9c92a"


def test_a_key_file_is_for_its_owner_only_and_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "key"
    key = la.Key.generate(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert la.Key.read(path) == key
    with pytest.raises(la.FileError, match="never overwritten"):
        la.Key.generate(path)
    assert la.Key.read(path) == key


@pytest.mark.parametrize("secret", ["x" * 32, b"short"])
def test_a_key_has_bytes_enough(secret: Any) -> None:
    with pytest.raises(la.RequestError, match=r"32 bytes .* Key.generate"):
        la.Key(secret)


@pytest.mark.parametrize("secret", [bytes(32), b"k" * 32, bytes.fromhex("deadbeef" * 8), b"0123456789" * 4])
def test_a_key_that_repeats_itself_is_refused(secret: bytes, tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text(secret.hex())
    path.chmod(0o600)
    for make in (lambda: la.Key(secret), lambda: la.Key.read(path)):
        with pytest.raises(la.RequestError, match=r"can be guessed. Key.generate") as refusal:
            make()
        assert secret.hex()[:8] not in str(refusal.value)


def test_random_keys_are_never_taken_for_repeated_ones() -> None:
    draw = random.Random(0)
    assert all(la.Key(draw.randbytes(32)) for _ in range(2_000))
    assert all(la.Key(draw.randbytes(32).hex().encode()) for _ in range(2_000))


def test_a_key_never_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    assert repr(KEY) == "Key(…)"
    assert KEY.secret.hex() not in f"{KEY} {KEY!r} {vars(KEY).keys()}"
    monkeypatch.setenv("LOOKALIKE_KEY", "abc")
    with pytest.raises(la.RequestError) as problem:
        la.Key.from_environment()
    assert "abc" not in str(problem.value).replace("LOOKALIKE", "")
    monkeypatch.setenv("LOOKALIKE_KEY", KEY.secret.hex())
    assert la.Key.from_environment() == KEY
    monkeypatch.delenv("LOOKALIKE_KEY")
    with pytest.raises(la.RequestError, match="not set"):
        la.Key.from_environment()


def test_same_people_get_the_same_pseudonym_and_are_counted() -> None:
    people = la.table(
        pl.DataFrame({"name": ["Ann", "Bob", "Ann", None], "age": [1, 2, 3, 4]}),
        identifiers=["name"],
        others=[],
    )
    made = la.pseudonymise(people, ["name"], key=KEY)
    assert made.values[0] == made.values[2] == KEY.pseudonym(["Ann"])
    assert len(set(made.values)) == 3
    assert made.duplicates == 2
    assert made.values[3] == KEY.pseudonym([""])


def test_random_tokens_come_with_the_private_table_that_links_them() -> None:
    people = la.table(pl.DataFrame({"name": ["Ann", "Bob"], "age": [1, 2]}), identifiers=["name"], others=[])
    made = la.pseudonymise(people, ["name"])
    again = la.pseudonymise(people, ["name"])
    assert made.private is not None
    assert dict(zip(made.private["pseudonym"], made.private["name"], strict=True)) == dict(
        zip(made.values, ["Ann", "Bob"], strict=True)
    )
    assert set(made.values).isdisjoint(again.values)
    assert "Ann" not in repr(made)


def test_a_pseudonym_in_a_release_is_reported_as_the_link_it_is() -> None:
    people = la.table(
        pl.DataFrame({"name": list("abcd"), "age": [1, 1, 2, 2]}), identifiers=["name"], quasi=["age"]
    )
    made = la.pseudonymise(people, ["name"], key=KEY)
    with pytest.warns(la.LookalikeWarning, match="pseudonym"):
        release = la.anonymize(
            people, la.KAnonymity(2), method="levels", levels={}, pseudonyms={"name": made}
        )
    assert set(release.rows["name"]) == set(made.values)
    assert release.certificate["columns"]["name"]["treatment"] == "pseudonymise"
    assert KEY.secret.hex() not in str(release.certificate) + str(release.recoding.to_dict(private=True))


def test_ids_that_look_like_one_number_are_different_people() -> None:
    ids = ["1E5", "100000", "1.10", "1.1", "007", "7", " 7", "?", "2024-01-05", "20240105"]
    people = la.table(pl.DataFrame({"id": ids, "age": range(len(ids))}), identifiers=["id"], others=[])
    made = la.pseudonymise(people, ["id"], key=KEY)
    assert made.values == [KEY.pseudonym([text]) for text in ids]
    assert made.duplicates == 0


@pytest.mark.parametrize("column", [["5", "6"], ["2024-01-05", "2024-01-06"], ["05/06/2024", "1,000"]])
def test_no_other_row_changes_a_pseudonym(column: list[str], tmp_path: Path) -> None:
    def made(values: list[str]) -> list[str]:
        file = tmp_path / "people.csv"
        pl.DataFrame({"id": values, "age": range(len(values))}).write_csv(file)
        people = la.read(file, identifiers=["id"], others=[])
        return la.pseudonymise(people, ["id"], key=KEY).values

    assert made([*column, "odd one"])[:2] == made(column) == [KEY.pseudonym([text]) for text in column]


def test_a_missing_value_beside_it_changes_no_number() -> None:
    import pandas as pd

    whole = la.table(pd.DataFrame({"id": [5, 6], "age": [1, 2]}), identifiers=["id"], others=[])
    gap = la.table(pd.DataFrame({"id": [5, 6, None], "age": [1, 2, 3]}), identifiers=["id"], others=[])
    assert gap.rows["id"].dtype == pl.Float64
    assert (
        la.pseudonymise(gap, ["id"], key=KEY).values[:2]
        == la.pseudonymise(whole, ["id"], key=KEY).values
        == [KEY.pseudonym(["5"]), KEY.pseudonym(["6"])]
    )


def test_a_pseudonym_of_a_column_that_is_not_there_is_refused() -> None:
    people = la.table(pl.DataFrame({"name": ["Ann"], "age": [1]}), identifiers=["name"], others=[])
    with pytest.raises(la.ColumnError, match="Did you mean 'name'"):
        la.pseudonymise(people, ["nam"], key=KEY)


def test_a_key_that_others_can_read_is_warned_about(tmp_path: Path) -> None:
    path = tmp_path / "key"
    la.Key.generate(path)
    la.Key.read(path)  # no warning: a warning would be an error
    path.chmod(0o640)
    with pytest.warns(la.LookalikeWarning, match="chmod 600"):
        la.Key.read(path)
