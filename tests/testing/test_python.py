"""Kernels of Python are checked as those of text are; failures show their Python lines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ptoscope import pto
from ptoscope.testing import CheckFailed, pto_check


@pto.kernel(target="a5")
def scaled(x: pto.gm[pto.f32], y: pto.gm[pto.f32], n: pto.i32, factor: int = 2):
    for t in pto.tiles(n, 1024, stages=2):
        xs = pto.load(x[t])
        ys = pto.ub(pto.f32, 1024)
        for i, m in pto.lanes(xs):
            ys[i, m] = pto.vmuls(xs[i], float(factor), m)
        pto.store(y[t], ys)


X = np.arange(3000, dtype=np.float32)


@pytest.mark.parametrize("factor", [(), (3,)])
def test_a_kernel_of_python(factor: tuple[int, ...]) -> None:
    def expected(x: Any, y: Any, n: int) -> Any:
        return x * (*factor, 2)[0]

    given = [X, pto.empty(3000), 3000, *factor]
    y = pto_check(scaled, given, expected, grid=2, targets=["a5", "a2a3"])
    assert np.array_equal(y, expected(X, y, 3000))


def test_its_lines_are_shown() -> None:
    wrong = 2 * X
    wrong[2000] = 0
    with pytest.raises(CheckFailed) as raised:
        pto_check(scaled, {"x": X, "y": np.zeros_like(X), "n": 3000}, {"y": wrong}, checks="none")
    told = str(raised.value).split("\n")
    names = ", ".join(f"results ({engine})" for engine in ("native", "reference", "eager"))
    assert told[0] == f"@scaled on a5: 3 of 5 checks failed: {names}"
    line = scaled.function.__code__.co_firstlineno + 6
    assert told[1].startswith(f"{__file__}:{line}:")
    assert "error[PTO0808]: pto.vmuls: element [2000] of %y (argument 1) is 4000.0" in told[1]
    assert told[2] == f"  {line} |             ys[i, m] = pto.vmuls(xs[i], float(factor), m)"
    # The second tile begins at element 1024, and its registers have 64 lanes.
    assert f"lane {(2000 - 1024) % 64} of %" in told[4]
