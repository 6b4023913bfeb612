"""The QID paper's definitions (Tables 1 to 3): its worked examples, the contradictions between text and tables, and
what we chose where it leaves something open."""

from __future__ import annotations

import polars as pl

from lookalike.papers.comparison import CONTRADICTS, DIFFERS, OURS, UNTOLD, Line, same
from lookalike.papers.qid.printed import MEDICAL
from lookalike.recognition.metrics import METRICS, measure
from lookalike.recognition.metrics.performance import score_recognition
from lookalike.tables.intake import table

WHERE = "Tables 1 to 3"
#: name -> what the implementation does where the paper is silent or gives two answers
CHOICES = {
    "gains of distinction and separation": "weight 0 unless asked for; the paper's look back at the set visited before",
    "length penalty": "divides the fitness; the paper's listing also subtracts it, which `penalty=1` does",
    "crossover and mutation rates": "constant; the paper adapts them by a rule it does not print",
    "covariate shift": "taken per column and averaged; within a class of the set it would be 0 by construction",
    "k": "`k_min` is the guarantee, `k_mean` what the paper's tables hold",
    "t-closeness": "earth mover's distance; the paper's divergence is `divergence='kl'`, group against everybody",
}


def definitions() -> list[Line]:
    """Examples that can be recomputed, and definitions that contradict themselves."""
    scores = score_recognition(list("abcd"), list("bcdef"), list("abcdefghij"))
    twice = pl.DataFrame({"a": [1, 2, 1, 2], "b": list("XYXY")})
    crossed = pl.DataFrame({"a": [1, 2, 1, 2], "b": list("XYYX")})
    distinction, separation, first = (
        measure(table(rows, others=[]), name, quasi=["a", "b"]).value
        for rows, name in ((twice, "distinction"), (crossed, "separation"), (twice, "separation"))
    )
    counted = "computed from the printed example"
    lone = pl.DataFrame({"class": [0, 1, 1], "value": list("xyz")})
    divergence = measure(
        table(lone, others=[]), "t_closeness", quasi=["class"], sensitive="value", divergence="kl"
    ).max
    dice = score_recognition(["a"], ["a"], ["a", "b"])
    return [
        same(WHERE, "precision, recall, F1, Jaccard of the set example", "0.75, 0.60, 0.67, 0.50",
             f"{scores.precision:.2f}, {scores.recall:.2f}, {scores.f1:.2f}, {scores.jaccard:.2f}", counted),
        same(WHERE, "distinction of (1,X), (2,Y) twice", "50%", f"{distinction:.0%}", counted),
        same(WHERE, "separation of (1,X), (2,Y), (1,Y), (2,X)", "100%", f"{separation:.0%}", counted),
        Line(WHERE, "the separation example is the table of the distinction example", "the same",
             f"that one has separation {first:.2f}", CONTRADICTS, "the two examples are different tables",
             proof={"first": twice.rows(), "its separation": first, "second": crossed.rows(), "its": separation}),
        Line(WHERE, "Dice of two equal sets, by the text's formula with alpha 1", f"{1 / (1 + 1):g}", f"{dice.dice:g}",
             CONTRADICTS, "the text's Dice is alpha/(1+alpha) on equal sets, never 1; the table's is right",
             proof={"sets": [["a"], ["a"]], "text": 1 / (1 + 1), "table": dice.dice}),
        Line(WHERE, "t-closeness of a class that lacks a value", "infinite", f"{divergence:.4f}", CONTRADICTS,
             "the table has KL(everybody, class), infinite here; the text KL(class, everybody)",
             proof={"everybody": [1, 1, 1], "class": [1, 0, 0], "table": "infinite", "text": divergence}),
        Line(WHERE, "entropy of the quasi-identifiers inside a class", "a utility", "0", CONTRADICTS,
             "a class has one value of them; meant is the entropy of the target, and the table lacks its sign",
             proof={"shares of the tuples of quasi-identifiers in one of its classes": [1], "entropy": 0}),
        Line(WHERE, "delta-presence and generalisation ratio", "two metrics", "one formula", UNTOLD,
             "both are printed as the sum of |P_g - P|; ours takes the largest difference for the first"),
        *directions(),
        Line(WHERE, "accuracy of a recognition", "|P ∩ Q| / |Q|", "(TP + TN) / |U|", DIFFERS,
             "the paper's own definition, which Table 7 keeps to; elsewhere it is called recall"),
    ]  # fmt: skip


def directions() -> list[Line]:
    """Aggregates and signs of which the paper gives two or more; the patients' Gender and Diagnosis tell them apart."""
    patients = table(pl.DataFrame(MEDICAL), others=[])
    sizes = measure(patients, "k_anonymity", quasi=["Gender", "Diagnosis"])
    pure, mixed = (
        {
            name: measure(patients, name, quasi=quasi, target="Outcome").record_mean
            for name in ("accuracy", "gini")
        }
        for quasi in (["Age", "Diagnosis"], ["Gender", "Diagnosis"])
    )
    gains = [
        measure(patients, "information_gain", quasi=quasi, target="Outcome").value
        for quasi in (["Age", "Diagnosis"], ["Gender", "Diagnosis"])
    ]
    return [
        Line(WHERE, "k of Gender, Diagnosis", "a class's size, the smallest, the mean",
             f"{sizes.min:g} (smallest), {sizes.mean:g} (mean)", CONTRADICTS,
             "three meanings in three places; the experiments take the mean, so that K is 1/D; here each is named",
             proof={"class sizes": sorted(map(int, sizes.values)), "smallest": sizes.min, "mean": sizes.mean}),
        Line("Section 5.1", "sign of k in the fitness", "+; - in Section 5.2", "small k identifies", CONTRADICTS,
             "with + larger classes are fitter, against the aim; ours has 1/k for the first",
             proof={"Section 5.1": "+0.25 k", "Section 5.2": "-b3 K"}),
        Line(WHERE, "k and l beside t, delta and the ratio: what is better", "small, small",
             "small k and l disclose more, small t, delta and ratio less", CONTRADICTS,
             "one list takes the attacker's side, the other the defender's; here every metric has a sign of risk",
             proof={"risk grows with": {name: METRICS[name].risk_sign for name in (
                 "k_anonymity", "l_diversity", "t_closeness", "delta_presence", "generalisation_ratio")}}),
        Line(WHERE, "Age, Diagnosis against Gender, Diagnosis: accuracy, information gain, Gini",
             "less, more, less is better",
             f"{pure['accuracy']:.2f} > {mixed['accuracy']:.2f}, {gains[0]:.2f} > {gains[1]:.2f}, "
             f"{pure['gini']:.2f} < {mixed['gini']:.2f}", CONTRADICTS,
             "all three measure how well a set tells the target, so accuracy and gain cannot go opposite ways; MSE is "
             "to be small and, two sentences on, large; few nulls are said to be little completeness",
             proof={"Age, Diagnosis": pure | {"information gain": gains[0]},
                    "Gender, Diagnosis": mixed | {"information gain": gains[1]}}),
        Line(WHERE, "kind of Gini", "utility in the table, privacy in Section 4", METRICS["gini"].domain, CONTRADICTS,
             "it is computed from the target, as the other utilities are",
             proof={"table of metrics": "utility", "Section 4": "privacy"}),
    ]  # fmt: skip


def choices() -> list[Line]:
    """What the paper leaves open, and what was chosen."""
    return [Line("Our choices", what, "not printed", choice, OURS) for what, choice in CHOICES.items()]
