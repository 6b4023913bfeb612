"""The rows of a search: tuples numbered from each column on, packed where they fit into a word, else row by row."""

from __future__ import annotations

import numpy as np
import pytest

from lookalike.kernels.lattice.rows import number_suffixes


@pytest.mark.parametrize("kinds", [6, 2**60], ids=["packed", "row by row"])
@pytest.mark.parametrize("bits", [0, 3])
def test_every_row_finds_its_codes_and_its_sensitive_values_again(kinds: int, bits: int) -> None:
    rng, sizes = np.random.default_rng(0), [7, 1, 5, 3]
    codes = np.array([rng.integers(0, size, 100) for size in sizes], dtype=np.int32)
    cell = rng.integers(0, 100, 300).astype(np.int32)
    tuples = rng.integers(0, 6, 300).astype(np.int32)
    number, row, code, after = number_suffixes(codes, sizes, cell, tuples, kinds, bits, False)
    assert len(row) == len(np.unique([*codes[:, cell], tuples], axis=1).T)
    assert np.array_equal(number[row], np.arange(len(row)))
    for d in range(len(sizes)):
        assert np.array_equal(code[d, number] >> bits, codes[d, cell])
        assert np.array_equal(code[d, number] & (2**bits - 1), tuples if bits else 0 * tuples)
        number = after[d, number]
    assert np.array_equal(number, tuples)
