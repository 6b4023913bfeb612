"""How much memory is free, so that a small file which unpacks to a large one is refused before it is read."""

from __future__ import annotations

import os
from pathlib import Path

_UNKNOWN = 8 << 30  # where the system does not tell


def readable() -> int:
    """Bytes that one file may become: half of what is free, since what was read is put into columns beside it."""
    return _free() // 2


def _free() -> int:
    """Bytes that the machine has free, or the container that the process is in."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        free = next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        try:
            free = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        except (AttributeError, ValueError, OSError):
            free = _UNKNOWN
    try:
        group = Path("/sys/fs/cgroup")
        taken = int((group / "memory.current").read_text())
        return min(free, int((group / "memory.max").read_text()) - taken)
    except (OSError, ValueError):  # no container, or one without a limit
        return free
