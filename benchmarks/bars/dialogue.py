"""The dialogue with simulated people: how fast weights are learnt, what the release loses, how long a person waits.

    python -m benchmarks.bars.dialogue [--runs 100]

Needs the public tables (LOOKALIKE_DATA names their folder). Hidden weights are uniform
on the simplex over 5 to 9 columns. Exits 1 when a bar is missed, and says which.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings

import numpy as np
import polars as pl

import lookalike as la
from benchmarks.data import adult
from lookalike.anonymizers import sangreea
from lookalike.anonymizers.dialogue.simulated import SimulatedPerson

COLUMNS = [
    "age",
    "workclass",
    "education-num",
    "marital-status",
    "occupation",
    "race",
    "sex",
    "hours-per-week",
    "native-country",
]
ANSWERS = 20
SHOWN = (1, 5, 10, 15, 20)
failures: list[str] = []


def report(what: str, found: float, bar: float, unit: str = "", *, at_least: bool = False) -> None:
    """One line of the table; remembers a missed bar."""
    kept = found >= bar if at_least else found <= bar
    sign = ">=" if at_least else "<="
    print(f"{'ok  ' if kept else 'MISS'}  {what:<72} {found:>9.3f} {unit} ({sign} {bar:g})")
    if not kept:
        failures.append(what)


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    """Of the angle between two weight vectors."""
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def hidden_weights(run: int, n: int) -> np.ndarray:
    """A person's weights, uniform on the simplex."""
    return np.random.default_rng((run, n)).dirichlet(np.ones(n))


def play(
    people: la.Table, hidden: np.ndarray, run: int, *, noise: float = 0.0, **options: str
) -> list[float]:
    """The cosine with the hidden weights after each answer."""
    dialogue = la.interact(people, k=10, seed=run, **options)  # type: ignore[arg-type]
    person = SimulatedPerson(dict(zip(people.quasi, hidden.tolist(), strict=True)), noise=noise, seed=run)
    curve = []
    for _ in range(ANSWERS):
        question = dialogue.ask()
        assert question is not None
        dialogue.answer(question, person.answer(question))
        curve.append(cosine(np.array(list(dialogue.weights.values())), hidden))
    return curve


def learning(tables: dict[int, la.Table], runs: int) -> None:
    """Curves of the rules, and of questions that teach against questions at random."""
    print(
        f"cosine with the hidden weights, mean of {runs} people, after {', '.join(map(str, SHOWN))} answers"
    )
    last = {}
    for label, options, noise in (
        ("bayes, questions that teach", {}, 0.0),
        ("bayes, random questions", {"questions": "random"}, 0.0),
        ("eg, questions that teach", {"rule": "eg"}, 0.0),
        ("bayes, 10 % wrong answers", {}, 0.1),
        ("bayes, 25 % wrong answers", {}, 0.25),
        ("eg, 25 % wrong answers", {"rule": "eg"}, 0.25),
    ):
        curves = []
        for run in range(runs):
            n = 5 + run % 5
            curves.append(play(tables[n], hidden_weights(run, n), run, noise=noise, **options))
        mean = np.mean(curves, axis=0)
        last[label] = float(mean[-1])
        print(f"      {label:<32} " + "  ".join(f"{mean[i - 1]:.3f}" for i in SHOWN), flush=True)
    best = last["bayes, questions that teach"]
    report("cosine after 20 noiseless answers", best, 0.95, at_least=True)
    report("ahead of random questions by", best - last["bayes, random questions"], 0.02, at_least=True)
    report("ahead of the eg rule by", best - last["eg, questions that teach"], 0.02, at_least=True)


def releases(frame: pl.DataFrame, runs: int) -> None:
    """Loss of a SaNGreeA release under the hidden weights, with weights learnt and with them known."""
    ratios, equal = [], []
    for run in range(runs):
        n = 5 + run % 5
        people = la.table(frame.select(COLUMNS[:n]), quasi=COLUMNS[:n])
        hidden = hidden_weights(1_000 + run, n)
        dialogue = la.interact(people, k=10, seed=run)
        person = SimulatedPerson(dict(zip(people.quasi, hidden.tolist(), strict=True)), seed=run)
        for _ in range(ANSWERS):
            question = dialogue.ask()
            assert question is not None
            dialogue.answer(question, person.answer(question))
        losses = []
        for weights in (hidden, np.array(list(dialogue.weights.values())), np.full(n, 1 / n)):
            found = sangreea.cluster(
                people.cells(), k=10, weights=dict(zip(people.quasi, weights.tolist(), strict=True)), seed=run
            )
            size = np.bincount(found.of_row, minlength=found.classes)
            losses.append(float(size @ (found.losses @ hidden)))
        ratios.append(losses[1] / losses[0])
        equal.append(losses[2] / losses[0])
    print(
        f"      loss under the hidden weights with equal weights: {np.mean(equal):.3f} of that with them known"
    )
    report(f"loss with learnt weights over loss with known ones, {runs} people", float(np.mean(ratios)), 1.05)
    print(f"      worst of them: {max(ratios):.3f}")


def waiting(people: la.Table, answers: int = 60) -> None:
    """Seconds from an answer to the next question on the whole table."""
    hidden = hidden_weights(0, len(people.quasi))
    person = SimulatedPerson(dict(zip(people.quasi, hidden.tolist(), strict=True)))
    dialogue = la.interact(people, k=10)
    question, wall, cpu = dialogue.ask(), [], []
    for _ in range(answers):
        assert question is not None
        choice = person.answer(question)
        start, busy = time.perf_counter(), time.thread_time()
        dialogue.answer(question, choice)
        question = dialogue.ask()
        wall.append(1000 * (time.perf_counter() - start))
        cpu.append(1000 * (time.thread_time() - busy))
    print(
        f"      {len(people):,} rows, {len(people.quasi)} columns; processor time {np.quantile(cpu, 0.95):.0f} ms"
    )
    report("answer to next question, 95th percentile", float(np.quantile(wall, 0.95)), 200, "ms")


def main() -> int:
    """Run everything; the exit code says whether every bar was kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    frame = adult().select(COLUMNS)
    tables = {n: la.table(frame.select(COLUMNS[:n]), quasi=COLUMNS[:n]) for n in range(5, 10)}
    play(tables[5], hidden_weights(0, 5), 0)  # compiles the kernels
    waiting(tables[9])
    learning(tables, arguments.runs)
    releases(frame.head(10_000), max(arguments.runs // 5, 1))
    print("\nmissed: " + "; ".join(failures) if failures else "\nall bars kept")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
