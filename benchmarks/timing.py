"""CPU seconds of a call, without what compiling takes."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def cpu_seconds(job: Callable[[], Any], repeat: int = 1) -> tuple[float, Any]:
    """CPU seconds of the best of several runs after one that compiles, and the last result."""
    result, best = job(), float("inf")
    for _ in range(repeat):
        start = time.process_time()
        result = job()
        best = min(best, time.process_time() - start)
    return best, result
