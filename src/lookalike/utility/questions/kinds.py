"""Every kind of question by its name."""

from __future__ import annotations

from lookalike.utility.questions.contingency import Contingency
from lookalike.utility.questions.correlation import Correlation
from lookalike.utility.questions.entropy import Entropy
from lookalike.utility.questions.function import Function
from lookalike.utility.questions.quantiles import Quantiles
from lookalike.utility.questions.question import QuestionKind
from lookalike.utility.questions.range_counts import RangeCounts
from lookalike.utility.questions.ranking import Ranking
from lookalike.utility.questions.regression import Linear, Logistic
from lookalike.utility.questions.tolerance import Mean, Share
from lookalike.utility.questions.two_sample import TwoSample

KINDS: dict[str, type[QuestionKind]] = {
    kind.kind: kind
    for kind in (
        Ranking,
        TwoSample,
        Share,
        Mean,
        Correlation,
        Linear,
        Logistic,
        Entropy,
        RangeCounts,
        Contingency,
        Quantiles,
        Function,
    )
}
