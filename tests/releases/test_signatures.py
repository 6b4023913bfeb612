"""A signed certificate: whatever is edited, by whomever, is found by who has the signer's public key."""

from __future__ import annotations

import json
import shutil
import stat
import subprocess
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import lookalike as la
from lookalike.cli import app
from lookalike.releases.certificate import checksum


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    table = la.table(pl.DataFrame({"age": [1, 1, 2, 2], "x": list("abcd")}), quasi=["age"], others=["x"])
    la.anonymize(table, la.KAnonymity(2), method="mondrian").save(tmp_path / "out")
    la.generate_signing_key(tmp_path / "office.key")
    la.sign(tmp_path / "out", key=tmp_path / "office.key")
    return tmp_path / "out"


def _verify(folder: Path, signer: str = "office.key.pub") -> la.Verification:
    return la.verify(folder / "release.csv", folder / "certificate.json", signer=folder.parent / signer)


def test_a_signed_certificate_holds_for_its_signer_and_nobody_else(folder: Path) -> None:
    assert _verify(folder).ok
    assert la.verify(folder / "release.csv", folder / "certificate.json").signature.startswith("signed with")
    la.generate_signing_key(folder.parent / "other.key")
    assert not _verify(folder, "other.key.pub").ok


def test_an_edit_that_only_a_signature_can_find_is_found(folder: Path) -> None:
    path = folder / "certificate.json"
    shutil.rmtree(folder / "private")
    written = json.loads(path.read_text())
    written["measured"]["method"] = "magic"
    written["checksum"] = checksum(written)
    path.write_text(json.dumps(written))
    assert la.verify(folder / "release.csv", path).ok
    assert [f.check for f in _verify(folder).findings if f.ok is False] == ["signature"]


def test_one_changed_byte_and_a_missing_signature_are_found(folder: Path) -> None:
    path = folder / "certificate.json"
    path.write_text(path.read_text() + " ")
    assert not _verify(folder).ok
    (folder / "certificate.json.sig").unlink()
    finding = next(f for f in _verify(folder).findings if f.check == "signature")
    assert finding.ok is False
    assert "not signed" in finding.message


def test_keys_are_for_their_owner_and_never_overwritten(folder: Path) -> None:
    key = folder.parent / "office.key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    before = key.read_bytes()
    with pytest.raises(la.FileError, match="never overwritten"):
        la.generate_signing_key(key)
    Path(f"{key}.pub").unlink()
    with pytest.raises(la.FileError, match="never overwritten"):
        la.generate_signing_key(key)
    assert key.read_bytes() == before
    key.chmod(0o644)
    with pytest.warns(la.LookalikeWarning, match="chmod 600"):
        la.sign(folder, key=key)


@pytest.mark.parametrize("content", ["", "x", "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n"])
def test_what_is_no_key_is_refused(folder: Path, content: str) -> None:
    wrong = folder.parent / "wrong"
    wrong.write_text(content)
    wrong.chmod(0o600)
    with pytest.raises(la.FileError, match="is not a key for signing"):
        la.sign(folder, key=wrong)
    with pytest.raises(la.FileError, match="is not a signer's public key"):
        _verify(folder, "wrong")
    with pytest.raises(la.FileError, match="is not a signer's public key"):
        _verify(folder, "office.key")


@pytest.mark.parametrize(
    "content",
    ["", "[]", "[" * 100_000, '{"format": 1, "algorithm": "Ed25519", "signer": 5, "signature": "zz"}'],
)
def test_what_is_no_signature_is_refused(folder: Path, content: str) -> None:
    (folder / "certificate.json.sig").write_text(content)
    with pytest.raises(la.FileError, match="is not a signature"):
        _verify(folder)


def test_a_signed_release_can_be_replaced(folder: Path) -> None:
    table = la.table(pl.DataFrame({"age": [1, 1]}), quasi=["age"])
    la.anonymize(table, la.KAnonymity(2)).save(folder, overwrite=True)
    assert not (folder / "certificate.json.sig").exists()


def test_keys_are_as_other_tools_write_them(folder: Path) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    key = folder.parent / "theirs.key"
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", key], check=True)
    key.chmod(0o600)
    subprocess.run(["openssl", "pkey", "-in", key, "-pubout", "-out", f"{key}.pub"], check=True)
    la.sign(folder, key=key)
    assert _verify(folder, "theirs.key.pub").ok


def test_in_the_shell(folder: Path) -> None:
    run = CliRunner().invoke
    key = folder.parent / "shell.key"
    assert run(app, ["key", str(key), "--signing"]).exit_code == 0
    done = run(app, ["sign", str(folder), "--key", str(key)])
    assert done.exit_code == 0, done.output
    check = ["verify", str(folder / "release.csv"), str(folder / "certificate.json"), "--json"]
    answer = json.loads(run(app, [*check, "--signer", f"{key}.pub"]).stdout)
    assert answer["ok"]
    assert answer["signature"].startswith("signed")
    wrong = run(app, [*check, "--signer", str(folder.parent / "office.key.pub")])
    assert wrong.exit_code == 1
    (folder / "release.csv").write_text("age,x\n1,a\n")
    assert run(app, ["sign", str(folder), "--key", str(key)]).exit_code == 1


@pytest.mark.parametrize("file", ["dictionary.md", "datapackage.json", "report.html"])
def test_an_edit_of_a_file_beside_the_certificate_is_found(tmp_path: Path, file: str) -> None:
    people = la.table(pl.DataFrame({"q": list("aabb"), "s": list("xyxy")}), quasi=["q"], sensitive=["s"])
    folder = la.anonymize(people, la.KAnonymity(2)).save(tmp_path / "out")
    public = la.generate_signing_key(tmp_path / "office.key")
    la.sign(folder, key=tmp_path / "office.key")
    call = (folder / "release.csv", folder / "certificate.json")
    assert la.verify(*call, signer=public).ok
    (folder / file).write_text((folder / file).read_text(encoding="utf-8") + " ", encoding="utf-8")
    told = la.verify(*call, signer=public)
    assert not told.ok
    assert f"not as certified: {file}" in str(told)
    (folder / file).unlink()  # who sends less has not changed anything
    assert la.verify(*call, signer=public).ok
