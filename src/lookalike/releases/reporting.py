"""Make the reports of a saved release again: the recipient's from what goes out alone, the internal from what stays."""

from __future__ import annotations

from pathlib import Path

from lookalike.base.errors import FileError
from lookalike.base.writing import write_file
from lookalike.recodings.files import PRIVATE, read_release
from lookalike.releases.release import EVIDENCE
from lookalike.releases.reports.evidence import Evidence, of_release
from lookalike.releases.reports.reporting import internal, recipient
from lookalike.tables.coded import CodedRows
from lookalike.tables.sources.documents import read_document


def write_reports(folder: str | Path) -> list[Path]:
    """Write report.html, and the internal report where its evidence is there; the paths written."""
    folder = Path(folder)
    if not folder.is_dir():
        raise FileError(f"{folder}: no such folder.")
    certificate = read_document(folder / "certificate.json", "certificate")
    texts = {"report.html": recipient(Evidence(of_release(CodedRows.of(read_release(folder)), certificate)))}
    if (folder / EVIDENCE).is_file():
        kept = read_document(folder / EVIDENCE, "evidence")
        texts[f"{PRIVATE}/report-internal.html"] = internal(Evidence(**kept))
    for name, text in texts.items():
        write_file(folder / name, text, what="the report", mode=0o600 if name.startswith(PRIVATE) else None)
    return [folder / name for name in texts]
