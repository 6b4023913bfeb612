"""Progress of long work: a bar on the terminal, a function of the caller's, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Report = Callable[[float], None]  #: called with the share done, 0 to 1
Progress = bool | Report


@contextmanager
def track(progress: Progress, label: str) -> Iterator[Report]:
    """Yield a function to call with the share done. True draws a bar on stderr where somebody is watching."""
    if not isinstance(progress, bool):
        yield progress
        return
    if not progress:
        yield lambda share: None
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
        yield lambda share: bar.update(task, total=1.0, completed=share)
