"""The solution explorer, a pane of the step Blur: what else keeps the promise, as a cloud; a point shows its table."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from nicegui import ui

from lookalike.web.drawing import box, button, table, text
from lookalike.web.steps.work import WorkLine

if TYPE_CHECKING:
    from lookalike.web.steps.blur import BlurStep

#: one shape and colour per kind, so that no colour is needed to tell them apart
_SHAPES = {
    "near": ("circle", "#8aa9c0"),
    "optimal": ("pin", "#1f5f8b"),
    "local": ("diamond", "#b8532a"),
    "mondrian": ("triangle", "#5b8c5a"),
    "sangreea": ("rect", "#8a6d3b"),
}


class ExplorerPane:
    """The cloud of solutions, the one that was clicked, and its table."""

    def __init__(self, step: BlurStep) -> None:
        self.step, self.words, self.bench = step, step.words, step.bench
        self.points: list[dict[str, Any]] = []
        self._chart: ui.echart | None = None

    def draw(self) -> None:
        """The button that begins the search."""
        words = self.words
        text("p", words("explore.why"), "soft small")
        with box("line"):
            self._look = button(words("explore.look"), self.look, main=True)
            self._work = WorkLine(self.step, "cloud")
        self._cloud = box("split")
        self._table = box("")

    async def look(self) -> None:
        """Look for other solutions, and draw them."""
        found = await self._work.ask("explore.cloud", self._look)
        if found is None:
            return
        self.points = found["points"]
        self._cloud.clear()
        self._table.clear()
        with self._cloud:
            self._chart = ui.echart(self._options(), on_point_click=self._click).classes("chart")
            with box("") as self._picked:
                text("p", self.words("explore.pick"), "soft")
                picks = {i: self._label(one) for i, one in enumerate(self.points) if one["series"] != "near"}
                for i, label in picks.items():
                    button(label, lambda i=i: self.pick(self.points[i])).style("margin: 4px 4px 0 0")

    def _label(self, one: dict[str, Any]) -> str:
        return f"{self.words('method.' + one['method'])}: {self.words.percent(1 - one['loss'])}"

    async def _click(self, event: Any) -> None:
        point = found_by(self.points, event.series_index, event.data_index)
        if point is not None:
            await self.pick(point)

    async def pick(self, point: dict[str, Any]) -> None:
        """Show what a solution would do, and the first rows of its table."""
        words = self.words
        self._picked.clear()
        with self._picked:
            text("h2", words(f"method.{point['method']}"))
            rows = [
                (words("strip.smallest"), words.number(point["k"])),
                (words("strip.detail"), words.percent(1 - point["loss"])),
                (words("strip.left_out"), words.number(point["suppressed"])),
                (words("risk.average"), words.percent(point["risk"])),
            ]
            steps = [f"{column} {level}" for column, level in point["levels"].items() if level]
            if steps:
                rows.append((words("explore.steps"), ", ".join(steps)))
            ui.html(table(["", ""], rows, right=(1,)))
            button(words("explore.take"), lambda: self.take(point), main=True).style("margin-top: 8px")
        self._table.clear()
        with self._table:
            text("p", words("explore.making"), "soft small")
        found = await self.step.ask(
            "explore.table", method=point["method"], options=point["options"], long=True
        )
        self._table.clear()
        if found is not None:
            with self._table:
                text("h2", words("explore.table", n=len(found["rows"]), total=found["total"]))
                missing = words("common.missing")
                cells = [[missing if cell is None else cell for cell in row] for row in found["rows"]]
                ui.html(table(found["names"], cells)).classes("tall wide-table")

    async def take(self, point: dict[str, Any]) -> None:
        """Decide for a solution, and make its release."""
        if self.bench.change(method=point["method"], options=point["options"]):
            self.step.desk.changed()
        self.step.session.tab = "promises"
        await self.step.desk.redraw()
        effect = getattr(self.step.desk.step, "effect", None)
        if effect is not None:
            effect.make()

    def recolour(self) -> None:
        """Text and lines of the chart follow the theme."""
        if self._chart is not None:
            self._chart.options.update(self._options())
            self._chart.update()

    def _options(self) -> dict[str, Any]:
        words, dark = self.words, bool(self.step.session.dark)
        ink, line = ("#b2bdc8", "#33404d") if dark else ("#55616e", "#dde3e9")
        names = {one["series"]: words(f"method.{one['series']}") for one in self.points}
        axis = {
            "nameLocation": "middle",
            "nameGap": 30,
            "axisLabel": {"color": ink},
            "nameTextStyle": {"color": ink},
            "splitLine": {"lineStyle": {"color": line}},
            "axisLine": {"lineStyle": {"color": line}},
            "scale": True,
        }
        return {
            "animation": False,
            "aria": {"enabled": True},
            "legend": {"bottom": 0, "textStyle": {"color": ink}},
            "grid": {"left": 64, "right": 20, "top": 16, "bottom": 84},
            "tooltip": {"trigger": "item"},
            "xAxis": {**axis, "name": words("explore.loss")},
            "yAxis": {**axis, "name": words("explore.risk"), "nameGap": 48},
            "series": [
                {
                    "type": "scatter",
                    "name": escape(label),
                    "symbol": _SHAPES[series][0],
                    "itemStyle": {"color": _SHAPES[series][1]},
                    "symbolSize": 10 if series == "near" else 20,
                    "data": [
                        [round(one["loss"], 5), round(one["risk"], 5)]
                        for one in self.points
                        if one["series"] == series
                    ],
                }
                for series, label in names.items()
            ],
        }


def found_by(points: list[dict[str, Any]], series: int, place: int) -> dict[str, Any] | None:
    """The point that was clicked: series in the order in which they first appear."""
    kinds = list(dict.fromkeys(one["series"] for one in points))
    mine = [one for one in points if kinds[series : series + 1] == [one["series"]]]
    return mine[place] if 0 <= place < len(mine) else None
