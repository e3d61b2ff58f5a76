"""The kernel of the attention row: right results, in other orders too, and nothing to find."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bench.attention import DEPTH, SIZE, arguments, in_numpy, in_place, load


def expected(q: Any, k: Any, v: Any) -> tuple[Any, Any]:
    """In wide numbers: the result, and by how much weights that are rounded to f16 may change it:
    by 2^-11 of themselves, or where they are tiny by 2^-25; the rest is less than 2^-18."""
    q, k, v = (side.astype(np.float64) for side in (q, k, v))
    scores = q @ k.T / 8
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = powers / powers.sum(axis=1, keepdims=True)
    room = (2.0**-11 + 2.0**-18) * (weights @ np.abs(v)) + 2.0**-25 * np.abs(v).sum(axis=0)
    return weights @ v, room


def test_results() -> None:
    q, k, v, out, *sizes = arguments()
    load()(q, k, v, out, *sizes, grid=1, engine="native", threads=1)
    wide, room = expected(q, k, v)
    assert np.all(np.abs(out - wide) <= room)
    for other in (in_numpy, in_place):
        assert np.abs(other(*(x.astype(np.float32) for x in (q, k, v))) - wide).max() < 1e-5


@pytest.mark.parametrize(
    ("queries", "keys", "grid"), [(1, 1, 1), (17, 33, 2), (129, 257, 1), (200, 128, 3)]
)
def test_both_engines(queries: int, keys: int, grid: int) -> None:
    """The same bits, also where tiles are not full."""
    assert max(queries, keys) <= SIZE
    q, k, v, *_ = arguments()
    q, k, v = q[:queries].copy(), k[:keys].copy(), v[:keys].copy()
    found: list[Any] = []
    for engine in ("native", "reference"):
        found.append(np.full((queries, DEPTH), np.nan, np.float32))
        load()(q, k, v, found[-1], queries, keys, grid=grid, engine=engine)
    assert found[0].tobytes() == found[1].tobytes()
    wide, room = expected(q, k, v)
    assert np.all(np.abs(found[0] - wide) <= room)


def test_no_race_nothing_undefined_one_result_in_every_order() -> None:
    """Three tiles of keys, so that every buffer is used again; the last of each is not full."""
    q, k, v, *_ = arguments()
    out = np.full((19, DEPTH), np.nan, np.float32)
    seen = load().watch(q[:19].copy(), k[:301].copy(), v[:301].copy(), out, 19, 301, schedules=4)
    assert [str(found) for found in seen.diagnostics] == []
