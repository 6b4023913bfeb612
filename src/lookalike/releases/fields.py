"""Every field of a certificate: how `verify` checks it, and what it tells whoever reads it besides the release.

A field is *recomputed* from the release, *compared* with another field, file or the recoding, or only *stated*: nobody
who has the release alone can tell whether it is so, and only a signature keeps it from being edited.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple


class Field(NamedTuple):
    """How a field is checked, and what it reveals."""

    checked: str
    reveals: str
    optional: bool = False  #: it may be missing, which says something, too


NOTHING = "nothing that the release does not show"
FIELDS: dict[str, Field] = {
    "format": Field("compared", "nothing"),
    "promise": Field("recomputed", "what was promised; that nothing stricter was is only stated"),
    "achieved.*": Field("recomputed", NOTHING + "; of people or a population, one number each"),
    "missing": Field("compared", "nothing"),
    "counted": Field("stated", "whether a person may have several rows"),
    "unit": Field("stated", "which published column tells people apart"),
    "quasi": Field("compared", "which columns were taken to be known to outsiders"),
    "sensitive": Field("compared", "which columns were taken to be sensitive, also those left out"),
    "suppressed_rows": Field("recomputed", "whether records left out are gone or rows of stars"),
    "measured.records": Field("compared", "how many records the original had"),
    "measured.suppressed": Field("compared", "how many records were left out, and nothing about them"),
    "measured.classes": Field("recomputed", NOTHING),
    "measured.k": Field("recomputed", NOTHING),
    "measured.levels": Field("compared", NOTHING),
    "measured.method": Field("stated", "how the recoding was searched for"),
    "measured.proven_optimal": Field("stated", "whether the search came to an end"),
    "measured.largest basic semantic risk": Field("recomputed", NOTHING),
    "measured.time limit in seconds": Field("stated", "that the search had a limit", optional=True),
    "columns.*.role": Field("stated", "what a column of the original was taken for, or that it was left out"),
    "columns.*.treatment": Field("stated", "what was done to each column"),
    "columns.*.digest": Field("recomputed", NOTHING),
    "columns.*.labels": Field("recomputed", NOTHING),
    "columns.*.star": Field("recomputed", NOTHING),
    "columns.*.level": Field("stated", "how far up its hierarchy each column was taken"),
    "columns.*.numbers": Field("stated", "that ranges were published as their midpoint or mean", optional=True),
    "linked": Field("stated", "about which columns something was decided, and what; not which links were found"),
    "known.*": Field("recomputed", NOTHING),
    "meanings": Field("stated", "the order, groups or spelling of released sensitive values"),
    "attributes": Field("stated", "which released values share attributes"),
    "recoding": Field("stated", "nothing: a commitment under a key that stays with the recoding"),
    "versions.*": Field("stated", "which software made it"),
    "release.file": Field("stated", "nothing: the file may be renamed"),
    "release.sha256": Field("recomputed", NOTHING),
    "release.spreadsheet_safe": Field("stated", NOTHING),
    "beside.*": Field("recomputed", "nothing: digests of files that go out beside the release"),
    "checksum": Field("recomputed", "nothing"),
}  # fmt: skip


def field_of(path: str) -> str | None:
    """The field that a path such as `columns.age.level` belongs to; None where no certificate has it."""
    found = _PATHS.fullmatch(path)
    return None if found is None else list(FIELDS)[int(str(found.lastgroup)[1:])]


def _pattern(field: str) -> str:
    """The paths of a field: itself, what lies below it, and a mapping that is empty."""
    named = re.escape(field).replace(r"\*", ".*")
    if "*" not in field:
        return rf"{named}(\..*)?"
    return f"{named}|{named[:-4]}" if field.endswith(".*") else named


_PATHS = re.compile("|".join(f"(?P<f{i}>{_pattern(field)})" for i, field in enumerate(FIELDS)), re.DOTALL)


def paths(written: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """The path of every value in a certificate; lists are one value, an empty mapping too."""
    for name, value in written.items():
        if isinstance(value, Mapping) and value:
            yield from paths(value, f"{above}{name}.")
        else:
            yield f"{above}{name}"
