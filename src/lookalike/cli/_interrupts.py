"""How the command ends when it is stopped from outside: by Ctrl-C, also while kernels run, by a reader, by a disk.

An exception raised while numba hands its arrays back to Python crashes the interpreter or surfaces as a SystemError
(numba issue 2324). So the first Ctrl-C does not raise at once: it marks the running Python frames, as a debugger
would, and KeyboardInterrupt is raised at the next line of Python. A second Ctrl-C raises at once.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from lookalike.base.errors import in_words


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


@contextmanager
def saying_what_is_not_written() -> Iterator[None]:
    """End with a sentence and exit code 2 when the output cannot be written, for one because the disk is full."""
    try:
        try:
            yield
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()  # what fails here would fail unheard when Python ends
    except OSError as problem:
        with suppress(OSError):
            os.write(2, f"error: the output cannot be written ({in_words(problem)}).\n".encode())
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in (1, 2):  # what is left to be written must not fail once more
            os.dup2(nowhere, stream)
        sys.exit(2)


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
