"""Step 1, Table: open a file or invented people, and see what was understood."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nicegui import ui
from nicegui.events import UploadEventArguments

from lookalike.web.drawing import box, button, name, stat, stats, table, text
from lookalike.web.state import EMPTY
from lookalike.web.steps.reading import TEXT, ReadingPane
from lookalike.web.steps.step import Step

_ACCEPTED = ",".join((*TEXT, ".parquet", ".arrow", ".feather", ".ipc", ".xlsx", ".xls", ".ods"))
_SAMPLES = (5_000, 100_000)
_MOST_COLUMNS = 60  # drawn in the grid


class TableStep(Step):
    """The step Table."""

    key = "table"

    async def draw(self) -> None:
        """A place to drop a file, or the table that is open."""
        self.heading()
        self._body = box("step")
        with self._body:
            await self._fill()

    async def _fill(self) -> None:
        if self.bench.recipe["source"] is None:
            self._offer()
            return
        waiting = text("p", self.words("table.reading"), "soft")
        opened = await self.open_table()
        if waiting.is_deleted:  # the person went elsewhere
            return
        waiting.delete()
        if not opened or self.session.facts is None:
            ReadingPane(self).draw_failed()
            self._offer()
            return
        self._offer_kept()
        self._facts(self.session.facts)
        self.offer_missing(self.session.inspection or [])
        self._grid(self.session.facts)
        self._reading(self.session.facts)

    def _offer_kept(self) -> None:
        """Yesterday's recipe for the same file, if there is one."""
        if self.session.offer is None:
            return
        with box("hint line ends") as offer:
            text("span", self.words("table.kept"))
            with box("line tight"):
                button(self.words("table.go_on"), self._go_on, main=True)
                button(self.words("table.afresh"), lambda: self._afresh(offer))

    def _afresh(self, offer: ui.element) -> None:
        self.session.offers.pop(self.session.source_key, None)
        offer.delete()

    async def _go_on(self) -> None:
        kept = self.session.offers.pop(self.session.source_key, {})
        decided = {name: part for name, part in kept.items() if name in EMPTY}
        self.bench.change(**{**decided, "source": self.bench.recipe["source"]})
        self.desk.changed()
        await self.desk.redraw()

    def _offer(self) -> None:
        words = self.words
        with box("card"):
            with box("drop"):
                upload = ui.upload(
                    label=words("table.drop", mb=self.desk.most_bytes // 1_000_000),
                    on_upload=self._take,
                    on_rejected=lambda: self.trouble(
                        words("table.rejected", mb=self.desk.most_bytes // 1_000_000)
                    ),
                    auto_upload=True,
                    max_file_size=self.desk.most_bytes,
                    max_files=1,
                ).props(f'accept="{_ACCEPTED}" flat')
                name(upload, words("table.drop", mb=self.desk.most_bytes // 1_000_000))
            text("p", words("table.stays"), "soft small")
        with box("card"):
            text("h2", words("table.or_sample"))
            text("p", words("table.sample_why"), "soft small")
            with box("line"):
                for n in _SAMPLES:
                    button(
                        words("table.invented", n=n),
                        lambda n=n: self._invent(n),
                    )

    async def _take(self, event: UploadEventArguments) -> None:
        """Keep an uploaded file in the session's own folder, under a name of ours."""
        given = Path(event.file.name.replace("\\", "/")).name[:120] or "table.csv"
        path = self.session.new_path(given, Path(given).suffix.lower()[:8] or ".csv")
        await event.file.save(path)
        await self._open({"path": str(path), "name": given, "given": True})

    async def _invent(self, n: int) -> None:
        """People who do not exist, as if they had been given."""
        given = "people.csv"
        path = self.session.new_path(given, ".csv")
        if await self.ask("tables.invent", rows=n, path=str(path)) is not None:
            await self._open({"path": str(path), "name": given, "given": True, "invented": n})

    async def _open(self, source: dict[str, Any]) -> None:
        self.bench.change(**{**EMPTY, "source": source})
        self.desk.refresh()
        await self.desk.redraw()

    def _facts(self, facts: dict[str, Any]) -> None:
        words = self.words
        gone = sum(one["missing"] for one in facts["columns"])
        stats(
            [
                stat(words.number(facts["rows"]), words("table.rows")),
                stat(words.number(facts["people"]), words("table.people")),
                stat(words.number(len(facts["columns"])), words("table.columns")),
                stat(words.number(gone), words("table.missing")),
            ]
        )

    def _grid(self, facts: dict[str, Any]) -> None:
        with box("card"):
            with box("line ends"):
                text("h2", self.words("table.preview"))
                text("span", self.words("table.masked"), "soft small")
            draw_grid(self, [one["name"] for one in facts["columns"]], "original", facts["rows"])
            if len(facts["columns"]) > _MOST_COLUMNS:
                text("p", self.words("table.more_columns", n=_MOST_COLUMNS), "soft small")

    def _reading(self, facts: dict[str, Any]) -> None:
        """How the file was read, to be put right where the guess is wrong, and what came of it."""
        words = self.words
        with box("cols broad"):
            with box("card"):
                ReadingPane(self).draw([one["name"] for one in facts["columns"]])
            with box("card"):
                text("h2", words("table.understood"))
                rows = [
                    (
                        one["name"],
                        words(f"kind.{one['kind']}"),
                        words.number(one["distinct"]),
                        words.number(one["missing"]),
                    )
                    for one in facts["columns"][:_MOST_COLUMNS]
                ]
                headings = [words(f"table.{key}") for key in ("column", "type", "distinct", "missing")]
                ui.html(table(headings, rows, right=(2, 3)))

    async def close(self) -> None:
        """Go back to where a table is opened."""
        self.bench.change(**EMPTY)
        self.desk.refresh()
        await self.desk.redraw()


def draw_grid(step: Step, names: list[str], of: str, rows: int) -> None:
    """The rows of a table, fetched as one scrolls. Column names are values here, never keys: a key could run."""
    address = f"rows/{step.session.key}?of={of}"
    fetch = (
        "{getRows: p => fetch('" + address + "&start=' + p.startRow + '&end=' + p.endRow)"
        ".then(r => {if (!r.ok) throw r.status; return r.json()})"
        ".then(d => p.successCallback(d.rows, d.total)).catch(() => p.failCallback())}"
    )
    number = {"headerName": "", "field": "row", "width": 84, "pinned": "left", "cellClass": "soft"}
    shown = [
        {"headerName": label, "field": f"c{i}", "minWidth": 110, "flex": 1, "tooltipField": f"c{i}"}
        for i, label in enumerate(names[:_MOST_COLUMNS])
    ]
    grid = ui.aggrid(
        {
            "columnDefs": [{**number, "headerName": "#"}, *shown],
            "defaultColDef": {"sortable": False, "resizable": True, "suppressMovable": True},
            "rowModelType": "infinite",
            "cacheBlockSize": 100,
            "maxBlocksInCache": 20,
            "infiniteInitialRowCount": min(rows, 100),
            "rowHeight": 34,
            "headerHeight": 38,
            "enableCellTextSelection": True,
            ":datasource": fetch,
        }
    ).classes("grid")
    name(grid, step.words("table.preview"))
