"""Files: uploads are their owner's only and go; what a crash left goes at the next start; recipes stay."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

import pytest

from lookalike.web.folders import PrivateFolder, keep_recipe, kept_recipe, wipe_left_behind
from lookalike.web.steps.release import inside


@pytest.fixture(autouse=True)
def _own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def test_the_private_folder_is_its_owners_and_goes() -> None:
    private = PrivateFolder()
    mine = private.of("session")
    (mine / "table.csv").write_text("a\n1\n")
    if os.name != "nt":
        assert stat.S_IMODE(private.path.stat().st_mode) == 0o700
        assert stat.S_IMODE(mine.stat().st_mode) == 0o700
    private.remove()
    assert not private.path.exists()


def test_a_folder_left_behind_is_wiped_and_one_in_use_is_not(tmp_path: Path) -> None:
    left = tmp_path / "lookalike-serve-crashed"
    left.mkdir()
    (left / "lock").touch()
    (left / "table.csv").write_text("a\n1\n")
    running = PrivateFolder()
    assert not left.exists()
    wipe_left_behind()
    assert running.path.exists()
    running.remove()


def test_a_recipe_is_kept_for_its_owner_and_a_damaged_one_is_none(tmp_path: Path) -> None:
    keep_recipe("d", {"roles": {"age": "quasi"}})
    assert kept_recipe("d") == {"roles": {"age": "quasi"}}
    file = next((tmp_path / "state").rglob("d.json"))
    if os.name != "nt":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    for damaged in ("{", "[1]", "[" * 200_000, '{"a":' * 200_000, "\x00"):
        file.write_text(damaged)
        assert kept_recipe("d") is None
    assert kept_recipe("never") is None


@pytest.mark.parametrize("typed", ["", " ", ".", "..", "../out", "a/../..", "/etc/out", "a/../../b"])
def test_no_release_is_saved_outside_the_chosen_folder(tmp_path: Path, typed: str) -> None:
    assert inside(tmp_path, typed) is None


def test_a_release_is_saved_below_it(tmp_path: Path) -> None:
    assert inside(tmp_path, "out/2027") == tmp_path.resolve() / "out" / "2027"
    (tmp_path / "link").symlink_to("/")
    assert inside(tmp_path, "link/out") is None
