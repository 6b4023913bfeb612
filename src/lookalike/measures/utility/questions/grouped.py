"""Shares and means, of everybody or by group: the quantity that rankings and tolerances look at. O(n)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lookalike.measures.utility.views import Floats, View

EVERYBODY = "everybody"


def by_group(
    view: View,
    *,
    share: Mapping[str, Any] | None,
    mean: str | None,
    among: Mapping[str, Any],
    by: str | None,
    level: int | None,
    read: str,
    weights: Floats | None,
) -> dict[str, float]:
    """Per group the share of records that meet `share`, or the mean of a column, among those that meet `among`.

    NaN where a group has nobody.
    """
    counted = view.chance(among) if weights is None else view.chance(among) * weights
    if mean is not None:
        values = view.numbers(mean, read)
        counted = np.where(np.isnan(values), 0.0, counted)
        values = np.nan_to_num(values)
    else:
        values = view.chance(share or {})
    if by is None:
        names, top, bottom = [EVERYBODY], np.array([values @ counted]), np.array([counted.sum()])
    else:
        groups = view.groups(by, level)
        names, top, bottom = groups.names, groups.sum(values * counted), groups.sum(counted)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.where(bottom > 0, top / bottom, np.nan)
    return dict(zip(names, found.tolist(), strict=True))
