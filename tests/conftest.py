"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public data sets, or a visible skip where it is absent."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("LOOKALIKE_DATA", beside))
    if not folder.is_dir():
        pytest.skip("public data sets not found; set LOOKALIKE_DATA to their folder")
    return folder


@pytest.fixture(scope="session", autouse=True)
def _saves_side_by_side() -> Iterator[None]:
    """Tests save several releases of the same invented people beside each other; `test_beside.py` looks at them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lookalike.releases.release.refuse_overlaps", lambda *_: [])
        yield
