"""The worker process itself: hears requests, runs tasks in two lanes, answers. Never imports NiceGUI.

Long work and quick answers have a thread each, so that a table can be looked at while a release is being made (all
kernels release the lock). Work is cancelled where it reports progress; the server ends the process otherwise.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
import traceback
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any

from lookalike.base.errors import GuaranteeError, LookalikeError, LookalikeWarning
from lookalike.base.printing import plain

_OFTEN = 0.1  # seconds between two reports of progress


class Cancelled(BaseException):
    """The person does not want it any more. Not an Exception, so that nothing on the way takes it for a failure."""


class Wire:
    """The way back to the server."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out, self._lock = out, threading.Lock()

    def write(self, message: dict[str, Any]) -> None:
        """Send one message."""
        line = json.dumps(plain(message), allow_nan=False).encode() + b"\n"
        with self._lock:
            self._out.write(line)
            self._out.flush()


class PendingJob:
    """One request: whether it was cancelled, and how far it is."""

    def __init__(self, number: int, line: Wire) -> None:
        self.number, self.line = number, line
        self.cancelled = threading.Event()
        self._told = 0.0

    def report(self, share: float) -> None:
        """Pass on how far the work is; stop it here if nobody wants it."""
        if self.cancelled.is_set():
            raise Cancelled
        now = time.monotonic()
        if now - self._told >= _OFTEN:
            self._told = now
            self.line.write({"id": self.number, "share": min(max(float(share), 0.0), 1.0)})


def main() -> None:
    """Hear requests until the server is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.umask(0o077)
    line = Wire(os.fdopen(os.dup(1), "wb"))
    os.dup2(2, 1)  # what a library prints must not look like an answer
    heard = threading.local()

    def hear_warning(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        if issubclass(category, LookalikeWarning) and hasattr(heard, "warnings"):
            heard.warnings.append(str(message))

    warnings.simplefilter("always", LookalikeWarning)
    warnings.showwarning = hear_warning
    from lookalike.web.tasks import running

    cache = running.Cache()
    lanes = {True: ThreadPoolExecutor(1, "long"), False: ThreadPoolExecutor(1, "quick")}
    jobs: dict[int, PendingJob] = {}

    def run(job: PendingJob, request: dict[str, Any]) -> None:
        heard.warnings = []
        try:
            if job.cancelled.is_set():
                raise Cancelled
            result = running.run(cache, request["task"], request["recipe"], job.report, request["told"])
            if isinstance(result, dict):
                result["warnings"] = list(dict.fromkeys(heard.warnings))
            line.write({"id": job.number, "result": result})
        except Cancelled:
            line.write({"id": job.number, "error": "", "kind": "cancelled"})
        except LookalikeError as problem:
            kind = "guarantee" if isinstance(problem, GuaranteeError) else "request"
            line.write({"id": job.number, "error": str(problem), "kind": kind})
        except BaseException as problem:  # where it happened, never the message: it could show a cell
            place = traceback.extract_tb(problem.__traceback__)[-1]
            told = f"{type(problem).__name__} ({os.path.basename(place.filename)}:{place.lineno})"
            line.write({"id": job.number, "error": told, "kind": "bug"})
        finally:
            jobs.pop(job.number, None)

    for text in sys.stdin.buffer:
        request = json.loads(text)
        number = request["id"]
        if request.get("cancel"):
            if number in jobs:
                jobs[number].cancelled.set()
            continue
        jobs[number] = PendingJob(number, line)
        lanes[request["long"]].submit(run, jobs[number], request)
    os._exit(0)  # work under way is of no use to anybody


if __name__ == "__main__":
    main()
