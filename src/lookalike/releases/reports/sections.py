"""The parts of a report, each from its evidence alone; ordered as ISO/IEC 27559 orders them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lookalike.base.errors import amount, percent, plain_number
from lookalike.measures.risks.regimes import REGIMES, read_against
from lookalike.releases.reports import drawing
from lookalike.releases.reports.evidence import SIZES, average_risk
from lookalike.releases.reports.page import (
    Markup,
    bullets,
    facts,
    figure,
    note,
    section,
    signatures,
    subheading,
    table,
)

Part = Mapping[str, Any]


def overview(after: Part, before: Part | None) -> Markup:
    """The page a busy reader reads."""
    kept = after["records"] - after["suppressed"]
    numbers = [
        (f"{kept:,}", f"of {after['records']:,} records are in the release"),
        (f"{after['k']:,}", "people share the smallest class"),
    ]
    others = f"at least {after['k'] - 1:,} others"
    if after["counted"] == "people":
        others = f"those of at least {amount(after['k'] - 1, 'other person', 'other people')}"
    words = (
        f"Columns by which outsiders could recognise people (quasi-identifiers) were blurred by the method "
        f"“{after['method']}” until every released record looks like {others} in them."
    )
    if before is not None:
        numbers.insert(1, (f"{before['uniques']:,}", "people stood alone before"))
        numbers.append((percent(1 - before["loss"]), "of the detail in quasi-identifiers is kept"))
        words += (
            f" Before, the smallest class had {amount(before['k'], 'person', 'people')}, and "
            f"{amount(before['uniques'], 'person', 'people')} could be told apart from everybody else."
        )
    left_out = (
        f"{amount(after['suppressed'], 'record was', 'records were')} left out "
        f"({percent(after['suppressed'] / after['records'])})."
        if after["suppressed"]
        else "Nobody was left out."
    )
    return section("In one page", facts(numbers), words, left_out, promises(after), _unpromised(after))


def promises(after: Part) -> Markup:
    """What is guaranteed, in words and by name."""
    rows = [(promise["words"], promise["text"]) for promise in after["promises"]]
    return table(("What is promised", "Its name"), rows)


def _unpromised(after: Part) -> str:
    """The sensitive columns whose values no promise speaks of; empty where there are none."""
    about = {name for promise in after["promises"] for name in promise.get("columns", ())}
    bare = [
        entry["name"]
        for entry in after["columns"]
        if entry["role"] == "sensitive" and entry["treatment"] != "drop" and entry["name"] not in about
    ]
    return f"Nothing is promised about the values of {', '.join(bare)}, though sensitive." if bare else ""


def columns(after: Part, words: Mapping[str, str]) -> Markup:
    """What became of every column; `words` where more is known than the release shows."""
    rows = [
        (entry["name"], entry["role"], words.get(entry["name"]) or _became(entry), _example(entry))
        for entry in after["columns"]
    ]
    drawn = min(
        (e for e in after["columns"] if e.get("distinct", 0) > 1),
        key=lambda e: abs(e["distinct"] - 8),
        default=None,
    )
    picture = Markup("")
    if drawn is not None:
        picture = figure(
            f"“{drawn['name']}” as it is published: {amount(drawn['distinct'], 'value')}; "
            f"the thicker a branch, the more {'people' if after['counted'] == 'records' else 'records'}.",
            drawing.tree(
                f"published values of {drawn['name']}",
                [(_shown(v), n) for v, n in drawn["values"]],
                root=drawn["name"],
            ),
        )
    return section(
        "The columns", table(("Column", "Role", "What became of it", "For example"), rows), picture
    )


def identifiability(after: Part, before: Part | None) -> Markup:
    """Class sizes and risks beside the thresholds in use."""
    parts = {"before": before, "after": after} if before is not None else {"after": after}
    series = {when: part["sizes"] for when, part in parts.items() if part["sizes"] is not None}
    picture = Markup("")
    if series:
        bars = drawing.bars(
            "share of people in classes of each size",
            [f"{name} alike" if name != "1" else "alone" for name, _, _ in SIZES],
            series,
        )
        picture = figure("Share of people by how many look alike, the person included.", bars)
    readings = read_against(
        list(REGIMES), k=after["k"], average=after["average"], bounded=after.get("bounded", False)
    )
    return section(
        "Who can be told apart",
        picture,
        table(
            ("", "Highest risk", "Average risk"),
            [(when, f"{1 / max(part['k'], 1):.4f}", average_risk(part)) for when, part in parts.items()],
            numbers=(1, 2),
        ),
        "Risk is one over the number of people who look alike: the chance to be right about somebody known to be "
        "in the release. Beside the thresholds in use:",
        table(
            ("Asked by", "What is asked and what was found", "Met"),
            [
                (r.source, r.text, {True: "yes", False: "no", None: "for a person to judge"}[r.met])
                for r in readings
            ],
        ),
    )


def weighted(before: Part) -> str:
    """The mean by the weights of the columns, where it is another."""
    by_weight = before.get("weighted", before["loss"])
    if percent(by_weight) == percent(before["loss"]):
        return ""
    return (
        f" By the weights that the columns were given, which the method kept low, it is {percent(by_weight)}."
    )


def downcoded(before: Part) -> str:
    """How much of what was lost comes back to whoever knows how releases are made."""
    share = before.get("downcoded")
    if share is None:
        return "Downcoding was not measured, since the rows of the original were not in memory."
    return (
        f"Whoever knows the method can be sure of a finer value behind {percent(share)} of the blurred ones "
        "(downcoding): that somebody of the class has it, not who."
    )


def losses(after: Part, before: Part) -> Markup:
    """What was lost in each column, and by whom."""
    parts: list[str] = [
        f"On average over records and quasi-identifiers {percent(before['loss'])} of the detail was lost; "
        "a record left out counts as all lost." + weighted(before),
        downcoded(before),
    ]
    lost = {entry["column"]: 1 - entry["kept"] for entry in before["columns"] if entry["kept"] is not None}
    if lost:
        names = sorted(lost, key=lambda name: -lost[name])
        parts.append(
            figure(
                "Detail lost in each quasi-identifier.",
                drawing.bars("loss per column", names, {"after": [lost[n] for n in names]}),
            )
        )
    for who in before["who_pays"]:
        groups = [
            (
                one["group"],
                f"{one['records']:,}",
                f"{percent(one['rate'])} [{percent(one['rate_low'])}, {percent(one['rate_high'])}]",
                f"{percent(one['loss'])} [{percent(one['loss_low'])}, {percent(one['loss_high'])}]",
            )
            for one in who["groups"]
        ]
        parts.append(subheading(f"Who pays, by {who['by']}"))
        parts.append(
            table(("Group", "Records", "Left out [95 %]", "Detail lost [95 %]"), groups, numbers=(1, 2, 3))
        )
        parts += [note(words, kind="bad") for words in who["warnings"]]
    return section("What was lost, and who pays", *parts)


def questions(answers: Sequence[Part]) -> Markup:
    """Whether the release still answers what was asked of the original."""
    if not answers:
        return Markup("")
    rows = [(a["question"], "yes" if a["significant_impact"] else "no", a["rule"]) for a in answers]
    parts: list[str] = [table(("Question", "Significant impact", "By which rule"), rows)]
    for answer in answers:
        changes = answer["changes"][:8]
        if changes:
            parts.append(
                table(
                    (answer["question"], "Before", "After", "Difference"),
                    [
                        (c["name"], plain_number(c["before"]), plain_number(c["after"]), _difference(c))
                        for c in changes
                    ],
                    numbers=(1, 2, 3),
                )
            )
    return section("Is it still good for the questions asked of it?", *parts)


def attacks(parts: Sequence[Part], untried: Mapping[str, str]) -> Markup:
    """What an attacker still learns, and which attacks were not tried."""
    missing = table(("Not tried", "Why"), list(untried.items())) if untried else Markup("")
    if not parts:
        words = "No attack was tried on this release. `lookalike attack` tries them; `lookalike run` tells them here."
        return section("What an attacker still learns", note(words), missing)
    rows = [
        {**a, "name": a["name"] if a.get("column") is None else f"{a['name']} of {a['column']}"}
        for a in parts
    ]
    broken = [row for row in rows if row.get("breaks_bound")]
    picture = drawing.intervals("success of each attack with its 95 % interval", rows)
    return section(
        "What an attacker still learns",
        figure(
            "Share of attempts that succeed, with its 95 % interval, beside what guessing without the release reaches.",
            picture,
        ),
        *(note(f"{row['name']}: {row['verdict']}", kind="bad") for row in broken),
        table(
            ("Attack", "Kind", "What the attacker knows and does", "Found"),
            [(r["name"], r["threat"], r["story"], r["verdict"]) for r in rows],
        ),
        missing,
    )


def choice(chosen: Part | None) -> Markup:
    """How k was chosen: risk, loss and impact over k."""
    if not chosen or len(chosen["table"]) < 2:
        return Markup("")
    lines = chosen["table"]
    ks = [line["k"] for line in lines]
    series = {"highest risk (1/k)": [1 / k for k in ks], "detail lost": [line["loss"] for line in lines]}
    return section(
        "How k was chosen",
        figure(
            "Risk falls and loss grows with k.",
            drawing.curves("risk and loss over k", ks, series, mark=chosen.get("k")),
        ),
        *(note(words) for words in chosen.get("warnings", ())),
    )


def limits() -> Markup:
    """What nobody should read into the numbers."""
    return section(
        "What is not promised",
        bullets(
            (
                "k-anonymity bounds one attack: finding a person by the quasi-identifiers. It is not anonymity.",
                "Whoever knows more about a person than the columns named here as quasi-identifiers may learn more.",
                "A second release of the same people can undo this one: count both together before it goes out.",
                "What holds for everybody, such as a link between age and illness, can still be learnt about each "
                "person. That is what data are for.",
                "This is a measurement and a record of what was done. Whether the data are anonymous, and for whom, is "
                "a decision that a person makes and signs.",
            )
        ),
    )


def governance(signature: Part | None) -> Markup:
    """What a person adds and signs, or has signed."""
    signed = () if signature is None else (note(_signed(signature), kind="good"),)
    return section(
        "Context and decision",
        "To be filled in by the person responsible: who receives the data and for what; who else may see it; what "
        "the recipient has agreed to; when this assessment is looked at again.",
        *signed,
        signatures("Name, function", "Date, signature"),
        signatures("Reviewed by", "Next review"),
    )


def _signed(signature: Part) -> str:
    words = f"Signed by {signature['name']} on {signature['date']}"
    return f"{words}: {signature['note']}" if signature["note"] else f"{words}."


def _became(entry: Part) -> str:
    words = {
        "drop": "left out",
        "keep": "published as it is",
        "pseudonymise": "replaced by a pseudonym",
        "round": "rounded",
    }.get(entry["treatment"], "blurred")
    if entry.get("distinct") == 1:
        return "nothing left: one value for everybody"
    return f"{words}, {amount(entry['distinct'], 'value')} published" if "distinct" in entry else words


def _example(entry: Part) -> str:
    if not entry.get("values"):
        return ""
    value = _shown(entry["values"][0][0])
    return value if len(value) <= 60 else value[:59] + "…"


def _shown(value: str | None) -> str:
    return "(missing)" if value is None else value


def _difference(change: Part) -> str:
    span = (
        f" [{plain_number(change['low'], '+')}, {plain_number(change['high'], '+')}]"
        if change.get("low") is not None
        else ""
    )
    return f"{plain_number(change['difference'], '+')}{span}"
