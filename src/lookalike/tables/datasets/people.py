"""Synthetic people: a UK-style person table with believable joint distributions, the same bytes for the same seed.

The columns are those of the de-identification case study this project follows; nobody in the table exists. Cost: O(n),
about a second for a million people.
"""

from __future__ import annotations

from datetime import date
from statistics import NormalDist
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from lookalike.base.checks import whole_number
from lookalike.tables.datasets import gazetteer as uk

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

REFERENCE_DAY = date(2021, 3, 21)
"""The day ages are counted on: the 2021 census of England and Wales."""

_YOUNGEST, _OLDEST = 16, 95

# Everything below is integer weights, so that no machine rounds a probability differently from another.
# Rows of an "age band" are 16-19, 20-29, 30-39, ..., 70-79, 80 and over.
_REGION_WEIGHT = (49, 63, 88, 26, 74, 93, 57, 31, 60, 55)
_AGE_WEIGHT = (60, 64, 68, 66, 68, 57, 42, 18)
# women, then men, by age band
_MARITAL_WEIGHT = (
    (
        (985, 10, 1, 2, 1, 1),
        (780, 180, 8, 14, 16, 2),
        (400, 500, 18, 32, 45, 5),
        (250, 560, 18, 42, 115, 15),
        (170, 560, 16, 44, 180, 30),
        (95, 560, 12, 33, 195, 105),
        (60, 470, 10, 20, 150, 290),
        (50, 260, 8, 12, 90, 580),
    ),
    (
        (990, 6, 1, 1, 1, 1),
        (850, 125, 8, 8, 8, 1),
        (460, 465, 20, 24, 28, 3),
        (290, 565, 18, 35, 84, 8),
        (205, 580, 16, 40, 145, 14),
        (120, 620, 12, 33, 170, 45),
        (75, 665, 10, 22, 120, 108),
        (60, 580, 8, 14, 73, 265),
    ),
)
# by life stage (16-19, 20-29, 30-44, 45 and over), then never married or not
_CHILDREN_WEIGHT = (
    ((970, 26, 3, 1, 0, 0, 0), (600, 280, 90, 30, 0, 0, 0)),
    ((760, 130, 75, 30, 3, 1, 1), (340, 290, 230, 120, 14, 4, 2)),
    ((480, 190, 180, 110, 22, 11, 7), (120, 240, 310, 220, 60, 30, 20)),
    ((440, 170, 190, 130, 35, 20, 15), (90, 200, 310, 240, 85, 45, 30)),
)
_QUALIFICATION_WEIGHT = (
    (70, 230, 390, 270, 40, 0, 0),
    (55, 150, 190, 220, 85, 240, 60),
    (60, 150, 170, 180, 80, 240, 120),
    (75, 180, 190, 170, 85, 200, 100),
    (95, 210, 200, 160, 95, 160, 80),
    (130, 220, 190, 150, 110, 135, 65),
    (190, 220, 180, 130, 120, 110, 50),
    (260, 220, 170, 110, 110, 90, 40),
)
# per cent by which a region's weights of bachelor and postgraduate differ from the country's
_DEGREES = (82, 104, 172, 78, 94, 122, 104, 84, 84, 86)
_OCCUPATION_WEIGHT = (
    (20, 4, 16, 50, 150, 150, 130, 200, 280),
    (60, 15, 55, 100, 140, 140, 140, 150, 200),
    (80, 30, 90, 130, 130, 140, 140, 110, 150),
    (100, 70, 150, 140, 110, 130, 120, 80, 100),
    (70, 50, 110, 70, 330, 90, 60, 140, 80),
    (180, 360, 210, 110, 30, 50, 40, 8, 12),
    (190, 530, 180, 60, 8, 18, 10, 1, 3),
)
_OCCUPATION_BY_GENDER = ((80, 100, 95, 140, 40, 150, 120, 60, 95), (120, 100, 105, 60, 160, 50, 80, 140, 105))
# per mille without an occupation, by age band
_NO_OCCUPATION = (560, 210, 160, 150, 220, 560, 950, 990)
_PAY = (42000, 40000, 32000, 24500, 24500, 18500, 18500, 22500, 22500, 12500)
_PAY_BY_QUALIFICATION = (90, 95, 98, 101, 104, 112, 122)
_PAY_BY_AGE = (62, 84, 102, 110, 108, 100, 92, 90)
_PAY_BY_REGION = (95, 101, 122, 93, 96, 106, 97, 93, 96, 95)
_BENEFITS_BY_QUALIFICATION = (260, 250, 200, 150, 90, 60, 40)
_BENEFITS_BY_OCCUPATION = (-60, -50, -40, 0, -10, 30, 30, 10, 60, 150)
_BENEFITS_BY_REGION = (5, -15, 30, 50, 35, -25, -10, 40, 30, 25)
_OWNS_BY_AGE = (40, 190, 430, 560, 660, 720, 740, 720)
_OWNS_BY_REGION = (20, 20, -150, -30, 0, 20, 30, 30, 0, 10)
# per mille of the median income at each of 1,024 equally likely ranks: a log-normal spread, tabulated once
_SPREAD = np.array(
    [round(1000 * 2.718281828 ** (0.42 * NormalDist().inv_cdf((rank + 0.5) / 1024))) for rank in range(1024)]
)


def population(n: int, seed: int = 0) -> pl.DataFrame:
    """A table of `n` invented people of England and Wales, one row each.

    `name` identifies; `area` (318 districts), `postcode`, `dob`, `age`, `gender`, `marital_status`, `num_children`,
    `qualifications` and `occupation` are quasi-identifiers; `income`, `on_benefits`, `home_ownership` and
    `credit_score` are sensitive. Ages are counted on `REFERENCE_DAY`.

    The same seed gives the same people on every machine, and `population(10, seed)` are the first ten of
    `population(1_000_000, seed)`.

    n: how many people.

    Examples:
        >>> import lookalike as la
        >>> people = la.datasets.population(3, seed=0)
        >>> people.columns[:5]
        ['name', 'area', 'postcode', 'dob', 'age']
    """
    whole_number(n, "n", most=2**31 - 1, where="population")
    whole_number(seed, "seed", where="population")
    import polars as pl

    def chance(column: str) -> NDArray[np.float64]:
        # a stream per column: a column added tomorrow leaves the others as they are
        return np.random.Generator(np.random.PCG64([int(seed), crc32(column.encode())])).random(int(n))

    def words(pool: tuple[str, ...] | list[str], codes: NDArray[Any]) -> pl.Series:
        return pl.Series(pool, dtype=pl.String).gather(pl.Series(codes))

    district, region_of, outward = _district_tables()
    area = _choose(chance("area"), district)
    region = region_of[area]
    age = _YOUNGEST + _choose(chance("age"), _age_weights())
    band = np.clip(age // 10 - 1, 0, 7)
    gender = _choose(chance("gender"), np.array([(51, 49)] * 6 + [(53, 47), (59, 41)]), band)
    marital = _choose(chance("marital_status"), np.array(_MARITAL_WEIGHT), gender, band)
    stage = np.searchsorted((20, 30, 45), age, side="right")
    wed = (marital > 0).astype(np.int64)
    children = _choose(chance("num_children"), np.array(_CHILDREN_WEIGHT), stage, wed)
    qualification = _choose(chance("qualifications"), _qualification_weights(), region, band)
    occupation = _choose(chance("occupation"), _occupation_weights(), qualification, gender, band)

    income = _income(chance("income"), occupation, qualification, band, region, gender)
    benefits = chance("on_benefits") * 1000 < (
        np.array(_BENEFITS_BY_QUALIFICATION)[qualification]
        + np.array(_BENEFITS_BY_OCCUPATION)[occupation]
        + np.array(_BENEFITS_BY_REGION)[region]
        + 20 * np.minimum(children, 4)
        - 150 * (band >= 6)
    )
    owns = chance("home_ownership") * 1000 < (
        np.array(_OWNS_BY_AGE)[band]
        + np.array(_OWNS_BY_REGION)[region]
        + np.clip((income - 25000) // 100, -150, 200)
        - 150 * benefits
    )
    score = (
        420
        + np.minimum(income // 200, 260)
        + 3 * (np.minimum(age, 70) - 16) // 2
        + 50 * owns
        - 60 * benefits
        + (chance("credit_score") * 240).astype(np.int64)
        - 120
    )

    place = (chance("postcode") * 3 * 4000).astype(np.int64)
    first = (chance("name") * len(uk.WOMEN)).astype(np.int64)
    last = (chance("surname") * len(uk.SURNAMES)).astype(np.int64)
    latest = np.array([_days(years) for years in range(_OLDEST + 1)])[age]
    birthday = latest - (chance("dob") * 365).astype(np.int32)
    names = words([*uk.WOMEN, *uk.MEN], first + len(uk.WOMEN) * gender)
    return pl.DataFrame(
        {
            "name": names + " " + words(uk.SURNAMES, last),
            "area": words([name for names in uk.DISTRICTS.values() for name in names], area),
            "postcode": words(outward, 3 * area + place // 4000) + " " + words(_inward(), place % 4000),
            "dob": pl.Series(birthday.astype(np.int32)).cast(pl.Date),
            "age": age,
            "gender": words(uk.GENDER, gender),
            "marital_status": words(uk.MARITAL, marital),
            "num_children": children,
            "qualifications": words(uk.QUALIFICATIONS, qualification),
            "occupation": words(uk.OCCUPATION, occupation),
            "income": income,
            "on_benefits": words(("no", "yes"), benefits.astype(np.int64)),
            "home_ownership": words(("no", "yes"), owns.astype(np.int64)),
            "credit_score": np.clip(score, 0, 999),
        }
    )


def regions() -> dict[str, str]:
    """The ITL 1 region of each of the 318 districts."""
    return {name: region for region, names in uk.DISTRICTS.items() for name in names}


def population_groupings() -> dict[str, dict[str, list[Any]]]:
    """The case study's groupings of the population's columns: column -> {group: the values in it}.

    Every value that can occur is in one group; a value the study keeps is a group of its own. `Hierarchy.groups`
    makes a hierarchy of each.

    Examples:
        >>> import lookalike as la
        >>> la.datasets.population_groupings()["num_children"]
        {'0': [0], '1-3': [1, 2, 3], '4+': [4, 5, 6]}
    """
    single, married, partnered, *apart = uk.MARITAL
    none, *levels, apprenticeship, bachelor, postgraduate = uk.QUALIFICATIONS
    pairs = (uk.OCCUPATION[3:5], uk.OCCUPATION[5:7], uk.OCCUPATION[7:9])
    return {
        "area": {region: list(names) for region, names in uk.DISTRICTS.items()},
        "age": {
            "16-29": list(range(_YOUNGEST, 30)),
            "30-44": list(range(30, 45)),
            "45-59": list(range(45, 60)),
            "60+": list(range(60, _OLDEST + 1)),
        },
        "marital_status": {
            "married": [married, partnered],
            "never married": [single],
            "previously married": apart,
        },
        "num_children": {"0": [0], "1-3": [1, 2, 3], "4+": [4, 5, 6]},
        "qualifications": {
            "none": [none],
            "lower": levels,
            "higher": [apprenticeship, bachelor],
            "postgraduate": [postgraduate],
        },
        "occupation": {name: [name] for name in (*uk.OCCUPATION[:3], uk.OCCUPATION[9])}
        | {" or ".join(pair): list(pair) for pair in pairs},
    }


def _choose(
    share: NDArray[np.float64], weights: NDArray[np.int64], *given: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The category each uniform share falls into; `weights[given]` are that row's weights."""
    totals = np.cumsum(weights, axis=-1)
    bars = totals[..., :-1] / totals[..., -1:]
    if not given:
        return np.searchsorted(bars, share, side="right")
    chosen = np.zeros(len(share), np.int64)
    for column in range(bars.shape[-1]):
        chosen += share >= bars[..., column][given]
    return chosen


def _district_tables() -> tuple[NDArray[np.int64], NDArray[np.int64], list[str]]:
    """Weight and region of each district, and three outward postcodes for each."""
    weight, region_of, outward = [], [], []
    for region, (label, names) in enumerate(uk.DISTRICTS.items()):
        areas = uk.POSTCODE_AREAS[label]
        # sizes within a region vary about threefold; two real districts are tiny, and are so here
        sizes = [
            1 if name in ("City of London", "Isles of Scilly") else 50 + 10 * (7 * i % 11)
            for i, name in enumerate(names)
        ]
        weight += [size * _REGION_WEIGHT[region] * 10_000 // sum(sizes) for size in sizes]
        region_of += [region] * len(names)
        outward += [
            f"{areas[i % len(areas)]}{3 * (i // len(areas)) + j}"
            for i in range(len(names))
            for j in (1, 2, 3)
        ]
    return np.array(weight), np.array(region_of), outward


def _age_weights() -> NDArray[np.int64]:
    ages = np.arange(_YOUNGEST, _OLDEST + 1)
    weight = 100 * np.array(_AGE_WEIGHT)[np.clip(ages // 10 - 1, 0, 7)]
    weight[ages >= 80] = weight[ages >= 80] * (100 - ages[ages >= 80]) // 20 * 2
    return weight


def _qualification_weights() -> NDArray[np.int64]:
    """Weights by region and age band: a degree is likelier in some regions."""
    weight = 100 * np.array([_QUALIFICATION_WEIGHT] * len(uk.DISTRICTS))
    weight[..., 5:7] = weight[..., 5:7] * np.array(_DEGREES)[:, None, None] // 100
    return weight


def _occupation_weights() -> NDArray[np.int64]:
    """Weights by qualification, gender and age band: pensioners and many of the youngest have no occupation."""
    working = np.array(_OCCUPATION_WEIGHT)[:, None, :] * np.array(_OCCUPATION_BY_GENDER)[None, :, :]
    none = np.array(_NO_OCCUPATION)
    share = working[:, :, None, :] * (1000 - none)[None, None, :, None]
    idle = working.sum(-1)[:, :, None] * none
    return np.concatenate([share, idle[..., None]], axis=-1)


def _income(
    share: NDArray[np.float64],
    occupation: NDArray[np.int64],
    qualification: NDArray[np.int64],
    band: NDArray[np.int64],
    region: NDArray[np.int64],
    gender: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Pounds a year, to the nearest hundred; gender matters in administrative work and skilled trades only."""
    # a pension does not follow the career that earnings follow
    career = np.where((occupation == 9) & (band > 0), 5, band)
    gap = np.where((gender == 1) & ((occupation == 3) | (occupation == 4)), 105, 100)
    pay: NDArray[np.int64] = np.array(_PAY)[occupation] * gap // 100
    pay = pay * np.array(_PAY_BY_QUALIFICATION)[qualification] // 100
    pay = pay * np.array(_PAY_BY_AGE)[career] // 100
    pay = pay * np.array(_PAY_BY_REGION)[region] // 100
    pay = pay * _SPREAD[(share * len(_SPREAD)).astype(np.int64)] // 1000
    return (pay + 50) // 100 * 100


def _inward() -> list[str]:
    letters = "ABDEFGHJLNPQRSTUWXYZ"
    return [f"{digit}{one}{two}" for digit in range(10) for one in letters for two in letters]


def _days(age: int) -> int:
    """The latest day of birth of somebody of this age, in days since 1970."""
    return (REFERENCE_DAY.replace(year=REFERENCE_DAY.year - age) - date(1970, 1, 1)).days
