"""Copies that are longer than a row of a copy can be."""

from __future__ import annotations

import numpy as np
import pytest

from ptoscope import PtoError, pto


@pto.kernel
def twice(x: pto.gm[pto.f32], out: pto.gm[pto.f32], n: int = 32768):
    xs = pto.load(x[0:n])
    for i, m in pto.lanes(xs):
        xs[i, m] = xs[i] + xs[i]
    pto.store(out[0:n], xs)


@pto.kernel
def tiled(x: pto.gm[pto.f32], n: pto.i32):
    for t in pto.tiles(n, 20000):
        pto.store(x[t], pto.load(x[t]))


@pytest.mark.parametrize("n", [16383, 16384, 24576, 32768])
def test_they_are_cut_into_rows(n: int) -> None:
    x = np.arange(n, dtype=np.float32)
    assert np.array_equal(twice(x, pto.empty(n), n=n), 2 * x)


def test_what_cannot_be_cut_is_an_error() -> None:
    with pytest.raises(PtoError, match=r"test_long_copies.py:13.*65564 bytes cannot be cut"):
        twice.on(n=16391)
    with pytest.raises(PtoError, match="a row of a copy has at most 65535 bytes"):
        tiled.on()
