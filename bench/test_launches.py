"""The sides of the rows about launches: the kernel and C give the sums."""

from __future__ import annotations

import pytest

from bench.launches import arguments, in_c, load


@pytest.mark.parametrize(("grid", "rounds"), [(1, 1), (8, 7), (300, 2)])
def test_both_sides_add(grid: int, rounds: int) -> None:
    given = arguments(grid, rounds)
    a, b, out, _ = given
    expected = a + rounds * b
    for threads in (1, 2):
        out[:] = 0
        load()(*given, grid=grid, threads=threads)
        assert (out == expected).all()
        out[:] = 0
        in_c(given, grid, threads)()
        assert (out == expected).all()
    out[:] = 0
    in_c(given)()
    assert (out[:64] == expected[:64]).all()
    assert not out[64:].any()


def test_the_kernel_is_clean() -> None:
    assert load().findings == []
