"""Step 3, Risk: who can be told apart in the table as it came, through which columns, and what others ask for."""

from __future__ import annotations

from html import escape
from typing import Any

from nicegui import ui

from lookalike.web.drawing import bars, box, button, stat, stats, table, text
from lookalike.web.steps.semantic import SemanticPane
from lookalike.web.steps.step import Step


class RiskStep(Step):
    """The step Risk."""

    key = "risk"

    async def draw(self) -> None:
        """Numbers, class sizes, combinations, thresholds."""
        self.heading()
        if not await self.ready():
            return
        words = self.words
        waiting = text("p", words("risk.counting"), "soft")
        found = await self.ask("risks.measure")
        waiting.delete()
        if found is None:
            return
        self._numbers(found)
        with box("cols"):
            with box("step"):
                with box("card"):
                    text("h2", words("risk.sizes"))
                    text("p", words("risk.sizes_why", k=self.bench.k), "soft small")
                    ui.html(bars(self._bands(found), words))
                with box("card"):
                    text("h2", words("risk.thresholds"))
                    text("p", words("risk.thresholds_why"), "soft small")
                    ui.html(self._regimes(found["regimes"]))
            with box("step"):
                with box("card") as self._sets:
                    text("h2", words("risk.combinations"))
                    text("p", words("risk.combinations_why"), "soft small")
                with box("card"):
                    self._draw_minimal()
        await SemanticPane(self).draw()
        await self._combinations()

    def _draw_minimal(self) -> None:
        words = self.words
        text("h2", words("risk.minimal"))
        text("p", words("risk.minimal_why"), "soft small")
        with box("line"):
            shares = {share: words.percent(share) for share in (0.001, 0.01, 0.1)}
            share = ui.select(shares, value=0.01, label=words("risk.share")).props("outlined dense")
            share.style("min-width: 150px")
            button(words("risk.search"), lambda: self._search(share.value))
        self._found = ui.html("")

    def _numbers(self, answer: dict[str, Any]) -> None:
        words = self.words
        alone = words.percent(answer["uniques"] / max(answer["people"], 1))
        stats(
            [
                stat(words.number(answer["k_min"]), words("risk.k"), words("risk.k_term")),
                stat(
                    words.number(answer["uniques"]),
                    words("risk.alone_share", share=alone),
                    words("risk.alone_term"),
                ),
                stat(words.percent(answer["average"]), words("risk.average"), words("risk.average_term")),
                stat(words.percent(answer["above"]), words("risk.above"), words("risk.above_term")),
            ]
        )

    def _bands(self, answer: dict[str, Any]) -> list[dict[str, Any]]:
        """People by class size, with lines where the promised k and the thresholds in use begin."""
        words, total = self.words, max(answer["people"], 1)
        out: list[dict[str, Any]] = []
        for band in answer["bands"]:
            if band["low"] == self.bench.k:
                out.append({"cut": words("risk.promised", k=self.bench.k)})
            elif band["low"] in answer["lines"]:
                out.append({"cut": words("risk.in_use", k=band["low"]), "pale": True})
            low, high = band["low"], band["high"]
            label = words("risk.one") if high == 1 else f"{low}–{high}" if high and high != low else f"{low}"
            if high is None:
                label = f"{low}+"
            share = band["people"] / total
            out.append(
                {
                    "label": label,
                    "share": share,
                    "pale": low >= self.bench.k,
                    "value": f"{words.number(band['people'])} ({words.percent(share)})",
                }
            )
        return out

    def _regimes(self, readings: list[dict[str, Any]]) -> str:
        words = self.words
        marks = {
            True: f'<span class="chip good">✓ {escape(words("risk.met"))}</span>',
            False: f'<span class="chip bad">✗ {escape(words("risk.not_met"))}</span>',
            None: f'<span class="chip">{escape(words("risk.judge"))}</span>',
        }
        rows = "".join(
            f"<tr><td>{marks[one['met']]}</td><td><b>{escape(one['regime'])}</b> {escape(one['text'])}"
            f'<br><span class="term">{escape(one["source"])}</span></td></tr>'
            for one in readings
        )
        return f'<div class="tall" tabindex="0"><table class="plain"><tbody>{rows}</tbody></table></div>'

    async def _combinations(self) -> None:
        words = self.words
        found = await self.ask("risks.combinations")
        if found is None:
            return
        with self._sets:
            if not found["sets"]:
                text("p", words("risk.nobody"), "soft")
                return
            rows = [(" + ".join(one["columns"]), words.number(one["people"])) for one in found["sets"]]
            ui.html(table([words("risk.columns"), words("risk.people")], rows, right=(1,)))
            shares = sorted(found["contributions"].items(), key=lambda pair: -pair[1])
            text("p", words("risk.contributions"), "soft small")
            ui.html(bars([{"label": name, "share": share} for name, share in shares if share], words))

    async def _search(self, share: float) -> None:
        words = self.words
        found = await self.ask("risks.minimal", threshold=share)
        if found is None:
            return
        rows = [(" + ".join(one["columns"]), words.percent(one["uniqueness"])) for one in found["sets"][:12]]
        told = table([words("risk.columns"), words("risk.alone")], rows, right=(1,)) if rows else ""
        more = words("risk.found", n=len(found["sets"]), measured=found["measured"])
        self._found.set_content(f"{told}<p class='soft small'>{escape(more)}</p>")
