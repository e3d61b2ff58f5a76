"""Kernels in Python for several cores."""

from __future__ import annotations

import numpy as np
import pytest

from ptoscope import PtoError, load, pto


@pto.kernel(target="a5", sync="manual")
def handed(x: pto.gm[pto.f32], y: pto.gm[pto.f32], n: pto.i32):
    for t in pto.pipelined(0, n, 64, stages=1):
        with pto.cube():
            pto.sync_set(pipe="PIPE_FIX", event=1)
        with pto.vector():
            if pto.get_subblock_idx() == 0:
                pto.sync_wait(pipe="PIPE_MTE2", event=1)
                xs = pto.ub(pto.f32, 64)
                pto.load(xs, x[t : t + 64])
                pto.pipe_barrier(pipe="PIPE_ALL")
                pto.store(y[t : t + 64], xs)
                pto.pipe_barrier(pipe="PIPE_ALL")


def test_each_kind_has_a_section_of_its_own() -> None:
    """One loop of Python is a loop of each, with what its cores run."""
    text = handed.text
    assert text.count("pto.section.cube {") == text.count("pto.section.vector {") == 1
    assert text.count("scf.for") == 2
    cube = text[text.index("pto.section.cube") : text.index("pto.section.vector")]
    assert "sync.set" in cube
    assert "mte_gm_ub" not in cube
    assert "minsi" not in cube
    again = load(text)
    assert again.function.cores == ("cube", "vector", "vector")
    assert again.text.count("section") == 2


def test_it_runs() -> None:
    x, y = np.arange(256, dtype=np.float32), np.zeros(256, np.float32)
    handed.kernel(x, y, 256, schedule="eager")
    assert (x == y).all()


def test_one_kind_alone_is_no_cluster() -> None:
    @pto.kernel(target="a5")
    def only(y: pto.gm[pto.i64]):
        with pto.vector():
            y[0] = pto.get_subblock_num()

    y = np.zeros(1, np.int64)
    only(y)
    assert y[0] == 1
    assert "section" not in only.text


def _raised(kernel: pto.PythonKernel) -> str:
    with pytest.raises(PtoError) as error:
        _ = kernel.text
    return str(error.value)


def test_what_no_core_is_named_for() -> None:
    @pto.kernel(target="a5")
    def loose(x: pto.gm[pto.f32]):
        with pto.cube():
            pto.sync_set(pipe="PIPE_FIX", event=1)
        with pto.vector():
            pto.sync_wait(pipe="PIPE_MTE2", event=1)
        pto.load(x[0:64])

    said = _raised(loose)
    assert "it is not said which runs this" in said
    assert "with pto.cube(): or with pto.vector():" in said


def test_sections_do_not_nest() -> None:
    @pto.kernel(target="a5")
    def nested(x: pto.gm[pto.f32]):
        with pto.cube(), pto.vector():
            pass

    @pto.kernel(target="a5")
    def inner(y: pto.gm[pto.i64]):
        with pto.cube():
            y[0] = 1
            with pto.vector():
                y[1] = 1

    assert "pto.vector() inside pto.cube()" in _raised(nested)
    assert "pto.vector() inside pto.cube()" in _raised(inner)


def test_a_scalar_of_one_core_is_gone_behind_its_section() -> None:
    @pto.kernel(target="a5")
    def used(y: pto.gm[pto.i64]):
        with pto.vector():
            s = pto.get_subblock_idx()
        with pto.cube():
            y[0] = s

    assert "it goes through memory" in _raised(used)
