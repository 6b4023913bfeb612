"""One pass over the bytes of a CSV file: does every record have as many fields as the first?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def find_ragged(text: Any, delimiter: int, quote: int) -> Any:
    """Line number, fields found and fields expected of the first ragged record; line 0 when there is none."""
    expected = 0
    fields = 1
    line = 1
    started = 1
    quoted = False
    empty = True
    for i in range(len(text)):
        c = text[i]
        if c == quote:
            quoted = not quoted
            empty = False
        elif c == 10:
            line += 1
            if quoted:
                continue
            if not empty:
                if expected == 0:
                    expected = fields
                elif fields != expected:
                    return np.array([started, fields, expected])
            fields = 1
            empty = True
            started = line
        elif c == delimiter and not quoted:
            fields += 1
            empty = False
        elif c != 13:
            empty = False
    if quoted:
        return np.array([started, -1, expected])
    if not empty and expected and fields != expected:
        return np.array([started, fields, expected])
    return np.array([0, 0, expected])
