"""Promises by any further privacy model: those made, each to be taken back, and a form for one more.

Which models there are, and what may be given for each parameter, the models say themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nicegui import ui

from lookalike.web.drawing import box, button, icon_button, name, text
from lookalike.web.words import Words

Promise = dict[str, Any]


class FurtherPromises:
    """A list of promises and a form; `change` is called with the promises there are now."""

    def __init__(
        self,
        offers: Sequence[Mapping[str, Any]],
        words: Words,
        columns: Sequence[str],
        change: Callable[[list[Promise]], None],
    ) -> None:
        self.offers = {
            one["model"]: one for one in offers if not one["common"] and (columns or not one["about_column"])
        }
        self.words, self.columns, self._change = words, columns, change
        self._given: dict[str, Any] = {}

    def draw(self, made: Sequence[Promise]) -> None:
        """The promises that were made, and the form."""
        self._made = list(made)
        self._list = box("promises-made")
        self._draw_list()
        if not self.offers:
            return
        words = self.words
        named = {model: f"{words.of_model(one)} ({model})" for model, one in self.offers.items()}
        self._model = ui.select(named, label=words("promise.further"), on_change=self._draw_form)
        self._model.props("outlined dense").classes("wide")
        self._form = box("promise")

    def _draw_list(self) -> None:
        self._list.clear()
        with self._list:
            for i, one in enumerate(self._made):
                with box("promise"):
                    text("span", _in_short(one))
                    icon_button("close", self.words("promise.take_back"), lambda i=i: self._take_back(i))

    def _draw_form(self) -> None:
        offer = self.offers[self._model.value]
        self._given = {}
        self._form.clear()
        with self._form:
            if offer["needs_population"]:
                text("p", self.words("promise.needs_population"), "soft small")
                return
            if offer["about_column"]:
                self._given["column"] = self.columns[0]
                chosen = ui.select(
                    list(self.columns), value=self.columns[0], label=self.words("table.column")
                )
                chosen.props("outlined dense").on_value_change(
                    lambda event: self._give("column", event.value)
                )
            for parameter, said in offer["parameters"].items():
                self._ask(parameter, said)
            button(self.words("promise.make"), self._make)

    def _ask(self, parameter: str, said: Mapping[str, Any]) -> None:
        """A control for a parameter: a choice, a number within bounds, or a value of the column."""
        first = said["first"] if said["required"] or said["first"] is not None else None
        if first is not None:
            self._given[parameter] = first
        if said["choices"]:
            control: Any = ui.select(
                {choice: str(choice) for choice in said["choices"]},
                value=first,
                clearable=not said["required"],
            )
        elif said["is_number"]:
            control = ui.number(value=first, min=said["least"], max=said["most"], step=said["step"])
        else:
            control = ui.input()
        control.props(f'outlined dense label="{parameter}"').tooltip(said["about"])
        name(control, f"{parameter}: {said['about']}")
        whole = said["step"] == 1
        control.on_value_change(lambda event: self._give(parameter, event.value, whole=whole))

    def _give(self, parameter: str, value: Any, *, whole: bool = False) -> None:
        if value is None or value == "":
            self._given.pop(parameter, None)
        else:
            self._given[parameter] = int(value) if whole and value == int(value) else value

    def _make(self) -> None:
        """Make the promise, in the place of one of its kind about the same column."""
        made = {"model": self._model.value, **self._given}
        missing = [
            parameter
            for parameter, said in self.offers[made["model"]]["parameters"].items()
            if said["required"] and parameter not in made
        ]
        if missing:
            ui.notify(self.words("promise.missing", parameter=missing[0]))
            return
        others = [one for one in self._made if _about(one) != _about(made)]
        self._made = [*others, made]
        self._tell()

    def _take_back(self, place: int) -> None:
        del self._made[place]
        self._tell()

    def _tell(self) -> None:
        self._draw_list()
        self._change(list(self._made))


def _about(one: Promise) -> tuple[Any, Any]:
    return one["model"], one.get("column")


def _in_short(one: Promise) -> str:
    """`beta-likeness (income, beta=2)`."""
    said = [
        str(value) if key == "column" else f"{key}={value}" for key, value in one.items() if key != "model"
    ]
    return f"{one['model']} ({', '.join(said)})"
