"""The certificate of a release: what is promised, what was measured, and digests by which a third party can check it.

It holds no value, and nothing by which a guess about somebody left out could be tested: all of it is computed from
what is released, but for two counts (`records`, `suppressed`) and a commitment to the recoding under a secret key.
Digests of released values can be made by anybody who has the release. `fields.py` says what each field gives away.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import math
import platform
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

import lookalike
from lookalike.models.model import Model
from lookalike.recodings import Recoding, treatments
from lookalike.recodings.treatments import Drop, Follow, Keep, Pseudonymise
from lookalike.tables.coded import ReleasedRows, ValueCounts, as_text
from lookalike.tables.columns.grouping import first_of_each
from lookalike.tables.columns.roles import Kind, Role
from lookalike.tables.columns.texts import FEW
from lookalike.tables.table import Table

FORMAT = 2
MISSING = "a missing value counts as a value of its own"
SALT_BYTES = 32
_DIGITS = 16
_AT_ONCE = 1 << 16  # values


def certify(
    people: Table,
    rows: ReleasedRows,
    recoding: Recoding,
    *,
    models: Sequence[Model],
    achieved: Mapping[str, float],
    measured: Mapping[str, Any],
    salt: bytes,
    linked: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """The certificate of a release as plain JSON values; `salt` is the secret key of its commitment."""
    counts = {name: rows.counts(name) for name in rows.schema}
    starred = recoding.suppressed == "star" and measured["suppressed"] > 0
    columns, schema = {}, rows.schema
    quasi, levels = set(recoding.quasi), recoding.levels
    for name, treatment in recoding.columns.items():
        entry: dict[str, Any] = {
            "role": _role(people.roles[name], treatment),
            "treatment": treatments.to_dict(treatment)["treatment"],
        }
        if name in counts:
            entry["digest"] = column_digest(counts[name])
            if name in quasi:
                entry["labels"] = sorted(label_digest(name, value) for value in counts[name].values)
                if starred:
                    entry["star"] = "*" if schema[name] == pl.String else None
        if getattr(treatment, "numbers", "range") != "range":
            entry["numbers"] = treatment.numbers  # type: ignore[union-attr]
        if name in levels:
            entry["level"] = levels[name]
        columns[name] = entry
    stars = [columns[name]["star"] for name in recoding.quasi] if starred else []
    certificate = {
        "format": FORMAT,
        "promise": [_promise(people, model) for model in models],
        "achieved": {name: level if math.isfinite(level) else None for name, level in achieved.items()},
        "missing": MISSING,
        "counted": "records" if people.unit is None else "people",
        "unit": _published_unit(people, recoding),
        "quasi": recoding.quasi,
        "sensitive": list(recoding.sensitive),
        "suppressed_rows": recoding.suppressed,
        "measured": {key: value for key, value in measured.items() if key != "attributes"},
        "columns": columns,
        "meanings": _meanings(people, models, counts),
        "linked": _decisions(recoding, linked),
        "known": rows.smallest_known(recoding.quasi, stars),
        "recoding": commit(recoding.to_dict(), salt),
        "versions": {
            "lookalike": lookalike.__version__,
            "python": platform.python_version(),
            "polars": pl.__version__,
        },
    }
    if "attributes" in measured:
        certificate["attributes"] = {
            name: {label_digest(name, label): numbers for label, numbers in labels}
            for name, labels in measured["attributes"].items()
        }
    return certificate


def _role(role: Role, treatment: treatments.Treatment) -> str:
    """What a column is in the release: of what names nobody and is left out, no more is said than that."""
    return "left out" if role is Role.OTHER and isinstance(treatment, Drop) else str(role)


def _decisions(recoding: Recoding, linked: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What was decided about each column. Which links were found is not told: rows left out are among the evidence."""
    choices = {name: link["choice"] for link in linked if link["choice"] for name in link["columns"]}
    followed = {name: list(how.of) for name, how in recoding.columns.items() if isinstance(how, Follow)}
    return [
        {"columns": [name], "quasi": followed.get(name, []), "choice": choices[name]}
        for name in recoding.columns
        if name in choices
    ]


def _promise(people: Table, model: Model) -> dict[str, Any]:
    """A promise that leaves nothing to the kind of its columns: a checker need not know how they were read."""
    for name in model.columns:
        model = model.spelled_out(people.column(name).kind)
    return model.to_dict()


def _published_unit(people: Table, recoding: Recoding) -> str | None:
    """The column by which a reader of the release can tell people apart, where there is one."""
    for name, treatment in recoding.columns.items():
        kept = name == people.unit and isinstance(treatment, Keep)
        linked = isinstance(treatment, Pseudonymise) and treatment.fields == (people.unit,)
        if kept or linked:
            return name
    return None


def _meanings(people: Table, models: Sequence[Model], released: Mapping[str, ValueCounts]) -> dict[str, Any]:
    """What a checker must know of sensitive values besides their texts, as digests: their order, the nodes above, and
    which text stands for a value that a promise names, where the release spells it otherwise (3.0 for 3).

    Only released values are named, and nodes are numbered by them alone.
    """
    out: dict[str, Any] = {}
    for name, model in ((name, promise) for promise in models for name in promise.columns):
        column = people.column(name)
        asked = model.spelled_out(column.kind)
        if not (asked.needs_order or asked.needs_hierarchy or model.values_named):
            continue
        place = _places_of_texts(people, name)
        values = [value for value in released[name].values if value in place or value is None]
        values.sort(key=lambda value: len(place) if value is None else place[value])
        known = out.setdefault(name, {})
        days = column.kind is Kind.DATE and not place.keys() <= set(column.domain.texts)  # read by a format
        if asked.needs_order and (days or not column.kind.numeric):
            known["order"] = [label_digest(name, value) for value in values]
        if asked.needs_hierarchy:
            tree = people.tree(name)
            codes = [column.domain.size - 1 if value is None else place[value] for value in values]
            levels = []
            for up in tree.up:
                number: dict[int, int] = {}
                levels.append([number.setdefault(int(up[code]), len(number)) for code in codes])
            known["nodes"] = {
                label_digest(name, value): list(path)
                for value, path in zip(values, zip(*levels, strict=True), strict=True)
            }
        text_of = {place[value]: value for value in values if value is not None}
        for value in model.values_named:
            text = text_of.get(column.domain.code_of(value), str(value))
            if text != str(value):
                known.setdefault("named", {})[str(value)] = label_digest(name, text)
    return {name: known for name, known in out.items() if known}


def _places_of_texts(people: Table, name: str) -> dict[str, int]:
    """The place in its domain of each text by which a column that a promise is about is released."""
    column, came = people.column(name), people.as_it_came(name)
    out = {text: place for place, text in enumerate(column.domain.texts)}
    if not isinstance(came.values.dtype, pl.String | pl.Enum | pl.Categorical):
        first = first_of_each(np.where(came.codes < 0, len(came.values), came.codes), len(came.values) + 1)
        places = column.codes[first[: len(came.values)]].tolist()
        out |= zip(as_text(came.values.to_frame()).to_series().to_list(), places, strict=True)
    return out


def column_digest(counts: ValueCounts) -> str:
    """A digest of a column's values and how often each occurs, whatever their order.

    Of each value: the length of what follows as eight bytes, 0 for missing or 1 and the text, the count as eight bytes.
    """
    digest = hashlib.sha256()
    if len(counts.values) <= FEW:
        for value, times in counts.pairs():
            row = b"\0" if value is None else b"\1" + value.encode()
            digest.update(len(row).to_bytes(8, "big") + row + times.to_bytes(8, "big"))
        return digest.hexdigest()
    for start in range(0, len(counts.values), _AT_ONCE):
        values = counts.values.slice(start, _AT_ONCE)
        lengths = values.str.len_bytes().fill_null(0).to_numpy().astype(np.int64)
        ends = np.cumsum(lengths + 17)
        out = np.zeros(int(ends[-1]), dtype=np.uint8)
        begins = ends - lengths - 17
        _put(out, begins, lengths + 1)
        out[begins + 8] = values.is_not_null().to_numpy()
        text = np.frombuffer(values.str.join("").item().encode(), dtype=np.uint8)
        out[np.arange(len(text)) + np.repeat(begins + 9 - np.cumsum(lengths) + lengths, lengths)] = text
        _put(out, ends - 8, counts.times[start : start + _AT_ONCE])
        digest.update(out.data)
    return digest.hexdigest()


def _put(out: NDArray[np.uint8], places: NDArray[np.int64], numbers: NDArray[np.int64]) -> None:
    """Write numbers as eight bytes each, the greatest first, over zeros: most have one byte that is not."""
    for byte in range(7, -1, -1):
        if not numbers.any():
            break
        out[places + byte] = numbers & 255
        numbers = numbers >> 8


def label_digest(column: str, label: str | None) -> str:
    """A short digest of one label of a column."""
    text = b"\0" if label is None else b"\1" + label.encode()
    name = column.encode()
    return hashlib.sha256(len(name).to_bytes(4, "big") + name + text).hexdigest()[:_DIGITS]


def new_salt() -> bytes:
    """A fresh secret key for a commitment."""
    return secrets.token_bytes(SALT_BYTES)


def commit(recoding: Mapping[str, Any], salt: bytes) -> str:
    """A commitment to a recoding (HMAC-SHA-256): who has the recoding and its key can open it, nobody can guess it."""
    text = json.dumps(recoding, sort_keys=True, ensure_ascii=False)
    return hmac.new(salt, text.encode(), "sha256").hexdigest()


def checksum(certificate: Mapping[str, Any]) -> str:
    """A digest of all other fields. It finds damage and careless edits; against careful ones, sign the certificate."""
    rest = {name: value for name, value in certificate.items() if name != "checksum"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
