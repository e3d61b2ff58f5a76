"""The compiled part of Python: machine code and Python give the same numbers."""

from __future__ import annotations

import numpy as np
import pytest

from ptoscope.native.subset import CompiledFunction, Ints, compiled

SEVEN = 7


@compiled
def _double(x: int) -> int:
    return 2 * x


@compiled
def _everything(n: int, values: Ints) -> int:
    """All of the language once."""
    total = 0
    for i in range(n):
        if (values[i] < 0 and i != 2) or values[i] == SEVEN:
            continue
        elif not values[i] % 2:
            total += min(values[i], 50) - (values[i] >> 1)
        else:
            total = max(total, _double(values[i])) ^ 5
        for j in range(1, 4):
            if j == 3:
                break
            values[i] += j * j // 2 | 1
        k = 3
        while k > 0 and total < 1000:
            k -= 1
            total += k & 1
    if total > 10_000:
        return -total
    return total << 1


@pytest.mark.parametrize("seed", range(20))
def test_compiled_is_python(seed: int) -> None:
    values = np.random.default_rng(seed).integers(-20, 200, 30)
    twin = values.copy()
    assert _everything(30, values) == _everything.python(30, twin)
    assert (values == twin).all()


def test_what_is_not_compiled_is_refused() -> None:
    def words(n: int) -> int:
        return len(str(n))

    with pytest.raises(SyntaxError, match="not compiled"):
        CompiledFunction(words)(3)


def test_arrays_of_another_type_are_refused() -> None:
    with pytest.raises(TypeError, match="int32"):
        _everything(3, np.zeros(3, np.int32))
