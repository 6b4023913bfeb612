"""Explain: why did a model decide so, told without handing out anybody's record."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

from nicegui import ui
from nicegui.events import UploadEventArguments

from lookalike.explanations.files import PICKLES
from lookalike.web.drawing import box, button, choices, mark_choice, name, stat, stats, text
from lookalike.web.steps.step import Step
from lookalike.web.steps.work import WorkLine
from lookalike.web.words import Words

_MODELS = (".skops", ".onnx", *PICKLES)


class ExplainStep(Step):
    """The step Explain."""

    key = "explain"

    async def draw(self) -> None:
        """Which model, which outcome is wished for, for whom."""
        self.heading()
        if not await self.ready():
            return
        words = self.words
        found = await self.ask("explain.targets")
        if found is None:
            return
        self._targets: dict[str, list[str]] = found["targets"]
        self._model: dict[str, Any] | None = None
        with box("card"):
            offered = {key: words(f"explain.{key}") for key in ("here", "file")}
            self._ways = choices(offered, None, self._turn_to, label=words("explain.model"))
            self._which = box("line")
            with box("line"):
                self._wished = ui.select({}, label=words("explain.wished"))
                self._k = ui.number(words("explain.k"), value=10, min=2, max=500, step=1, format="%d")
                self._row = ui.number(words("explain.row"), value=1, min=1, step=1, format="%d")
                for made in (self._wished, self._k, self._row):
                    made.props("outlined dense").style("min-width: 150px")
                self._exact = ui.checkbox(words("explain.exact"))
                self._go = button(words("explain.tell"), self._tell, main=True)
                self._work = WorkLine(self, "explanation")
        self._told = box("step")
        self._turn_to("here" if self._targets else "file")

    def _turn_to(self, way: str) -> None:
        """Train a model here, or take one from a file."""
        mark_choice(self._ways, way)
        self._take(None, [])
        self._which.clear()
        with self._which:
            if way == "here":
                self._draw_targets()
            else:
                self._draw_upload()

    def _take(self, model: dict[str, Any] | None, outcomes: list[str]) -> None:
        """Go on with a model and what it decides; what another one said is gone."""
        self._model = model
        self._told.clear()
        self._wished.set_options(dict(enumerate(outcomes)), value=len(outcomes) - 1 if outcomes else None)
        self._go.set_enabled(model is not None)

    def _draw_targets(self) -> None:
        names = list(self._targets)
        if not names:
            text("p", self.words("explain.none"), "soft")
            return
        target = ui.select(dict(enumerate(names)), value=0, label=self.words("explain.target"))
        target.props("outlined dense").style("min-width: 200px")
        text("p", self.words("explain.why"), "soft small").style("flex: 1; min-width: 260px")

        def choose() -> None:
            self._take({"target": names[target.value]}, self._targets[names[target.value]])

        target.on_value_change(choose)
        choose()

    def _draw_upload(self) -> None:
        words = self.words
        with box("drop"):
            self._upload = ui.upload(
                label=words("explain.drop"),
                on_upload=self._given,
                on_rejected=lambda: self.trouble(words("explain.not_taken")),
                auto_upload=True,
                max_files=1,
                max_file_size=self.desk.most_bytes,
            ).props(f'accept="{",".join(_MODELS)}" flat')
            name(self._upload, words("explain.drop"))
        self._met = box("line").style("width: 100%")

    async def _given(self, event: UploadEventArguments) -> None:
        """Keep a model's file; a pickle waits for somebody to say that it can be trusted."""
        self._upload.reset()  # so that another one can follow
        self.trouble(None)
        self._take(None, [])
        self._met.clear()
        kind = Path(event.file.name).suffix.lower()
        if kind not in _MODELS:
            self.trouble(self.words("explain.not_taken"))
            return
        path = self.session.new_path(event.file.name, kind)
        await event.file.save(path)
        model = {"path": str(path), "trust": False}
        if kind in PICKLES:
            self._ask_for_trust(model, kind)
        else:
            await self._meet(model)

    def _ask_for_trust(self, model: dict[str, Any], kind: str) -> None:
        words = self.words
        with ui.dialog() as dialog, ui.card().classes("step").style("max-width: 560px; padding: 24px"):
            text("h2", words("explain.trust"))
            text("p", words("explain.trust_why", kind=kind))

            async def trust() -> None:
                dialog.close()
                await self._meet({**model, "trust": True})

            with box("line"):
                button(words("explain.trust_no"), dialog.close, main=True)
                button(words("explain.trust_yes"), trust)
        dialog.on("hide", dialog.delete)
        dialog.open()

    async def _meet(self, model: dict[str, Any]) -> None:
        """Load a model and say what it looks at; where it does not know itself, that can be chosen."""
        words = self.words
        found = await self._work.ask("explain.meet", model=model)
        self._met.clear()
        if found is None:
            self._take(None, [])
            return
        self._take(model, found["outcomes"])
        with self._met:
            text("p", words("explain.met", n=len(found["features"]), m=len(found["outcomes"])), "small")
            if not found["named"]:
                names = list(self.bench.recipe["roles"])
                seen = [names.index(one) for one in found["features"]]
                chosen = ui.select(
                    dict(enumerate(names)), value=seen, multiple=True, label=words("explain.looks_at")
                )
                chosen.props("outlined dense use-chips").style("min-width: 320px")
                button(
                    words("explain.looks_so"),
                    lambda: self._meet({**model, "features": [names[i] for i in chosen.value]}),
                )

    async def _tell(self) -> None:
        words = self.words
        if self._model is None or self._wished.value is None:
            return
        self._told.clear()
        exact = bool(self._exact.value)
        found = await self._work.ask(
            "explain.explain",
            self._go,
            model=self._model,
            outcome=int(self._wished.value),
            k=int(self._k.value or 10),
            row=int(self._row.value or 1),
            exact=exact,
        )
        if found is None:
            return
        self._row.set_value(found["row"])
        with self._told:
            with box("card"):
                text("h2", words("explain.for_row", row=found["row"], n=found["refused"]))
                text("p", found["text"]).style("font-size: 18px; line-height: 1.5; max-width: 74ch")
                stats(
                    [
                        stat(
                            words.number(found["k"]), words(f"explain.people{'_exact' if exact else ''}"), "k"
                        ),
                        stat(
                            words.percent(found["holds"]),
                            words("explain.pure"),
                            words("explain.pure_term"),
                        ),
                        stat(words.percent(1 - found["ncp"]), words("strip.detail"), "1 − NCP"),
                    ]
                )
            with box("card"):
                text("h2", words("explain.box"))
                text("p", words("explain.box_exact" if exact else "explain.box_why"), "soft small")
                ui.html("".join(draw_box(one, words) for one in found["boxes"]))

    async def press(self, pressed: str) -> None:
        """N goes to the next person."""
        if pressed.lower() == "n" and getattr(self, "_row", None) is not None:
            self._row.set_value(int(self._row.value or 0) + 1)


def draw_box(one: dict[str, Any], words: Words) -> str:
    """A column as a line of pieces: those inside the box are full, the person's own is marked where it is shown."""
    pieces = "".join(
        f'<i class="{"in" if inside else ""} {"me" if i == one["mine"] else ""}"></i>'
        for i, inside in enumerate(one["pieces"])
    )
    then = f"<b>{escape(one['then'])}</b>" if one["changes"] else escape(one["then"])
    change = then if one["now"] is None or not one["changes"] else f"{escape(one['now'])} → {then}"
    label = words("explain.picture", column=one["column"])
    return (
        f'<div class="boxline"><div>{escape(one["column"])}</div>'
        f'<div class="pieces" role="img" aria-label="{escape(label)}">{pieces}</div><div>{change}</div></div>'
    )
