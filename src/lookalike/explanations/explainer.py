"""KAnonymousExplainer: counterfactual explanations of a model's decisions that do not give anyone away.

For each person the nearest training record with the desired outcome is found, and its quasi-identifiers are blurred
by CF-K until at least k training records fit. Each training record gets one fixed box, whoever asks, so that repeated
questions reveal nothing more. Goethals, Sörensen and Martens 2022, https://doi.org/10.48550/arXiv.2210.12051.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
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
from lookalike.explanations.claims import Asked, Claim, NearRecord, say_ways
from lookalike.explanations.explanation import Explained, Explanation
from lookalike.explanations.features import Coded, Features, lay_out_features
from lookalike.explanations.fixed_boxes import FixedBoxes
from lookalike.explanations.neighbours import Index, Neighbours
from lookalike.explanations.obstacles import Obstacles
from lookalike.explanations.outcomes import Outcomes
from lookalike.explanations.quality import WaysOut, measure_ways
from lookalike.explanations.requests import Options, sort_out
from lookalike.explanations.space import Space, search_space
from lookalike.explanations.training import consult, hold_back, stand
from lookalike.explanations.wording import ENGLISH, Wording
from lookalike.kernels.heom import distances
from lookalike.recodings.labels import Label
from lookalike.recognition.frames import as_table
from lookalike.tables.columns.domains import Domain
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
    people: the training table, or a frame with what `la.table` takes: quasi, targets, hierarchies, ...
    desired: the outcome people want. k: how many people of the training table share what an explanation says.
    values: "shared" blurs every column that is shown until k people share all of them together, and says no more of
    the person asked about than k people could be told. "exact" is the paper's form: the quasi-identifiers alone are
    blurred, all other columns are shown as one person has them.
    features: the columns the model looks at, where it does not say itself. wording: how explanations are worded.

    Options of the search: alpha, iterations, objective ("weighted", "lex_ncp", "lex_pureness"), mu, floor (least
    pureness), combinations (of a box that are tried out), seed: CF-K's.
    l: least number of distinct private tuples among the covered records.
    effort: further searches per unit of loss (NCP + 1 - pureness): spends time where explanations are worst, and never
    returns anything worse. 0 is the paper's algorithm alone; 100 by default, 10 with shared values.
    moves: "paper" lets local search grow single values and shrink all others; "free" lets it do both everywhere, which
    finds better boxes and costs more calls of the model.

    Options of what is near and what blurring costs: distance_on ("qi" or "all": what makes training records near in
    CF-K), p (1 adds differences, as HEOM does, 2 is Euclid's), weights of the columns in NCP, ncp ("share" or "steps").
    unknown: a name the training table never had is an "error", or "differs" from every name it has.

    Options of whose record is taken and who counts:
    count: "all" training records count towards k, or only the "desired" ones, who are all that could be meant.
    choices: how many of the nearest records to choose from. With exact values the one whose box loses least is taken
    (of 1); with shared values (of 10) the first whose description always holds for the person, else the best.
    justified: only records whose label (the table's target) is the desired outcome; by default where there is one.
    immutable: columns that no explanation may ask to change; actionable: the only ones that it may. With shared values
    and neither given, sex, race, origin and birth stay as they are, by what the columns are about, and age only rises;
    immutable=[] frees all.
    native: another explainer: a function of a frame that returns a training row's position for each of its rows.

    options: the options above, and what `la.table` takes for a frame.

    Examples:
        >>> import lookalike as la
        >>> frame = la.datasets.population(300, seed=1).select("age", "gender", "num_children")
        >>> model = lambda rows: (rows["age"] > 40).cast(int)
        >>> explainer = la.KAnonymousExplainer(model, frame, quasi=["age", "gender"], others=[], k=5)
        >>> explanation = explainer.explain(frame.filter(frame["age"] < 30)[0])
        >>> explanation.text.split(". ")[0]
        'If your age were 44 to 51 (more than now), the outcome would have been 1'
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
        seen = self.outcomes.features
        self.fixed, self.rising = self.eligible.fixed(people, seen), self.eligible.rising(people, seen)
        quasi = [name for name in people.quasi if name in seen]
        if not quasi:
            raise ColumnError(
                "none of the columns the model looks at is a quasi-identifier. Name them with table(..., quasi=[...])."
            )
        shared = self.eligible.shared and k > 1
        blurred, share = (seen, k) if shared else (quasi, None)
        self.space: Space = search_space(
            people, blurred, weights=nearness.weights, ncp=nearness.ncp, share=share
        )
        self.features: Features = lay_out_features(people, seen, strangers=nearness.unknown == "differs")
        self.private = [name for name in seen if name not in blurred]
        self.trained = consult(self.outcomes, self.features, justified=self.eligible.justified)
        native = self.eligible.native is not None
        if k > 1 and not native and (shared or self.eligible.count == "desired"):
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
        return self._explain(rows, Obstacles([1], strict=True), progress=False)[0]

    def explain_many(
        self, rows: Any, *, called: Sequence[int] | None = None, progress: Progress = False
    ) -> list[Explanation]:
        """Explain many decisions at once: one call of the model serves all of them. Stops where one cannot be.

        called: the numbers by which errors name the rows; 1, 2, … otherwise.
        """
        taken = self.features.take(rows)
        obstacles = Obstacles(_numbers(called, taken.height), strict=True)
        return list(self._explain(taken, obstacles, progress=progress).values())

    def explain_each(
        self, rows: Any, *, called: Sequence[int] | None = None, progress: Progress = False
    ) -> Explained:
        """Explain the decisions that can be explained, and say of each other one why it cannot.

        called: the numbers by which the answer names the rows; 1, 2, … otherwise.
        """
        taken = self.features.take(rows)
        numbers = _numbers(called, taken.height)
        obstacles = Obstacles(numbers, strict=False)
        told = self._explain(taken, obstacles, progress=progress)
        return Explained(
            {numbers[i]: one for i, one in told.items()},
            {numbers[i]: why for i, why in sorted(obstacles.why.items())},
        )

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
        told = self.explain(row)
        rows = self.features.take(row)
        coded = self.features.code(rows)
        query = self.features.measure(coded)[0]
        fixed = () if self.space.shared else self.fixed
        near, far = self.index.diverse(query, want=4 * alternatives, spread=diverse, fixed=fixed)
        self.boxes.find(np.unique(near), progress=False)
        first = int(self.features.of_row[told.record])
        found = [
            self._candidate(int(one), float(d)) for one, d in zip(near, far, strict=True) if one != first
        ]
        asked = self._asked(rows[[0] * len(found)], coded.part(np.zeros(len(found), dtype=np.int64)))
        claims = asked.claim(range(len(found)), found)
        if self.space.shared:
            claims = asked.prune(range(len(claims)), [one for one in claims if one.holds > 0])
        kept = [one for one in claims if self._keeps_floor(one)]
        every = [told, *(self._describe(one, told.seconds) for one in kept)]
        boxes = [self._inside(one) for one in every]
        taken = take_together(boxes, self._counted, k=self.rules.k, most=alternatives)
        chosen = [boxes[i] for i in taken]
        covered = self._counted(np.logical_or.reduce(chosen))
        together = k_together(chosen, self._counted)
        return Alternatives(tuple(every[i] for i in taken), covered, together)

    def ways_out(self, rows: Any, explanations: Sequence[Explanation]) -> list[WaysOut]:
        """How many ways out each explanation offers to its row, how many are valid, and how near the nearest is."""
        taken = self.features.take(rows)
        if taken.height != len(explanations):
            raise RequestError(
                f"{taken.height} rows for {len(explanations)} explanations; give one for each."
            )
        return measure_ways(self.outcomes, self.features, taken, explanations)

    def _inside(self, told: Explanation) -> NDArray[np.bool_]:
        """The cells inside the box of an explanation."""
        return self.space.inside(self.boxes[int(self.features.of_row[told.record])].mask)

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
        query = self.features.place(self.features.take(row))
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
            mask = np.concatenate([self._held(explanation, name, domains[name]) for name in self.space.names])
            nobody = np.empty(0, np.int64)
            task = Task(np.empty(0, np.int32), nobody, nobody, nobody, ())
            task.priority = rng.random((combinations, len(mask)), dtype=np.float32)
            task.judge(self.ground, rules, mask.astype(np.uint8)[None])
            questions.append((int(self.features.of_row[explanation.record]), task.question()))
        return [float(answer.mean()) for answer in self.boxes.ask(questions)]

    def _held(self, boxed: Boxed, name: str, domain: Domain) -> NDArray[np.bool_]:
        """The values or steps of a column that a box holds; where it does not say, the record's own."""
        if name in boxed.box:
            held: NDArray[np.bool_] = boxed.box[name].matches(domain)
            return held
        column = self.space.columns[self.space.names.index(name)].column
        own: NDArray[np.bool_] = np.arange(domain.size) == column.codes[boxed.record]
        return own

    def nearest_of(self, queries: NDArray[np.float64]) -> NDArray[np.int64]:
        """The nearest distinct training row of each query that agrees in what must stay."""
        found: NDArray[np.int64] = self.index.search(queries, fixed=self.fixed)[0][:, 0]
        alone = np.flatnonzero(found < 0)
        if len(alone):
            raise GuaranteeError(f"row {alone[0] + 1}: {self._why_alone()}")
        return found

    @property
    def reach(self) -> int:
        """The largest k that could be asked for: how many people (or desired records) the training table has."""
        return int(self.ground.weight.sum()) if not self.ground.units else self.space.cells.people

    @cached_property
    def index(self) -> Index:
        """The candidates, ready to be searched."""
        return Index(self.features, self.trained.candidates, p=self.p)

    def _explain(
        self, rows: pl.DataFrame, obstacles: Obstacles, *, progress: Progress
    ) -> dict[int, Explanation]:
        """The explanation of each row that has one, by position."""
        started = time.perf_counter()
        coded = self.features.code(rows)
        at = self._refused(rows, coded, obstacles)
        if not len(at):
            return {}
        rows, coded = rows[at], coded.part(at)
        queries = self.features.measure(coded)
        if self.eligible.native is not None:
            near, distance = self._ask_native(rows, queries)
        else:
            fixed = () if self.space.shared else self.fixed
            near, distance = self.index.search(queries, want=self.eligible.looks, fixed=fixed)
        asked = self._asked(rows, coded)
        if self.space.shared:
            chosen = self._choose_valid(asked, near, distance, progress)
        else:
            chosen = self._choose_cheap(asked, near, distance, progress)
        lost = np.array([i not in chosen for i in range(rows.height)])
        alone = near[:, 0] < 0
        obstacles.add(at[alone], self._why_alone(), GuaranteeError)
        obstacles.add(at[lost & ~alone], self._why_lost(), GuaranteeError)
        seconds = (time.perf_counter() - started) / rows.height
        return {int(at[i]): self._describe(chosen[i], seconds) for i in sorted(chosen)}

    def _asked(self, rows: pl.DataFrame, coded: Coded) -> Asked:
        return Asked(self.features, self.outcomes, rows, coded, self.fixed, self.rising, self.space.shared)

    def _refused(self, rows: pl.DataFrame, coded: Coded, obstacles: Obstacles) -> NDArray[np.int64]:
        """The rows that the model can judge, and that do not have the desired outcome."""
        at = np.arange(rows.height)
        for column in np.flatnonzero(coded.strange.any(axis=0)):
            strange = at[coded.strange[:, column]]
            obstacles.add(strange, self.features.no_such_value(int(column)), RequestError)
        at = at[~coded.strange.any(axis=1)]
        already = self.outcomes.desired_of(rows[at]) if len(at) else np.zeros(0, dtype=bool)
        reason = f"it already has the desired outcome {self.outcomes.desired!r}. Explain rows that have not."
        obstacles.add(at[already], reason, RequestError)
        return at[~already]

    def _choose_cheap(
        self, asked: Asked, near: NDArray[np.int64], distance: NDArray[np.float64], progress: Progress
    ) -> dict[int, Claim]:
        """Of the nearest records of each row, the one whose box loses least; of equal ones, the nearest."""
        self.boxes.find(np.unique(near[near >= 0]), progress)
        loss = np.full(near.shape, np.inf)
        for at in np.argwhere(near >= 0):
            solution = self.boxes[int(near[tuple(at)])]
            if solution.quality[0] == 0:  # the floor is kept
                loss[tuple(at)] = round(solution.ncp + self.rules.mu * (1 - solution.pureness), 12)
        some = np.flatnonzero(np.isfinite(loss).any(axis=1)).tolist()
        best = loss.argmin(axis=1)
        found = [self._candidate(int(near[i, best[i]]), float(distance[i, best[i]])) for i in some]
        return dict(zip(some, asked.claim(some, found), strict=True))

    def _choose_valid(
        self, asked: Asked, near: NDArray[np.int64], distance: NDArray[np.float64], progress: Progress
    ) -> dict[int, Claim]:
        """Of the nearest records of each row, the first whose box always holds for it, else the best that ever does."""
        best: dict[int, tuple[float, Claim]] = {}
        for turn in range(near.shape[1]):
            at = [
                int(i)
                for i in np.flatnonzero(near[:, turn] >= 0)
                if int(i) not in best or best[int(i)][1].holds < 1
            ]
            self.boxes.find(np.unique(near[at, turn]), progress and turn == 0)
            found = [self._candidate(int(near[i, turn]), float(distance[i, turn])) for i in at]
            for i, claim in zip(at, asked.claim(at, found), strict=True):
                loss = claim.about.ncp + self.rules.mu * (1 - claim.holds)
                if claim.holds > 0 and self._keeps_floor(claim) and (i not in best or loss < best[i][0]):
                    best[i] = loss, claim
        some = sorted(best)
        return dict(zip(some, asked.prune(some, [best[i][1] for i in some]), strict=True))

    def _keeps_floor(self, claim: Claim) -> bool:
        """Does a claim hold often enough?"""
        if self.space.shared:
            return claim.holds >= self.rules.floor
        return self.boxes[claim.about.record].quality[0] == 0

    def _candidate(self, record: int, distance: float) -> NearRecord:
        """A record with its box in words."""
        found, space = self.boxes[record], self.space
        return NearRecord(
            record,
            int(self.trained.record[record]),
            distance,
            space.sides(found.mask, found.level),
            found.pureness,
            found.ncp,
        )

    def _why_alone(self) -> str:
        return (
            "no training row with the desired outcome agrees with it in its immutable columns "
            f"({', '.join(self.fixed)}). Let more columns change."
        )

    def _why_lost(self) -> str:
        if self.space.shared:
            often = f"in {self.rules.floor:.0%} of the cases that it covers" if self.rules.floor else "at all"
            return (
                f"nothing that {self.rules.k} people share with one of its {self.eligible.looks} nearest records leads "
                f"to the outcome {often}. Lower k or floor, raise choices, or let more columns change."
            )
        return (
            f"no box found with k={self.rules.k} keeps pureness at {self.rules.floor:.0%}. Lower floor or k, raise "
            "iterations or effort, or allow choices."
        )

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

    def _describe(self, claim: Claim, seconds: float) -> Explanation:
        about, space = claim.about, self.space
        solution = self.boxes[about.record]
        mask = solution.mask
        covered = space.inside(mask)
        counts = {"all": space.people(mask), "desired": int(self.ground.meant[covered].sum())}
        shared = space.shared
        return Explanation(
            outcome=self.outcomes.desired,
            box=about.box,
            values={name: self.people.rows[name][about.row] for name in self.private},
            changes=say_ways(claim.changes, self.people, self.rules.k) if shared else claim.changes,
            stays=claim.stays,
            holds=claim.holds,
            k=counts[self.eligible.count],
            k_all=counts["all"],
            k_desired=counts["desired"],
            private_tuples=self.pairs.variety(covered),
            pureness=solution.pureness,
            combinations=space.combinations(mask),
            tried=solution.tried,
            ncp=space.ncp(mask, solution.level),
            ncp_of=dict(zip(space.names, space.penalties(mask, solution.level).tolist(), strict=True)),
            distance=about.distance,
            seconds=seconds,
            wording=self.wording,
            record=about.row,
        )

    def __repr__(self) -> str:
        return (
            f"KAnonymousExplainer(k={self.rules.k}, {len(self.people):,} training rows, "
            f"{int(self.trained.candidates.sum()):,} candidates, {len(self.space.names)} quasi-identifiers)"
        )


def _numbers(called: Sequence[int] | None, rows: int) -> list[int]:
    """The numbers by which rows are named: as given, or from 1 on."""
    numbers = list(called) if called is not None else list(range(1, rows + 1))
    if len(numbers) != rows:
        raise RequestError(f"called has {len(numbers)} numbers for {rows} rows.")
    return numbers
