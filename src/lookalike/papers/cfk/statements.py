"""What the CF-K paper says that needs no experiment: its worked example, Table 5, a slip, and what it leaves open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from lookalike.explanations.explainer import KAnonymousExplainer
from lookalike.explanations.explanation import Explanation
from lookalike.papers.cfk.comparisons import PRINTED, TABLE_5
from lookalike.papers.cfk.studies import STUDIES, load
from lookalike.papers.comparison import AGREES, CONTRADICTS, OURS, Line, same
from lookalike.papers.data import DATA_SETS
from lookalike.tables.intake import table
from lookalike.tables.table import Table

#: what the paper leaves open and we chose; "the paper's algorithm alone" is its two phases with these
CHOICES = {
    "objective": "NCP + 1 - pureness; the paper says only that both matter",
    "pool": "training records with the wanted outcome that the box does not cover yet, nearest to the counterfactual",
    "distance": "on the quasi-identifiers alone, terms added up; all columns are tried once on CMC",
    "box": "always holds the counterfactual itself",
    "pureness": "every combination up to 100 of them, else 100 drawn, the same for all boxes of one person",
    "Mondrian": "cuts the training set and boxes the same counterfactuals; the paper says test set",
    "majority": "the commonest value of the group column; all others are the minority",
}


def toy() -> list[Line]:
    """Lisa and the ten people of Tables 1, 2 and 4."""
    ages = [25, 23, 34, 47, 70, 24, 27, 38, 26, 50]
    people = pl.DataFrame(
        {
            "age": ages,
            "gender": list("MMMMMFFFFF"),
            "city": list("BABABAABAB"),
            "salary": [50, 40, 30, 100, 90, 60, 80, 60, 60, 100],
            "relationship": [
                "Single",
                "Separated",
                "Cohabiting",
                "Married",
                "Single",
                "Single",
                "Married",
                "Widowed",
                "Single",
                "Married",
            ],
        }
    )
    lisa = {"age": 21, "gender": "F", "city": "B", "salary": 50, "relationship": "Single"}
    trained = table(people, quasi=["age", "gender", "city"], sensitive=["salary", "relationship"])

    def decide(rows: Any) -> list[int]:
        return [
            int(s >= 80 or (s >= 60 and a <= 25)) for a, s in zip(rows["age"], rows["salary"], strict=True)
        ]

    def decided(rows: Any) -> str:
        return " ".join("Accept" if one else "Reject" for one in decide(rows))

    told = {k: KAnonymousExplainer(decide, trained, k=k, values="exact").explain(lisa) for k in (1, 2, 3)}
    box = " ".join(str(side) for side in told[3].box.values())
    nearest = "Fiona" if told[1].record == 5 else "another"
    loss = f"{told[3].ncp_of['age']:.3f}, {told[3].ncp:.3f}"
    combinations = {"age": [24, 25, 26, 27], "salary": [60] * 4}
    rule = "by a rule of ours (salary from 80, or from 60 up to age 25); the paper prints no model"
    ten = "Reject Reject Reject Accept Accept Accept Accept Reject Reject Accept"
    return [
        same("Table 1", "Lisa's decision", "Reject", decided({"age": [21], "salary": [50]}), rule),
        same("Table 2", "the ten decisions", ten, decided(people), rule),
        _toy("Table 2", "nearest unlike neighbour of Lisa", "Fiona", nearest),
        _toy("Figure 2", "merged explanation, people covered", "[24, 27] F A, 3", f"{box}, {told[3].k_all}"),
        _toy("Table 4", "decisions for ages 24 to 27", "Accept Accept Reject Reject", decided(combinations)),
        _toy("Table 4", "pureness", "2/4", f"{told[3].pureness * 4:.0f}/4"),
        _toy("Section 4", "NCP of age, NCP", "0.064, 0.021", loss),
        _figure_1(told[1]),
        _figure_3(people, told[2]),
        _table_3(trained, told[3]),
        Line(
            "Section 4",
            "people covered, of those accepted",
            "3",
            f"{told[3].k_all}, {told[3].k_desired}",
            OURS,
            "the receiver knows that the counterfactual was accepted: effectively k=2",
        ),
        Line(
            "",
            "k=2",
            "",
            " ".join(str(side) for side in told[2].box.values()),
            OURS,
            f"NCP {told[2].ncp:.4f}, pureness 2/3",
        ),
    ]


def _figure_1(told: Explanation) -> Line:
    """The explanation by a record as it is, whose quasi-identifiers name Fiona."""
    then = {change.column: change for change in told.changes}
    older, salary = then["age"].low, then["salary"].then
    town = {"A": "Antwerp", "B": "Brussels"}[str(then["city"].then)]
    found = f"{older:g} years older, in {town}, with an income of ${salary}K"
    return _toy(
        "Figure 1", "what Lisa is told at k=1", "3 years older, in Antwerp, with an income of $60K", found
    )


def _figure_3(people: pl.DataFrame, told: Explanation) -> Line:
    """The picture as Section 5.2 describes it: a box that grows over accepted neighbours, then a local search."""
    low, high = people["age"][5], people["age"][6]
    inside = people.filter(pl.col("age").is_between(low, high), gender="F", city="A").height
    box = " ".join(str(side) for side in told.box.values())
    return Line(
        "Figure 3",
        "two phases at k=2: merge with an accepted neighbour, then local search",
        "described in Section 5.2",
        f"[{low}, {high}] F A covers {inside}; then {box} covers {told.k_all}",
        AGREES,
        "its drawing is not compared",
    )


def _table_3(people: Table, told: Explanation) -> Line:
    """What sets the task apart from anonymising a table, shown on the worked example."""
    smallest = int(people.rows.group_by(people.quasi).len()["len"].to_numpy().min())
    return same(
        "Table 3",
        "what is 3-anonymous: the explanation, the table it was made from",
        "yes, no",
        ", ".join("yes" if k >= 3 else "no" for k in (told.k_all, smallest)),
        "by the worked example",
    )


def _toy(where: str, what: str, printed: str, computed: str) -> Line:
    return same(where, what, printed, computed, "computed from the printed table")


def table_5(folder: Path | None) -> list[Line]:
    """Rows, predictors and quasi-identifiers of the data sets that are there."""
    lines = []
    for name, (rows, predictors, quasi) in TABLE_5.items():
        study = STUDIES[name]
        if folder is None or DATA_SETS[study.set].problem(folder):
            continue
        found = load(study, folder)
        here = min(found.height, study.rows or found.height)
        lines.append(
            same(
                "Table 5",
                f"{name}: rows, predictors, quasi-identifiers",
                f"{rows:,}, {predictors}, {quasi}",
                f"{here:,}, {found.width - 1}, {len(study.quasi)}",
                "a sample of the public file" if name == "Hospital" else "see our choices",
            )
        )
    return lines


def in_print() -> list[Line]:
    """Slips of the text."""
    lowest = min(PRINTED, key=lambda name: PRINTED[name][1])
    return [
        same(
            "Text",
            "data set with the lowest mean pureness",
            "CMC",
            lowest,
            "by the paper's own Table 6: 92.26 < 92.71 %",
            proof={name: row[1] for name, row in PRINTED.items()},
        ),
        Line(
            "Text",
            "names of the sixth set and of its year of birth",
            "Inform and Informs; Dobby",
            "Informs; Dobyy",
            CONTRADICTS,
            "each is spelt in two ways",
            proof={"the set": ["Inform", "Informs"], "its column": ["Dobby", "Dobyy"]},
        ),
    ]


def choices() -> list[Line]:
    """What the paper leaves open, and what was chosen for each data set."""
    ours = {**CHOICES, **{study.name: study.choices for study in STUDIES.values()}}
    return [Line("Our choices", what, "not printed", choice, OURS) for what, choice in ours.items()]
