"""Wrong parameters and promises that nothing could keep are refused with the reason."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
import pytest

import lookalike as la
from lookalike.models import model_from_dict


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: la.KAnonymity(0),
        lambda: la.KAnonymity(2.5),
        lambda: la.KMap(0),
        lambda: la.KMap(5, sampling_fraction=0),
        lambda: la.KMap(5, significance=1),
        lambda: la.AlphaK("s", 0, 2),
        lambda: la.AlphaK("s", 1.5, 2),
        lambda: la.AlphaK("s", 0.5, 0),
        lambda: la.LDiversity("s", 0),
        lambda: la.LDiversity("s", 2.5),
        lambda: la.LDiversity("s", 2, kind="odd"),
        lambda: la.LDiversity("s", 2, kind="recursive"),
        lambda: la.LDiversity("s", 2, c=3.0),
        lambda: la.TCloseness("s", -0.1),
        lambda: la.TCloseness("s", 1.1),
        lambda: la.TCloseness("s", 0.1, distance="odd"),
        lambda: la.KLCloseness("s", -1),
        lambda: la.BetaLikeness("s", 0),
        lambda: la.DeltaDisclosure("s", 0),
        lambda: la.DeltaPresence(0.5, 0.2),
        lambda: la.AverageRisk(0),
        lambda: la.SampleUniqueness(1.2),
        lambda: model_from_dict({"model": "odd"}),
        lambda: model_from_dict({"model": "k-anonymity", "l": 3}),
    ],
)
def test_a_wrong_parameter_is_refused(wrong: Callable[[], la.Model]) -> None:
    with pytest.raises(la.RequestError):
        wrong()


PEOPLE = {"q": [0, 0, 1, 1], "s": ["x", "y", "x", "y"], "same": ["z"] * 4}


@pytest.mark.parametrize(
    "hopeless",
    [
        la.KAnonymity(5),
        la.KMap(9, sampling_fraction=0.9),
        la.LDiversity("s", 3),
        la.LDiversity("s", 2.1, kind="entropy"),
        la.AlphaK("s", 0.4, 2),
        la.DirectionalDiversity("same", "z"),
        la.AverageRisk(0.2),
    ],
    ids=str,
)
def test_a_promise_nothing_could_keep_is_refused(hopeless: la.Model) -> None:
    people = la.table(pl.DataFrame(PEOPLE), quasi=["q"], sensitive=["s", "same"])
    with pytest.raises(la.GuaranteeError, match="cannot be met"):
        hopeless.check(people.cells().classes())


@pytest.mark.parametrize(
    "fine", [la.KAnonymity(4), la.LDiversity("s", 2), la.TCloseness("s", 0), la.AverageRisk(0.25)]
)
def test_a_promise_that_merging_everything_keeps_is_not_refused(fine: la.Model) -> None:
    people = la.table(pl.DataFrame(PEOPLE), quasi=["q"], sensitive=["s", "same"])
    fine.check(people.cells().classes())
    assert not fine.breaks(people.cells().merge(people.cells().classes().of_cell * 0, 1)).any()


def test_an_unknown_column_or_value_is_named() -> None:
    people = la.table(pl.DataFrame(PEOPLE), quasi=["q"], sensitive=["s", "same"])
    classes = people.cells().classes()
    with pytest.raises(la.ColumnError, match="'disease'"):
        la.LDiversity("disease", 2).breaks(classes)
    with pytest.raises(la.RequestError, match="no value 'w'"):
        la.DirectionalDiversity("s", "w").check(classes)
    with pytest.raises(la.RequestError, match="reference"):
        la.TCloseness("s", 0.1).breaks(classes, reference={"s": [1, 2, 3]})


@pytest.mark.parametrize("model", [la.KMap(2), la.DeltaPresence(0, 0.5)], ids=str)
def test_models_of_the_population_ask_for_one(model: la.Model) -> None:
    people = la.table(pl.DataFrame(PEOPLE), quasi=["q"], sensitive=["s"], others=["same"])
    with pytest.raises(la.RequestError, match="with_population"):
        model.breaks(people.cells().classes())
