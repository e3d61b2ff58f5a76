"""`t.stage`: which of the copies of its arrays an iteration of a pipelined loop has."""

from __future__ import annotations

import numpy as np
import pytest

from ptoscope import pto


@pto.kernel
def numbered(out: pto.gm[pto.i32], n: pto.i32, stages: int = 3):
    for t in pto.pipelined(0, n, 4, stages=stages):
        out[t // 4] = pto.i32(t.stage)


@pytest.mark.parametrize("stages", [1, 2, 3, 8])
def test_stages_go_round(stages: int) -> None:
    out = np.full(11, -1, np.int32)
    numbered(out, 41, stages=stages)
    assert out.tolist() == [i % stages for i in range(11)]
