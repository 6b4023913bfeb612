"""What `anonymize` is asked: refused where it does not fit the table, else turned into a treatment per column."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from lookalike.anonymizers.methods import AUTO, BY_LEVELS, BY_ROWS, METHODS, check_method
from lookalike.anonymizers.pseudonyms import made_pseudonyms
from lookalike.base.checks import choice, is_number, number, share, whole_number
from lookalike.base.errors import RequestError, amount, unknown_column, warn
from lookalike.models.model import Model
from lookalike.models.registry import MODELS
from lookalike.recodings.recoding import Recoding
from lookalike.recodings.treatments import Drop, Keep, Pseudonymise, Round, Treatment
from lookalike.recognition.links.persons import is_one_persons, keys_of
from lookalike.tables.coded import ReleasedRows
from lookalike.tables.columns.coding import Column
from lookalike.tables.columns.roles import Kind, Role
from lookalike.tables.meanings.concepts import MAY_BE_ONE_PERSONS, OF_ONE_PERSON
from lookalike.tables.table import Table

_LOOKED_THROUGH = 1_000_000  #: rows up to which identifiers are looked at
_RECORD = 1 << 10  # bytes that a method takes for each record that it puts into a class
_MANY = 2_000_000  #: rows beyond which "auto" chooses one rule for all rows, which needs their counts only


def check_models(models: Sequence[Any]) -> None:
    """Refuse a promise that is no model."""
    for model in models:
        if not isinstance(model, Model):
            raise RequestError(
                f"a promise is a model, such as la.KAnonymity(10); found {type(model).__name__}."
            )


def check_request(
    people: Table,
    method: str,
    models: tuple[Model, ...],
    suppression: float,
    weights: Mapping[str, float],
    numbers: Mapping[str, str],
    suppressed: str,
    seed: int,
    options: Mapping[str, Any],
) -> None:
    """Refuse what does not fit the method or the table."""
    check_method(method, options)
    if not people.quasi:
        raise RequestError(
            "the table has no quasi-identifiers. Name them with `quasi`; `inspect` proposes some."
        )
    if not models and method != "semantic":
        raise RequestError("no promise was asked for. Give at least one model, such as la.KAnonymity(10).")
    check_models(models)
    whole_number(seed, "seed")
    share(suppression, "suppression")
    choice(suppressed, "suppressed", ("drop", "star"))
    for model in models:
        for name in model.columns:
            if name not in people.names:
                raise unknown_column(name, people.names, model.name)
            if people.roles[name] is not Role.SENSITIVE:
                raise RequestError(
                    f"{model.name}: column {name!r} is {people.roles[name]}, not sensitive. Name it in `sensitive`."
                )
    for name, how in numbers.items():
        if name not in people.quasi or people.column(name).kind not in (Kind.INTEGER, Kind.DECIMAL):
            raise RequestError(f"numbers: column {name!r} is not a numeric quasi-identifier.")
        choice(how, name, ("range", "midpoint", "mean"), where="numbers")
    for name, weight in weights.items():
        if name not in people.quasi:
            raise unknown_column(name, people.quasi, "weights")
        number(weight, name, least=0, where="weights")
    total = sum(float(weights.get(name, 1)) for name in people.quasi)
    if total == 0:
        raise RequestError("weights: all are zero, so nothing would be worth keeping.")
    if not is_number(total):
        raise RequestError("weights: their sum is too large to be a number; only their ratios matter.")


def fitting_methods(
    method: str, people: Table, models: tuple[Model, ...], options: Mapping[str, Any]
) -> tuple[str, ...]:
    """The methods to try, the best one first: what was asked for, or for "auto" those that fit what was asked."""
    for model in MODELS.values():
        word = model.typed_as()
        if word in options and word not in METHODS.get(method, METHODS[AUTO[0]]).options:
            raise RequestError(
                f"`{word}` is no argument: a promise is a model of its own, such as {model.call()}."
            )
    if method != "auto":
        return (method,)
    fitting = [name for name in AUTO if not any(option not in METHODS[name].options for option in options)]
    if any(getattr(model, "whole_population", False) for model in models) or _is_large(people):
        fitting = [name for name in fitting if name in BY_LEVELS]
    return tuple(fitting) or AUTO[-1:]


def _is_large(people: Table) -> bool:
    """Whether a row for every record is more than "auto" takes, or than memory allows of rows that are elsewhere."""
    room = _MANY if people.origin is None else min(_MANY, people.origin.engine.budget.bytes // _RECORD)
    return people.records > room


def check_population(method: str, models: tuple[Model, ...]) -> None:
    """Refuse methods whose classes are not counted in a population, or where counting them would promise nothing."""
    if method in BY_LEVELS:
        return
    if method not in BY_ROWS:
        known = ", ".join((*BY_LEVELS, *BY_ROWS))
        raise RequestError(f"promises about a population can be kept by {known}, not by {method}.")
    for model in models:
        if model.whole_population:
            raise RequestError(
                f"{model.name} can be kept by {', '.join(BY_LEVELS)}, not by {method}: its classes overlap, so people "
                "of the population may fit several of them."
            )


def choose_treatments(
    people: Table,
    models: tuple[Model, ...],
    rounding: Mapping[str, float],
    pseudonyms: Mapping[str, Any],
    drop: Sequence[str],
) -> dict[str, Treatment]:
    """What happens to each column that is not generalised."""
    _refuse_undecided(people, besides={*rounding, *pseudonyms, *drop})
    for what, names in (("rounding", rounding), ("pseudonyms", pseudonyms), ("drop", drop)):
        for name in names:
            if name not in people.roles:
                raise unknown_column(name, people.names, what)
            if what == "pseudonyms":
                made_pseudonyms(pseudonyms[name], name)
            if people.roles[name] is Role.QUASI:
                raise RequestError(
                    f"{what}: column {name!r} is a quasi-identifier; it is generalised, nothing else."
                )
            if any(name in model.columns for model in models):
                raise RequestError(
                    f"{what}: a promise is made about column {name!r}, so it is published as it is."
                )
    out: dict[str, Treatment] = {}
    left_out = set(drop)
    for name in people.names:
        if name in left_out:
            out[name] = Drop()
        elif name in pseudonyms:
            out[name] = Pseudonymise(pseudonyms[name].how, tuple(pseudonyms[name].fields))
        elif people.roles[name] is Role.IDENTIFIER:
            out[name] = Drop()
        elif name in rounding:
            out[name] = Round(number(rounding[name], name, least=0, above=True, where="rounding"))
        else:
            out[name] = Keep()
    _warn_of_several_rows(people, list(dict.fromkeys([*people.identifiers, *drop])))
    _check_pseudonyms(people, pseudonyms)
    return out


def _check_pseudonyms(people: Table, pseudonyms: Mapping[str, Any]) -> None:
    """Refuse pseudonyms of other rows than those that are released; say what pseudonyms leave to those who can link."""
    for name, made in pseudonyms.items():
        if people.in_memory is not (made.of_tuple is None):
            raise RequestError(
                f"pseudonyms: those of {name!r} were made for rows that are {'not ' if people.in_memory else ''}in "
                "memory. Make them with la.pseudonymise from the table that is released."
            )
        if people.in_memory and len(made.values) != len(people):
            raise RequestError(
                f"pseudonyms: column {name!r} has {len(made.values)} values for {len(people)} rows."
            )
    if pseudonyms:
        warn(
            f"the release keeps a pseudonym ({', '.join(pseudonyms)}). Whoever can link it finds the record, "
            "whatever the size of its class.",
        )


def _refuse_undecided(people: Table, besides: Collection[str]) -> None:
    """Refuse to publish columns of which `inspect` could not say what they are, until somebody does."""
    names = [name for name in people.undecided if name not in besides]
    if names:
        shown = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
        said = ", ".join(f"{name!r}: 'other'" for name in names[:2]) + (", …" if len(names) > 2 else "")
        raise RequestError(
            f"nothing says what {amount(len(names), 'column')} {'holds' if len(names) == 1 else 'hold'}: {shown}. "
            f"Decide before it is published: people.with_roles(**{{{said}}}) publishes as it is; 'quasi' blurs, "
            "'sensitive' protects; `drop` leaves out."
        )


def _warn_of_several_rows(people: Table, gone: Sequence[str]) -> None:
    """Say so where a number given to people stands in several rows, and nobody said that it tells people apart.

    gone: columns that are left out, which tell people apart all the same.
    """
    if people.unit is not None or people.records > _LOOKED_THROUGH:
        return
    rows = people.in_sight()
    for name, values in people.distinct_values(gone).items():
        if 10 <= values < 0.9 * people.records and _is_one_persons(rows, rows.column(name)):
            warn(
                f"{name!r} has {values:,} different values in {people.records:,} rows. Do people have several rows? "
                f"Then say `unit`: {name!r} when the table is made, so that people are counted and not rows.",
            )
            return


def _is_one_persons(people: Table, column: Column) -> bool:
    """Whether a column's name says so, or what it may be and what never changes in the rows of a value."""
    concept = people.concept(column)
    if concept in OF_ONE_PERSON or concept not in MAY_BE_ONE_PERSONS:
        return concept in OF_ONE_PERSON
    about = {name: people.concept(people.column(name)) for name in people.quasi}
    return bool(is_one_persons(people, keys_of(column), about))


def _is_private_text(people: Table, name: str) -> bool:
    """Whether a column holds sensitive words or codes; numbers are expected to differ."""
    return people.roles[name] is Role.SENSITIVE and not people.column(name).kind.ordered


def warn_of_names(people: Table, recoding: Recoding, rows: ReleasedRows, choices: Collection[str]) -> None:
    """Say which columns, published as they are, tell nearly all rows apart, as numbers and names of people do.

    choices: columns that somebody has decided about.
    """
    telling = [
        name
        for name, treatment in recoding.columns.items()
        if isinstance(treatment, Keep)
        and (people.roles[name] is Role.OTHER or _is_private_text(people, name))
        if name not in choices and rows.values(name).height > 0.9 * rows.height >= 90
    ]
    if telling:
        warn(
            f"almost every row has a value of its own in: {', '.join(telling)}. Published as it is, such a column "
            "finds people whatever their class. Leave it out with `drop`, or make it a quasi-identifier.",
        )
