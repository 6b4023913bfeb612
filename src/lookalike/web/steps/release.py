"""Step 7, Release: what goes out and what stays, saved or downloaded whole, verified on the spot."""

from __future__ import annotations

import secrets
from datetime import datetime
from html import escape
from pathlib import Path
from typing import Any

from nicegui import ui

from lookalike.web.drawing import box, button, table, text
from lookalike.web.steps.step import Step


class ReleaseStep(Step):
    """The step Release."""

    key = "release"

    async def draw(self) -> None:
        """Sign, download or save; then the check, the files, and everything in them that can be read."""
        self.heading()
        if not await self.ready(release=True):
            return
        words = self.words
        with box("cols even three"):
            with box("card"):
                self._draw_signature()
            with box("card"):
                text("h2", words("release.download"))
                text("p", words("release.download_why"), "soft small")
                self._format = ui.radio({"csv": "CSV", "parquet": "Parquet"}, value="csv").props("inline")
                self._zip = button(words("release.get_zip"), self._pack, icon="download", main=True)
                self._private = button(words("release.get_private"), self._get_private, icon="lock")
                self._private.set_visibility(False)
            with box("card"):
                text("h2", words("release.save"))
                text("p", words("release.save_why", folder=str(self.desk.folder)), "soft small")
                self._name = ui.input(words("release.folder"), value="out").props("outlined dense")
                with box("line"):
                    self._save = button(words("release.save_now"), self._write)
        with box("card"):
            text("h2", words("release.check"))
            self._checked = ui.html(f"<p class='soft'>{escape(words('release.not_checked'))}</p>")
        self._written = box("step")

    def _draw_signature(self) -> None:
        """Who stands for the release: kept with what stays, in the recipe, until something else is decided."""
        words = self.words
        given = self.bench.recipe["signature"] or {"name": (self.bench.lapsed or {}).get("name", "")}
        text("h2", words("release.sign"))
        text("p", words("release.sign_why"), "soft small")
        who = ui.input(words("release.who"), value=given.get("name", "")).props(
            "outlined dense maxlength=120"
        )
        note = ui.input(words("release.note"), value=given.get("note", "")).props(
            "outlined dense maxlength=500"
        )
        signed = text("p", self._signed(), "small")

        def sign() -> None:
            if not who.value.strip():
                self.trouble(words("release.need_name"))
                return
            self.trouble(None)
            today = datetime.now().astimezone().date().isoformat()
            self.bench.change(
                signature={"name": who.value.strip(), "date": today, "note": note.value.strip()}
            )
            self.desk.changed()
            signed.set_content(escape(self._signed()))

        button(words("release.sign_now"), sign)

    def _signed(self) -> str:
        given, lapsed = self.bench.recipe["signature"], self.bench.lapsed
        if given is not None:
            return self.words("release.signed", name=given["name"], date=given["date"])
        return "" if lapsed is None else self.words("release.lapsed", name=lapsed["name"])

    async def _pack(self) -> None:
        found = await self._publish(self._zip, "releases.pack")
        if found is not None:
            ui.download.from_url(f"/files/{self.session.key}/release.zip")
            self._private.set_visibility(True)

    def _get_private(self) -> None:
        ui.download.from_url(f"/files/{self.session.key}/private.zip")

    async def _write(self) -> None:
        """Save below the folder that was chosen at the start, and nowhere else."""
        target = inside(self.desk.folder, self._name.value)
        if target is None:
            self.trouble(self.words("release.outside", folder=str(self.desk.folder)))
            return
        if target.exists():
            self.trouble(self.words("release.exists", folder=str(target)))
            return
        await self._publish(self._save, "releases.save", folder=str(target))

    async def _publish(self, pressed: ui.button, task: str, **told: Any) -> dict[str, Any] | None:
        """Write and check, then show what was written."""
        pressed.disable()
        place = str(self.session.folder)
        found: dict[str, Any] | None = await self.ask(
            task, place=place, format=self._format.value, long=True, **told
        )
        pressed.enable()
        if found is not None:
            self._show(found)
        return found

    def _show(self, answer: dict[str, Any]) -> None:
        words = self.words
        checked = answer["verification"]
        word, kind = ("release.ok", "good") if checked["ok"] else ("release.not_ok", "bad")
        marks = {True: "✓", False: "✗", None: "?"}
        rows = [(marks[one["ok"]], one["check"], one["message"]) for one in checked["findings"]]
        where = (
            f"<p>{escape(words('release.saved', folder=answer['folder']))}</p>" if "folder" in answer else ""
        )
        self._checked.set_content(
            f'<p><span class="chip {kind}">{"✓" if checked["ok"] else "✗"} {escape(words(word))}</span></p>{where}'
            + table(["", words("release.what"), words("release.found")], rows)
        )
        self._written.clear()
        with self._written:
            with box("card"):
                self._draw_contents(answer)
            with box("cols"):
                for key in ("goes_out", "stays"):
                    with box("card"):
                        text("h2", words(f"release.{key}"))
                        text("p", words(f"release.{key}_why"), "soft small")
                        files = [(path, words.number(size)) for path, size in answer[key].items()]
                        ui.html(table([words("release.file"), words("release.bytes")], files, right=(1,)))

    def _draw_contents(self, answer: dict[str, Any]) -> None:
        """Reports, certificate, dictionary and recipe, each in a tab."""
        words = self.words
        keys = ("report", "internal", "certificate", "dictionary", "recipe")
        with ui.tabs().props("no-caps align=left dense") as tabs:
            for key in keys:
                ui.tab(key, words(f"release.{key}"))
        address = f"reports/{self.session.key}/"
        stamp = secrets.token_hex(4)  # a report that was written again is another one
        with ui.tab_panels(tabs, value="report"):
            for key, file in (("report", "report.html"), ("internal", "report-internal.html")):
                with ui.tab_panel(key):
                    frame = ui.element("iframe").classes("report")
                    frame.props["src"] = f"{address}{file}?{stamp}"
                    frame.props["title"] = words(f"release.{key}")
                    frame.props["sandbox"] = ""
            with ui.tab_panel("certificate"):
                text("pre", answer["certificate"], "paper").props["tabindex"] = "0"
            with ui.tab_panel("dictionary"):
                headings = [words("table.column"), words("table.type"), words("release.meaning")]
                ui.html(table(headings, answer["dictionary"]))
            with ui.tab_panel("recipe"):
                text("p", words("release.recipe_why"), "soft small")
                text("pre", answer["recipe"], "paper").props["tabindex"] = "0"


def inside(folder: Path, typed: str) -> Path | None:
    """The folder that is meant, if it lies below the chosen one and is not that one itself."""
    wanted = (folder / (typed or "").strip()).resolve()
    base = folder.resolve()
    return wanted if wanted != base and wanted.is_relative_to(base) and typed.strip() else None
