"""Step 6, Attack: what an attacker still learns from the release, as intervals beside what luck would give."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from nicegui import ui

from lookalike.web.drawing import box, button, table, text
from lookalike.web.steps.step import Step
from lookalike.web.steps.work import WorkLine
from lookalike.web.words import Words

_MOSTLY = 0.5  # how often an attack is right from which it is named above all others


class AttackStep(Step):
    """The step Attack."""

    key = "attack"

    async def draw(self) -> None:
        """The button that starts the battery, and what it found."""
        self.heading()
        if not await self.ready(release=True):
            return
        words = self.words
        with box("card"):
            text("p", words("attack.why"), "soft small")
            with box("line"):
                self._go = button(words("attack.start"), self._attack, main=True)
                self._work = WorkLine(self, "attacks", on_over=self._show_last)
        self._results = box("step")
        self._show_last()

    def _show_last(self) -> None:
        if self.session.attacked is not None and self.session.attacked[0] == self.session.released_key:
            self._show(self.session.attacked[1])

    async def _attack(self) -> None:
        wanted = self.session.released_key
        found = await self._work.ask("attacks.battery", self._go)
        if found is not None:
            self.session.attacked = wanted, found
            if wanted == self.session.released_key:  # nothing else was decided meanwhile
                self.bench.change(attacks=True)
                self.desk.changed()
            if not self._results.is_deleted:
                self._show_last()

    def _show(self, answer: dict[str, Any]) -> None:
        words = self.words
        self._results.clear()
        broken = sum(one["breaks_bound"] for one in answer["attacks"])
        with self._results:
            kind = "bad" if broken else "good"
            told = words("attack.broken", n=broken) if broken else words("attack.held")
            ui.html(f'<span class="chip {kind}">{"✗" if broken else "✓"} {escape(told)}</span>')
            if far := furthest(answer["attacks"]):
                told = words("attack.far", name=far["title"], share=words.percent(far["rate"]))
                ui.html(f'<span class="chip far">! {escape(told)}</span>')
            with box("card"):
                text("p", words("attack.read"), "soft small")
                for one in answer["attacks"]:
                    ui.html(draw_attack(one, words))
            if answer["loved"]:
                with box("card"):
                    text("h2", words("attack.loved"))
                    text("p", words("attack.loved_why"), "soft small")
                    rows = [
                        (
                            one["column"],
                            words("attack.of", most=one["most"], size=one["size"]),
                            words("attack.of", most=one["alike"], size=one["classes"]),
                        )
                        for one in answer["loved"]
                    ]
                    headings = [words("table.column"), words("attack.same"), words("attack.alike")]
                    ui.html(table(headings, rows, right=(1, 2)))
            if answer["skipped"]:
                with ui.expansion(words("attack.skipped", n=len(answer["skipped"]))).props("dense"):
                    ui.html(table([words("attack.name_of"), ""], answer["skipped"].items()))


def furthest(attacks: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """The attack that gains most, of those that no promise bounds and that are mostly right; None where none is."""
    free = [one for one in attacks if one["succeeds"] and one["bound"] is None and one["rate"] >= _MOSTLY]
    return max(free, key=lambda one: one["rate"] - one["baseline"], default=None)


def draw_attack(one: dict[str, Any], words: Words) -> str:
    """One attack: its story, a bar with its interval, a mark where the baseline lies."""
    rate, low, high, baseline = (100 * one[key] for key in ("rate", "low", "high", "baseline"))
    kind = "bad" if one["breaks_bound"] else "" if one["succeeds"] else "good"
    verdict = words(
        "attack.beyond" if one["breaks_bound"] else "attack.above" if one["succeeds"] else "attack.at"
    )
    return (
        f'<div class="attack"><div><b>{escape(one["title"])}</b> <span class="term">{escape(one["threat"])}</span>'
        f'<div class="soft small story" title="{escape(one["story"])}">{escape(one["story"])}</div></div>'
        f'<div class="track"><i style="width:{rate:.2f}%"></i>'
        f'<u style="left:{low:.2f}%;width:{max(high - low, 0.4):.2f}%"></u>'
        f'<em style="left:{min(baseline, 99.6):.2f}%" title="{escape(words("attack.baseline"))}"></em></div>'
        f'<div class="num small">{escape(words.percent(one["rate"]))}'
        f'<div class="soft">{escape(words("attack.luck", share=words.percent(one["baseline"])))}</div></div>'
        f'<div><span class="chip {kind}">{escape(verdict)}</span></div></div>'
    )
