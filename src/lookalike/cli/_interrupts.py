"""How the command ends when it is stopped from outside: by Ctrl-C, also while compiled kernels run, or by a reader.

An exception raised while numba hands its arrays back to Python crashes the interpreter or surfaces as a SystemError
(numba issue 2324). So the first Ctrl-C does not raise at once: it marks the running Python frames, as a debugger
would, and KeyboardInterrupt is raised at the next line of Python. A second Ctrl-C raises at once.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn


def make_interrupts_safe() -> None:
    """Handle SIGINT as described above, for the rest of the process; Python's main thread only."""
    signal.signal(signal.SIGINT, _on_interrupt)


@contextmanager
def interrupting_at_once() -> Iterator[None]:
    """Let the first Ctrl-C raise at once, while the command waits for a person and no kernel runs."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def end_quietly_without_reader() -> None:
    """End at once, as other tools do, when whatever reads the output has seen enough (`| head`): exit code 141.

    Python would turn it into exit code 1, which here means that a guarantee is not kept.
    """
    if hasattr(signal, "SIGPIPE"):  # not on Windows
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)


def _on_interrupt(number: int, frame: FrameType | None) -> None:
    numba = sys.modules.get("numba")
    if numba is None or sys.gettrace() is _skip:
        signal.default_int_handler(number, frame)
    compiler = str(Path(str(numba.__file__)).parent)
    sys.settrace(_skip)
    while frame is not None:
        if not frame.f_code.co_filename.startswith(compiler):
            frame.f_trace = _interrupt
        frame = frame.f_back


def _skip(frame: FrameType, event: str, arg: Any) -> None:
    """New frames are left alone: they may belong to the hand-over."""


def _interrupt(frame: FrameType, event: str, arg: Any) -> NoReturn:
    sys.settrace(None)
    raise KeyboardInterrupt
