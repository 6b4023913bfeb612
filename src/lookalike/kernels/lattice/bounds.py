"""What a level of the optimal search saves at most: bounds that hold for whatever is decided afterwards.

Attributes still open count as if removed for the size of classes and as if untouched for the loss. A class that is too
small now stays too small whatever they do. Weighing a level costs O(rows left).

`kernels.lattice.rows` says what a row is, and what the names of plan and walk mean.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lookalike.kernels.compiling import paragraph, part

#: The loss adds up over records; sum of squared class sizes; records per class.
SUM, SQUARES, CLASSES = 0, 1, 2


@part
def keepable(have: Any, weight: Any, need: Any, sized: Any, size: int, enough: float) -> Any:
    """How many records of a class can be kept at most, in whatever parts; 0 if not `enough`. Clears its values.

    A requirement asks of every kept class of s records that the sum over marks of min(records with it, weight s)
    is at least need s. A union of such classes meets it too, so the records kept of this class do. The sum is concave
    in s, so the largest s is found from above by Newton's steps, 0 if the weights of the marks present do not reach
    the need. Requirements that are not sized ask for the latter only.
    """
    # Takes a few arrays rather than plan and walk: it is called so often that passing all of them would cost more.
    most = float(size)
    for j in range(len(need)):
        if not sized[j]:
            missing = need[j]
            for b in range(len(have)):
                if have[b] > 0:
                    missing -= weight[j, b]
                    if missing <= 0:
                        break
            if missing > 0:
                most = 0.0
                break
            continue
        while most > 0:
            capped, slope = 0.0, 0.0
            for b in range(len(have)):
                below = have[b] < weight[j, b] * most
                capped += have[b] if below else 0
                slope += 0.0 if below else weight[j, b]
            if capped + slope * most >= need[j] * most * (1 - 1e-12):
                break
            most = capped / (need[j] - slope)
            if most < enough:
                most = 0.0
    for b in range(len(have)):
        have[b] = 0
    return most


@part
def among_others(least: int, high: float, most: float, population: int, final: bool) -> Any:
    """How many of the records of a class that could be kept can be, given its people of the population.

    Each kept class has at least so many of them, and at most a share of them is in the table: so has a union of them.
    """
    if population < least:
        return 0.0
    if most > high * population:
        return 0.0 if final else np.floor(high * population)
    return most


@part
def pay(rate: float, small: Any, balance: float) -> Any:
    """The fewest records to leave out so that the budget covers the small classes left; clears the small classes.

    Leaving out the smallest classes first helps most for the fewest records. Coarser classes are fewer and larger, so
    it is no more than what finer ones need.
    """
    gone = np.int64(0)
    for size in range(1, len(small)):
        gain = 1 - rate * size
        if balance < -1e-6 and gain > 0:
            classes = np.int64(np.ceil((-balance - 1e-6) / gain))
            if classes > small[size]:
                classes = small[size]
            gone += classes * size
            balance += classes * gain
        small[size] = 0
    return gone


@paragraph
def score(plan: Any, kept: float, dropped: int, final: bool) -> Any:
    """Loss of an assignment; for an open one, what every completion loses at least."""
    if plan.measure != CLASSES:
        return plan.ceiling - kept
    stars = 1 if (dropped > 0 or (not final and plan.limit > 0)) else 0
    classes = kept + stars
    return np.inf if classes <= 0 else plan.total / classes


@part
def sum_parts(plan: Any, walk: Any, d: int) -> None:
    """Sum the rows of a depth by what the levels of its attribute can tell apart, so that each level costs less."""
    suffix, count, code = walk.suffix[d], walk.count[d], plan.code[d]
    parts = 0
    for b in range(walk.classes[d]):
        first = parts
        walk.part_begin[b] = first
        for r in range(walk.begin[d, b], walk.begin[d, b + 1]):
            slot = code[suffix[r]]
            # Whether it is new cannot be foreseen, so it is noted anyway, and the next one over it unless it was.
            walk.part_slot[parts] = slot
            new = walk.tally[slot] == 0
            walk.tally[slot] += count[r]
            if plan.with_population:
                new = new and walk.tally_population[slot] == 0
                walk.tally_population[slot] += walk.population[d, r]
            if not plan.even:
                walk.tally_saving[slot] += walk.saving[d, r]
            parts += new
        for i in range(first, parts):
            slot = walk.part_slot[i]
            walk.part_count[i] = walk.tally[slot]
            walk.tally[slot] = 0
            if plan.with_population:
                walk.part_population[i] = walk.tally_population[slot]
                walk.tally_population[slot] = 0
            if not plan.even:
                walk.part_saving[i] = walk.tally_saving[slot]
                walk.tally_saving[slot] = 0.0
    walk.part_begin[walk.classes[d]] = parts


@part
def weigh(plan: Any, walk: Any, d: int, level: int, cutoff: float) -> Any:
    """What is saved at most, and suppressed at least, when the attribute of this depth goes to a level.

    Where sensitive values matter, gives up (nothing saved) as soon as the loss reaches the cutoff or too many records
    are suppressed.
    """
    at = plan.place[d, level]
    final = d == len(plan.levels) - 1 and not plan.open
    choosy, mask = len(plan.need) > 0, (1 << plan.bits) - 1
    kept, dropped = 0.0, walk.gone[d]
    same = plan.root[d, level] and not plan.with_population and plan.rate == 0
    if d > 0 and plan.even and same:  # the classes stay as they are
        for b in range(walk.classes[d]):
            size, most = walk.size[d, b], walk.most[d, b]
            if final and most < size:
                most = 0.0
            c = walk.part_slot[walk.part_begin[b]] >> plan.bits
            kept += most * (walk.value[d, b] - plan.extra[at + c])
            dropped += size - np.int64(most + 1e-6)
        return kept, dropped
    spare = np.inf
    if choosy and plan.even:
        spare = cutoff - plan.ceiling + walk.worth_all[d] - plan.least[d, level] * (plan.total - walk.gone[d])
    balance, least, absent = 0.0, np.inf, False
    for b in range(walk.classes[d]):
        touched = 0
        for i in range(walk.part_begin[b], walk.part_begin[b + 1]):
            c = walk.part_slot[i] >> plan.bits
            x = plan.up[at + c]
            if walk.seen[x] == 0 and walk.near[x] == 0:
                walk.touched[touched] = x
                walk.some[x] = c
                touched += 1
            walk.seen[x] += walk.part_count[i]
            if plan.with_population:
                walk.near[x] += walk.part_population[i]
            if not plan.even:
                walk.worth[x] += walk.part_saving[i] - walk.part_count[i] * plan.extra[at + c]
        split = touched > 1 or d == 0
        if choosy and split:
            for i in range(walk.part_begin[b], walk.part_begin[b + 1]):
                slot = walk.part_slot[i]
                x = plan.up[at + (slot >> plan.bits)]
                if walk.seen[x] >= plan.smallest:
                    for m in range(plan.marks.shape[1]):
                        walk.have[x, plan.marks[slot & mask, m]] += walk.part_count[i]
        for i in range(touched):
            x = walk.touched[i]
            size = walk.seen[x]
            most = float(size)
            if choosy and not split:  # the class stays as it is
                most = walk.most[d, b] if not final or walk.most[d, b] >= size else 0.0
            elif choosy and size >= plan.smallest:
                enough = size if final else plan.smallest
                most = keepable(walk.have[x], plan.weight, plan.need, plan.sized, size, enough)
            if plan.with_population:
                absent = absent or size < plan.low * walk.near[x]
                most = among_others(plan.least_population, plan.high, most, walk.near[x], final)
                walk.near[x] = 0
            if most < plan.smallest:
                most = 0.0
                dropped += size
            else:
                held = np.int64(most + 1e-6)
                dropped += size - held
                if plan.rate > 0:
                    worth = walk.value[d, b] - plan.extra[at + walk.some[x]] if plan.even else 0.0
                    if worth < least:
                        least = worth
                    balance += plan.rate * held
                    if held < plan.below:
                        balance -= 1
                        if held < len(walk.small):
                            walk.small[held] += 1
                if plan.even:
                    kept += most * (walk.value[d, b] - plan.extra[at + walk.some[x]])
                elif plan.measure == SUM or (plan.measure == SQUARES and not final):
                    kept += walk.worth[x]
                elif plan.measure == SQUARES:
                    kept += float(size) * (plan.total - size)
                else:
                    parts = held // plan.smallest
                    kept += 1.0 if final else (walk.worth[x] if walk.worth[x] < parts else parts)
            if choosy and plan.even and most < size:
                spare -= (size - most) * (walk.value[d, b] - plan.extra[at + walk.some[x]])
            walk.seen[x] = 0
            if not plan.even:
                walk.worth[x] = 0.0
        if absent:
            pay(plan.rate, walk.small, 0.0)
            return -np.inf, plan.total + 1
        if choosy and plan.rate == 0 and (spare < 0 or dropped > plan.limit):
            return -np.inf, dropped
    if plan.rate > 0:
        due = pay(plan.rate, walk.small, balance)
        dropped += due
        if due > 0 and least > 0:
            kept -= due * least
    return kept, dropped


@part
def weigh_levels(plan: Any, walk: Any, d: int, cutoff: float) -> int:
    """Weigh the levels of a depth, coarse to fine, and note those below the cutoff in order of their bound.

    Finer levels have no larger classes, so the first one with too many records in small ones ends the row. That does
    not hold for sensitive values and for shares: parts of a class may keep what the whole breaks. Returns how many
    were weighed. Reads what `sum_parts` noted.

    Records that are certain to go lose what they have in the open attributes, all others at least what these lose by
    themselves: the more of the two bounds holds.
    """
    final = d == len(plan.levels) - 1 and not plan.open
    tries, weighed = 0, 0
    lost, left = plan.ceiling - walk.worth_all[d], plan.total - walk.gone[d]
    at, floor = plan.levels[plan.lead] - 1, np.int64(0)
    if d > plan.lead:
        at = walk.level[plan.lead]
        floor = plan.floor[at, d]
    for level in range(plan.levels[d] - 1, floor - 1, -1):
        if plan.even and lost + plan.least[d, level] * left >= cutoff:
            continue  # even if nobody more goes
        rest = plan.rest[level if d == plan.lead else at, d]
        if plan.even and plan.limit == 0 and lost + plan.least[d, level] * left + rest >= cutoff:
            continue
        kept, dropped = weigh(plan, walk, d, level, cutoff)
        weighed += 1
        if dropped > plan.limit and len(plan.need) == 0 and plan.high == np.inf:
            break
        bound = score(plan, kept, dropped, final)
        if rest > dropped * plan.share[d]:
            bound += rest - dropped * plan.share[d]
        if bound >= cutoff or dropped > plan.limit:
            continue
        i = tries
        while i > 0 and walk.bound[d, i - 1] > bound:
            walk.bound[d, i] = walk.bound[d, i - 1]
            walk.order[d, i] = walk.order[d, i - 1]
            walk.drop[d, i] = walk.drop[d, i - 1]
            i -= 1
        walk.bound[d, i] = bound
        walk.order[d, i] = level
        walk.drop[d, i] = dropped
        tries += 1
    walk.tries[d] = tries
    walk.tried[d] = 0
    return weighed
