"""One damaged file for one reader: it reads it, or refuses in a sentence that shows no private cell, and soon."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path

import lookalike as la
from fuzz.mutating import mutate
from fuzz.readers import CANARY, READERS

LONGEST = 10.0  #: seconds of processor time for a file of a few hundred kilobytes


def feed(name: str, damaged: bytes, home: Path) -> Iterator[str]:
    """What is wrong with how a reader takes a damaged file; the valid one is put back afterwards."""
    reader = READERS[name]
    path = home / reader.file
    valid = path.read_bytes()
    path.write_bytes(damaged)
    started = time.process_time()
    try:
        reader.read(path)
    except la.LookalikeError as refusal:
        # a header lost to the damage makes a row of cells into names of columns, which messages do show
        if CANARY in str(refusal) and CANARY.encode() not in damaged.partition(b"\n")[0]:
            yield f"{name}: the refusal shows a private cell: {refusal}"
    except Exception as problem:
        yield f"{name}: {type(problem).__name__}: {problem}"
    except BaseException as problem:
        if isinstance(problem, KeyboardInterrupt):
            raise
        yield f"{name}: {type(problem).__name__}: {problem}"  # a panic of compiled code is no Exception
    finally:
        path.write_bytes(valid)
    if time.process_time() - started > LONGEST:
        yield f"{name}: took more than {LONGEST} seconds"


def damage(seed: int, home: Path) -> tuple[str, bytes]:
    """The reader and the damaged file of a number."""
    draw = random.Random(seed)
    name = draw.choice(sorted(READERS))
    return name, mutate(draw, (home / READERS[name].file).read_bytes())
