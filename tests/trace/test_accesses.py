"""Which bytes an access touches: worked out from what the documents say of each form."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

from ptoscope.engines import ENGINES
from ptoscope.isa.targets import TARGETS, Revision
from ptoscope.kernel import Kernel
from ptoscope.trace.trace import UB
from ptoscope.tracing import trace

from ..check.pipes import G, M, P, V, copy_in, copy_out, kernel, load, program, scope, store

H, HP = "!pto.vreg<128xf16>", "!pto.ptr<f16, ub>"
I = "!pto.vreg<64xi32>"  # noqa: E741
A = "!pto.align"
MADE = f"%f = arith.constant 1.0 : f32\n%w = pto.vbr %f : f32 -> {V}"
ZERO = "%zero = arith.constant 0 : i32"
HALVES = f"%p = pto.castptr %l4096 : i64 -> {HP}"
B = 4096
"""Where %b begins; %a begins at 0."""

Touched = list[tuple[int, bool, set[int]]]


def touched(
    text: str, revision: Revision = "manual", alias: bool = False, engine: str | None = None
) -> Touched:
    """Space, whether written, and the bytes: of every event with accesses, reads first."""
    x, y = np.arange(4096, dtype=np.float32), np.zeros(4096, np.float32)
    loaded = Kernel(program(text), TARGETS["a5"], revision)
    found = trace(loaded, [x, x[64:] if alias else y, 3, True, False], engine=engine)
    assert found.error is None, found.error
    rows = found.accesses
    sets: dict[tuple[int, int, bool], set[int]] = {}
    for i in range(len(rows)):
        key = int(rows.event[i]), int(rows.space[i]), bool(rows.writes[i])
        for run in range(rows.count[i]):
            at = int(rows.start[i] + run * rows.stride[i])
            new = set(range(at, at + int(rows.length[i])))
            if run:
                assert not new & sets[key]
            sets[key] = sets.get(key, set()) | new
    return [(space, writes, bytes_) for (_, space, writes), bytes_ in sets.items()]


def elements(places: Iterable[int], width: int, base: int = B) -> set[int]:
    """The bytes of elements at these places."""
    return {base + place * width + byte for place in places for byte in range(width)}


MASKED = f'%t = pto.pset_b32 "PAT_VL3" : {M}'
MEMORY = {
    "vlds NORM": ([load("%v", "%b")], False, elements(range(64), 4)),
    "vlds BRC_B32": (
        [f'%v = pto.vlds %b[%i2] {{dist = "BRC_B32"}} : {P} -> {V}'],
        False,
        elements([2], 4),
    ),
    "vlds US_B16": (
        [HALVES, f'%v = pto.vlds %p[%i0] {{dist = "US_B16"}} : {HP} -> {H}'],
        False,
        elements(range(64), 2),
    ),
    "vlds DS_B16": (
        [HALVES, f'%v = pto.vlds %p[%i0] {{dist = "DS_B16"}} : {HP} -> {H}'],
        False,
        elements(range(0, 256, 2), 2),
    ),
    "vlds UNPK_B16": (
        [HALVES, f'%v = pto.vlds %p[%i0] {{dist = "UNPK_B16"}} : {HP} -> {H}'],
        False,
        elements(range(64), 2),
    ),
    "vsts NORM": ([MADE, store("%w")], True, elements(range(64), 4)),
    "vsts of three lanes": ([MADE, MASKED, store("%w", mask="%t")], True, elements(range(3), 4)),
    "vsts of every fourth lane": (
        [MADE, f'%t = pto.pset_b32 "PAT_M4" : {M}', store("%w", mask="%t")],
        True,
        elements(range(0, 64, 4), 4),
    ),
    "vsts PK_B32": (
        [MADE, f'pto.vsts %w, %b[%i0], %m {{dist = "PK_B32"}} : {V}, {P}, {M}'],
        True,
        elements(range(64), 2),
    ),
    "vsts 1PT_B32": (
        [MADE, f'pto.vsts %w, %b[%i1], %m {{dist = "1PT_B32"}} : {V}, {P}, {M}'],
        True,
        elements([1], 4),
    ),
    "vldsx2 DINTLV_B32": (
        [f'%v, %u = pto.vldsx2 %b[%i0], "DINTLV_B32" : {P}, index -> {V}, {V}'],
        False,
        elements(range(128), 4),
    ),
    "vgather2 of three lanes": (
        [
            ZERO,
            f"%at = pto.vci %zero : i32 -> {I}",
            "%two = arith.constant 2 : i32",
            f"%by = pto.vmuls %at, %two, %m : {I}, i32, {M} -> {I}",
            MASKED,
            f"%v = pto.vgather2 %b, %by, %t : {P}, {I}, {M} -> {V}",
        ],
        False,
        elements([0, 2, 4], 4),
    ),
    "vscatter to one place and others": (
        [
            MADE,
            ZERO,
            f"%at = pto.vbr %zero : i32 -> {I}",
            f"%up = pto.vci %zero : i32 -> {I}",
            MASKED,
            f"%mix = pto.vsel %up, %at, %t : {I}, {I}, {M} -> {I}",
            f"pto.vscatter %w, %b, %mix, %m : {V}, {P}, {I}, {M}",
        ],
        True,
        elements([0, 1, 2], 4),
    ),
    "psts": ([f'pto.psts %m, %b[%i0], "NORM" : {M}, {P}, index'], True, elements(range(32), 1)),
    "a scalar load": ([f"%s = pto.load_scalar %b[%i2] : {P} -> f32"], False, elements([2], 4)),
}


@pytest.mark.parametrize("name", MEMORY)
def test_bytes_of_an_instruction(name: str) -> None:
    lines, writes, expected = MEMORY[name]
    found = touched(kernel(scope(*lines)))
    assert found == [(UB, writes, expected)]


def test_inactive_lanes_touch_nothing() -> None:
    none = f'%t = pto.pset_b32 "PAT_ALLF" : {M}'
    assert touched(kernel(scope(MADE, none, store("%w", mask="%t")))) == []


def test_a_stream_writes_whole_blocks_and_then_the_rest() -> None:
    lines = [
        MADE,
        "%four = arith.constant 4104 : i64",
        f"%p0 = pto.castptr %four : i64 -> {P}",
        ZERO,
        "%s0 = pto.init_align : !pto.align",
        f'%s1, %p1 = pto.vstus %s0, %zero, %w, %p0, "POST_UPDATE" : !pto.align, i32, {V}, {P}'
        f" -> !pto.align, {P}",
        f"pto.vstas %s1, %p1, %zero : !pto.align, {P}, i32",
    ]
    # 256 bytes from 4104 on: up to the last multiple of 32 at once, 8 bytes with the flush.
    first = set(range(4104, 4352))
    assert touched(kernel(scope(*lines))) == [
        (UB, True, first),
        (UB, True, set(range(4352, 4360))),
    ]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("by", "at"), [(0, 4096), (2, 4104)])
def test_a_load_stream_reads_whole_blocks_once(by: int, at: int, engine: str) -> None:
    """vldas that around the address; each vldus those after it, up to the end of its vector."""
    made = f"{A} -> {V}, {A}, {P}"
    lines = [
        f"%p0 = pto.addptr %b, %i{by} : {P} -> {P}",
        f"%s0 = pto.vldas %p0 : {P} -> {A}",
        f"%v0, %s1, %p1 = pto.vldus %p0, %s0 : {P}, {made}",
        f"%v1, %s2, %p2 = pto.vldus %p1, %s1 : {P}, {made}",
    ]
    end = 4352 if at % 32 == 0 else 4384
    assert touched(kernel(scope(*lines)), engine=engine) == [
        (UB, False, set(range(4096, 4128))),
        (UB, False, set(range(4128, end))),
        (UB, False, set(range(end, end + 256))),
    ]


def rows(start: int, length: int, *levels: tuple[int, int]) -> set[int]:
    """Bytes of nested loops of rows."""
    starts = [start]
    for count, stride in levels:
        starts = [s + i * stride for i in range(count) for s in starts]
    return {s + byte for s in starts for byte in range(length)}


COPIES = {
    "one row": (copy_in("%b"), rows(0, 256), rows(B, 256)),
    "dense rows": (copy_in("%b", rows="%l4"), rows(0, 1024), rows(B, 1024)),
    "rows apart": (
        copy_in("%b", "%l32", "%l4", "%l64"),
        rows(0, 32, (4, 32)),
        rows(B, 32, (4, 64)),
    ),
    "one row again and again": (
        "pto.mte_gm_ub %x, %b, %l0, %l32 nburst(%l4, %l0, %l64)"
        f" : {G}, {P}, i64, i64, i64, i64, i64",
        rows(0, 32),
        rows(B, 32, (4, 64)),
    ),
    "a loop around rows": (
        "pto.mte_gm_ub %x, %b, %l0, %l32 nburst(%l2, %l64, %l32) loop(%l4, %l1024, %l256)"
        f" : {G}, {P}, i64, i64, i64, i64, i64, loop i64, i64, i64",
        rows(0, 32, (2, 64), (4, 1024)),
        rows(B, 32, (2, 32), (4, 256)),
    ),
    "no rows": (copy_in("%b", rows="%l0"), set[int](), set[int]()),
}


@pytest.mark.parametrize("name", COPIES)
def test_bytes_of_a_copy(name: str) -> None:
    line, read, written = COPIES[name]
    expected = [(0, False, read), (UB, True, written)] if read else []
    assert touched(kernel(line)) == expected


def test_padding_is_written_too() -> None:
    line = (
        "%g = arith.constant 0.0 : f32\n%l20 = arith.constant 20 "
        ": i64\npto.mte_gm_ub %x, %b, %l0, %l20 nburst(%l2, %l32, %l64) pad(%g, %l0, %l1)"
        f" : {G}, {P}, i64, i64, i64, i64, i64, pad f32, i64, i64"
    )
    # 20 bytes of data, 4 of padding, filled up to 32 and on to the next row at 64.
    assert touched(kernel(line)) == [(0, False, rows(0, 20, (2, 32))), (UB, True, rows(B, 128))]


def test_a_copy_out_reads_ub() -> None:
    assert touched(kernel(copy_out())) == [(UB, False, rows(B, 256)), (1, True, rows(0, 256))]


@pytest.mark.parametrize("engine", ENGINES)
def test_arguments_that_share_memory_share_a_space(engine: str) -> None:
    found = touched(kernel(copy_out()), alias=True, engine=engine)
    assert found == [(UB, False, rows(B, 256)), (0, True, rows(256, 256))]


def test_a_sort_notes_all_its_accesses_with_its_event() -> None:
    text = kernel(
        "%numbers = pto.castptr %l8192 : i64 -> !pto.ptr<ui32, ub>",
        f"pto.vbitsort %b, %a, %numbers, %l2 : {P}, {P}, !pto.ptr<ui32, ub>, i64",
    )
    # Two groups of 32 scores and 32 indices make 64 records of 8 bytes.
    read = rows(0, 256) | rows(8192, 256)
    assert touched(text) == [(UB, False, read), (UB, True, rows(B, 512))]


def test_rows_are_as_few_as_can_be() -> None:
    loaded = Kernel(program(kernel(copy_in("%b", rows="%l4"))), TARGETS["a5"], "manual")
    x = np.zeros(4096, np.float32)
    found = trace(loaded, [x, x.copy(), 3, True, False]).accesses
    columns = found.start, found.length, found.count, found.stride
    assert [column.tolist() for column in columns] == [[0, B], [1024] * 2, [1] * 2, [0] * 2]
