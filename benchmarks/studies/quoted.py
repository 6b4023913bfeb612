"""Numbers that the documentation quotes and no other benchmark prints: what meaning costs, and more.

    python -m benchmarks.studies.quoted [meaning] [evaluate] [choose-k] [pipelines]

All parts unless some are named; each prints what its page quotes. CPU seconds, after a run that compiles. Needs the
public tables (LOOKALIKE_DATA names their folder).
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import lookalike as la
from benchmarks.data import adult, adult_arx
from benchmarks.timing import cpu_seconds

QUASI = [
    "age",
    "workclass",
    "education-num",
    "marital-status",
    "relationship",
    "race",
    "sex",
    "native-country",
]


def meaning() -> None:
    """docs/local-recoding.md: loss in pure sets, with meaning, and of the best rule for all rows, k=5."""
    frame, trees = adult_arx()
    frame = frame.drop([name for name in frame.columns if name.startswith("salary")])
    for name, hierarchies in (("ARX's hierarchies", trees), ("automatic hierarchies", None)):
        people = la.table(frame, quasi=frame.columns, hierarchies=hierarchies)
        losses = [
            la.anonymize(people, la.KAnonymity(5), method="local", output=output).loss
            for output in ("sets", "meaning")
        ]
        losses.append(la.anonymize(people, la.KAnonymity(5), method="optimal", suppression=0.05).loss)
        print(
            f"{name}: sets {losses[0]:.4f}, meaning {losses[1]:.4f}, best rule for all rows {losses[2]:.4f}"
        )


def evaluate() -> None:
    """docs/evaluate.md: four classifiers on five folds of both tables, 7,600 rows of Adult."""
    frame = adult().sample(7_600, seed=0)
    for target in ("income", "relationship", "occupation", "hours-per-week"):
        quasi = [name for name in QUASI if name != target]
        people = la.table(frame.select(*quasi, target), quasi=quasi, targets=[target])
        release = la.anonymize(people, la.KAnonymity(10), method="sangreea")
        seconds, _ = cpu_seconds(lambda: la.evaluate(people, release, targets=[target]))  # noqa: B023
        print(f"{target}, {frame[target].n_unique()} values: {seconds:.1f} s")


def choose_k() -> None:
    """docs/choosing-k.md: ten values of k on Adult, three questions."""
    frame = adult_arx()[0]
    quasi = [name for name in frame.columns if not name.startswith("salary")]
    sensitive = [name for name in frame.columns if name not in quasi]
    people = la.table(frame, quasi=quasi, sensitive=sensitive)
    questions = [
        la.Question("share", of={sensitive[0]: ">50K"}, by="sex"),
        la.Question("share", of={sensitive[0]: ">50K"}, by="race"),
        la.Question("mean", of="age", by=sensitive[0]),
    ]
    for method in ("optimal", "local"):
        seconds, _ = cpu_seconds(
            lambda: la.choose_k(people, ks=range(2, 12), questions=questions, method=method)  # noqa: B023
        )
        print(f"{method}: {seconds:.0f} s")


def pipelines() -> None:
    """docs/pipelines.md: what logistic regression gets right on new rows of Adult that a step before it blurs."""
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    frame = adult().sample(7_600, seed=0).to_pandas()
    quasi = [name for name in QUASI if name != "native-country"]
    x, new, y, truth = train_test_split(frame[quasi], frame["income"], test_size=0.25, random_state=0)
    words = make_column_selector(dtype_exclude="number")

    def right(*steps: Any) -> float:
        encode = make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore"), words), remainder=StandardScaler()
        )
        return float(
            make_pipeline(*steps, encode, LogisticRegression(max_iter=1_000)).fit(x, y).score(new, truth)
        )

    print(f"exact rows {right():.1%}, the commonest class {(truth == y.mode()[0]).mean():.1%}")
    for k in (5, 20):
        for method in ("auto", "mondrian", "optimal"):
            labels = la.Anonymizer(k=k, quasi=quasi, method=method, output="labels").fit(x).transform(new)
            top = (labels == "*").all(axis=1).mean()
            score = right(la.Anonymizer(k=k, quasi=quasi, method=method))
            print(f"| {k} | {method} | {score:.1%} | {top:.0%} |")


PARTS = {
    "meaning": meaning,
    "evaluate": evaluate,
    "choose-k": choose_k,
    "pipelines": pipelines,
}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for part in sys.argv[1:] or PARTS:
        print(f"\n{part}", flush=True)
        PARTS[part]()
