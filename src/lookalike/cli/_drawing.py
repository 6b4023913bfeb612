"""Charts as files."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lookalike.base.writing import write_file


def save_chart(chart: Any, path: Path) -> None:
    """Write a chart whole or not at all: svg, png or html, by the ending."""
    with TemporaryDirectory() as elsewhere:
        drawn = Path(elsewhere) / path.name
        chart.save(str(drawn))
        write_file(path, drawn.read_bytes(), what="the picture")
