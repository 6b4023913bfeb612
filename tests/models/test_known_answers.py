"""Published numbers of each model."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import lookalike as la
from lookalike.models import MODELS, model_from_dict


def one_class_against(shares: list[int], group: list[int]) -> tuple[la.Table, int]:
    """A table whose first class has these counts of the values 0, 1, 2, ... and whose rest makes the shares up."""
    rows = [("g", v) for v, n in enumerate(group) for _ in range(n)]
    rows += [("rest", v) for v, n in enumerate(np.array(shares) - np.array(group)) for _ in range(n)]
    return la.table(pl.DataFrame(rows, schema=["q", "s"], orient="row"), quasi=["q"], sensitive=["s"]), 0


def test_micro_example_of_closeness() -> None:
    people, g = one_class_against([1, 1, 1], [1, 0, 0])
    classes = people.cells().classes()
    assert la.TCloseness("s", 0, distance="equal").levels(classes)[g] == pytest.approx(2 / 3)
    assert la.TCloseness("s", 0, distance="ordered").levels(classes)[g] == pytest.approx(1 / 2)
    assert la.TCloseness("s", 0).levels(classes)[g] == pytest.approx(1 / 2)  # numbers: ordered by default
    assert la.KLCloseness("s", 0).levels(classes)[g] == pytest.approx(math.log(3))


DISEASES = {
    "stomach": ["gastric ulcer", "gastritis", "stomach cancer"],
    "respiratory": ["flu", "bronchitis", "pneumonia"],
}
PATIENTS = [  # zip, age, salary in thousands, disease; Li, Li and Venkatasubramanian 2007, tables 3 and 5
    ("47677", 29, 3, "gastric ulcer"),
    ("47602", 22, 4, "gastritis"),
    ("47678", 27, 5, "stomach cancer"),
    ("47905", 43, 6, "gastritis"),
    ("47909", 52, 11, "flu"),
    ("47906", 47, 8, "bronchitis"),
    ("47605", 30, 7, "bronchitis"),
    ("47673", 36, 9, "pneumonia"),
    ("47607", 32, 10, "stomach cancer"),
]


def patients(classes: list[int], disease: la.Hierarchy) -> la.Table:
    frame = pl.DataFrame(PATIENTS, schema=["zip", "age", "salary", "disease"], orient="row")
    return la.table(
        frame.with_columns(group=pl.Series(classes)),
        quasi=["group"],
        sensitive=["salary", "disease"],
        others=["zip", "age"],
        hierarchies={"disease": disease},
    )


def deep_diseases() -> la.Hierarchy:
    """The hierarchy of height 3 that goes with the paper's example: disease, organ, system, all."""
    return la.Hierarchy.groups(
        {
            "digestive": {"stomach": DISEASES["stomach"]},
            "vascular lung": {"respiratory infection": DISEASES["respiratory"]},
        }
    )


def test_low_salaries_are_0_375_away_and_others_0_167() -> None:
    # section 4 of the paper: {3k, 4k, 5k} and {6k, 8k, 11k} against 3k to 11k
    classes = patients([0, 0, 0, 1, 1, 1, 2, 2, 2], deep_diseases()).cells().classes()
    np.testing.assert_allclose(la.TCloseness("salary", 0.2).levels(classes)[:2], [0.375, 1 / 6])


TABLE_5 = [
    0,
    2,
    0,
    1,
    1,
    1,
    2,
    0,
    2,
]  # the paper's anonymised table groups patients 1, 3, 8 and 4, 5, 6 and 2, 7, 9


def test_table_5_of_the_paper_has_0_167_closeness_for_salary() -> None:
    classes = patients(TABLE_5, deep_diseases()).cells().classes()
    assert la.TCloseness("salary", 0.2).achieved(classes) == pytest.approx(0.167, abs=5e-4)


def test_table_5_of_the_paper_has_8_27_closeness_for_disease() -> None:
    """Printed is 0.278, which no tree of height 3 gives: shares of a third against ninths make multiples of 1/27."""
    classes = patients(TABLE_5, deep_diseases()).cells().classes()
    levels = la.TCloseness("disease", 0.3, distance="hierarchical").levels(classes)
    np.testing.assert_allclose(levels * 27, [7, 8, 5])


def test_the_example_shipped_with_arx_gives_the_same(shared_data: Path) -> None:
    folder = shared_data / "arx_tcloseness_example"
    people = la.read(
        folder / "arx_tcloseness_example.csv",
        quasi=["ZIPCode", "Age"],
        sensitive=["Salary", "Disease"],
        hierarchies=folder / "hierarchies",
        types={"ZIPCode": "nominal", "Age": "nominal"},
    )
    cells = people.cells()
    of_cell = np.empty(len(cells), dtype=np.int32)
    of_cell[cells.of_row] = TABLE_5
    classes = cells.merge(of_cell, 3)
    assert la.TCloseness("Salary", 0.2).achieved(classes) == pytest.approx(1 / 6)
    disease = la.TCloseness("Disease", 0.3, distance="hierarchical")
    np.testing.assert_allclose(disease.levels(classes) * 27, [7, 8, 5])


MEDICAL = [
    (34, "M", "Hypertension", "Improved"),
    (28, "F", "Diabetes", "Not Improved"),
    (45, "F", "Hypertension", "Improved"),
    (34, "M", "Diabetes", "Improved"),
    (29, "M", "Hypertension", "Not Improved"),
    (60, "F", "Hypertension", "Improved"),
    (34, "M", "Diabetes", "Improved"),
    (41, "F", "Hypertension", "Not Improved"),
    (54, "F", "Diabetes", "Improved"),
    (39, "M", "Hypertension", "Not Improved"),
]


def test_medical_example_by_gender_and_diagnosis() -> None:
    frame = pl.DataFrame(MEDICAL, schema=["Age", "Gender", "Diagnosis", "Outcome"], orient="row")
    people = la.table(frame, quasi=["Gender", "Diagnosis"], sensitive=["Outcome"], others=["Age"])
    classes = people.cells().classes()
    assert sorted(la.KAnonymity(1).levels(classes)) == [2, 2, 3, 3]
    assert sorted(la.LDiversity("Outcome", 1).levels(classes)) == [1, 2, 2, 2]
    divergence = la.KLCloseness("Outcome", 0).levels(classes)
    assert (divergence.mean(), divergence.max()) == pytest.approx((0.1713, 0.5108), abs=5e-5)
    distance = la.TCloseness("Outcome", 0).levels(classes)
    assert (distance.mean(), distance.max()) == pytest.approx((0.2083, 0.4), abs=5e-5)


TOY = [  # area, age, on benefits, owns the home
    *[("North", "30-44", 1, owns) for owns in (1, 0, 1, 0)],
    *[("North", "60+", 0, owns) for owns in (1, 1, 0, 1)],
    *[("South", "16-29", benefits, 0) for benefits in (1, 0, 1)],
    *[("South", "45-59", *both) for both in ((1, 1), (0, 0), (0, 1))],
    *[("Wales", "60+", *both) for both in ((0, 1), (1, 0))],
    ("Wales", "16-29", 0, 1),
]


@pytest.mark.parametrize(
    ("k", "for_k", "directional", "plain"),
    [(1, 0, 7, 12), (2, 1, 7, 11), (3, 3, 7, 11), (4, 9, 4, 8), (5, 17, 0, 0)],
)
def test_rows_dropped_by_the_case_study(k: int, for_k: int, directional: int, plain: int) -> None:
    names = ["area", "age", "on_benefits", "home_ownership"]
    people = la.table(pl.DataFrame(TOY, schema=names, orient="row"), quasi=names[:2], sensitive=names[2:])
    classes = people.cells().classes()
    small = la.KAnonymity(k).breaks(classes)
    harmed = la.DirectionalDiversity("on_benefits", 1).breaks(classes)
    harmed |= la.DirectionalDiversity("home_ownership", 0).breaks(classes)
    alike = la.LDiversity("on_benefits", 2).breaks(classes) | la.LDiversity("home_ownership", 2).breaks(
        classes
    )
    assert classes.counts[small].sum() == for_k
    assert classes.counts[harmed & ~small].sum() == directional
    assert classes.counts[alike & ~small].sum() == plain


def test_k_map_sizes_follow_the_truncated_poisson_test() -> None:
    from scipy.stats import poisson

    for k in (2, 3, 5, 10, 20):
        for fraction in (0.01, 0.1, 0.3):
            law = poisson((k - 1) * fraction)
            wanted = next(s for s in range(1, k + 1) if s == k or law.sf(s - 1) / law.sf(0) < 0.05)
            assert la.KMap(k, sampling_fraction=fraction).smallest == wanted
    assert la.KMap(1, sampling_fraction=0.5).smallest == 1


def test_every_model_survives_json() -> None:
    models = [
        la.KAnonymity(5),
        la.KMap(5, sampling_fraction=0.1),
        la.AlphaK("s", 0.5, 3, value="flu"),
        la.LDiversity("s", 3, kind="recursive", c=2.0),
        la.DirectionalDiversity("s", "yes"),
        la.TCloseness("s", 0.2, distance="hierarchical", strict=True),
        la.KLCloseness("s", 0.2),
        la.BetaLikeness("s", 1.0, enhanced=False),
        la.DeltaDisclosure("s", 1.0),
        la.DeltaPresence(0.1, 0.5),
        la.AverageRisk(0.1),
        la.SampleUniqueness(0.05),
    ]
    ours = {name for name, model in MODELS.items() if model.__module__.startswith("lookalike.")}
    assert {model.name for model in models} == ours
    for model in models:
        assert model_from_dict(json.loads(json.dumps(model.to_dict()))) == model
        assert model.source


def test_a_model_prints_its_parameters() -> None:
    assert str(la.KAnonymity(5)) == "k-anonymity (k=5)"
    assert str(la.TCloseness("disease", 0.2)) == "t-closeness (disease, t=0.2)"
