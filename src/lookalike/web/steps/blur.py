"""Step 4, Blur: promises in words, a method, weights; the effect at once on a sample and then on the whole."""

from __future__ import annotations

import asyncio
from typing import Any

from nicegui import ui

from lookalike.web.drawing import box, button, name, stat, table, text
from lookalike.web.state import key_of
from lookalike.web.steps.game import GamePane
from lookalike.web.steps.step import Step

METHODS = ("optimal", "local", "mondrian", "sangreea", "datafly")
_PAUSE = 0.15  # seconds a slider rests before its effect is computed


class Here(Step):
    """The step Blur."""

    key = "blur"

    async def draw(self) -> None:
        """Promises and means at the left, the effect at the right, the question game below."""
        self.heading()
        if not await self.ready():
            return
        words = self.words
        self._later: asyncio.Task[Any] | None = None
        self._trying: asyncio.Task[Any] | None = None
        with ui.tabs().props("no-caps align=left inline-label") as tabs:
            for key in ("promises", "sliders", "game", "explore"):
                ui.tab(key, words(f"blur.{key}"))
        with box("split") as self._split:
            with ui.tab_panels(tabs, value="promises", on_change=self._turn_to).props(
                "keep-alive"
            ) as self._panels:
                with ui.tab_panel("promises"):
                    with box("card"):
                        self._promises()
                    with box("card"):
                        self._means()
                with ui.tab_panel("sliders"), box("card"):
                    self._weights()
                with ui.tab_panel("game"), box("card"):
                    self.game = GamePane(self)
                    self.game.draw()
                with ui.tab_panel("explore"), box("card"):
                    self._explore()
            with box("card").style("position: sticky; top: 0; margin-top: 4px") as self._outcome:
                self._effect()
        self._show_numbers()

    async def _turn_to(self, event: Any) -> None:
        """The game and the explorer need the whole width."""
        wide = event.value in ("game", "explore")
        self._outcome.set_visibility(not wide)
        self._split.classes(add="wide" if wide else "", remove="" if wide else "wide")
        if event.value == "game" and self.bench.recipe["answers"]:
            await self.game.refresh()

    # promises ---------------------------------------------------------------------------------------------------

    def _promises(self) -> None:
        words = self.words
        text("h2", words("blur.promises"))
        with box("promise"):
            ui.html(f"<span>{words('promise.k')} <span class='term'>{words('promise.k_term')}</span></span>")
            k = ui.number(value=self.bench.k, min=2, max=1000, step=1, format="%d").props("outlined dense")
            name(k, words("promise.k_name"))
            k.on_value_change(
                lambda e: self._set_promise("k-anonymity", None, k=int(e.value)) if e.value else None
            )
        sensitive = self.bench.having("sensitive")
        if not sensitive:
            text("p", words("promise.no_sensitive"), "soft small")
        for column in sensitive[:8]:
            with box("promise about-one"):
                text("b", words("promise.about", column=column))
                self._switch("l-diversity", column, "l", 3, words("promise.l"), 2, 50, 1)
                self._switch("t-closeness", column, "t", 0.2, words("promise.t"), 0.01, 1, 0.05)

    def _switch(
        self,
        model: str,
        column: str,
        letter: str,
        first: float,
        label: str,
        low: float,
        high: float,
        step: float,
    ) -> None:
        """A promise about a sensitive column: on or off, and how much."""
        given = next(
            (
                one
                for one in self.bench.recipe["promises"]
                if one["model"] == model and one.get("column") == column
            ),
            None,
        )
        on = ui.switch(label, value=given is not None).props("dense")
        number = ui.number(value=given[letter] if given else first, min=low, max=high, step=step)
        name(number.props("outlined dense"), f"{column}: {label}")
        number.set_enabled(given is not None)

        def set_it() -> None:
            number.set_enabled(bool(on.value))
            value = number.value if letter == "t" else int(number.value or first)
            self._set_promise(model, column, **({letter: value} if on.value else {}))

        on.on_value_change(set_it)
        number.on_value_change(lambda: set_it() if number.value else None)

    def _set_promise(self, model: str, column: str | None, **parameters: Any) -> None:
        """Make a promise, change it, or without parameters take it back."""
        others = [
            one
            for one in self.bench.recipe["promises"]
            if (one["model"], one.get("column")) != (model, column)
        ]
        about = {} if column is None else {"column": column}
        mine = [{"model": model, **about, **parameters}] if parameters else []
        if self.bench.change(promises=[*mine, *others] if column is None else [*others, *mine]):
            self._touched()

    # means ------------------------------------------------------------------------------------------------------

    def _means(self) -> None:
        words, recipe = self.words, self.bench.recipe
        text("h2", words("blur.how"))
        method = ui.radio({key: words(f"method.{key}") for key in METHODS}, value=recipe["method"])
        name(method, words("blur.how"))
        why = text("p", words(f"method.{recipe['method']}_why"), "soft small").style("min-height: 42px")

        def set_method() -> None:
            why.set_content(words(f"method.{method.value}_why"))
            if self.bench.change(method=method.value):
                self._touched()

        method.on_value_change(set_method)
        shown = text("p", "", "small")

        def say(share: float) -> None:
            shown.set_content(words("blur.suppression", share=words.percent(share)))

        say(recipe["suppression"])
        limit = ui.slider(min=0, max=20, step=0.5, value=100 * recipe["suppression"])
        name(limit, words("blur.suppression_name"))
        limit.on_value_change(lambda: say(limit.value / 100))

        def set_limit() -> None:
            if self.bench.change(suppression=limit.value / 100):
                self._touched()

        limit.on("change", set_limit)

    def _weights(self) -> None:
        words = self.words
        text("p", words("blur.weights_why"), "soft small")
        self._sliders: dict[str, tuple[ui.slider, ui.html]] = {}
        with box("weights"):
            for column in self.bench.having("quasi"):
                text("span", column)
                slider = ui.slider(min=0, max=5, step=0.25, value=self._weight(column))
                name(slider, words("blur.weight_of", column=column))
                shown = text("span", words.number(self._weight(column)), "soft num")
                slider.on_value_change(
                    lambda e, shown=shown: shown.set_content(words.number(float(e.value or 0)))
                )
                slider.on("update:model-value", lambda: self._slide(), throttle=0.2)
                self._sliders[column] = slider, shown

    def _weight(self, column: str) -> float:
        return float(self.bench.recipe["weights"].get(column, 1.0))

    def _slide(self) -> None:
        """Sliders moved: decide for their weights once they rest."""
        if self._later is not None:
            self._later.cancel()

        async def rest() -> None:
            await asyncio.sleep(_PAUSE)
            told = {column: float(slider.value) for column, (slider, _) in self._sliders.items()}
            if self.bench.change(
                weights={column: weight for column, weight in told.items() if weight != 1.0}
            ):
                self._touched()

        self._later = self.desk.spawn(rest())

    # effect -----------------------------------------------------------------------------------------------------

    def _effect(self) -> None:
        words = self.words
        text("h2", words("blur.effect"))
        self._stage = text("p", words("blur.not_made"), "soft small").style("min-height: 40px")
        self._stage.props["aria-live"] = "polite"
        self._bar = ui.linear_progress(value=0, show_value=False)
        name(self._bar, words("blur.progress"))
        self._bar.style("visibility: hidden")
        self._numbers = ui.html("").classes("stats")
        with box("line"):
            self._go = button(words("blur.make"), self.make, main=True)
            self._stop = button(words("common.cancel"), self.cancel)
            self._stop.set_enabled(False)
        self._detail = ui.html("")
        self._timer = ui.timer(0.2, self._watch, active=self.session.making)

    def _touched(self) -> None:
        """A decision changed what would come out: show it on a sample at once."""
        self.desk.changed()
        self._show_numbers()
        self.session.stop()
        if self._trying is not None:
            self._trying.cancel()
        self._trying = self.desk.spawn(self._try())

    async def _try(self) -> None:
        wanted = key_of(self.bench.recipe)
        found = await self.ask("blur.sample")
        if found is not None and wanted == key_of(self.bench.recipe) and self.session.numbers is None:
            self._draw_numbers(found)
            self._stage.set_content(self.words("blur.on_sample", n=found["sample"]))

    def make(self) -> None:
        """Make the release of the whole table."""
        if self._trying is not None:
            self._trying.cancel()
        self.trouble(None)
        self.session.make_release()
        self._watch()

    def cancel(self) -> None:
        """Stop the work under way."""
        self.session.stop()

    def _watch(self) -> None:
        """Follow the release being made; it may have been begun before this page was opened."""
        running = self.session.making
        self._go.set_enabled(not running)
        self._stop.set_enabled(running)
        self._bar.style("visibility: visible" if running else "visibility: hidden")
        self._bar.set_value(self.session.progress)
        self._timer.active = running
        if running:
            self._stage.set_content(self.words("blur.making"))
            return
        self._show_numbers()
        if self.session.problem is not None:
            self.tell(self.session.problem)
        elif self.session.job is not None and self.session.job.cancelled():
            self._stage.set_content(self.words("blur.cancelled"))
        self.desk.refresh()

    def _show_numbers(self) -> None:
        numbers = self.session.numbers
        if numbers is None:
            self._stage.set_content(self.words("blur.not_made"))
            self._detail.set_content("")
            return
        self._draw_numbers(numbers)
        proven = "blur.made_best" if numbers["proven_optimal"] else "blur.made"
        self._stage.set_content(self.words(proven, seconds=round(numbers["seconds"], 1)))

    def _draw_numbers(self, numbers: dict[str, Any]) -> None:
        words = self.words
        parts = [
            stat(words.number(numbers["k"]), words("strip.smallest"), "k"),
            stat(words.percent(1 - numbers["loss"]), words("strip.detail"), words("blur.loss_term")),
            stat(words.percent(numbers["suppressed"] / max(numbers["records"], 1)), words("strip.left_out")),
            stat(words.number(numbers["classes"]), words("blur.classes"), words("blur.classes_term")),
        ]
        self._numbers.set_content("".join(parts))
        levels = numbers.get("levels") or {}
        rows = [
            (column, words("blur.level", n=level), words.number(numbers["values"][column]))
            for column, level in levels.items()
        ]
        headings = [words("table.column"), words("blur.step"), words("blur.values_left")]
        self._detail.set_content(table(headings, rows, right=(1, 2)) if rows else "")

    # the explorer -----------------------------------------------------------------------------------------------

    def _explore(self) -> None:
        words = self.words
        text("p", words("explore.why"), "soft small")
        with box("line"):
            self._look = button(words("explore.look"), self._search_near)
        self._cloud = box("split")

    async def _search_near(self) -> None:
        words = self.words
        self._look.disable()
        found = await self.ask("explore.cloud", long=True)
        self._look.enable()
        if found is None:
            return
        self._points = found["points"]
        self._cloud.clear()
        with self._cloud:
            ui.echart(cloud_options(found, words), on_point_click=self._pick).classes("chart")
            with box("") as self._picked:
                text("p", words("explore.pick"), "soft")

    def _pick(self, event: Any) -> None:
        words = self.words
        series = found_by(self._points, event.series_name, event.data_index)
        if series is None:
            return
        self._picked.clear()
        with self._picked:
            text("h2", words(f"method.{series['method']}"))
            rows = [
                (words("strip.smallest"), words.number(series["k"])),
                (words("strip.detail"), words.percent(1 - series["loss"])),
                (words("strip.left_out"), words.number(series["suppressed"])),
                (words("risk.average"), words.percent(series["risk"])),
            ]
            rows += [
                (column, words("blur.level", n=level)) for column, level in series.get("levels", {}).items()
            ]
            ui.html(table(["", ""], rows, right=(1,)))
            if series["method"] in METHODS:
                button(words("explore.take"), lambda: self._take(series), main=True)

    async def _take(self, point: dict[str, Any]) -> None:
        if self.bench.change(method=point["method"]):
            self.desk.changed()
        await self.desk.redraw()
        step = self.desk.step
        if isinstance(step, Here):
            step.make()

    # keys and undo ----------------------------------------------------------------------------------------------

    async def press(self, pressed: str) -> None:
        """Keys answer the game while it is open."""
        if getattr(self, "_panels", None) is not None and self._panels.value == "game":
            await self.game.press(pressed)

    async def follow(self) -> bool:
        """After an undo inside the game the next question appears in place."""
        if getattr(self, "_panels", None) is not None and self._panels.value == "game":
            await self.game.refresh()
            self._show_numbers()
            return True
        return False

    def weights_learnt(self, weights: dict[str, float]) -> None:
        """Show learnt weights on the sliders, 1 being the average."""
        for column, (slider, shown) in self._sliders.items():
            value = min(weights.get(column, 0.0) * len(weights), 5.0)
            slider.set_value(round(value, 2))
            shown.set_content(self.words.number(round(value, 2)))


def found_by(points: list[dict[str, Any]], method: str, place: int) -> dict[str, Any] | None:
    """The point that was clicked."""
    mine = [one for one in points if one["series"] == method]
    return mine[place] if 0 <= place < len(mine) else None


def cloud_options(found: dict[str, Any], words: Any) -> dict[str, Any]:
    """Loss over risk, one shape per method so that no colour is needed to tell them apart."""
    shapes = {
        "near": "circle",
        "optimal": "pin",
        "local": "diamond",
        "mondrian": "triangle",
        "sangreea": "rect",
    }
    names = list(dict.fromkeys(one["series"] for one in found["points"]))
    axis = {
        "nameLocation": "middle",
        "nameGap": 30,
        "axisLabel": {"color": "#7b8794"},
        "nameTextStyle": {"color": "#7b8794"},
    }
    return {
        "animation": False,
        "legend": {"bottom": 0, "textStyle": {"color": "#7b8794"}},
        "grid": {"left": 60, "right": 20, "top": 16, "bottom": 76},
        "tooltip": {"trigger": "item"},
        "xAxis": {**axis, "name": words("explore.loss"), "scale": True},
        "yAxis": {**axis, "name": words("explore.risk"), "scale": True, "nameGap": 44},
        "series": [
            {
                "type": "scatter",
                "name": series,
                "symbol": shapes.get(series, "circle"),
                "symbolSize": 11 if series == "near" else 18,
                "data": [
                    [round(one["loss"], 5), round(one["risk"], 5)]
                    for one in found["points"]
                    if one["series"] == series
                ],
            }
            for series in names
        ],
    }
