"""The dialogue: known answers of the learning rules, questions worth asking, undoing, saving, simulated people."""

from __future__ import annotations

import json
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.anonymizers.dialogue.gain import expected_gain
from lookalike.anonymizers.dialogue.preferences import Exponentiated, Posterior, prior_weights
from lookalike.anonymizers.dialogue.questions import ClusterQuestion, Option, question_space
from lookalike.anonymizers.dialogue.simulated import SimulatedPerson
from lookalike.tables.layout import values_of
from strategies import people as random_people

QUASI = ["age", "gender", "area", "marital_status"]


def population(n: int = 800, **options: Any) -> la.Table:
    return la.table(la.datasets.population(n, seed=3).select(QUASI), quasi=QUASI, **options)


def cosine(a: Any, b: Any) -> float:
    a, b = np.asarray(a), np.asarray(b)
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def play(dialogue: la.Dialogue, person: SimulatedPerson, answers: int) -> None:
    for _ in range(answers):
        question = dialogue.ask()
        assert question is not None
        dialogue.answer(question, person.answer(question))


# --- the rules -----------------------------------------------------------------------------------------------------


def test_the_worked_step_of_the_exponentiated_rule_comes_out_to_the_digit() -> None:
    """Row 1 (20, Private), A = {2 (30, Private)}, B = {3 (21, Self)}: a = (.25, 0), b = (.025, .5)."""
    difference = np.array([0.025, 0.5]) - np.array([0.25, 0.0])
    after = Exponentiated(np.array([0.5, 0.5])).told(difference, "A")
    assert after.weights == pytest.approx([0.41638837538692053, 0.5836116246130795], abs=1e-15)


def test_the_costs_of_the_worked_step_come_from_the_table() -> None:
    from lookalike.kernels.dialogue.clusters import joining_losses

    frame = pl.DataFrame(
        {"age": [20, 30, 21, 60, 50], "workclass": ["Private", "Private", "Self", "State", "Federal"]}
    )
    groups = la.Hierarchy.groups({"NonGov": ["Private", "Self"], "Gov": ["State", "Federal"]})
    table = la.table(frame, quasi=["age", "workclass"], hierarchies={"workclass": groups})
    cells = table.cells()
    space = question_space(cells, ["age"])
    values = values_of(cells.codes[:, cells.of_row], space.shape)
    before, after, _, _ = joining_losses(space.shape, values, np.array([[1], [2], [3]]), np.array([0]))
    assert before.tolist() == [[0, 0]] * 3
    assert after[0].tolist() == pytest.approx(np.array([[0.25, 0], [0.025, 0.5], [1, 1]]))


def test_choosing_b_is_choosing_a_with_the_clusters_swapped() -> None:
    start, difference = Exponentiated(np.array([0.2, 0.3, 0.5])), np.array([0.4, -0.2, 0.1])
    assert start.told(difference, "B").weights.tolist() == start.told(-difference, "A").weights.tolist()


def test_no_weight_of_the_exponentiated_rule_dies() -> None:
    rule = Exponentiated(np.array([0.5, 0.5]), eta=10)
    for _ in range(50):
        rule = rule.told(np.array([1.0, -1.0]), "A")
    assert 0 < rule.weights[1] <= 1e-3
    assert rule.weights.sum() == pytest.approx(1)


def test_cannot_say_leaves_the_exponentiated_rule_where_it_was() -> None:
    rule = Exponentiated(np.array([0.7, 0.3]))
    assert rule.told(np.array([1.0, -1.0]), "can't say") is rule


@pytest.mark.parametrize(
    ("sliders", "weights"), [([3, 1], [0.75, 0.25]), ([0, 0], [0.5, 0.5]), (None, [0.5, 0.5])]
)
def test_sliders_become_weights(sliders: list[float] | None, weights: list[float]) -> None:
    assert prior_weights(["x", "y"], sliders).tolist() == weights


def test_belief_agrees_with_brute_force_over_the_simplex() -> None:
    """Two columns: the belief is one-dimensional and can be integrated on a grid."""
    asked = [([0.5, -0.4], "A"), ([0.2, -0.5], "B"), ([0.3, -0.35], "can't say"), ([0.4, -0.3], "A")]
    belief = Posterior.before(np.array([0.5, 0.5]), seed=0, trust=1.0)
    for difference, answer in asked:
        belief = belief.told(np.array(difference), answer)
    x = np.linspace(0, 1, 2001)
    grid = np.stack([x, 1 - x], axis=1)
    density = np.exp(belief._log_belief(grid))
    mean = (density[:, None] * grid).sum(axis=0) / density.sum()
    spread = np.sqrt((density * (x - mean[0]) ** 2).sum() / density.sum())
    centre = np.exp((density[:, None] * np.log(np.maximum(grid, 1e-6))).sum(axis=0) / density.sum())
    assert belief.members.mean(axis=0) == pytest.approx(mean, abs=0.01)
    assert belief.weights == pytest.approx(centre / centre.sum(), abs=0.01)
    assert belief.spread[0] == pytest.approx(spread, rel=0.15)


def test_belief_gets_surer_with_every_handful_of_answers() -> None:
    dialogue = la.interact(population(), k=5)
    person = SimulatedPerson(dict(zip(QUASI, (0.4, 0.3, 0.2, 0.1), strict=True)))
    spreads = []
    for _ in range(4):
        assert dialogue.uncertainty is not None
        spreads.append(sum(dialogue.uncertainty.values()))
        play(dialogue, person, 5)
    assert spreads == sorted(spreads, reverse=True)
    assert spreads[-1] < spreads[0] / 2


def test_vectors_of_the_belief_stay_on_the_simplex_in_long_dialogues() -> None:
    belief = Posterior.before(np.full(3, 1 / 3), seed=1, trust=1.0)
    rng = np.random.default_rng(0)
    for _ in range(80):
        difference = rng.uniform(-1, 1, 3)
        belief = belief.told(difference, "A" if difference @ [0.6, 0.3, 0.1] > 0 else "B")
    assert (belief.members >= 0).all()
    assert belief.members.sum(axis=1) == pytest.approx(1)
    assert np.isfinite(belief._log_belief(belief.members)).all()
    assert cosine(belief.weights, [0.6, 0.3, 0.1]) > 0.99


def test_a_person_who_cannot_say_has_found_a_tie() -> None:
    belief = Posterior.before(np.array([0.5, 0.5]), seed=0, trust=1.0)
    told = belief.told(np.array([0.25, -0.75]), "can't say")  # a tie at weights (.75, .25)
    assert told.weights[0] > 0.55
    assert told.spread[0] < belief.spread[0]


# --- questions -----------------------------------------------------------------------------------------------------


def test_each_cluster_spares_what_the_other_loses_and_none_has_lost_everything() -> None:
    table = population()
    roots = {name: table.tree(name).labels[-1][0] for name in QUASI if name != "age"}
    roots["age"] = f"[{table.column('age').domain.texts[0]}, {table.column('age').domain.texts[-1]}]"
    for seed in range(5):
        dialogue = la.interact(table, k=10, seed=seed)
        person = SimulatedPerson(dict(zip(QUASI, (0.1, 0.2, 0.3, 0.4), strict=True)), seed=seed)
        for _ in range(6):
            question = dialogue.ask()
            assert question is not None
            assert (question.difference > 0).any()
            assert (question.difference < 0).any()
            for side in (question.a, question.b):
                assert 1 <= side.records < 10
                assert any(side.then[name] != root for name, root in roots.items())
            dialogue.answer(question, person.answer(question))


def small_table(seed: int) -> la.Table:
    """Few people, small domains, a column in which all are alike, now and then something missing."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([12, 30, 100]))
    work = np.array(["Private", "Self", "State", "Federal"])
    frame = pl.DataFrame(
        {
            "x": rng.integers(0, rng.choice([2, 9, 50]), n),
            "work": rng.choice(work[: rng.integers(2, 5)], n),
            "y": [None if rng.random() < 0.05 else int(v) for v in rng.integers(0, 5, n)],
            "same": np.full(n, 7),
        }
    )
    groups = la.Hierarchy.groups({"NonGov": ["Private", "Self"], "Gov": ["State", "Federal"]})
    return la.table(frame, quasi=frame.columns, hierarchies={"work": groups}, types={"y": "integer"})


@pytest.mark.parametrize("questions", ["teach", "random"])
def test_no_question_has_sides_that_come_out_alike_or_a_side_with_nothing_left_to_lose(
    questions: str,
) -> None:
    asked = 0
    for seed in range(60):
        table = small_table(seed)
        whole = question_space(table.cells(), ["x", "y", "same"])
        dialogue = la.interact(table, k=[2, 5, 10][seed % 3], seed=seed, questions=questions)
        for answer in ("A", "B", "can't say"):
            question = dialogue.ask()
            if question is None:
                break
            asked += 1
            assert dict(question.a.then) != dict(question.b.then), str(question)
            for side in (question.a, question.b):
                lost = [_loss(table, name, side.then[name]) for name in table.quasi]
                assert (np.array(lost) < whole.most - 1e-9).any(), str(question)
            dialogue.answer(question, answer)
    assert asked > 100


def _loss(table: la.Table, name: str, label: str | None) -> float:
    from lookalike.recodings.labels import Range, read_label

    if name == "work":
        return {"*": 1.0, "Gov": 0.5, "NonGov": 0.5}.get(str(label), 0.0)
    if label is None:
        return 0.0
    if "∅" in label:
        return 1.0
    found = read_label(label)
    numbers = table.column(name).domain.numbers
    width = np.nanmax(numbers) - np.nanmin(numbers)
    return (float(found.hi) - float(found.lo)) / width if isinstance(found, Range) and width else 0.0


def test_what_can_be_lost_at_most_is_the_loss_of_everybody_together() -> None:
    frame = pl.DataFrame(
        {
            "age": [20, 30, 40],
            "same": [7, 7, 7],
            "gap": [7, 7, None],
            "work": ["Private", "Self", "Self"],
            "town": ["x", "x", "x"],
        }
    )
    groups = la.Hierarchy.groups({"NonGov": ["Private", "Self"], "Gov": ["State"]})
    table = la.table(frame, quasi=frame.columns, hierarchies={"work": groups})
    assert question_space(table.cells(), ["age", "same", "gap"]).most.tolist() == [1, 0, 1, 0.5, 0]


@settings(max_examples=30, deadline=None)
@given(random_people(least=4))
def test_shown_costs_are_the_losses_of_the_shown_labels(table: la.Table) -> None:
    question = la.interact(table, k=3).ask()
    if question is None:
        return
    for side in (question.a, question.b):
        for name in table.quasi:
            assert 0 <= side.cost[name] <= 1 + 1e-12
            if side.now[name] == side.then[name]:
                assert side.cost[name] == 0


@settings(max_examples=20, deadline=None)
@given(random_people(least=3), st.integers(0, 5))
def test_answers_in_any_number_keep_weights_on_the_simplex(table: la.Table, answers: int) -> None:
    for rule in ("bayes", "eg"):
        dialogue = la.interact(table, k=2, rule=rule)
        for i in range(answers):
            question = dialogue.ask()
            if question is None:
                break
            dialogue.answer(question, ("A", "B", "can't say")[i % 3])
        assert sum(dialogue.weights.values()) == pytest.approx(1)
        assert min(dialogue.weights.values()) >= 0


def test_one_column_leaves_nothing_to_ask() -> None:
    table = la.table(pl.DataFrame({"age": [1, 2, 3, 4]}), quasi=["age"])
    dialogue = la.interact(table, k=2)
    assert dialogue.ask() is None
    assert dialogue.weights == {"age": 1.0}


def test_people_all_alike_leave_nothing_to_ask() -> None:
    table = la.table(pl.DataFrame({"age": [1] * 9, "town": ["x"] * 9}), quasi=["age", "town"])
    assert la.interact(table, k=2).ask() is None


def test_the_order_of_rows_does_not_matter_to_what_is_asked() -> None:
    frame = la.datasets.population(800, seed=3)
    turned = [la.table(one, quasi=QUASI, others=[]) for one in (frame, frame.reverse())]
    assert la.interact(turned[0], k=5).ask() == la.interact(turned[1], k=5).ask()


def test_a_question_reads_as_a_table_and_names_missing() -> None:
    side = Option(2, {"age": None}, {"age": "[1, 2] | ∅"}, {"age": 1.0})
    text = str(ClusterQuestion(4, {"age": "2"}, side, side))
    assert text.startswith("Question 4")
    assert "(missing) → [1, 2] | ∅" in text


# --- the dialogue --------------------------------------------------------------------------------------------------


def test_a_dialogue_learns_hidden_weights_from_twenty_answers() -> None:
    hidden = {"age": 0.55, "gender": 0.05, "area": 0.3, "marital_status": 0.1}
    dialogue = la.interact(population(2_000), k=10)
    play(dialogue, SimulatedPerson(hidden), 20)
    assert cosine(list(dialogue.weights.values()), [hidden[name] for name in dialogue.weights]) > 0.97
    assert sorted(dialogue.weights, key=dialogue.weights.__getitem__) == sorted(
        hidden, key=hidden.__getitem__
    )


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_belief_recovers_from_a_wrong_first_answer(seed: int) -> None:
    hidden = {"age": 0.6, "gender": 0.05, "area": 0.25, "marital_status": 0.1}
    dialogue, person = la.interact(population(2_000), k=10, seed=seed), SimulatedPerson(hidden)
    question = dialogue.ask()
    assert question is not None
    dialogue.answer(question, {"A": "B", "B": "A"}[person.answer(question)])
    play(dialogue, person, 20)
    assert cosine(list(dialogue.weights.values()), [hidden[name] for name in dialogue.weights]) > 0.95


def test_the_exponentiated_rule_ranks_columns_as_the_hidden_weights_do_after_enough_answers() -> None:
    hidden = {"age": 0.6, "gender": 0.02, "area": 0.28, "marital_status": 0.1}
    dialogue = la.interact(population(2_000), k=10, rule="eg", eta=0.3)
    play(dialogue, SimulatedPerson(hidden), 150)
    ranked = sorted(dialogue.weights, key=dialogue.weights.__getitem__)
    assert ranked[-1] == "age"
    assert ranked[0] == "gender"
    assert dialogue.uncertainty is None


def test_sliders_are_where_learning_starts() -> None:
    dialogue = la.interact(population(), k=5, sliders={"age": 3, "gender": 1, "area": 0, "marital_status": 0})
    assert dialogue.weights == {"age": 0.75, "gender": 0.25, "area": 0.0, "marital_status": 0.0}
    play(dialogue, SimulatedPerson(dict(zip(QUASI, (0.05, 0.05, 0.85, 0.05), strict=True))), 25)
    assert (
        max(dialogue.weights, key=dialogue.weights.__getitem__) == "area"
    )  # answers overrule sliders in the end


def test_what_answering_on_could_gain_shrinks_as_the_weights_become_known() -> None:
    people = la.table(
        la.datasets.population(900, seed=4).select("age", "gender", "area"), quasi=["age", "gender", "area"]
    )
    dialogue = la.interact(people, k=5, seed=2)
    person = SimulatedPerson({"age": 0.85, "gender": 0.05, "area": 0.1})
    before = dialogue.gain(method="mondrian")
    for _ in range(25):
        question = dialogue.ask()
        assert question is not None
        dialogue.answer(question, person.answer(question))
    after = dialogue.gain(method="mondrian")
    assert before is not None
    assert after is not None
    assert after < before / 2
    assert dialogue.gain(method="mondrian") == after


def test_the_gain_is_what_the_release_by_the_belief_loses_too_much() -> None:
    people = la.table(
        la.datasets.population(300, seed=4).select("age", "gender", "area"), quasi=["age", "gender", "area"]
    )
    centre, truth = np.array([1.0, 1.0, 1.0]) / 3, np.array([0.9, 0.06, 0.04])
    by_hand = []
    for weights in (centre, truth):
        told = dict(zip(people.quasi, (3 * weights).tolist(), strict=True))
        made = la.anonymize(people, la.KAnonymity(5), method="mondrian", weights=told)
        by_hand.append(sum(w * (1 - made.kept[name]) for name, w in zip(people.quasi, truth, strict=True)))
    gain = expected_gain(people, [la.KAnonymity(5)], centre, truth[None, :], method="mondrian")
    assert gain == pytest.approx(1 - by_hand[1] / by_hand[0])
    assert gain > 0
    assert expected_gain(people, [la.KAnonymity(5)], truth, truth[None, :], method="mondrian") == 0


def test_the_order_of_rows_does_not_matter_to_the_gain() -> None:
    rows = la.datasets.population(1_800, seed=4).select("age", "gender", "area")
    gains = [
        la.interact(la.table(each, quasi=each.columns), k=5).gain(method="mondrian")
        for each in (rows, rows.reverse())
    ]
    assert gains[0] == gains[1]


def test_a_gain_that_cannot_be_known_is_none() -> None:
    people = la.table(la.datasets.population(40, seed=4), quasi=["age", "gender"], others=[])
    assert la.interact(people, k=5, rule="eg").gain() is None
    assert la.interact(people, k=5).gain(la.KAnonymity(41), method="mondrian") is None


def test_a_copy_of_a_dialogue_stays_as_it_was() -> None:
    people = la.table(la.datasets.population(60, seed=4), quasi=["age", "gender"], others=[])
    dialogue = la.interact(people, k=5)
    before = copy(dialogue)
    question = dialogue.ask()
    assert question is not None
    dialogue.answer(question, "A")
    assert (len(before), len(dialogue)) == (0, 1)
    assert before.weights != dialogue.weights


def test_asking_twice_asks_the_same() -> None:
    dialogue = la.interact(population(), k=5)
    assert dialogue.ask() is dialogue.ask()


def test_undo_takes_back_exactly_what_the_answer_did() -> None:
    dialogue = la.interact(population(), k=5)
    play(dialogue, SimulatedPerson(dict.fromkeys(QUASI, 0.25)), 3)
    weights, question = dialogue.weights, dialogue.ask()
    assert question is not None
    dialogue.answer(question, "A")
    assert dialogue.weights != weights
    assert dialogue.undo() == question
    assert dialogue.weights == weights
    assert dialogue.ask() == question
    dialogue.answer(question, "B")
    assert len(dialogue) == 4


def test_wrong_answers_are_refused_and_change_nothing() -> None:
    dialogue = la.interact(population(), k=5)
    with pytest.raises(la.RequestError, match="no answer to take back"):
        dialogue.undo()
    first = dialogue.ask()
    assert first is not None
    dialogue.answer(first, "A")
    before = dialogue.to_dict()
    with pytest.raises(la.RequestError, match="answered already"):
        dialogue.answer(first, "B")
    second = dialogue.ask()
    assert second is not None
    with pytest.raises(la.RequestError, match="'A', 'B'"):
        dialogue.answer(second, "C")
    stranger = la.interact(population(), k=5, seed=9).ask()
    assert stranger is not None
    with pytest.raises(la.RequestError, match="not the one being asked"):
        dialogue.answer(stranger, "A")
    with pytest.raises(la.RequestError):
        dialogue.answer(None, "A")  # type: ignore[arg-type]
    with pytest.raises(la.RequestError, match="'A', 'B'"):
        dialogue.answer(second, ["A"])  # type: ignore[arg-type]
    with pytest.raises(la.RequestError, match="weights it learnt"):
        dialogue.release(weights={"age": 1})
    assert dialogue.ask() == second
    assert dialogue.to_dict() == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 1}, "from 2 on"),
        ({"k": 2.5}, "from 2 on"),
        ({"rule": "gut"}, "bayes, eg"),
        ({"sliders": {"agee": 1}}, "Did you mean 'age'"),
        ({"sliders": {"age": -1}}, "from 0 on"),
        ({"sliders": {"age": float("nan")}}, "from 0 on"),
        ({"sliders": {"age": "x"}}, "from 0 on"),
        ({"sliders": {"age": None}}, "from 0 on"),
        ({"sliders": {"age": 1e308, "gender": 1e308}}, "at most 1,000,000"),
        ({"sliders": {7: 1}}, "no column '7'"),
        ({"sliders": [1, 2]}, "`sliders` must be a mapping from columns"),
        ({"sliders": "x"}, "`sliders` must be a mapping from columns"),
        ({"eta": 0}, "positive"),
        ({"eta": "x"}, "positive"),
        ({"tau": float("nan")}, "positive"),
        ({"tau": 10**400}, "positive"),
        ({"seed": -1}, "from 0 on"),
        ({"seed": 1.5}, "whole number"),
        ({"seed": "a"}, "whole number"),
        ({"seed": True}, "whole number"),
        ({"questions": "hard"}, "teach"),
    ],
)
def test_wrong_requests_say_what_is_allowed(options: dict[str, Any], message: str) -> None:
    with pytest.raises(la.RequestError, match=message):
        la.interact(population(50), **options)


def test_fewer_people_than_k_cannot_be_grouped() -> None:
    with pytest.raises(la.GuaranteeError, match="group of 100"):
        la.interact(population(50), k=100)


def test_k_counts_people_where_a_person_has_several_rows() -> None:
    frame = pl.DataFrame({"a": range(50), "b": [i % 7 for i in range(50)], "who": [i % 4 for i in range(50)]})
    table = la.table(frame, quasi=["a", "b"], unit="who")
    with pytest.raises(la.GuaranteeError, match="4 people cannot make a group of 10"):
        la.interact(table, k=10)


def test_a_question_counts_records_as_a_person_may_have_several() -> None:
    frame = pl.DataFrame(
        {"a": range(50), "b": [i % 7 for i in range(50)], "who": [i % 10 for i in range(50)]}
    )
    question = la.interact(la.table(frame, quasi=["a", "b"], unit="who"), k=10).ask()
    assert question is not None
    assert f"A ({question.a.size})" in str(question)
    assert question.a.size.rstrip("s") == f"{question.a.records} record"


def test_the_largest_steps_of_the_exponentiated_rule_leave_weights_finite() -> None:
    dialogue = la.interact(population(), k=5, rule="eg", eta=1e6, tau=1e6)
    for answer in ("A", "B", "A", "B"):
        question = dialogue.ask()
        assert question is not None
        dialogue.answer(question, answer)
        assert sum(dialogue.weights.values()) == pytest.approx(1)


def test_numbers_of_numpy_are_settings_as_good_as_any(tmp_path: Path) -> None:
    dialogue = la.interact(population(), k=np.int64(5), seed=np.int32(2), sliders={"age": np.float32(2)})  # type: ignore[arg-type]
    again = la.interact(population(), resume=dialogue.save(tmp_path / "s.json"))
    assert again.settings == dialogue.settings


@pytest.mark.parametrize("rule", ["bayes", "eg"])
def test_a_saved_dialogue_goes_on_as_if_nothing_had_happened(tmp_path: Path, rule: str) -> None:
    dialogue = la.interact(population(), k=7, rule=rule, sliders={"age": 2}, seed=5)
    play(dialogue, SimulatedPerson(dict.fromkeys(QUASI, 0.25), indifference=0.02), 6)
    dialogue.save(tmp_path / "session.json")
    again = la.interact(population(), resume=tmp_path / "session.json")
    assert again.weights == dialogue.weights
    assert again.ask() == dialogue.ask()
    assert again.to_dict() == dialogue.to_dict()
    assert again.undo() == dialogue.undo()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 50}, "`k` is 50, but 7 in"),
        ({"rule": "eg"}, "`rule` is 'eg', but 'bayes' in"),
        ({"seed": 6}, "`seed` is 6, but 5 in"),
        ({"sliders": {"age": 9}}, "`sliders` is .*9.0.*, but .*2.0.* in"),
        ({"eta": 0.5}, "`eta` is 0.5, but 1.0 in"),
        ({"tau": 0.5}, "`tau` is 0.5, but 1.0 in"),
        ({"questions": "random"}, "`questions` is 'random', but 'teach' in"),
    ],
)
def test_a_setting_that_differs_from_the_saved_dialogue_is_refused(
    tmp_path: Path, options: dict[str, Any], message: str
) -> None:
    path = la.interact(population(), k=7, sliders={"age": 2}, seed=5).save(tmp_path / "s.json")
    with pytest.raises(la.RequestError, match=message + ".*Leave it out to go on"):
        la.interact(population(), **options, resume=path)
    same = la.interact(population(), k=7, rule="bayes", sliders={"age": 2}, seed=5, resume=path)
    assert same.settings.k == 7


def test_a_saved_dialogue_holds_only_what_the_person_was_shown(tmp_path: Path) -> None:
    frame = la.datasets.population(800, seed=3).with_columns(pl.lit("SECRET").alias("diagnosis"))
    table = la.table(frame, quasi=QUASI, sensitive=["diagnosis"], others=[])
    dialogue = la.interact(table, k=5)
    play(dialogue, SimulatedPerson(dict.fromkeys(QUASI, 0.25)), 2)
    text = dialogue.save(tmp_path / "s.json").read_text(encoding="utf-8")
    assert "SECRET" not in text
    shown: set[str | None] = set()
    for question, _ in dialogue.answers:
        for part in (question.record, question.a.now, question.a.then, question.b.now, question.b.then):
            shown |= set(part.values())
    areas = set(frame["area"].unique()) & {
        value for one in json.loads(text)["answers"] for value in _texts(one)
    }
    assert areas <= shown


def _texts(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set().union(*map(_texts, value.values()))
    return {value} if isinstance(value, str) else set()


def test_what_is_not_a_saved_dialogue_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    with pytest.raises(la.FileError, match="cannot be read"):
        la.interact(population(50), resume=path)
    for content in ("not json", "[]", '{"format": 99, "dialogue": {}}'):
        path.write_text(content)
        with pytest.raises(la.FileError, match="not a saved dialogue"):
            la.interact(population(50), resume=path)
    la.interact(population(50), k=5).save(path)
    other = la.table(la.datasets.population(50, seed=3), quasi=["age"], others=[])
    with pytest.raises(la.RequestError, match="same columns"):
        la.interact(other, resume=path)


def test_simulated_people_err_as_often_as_asked() -> None:
    cost_a, cost_b = {"x": 0.0, "y": 1.0}, {"x": 0.5, "y": 0.0}
    labels = {"x": "", "y": ""}
    question = ClusterQuestion(
        1, labels, Option(1, labels, labels, cost_a), Option(1, labels, labels, cost_b)
    )
    person = SimulatedPerson({"x": 0.9, "y": 0.1}, noise=0.25, seed=1)
    told = [person.answer(question) for _ in range(2_000)]
    assert told.count("B") / len(told) == pytest.approx(0.25, abs=0.03)
    assert SimulatedPerson({"x": 0.9, "y": 0.1}, indifference=0.5).answer(question) == "can't say"
    with pytest.raises(la.RequestError):
        SimulatedPerson({"x": 1.0}, noise=0.9)


@pytest.mark.parametrize("method", ["sangreea", "local"])
def test_the_release_uses_the_learnt_weights(method: str) -> None:
    table = population(600)
    dialogue = la.interact(table, k=5)
    play(dialogue, SimulatedPerson({"age": 0.97, "gender": 0.01, "area": 0.01, "marital_status": 0.01}), 10)
    release = dialogue.release(method=method)
    assert release.k >= 5
    equal = la.anonymize(table, la.KAnonymity(5), method=method)
    widths = [_width(one.rows["age"]) for one in (release, equal)]
    assert widths[0] < widths[1]


def _width(labels: pl.Series) -> float:
    from lookalike.recodings.labels import Range, read_label

    found = [read_label(label) for label in labels.to_list()]
    return sum(float(one.hi) - float(one.lo) for one in found if isinstance(one, Range)) / len(found)
