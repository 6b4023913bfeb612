"""Semantic risk, a pane of the step Risk: shared attributes, the concept lattice, and what forgetting one does."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from nicegui import ui

from lookalike.web.drawing import bars, box, button, stat, stats, table, text
from lookalike.web.steps.work import WorkLine

if TYPE_CHECKING:
    from lookalike.web.steps.risk import RiskStep


class SemanticPane:
    """Asked for by a click: on large tables it takes a while."""

    def __init__(self, step: RiskStep) -> None:
        self.step, self.words = step, step.words

    async def draw(self) -> None:
        """What it is, and the button that starts it."""
        words = self.words
        with box("card") as self._card, box("line ends"):
            with box(""):
                text("h2", words("semantic.title"))
                text("p", words("semantic.why"), "soft small")
            with box("line"):
                self._start = button(words("semantic.start"), self._measure)
                self._work = WorkLine(self.step, "meaning")

    async def _measure(self) -> None:
        words = self.words
        found = await self._work.ask("semantic.measure", self._start)
        if found is None:
            return
        self._start.delete()
        with self._card:
            stats(
                [
                    stat(words.number(found["max"]), words("semantic.max"), "max r_BS"),
                    stat(words.number(found["mean"]), words("semantic.mean"), "mean r_BS"),
                    stat(words.number(found["at_risk"]), words("semantic.at_risk", t=found["threshold"])),
                    stat(words.number(found["safe"]), words("semantic.safe"), words("semantic.safe_term")),
                ]
            )
            with box("split"):
                with box(""):
                    text("p", words("semantic.lattice", n=len(found["nodes"])), "soft small")
                    self._chart = (
                        ui.echart(lattice_options(found), on_point_click=self._pick, renderer="svg")
                        .classes("chart")
                        .style("height: 460px")
                    )
                with box("") as self._side:
                    text("p", words("semantic.pick"), "soft")
            text("h2", words("semantic.columns"))
            rows = [
                (one["name"], words.number(one["at_risk"]), words.number(one["kept"]))
                for one in found["columns"]
            ]
            headings = [words("risk.columns"), words("semantic.left"), words("semantic.safe")]
            ui.html(table(headings, rows, right=(1, 2)))

    async def _pick(self, event: Any) -> None:
        """Show a concept: its records' count, its chain, and what forgetting each attribute would do."""
        place = getattr(event, "data_index", None)
        if place is None or getattr(event, "data_type", "node") == "edge":
            return
        found = await self.step.ask("semantic.concept", place=int(place), long=True)
        if found is None:
            return
        words = self.words
        self._side.clear()
        with self._side:
            text("h2", words("semantic.concept", n=found["support"]))
            ui.html("<p>" + escape(", ".join(found["attributes"]) or words("semantic.top")) + "</p>")
            if found["chain"]:
                text("p", words("semantic.chain"), "soft small")
                top = found["chain"][0]["support"]
                rows = [
                    {
                        "label": one["label"],
                        "share": one["support"] / top,
                        "value": words.number(one["support"]),
                    }
                    for one in found["chain"]
                ]
                ui.html(bars(rows, words))
            if found["forget"]:
                text("p", words("semantic.forget"), "soft small")
                rows2 = [(one["name"], words.number(one["at_risk"])) for one in found["forget"]]
                ui.html(table([words("semantic.attribute"), words("semantic.left")], rows2, right=(1,)))


def lattice_options(answer: dict[str, Any]) -> dict[str, Any]:
    """The lattice for the chart; names are values, and nodes and links have a `value`, or clicks get lost."""
    nodes = [
        {
            "name": f"n{i}",
            "value": one["support"],
            "x": one["x"],
            "y": one["y"],
            "symbolSize": 14 + 14 * one["share"],
            "itemStyle": {"color": "#b8532a" if one["risky"] else "#4f8db8"},
            "label": {
                "show": bool(one["label"]),
                "formatter": one["label"].replace("{", "(").replace("}", ")"),
            },
        }
        for i, one in enumerate(answer["nodes"])
    ]
    links = [{"source": a, "target": b, "value": 1} for a, b in answer["edges"]]
    series = {
        "type": "graph",
        "layout": "none",
        "roam": True,
        "data": nodes,
        "links": links,
        "label": {"position": "right", "fontSize": 11, "color": "#7b8794"},
        "lineStyle": {"color": "#8d99a5", "width": 1},
        "emphasis": {"focus": "adjacency"},
    }
    return {"series": [series], "tooltip": {"show": False}, "animation": False}
