"""What the labels of a released column stand for: the values of the original's domain behind each of them.

Ranges and sets are read by their notation, names of nodes by growing their hierarchy again. O(labels x values).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lookalike.base.errors import RequestError
from lookalike.recodings.covering import BoxTexts, grow_known
from lookalike.recodings.labels import ValueSet, read_label
from lookalike.recodings.treatments import Box, Generalise
from lookalike.tables.columns.domains import Domain
from lookalike.tables.columns.notation import STAR
from lookalike.tables.hierarchies import Hierarchy, Tree


def contents(labels: list[str | None], domain: Domain, treatment: Generalise | Box) -> NDArray[np.bool_]:
    """Which values of the domain each label stands for: labels x codes."""
    if not isinstance(treatment, Box):
        return _under(labels, domain, treatment.shown[0])
    if treatment.style in ("node", "siblings"):
        nodes = _under(labels, domain, treatment.hierarchy)
        sets = contents(labels, domain, replace(treatment, style="set"))
        return np.where(nodes.any(axis=1, keepdims=True), nodes, sets)
    values = {*domain.texts, *([None] if domain.missing else [])}
    good = [i for i, label in enumerate(labels) if _is_written(label, values, domain)]
    texts = [labels[i] for i in good]
    out = np.zeros((len(labels), domain.size), dtype=bool)
    out[good] = BoxTexts(treatment.style, list(texts), texts).contains(domain, treatment.hierarchy)
    return out


def _is_written(text: str | None, values: set[str | None], domain: Domain) -> bool:
    """Whether this is a range or set of these values, to the letter as it would be written."""
    if text == "":
        return False
    try:
        label = read_label(text)
    except RequestError:
        return False
    if label is None:
        return True
    if isinstance(label, ValueSet):
        return set(label.values) <= values and (text is None or str(label) == text)
    known = not any(np.isnan(domain.number(end)) for end in (label.lo, label.hi))
    return known and domain.kind.ordered and (None in values or not label.missing) and str(label) == text


def _under(labels: list[str | None], domain: Domain, recipe: Hierarchy) -> NDArray[np.bool_]:
    """Labels of a tree, looked up from the leaves upwards; a label means the same values on every level."""
    tree, known = grow_known(recipe, domain)
    meaning = _meanings(tree)
    out = np.zeros((len(labels), domain.size), dtype=bool)
    for i, label in enumerate(labels):
        if label in meaning:
            out[i, known[meaning[label]]] = True
        elif label == STAR:
            out[i] = True
    return out


def _meanings(tree: Tree) -> dict[str | None, NDArray[np.int64]]:
    out: dict[str | None, NDArray[np.int64]] = {}
    for level, (up, labels) in enumerate(
        zip(tree.up, map(tree.published, range(tree.height + 1)), strict=True)
    ):
        for node in np.unique(up).tolist():
            if labels[node] not in out or (labels[node] == STAR and level == tree.height):
                out[labels[node]] = np.flatnonzero(up == node)
    return out
