"""Rows of arrays: of a width that is known when the kernel is compiled, or in a run."""

from __future__ import annotations

import numpy as np
import pytest

from ptoscope import PtoError, pto
from ptoscope.lang.kernel import PythonKernel

ROWS, PITCH = 4, 128


@pto.kernel
def pitched(x: pto.gm[pto.f32], out: pto.gm[pto.f32], rows: pto.i32, columns: pto.i32):
    """Negates the first 64 columns of each row and copies the others."""
    for t in pto.tiles(rows, ROWS):
        xs = pto.load(x.rows(columns)[t], to_pitch=PITCH)
        pto.barrier("PIPE_ALL")
        with pto.vecscope():
            for row in range(0, t.count * PITCH, PITCH):
                xs[row] = -xs[row]
        pto.barrier("PIPE_ALL")
        pto.store(out.rows(columns)[t], xs, from_pitch=PITCH)
        pto.barrier("PIPE_ALL")


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (4, 64), (9, 65), (6, 128)])
def test_rows_of_any_width_lie_a_pitch_apart(rows: int, columns: int) -> None:
    x = np.random.default_rng(rows).standard_normal((rows, columns), np.float32)
    out = np.full_like(x, np.nan)
    pitched(x, out, rows, columns, grid=2)
    expected = x.copy()
    expected[:, :64] *= -1
    assert (out == expected).all()


@pto.kernel
def dense(x: pto.gm[pto.i32], out: pto.gm[pto.i32], rows: pto.i32):
    """Rows 1 to `rows` of 64 numbers, to those before them."""
    xs = pto.ub(pto.i32, ROWS, 64)
    pto.load(xs, x.rows(64)[1 : rows + 1])
    pto.barrier("PIPE_ALL")
    pto.store(out.rows(64)[0:rows], xs)


def test_dense_rows_are_one_piece() -> None:
    x, out = np.arange(5 * 64, dtype=np.int32), np.zeros(4 * 64, np.int32)
    dense(x, out, 3)
    assert (out[: 3 * 64] == x[64 : 4 * 64]).all()
    assert (out[3 * 64 :] == 0).all()
    assert "nburst(%c1_i64" in dense.text


@pto.kernel
def endless(x: pto.gm[pto.i32]):
    pto.load(x.rows(64)[1:], to_pitch=64)


@pto.kernel
def too_wide(x: pto.gm[pto.i32], rows: pto.i32):
    xs = pto.ub(pto.i32, 4, 64)
    pto.load(xs, x.rows(300)[0:rows], to_pitch=64)


@pto.kernel
def many(x: pto.gm[pto.i32], rows: pto.i32):
    pto.load(x.rows(64)[0:rows], to_pitch=64)


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (endless, "where the rows end is not said"),
        (too_wide, "300 elements do not fit an array of 256"),
        (many, "how many elements the piece has is not known when the kernel is compiled"),
    ],
)
def test_rows_that_cannot_be(kernel: PythonKernel, message: str) -> None:
    with pytest.raises(PtoError) as raised:
        kernel.on()
    assert [found.message for found in raised.value.diagnostics] == [message]
