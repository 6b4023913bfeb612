"""Attack for as long as told: `make soak SECONDS=3600`. `--attack job --seed 184` runs one attack again.

Each attack is drawn from its number, and numbers count up from the seed, so that a run can be repeated.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import lookalike as la
from attacker.battery import battery
from attacker.joining import joining
from attacker.killing import kill
from attacker.optima import optimum
from attacker.running import Attack, Tally, attempt, job
from attacker.twins import twins
from fuzz.fuzzing import damage, feed
from fuzz.readers import home

REPORT = 60.0  #: seconds between two lines about how far it is


@cache
def _home() -> Path:
    return home(Path(tempfile.mkdtemp(prefix="attacker-home-")))


def fuzz(seed: int, folder: Path, done: Counter[str]) -> Iterator[str]:
    """One damaged file for one reader."""
    name, damaged = damage(seed, _home())
    done["damaged files"] += 1
    done[f"damaged files of {name}"] += 1
    yield from feed(name, damaged, _home())


ATTACKS: dict[str, Attack] = {
    "job": job,
    "optimum": optimum,
    "fuzz": fuzz,
    "battery": battery,
    "joining": joining,
    "kill": kill,
    "twins": twins,
}
OFTEN = {"job": 60, "optimum": 25, "fuzz": 60, "battery": 30, "joining": 20, "kill": 1, "twins": 30}


def soak(seconds: float, seed: int) -> Tally:
    """Attack until the time is over."""
    tally, started, told = Tally(), time.monotonic(), time.monotonic()
    while time.monotonic() - started < seconds:
        name = random.Random(f"attack {seed}").choices(list(OFTEN), list(OFTEN.values()))[0]
        before = len(tally.fell)
        attempt(name, ATTACKS[name], seed, tally)
        for fell in tally.fell[before:]:
            print(f"fell: {fell}", flush=True)
        seed += 1
        if time.monotonic() - told > REPORT:
            told = time.monotonic()
            print(f"{told - started:.0f} s: {_words(tally)}", flush=True)
    print(
        f"{time.monotonic() - started:.0f} s, {time.process_time():.0f} s of processor time, next seed {seed}"
    )
    return tally


def _words(tally: Tally) -> str:
    shown = {name: n for name, n in sorted(tally.done.items()) if " of " not in name and " by " not in name}
    return ", ".join(f"{n:,} {name}" for name, n in shown.items()) + f", {len(tally.fell)} fell"


def main() -> int:
    """The command; 1 where something fell."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--seconds", type=float, default=60)
    ask.add_argument("--seed", type=int, default=0)
    ask.add_argument("--attack", choices=ATTACKS, help="run this one attack only")
    asked = ask.parse_args()
    warnings.simplefilter("ignore", la.LookalikeWarning)
    if asked.attack:
        tally = Tally()
        attempt(asked.attack, ATTACKS[asked.attack], asked.seed, tally)
    else:
        tally = soak(asked.seconds, asked.seed)
    for name, n in sorted(tally.done.items()):
        print(f"{n:>10,}  {name}")
    print("\n".join(["fell:", *tally.fell]) if tally.fell else "nothing fell")
    return bool(tally.fell)


if __name__ == "__main__":
    sys.exit(main())
