"""The six data sets of the CF-K paper as experiments: columns, favourable outcome, split, model.

What the paper leaves open (which columns, which outcome counts as favourable, how targets become two-valued, seeds) is
chosen here and said in `Study.choices`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from lookalike.base.errors import MissingExtra
from lookalike.tables.intake import table
from lookalike.tables.table import Table

TARGET = "favourable"


@dataclass(frozen=True)
class Study:
    """One data set as the paper uses it."""

    name: str
    file: str
    quasi: tuple[str, ...]
    group: str
    favourable: Callable[[pl.DataFrame], pl.Series]
    dropped: tuple[str, ...]
    choices: str
    leaves: (
        int | None
    )  #: the paper's grid, tuned once with 100 trees by 5-fold cross-validation on the training part
    rows: int | None = None  #: sample so many
    nominal: tuple[str, ...] = ()  #: columns of codes that are names, kept so in the table

    @property
    def set(self) -> str:
        """The data set by its name in `papers.data`."""
        return self.file.partition("/")[0]


def _column(name: str, values: Callable[[pl.Expr], pl.Expr]) -> Callable[[pl.DataFrame], pl.Series]:
    return lambda rows: rows.select(values(pl.col(name)).cast(pl.Int64).alias(TARGET)).to_series()


def _at_most_median(costs: pl.Expr) -> pl.Expr:
    dollars = costs.str.replace_all(",", "").cast(pl.Float64)
    return dollars <= dollars.median()


STUDIES = {
    study.name: study
    for study in (
        Study(
            "Adult",
            "adult/adult.csv",
            ("age", "sex", "race", "relationship", "marital-status"),
            "sex",
            _column("income", lambda c: c == ">50K"),
            ("income", "fnlwgt", "education", "native-country"),
            "11 predictors: without fnlwgt, native-country and education (education-num says it); >50K is favourable",
            500,
        ),
        Study(
            "CMC",
            "cmc/cmc.csv",
            ("age", "children"),
            "religion",
            _column("method", lambda c: c != 1),
            ("method", "exposure"),
            "8 predictors: without media exposure; using any method is favourable",
            10,
            nominal=("religion", "working", "occupation"),
        ),
        Study(
            "German",
            "german_credit/german_credit.csv",
            (
                "age",
                "foreign_worker",
                "personal_status",
                "residence_since",
                "employment",
                "job",
                "property_magnitude",
                "housing",
            ),
            "personal_status",
            _column("class", lambda c: c == 1),
            ("class", "own_telephone"),
            "19 predictors: without the telephone; good credit is favourable",
            10,
        ),
        Study(
            "Heart",
            "heart_cleveland/heart_cleveland.csv",
            ("age", "sex"),
            "sex",
            _column("num", lambda c: c == 0),
            ("num", "ca"),
            "12 predictors: without ca, which is missing most often; no disease is favourable",
            10,
            nominal=("sex", "cp", "restecg", "slope", "fbs", "exang", "thal"),
        ),
        Study(
            "Hospital",
            "hospital_sparcs_2016_random1000/hospital_sparcs_2016_random1000.csv",
            ("Age Group", "Race", "Gender", "Ethnicity", "Zip Code - 3 digits"),
            "Gender",
            _column("Total Costs", _at_most_median),
            (),
            "1,000 rows of 2016, not the paper's 8,160; 20 predictors; costs up to the median are favourable",
            100,
        ),
        Study(
            "Informs",
            "informs/informs.csv",
            ("DOBMM", "DOBYY", "SEX", "marry", "EDUCYEAR"),
            "RACEX",
            _column("income", lambda c: c > c.median()),
            ("income", "Year"),
            "5,000 rows drawn from the 2005 part; 13 predictors; income above the median is favourable",
            100,
            rows=5000,
            nominal=("SEX", "marry", "RACEX", "RACEAX", "RACEBX", "RACEWX", "RACETHNX", "HISPANX", "HISPCAT"),
        ),
    )
}
_HOSPITAL = (
    "Age Group", "Race", "Gender", "Ethnicity", "Zip Code - 3 digits", "Health Service Area", "Hospital County",
    "Length of Stay", "Type of Admission", "Patient Disposition", "CCS Diagnosis Code", "CCS Procedure Code",
    "APR DRG Code", "APR MDC Code", "APR Severity of Illness Code", "APR Risk of Mortality",
    "APR Medical Surgical Description", "Payment Typology 1", "Payment Typology 2", "Emergency Department Indicator",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Experiment:
    """A study ready to run: the training table, the model, and the people to explain."""

    study: Study
    people: Table
    model: Any
    rejected: pl.DataFrame  #: test rows with the unfavourable prediction
    accuracy: float


def load(study: Study, folder: Path) -> pl.DataFrame:
    """Predictors and the two-valued target."""
    rows = pl.read_csv(folder / study.file, infer_schema_length=None, glob=False)
    target = study.favourable(rows)
    if study.name == "Hospital":
        rows = rows.select(_HOSPITAL).with_columns(
            pl.col("Length of Stay").cast(pl.String).str.extract(r"(\d+)").cast(pl.Int64)
        )
    rows = rows.drop([name for name in study.dropped if name in rows.columns])
    texts = [name for name, kind in rows.schema.items() if kind == pl.String or name in study.nominal]
    return rows.with_columns(pl.col(texts).cast(pl.String).fill_null("?")).with_columns(target)


def split(study: Study, folder: Path, *, seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Training and test people, 60/40, of the rows or a sample of them."""
    rows = load(study, folder)
    order = np.random.Generator(np.random.PCG64(seed)).permutation(rows.height)[: study.rows]
    cut = round(0.6 * len(order))
    return rows[order[:cut]], rows[order[cut:]]


def prepare(
    study: Study,
    folder: Path,
    *,
    seed: int = 0,
    most: int = 1000,
    trees: int = 100,
    leaves: int | None = -1,
) -> Experiment:
    """Split, fit a forest, and collect the test rows it decides against; `leaves=-1` takes the tuned size."""
    train, test = split(study, folder, seed=seed)
    features = [name for name in train.columns if name != TARGET]
    chosen = study.leaves if leaves == -1 else leaves
    model = forest(train, features, trees=trees, leaves=chosen, seed=seed).fit(
        train.select(features), train[TARGET].to_numpy()
    )
    predicted = model.predict(test.select(features))
    people = table(
        train,
        quasi=study.quasi,
        targets=[TARGET],
        others=[],
        types=dict.fromkeys(study.nominal, "nominal"),
        na=(),
    )
    accuracy = float((predicted == test[TARGET].to_numpy()).mean())
    return Experiment(study, people, model, test.filter(pl.Series(predicted == 0)).head(most), accuracy)


def forest(train: pl.DataFrame, features: list[str], *, trees: int, leaves: int | None, seed: int) -> Any:
    """A random forest on the raw columns, names one-hot."""
    try:
        from sklearn.compose import make_column_transformer
        from sklearn.ensemble import RandomForestClassifier
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import OneHotEncoder
    except ImportError:
        raise MissingExtra("scikit-learn", "ml", "fitting the paper's models") from None

    names = [name for name in features if train.schema[name] == pl.String]
    return make_pipeline(
        make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore"), names),
            remainder="passthrough",
            sparse_threshold=0,  # trees grow several times faster on rows that are not sparse
        ),
        RandomForestClassifier(trees, max_leaf_nodes=leaves, random_state=seed),
    )
