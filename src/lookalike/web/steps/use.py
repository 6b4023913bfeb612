"""Step 5, Use: what the release is still good for, column by column and for learning."""

from __future__ import annotations

from html import escape
from typing import Any

from nicegui import ui

from lookalike.web.drawing import bars, box, button, text
from lookalike.web.state import rounded
from lookalike.web.steps.questions import QuestionsPane
from lookalike.web.steps.step import Step
from lookalike.web.steps.table import draw_grid
from lookalike.web.steps.work import WorkLine


class UseStep(Step):
    """The step Use."""

    key = "use"

    async def draw(self) -> None:
        """Columns side by side, then what classifiers still learn."""
        self.heading()
        if not await self.ready(release=True):
            return
        words = self.words
        found = await self.ask("use.compare", long=True)
        if found is None:
            return
        with box("card"):
            with box("line ends"):
                text("h2", words("use.side_by_side"))
                names = [one["name"] for one in found["columns"]]
                chosen = ui.select(dict(enumerate(names)), value=self._first(found)).props("outlined dense")
                chosen.props["aria-label"] = words("table.column")
                chosen.style("min-width: 220px")
            self._pair = box("pairs")
            chosen.on_value_change(lambda: self._show(found["columns"][chosen.value]))
            self._show(found["columns"][chosen.value])
        with box("cols"):
            await self._who_pays()
        QuestionsPane(self).draw()
        with box("card"):
            text("h2", words("use.rows"))
            shown = [one["name"] for one in found["columns"] if one["after"] is not None]
            draw_grid(self, shown, "release", found["records"] - found["suppressed"])
        with box("card"):
            text("h2", words("use.learning"))
            text("p", words("use.learning_why"), "soft small")
            targets = [*self.bench.having("target"), *self.bench.having("sensitive")]
            if not targets:
                text("p", words("use.no_target"), "soft")
                return
            with box("line"):
                target = ui.select(dict(enumerate(targets)), value=0, label=words("use.target")).props(
                    "outlined dense"
                )
                target.style("min-width: 200px")
                self._go = button(words("use.learn"), lambda: self._learn(targets[target.value]))
                self._work = WorkLine(self, "learning")
            self._learnt = ui.html("")

    async def _who_pays(self) -> None:
        """Detail lost per column, and per group of a column that is chosen."""
        words = self.words
        found = await self.ask("use.who_pays", by=None, long=True)
        if found is None:
            return
        with box("card"):
            text("h2", words("use.lost"))
            text("p", words("use.lost_why"), "soft small")
            rows = sorted(found["columns"].items(), key=lambda pair: -pair[1]["loss"])
            ui.html(bars([{"label": column, "share": one["loss"]} for column, one in rows], words, most=1.0))
            for column, step in rounded(self.bench.recipe).items():
                text("p", f"{column}: {words('columns.rounded', step=step)}", "small")
        with box("card"):
            text("h2", words("use.pays"))
            text("p", words("use.pays_why"), "soft small")
            names = [column for column, role in self.bench.recipe["roles"].items() if role != "identifier"]
            by = ui.select(dict(enumerate(names)), label=words("use.by")).props("outlined dense")
            groups = ui.html("")

            async def show() -> None:
                chosen = await self.ask("use.who_pays", by=names[by.value], long=True)
                if chosen is not None:
                    rows = [
                        {
                            "label": one["group"],
                            "share": one["loss"],
                            "low": one["loss_low"],
                            "high": one["loss_high"],
                            "value": words(
                                "use.paid", loss=words.percent(one["loss"]), gone=words.percent(one["rate"])
                            ),
                        }
                        for one in chosen["groups"]
                    ]
                    notes = "".join(f"<p class='soft small'>{escape(note)}</p>" for note in chosen["notes"])
                    groups.set_content(bars(rows, words) + notes)

            by.on_value_change(show)

    def _first(self, answer: dict[str, Any]) -> int:
        """A quasi-identifier to begin with: there something happened."""
        return next((i for i, one in enumerate(answer["columns"]) if one["role"] == "quasi"), 0)

    def _show(self, one: dict[str, Any]) -> None:
        words = self.words
        self._pair.clear()
        with self._pair:
            with box(""):
                text("p", words("use.before", n=one["distinct"][0]), "soft small")
                ui.html(bars(one["before"], words) if one["before"] else escape(words("columns.hidden")))
            with box(""):
                if one["after"] is None:
                    text("p", words("use.dropped"), "soft")
                else:
                    text("p", words("use.after", n=one["distinct"][1]), "soft small")
                    ui.html(bars(one["after"], words))

    async def _learn(self, target: str) -> None:
        self._learnt.set_content(escape(self.words("use.working")))
        found = await self._work.ask("use.learn", self._go, target=target)
        self._learnt.set_content("" if found is None else f"<pre class='small'>{escape(found['text'])}</pre>")
