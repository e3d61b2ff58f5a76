"""Recorded runs of clusters: which core did what, values and memories of each, and where a byte
comes from, through tiles and products and from core to core."""

from __future__ import annotations

import numpy as np

import ptoscope
from ptoscope.replay.run import RecordedRun
from ptoscope.replay.touches import touched
from tests.machine.matrix_lines import (
    cluster,
    flag,
    gm_l1,
    l0c_gm,
    l1_l0a,
    l1_l0b,
    line_of,
    mad,
)
from tests.races.test_clusters import exchange

FILL = [gm_l1(), gm_l1("%l1b"), *flag("MTE2", "MTE1"), l1_l0a(), l1_l0b(), *flag("MTE1", "M")]


def recorded(text: str) -> RecordedRun:
    x = np.random.default_rng(1).standard_normal(512).astype(np.float16)
    kernel = ptoscope.load(text, "a5", "micro", force=True)
    return kernel.record(x, np.zeros(512, np.float16), np.zeros(256, np.float32))


def test_moments_name_their_core() -> None:
    text = exchange()
    run = recorded(text)
    line = line_of(text, "pto.mte_ub_gm")
    moments = [run.at(line, n) for n in range(2)]
    assert [moment.core for moment in moments] == ["vector core 0", "vector core 1"]
    assert [int(moment["%s"]) for moment in moments] == [0, 1]
    assert [moment["%yo"] != moments[0]["%yo"] for moment in moments] == [False, True]
    assert {moment.core for moment in run} == {"the matrix core", "vector core 0", "vector core 1"}


def test_each_core_has_memories_of_its_own() -> None:
    text = exchange()
    run = recorded(text)
    writes = line_of(text, "pto.mte_gm_ub")
    first, second = run.at(writes, 0), run.at(writes, 1)
    x = first.memory("%x")
    assert (first.memory("ub", begin=0, end=512) == x[:512]).all()
    assert not first.memory("ub1", begin=0, end=512).any()
    assert (second.memory("ub1", begin=0, end=512) == x[:512]).all()
    assert first.undefined_memory("ub1", 0, 512).all()


def test_a_byte_is_followed_from_core_to_core() -> None:
    text = exchange()
    run = recorded(text)
    said = str(run.origin("%y", 512 + 4, 2))
    for line, core in (
        ("pto.mte_ub_gm", "vector core 1"),
        ("pto.copy_cbuf_to_ubuf %half", "the matrix core"),
        ("pto.mte_ub_l1", "vector core 1"),
        ("pto.mte_gm_ub", "vector core 1"),
    ):
        assert f"line {line_of(text, line)}, {core}" in said
    assert "bytes 4 to 5 of %x: given at the launch" in said


def test_an_element_of_a_product_comes_from_a_row_and_a_column() -> None:
    """Element (2, 3) of the result: row 2 of the left fractal, row 3 of the right one."""
    text = cluster([*FILL, mad(), *flag("M", "FIX"), l0c_gm()])
    said = str(recorded(text).origin("%z", 4 * (2 * 16 + 3), 4))
    assert f"bytes 140 to 143 of l0c: line {line_of(text, 'pto.mad')}" in said
    assert "bytes 64 to 95 of l0a" in said
    assert "bytes 96 to 127 of l0b" in said
    assert "bytes 64 to 95 of l1" in said
    assert "bytes 4192 to 4223 of l1" in said


def test_an_instruction_with_unit_flags_is_one_moment() -> None:
    """It waits, moves and clears: one execution, with all its bytes."""
    first, then = mad(more="unit_flag(check_and_set)"), l0c_gm("unit_flag(check_and_clear)")
    text = cluster([*FILL, first, then])
    run = recorded(text)
    for name in ("pto.mad", "pto.mte_l0c_gm"):
        assert len(run.executions(line_of(text, name))) == 1
    moment = run.at(line_of(text, "pto.mte_l0c_gm"))
    assert [str(one) for one in touched(run, moment.index)] == ["l0c:0x0..0x400", "%z:0x0..0x400"]
    x = moment.memory("%x", np.float16)[:256].reshape(16, 16).astype(np.float64)
    z = moment.memory("%z", np.float32).reshape(16, 16)
    assert np.allclose(z, x @ x.T, rtol=1e-5)
