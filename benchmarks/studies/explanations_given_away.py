"""What explanations cost and give away on the CF-K paper's six data sets, by way to explain.

    python -m benchmarks.studies.explanations_given_away [Adult CMC ...]

Needs the public tables (LOOKALIKE_DATA names their folder) and scikit-learn. Up to 6,000 rows of each set, a model
trained on 60 % of them, up to 300 refused people explained at k=10.
"""

from __future__ import annotations

import sys

import lookalike as la
from benchmarks.data import data_folder
from lookalike.papers.cfk.studies import STUDIES, TARGET, load


def main(names: list[str]) -> None:
    for name in names or list(STUDIES):
        study = STUDIES[name]
        rows = load(study, data_folder())
        people = la.table(
            rows.sample(min(rows.height, 6000), seed=0),
            quasi=study.quasi,
            targets=[TARGET],
            others=[],
            types=dict.fromkeys(study.nominal, "nominal"),
            na=(),
        )
        found = la.study_explanations(people, target=TARGET, desired="1", k=10, group=study.group, most=300)
        print(f"\n{name}: {found}\n")
        for line in found.lines:
            told = line.membership
            print(
                f"{line.way}: AUC {told['auc']:.3f} ({told['auc_low']:.3f} to {told['auc_high']:.3f}), at 1 % false "
                f"positives {told['rate']:.1%} ({told['rate_low']:.1%} to {told['rate_high']:.1%})"
            )


if __name__ == "__main__":
    main(sys.argv[1:])
