"""Lattices too large to finish: what is found after 1, 10 and 40 CPU seconds, beside heuristics as ARX has them.

ARX 3.9.2 is Java and is not run here: these are not its figures. Its three heuristics are written anew from what their
sources say, and judge nodes by a compiled kernel of this file; how many nodes a second ARX itself judges is not known.
bottom-up   best first from the finest node, by loss, with a greedy dive to the top every so many steps (LIGHTNING)
top-down    best first from the coarsest node
genetic     two populations with elites, mutations, crossovers and exchange (Wan et al. 2017,
            https://doi.org/10.1016/j.ajhg.2016.12.002): 100 and more each, shares of a fifth; the share exchanged is a
            guess, and it goes on until the time is over, where ARX counts rounds
Bars: never above the best of the three; no worse with more time. Rewrites the second table of
docs/optimal-beside-arx.md. A heuristic that reaches what is proven to be the optimum is stopped, as it cannot get any
lower. `--kept FILE` keeps what the heuristics found, and takes it from there when they were run before: they do not
depend on the search. Takes 25 minutes of CPU time or so, 6 with the heuristics kept.
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import json
import math
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
import polars as pl

import lookalike as la
from benchmarks.data import data_folder
from lookalike.anonymizers import optimal
from lookalike.anonymizers.optimal.lattice import GeneralisationLattice
from lookalike.models import KAnonymity
from lookalike.tables.cells import Cells

DOCS = Path(__file__).resolve().parents[2] / "docs"
SECONDS = (1, 10, 40)
RIVALS = ("bottom-up", "top-down", "genetic")
K = 5
Node = tuple[int, ...]
TWINS = [  # columns of the hospital table that repeat another one, or have one value
    "source_row",
    "Operating Certificate Number",
    "Facility Id",
    "Discharge Year",
    "CCS Diagnosis Description",
    "CCS Procedure Description",
    "APR DRG Description",
    "APR MDC Description",
    "APR Severity of Illness Description",
    "Total Costs",
    "Abortion Edit Indicator",
]


def tables() -> Iterator[tuple[str, pl.DataFrame]]:
    """Public tables from 7e6 to 7e14 nodes with the hierarchies grown from their data."""

    def read(name: str) -> pl.DataFrame:
        return pl.read_csv(data_folder() / name / f"{name}.csv", infer_schema_length=None)

    credit = read("german_credit")
    yield "credit", credit.select(credit.columns[:12])
    yield "heart", read("heart_cleveland")
    yield "survey", read("informs").drop("Year")
    yield "adult", read("adult").drop("fnlwgt")
    yield "credit", credit.drop("class")
    yield "hospital", read("hospital_sparcs_2016_random1000").drop(TWINS)


@numba.njit(nogil=True)
def judge(codes, count, place, node, token, extra, k, keys, sizes, lost, stamp, mark, used, shift):  # type: ignore[no-untyped-def]
    """The loss of a node, the records in small classes, and the loss of its levels alone; classes are told by hash."""
    found, levels = 0, 0.0
    for r in range(len(count)):
        key, here = np.uint64(0), 0.0
        for a in range(len(node)):
            i = place[a, node[a]] + codes[a, r]
            key += token[i]
            here += extra[i]
        levels += here * count[r]
        slot = np.int64((key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(shift))
        while stamp[slot] == mark and keys[slot] != key:
            slot = (slot + 1) & (len(stamp) - 1)
        if stamp[slot] != mark:
            stamp[slot], keys[slot], sizes[slot], lost[slot] = mark, key, 0, here
            used[found] = slot
            found += 1
        sizes[slot] += count[r]
    loss, gone = 0.0, 0
    for i in range(found):
        slot = used[i]
        if sizes[slot] < k:
            gone += sizes[slot]
            loss += sizes[slot]
        else:
            loss += sizes[slot] * lost[slot]
    return loss, gone, levels


class Checker:
    """Judges nodes, remembers them, and notes when the best allowed one was found."""

    def __init__(self, lattice: GeneralisationLattice, seconds: float, optimum: float = -np.inf) -> None:
        self.lattice, self.seconds, self.optimum = lattice, seconds, optimum
        cells, rng = lattice.cells, np.random.default_rng(0)
        self.codes = np.array(cells.codes, dtype=np.int32)
        self.place = np.zeros((len(lattice.high), max(lattice.high) + 1), dtype=np.int64)
        token, extra, at = [], [], 0
        for a, high in enumerate(lattice.high):
            for level in range(high + 1):
                up = cells.attributes[a].tree.up[level]
                self.place[a, level] = at
                token.append(rng.integers(0, 2**63, up.max() + 1).astype(np.uint64)[up])
                extra.append(lattice.losses(a, level) * lattice.weights[a])
                at += len(up)
        self.token, self.extra = np.concatenate(token), np.concatenate(extra)
        bits = (2 * len(cells)).bit_length()
        kinds = (np.uint64, np.int64, np.float64, np.int64)
        self.slots = [np.zeros(1 << bits, dtype=kind) for kind in kinds]
        self.used, self.shift = np.zeros(len(cells), dtype=np.int64), 64 - bits
        self.known: dict[Node, tuple[float, float]] = {}
        self.best, self.found, self.started = np.inf, list[tuple[float, float]](), time.process_time()

    def __call__(self, node: Node) -> float:
        """The loss of a node as if all small classes could go."""
        if node not in self.known:
            loss, gone, levels = judge(
                self.codes,
                self.lattice.cells.records,
                self.place,
                np.array(node),
                self.token,
                self.extra,
                K,
                *self.slots,
                len(self.known) + 1,
                self.used,
                self.shift,
            )
            total = self.lattice.total
            self.known[node] = loss / total, levels / total
            if gone <= self.lattice.limit and gone < total and loss / total < self.best:
                self.best = loss / total
                self.found.append((time.process_time() - self.started, self.best))
        return self.known[node][0]

    def over(self) -> bool:
        """Whether the time is over, or nothing better is left."""
        return time.process_time() - self.started > self.seconds or self.best <= self.optimum + 1e-9

    def after(self, seconds: float) -> float:
        """The best loss by then."""
        return min((loss for at, loss in self.found if at <= seconds), default=np.inf)


def neighbours(node: Node, step: int, high: Node) -> Iterator[Node]:
    """Nodes with one column a level coarser or finer."""
    for a, level in enumerate(node):
        if 0 <= level + step <= high[a]:
            yield (*node[:a], level + step, *node[a + 1 :])


def bottom_up(check: Checker, low: Node, high: Node) -> None:
    """Best first from the finest node; every `height` steps straight on to the best coarser one."""
    queue, expanded, steps = [(check(low), low)], set[Node](), 0

    def expand(node: Node) -> Node | None:
        fresh = []
        for other in neighbours(node, 1, high):
            if check.over():
                return None
            if other not in expanded:
                fresh.append((check(other), other))
                heapq.heappush(queue, fresh[-1])
        expanded.add(node)
        return min(fresh)[1] if fresh else None

    while queue and not check.over():
        node: Node | None = heapq.heappop(queue)[1]
        if node in expanded or check.known[node][1] >= check.best:
            continue
        steps += 1
        node = expand(node)
        while steps % max(sum(high), 1) == 0 and node is not None:
            node = expand(node)


def top_down(check: Checker, low: Node, high: Node) -> None:
    """Best first from the coarsest node."""
    queue, expanded = [(check(high), high)], set[Node]()
    while queue and not check.over():
        node = heapq.heappop(queue)[1]
        if node in expanded:
            continue
        expanded.add(node)
        for other in neighbours(node, -1, high):
            if check.over():
                return
            if other not in expanded:
                heapq.heappush(queue, (check(other), other))


def genetic(check: Checker, low: Node, high: Node) -> None:
    """Two populations of 100 and more; a fifth is elite, a fifth crossed over, the rest mutated."""
    rng, columns = np.random.default_rng(0), len(high)

    def draw(a: int) -> int:
        return round(float(rng.random()) * high[a])

    def drawn() -> Node:
        return tuple(draw(a) for a in range(columns))

    size = columns + 100
    populations = [
        [(*high[: i + 1], *low[i + 1 :]) if i < columns else drawn() for i in range(size)],
        [drawn() for _ in range(size)],
    ]
    rounds = 0
    while not check.over():
        for people in populations:
            for node in people:
                check(node)
                if check.over():
                    return
            people.sort(key=check)
        if rounds % 10 == 0:
            moved = size // 5
            one, two = populations
            populations = [two[:moved] + one[moved:], one[:moved] + two[moved:]]
            for people in populations:
                people.sort(key=check)
        rounds += 1
        for people in populations:
            few = math.ceil(0.2 * size)
            for i in range(few, size - few):
                child = list(people[i])
                for a in rng.permutation(columns)[: rng.integers(0, math.ceil(0.2 * columns) + 1)]:
                    child[a] = draw(int(a))
                people[i] = tuple(child)
            losses = np.array([check(node) for node in people[:few]])
            fitness = losses.max() - losses + 1e-12
            for i in range(few):
                mother, father = rng.choice(few, 2, p=fitness / fitness.sum())
                mixed = zip(people[mother], people[father], strict=True)
                people[size - 1 - i] = tuple(pair[int(rng.random() < 0.5)] for pair in mixed)


def rivals(lattice: GeneralisationLattice, optimum: float) -> dict[str, list[float]]:
    """What each heuristic has found after each number of CPU seconds."""
    out = {}
    for name, heuristic in zip(RIVALS, (bottom_up, top_down, genetic), strict=True):
        Checker(lattice, 0)(lattice.high)  # compiles
        check = Checker(lattice, SECONDS[-1], optimum)
        heuristic(check, lattice.low, lattice.high)
        out[name] = [check.after(seconds) for seconds in SECONDS]
    return out


def run(
    name: str, cells: Cells, suppression: float, kept: dict[str, Any], long: float
) -> Iterator[dict[str, Any]]:
    """One case, step by step: losses after each number of CPU seconds, ours with the bound; None if not measured."""
    lattice = GeneralisationLattice(
        cells,
        [KAnonymity(K)],
        suppression=suppression,
        loss="loss",
        weights=None,
        min_levels=None,
        max_levels=None,
    )
    key = f"{name} {len(lattice.high)} {lattice.nodes} {suppression}"
    out = {
        "table": name,
        "nodes": lattice.nodes,
        "limit": suppression,
        "columns": len(lattice.high),
        "here": [None] * len(SECONDS),
        "at best": [0.0] * len(SECONDS),
        "proven": [False] * len(SECONDS),
        **kept.get(key, {}),
    }
    yield out
    for i, seconds in enumerate(SECONDS):
        found = optimal.search(cells, [KAnonymity(K)], suppression=suppression, seconds=seconds)
        out["here"][i], out["at best"][i], out["proven"][i] = found.loss, found.bound, found.proven_optimal
        yield out
    if long and not out["proven"][-1] and "long" not in out:
        out["long"] = optimal.search(cells, [KAnonymity(K)], suppression=suppression, seconds=long).bound
        kept.setdefault(key, {})["long"] = out["long"]
    if not set(RIVALS) <= set(out):
        optimum = min(
            (here for here, sure in zip(out["here"], out["proven"], strict=True) if sure), default=-np.inf
        )
        kept.setdefault(key, {}).update(rivals(lattice, optimum))
        out.update(kept[key])
    yield out


def best_rival(case: dict[str, Any], i: int) -> float | None:
    """The best of the three after so many seconds; None where one was not measured and might be better."""
    known = [case[name][i] for name in RIVALS if name in case and case[name][i] is not None]
    optimum = min(
        (here for here, sure in zip(case["here"], case["proven"], strict=True) if sure), default=-np.inf
    )
    if len(known) == len(RIVALS) or min(known, default=np.inf) <= optimum + 5e-5:
        return min(known)
    return None


def write(cases: list[dict[str, Any]]) -> None:
    """The table of the page, and what it says."""
    lines = [
        "| table | columns | nodes | suppressed at most | CPU s | bottom-up | top-down | genetic | here | at best |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for case in cases:
        for i, seconds in enumerate(SECONDS):
            theirs = " | ".join(shown(case[name][i] if name in case else None) for name in RIVALS)
            least = "proven" if case["proven"][i] else shown(case["at best"][i] if case["here"][i] else None)
            lines.append(
                f"| {case['table']} | {case['columns']} | {case['nodes']:.0e} | {case['limit']:.0%} | {seconds} | "
                f"{theirs} | **{shown(case['here'][i])}** | {least} |"
            )
    page = DOCS / "optimal-beside-arx.md"
    before, _, rest = page.read_text("utf-8").partition("<!-- anytime: begin -->")
    after = rest.partition("<!-- anytime: end -->")[2]
    text = [
        f"{before}<!-- anytime: begin -->",
        "",
        *lines,
        "",
        *told(cases),
        "",
        f"<!-- anytime: end -->{after}",
    ]
    page.write_text("\n".join(text), "utf-8")


def shown(loss: float | None) -> str:
    """A loss as the table shows it."""
    return "not run" if loss is None else "-" if math.isinf(loss) else f"{loss:.4f}"


def told(cases: list[dict[str, Any]]) -> list[str]:
    """How often we are above the best of the three, how far below on average, and how far anybody could be."""
    out = []
    for i, seconds in enumerate(SECONDS):
        below, possible, above = [], [], []
        for case in cases:
            best = best_rival(case, i)
            if best is not None and case["here"][i] is not None:
                below.append(1 - case["here"][i] / best)
                above += below[-1:] if round(case["here"][i], 4) > round(best, 4) else []
                possible.append(1 - max(*case["at best"], case.get("long", 0.0)) / best)
        if not below:
            continue
        out.append(
            f"* After {seconds} s, {len(below)} cases: above the best of the three in {len(above)}"
            f"{f', by {-min(above):.2%} at most' if above else ''}; on average {np.mean(below):.1%} below it. By the "
            f"bounds of the longest searches nobody can be more than {np.mean(possible):.1%} below it on average."
        )
    return out


def missed(case: dict[str, Any]) -> int:
    """How many bars a case misses; a difference below the digits shown is none."""
    best = [best_rival(case, i) for i in range(len(SECONDS))]
    pairs = [(here, other) for here, other in zip(case["here"], best, strict=True) if here is not None]
    above = sum(other is not None and round(here, 4) > round(other, 4) for here, other in pairs)
    return above + any(two > one for (one, _), (two, _) in itertools.pairwise(pairs))


def main() -> int:
    """Run all cases and write the tables; 1 if a bar is missed."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--kept", type=Path, help="a file with what the heuristics found, and long searches")
    asked.add_argument("--long", type=float, default=0.0, help="seconds for the bound of what is not proven")
    options = asked.parse_args()
    kept = json.loads(options.kept.read_text("utf-8")) if options.kept and options.kept.exists() else {}
    time.perf_counter = time.process_time  # the searches look at the CPU's clock
    runs = []
    for name, frame in tables():
        cells = la.table(frame, quasi=frame.columns).cells()
        optimal.search(cells, [KAnonymity(K)], suppression=0.05, seconds=0.1)
        runs += [run(name, cells, suppression, kept, options.long) for suppression in (0.05, 1.0)]
    cases = [next(each) for each in runs]
    for _ in range(len(SECONDS) + 1):  # short times first, so that an early end leaves whole columns
        for each in runs:
            case = next(each)
            print(json.dumps(case), "MISSED" if missed(case) else "", flush=True)
            write(cases)
        if options.kept:
            options.kept.write_text(json.dumps(kept, indent=1), "utf-8")
    failed = sum(missed(case) for case in cases)
    print(f"{failed} bars missed" if failed else "all bars met")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
