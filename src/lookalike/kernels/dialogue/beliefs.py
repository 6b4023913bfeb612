"""How well weight vectors explain a person's answers, and what the answer to a question would teach.

Cost O(vectors x answers x attributes), and O(questions x vectors x attributes).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from lookalike.kernels.compiling import kernel, part


@part
def _sure(x: Any) -> Any:
    return 1.0 / (1.0 + math.exp(-x)) if x > -500.0 else 0.0


@part
def _add_logs(product: Any, out: Any) -> None:
    for e in range(len(product)):
        out[e] += math.log(product[e])
        product[e] = 1.0


def explain_answers(
    members: Any, differences: Any, signs: Any, errors: Any, sharpness: float, tie: float
) -> Any:
    """Log-likelihood of all answers for each vector and each error rate of the person."""
    out = np.zeros((len(members), len(errors)))
    _explain(members, differences, signs, errors, sharpness, tie, np.empty(len(errors)), out)
    return out


@kernel
def _explain(
    members: Any, differences: Any, signs: Any, errors: Any, sharpness: Any, tie: Any, product: Any, out: Any
) -> None:
    for i in range(len(members)):
        for e in range(len(errors)):
            product[e] = 1.0
        for t in range(len(signs)):
            margin = 0.0
            for a in range(members.shape[1]):
                margin += members[i, a] * differences[t, a]
            if signs[t] == 0:
                even = 0.25 + 0.75 * math.exp(-0.5 * (margin / tie) ** 2)
                for e in range(len(errors)):
                    product[e] *= even
            else:
                right = _sure(sharpness * margin * signs[t])
                for e in range(len(errors)):
                    product[e] *= errors[e] + (1.0 - 2.0 * errors[e]) * right
            if t % 64 == 63:  # before the product gets too small for a float
                _add_logs(product, out[i])
        _add_logs(product, out[i])


def judge_questions(differences: Any, members: Any, coordinates: Any, error: float, sharpness: float) -> Any:
    """For each question: by how much its answer shrinks the expected squared error of the mean of the coordinates."""
    gain, mean, shift = np.empty(len(differences)), *np.zeros((2, members.shape[1]))
    _judge(differences, members, coordinates, error, sharpness, mean, shift, gain)
    return gain


@kernel
def _judge(
    differences: Any,
    members: Any,
    coordinates: Any,
    error: Any,
    sharpness: Any,
    mean: Any,
    shift: Any,
    gain: Any,
) -> None:
    n, attributes = members.shape
    for a in range(attributes):
        for i in range(n):
            mean[a] += coordinates[i, a]
        mean[a] /= n
    for q in range(len(differences)):
        for a in range(attributes):
            shift[a] = 0.0
        share = 0.0
        for i in range(n):
            margin = 0.0
            for a in range(attributes):
                margin += members[i, a] * differences[q, a]
            p = error + (1.0 - 2.0 * error) * _sure(sharpness * margin)
            share += p
            for a in range(attributes):
                shift[a] += p * (coordinates[i, a] - mean[a])
        share /= n
        total = 0.0
        for a in range(attributes):
            total += (shift[a] / n) ** 2
        doubt = share * (1.0 - share)
        gain[q] = total / (doubt if doubt > 1e-9 else 1e-9)
