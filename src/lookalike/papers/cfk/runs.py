"""The measurements behind Table 6 and Figures 4 to 7 of the CF-K paper, one data set or sweep at a time.

Everything returned is plain JSON, so that a long run can be interrupted and taken up again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.anonymizers.mondrian import partition
from lookalike.base.writing import write_file
from lookalike.explanations.explainer import KAnonymousExplainer
from lookalike.explanations.explanation import Change, Explanation
from lookalike.explanations.fairness import compare_groups
from lookalike.kernels.columns import RANGE
from lookalike.measures.attacks.explanation_linkage import attack_explanations
from lookalike.models import KAnonymity
from lookalike.papers.cfk.studies import TARGET, Experiment
from lookalike.recodings.labels import Label
from lookalike.tables.columns.coding import Column

CHOICES = 3
SWEEP_K = (2, 5, 10, 15, 20, 30, 50)
SWEEP_ALPHA = (1, 5, 10, 20, 40, 80)
SWEEP_ITERATIONS = (1, 2, 3, 5, 10)
#: what the paper leaves open and changes the numbers: what makes a solution better, which columns make records near
LEFT_OPEN: tuple[dict[str, Any], ...] = (
    {"objective": "weighted"},
    {"objective": "lex_ncp"},
    {"objective": "lex_pureness"},
    {"distance_on": "all"},
)
GAP_K = (5, 50)  #: between which the gap between groups is said to grow


@dataclass(frozen=True)
class BoxedRecord:
    """A training record in a box that something else made."""

    box: Mapping[str, Label]
    record: int


def explain(experiment: Experiment, **options: Any) -> tuple[KAnonymousExplainer, list[Explanation], float]:
    """Explain everybody the model decided against; also the CPU seconds per explanation."""
    explainer = KAnonymousExplainer(
        experiment.model, experiment.people, unknown="differs", **options, values="exact"
    )
    rows = experiment.rejected.drop(TARGET)
    explainer.explain(rows.head(1))
    started = time.process_time()
    explanations = explainer.explain_many(rows)
    return explainer, explanations, (time.process_time() - started) / rows.height


def three_columns(
    experiment: Experiment, *, k: int = 10, seed: int = 0
) -> tuple[KAnonymousExplainer, list[Explanation], list[Explanation], dict[str, Any]]:
    """Table 6 and Figures 4, 5 and 7 of one split: ours, the paper's algorithm alone, Mondrian; with explanations."""
    explainer, told, seconds = explain(experiment, k=k, seed=seed)
    _, plain, plain_seconds = explain(experiment, k=k, seed=seed, effort=0)
    loss, pure = mondrian(explainer, told, k)
    groups, most = groups_of(experiment)
    return (
        explainer,
        told,
        plain,
        {
            "ncp": [one.ncp for one in told],
            "confirmed": explainer.confirm(told),
            "seconds": seconds,
            "plain_ncp": [one.ncp for one in plain],
            "plain_pureness": explainer.confirm(plain),
            "plain_seconds": plain_seconds,
            "mondrian_ncp": loss,
            "mondrian_pureness": pure,
            "majority_ncp": [one.ncp for one, group in zip(plain, groups, strict=True) if group == most],
            "minority_ncp": [one.ncp for one, group in zip(plain, groups, strict=True) if group != most],
        },
    )


def groups_of(experiment: Experiment) -> tuple[list[str | None], str]:
    """The group of everybody to explain, and the commonest one."""
    name = experiment.study.group
    groups: list[str | None] = experiment.rejected[name].cast(pl.String).to_list()
    return groups, str(experiment.people.rows[name].mode().sort()[0])


def split_means(experiment: Experiment, sharp: Experiment, *, seed: int) -> dict[str, float]:
    """The means of Table 6 for one more split, and of the paper's algorithm where the forest is less blunt."""
    return means(three_columns(experiment, seed=seed)[3] | sharp_columns(sharp, seed=seed))


def gaps(experiment: Experiment, *, seed: int) -> list[float]:
    """By how much the minority's mean NCP lies above the majority's at each k, where somebody of both is explained."""
    groups, most = groups_of(experiment)
    major = np.array([group == most for group in groups])
    if not len(major) or major.all() or not major.any():
        return []
    out = []
    for k in GAP_K:
        ncp = np.array([one.ncp for one in explain(experiment, k=k, seed=seed, effort=0)[1]])
        out.append(float(ncp[~major].mean() - ncp[major].mean()))
    return out


def sharp_columns(sharp: Experiment, *, seed: int) -> dict[str, Any]:
    """NCP and pureness of the paper's algorithm on a forest with more leaves."""
    explainer, told, _ = explain(sharp, k=10, seed=seed, effort=0)
    return {"sharp_ncp": [one.ncp for one in told], "sharp_pureness": explainer.confirm(told)}


def cell(experiment: Experiment, **options: Any) -> dict[str, Any]:
    """One forest of the grid: the paper's algorithm on the people that it decides against."""
    found = {"accuracy": experiment.accuracy, "explained": experiment.rejected.height}
    if not experiment.rejected.height:
        return found
    explainer, told, _ = explain(experiment, k=10, seed=0, effort=0, **options)
    return found | means({"ncp": [one.ncp for one in told], "pureness": explainer.confirm(told)})


def means(found: Mapping[str, Any]) -> dict[str, float]:
    """The mean of every column over the people explained, where there are any."""
    return {
        key: float(np.mean(values)) for key, values in found.items() if isinstance(values, list) and values
    }


def measure(experiment: Experiment, *, k: int = 10, seed: int = 0) -> dict[str, Any]:
    """Table 6, Figures 4, 5 and 7 and the attack for one split of one data set."""
    explainer, told, plain, columns = three_columns(experiment, k=k, seed=seed)
    chosen = explain(experiment, k=k, seed=seed, choices=CHOICES)[1]
    free = explain(experiment, k=k, seed=seed, moves="free")[1]
    raw = explain(experiment, k=1, seed=seed)[1]
    groups, most = groups_of(experiment)
    return {
        **columns,
        "explained": len(told),
        "accuracy": experiment.accuracy,
        "k_min": min(one.k for one in told),
        "free_ncp": [one.ncp for one in free],
        "free_pureness": explainer.confirm(free),
        "fairness": compare_groups(plain, groups, majority=most, seed=seed).to_dict(),
        "effort_fairness": compare_groups(told, groups, majority=most, seed=seed).to_dict(),
        "choices_fairness": compare_groups(chosen, groups, majority=most, seed=seed).to_dict(),
        "choices_ncp": [one.ncp for one in chosen],
        "attack_raw": attack_explanations(raw, experiment.people).to_dict(),
        "attack": attack_explanations(told, experiment.people).to_dict(),
        "importance": importance(experiment),
        "quality": quality(experiment, told),
    }


def quality(experiment: Experiment, told: list[Explanation]) -> dict[str, float]:
    """Of boxes that always hold: how many ways out they offer (median), and how far the nearest is beside the record's.

    Distances are HEOM's, from the person to the nearest combination of the box: 1 for a name that must change, the
    share of the column's range for what is ordered.
    """
    pure = [one for one in told if one.pureness == 1]
    if not pure:
        return {"boxes": 0}
    return {
        "boxes": len(pure),
        "ways": float(np.median([one.combinations for one in pure])),
        "nearest": float(np.mean([way_to(experiment, one) for one in pure])),
        "record": float(np.mean([one.distance for one in pure])),
    }


def way_to(experiment: Experiment, told: Explanation) -> float:
    """How far the person is from the nearest combination that an explanation offers."""
    return sum(_step(experiment.people.column(change.column), change) for change in told.changes)


def _step(column: Column, change: Change) -> float:
    numbers, texts = column.domain.numbers, list(column.domain.texts)
    span = float(np.nanmax(numbers) - np.nanmin(numbers)) if column.kind.ordered else 0.0
    if change.low is not None and change.high is not None:
        return min(abs(change.low), abs(change.high)) / span if span else 0.0
    if not span or str(change.now) not in texts:
        return 1.0
    then = change.then
    held = (
        numbers[then.matches(column.domain)]
        if hasattr(then, "matches")
        else numbers[[texts.index(str(then))]]
    )
    return float(np.nanmin(np.abs(held - numbers[texts.index(str(change.now))]))) / span


def mondrian(
    explainer: KAnonymousExplainer, told: list[Explanation], k: int
) -> tuple[list[float], list[float]]:
    """NCP and pureness of the same counterfactuals in the boxes of a Mondrian partition of the training set."""
    space = explainer.space
    cells = explainer.people.cells(quasi=space.names, sensitive=())
    of_row = np.asarray(partition(cells, [KAnonymity(k)]))
    boxed, loss = [], []
    for one in told:
        mask = enclose(explainer, space.codes[cells.of_row[of_row == of_row[one.record]]])
        level = np.zeros(len(space), dtype=np.int32)
        boxed.append(BoxedRecord(space.sides(mask, level), one.record))
        loss.append(space.ncp(mask, level))
    return loss, explainer.confirm(boxed)


def enclose(explainer: KAnonymousExplainer, codes: NDArray[np.int32]) -> NDArray[np.uint8]:
    """The smallest box around some tuples."""
    space = explainer.space
    mask = np.zeros(int(space.shape.off[-1]), dtype=np.uint8)
    for a in range(codes.shape[1]):
        mask[space.shape.off[a] + codes[:, a]] = 1
        if space.shape.style[a] == RANGE:
            values = codes[:, a][codes[:, a] < space.shape.off[a + 1] - space.shape.off[a] - space.missing[a]]
            if len(values):
                mask[space.shape.off[a] + values.min() : space.shape.off[a] + values.max() + 1] = 1
    return mask


def sweep(
    experiment: Experiment, name: str, values: tuple[int, ...], *, seed: int, **fixed: Any
) -> list[dict[str, float]]:
    """Mean NCP, pureness and time over a range of one setting."""
    out = []
    for value in values:
        _, told, seconds = explain(experiment, seed=seed, **{**fixed, name: value})
        means = {
            "ncp": np.mean([one.ncp for one in told]),
            "pureness": np.mean([one.pureness for one in told]),
        }
        out.append({name: value, **{key: float(mean) for key, mean in means.items()}, "seconds": seconds})
    return out


def importance(experiment: Experiment) -> dict[str, int]:
    """Rank of each quasi-identifier among the predictors by the forest's impurity, names summed over their values."""
    encoder, trees = experiment.model[0], experiment.model[-1]
    total: dict[str, float] = {}
    for feature, weight in zip(encoder.get_feature_names_out(), trees.feature_importances_, strict=True):
        column = max((n for n in experiment.people.names if feature.split("__", 1)[1].startswith(n)), key=len)
        total[column] = total.get(column, 0.0) + float(weight)
    ranked = sorted(total, key=lambda column: -total[column])
    return {name: ranked.index(name) + 1 for name in experiment.study.quasi}


def remember(file: Path | None, compute: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """A result from the file if it is there, else computed and written, whole or not at all."""
    import json

    if file is not None and file.is_file():
        kept: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return kept
    result = compute()
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_file(file, json.dumps(result))
    return result
