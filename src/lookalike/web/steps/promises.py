"""Promises in words and how groups are made, a pane of the step Blur."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nicegui import ui

from lookalike.web.drawing import box, name, text
from lookalike.web.steps.further_promises import FurtherPromises

if TYPE_CHECKING:
    from lookalike.web.steps.blur import BlurStep

METHODS = ("auto", "optimal", "local", "mondrian", "sangreea", "datafly")
_MOST = 8  # sensitive columns that promises are offered about


class PromisesPane:
    """What is promised, by which method, and how many rows may be left out for it."""

    def __init__(self, step: BlurStep) -> None:
        self.step, self.words, self.bench = step, step.words, step.bench

    def draw(self) -> None:
        """Two cards: the promises, and the means."""
        with box("card"):
            self._promises()
        with box("card"):
            self._means()

    def _promises(self) -> None:
        words = self.words
        text("h2", words("blur.promises"))
        with box("promise"):
            ui.html(f"<span>{words('promise.k')} <span class='term'>{words('promise.k_term')}</span></span>")
            k = ui.number(value=self.bench.k, min=2, max=1000, step=1, format="%d").props("outlined dense")
            name(k, words("promise.k_name"))
            k.on_value_change(
                lambda e: self._promise("k-anonymity", None, k=int(e.value)) if e.value else None
            )
        sensitive = self.bench.having("sensitive")
        if not sensitive:
            text("p", words("promise.no_sensitive"), "soft small")
        for column in sensitive[:_MOST]:
            with box("promise about-one"):
                text("b", words("promise.about", column=column))
                for offer in self._offers:
                    if offer["common"] and offer["about_column"]:
                        self._switch(offer, column)
        mine = [one for one in self.bench.recipe["promises"] if one["model"] not in self._common]
        FurtherPromises(self._offers, words, sensitive[:_MOST], self._promise_further).draw(mine)

    @property
    def _offers(self) -> list[dict[str, Any]]:
        """The privacy models there are, as they describe themselves."""
        facts = self.step.session.facts
        return facts["models"] if facts is not None else []

    @property
    def _common(self) -> set[str]:
        return {offer["model"] for offer in self._offers if offer["common"]}

    def _promise_further(self, promises: list[dict[str, Any]]) -> None:
        common = [one for one in self.bench.recipe["promises"] if one["model"] in self._common]
        if self.bench.change(promises=[*common, *promises]):
            self.step.touched()

    def _switch(self, offer: dict[str, Any], column: str) -> None:
        """A promise about a sensitive column: on or off, and how much."""
        model = offer["model"]
        letter, said = next(iter(offer["parameters"].items()))
        promised = self.bench.recipe["promises"]
        given = next((one for one in promised if (one["model"], one.get("column")) == (model, column)), None)
        label = f"{self.words.of_model(offer)} ({model})"
        on = ui.switch(label, value=given is not None).props("dense")
        first, whole = said["first"], said["step"] == 1
        number = ui.number(
            value=given[letter] if given else first, min=said["least"], max=said["most"], step=said["step"]
        )
        name(number.props("outlined dense"), f"{column}: {label}")
        number.set_enabled(given is not None)

        def set_it() -> None:
            number.set_enabled(bool(on.value))
            value = int(number.value or first) if whole else number.value
            self._promise(model, column, **({letter: value} if on.value else {}))

        on.on_value_change(set_it)
        number.on_value_change(lambda: set_it() if number.value else None)

    def _promise(self, model: str, column: str | None, **parameters: Any) -> None:
        """Make a promise, change it, or without parameters take it back."""
        others = [
            one
            for one in self.bench.recipe["promises"]
            if (one["model"], one.get("column")) != (model, column)
        ]
        about = {} if column is None else {"column": column}
        mine = [{"model": model, **about, **parameters}] if parameters else []
        if self.bench.change(promises=[*mine, *others] if column is None else [*others, *mine]):
            self.step.touched()

    def _means(self) -> None:
        words, recipe = self.words, self.bench.recipe
        text("h2", words("blur.how"))
        offered = METHODS if recipe["method"] in METHODS else (*METHODS, recipe["method"])
        method = ui.radio({key: words(f"method.{key}") for key in offered}, value=recipe["method"])
        name(method, words("blur.how"))
        why = text("p", words(f"method.{recipe['method']}_why"), "soft small").style("min-height: 42px")

        def set_method() -> None:
            why.set_content(words(f"method.{method.value}_why"))
            options = recipe["options"] if method.value == recipe["method"] else {}
            if self.bench.change(method=method.value, options=options):
                self.step.touched()

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
                self.step.touched()

        limit.on("change", set_limit)
