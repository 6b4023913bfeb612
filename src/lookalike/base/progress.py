"""Progress of long work: a bar on the terminal or in a notebook, a function of the caller's, or nothing."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from importlib import import_module
from typing import Any

Report = Callable[[float], None]  #: called with the share done, 0 to 1
Progress = bool | Report

_OFTEN = 0.1  # seconds between two pictures of a bar in a notebook


@contextmanager
def track(progress: Progress, label: str, detail: Callable[[], str] = str) -> Iterator[Report]:
    """Yield a function to call with the share done. True draws a bar where somebody is watching.

    detail: what stands behind the label, asked for each time.
    """
    if not isinstance(progress, bool):
        yield progress
        return
    if not progress:
        yield lambda share: None
        return
    if (show := _jupyter() or _marimo()) is not None:
        with _in_notebook(show, label, detail) as report:
            yield report
        return
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda share: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task(label, total=None)
        yield lambda share: bar.update(
            task, total=1.0, completed=share, description=f"{label} {detail()}".strip()
        )


@contextmanager
def _in_notebook(show: Callable[[str], None], label: str, detail: Callable[[], str]) -> Iterator[Report]:
    """A bar in the browser's own look, light or dark, that goes away when the work is done."""
    shown = -1.0
    last = 0.0

    def report(share: float) -> None:
        nonlocal shown, last
        now = time.monotonic()
        if share != shown and (now - last >= _OFTEN or share >= 1):
            shown, last = share, now
            show(
                f"<label style='color:inherit;font-size:.95em'>{escape(f'{label} {detail()}'.strip())} "
                f"<progress max='1' value='{share:.3f}'></progress> {share:.0%}</label>"
            )

    report(0.0)
    try:
        yield report
    finally:
        show("")


def _jupyter() -> Callable[[str], None] | None:
    """Shows HTML in the cell that runs, in the same place each time; None outside Jupyter."""
    ipython: Any = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if getattr(shell, "kernel", None) is None:
        return None
    screen: Any = import_module("IPython.display")
    place = screen.display(screen.HTML(""), display_id=True)
    return lambda text: place.update(screen.HTML(text))


def _marimo() -> Callable[[str], None] | None:
    """The same in marimo; None outside its notebooks."""
    marimo: Any = sys.modules.get("marimo")
    if marimo is None or not marimo.running_in_notebook():
        return None
    return lambda text: marimo.output.replace(marimo.Html(text) if text else None)
