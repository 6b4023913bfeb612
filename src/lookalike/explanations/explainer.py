"""KAnonymousExplainer: counterfactual explanations of a model's decisions that do not give anyone away.

For each person the nearest training record with the desired outcome is found, and its quasi-identifiers are blurred
by CF-K until at least k training records fit. Each training record gets one fixed box, whoever asks, so that repeated
questions reveal nothing more. Goethals, Sörensen and Martens 2022, https://doi.org/10.48550/arXiv.2210.12051.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Protocol, Unpack

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lookalike.base.checks import number, whole_number
from lookalike.base.errors import ColumnError, GuaranteeError, RequestError
from lookalike.base.progress import Progress
from lookalike.explanations.alternatives import MOST, Alternatives, k_together, take_together
from lookalike.explanations.cfk import Rules, Task
from lookalike.explanations.explanation import Explanation, find_changes
from lookalike.explanations.features import Coded, Features, lay_out_features
from lookalike.explanations.fixed_boxes import FixedBoxes
from lookalike.explanations.neighbours import Index, Neighbours
from lookalike.explanations.outcomes import Outcomes
from lookalike.explanations.requests import Options, sort_out
from lookalike.explanations.space import Space, search_space
from lookalike.explanations.staying import shares_as_they_are
from lookalike.explanations.training import consult, hold_back, stand
from lookalike.explanations.wording import ENGLISH, Wording
from lookalike.kernels.heom import distances
from lookalike.recodings.labels import Label
from lookalike.recognition.frames import as_table
from lookalike.tables.sources.frames import Streams
from lookalike.tables.table import Table


class Boxed(Protocol):
    """A training record and the box around it: an explanation, or what some other method made."""

    @property
    def box(self) -> Mapping[str, Label]: ...
    @property
    def record(self) -> int: ...


class KAnonymousExplainer:
    """Explains a model's unfavourable decisions with counterfactuals that k training people share.

    model: anything fitted with `predict`, or a function of a frame; it sees frames like the training table's.
    people: the training table; its quasi-identifiers are blurred, all other columns are shown as they are. A frame will
    do in its place, with what `la.table` takes: quasi, targets, hierarchies, ...
    desired: the outcome people want. k: how many training records an explanation must cover.
    features: the columns the model looks at, where it does not say itself. wording: how explanations are worded.

    Options of the search: alpha, iterations, objective ("weighted", "lex_ncp", "lex_pureness"), mu, floor (least
    pureness), combinations (of a box that are tried out), seed: CF-K's.
    l: least number of distinct private tuples among the covered records.
    effort: further searches per unit of loss (NCP + 1 - pureness): spends time where explanations are worst, and never
    returns anything worse. 0 is the paper's algorithm alone.
    moves: "paper" lets local search grow single values and shrink all others; "free" lets it do both everywhere, which
    finds better boxes and costs more calls of the model.

    Options of what is near and what blurring costs: distance_on ("qi" or "all": what makes training records near in
    CF-K), p (1 adds differences, as HEOM does, 2 is Euclid's), weights of the columns in NCP, ncp ("share" or "steps").
    unknown: a name the training table never had is an "error", or "differs" from every name it has.

    Options of whose record is taken and who counts:
    count: "all" training records count towards k, or only the "desired" ones, who are all that could be meant.
    choices: how many of the nearest records to choose from; the one whose box loses least is taken.
    justified: only records whose label (the table's target) is the desired outcome; by default where there is one.
    immutable: columns that no explanation may ask to change; actionable: the only ones that it may.
    native: another explainer: a function of a frame that returns a training row's position for each of its rows.

    options: the options above, and what `la.table` takes for a frame.

    Examples:
        >>> import lookalike as la
        >>> frame = la.datasets.population(300, seed=1).select("age", "gender", "num_children")
        >>> model = lambda rows: (rows["age"] > 40).cast(int)
        >>> explainer = la.KAnonymousExplainer(model, frame, quasi=["age", "gender"], others=[], k=5)
        >>> explanation = explainer.explain(frame.filter(frame["age"] < 30)[0])
        >>> explanation.text.split(". ")[0]
        'If your age were 44 to 45 (27 to 28 more), the outcome would have been 1'
    """

    def __init__(
        self,
        model: Any,
        people: Table | Streams,
        *,
        desired: Any = 1,
        k: int = 10,
        features: Sequence[str] | None = None,
        wording: Wording = ENGLISH,
        **options: Unpack[Options],
    ) -> None:
        self.rules, nearness, self.eligible, said = sort_out(k, options)
        self.people = people = as_table(people, said)
        self.outcomes = Outcomes(model, people, desired=desired, features=features)
        self.p = nearness.p
        self.wording = wording
        self.fixed = self.eligible.fixed(self.outcomes.features)
        quasi = [name for name in people.quasi if name in self.outcomes.features]
        if not quasi:
            raise ColumnError(
                "none of the columns the model looks at is a quasi-identifier. Name them with table(..., quasi=[...])."
            )
        self.space: Space = search_space(people, quasi, weights=nearness.weights, ncp=nearness.ncp)
        self.features: Features = lay_out_features(
            people, self.outcomes.features, strangers=nearness.unknown == "differs"
        )
        self.private = [name for name in self.outcomes.features if name not in quasi]
        self.trained = consult(self.outcomes, self.features, justified=self.eligible.justified)
        native = self.eligible.native is not None
        if self.eligible.count == "desired" and k > 1 and not native:
            self.trained = hold_back(self.trained, self.features, self.rules.seed)
        self.ground, self.pairs = stand(
            self.space,
            self.features,
            self.trained,
            self.rules,
            count=self.eligible.count,
            shown=self.trained.desired if native else self.trained.candidates,
        )
        self.boxes = FixedBoxes(
            self.outcomes, self.features, self.trained, self.ground, self.rules,
            distance_on=nearness.distance_on, p=nearness.p,
        )  # fmt: skip

    def explain(self, row: Any) -> Explanation:
        """Explain one decision: a mapping, a pandas Series, or a frame of one row."""
        rows = self.features.take(row)
        if rows.height != 1:
            raise RequestError(f"explain takes one row and got {rows.height}. Use explain_many.")
        return self._explain(rows, [1], progress=False)[0]

    def explain_many(
        self, rows: Any, *, called: Sequence[int] | None = None, progress: Progress = False
    ) -> list[Explanation]:
        """Explain many decisions at once: one call of the model serves all of them.

        called: the numbers by which errors name the rows; 1, 2, … otherwise.
        """
        taken = self.features.take(rows)
        numbers = list(called) if called is not None else list(range(1, taken.height + 1))
        if len(numbers) != taken.height:
            raise RequestError(f"called has {len(numbers)} numbers for {taken.height} rows.")
        return self._explain(taken, numbers, progress=progress)

    def explain_in_several_ways(
        self, row: Any, *, alternatives: int = 3, diverse: float = 0.5
    ) -> Alternatives:
        """Up to so many explanations of one decision that differ, k-anonymous together: k people per box in any group.

        diverse: how much they should differ, as in `nearest`. Fewer come back where no further box keeps k.
        """
        if whole_number(alternatives, "alternatives", least=1) > MOST:
            raise RequestError(f"alternatives is at most {MOST}, not {alternatives}.")
        number(diverse, "diverse", least=0)
        if self.eligible.native is not None:
            raise RequestError(
                "native names one record for each row; alternatives need an explainer without it."
            )
        explanation = self.explain(row)
        rows = self.features.take(row)
        coded = self.features.code(rows)
        query = self.features.measure(coded)[0]
        near, far = self.index.diverse(query, want=4 * alternatives, spread=diverse, fixed=self.fixed)
        self.boxes.find(np.unique(near), progress=False)
        first = int(self.features.of_row[explanation.record])
        order = [
            int(record)
            for record in near
            if record != first and self.boxes[int(record)].quality[0] == 0  # the floor is kept
        ]
        distance = dict(zip(near.tolist(), far.tolist(), strict=True))
        boxes = [self.space.inside(self.boxes[record].mask) for record in (first, *order)]
        taken = take_together(boxes, self._counted, k=self.rules.k, most=alternatives)
        others = [
            self._describe(rows, 0, coded, order[i - 1], distance[order[i - 1]], explanation.seconds)
            for i in taken[1:]
        ]
        others = self._with_stays(rows[[0] * len(others)], others) if others else []
        chosen = [boxes[i] for i in taken]
        covered = self._counted(np.logical_or.reduce(chosen))
        return Alternatives((explanation, *others), covered, k_together(chosen, self._counted))

    def _counted(self, inside: NDArray[np.bool_]) -> int:
        """How many in some cells count towards k."""
        if self.eligible.count == "desired":
            return int(self.ground.meant[inside].sum())
        return self.space.people_in(inside)

    def nearest(self, row: Any, n: int = 1, *, diverse: float = 0.0) -> Neighbours:
        """The n nearest training rows with the desired outcome, raw: **not for handing out**.

        With `diverse` above 0, rows that also differ from each other, the more so the larger it is (0.5 is moderate).
        """
        whole_number(n, "n", least=1)
        number(diverse, "diverse", least=0)
        query = self.features.measure(self.features.code(self.features.take(row)))
        if len(query) != 1:
            raise RequestError(f"nearest takes one row and got {len(query)}.")
        if diverse:
            rows, far = self.index.diverse(query[0], want=n, spread=diverse, fixed=self.fixed)
        else:
            found, distance = self.index.search(query, want=n, fixed=self.fixed)
            rows, far = found[0][found[0] >= 0], distance[0][found[0] >= 0]
        return Neighbours(self.trained.record[rows], far)

    def confirm(
        self, explanations: Sequence[Boxed], *, combinations: int = 1000, seed: int = 1
    ) -> list[float]:
        """Pureness of finished explanations measured afresh: on all combinations, or a new sample of so many.

        A search that picks the best of many samples flatters itself; these numbers do not know the search.
        """
        rng = np.random.Generator(np.random.PCG64(whole_number(seed, "seed")))
        domains = {a.name: a.domain for a in self.space.cells.attributes}
        rules = Rules(k=1, combinations=combinations)
        questions = []
        for explanation in explanations:
            mask = np.concatenate([explanation.box[name].matches(domains[name]) for name in self.space.names])
            nobody = np.empty(0, np.int64)
            task = Task(np.empty(0, np.int32), nobody, nobody, nobody, ())
            task.priority = rng.random((combinations, len(mask)), dtype=np.float32)
            task.judge(self.ground, rules, mask.astype(np.uint8)[None])
            questions.append((int(self.features.of_row[explanation.record]), task.question()))
        return [float(answer.mean()) for answer in self.boxes.ask(questions)]

    @property
    def reach(self) -> int:
        """The largest k that could be asked for: how many people (or desired records) the training table has."""
        return int(self.ground.weight.sum()) if not self.ground.units else self.space.cells.people

    @cached_property
    def index(self) -> Index:
        """The candidates, ready to be searched."""
        return Index(self.features, self.trained.candidates, p=self.p)

    def _explain(self, rows: pl.DataFrame, called: Sequence[int], *, progress: Progress) -> list[Explanation]:
        started = time.perf_counter()
        coded = self.features.code(rows)
        queries = self.features.measure(coded)
        already = np.flatnonzero(self.outcomes.desired_of(rows))
        if len(already):
            raise RequestError(
                f"row {called[int(already[0])]} already has the desired outcome {self.outcomes.desired!r}"
                + (f", and so have {len(already) - 1} others" if len(already) > 1 else "")
                + ". Explain rows that have not."
            )
        if self.eligible.native is None:
            near, distance = self.index.search(
                queries, want=self.eligible.choices, fixed=self.fixed, called=called
            )
        else:
            near, distance = self._ask_native(rows, queries)
        self.boxes.find(np.unique(near[near >= 0]), progress)
        found, far = self._choose(near, distance, called)
        seconds = (time.perf_counter() - started) / rows.height
        explanations = [
            self._describe(rows, i, coded, int(record), float(distance), seconds)
            for i, (record, distance) in enumerate(zip(found, far, strict=True))
        ]
        return self._with_stays(rows, explanations)

    def _with_stays(self, rows: pl.DataFrame, explanations: Sequence[Explanation]) -> list[Explanation]:
        """The explanations; ranges to stay in are named only where the changes alone would promise too much."""
        claims = [(one.changes, one.box, one.record) for one in explanations]
        shares = shares_as_they_are(self.outcomes, self.features, rows, claims)
        return [
            one if share < one.pureness else replace(one, stays=())
            for one, share in zip(explanations, shares, strict=True)
        ]

    def _choose(
        self, near: NDArray[np.int64], distance: NDArray[np.float64], called: Sequence[int]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Of the nearest records of each row, the one whose box loses least; of equal ones, the nearest."""
        loss = np.full(near.shape, np.inf)
        for at in np.argwhere(near >= 0):
            solution = self.boxes[int(near[tuple(at)])]
            if solution.quality[0] == 0:  # the floor is kept
                loss[tuple(at)] = round(solution.ncp + self.rules.mu * (1 - solution.pureness), 12)
        short = np.flatnonzero(np.isinf(loss).all(axis=1))
        if len(short):
            raise GuaranteeError(
                f"row {called[int(short[0])]}: no box found with k={self.rules.k} keeps pureness at "
                f"{self.rules.floor:.0%} ({len(short)} of {len(near)} rows). Lower floor or k, raise iterations "
                "or effort, or allow choices."
            )
        rows, best = np.arange(len(near)), loss.argmin(axis=1)
        return near[rows, best], distance[rows, best]

    def _ask_native(
        self, rows: pl.DataFrame, queries: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        assert self.eligible.native is not None
        answer = np.asarray(self.eligible.native(self.people.give_back(rows)))
        if answer.shape != (rows.height,) or answer.dtype.kind not in "iu":
            raise RequestError("native must return one training row position per row.")
        if answer.min() < 0 or answer.max() >= len(self.people):
            raise RequestError(
                f"native returned a position outside the training table (0 to {len(self.people) - 1})."
            )
        found = self.features.of_row[answer].astype(np.int64)
        wrong = ~self.trained.desired[found]
        if wrong.any():
            raise RequestError(
                f"native returned {int(wrong.sum())} training rows that do not have the desired outcome."
            )
        nominal, squared = self.features.nominal, self.p == 2
        far = [
            distances(q, self.features.values[[f]], nominal, squared)[0]
            for q, f in zip(queries, found, strict=True)
        ]
        return found[:, None], (np.sqrt(far) if squared else np.array(far))[:, None]

    def _describe(
        self, rows: pl.DataFrame, i: int, coded: Coded, record: int, distance: float, seconds: float
    ) -> Explanation:
        solution, space = self.boxes[record], self.space
        mask, row = solution.mask, int(self.trained.record[record])
        box = space.sides(mask, solution.level)
        values = {name: self.people.rows[name][row] for name in self.private}
        changes, stays = find_changes(self.features, rows, i, coded, box, row)
        covered = space.inside(mask)
        counts = {"all": space.people(mask), "desired": int(self.ground.meant[covered].sum())}
        return Explanation(
            outcome=self.outcomes.desired,
            box=box,
            values=values,
            changes=tuple(changes),
            stays=tuple(stays),
            k=counts[self.eligible.count],
            k_all=counts["all"],
            k_desired=counts["desired"],
            private_tuples=self.pairs.variety(covered),
            pureness=solution.pureness,
            combinations=space.combinations(mask),
            tried=solution.tried,
            ncp=space.ncp(mask, solution.level),
            ncp_of=dict(zip(space.names, space.penalties(mask, solution.level).tolist(), strict=True)),
            distance=distance,
            seconds=seconds,
            wording=self.wording,
            record=row,
        )

    def __repr__(self) -> str:
        return (
            f"KAnonymousExplainer(k={self.rules.k}, {len(self.people):,} training rows, "
            f"{int(self.trained.candidates.sum()):,} candidates, {len(self.space.names)} quasi-identifiers)"
        )
