"""The measurements behind the curves of the IML paper: one anonymised table, four classifiers, F1 over folds.

What the paper leaves open is chosen here: hierarchies, who the people are that set sliders and answer questions.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

import lookalike as la
from lookalike.anonymizers.dialogue.simulated import SimulatedPerson
from lookalike.measures.utility.classifiers import CLASSIFIERS, cross_validate
from lookalike.measures.utility.encoding import Published, original_features

KS = (5, 10, 20, 50, 100, 200)
KINDS = ("equal", "bias", "iml")
#: measured beside the kinds: the original, how many values become `*`, and people who answer without looking
ORIGINAL, STARS, CARELESS = "original", "stars", "careless"
MIDDLE_K = 20  #: where values that became `*` are counted
TARGETS = ("marital-status", "education", "income")  # Figures 2, 3 and 4
ANSWERS, NOISE = 20, 0.1
BOOSTING = "gradient boosting"
OTHERS = tuple(name for name in CLASSIFIERS if name != BOOSTING)
Scores = dict[str, dict[str, float]]  #: by the key of a measurement
QUASI = [
    "age",
    "workclass",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "hours-per-week",
    "native-country",
]
EDUCATION = {
    "pre-high-school": (1, 8),
    "high school": (9, 9),
    "<=bachelors": (10, 13),
    "advanced studies": (14, 16),
}
GROUPINGS: dict[str, Mapping[str, Any]] = {
    "workclass": {
        "employee": ["Private"],
        "self-employed": ["Self-emp-inc", "Self-emp-not-inc"],
        "government": ["Federal-gov", "Local-gov", "State-gov"],
        "unpaid": ["Never-worked", "Without-pay"],
    },
    "marital-status": {
        "married": ["Married-AF-spouse", "Married-civ-spouse"],
        "not living together": {
            "once married": ["Divorced", "Married-spouse-absent", "Separated", "Widowed"],
            "single": ["Never-married"],
        },
    },
    "occupation": {
        "white collar": {
            "professional": ["Exec-managerial", "Prof-specialty", "Tech-support"],
            "office": ["Adm-clerical", "Sales"],
        },
        "blue collar": {
            "skilled": ["Craft-repair", "Machine-op-inspct", "Transport-moving"],
            "manual": ["Farming-fishing", "Handlers-cleaners"],
        },
        "service": ["Armed-Forces", "Other-service", "Priv-house-serv", "Protective-serv"],
    },
    "relationship": {
        "spouse": ["Husband", "Wife"],
        "relative": ["Other-relative", "Own-child"],
        "on their own": ["Not-in-family", "Unmarried"],
    },
    "race": {"White": ["White"], "other": ["Amer-Indian-Eskimo", "Asian-Pac-Islander", "Black", "Other"]},
    "sex": {"anyone": ["Female", "Male"]},
    "native-country": {
        "Americas": {
            "North America": ["Canada", "Outlying-US(Guam-USVI-etc)", "Puerto-Rico", "United-States"],
            "Central America": ["El-Salvador", "Guatemala", "Honduras", "Mexico", "Nicaragua"],
            "Caribbean": ["Cuba", "Dominican-Republic", "Haiti", "Jamaica", "Trinadad&Tobago"],
            "South America": ["Columbia", "Ecuador", "Peru"],
        },
        "Asia": {
            "East Asia": ["China", "Hong", "Japan", "Taiwan"],
            "South-East Asia": ["Cambodia", "Laos", "Philippines", "Thailand", "Vietnam"],
            "South Asia": ["India", "Iran"],
        },
        "Europe": {
            "Western Europe": ["England", "France", "Germany", "Holand-Netherlands", "Ireland", "Scotland"],
            "Southern Europe": ["Greece", "Italy", "Portugal"],
            "Eastern Europe": ["Hungary", "Poland", "Yugoslavia"],
        },
        "unclear": ["South"],
    },
}


def key(rows: int, target: str, kind: str, vector: int = 0, k: int = 0) -> str:
    """A name to remember one measurement by."""
    return f"{rows}/{target}/{kind}/{vector}/{k}"


def load(folder: Path) -> pl.DataFrame:
    """Adult's complete rows, without the columns the paper drops, education grouped into four."""
    frame = pl.read_csv(folder / "adult" / "adult.csv", glob=False)
    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    complete = frame.filter(~pl.any_horizontal(pl.col(name) == "?" for name in texts))
    grouped = pl.lit(None, dtype=pl.String)
    for label, (lo, hi) in EDUCATION.items():
        grouped = pl.when(pl.col("education-num").is_between(lo, hi)).then(pl.lit(label)).otherwise(grouped)
    return complete.with_columns(grouped.alias("education")).select(*QUASI, "education", "income")


@dataclass(frozen=True, eq=False)
class TargetStudy:
    """One table and one target, which is never among the quasi-identifiers."""

    frame: pl.DataFrame
    target: str
    seed: int

    @cached_property
    def people(self) -> la.Table:
        """The table with its roles and the explicit hierarchies."""
        same = {"education": ["education", "education-num"]}.get(self.target, [self.target])
        quasi = [name for name in QUASI if name not in same]
        rest = [] if self.target == "income" else ["income"]
        return la.table(
            self.frame.select(*quasi, *rest, self.target),
            quasi=quasi,
            targets=[self.target, *rest],
            hierarchies={name: la.Hierarchy.groups(GROUPINGS[name]) for name in quasi if name in GROUPINGS},
        )

    @cached_property
    def importance(self) -> NDArray[np.float64]:
        """What a person who knows the goal would care for: each column's mutual information with the target."""
        y = self.people.column(self.target).codes
        found = np.array([_information(self.people.column(name).codes, y) for name in self.people.quasi])
        share: NDArray[np.float64] = found / found.sum()
        return share

    def weights(self, kind: str, vector: int) -> dict[str, float]:
        """Weights of one person: none, sliders set by hand, or learnt from their answers, careless ones or not."""
        names = self.people.quasi
        rng = np.random.default_rng((self.seed, vector))
        hidden = rng.dirichlet(20 * self.importance + 0.1)
        if kind == "equal":
            return dict.fromkeys(names, 1 / len(names))
        if kind == "bias":
            sliders = np.round(10 * hidden / hidden.max())
            return dict(zip(names, (sliders / sliders.sum()).tolist(), strict=True))
        dialogue = la.interact(self.people, k=10, seed=vector)
        noise = 0.5 if kind == CARELESS else NOISE
        person = SimulatedPerson(dict(zip(names, hidden.tolist(), strict=True)), noise=noise, seed=vector)
        while len(dialogue) < ANSWERS and (question := dialogue.ask()) is not None:
            dialogue.answer(question, person.answer(question))
        return dialogue.weights

    def measure(self, kind: str, vector: int, ks: Sequence[int]) -> Scores:
        """By key, F1 of each classifier and of the naive guess: on the original, or with a person's weights at each k.

        Of releases also the loss, and the share of values that became `*`; of `STARS`, with equal weights, only that.
        """
        if kind == ORIGINAL:
            names = [name for name in self.people.names if name != self.target]
            x = np.hstack([original_features(self.people, name) for name in names])
            codes = np.asarray(self.people.column(self.target).codes)
            return {key(self.frame.height, self.target, kind): self._scores(x, codes)}
        weights = self.weights("equal" if kind == STARS else kind, vector)
        return {
            key(self.frame.height, self.target, kind, vector, k): self._at(kind, weights, vector, k)
            for k in ks
        }

    def _at(self, kind: str, weights: dict[str, float], vector: int, k: int) -> dict[str, float]:
        made = la.anonymize(self.people, la.KAnonymity(k), method="sangreea", weights=weights, seed=vector)
        found = {"loss": made.loss, "stars": self._stars(made.rows)}
        return found if kind == STARS else found | self._scores(*self.features(made))

    def features(self, made: la.Release) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
        """What a classifier sees of a release, and the codes of the target."""
        published = Published(made.rows, made.recoding, self.people)
        names = [name for name in made.rows.columns if name != self.target]
        theirs = published.column(self.target)
        codes = self.people.column(self.target).domain.find(theirs.domain)[theirs.codes]
        return np.hstack([published.features(name, labels=False) for name in names]), codes

    def _stars(self, rows: pl.DataFrame) -> float:
        """The share of published quasi-identifiers with hierarchies that say nothing any more."""
        named = [name for name in self.people.quasi if name in GROUPINGS]
        roots = [rows[name] == self.people.tree(name).labels[-1][0] for name in named]
        return sum(int(root.sum()) for root in roots) / (rows.height * len(named))

    def _scores(self, x: NDArray[np.float32], y: NDArray[np.int32]) -> dict[str, float]:
        kept = np.bincount(self.people.column(self.target).codes)[y] >= 5
        x, y = x[kept], y[kept]
        with warnings.catch_warnings():
            # at high k classifiers see few distinct rows, and say so at every fit
            warnings.simplefilter("ignore")
            warnings.showwarning = lambda *told, **more: None  # see `fit_folds`
            found = {
                name: score
                for names, features in ((OTHERS, x), ((BOOSTING,), _different(x)))
                for name, score in cross_validate(
                    features, y, None, names, 5, self.seed, lambda share: None, thorough=True
                ).items()
            }
        weighted = {name: score["f1_weighted"].mean for name, score in found.items()}
        return weighted | {f"{name}, macro": score["f1_macro"].mean for name, score in found.items()}


def _different(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """The columns without those that say nothing or the same as an earlier one: the same trees, in half the time."""
    first = np.sort(np.unique(x, axis=1, return_index=True)[1])
    x = x[:, first]
    return x[:, (x != x[:1]).any(axis=0) | (np.arange(x.shape[1]) == 0)]


def _information(x: NDArray[np.int32], y: NDArray[np.int32]) -> float:
    """Mutual information of two columns of codes, in nats."""
    joint = np.zeros((int(x.max()) + 1, int(y.max()) + 1))
    np.add.at(joint, (x, y), 1 / len(x))
    outer = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    seen = joint > 0
    return float((joint[seen] * np.log(joint[seen] / outer[seen])).sum())
