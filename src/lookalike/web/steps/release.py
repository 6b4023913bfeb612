"""Step 7, Release: what goes out and what stays, saved or downloaded whole, verified on the spot."""

from __future__ import annotations

from datetime import datetime
from html import escape
from pathlib import Path
from typing import Any

from nicegui import ui

from lookalike.web.drawing import box, button, table, text
from lookalike.web.steps.step import Step


class Here(Step):
    """The step Release."""

    key = "release"

    async def draw(self) -> None:
        """A download, a folder, and what the check found."""
        self.heading()
        if not await self.ready(release=True):
            return
        words = self.words
        with box("cols even"):
            with box("card"):
                text("h2", words("release.download"))
                text("p", words("release.download_why"), "soft small")
                self._format = ui.radio({"csv": "CSV", "parquet": "Parquet"}, value="csv").props("inline")
                self._zip = button(words("release.get_zip"), self._pack, icon="download", main=True)
                self._private = button(words("release.get_private"), self._get_private, icon="lock")
                self._private.set_visibility(False)
            with box("card"):
                self._draw_signature()
            with box("card"):
                text("h2", words("release.save"))
                text("p", words("release.save_why", folder=str(self.desk.folder)), "soft small")
                self._name = ui.input(words("release.folder"), value="out").props("outlined dense")
                with box("line"):
                    self._save = button(words("release.save_now"), self._write)
        with box("card"):
            text("h2", words("release.check"))
            self._checked = ui.html(f"<p class='soft'>{escape(words('release.not_checked'))}</p>")
        self._files: dict[str, ui.html] = {}
        with box("cols"):
            for key in ("goes_out", "stays"):
                with box("card"):
                    text("h2", words(f"release.{key}"))
                    text("p", words(f"release.{key}_why"), "soft small")
                    self._files[key] = ui.html("")

    def _draw_signature(self) -> None:
        """Who stands for the release: kept with what stays, in the recipe."""
        words = self.words
        given = self.bench.recipe["signature"] or {}
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
        given = self.bench.recipe["signature"]
        return "" if given is None else self.words("release.signed", name=given["name"], date=given["date"])

    async def _pack(self) -> None:
        self._zip.disable()
        found = await self.ask(
            "releases.pack", folder=str(self.session.folder), format=self._format.value, long=True
        )
        self._zip.enable()
        if found is not None:
            self._show(found)
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
        self._save.disable()
        found = await self.ask("releases.save", folder=str(target), format=self._format.value, long=True)
        self._save.enable()
        if found is not None:
            self._show(found)

    def _show(self, found: dict[str, Any]) -> None:
        words = self.words
        checked = found["verification"]
        word, kind = ("release.ok", "good") if checked["ok"] else ("release.not_ok", "bad")
        marks = {True: "✓", False: "✗", None: "?"}
        rows = [(marks[one["ok"]], one["check"], one["message"]) for one in checked["findings"]]
        where = (
            f"<p>{escape(words('release.saved', folder=found['folder']))}</p>" if "folder" in found else ""
        )
        self._checked.set_content(
            f'<p><span class="chip {kind}">{"✓" if checked["ok"] else "✗"} {escape(words(word))}</span></p>{where}'
            + table(["", words("release.what"), words("release.found")], rows)
        )
        for key in ("goes_out", "stays"):
            files = [(path, words.number(size)) for path, size in found[key].items()]
            content = table([words("release.file"), words("release.bytes")], files, right=(1,))
            self._files[key].set_content(content)


def inside(folder: Path, typed: str) -> Path | None:
    """The folder that is meant, if it lies below the chosen one and is not that one itself."""
    wanted = (folder / (typed or "").strip()).resolve()
    base = folder.resolve()
    return wanted if wanted != base and wanted.is_relative_to(base) and typed.strip() else None
