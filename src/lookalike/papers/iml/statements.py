"""What the IML paper says beside its figures: the closing inference, slips of the text, and what it leaves open."""

from __future__ import annotations

import numpy as np
import polars as pl

from lookalike.papers.comparison import CONTRADICTS, DIFFERS, OURS, UNTOLD, Line, same
from lookalike.papers.iml.findings import BASE_ROWS, PEOPLE_ROWS, closing
from lookalike.papers.iml.margins import explanation
from lookalike.papers.iml.runs import ANSWERS, CARELESS, KS, NOISE, TARGETS, Scores, TargetStudy, key

LEVELS = 14  #: of education, as printed
VECTORS = 129  #: weight vectors of the paper; how many of each kind it does not print, here as many of each
CHOICES = {
    "weighted loss": "each column's share of the information loss counts by its weight; equal weights give NGIL",
    "seeds and leftovers": "clusters start from people at random; who is left over joins where the loss grows least",
    "people": f"simulated: what they would keep is drawn around the mutual information with the target; they answer "
    f"{ANSWERS} questions, {NOISE:.0%} of them wrongly",
    "learning": "from each answer by Bayes' rule; the paper prints no rule",
    "rows": "the first complete ones of Adult, as many as are said",
    "target": "never a quasi-identifier, and never blurred",
    "income": "a feature as it is where it is not the target: in print it is no quasi-identifier either",
    "features": "a range is its middle and width, a group the equal shares of its members",
    "F1": "weighted by class, mean over five stratified folds; macro F1 is kept beside it",
    "hierarchies": "those of `papers/iml/runs.py`; the paper's are not printed",
}


def statements(frame: pl.DataFrame, scores: Scores, *, seed: int) -> list[Line]:
    """What is told beside the findings: the closing inference, linear SVC, slips of the text, our choices."""
    return [
        *careless(scores),
        *explanation(TargetStudy(frame.head(BASE_ROWS[0]), TARGETS[-1], seed), seed=seed),
        *in_print(frame),
        *choices(),
    ]


def careless(scores: Scores) -> list[Line]:
    """The authors' suspicion put to the test, where the full run measured it."""
    rows = BASE_ROWS[0]
    if key(rows, TARGETS[0], CARELESS, 0, KS[0]) not in scores:
        return []
    gain, above = closing(scores, rows)
    told = "; ".join(
        f"{kind} {gain[kind]:+.3f}, better at {above[kind]} of {len(TARGETS) * len(KS)}" for kind in gain
    )
    what = f"mean F1 gained over equal weights: sliders, answers, answers without looking ({rows:,} rows)"
    return [
        Line(
            "Closing",
            what,
            "participants not serious",
            told,
            OURS,
            "whoever is not serious at all answers by a coin",
        )
    ]


def in_print(frame: pl.DataFrame) -> list[Line]:
    """Statements of the paper that can be checked without training anything."""
    counted = f"{VECTORS} weight vectors at {len(KS)} values of k; the original makes it 775"
    drawn = {rows: levels_drawn(frame, rows) for rows in (PEOPLE_ROWS, *BASE_ROWS)}
    found = frame["education-num"].n_unique()
    possible = any(drawn.values())
    samples = "; ".join(
        f"{share:.0%} of samples of {rows:,} rows have {LEVELS}" for rows, share in drawn.items()
    )
    return [
        same(
            "Section 4.2",
            "new anonymised sets",
            775,
            VECTORS * len(KS),
            counted,
            proof={
                "vectors": VECTORS,
                "values of k": len(KS),
                "sets": VECTORS * len(KS),
                "with the original": 775,
            },
        ),
        Line(
            "Text",
            "levels of education",
            str(LEVELS),
            f"{found} in all {frame.height:,} complete rows",
            UNTOLD if possible else DIFFERS,
            f"in which rows they were counted is not printed: {samples}",
        ),
        Line(
            "Text",
            "rows of the base set",
            "3,000 and 5,000",
            "",
            CONTRADICTS,
            "two places say otherwise",
            proof={"Section 4.2": BASE_ROWS[0], "Section 4.4": BASE_ROWS[1]},
        ),
        same("Text", "the GDPR applies from", "1 June 2018", "25 May 2018", "Article 99"),
    ]


def levels_drawn(frame: pl.DataFrame, rows: int, samples: int = 200) -> float:
    """The share of random samples of so many rows that have the printed number of levels of education."""
    rng, levels = np.random.default_rng(0), frame["education-num"].to_numpy()
    rows = min(rows, len(levels))
    return float(
        np.mean([len(np.unique(rng.choice(levels, rows, replace=False))) == LEVELS for _ in range(samples)])
    )


def choices() -> list[Line]:
    """What the paper leaves open."""
    return [Line("Our choices", what, "not printed", choice, OURS) for what, choice in CHOICES.items()]
