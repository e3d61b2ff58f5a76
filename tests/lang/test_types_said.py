"""`dtype=` says the element type that operands leave open."""

from __future__ import annotations

import numpy as np
import pytest

from ptoscope import PtoError, pto
from ptoscope.lang.kernel import PythonKernel


@pto.kernel
def opened(x: pto.gm[pto.ui8], out: pto.gm[pto.i32], halves: pto.gm[pto.f32]):
    xs, ys, zs = pto.load(x[:64]), pto.ub(pto.i32, 64), pto.ub(pto.f32, 64)
    words = pto.castptr(zs, dtype=pto.i32)
    pto.barrier("PIPE_ALL")
    with pto.vecscope():
        wide = pto.vlds(xs, 0, dist="UNPK4", dtype=pto.i32)
        ys[0] = wide + pto.vbr(1000, dtype=pto.i32)
        pto.vsts(pto.vbitcast(pto.vbr(0.5), dtype=pto.i32), words, 0)
    pto.barrier("PIPE_ALL")
    pto.store(out[:64], ys)
    pto.store(halves[:64], zs)


def test_numbers_loads_and_pointers() -> None:
    """A number of vbr, the wide register of UNPK4, a pointer to other elements; 0.5 is an f32."""
    x = np.arange(192, 256).astype(np.uint8)
    out, halves = opened(x, pto.empty(64), pto.empty(64))
    assert out.tolist() == [1000 + i for i in range(192, 256)]
    assert halves.tolist() == [0.5] * 64


@pto.kernel
def not_said(out: pto.gm[pto.i32]):
    ys = pto.ub(pto.i32, 64)
    with pto.vecscope():
        ys[0] = pto.vbr(7)  # pyright: ignore[reportArgumentType]


@pto.kernel
def wrongly_said(out: pto.gm[pto.i32]):
    ys = pto.ub(pto.i32, 64)
    with pto.vecscope():
        ys[0] = pto.vadd(ys[0], ys[0], dtype=pto.f32)  # pyright: ignore[reportCallIssue]


@pytest.mark.parametrize(
    ("kernel", "message", "hint"),
    [
        (not_said, "value of vbr cannot be int 7", "as in dtype=pto.i32"),
        (wrongly_said, "no result of vadd can be of f32", ""),
    ],
)
def test_what_is_not_said_or_wrongly(kernel: PythonKernel, message: str, hint: str) -> None:
    with pytest.raises(PtoError) as raised:
        kernel.on()
    (found,) = raised.value.diagnostics
    assert found.message == message
    assert hint in found.hint
