"""Questions asked of original and release, a pane of the step Use: made by choosing columns, kept in the recipe."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from nicegui import ui

from lookalike.web.drawing import box, button, icon_button, table, text
from lookalike.web.steps.work import WorkLine
from lookalike.web.words import Words

if TYPE_CHECKING:
    from lookalike.web.steps.use import UseStep

#: kind -> what the first and the second column are called among its options; a list takes both
FORMS: dict[str, tuple[str, str | None]] = {
    "mean": ("of", "by"),
    "quantiles": ("of", "by"),
    "ranking": ("mean", "by"),
    "two-sample test": ("of", "between"),
    "correlation": ("of", None),
    "contingency table": ("of", None),
    "entropy": ("of", None),
}

_MOST_K = 11  # tried unless another is given


class QuestionsPane:
    """Questions, their answers before and after, and the largest k that still answers them."""

    def __init__(self, step: UseStep) -> None:
        self.step, self.words, self.bench = step, step.words, step.bench

    def draw(self) -> None:
        """A line to make a question, those made, and two buttons."""
        words = self.words
        self._names = [column for column, role in self.bench.recipe["roles"].items() if role != "identifier"]
        with box("card"):
            text("h2", words("questions.title"))
            text("p", words("questions.why"), "soft small")
            with box("line"):
                options = {
                    kind: words(f"questions.{kind.replace(' ', '_').replace('-', '_')}") for kind in FORMS
                }
                self._kind = ui.select(options, value="mean", label=words("questions.kind"))
                self._one = ui.select(dict(enumerate(self._names)), value=0, label=words("questions.one"))
                self._two = ui.select(
                    {-1: words("questions.nothing"), **dict(enumerate(self._names))},
                    value=-1,
                    label=words("questions.two"),
                )
                for made in (self._kind, self._one, self._two):
                    made.props("outlined dense").style("min-width: 170px")
                button(words("questions.add"), self._add)
            self._list = box("")
            with box("line"):
                self._go = button(words("questions.answer"), self._answer, main=True)
                self._curve = button(words("questions.choose"), self._choose)
                self._most = ui.number(
                    words("questions.most"), value=_MOST_K, min=2, max=500, step=1, format="%d"
                ).props("outlined dense")
                self._work = WorkLine(self.step, "questions")
            self._answers = ui.html("")
            self._chart = box("")
        self._show_list()

    def _add(self) -> None:
        made = make_question(
            self._kind.value,
            self._names[self._one.value],
            None if self._two.value == -1 else self._names[self._two.value],
        )
        if made is None:
            self.step.trouble(self.words("questions.need_two"))
            return
        self.step.trouble(None)
        if made not in self.bench.recipe["questions"]:
            self.bench.change(questions=[*self.bench.recipe["questions"], made])
            self.step.desk.changed()
            self._show_list()

    def _drop(self, place: int) -> None:
        left = [one for i, one in enumerate(self.bench.recipe["questions"]) if i != place]
        self.bench.change(questions=left)
        self.step.desk.changed()
        self._show_list()

    def _show_list(self) -> None:
        words = self.words
        self._list.clear()
        asked = self.bench.recipe["questions"]
        self._go.set_enabled(bool(asked))
        self._curve.set_enabled(bool(asked))
        with self._list:
            for i, one in enumerate(asked):
                with box("line tight"):
                    icon_button("close", words("questions.drop"), lambda i=i: self._drop(i))
                    text("span", in_words(one, words))

    async def _answer(self) -> None:
        found = await self._work.ask("use.answer", self._go, self._curve)
        if found is None:
            return
        words = self.words
        parts = []
        for one in found["answers"]:
            kind, word = (
                ("bad", "questions.changed") if one["significant_impact"] else ("good", "questions.same")
            )
            rows = [
                (change["name"], _short(change["before"], words), _short(change["after"], words))
                for change in one["changes"][:12]
            ]
            head = ["", words("questions.before"), words("questions.after")]
            parts.append(
                f'<p style="margin-top:14px"><b>{escape(one["question"])}</b> '
                f'<span class="chip {kind}">{escape(words(word))}</span>'
                f'<br><span class="term">{escape(one["rule"])}</span></p>' + table(head, rows, right=(1, 2))
            )
        self._answers.set_content("".join(parts))

    async def _choose(self) -> None:
        """Make a release for every k, and draw what each costs."""
        most = int(self._most.value or _MOST_K)
        found = await self._work.ask("use.choose_k", self._go, self._curve, most=most)
        if found is None:
            return
        words = self.words
        self._chart.clear()
        with self._chart:
            chosen = found["k"]
            text("p", words("questions.chosen", k=chosen) if chosen else words("questions.no_k"))
            for note in found["notes"]:
                text("p", note, "soft small")
            ui.echart(
                curve_options(found, words), on_point_click=lambda e: self._take(found, e.data_index)
            ).classes("chart")

    async def _take(self, answer: dict[str, Any], place: int) -> None:
        """Promise the k that was clicked."""
        tried = [one for one in answer["table"] if one["loss"] is not None]
        if 0 <= place < len(tried):
            others = [one for one in self.bench.recipe["promises"] if one["model"] != "k-anonymity"]
            self.bench.change(promises=[{"model": "k-anonymity", "k": tried[place]["k"]}, *others])
            self.step.desk.changed()
            await self.step.desk.show("blur")


def make_question(kind: str, one: str, two: str | None) -> dict[str, Any] | None:
    """A question as it would stand in a file; None where a second column is needed."""
    first, second = FORMS[kind]
    if second is None:
        if kind != "entropy" and (two is None or two == one):
            return None
        return {"kind": kind, first: [one] if two is None else [one, two]}
    if two is None:
        return {"kind": kind, first: one} if kind in ("mean", "quantiles") else None
    return {"kind": kind, first: one, second: two}


def in_words(question: dict[str, Any], words: Words) -> str:
    """A question in a line."""
    kind = words(f"questions.{question['kind'].replace(' ', '_').replace('-', '_')}")
    columns = [part for key, part in question.items() if key != "kind"]
    return f"{kind}: " + ", ".join(
        ", ".join(part) if isinstance(part, list) else str(part) for part in columns
    )


def _short(value: Any, words: Words) -> str:
    return "–" if value is None else words.number(float(value))


def curve_options(answer: dict[str, Any], words: Words) -> dict[str, Any]:
    """Loss, risk and changed questions over k; the chosen k is a line."""
    tried = [one for one in answer["table"] if one["loss"] is not None]
    lines = {
        words("explore.loss"): [one["loss"] for one in tried],
        words("explore.risk"): [one["mean_risk"] for one in tried],
        words("questions.share_changed"): [
            len(one["impacted"]) / max(len(one["answers"]), 1) for one in tried
        ],
    }
    grey = {"color": "#7b8794"}
    dashes = ("solid", "dashed", "dotted")
    series = [
        {
            "type": "line",
            "name": label,
            "data": [round(value, 4) for value in values],
            "lineStyle": {"type": dash},
            "symbolSize": 9,
        }
        for (label, values), dash in zip(lines.items(), dashes, strict=True)
    ]
    if answer["k"]:
        place = next(i for i, one in enumerate(tried) if one["k"] == answer["k"])
        series[0]["markLine"] = {
            "symbol": "none",
            "data": [{"xAxis": place}],
            "label": {"formatter": f"k = {answer['k']}"},
        }
    return {
        "animation": False,
        "legend": {"bottom": 0, "textStyle": grey},
        "grid": {"left": 54, "right": 20, "top": 24, "bottom": 60},
        "tooltip": {"trigger": "axis"},
        "xAxis": {
            "type": "category",
            "data": [str(one["k"]) for one in tried],
            "name": "k",
            "axisLabel": grey,
        },
        "yAxis": {"type": "value", "axisLabel": grey},
        "series": series,
    }
