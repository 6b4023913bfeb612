"""Every kind of question by its name."""

from __future__ import annotations

from lookalike.measures.utility.questions.contingency import Contingency
from lookalike.measures.utility.questions.correlation import Correlation
from lookalike.measures.utility.questions.entropy import Entropy
from lookalike.measures.utility.questions.function import Function
from lookalike.measures.utility.questions.quantiles import Quantiles
from lookalike.measures.utility.questions.question import QuestionKind
from lookalike.measures.utility.questions.range_counts import RangeCounts
from lookalike.measures.utility.questions.ranking import Ranking
from lookalike.measures.utility.questions.regression import Linear, Logistic
from lookalike.measures.utility.questions.tolerance import Mean, Share
from lookalike.measures.utility.questions.two_sample import TwoSample

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
