"""`la.anonymize(..., method="semantic")` keeps the greatest safe set, publishes scaled values, forgets on request."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import lookalike as la
from fca.known import SEX, YEARS
from lookalike import fca
from lookalike.anonymizers.semantic import keep_safe
from lookalike.cli import app
from lookalike.verifier.semantic_definition import risks_by_definition

RISK = "largest basic semantic risk"

BOUNDS = [(1935, 1955), (1945, 1965), (1955, 1975), (1965, 1985), (1975, 1995)]
SCALES = {"sex": "nominal", "year": la.Scale.intervals(BOUNDS)}


def people(**more):
    return la.table(
        pl.DataFrame({"sex": list(SEX), "year": YEARS, **more}), quasi=["sex", "year"], others=list(more)
    )


def release(table, **options):
    asked = {"scales": SCALES, "threshold": 0.35, "suppression": 0.5, "shuffle": False, **options}
    return la.anonymize(table, la.KAnonymity(1), method="semantic", **asked)


def test_the_release_is_the_greatest_safe_set():
    out = release(people(id=list(range(1, 28))))
    assert sorted(set(range(1, 28)) - set(out.frame["id"])) == [5, 6, 8, 20, 24, 25, 26]
    assert out.suppressed == 7
    assert out.k >= 3


def test_values_are_published_as_all_values_with_the_same_attributes():
    frame = release(people(id=list(range(1, 28)))).frame
    by_id = dict(zip(frame["id"], frame["year"], strict=True))
    assert by_id[1] == "[1955, 1959]"  # 1955, 1956 and 1959 have the same two intervals
    assert by_id[1] == by_id[3] == by_id[18]
    assert by_id[2] == "[1965, 1979]"  # 1971 is one person's
    assert set(frame["sex"]) == {"M", "F"}


def test_the_saved_release_verifies(tmp_path):
    folder = la.anonymize(
        people(), la.KAnonymity(3), method="semantic", scales=SCALES, threshold=0.35, suppression=0.5
    ).save(tmp_path / "out")
    assert la.verify(folder / "release.csv", folder / "certificate.json").ok


def checked(folder):
    findings = la.verify(folder / "release.csv", folder / "certificate.json").findings
    return next(finding for finding in findings if finding.check == "semantic risk")


def test_large_classes_are_safe_whatever_their_attributes(tmp_path):
    table = pl.DataFrame({"a": [1, 2, 3, 4] * 3 + [1, 4], "b": list("xyxyxxyyxyxyxy")})
    safe_by_size = la.anonymize(
        la.table(table, quasi=["b"], others=["a"]), la.KAnonymity(4), method="semantic", threshold=0.3
    ).save(tmp_path / "large")
    assert checked(safe_by_size).ok
    assert "every class has 7 records or more" in checked(safe_by_size).message


def small_classes(tmp_path):
    """Three classes; 'neither' has one record, but whoever has nothing is not told from who has something."""
    frame = pl.DataFrame({"a": ["no"] + ["yes"] * 3 + ["no"] * 3, "b": ["no"] * 4 + ["yes"] * 3})
    only_yes = la.Scale.intervals([(1, 2)])
    numbers = frame.with_columns((pl.all() == "yes").cast(int))
    return la.anonymize(
        la.table(numbers, quasi=["a", "b"]),
        la.KAnonymity(1),
        method="semantic",
        scales={"a": only_yes, "b": only_yes},
        uncovered="empty",
        threshold=0.34,
    ).save(tmp_path / "small")


def test_classes_smaller_than_the_threshold_are_checked_by_their_attributes(tmp_path):
    folder = small_classes(tmp_path)
    assert pl.read_csv(folder / "release.csv").height == 7
    found = checked(folder)
    assert found.ok
    assert found.message == "0.25 at most among classes smaller than 1/0.34, by the attributes certified"


def test_the_verifier_finds_a_record_above_the_stated_risk(tmp_path):
    folder = small_classes(tmp_path)
    path = folder / "certificate.json"
    written = json.loads(path.read_text())
    path.write_text(json.dumps({**written, "measured": {**written["measured"], RISK: 0.24}}))
    found = checked(folder)
    assert found.ok is False
    assert found.message.startswith("above 0.24 in 3 of 3 classes")


def test_a_risk_that_cannot_be_counted_again_is_said_to_be_stated_only(tmp_path):
    folder = small_classes(tmp_path)
    path = folder / "certificate.json"
    written = json.loads(path.read_text())
    del written["attributes"]
    path.write_text(json.dumps(written))
    found = checked(folder)
    assert found.ok is None
    assert found.message.startswith("stated as at most 0.34, not checked: the certificate does not say which")
    shown = CliRunner().invoke(app, ["verify", str(folder / "release.csv"), str(path)])
    assert "not checked" in shown.stdout
    assert "Everything holds" not in shown.stdout


def test_the_certificate_holds_no_label_and_only_attributes_somebody_released_has(tmp_path):
    folder = release(people()).save(tmp_path / "out")
    written = json.loads((folder / "certificate.json").read_text())
    assert "1955" not in json.dumps({**written, "versions": {}})
    numbers = {n for labels in written["attributes"].values() for held in labels.values() for n in held}
    assert numbers == set(range(len(numbers)))
    released = {name: pl.read_csv(folder / "release.csv")[name].n_unique() for name in ("sex", "year")}
    assert {name: len(labels) for name, labels in written["attributes"].items()} == released


@pytest.mark.parametrize("attributes", [{"sex": []}, {"sex": {"0": "many"}}, {"sex": {"0": [True]}}, []])
def test_a_certificate_with_odd_attributes_is_refused(tmp_path, attributes):
    folder = small_classes(tmp_path)
    path = folder / "certificate.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "attributes": attributes}))
    with pytest.raises(la.FileError, match="attributes"):
        checked(folder)


def test_the_checker_s_count_is_the_closed_form_and_the_lattice_s():
    for seed in range(300):
        rng = np.random.default_rng(seed)
        context = fca.Context.from_matrix(
            rng.random((rng.integers(1, 14), rng.integers(1, 7))) < rng.random()
        )
        rows = [np.flatnonzero(row).tolist() for row in fca.contexts.unpack(context.rows, 64)]
        counted = risks_by_definition(rows, context.weights.tolist(), range(len(rows)))
        assert counted == pytest.approx(fca.basic_risk(context).basic.tolist())
        assert counted == pytest.approx(fca.basic_risk_by_lattice(fca.concept_lattice(context)).tolist())


def test_every_release_of_the_method_verifies(tmp_path):
    seen = set()
    for seed in range(25):
        rng = np.random.default_rng(seed)
        frame = pl.DataFrame(
            {"a": rng.integers(0, 60, 90), "b": rng.choice(["x, y", "[z]", None], 90).tolist()}
        )
        scales = {
            "a": rng.choice(["windows:30/10", "ordinal:20,40", "interordinal:30"]).item(),
            "b": "nominal",
        }
        out = la.anonymize(
            la.table(frame, quasi=["a", "b"]),
            la.KAnonymity(1),
            method="semantic",
            scales=scales,
            threshold=0.2,
            suppression=0.9,
            forget=int(rng.integers(0, 2)),
            suppressed=rng.choice(["drop", "star"]).item(),
        )
        found = checked(out.save(tmp_path / str(seed)))
        assert found.ok, (seed, found)
        seen.add("attributes" in found.message)
    assert seen == {True, False}  # by attributes, and by the size of classes alone


def test_the_recoding_repeats_the_release():
    table = people()
    out = release(table)
    assert out.recoding.apply(table).rows.equals(out.rows)


def test_too_many_losses_are_refused():
    with pytest.raises(la.GuaranteeError, match="7 of 27 records"):
        release(people(), suppression=0.05)
    with pytest.raises(la.GuaranteeError, match="no record can be released"):
        release(people(), threshold=0.05)


def test_forgetting_attributes_saves_records():
    kept = [
        release(people(), forget=count).records - release(people(), forget=count).suppressed
        for count in (0, 1, 2)
    ]
    assert kept == sorted(kept)
    assert kept[1] > kept[0]
    plan = keep_safe(people(), (), scales=SCALES, threshold=0.35, forget=1)
    best = max(
        fca.safe_set(smaller, threshold=0.35).kept
        for smaller in (
            fca.scale_table(people(), scales=SCALES).context.without_attributes([name])
            for name in fca.scale_table(people(), scales=SCALES).context.attributes
        )
    )
    assert int((plan.of_row >= 0).sum()) == best
    assert len(plan.forgotten) == 1


def test_further_promises_hold_together_with_the_threshold():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        frame = pl.DataFrame({
            "a": rng.integers(0, 60, 120), "b": rng.choice(list("xyz"), 120), "s": rng.choice(list("pqr"), 120),
        })  # fmt: skip
        table = la.table(frame, quasi=["a", "b"], sensitive=["s"])
        scales = {"a": "windows:20/10", "b": "nominal"}
        plan = keep_safe(table, (la.KAnonymity(4), la.LDiversity("s", 2)), scales=scales, threshold=0.5)
        kept = plan.of_row >= 0
        risk = fca.basic_risk(fca.scale_table(table, scales=scales).context.keep(kept))
        assert risk.basic.max() <= 0.5, seed
        for label in np.unique(plan.of_row[kept]):
            rows = frame.filter(pl.Series(plan.of_row == label))
            assert len(rows) >= 4
            assert rows["s"].n_unique() >= 2


def test_published_boxes_hold_every_released_value_with_the_same_attributes_and_no_other():
    table = people()
    plan = keep_safe(table, (), scales=SCALES, threshold=0.35, forget=2)
    for name, side in plan.sides.items():
        codes = table.column(name).codes
        released = set(codes[plan.of_row >= 0].tolist())
        for box in range(side.boxes):
            members = set(side.code[side.starts[box] : side.starts[box + 1]].tolist())
            group = plan.groups[name]
            assert len({int(group[c]) for c in members}) == 1
            assert members == released & set(np.flatnonzero(group == group[next(iter(members))]).tolist())
            assert set(codes[plan.of_row == box].tolist()) <= members


def test_a_negative_number_of_attributes_is_refused():
    with pytest.raises(la.RequestError, match="forget"):
        release(people(), forget=-1)
