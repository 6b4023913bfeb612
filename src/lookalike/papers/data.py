"""The public data sets the papers' scripts read: where they are looked for, how they are laid out, which are missing.

A set is FOLDER/NAME/NAME.csv: commas, a header row, UTF-8. None of them is shipped; each keeps its own licence.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lookalike.base.errors import FileError
from lookalike.base.printing import print_json
from lookalike.papers.comparison import NOT_RUN, Line


@dataclass(frozen=True)
class DataSet:
    """One public data set: its size, the papers that use it, where to get it, and what to do to the file."""

    name: str
    rows: int
    columns: tuple[str, ...]  #: that the scripts ask for, under these names
    papers: tuple[str, ...]
    source: str
    layout: str

    def file(self, folder: Path) -> Path:
        """Where the set lies in a folder of data sets."""
        return folder / self.name / f"{self.name}.csv"

    def problem(self, folder: Path | None) -> str:
        """Why the set cannot be used from this folder; nothing where it can."""
        if folder is None:
            return "no folder of data sets: name one with --data or LOOKALIKE_DATA"
        file = self.file(folder)
        if not file.is_file():
            return f"{self.name}/{self.name}.csv is not in {folder}"
        with file.open(encoding="utf-8", newline="") as lines:
            header = next(csv.reader(lines), [])
        absent = [name for name in self.columns if name not in header]
        return f"{self.name}.csv lacks the columns {', '.join(absent)}" if absent else ""


def data_folder(named: Path | None = None) -> Path | None:
    """The folder given, else the one in LOOKALIKE_DATA, else none."""
    asked = named or os.environ.get("LOOKALIKE_DATA")
    if not asked:
        return None
    if not Path(asked).is_dir():
        origin = "--data" if named else "LOOKALIKE_DATA"
        raise FileError(f"{asked}: {origin} names a folder that is not there.")
    return Path(asked)


def missing(
    where: str, what: str, names: Iterable[str], folder: Path | None, printed: str = ""
) -> list[Line]:
    """A line for every set that cannot be used, so that no table is silently shorter."""
    problems = {name: DATA_SETS[name].problem(folder) for name in names}
    return [
        Line(where, what or name, printed, "", NOT_RUN, f"{problem}; see `lookalike paper data`")
        for name, problem in problems.items()
        if problem
    ]


_UCI = "UCI Machine Learning Repository, https://archive.ics.uci.edu/dataset/"
_ADULT = (
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship",
    "race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income",
)  # fmt: skip
_HEART = (
    "age", "sex", "cp", "trestbps", "chol", "fbs", "restecg", "thalach", "exang", "oldpeak", "slope", "ca",
    "thal", "num",
)  # fmt: skip

DATA_SETS = {
    one.name: one
    for one in (
        DataSet(
            "adult",
            48_842,
            _ADULT,
            ("cfk", "iml", "qid"),
            f"{_UCI}2/adult",
            "adult.data, then adult.test; no blanks after commas, no full stop after the test labels; missing is ?",
        ),
        DataSet(
            "cmc",
            1_473,
            (
                "age",
                "Weducation",
                "Heducation",
                "children",
                "religion",
                "working",
                "occupation",
                "solindex",
                "exposure",
                "method",
            ),
            ("cfk",),
            f"{_UCI}30/contraceptive+method+choice",
            "the codes of the source, with a header",
        ),
        DataSet(
            "german_credit",
            1_000,
            (
                "age",
                "foreign_worker",
                "personal_status",
                "residence_since",
                "employment",
                "job",
                "property_magnitude",
                "housing",
                "own_telephone",
                "class",
            ),
            ("cfk",),
            f"{_UCI}144/statlog+german+credit+data",
            "german.data with its A-codes, commas for blanks, and the usual OpenML names as header",
        ),
        DataSet(
            "heart_cleveland",
            303,
            _HEART,
            ("cfk",),
            f"{_UCI}45/heart+disease",
            "processed.cleveland.data with a header; missing is ?",
        ),
        DataSet(
            "hospital_sparcs_2016_random1000",
            1_000,
            (
                "Age Group",
                "Race",
                "Gender",
                "Ethnicity",
                "Zip Code - 3 digits",
                "Total Costs",
                "Length of Stay",
            ),
            ("cfk",),
            "New York State, SPARCS inpatient discharges, https://health.data.ny.gov (the paper cites 82xm-y6g8)",
            "1,000 discharges drawn at random, the columns under the publisher's names",
        ),
        DataSet(
            "informs",
            33_961,
            ("DOBMM", "DOBYY", "SEX", "marry", "EDUCYEAR", "RACEX", "income", "Year"),
            ("cfk",),
            "INFORMS Data Mining Contest 2008, from MEPS public files; demographics05test.csv of qiyuangong/Mondrian",
            "the year 2005, without the survey's identifiers; negative codes are missing",
        ),
        DataSet(
            "car",
            1_728,
            ("buying", "maint", "doors", "persons", "lug_boot", "safety", "eval"),
            ("qid",),
            f"{_UCI}19/car+evaluation",
            "car.data with a header",
        ),
        DataSet(
            "diabetes_aim94",
            10_830,
            ("date", "time", "code", "value"),
            ("qid",),
            f"{_UCI}34/diabetes; the part that QIDLearningLib ships",
            "the patients' files one after the other, with a header",
        ),
        DataSet(
            "heart_disease_qidlib",
            294,
            _HEART,
            ("qid",),
            f"{_UCI}45/heart+disease; the Hungarian part, which QIDLearningLib calls heart+disease",
            "reprocessed.hungarian.data with a header; missing is -9",
        ),
        DataSet(
            "nursery",
            12_960,
            ("parents", "has_nurs", "form", "children", "housing", "finance", "social", "health", "class"),
            ("qid",),
            f"{_UCI}76/nursery",
            "nursery.data with a header",
        ),
    )
}


def run(*, folder: Path | None, json: bool) -> None:
    """Say of every set whether it is there, where it comes from and how it is laid out."""
    found = [(one, one.problem(folder)) for one in DATA_SETS.values()]
    if json:
        told = [
            {
                "name": one.name,
                "file": f"{one.name}/{one.name}.csv",
                "usable": not problem,
                "problem": problem,
                "rows": one.rows,
                "columns": one.columns,
                "papers": one.papers,
                "source": one.source,
                "layout": one.layout,
            }
            for one, problem in found
        ]
        print_json({"folder": None if folder is None else str(folder), "sets": told})
        return
    _show(found, folder)


def _show(found: Sequence[tuple[DataSet, str]], folder: Path | None) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=f"Data sets of the papers, in {folder or 'no folder'}", show_lines=True)
    for head in ("set", "used by", "where it comes from and how it is laid out", "here"):
        table.add_column(head, overflow="fold")
    for one, problem in found:
        file = f"{one.name}/{one.name}.csv"
        table.add_row(
            f"[bold]{file}[/]\n{one.rows:,} rows",
            ", ".join(one.papers),
            f"{escape(one.source)}\n[dim]{escape(one.layout)}[/]",
            f"[red]{escape(problem)}[/]" if problem else "[green]yes[/]",
        )
    Console().print(table)
    lacking = sum(bool(problem) for _, problem in found)
    print(
        f"{len(found) - lacking} of {len(found)} can be used. Looked for in --data, else in LOOKALIKE_DATA."
    )
