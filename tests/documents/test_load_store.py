"""The load/store document's single lines: loads, stores, flags and buffers."""

from __future__ import annotations

import numpy as np
import pytest

import ptoscope
from tests.documents.harness import (
    LANES,
    assert_same,
    blank,
    floats,
    run,
)

LOAD = """\
%v = pto.vlds %ub[%offset] {dist = "NORM"} : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
"""
BROADCAST = """\
%v = pto.vlds %ub[%c0] {dist = "BRC_B32"} : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
"""
STORE = """\
pto.vsts %v, %ub[%offset], %mask {dist = "NORM_B32"} : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.mask<b32>
"""  # noqa: E501

# The synchronisation table: `id`, `slot` and PIPE_* are its blanks.
LOADED = 'pto.set_flag["PIPE_MTE2", "PIPE_V", id]'
AWAIT_LOAD = 'pto.wait_flag["PIPE_MTE2", "PIPE_V", id]'
COMPUTED = 'pto.set_flag["PIPE_V", "PIPE_MTE3", id]'
AWAIT_COMPUTE = 'pto.wait_flag["PIPE_V", "PIPE_MTE3", id]'
ACQUIRE = 'pto.get_buf "PIPE_*", slot, 0'
RELEASE = 'pto.rls_buf "PIPE_*", slot, 0'

ELEMENTS = 512
"""Floats of the tile that the single loads and stores work on."""


def tile_kernel(inside: str) -> str:
    """Copies %gm to the tile %ub, runs the lines in a vecscope, copies the tile back.

    %ub is `base` elements into the tile; %other is a second tile, copied in and out too.
    """
    ptr = "!pto.ptr<f32, gm>, !pto.ptr<f32, ub>"
    back = "!pto.ptr<f32, ub>, !pto.ptr<f32, gm>"
    return f"""
func.func @tile(%gm: !pto.ptr<f32, gm>, %gm_other: !pto.ptr<f32, gm>, %base: index,
                %offset: index, %active: i32) {{
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %bytes = arith.constant {4 * ELEMENTS} : i64
  %tile = pto.castptr %zero : i64 -> !pto.ptr<f32, ub>
  %other = pto.castptr %bytes : i64 -> !pto.ptr<f32, ub>
  %ub = pto.addptr %tile, %base : !pto.ptr<f32, ub> -> !pto.ptr<f32, ub>
  pto.mte_gm_ub %gm, %tile, %zero, %bytes nburst(%one, %bytes, %bytes)
    : {ptr}, i64, i64, i64, i64, i64
  pto.mte_gm_ub %gm_other, %other, %zero, %bytes nburst(%one, %bytes, %bytes)
    : {ptr}, i64, i64, i64, i64, i64
  pto.barrier #pto.pipe
  pto.vecscope {{
    %mask, %left = pto.plt_b32 %active : i32 -> !pto.mask<b32>, i32
    {inside}
  }}
  pto.barrier #pto.pipe
  pto.mte_ub_gm %tile, %gm, %bytes nburst(%one, %bytes, %bytes) : {back}, i64, i64, i64, i64
  pto.mte_ub_gm %other, %gm_other, %bytes nburst(%one, %bytes, %bytes)
    : {back}, i64, i64, i64, i64
  return
}}
"""


LOAD_KERNEL, BROADCAST_KERNEL = (
    tile_kernel(
        line
        + "pto.vsts %v, %other[%c0], %mask"
        + " : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.mask<b32>"
    )
    for line in (LOAD, BROADCAST)
)
STORE_KERNEL = tile_kernel(
    "%v = pto.vlds %other[%c0] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>\n" + STORE
)


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
@pytest.mark.parametrize(("base", "offset"), [(0, 0), (0, 8), (64, 136), (440, 8)])
def test_contiguous_load(target: str, base: int, offset: int) -> None:
    memory, dst = floats(1, ELEMENTS), blank(shape=ELEMENTS)
    run(LOAD_KERNEL, memory, dst, base, offset, LANES, target=target)
    expected = blank(shape=ELEMENTS)
    for i in range(LANES):
        expected[i] = memory[base + offset + i]
    assert_same(dst, expected)


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
@pytest.mark.parametrize("base", [0, 1, 13, ELEMENTS - 1])
def test_broadcast_load(target: str, base: int) -> None:
    memory, dst = floats(2, ELEMENTS), blank(shape=ELEMENTS)
    run(BROADCAST_KERNEL, memory, dst, base, 0, LANES, target=target)
    expected = blank(shape=ELEMENTS)
    for i in range(LANES):
        expected[i] = memory[base]
    assert_same(dst, expected)


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
@pytest.mark.parametrize("active", [0, 1, 63, 64])
@pytest.mark.parametrize(("base", "offset"), [(0, 0), (8, 200), (440, 8)])
def test_contiguous_store(target: str, active: int, base: int, offset: int) -> None:
    memory, source = floats(3, ELEMENTS), floats(4, ELEMENTS)
    expected = memory.copy()
    run(STORE_KERNEL, memory, source, base, offset, active, target=target)
    for i in range(active):
        expected[base + offset + i] = source[i]
    assert_same(memory, expected)


@pytest.mark.parametrize("kernel", [LOAD_KERNEL, STORE_KERNEL], ids=["load", "store"])
@pytest.mark.parametrize(("target", "legal"), [("cpu", True), ("a2a3", False), ("a5", False)])
def test_alignment(kernel: str, target: str, legal: bool) -> None:
    """A5 requires 32 bytes for NORM; other profiles may be more permissive."""
    arguments = (floats(5, ELEMENTS), floats(6, ELEMENTS), 0, 7, LANES)
    if legal:
        run(kernel, *arguments, target=target)
        return
    with pytest.raises(ptoscope.PtoError) as caught:
        run(kernel, *arguments, target=target)
    assert "align" in str(caught.value)


@pytest.mark.parametrize("kernel", [LOAD_KERNEL, STORE_KERNEL], ids=["load", "store"])
def test_past_the_end_of_ub(kernel: str) -> None:
    """Only lanes that take part count: a store of the first ones may hang over the end."""
    last = 256 * 1024 // 4 - 8
    with pytest.raises(ptoscope.PtoError):
        run(kernel, floats(7, ELEMENTS), floats(8, ELEMENTS), 0, last, LANES)
    if kernel is STORE_KERNEL:
        run(kernel, floats(7, ELEMENTS), floats(8, ELEMENTS), 0, last, 8)


def operation(row: str, **blanks: str) -> str:
    """The operation of a table row, its blanks filled."""
    for blank_name, value in blanks.items():
        assert blank_name in row
        row = row.replace(blank_name, value)
    return row


LOAD_TILE = """
  pto.mte_gm_ub %gm, %ub, %zero, %bytes nburst(%one, %bytes, %bytes)
    : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64
"""
NEGATE_TILE = """
  pto.vecscope {
    %mask = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>
    %v = pto.vlds %ub[%c0] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
    %w = pto.vneg %v, %mask : !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>
    pto.vsts %w, %ub_out[%c0], %mask : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.mask<b32>
  }
"""
STORE_TILE = """
  pto.mte_ub_gm %ub_out, %gm_out, %bytes nburst(%one, %bytes, %bytes)
    : !pto.ptr<f32, ub>, !pto.ptr<f32, gm>, i64, i64, i64, i64
"""


def negate(*body: str) -> str:
    """A kernel of the given lines, which negates one register."""
    return "\n".join(
        (
            "func.func @negate(%gm: !pto.ptr<f32, gm>, %gm_out: !pto.ptr<f32, gm>, %e: i64) {",
            "  %c0 = arith.constant 0 : index",
            "  %zero = arith.constant 0 : i64",
            "  %one = arith.constant 1 : i64",
            "  %bytes = arith.constant 256 : i64",
            "  %ub = pto.castptr %zero : i64 -> !pto.ptr<f32, ub>",
            "  %ub_out = pto.castptr %bytes : i64 -> !pto.ptr<f32, ub>",
            *body,
            "  return",
            "}",
        )
    )


def assert_negates(kernel: str, event: int = 0) -> None:
    source, dst, expected = floats(9), blank(), blank()
    run(kernel, source, dst, event)
    for i in range(LANES):
        expected[i] = -source[i]
    assert_same(dst, expected)


@pytest.mark.parametrize("event", range(8))
@pytest.mark.parametrize("written", ["literal", "value"])
def test_flags_order_the_pipes(event: int, written: str) -> None:
    """The waiting pipes are issued first: only the flags can put them in order."""
    name = f'"EVENT_ID{event}"' if written == "literal" else "%e"
    await_compute, await_load, loaded, computed = (
        operation(row, id=name) for row in (AWAIT_COMPUTE, AWAIT_LOAD, LOADED, COMPUTED)
    )
    kernel = negate(
        await_compute,
        STORE_TILE,
        await_load,
        NEGATE_TILE,
        computed,
        LOAD_TILE,
        loaded,
    )
    assert_negates(kernel, event)


@pytest.mark.parametrize("missing", [LOADED, COMPUTED])
def test_a_wait_without_its_signal_never_ends(missing: str) -> None:
    rows = (LOADED, AWAIT_LOAD, COMPUTED, AWAIT_COMPUTE)
    loaded, await_load, computed, await_compute = (
        "" if row == missing else operation(row, id='"EVENT_ID2"') for row in rows
    )
    kernel = negate(LOAD_TILE, loaded, await_load, NEGATE_TILE, computed, await_compute, STORE_TILE)
    with pytest.raises(ptoscope.PtoError) as caught:
        assert_negates(kernel)
    waiting = "V" if missing == LOADED else "MTE3"
    assert f'"PIPE_{waiting}"' in caught.value.diagnostics[0].source_line
    assert "wait_flag" in caught.value.diagnostics[0].source_line


@pytest.mark.parametrize("slot", [0, 1, 31])
def test_buffer_slots_order_the_pipes(slot: int) -> None:
    stages = (("MTE2", LOAD_TILE), ("V", NEGATE_TILE), ("MTE3", STORE_TILE))
    lines = []
    for pipe, work in stages:
        blanks = {"PIPE_*": f"PIPE_{pipe}", "slot": str(slot)}
        lines += [operation(ACQUIRE, **blanks), work, operation(RELEASE, **blanks)]
    assert_negates(negate(*lines))


def test_buffer_slots_that_wait_in_a_queue() -> None:
    """V is held back by a flag; MTE3's acquire has to wait for V's release all the same."""
    blanks = [{"PIPE_*": f"PIPE_{pipe}", "slot": "3"} for pipe in ("V", "MTE3")]
    kernel = negate(
        operation(AWAIT_LOAD, id='"EVENT_ID0"'),
        operation(ACQUIRE, **blanks[0]),
        NEGATE_TILE,
        operation(RELEASE, **blanks[0]),
        operation(ACQUIRE, **blanks[1]),
        STORE_TILE,
        operation(RELEASE, **blanks[1]),
        LOAD_TILE,
        operation(LOADED, id='"EVENT_ID0"'),
    )
    assert_negates(kernel)


def test_distribution_of_the_load_is_the_default() -> None:
    """The typical kernel writes no mode where the example writes NORM."""
    assert '{dist = "NORM"}' in LOAD
    memory, dst, bare = floats(10, ELEMENTS), blank(shape=ELEMENTS), blank(shape=ELEMENTS)
    run(LOAD_KERNEL, memory, dst, 0, 64, LANES)
    run(LOAD_KERNEL.replace('{dist = "NORM"} ', ""), memory, bare, 0, 64, LANES)
    np.testing.assert_array_equal(dst.view(np.uint32), bare.view(np.uint32))
