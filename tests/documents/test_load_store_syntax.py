"""The syntax lines of the load/store document and the overview, their blanks filled, run and
compared with the loops beside them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from tests.documents.harness import LANES, LOAD_STORE, OVERVIEW, run
from tests.documents.syntax import BASE, ELEMENTS, OUT, Line, Memory

INDICES = tuple((i * 37) % 64 for i in range(LANES))
BLOCK_OFFSETS = tuple(32 * ((i * 5) % 8) for i in range(LANES))
STREAM = "%align_in = pto.init_align : !pto.align"
STORED = (
    STREAM + "\n%{state} = pto.vstur %align_in, %vector, %at"
    " : !pto.align, !pto.vreg<64xf32>, !pto.ptr<f32, ub> -> !pto.align"
)
END = "pto.vstar %align_out, %at : !pto.align, !pto.ptr<f32, ub>"


def _nothing(m: Memory) -> None:
    """Leaves memory as it is."""


def _out(place: Callable[[int], int], count: int = LANES) -> Callable[[Memory], None]:
    """result[i] is the element at a place."""

    def loop(m: Memory) -> None:
        before = list(m)
        for i in range(LANES):
            m[OUT + i] = before[place(i)] if i < count else 0

    return loop


def _in(place: Callable[[int], int], count: int = LANES) -> Callable[[Memory], None]:
    """The element at a place becomes value[i], which is element i of the tile."""

    def loop(m: Memory) -> None:
        for i in range(count):
            m[place(i)] = m[i]

    return loop


def _deinterleaved(m: Memory) -> None:
    for i in range(LANES):
        m[OUT + i], m[OUT + 64 + i] = m[BASE + 8 + 2 * i], m[BASE + 8 + 2 * i + 1]


def _interleaved(m: Memory) -> None:
    for i in range(LANES):
        m[BASE + 8 + 2 * i], m[BASE + 8 + 2 * i + 1] = m[i], m[64 + i]


ACTIVE = 50
A5 = ("a5",)
# Two blocks apart, four blocks in: the packed control word.
WORD = 2 << 16 | 4
LINES = [
    Line(
        '%result = pto.vlds %source[%offset] {dist = "DIST"} : !pto.ptr<T, ub> -> !pto.vreg<NxT>',
        _out(lambda i: BASE + 8 + i),
        results=("result",),
        offset_value=8,
    ),
    Line(
        "%result = pto.vldas %source : !pto.ptr<T, ub> -> !pto.align",
        _nothing,
        unaligned=3,
    ),
    Line(
        "%result, %align_out, %base_out = pto.vldus %source, %align : !pto.ptr<T, ub>, !pto.align"
        " -> !pto.vreg<NxT>, !pto.align, !pto.ptr<T, ub>",
        _out(lambda i: BASE + 3 + i),
        before="%align = pto.vldas %source : !pto.ptr<f32, ub> -> !pto.align",
        results=("result",),
        unaligned=3,
    ),
    Line(
        '%low, %high = pto.vldsx2 %source[%offset], "DIST" : !pto.ptr<T, ub>, index'
        " -> !pto.vreg<NxT>, !pto.vreg<NxT>",
        _deinterleaved,
        results=("low", "high"),
        offset_value=8,
    ),
    Line(
        '%result = pto.vsld %source[%offset], "STRIDE" : !pto.ptr<T, ub> -> !pto.vreg<NxT>',
        _out(lambda i: BASE + 8 * i),
        results=("result",),
    ),
    Line(
        "%result = pto.vsldb %source, %offset, %mask : !pto.ptr<T, ub>, i32, !pto.mask<G>"
        " -> !pto.vreg<NxT>",
        _out(lambda i: BASE + 8 * (4 + 2 * (i // 8)) + i % 8),
        results=("result",),
        offset="i32",
        offset_value=WORD,
    ),
    Line(
        "%result = pto.vgather2 %source, %offsets, %active_lanes"
        " : !pto.ptr<T, ub>, !pto.vreg<NxI>, index -> !pto.vreg<NxT>",
        _out(lambda i: BASE + INDICES[i], ACTIVE),
        results=("result",),
        indices=INDICES,
    ),
    Line(
        "%result = pto.vgatherb %source, %offsets, %active_lanes"
        " : !pto.ptr<T, ub>, !pto.vreg<NxI>, index -> !pto.vreg<NxT>",
        _out(lambda i: BASE + BLOCK_OFFSETS[i // 8] // 4 + i % 8),
        results=("result",),
        indices=BLOCK_OFFSETS,
    ),
    Line(
        "%result = pto.vgather2_bc %source, %offsets, %mask"
        " : !pto.ptr<T, ub>, !pto.vreg<NxI>, !pto.mask<G> -> !pto.vreg<NxT>",
        _out(lambda i: BASE + INDICES[i]),
        results=("result",),
        indices=INDICES,
    ),
    Line(
        'pto.vsts %value, %dest[%offset], %mask {dist = "DIST"}'
        " : !pto.vreg<NxT>, !pto.ptr<T, ub>, !pto.mask<G>",
        _in(lambda i: BASE + 8 + i),
        offset_value=8,
    ),
    Line(
        'pto.vstsx2 %low, %high, %dest[%offset], "DIST", %mask'
        " : !pto.vreg<NxT>, !pto.vreg<NxT>, !pto.ptr<T, ub>, index, !pto.mask<G>",
        _interleaved,
        offset_value=8,
    ),
    Line(
        'pto.vsst %value, %dest[%offset], "STRIDE" : !pto.vreg<NxT>, !pto.ptr<T, ub>',
        _in(lambda i: BASE + 8 * i),
    ),
    Line(
        "pto.vsstb %value, %dest, %offset, %mask"
        " : !pto.vreg<NxT>, !pto.ptr<T, ub>, i32, !pto.mask<G>",
        _in(lambda i: BASE + 8 * (4 + 2 * (i // 8)) + i % 8),
        offset="i32",
        offset_value=WORD,
    ),
    Line(
        "pto.vscatter %value, %dest, %offsets, %active_lanes"
        " : !pto.vreg<NxT>, !pto.ptr<T, ub>, !pto.vreg<NxI>, index",
        _in(lambda i: BASE + INDICES[i], ACTIVE),
        indices=INDICES,
    ),
    Line(
        "pto.vsta %value, %dest[%offset] : !pto.align, !pto.ptr<T, ub>, index",
        _in(lambda i: BASE + 3 + i),
        before=STORED.format(state="value"),
        offset_value=64,
        targets=A5,
        unaligned=3,
    ),
    Line(
        "%align_out, %base_out = pto.vstu %align_in, %base_in, %value, %dest, %mode : !pto.align,"
        " !pto.ptr<T, ub>, !pto.vreg<NxT>, !pto.ptr<T, ub>, index -> !pto.align, !pto.ptr<T, ub>",
        _in(lambda i: BASE + 3 + i),
        before=STREAM,
        after=END,
        targets=A5,
        unaligned=3,
    ),
    Line(
        '%align_out, %offset_out = pto.vstu %align_in, %offset_in, %value, %base, "MODE"'
        " : !pto.align, index, !pto.vreg<NxT>, !pto.ptr<T, ub> -> !pto.align, index",
        _in(lambda i: BASE + 3 + i),
        before=STREAM,
        after=END,
        targets=A5,
    ),
    Line(
        "%align_out, %base_out = pto.vstus %align_in, %base_in, %value, %dest, %offset :"
        " !pto.align, !pto.ptr<T, ub>, !pto.vreg<NxT>, !pto.ptr<T, ub>, i32"
        " -> !pto.align, !pto.ptr<T, ub>",
        _in(lambda i: BASE + 5 + i),
        before=STREAM,
        after=END,
        offset="i32",
        offset_value=5,
        targets=A5,
    ),
    Line(
        '%align_out, %base_out = pto.vstus %align_in, %offset, %value, %base, "MODE"'
        " : !pto.align, i32, !pto.vreg<NxT>, !pto.ptr<T, ub> -> !pto.align, !pto.ptr<T, ub>",
        _in(lambda i: BASE + 5 + i),
        before=STREAM,
        after=END,
        offset="i32",
        offset_value=5,
        targets=A5,
    ),
    Line(
        "%align_out = pto.vstur %align_in, %value, %dest"
        " : !pto.align, !pto.vreg<NxT>, !pto.ptr<T, ub> -> !pto.align",
        _in(lambda i: BASE + 3 + i),
        before=STREAM,
        after=END,
        targets=A5,
        unaligned=3,
    ),
    Line(
        '%align_out = pto.vstur %align_in, %value, %base, "MODE"'
        " : !pto.align, !pto.vreg<NxT>, !pto.ptr<T, ub> -> !pto.align",
        _in(lambda i: BASE + 3 + i),
        before=STREAM,
        after=END,
        targets=A5,
        unaligned=3,
    ),
    Line(
        "pto.vstas %align, %dest, %offset : !pto.align, !pto.ptr<T, ub>, i32",
        _in(lambda i: BASE + 3 + i),
        before=STORED.format(state="align"),
        offset="i32",
        offset_value=256,
        targets=A5,
        unaligned=3,
    ),
    Line(
        "pto.vstar %value, %dest : !pto.align, !pto.ptr<T, ub>",
        _in(lambda i: BASE + 3 + i),
        before=STORED.format(state="value"),
        targets=A5,
        unaligned=3,
    ),
    Line(
        "%align_out, %offset_out = pto.vstu %align_in, %offset_in, %value, %base\n"
        ": !pto.align, index, !pto.vreg<NxT>, !pto.ptr<T, ub> -> !pto.align, index",
        _in(lambda i: BASE + 3 + i),
        before=STREAM,
        after=END,
        targets=A5,
        document=OVERVIEW,
    ),
]

FORMS = {
    **dict.fromkeys(("vlds", "vldas", "vldus", "vldsx2", "vsld", "vsldb", "vgather2"), 1),
    **dict.fromkeys(("vgatherb", "vgather2_bc", "vsts", "vstsx2", "vsst", "vsstb"), 1),
    **dict.fromkeys(("vscatter", "vsta", "vstas", "vstar"), 1),
    **dict.fromkeys(("vstu", "vstus", "vstur"), 2),
}
"""How many ways to write an instruction the load/store document has."""


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.text.split(" : ")[0])
def test_syntax_line(line: Line) -> None:
    rng = np.random.default_rng(1)
    for target in line.targets:
        memory = rng.integers(0, 1 << 32, ELEMENTS, np.uint32)
        expected = [int(x) for x in memory]
        line.loop(expected)
        indices = np.array(line.indices, np.int32)
        run(line.kernel(), memory.view(np.float32), indices, ACTIVE, target=target)
        np.testing.assert_array_equal(memory, np.array(expected, np.uint32), target)


def test_every_form_of_the_documents_is_here() -> None:
    found = Counter(
        (line.document, name) for line in LINES for name in re.findall(r"\bpto\.(v\w+) ", line.text)
    )
    assert found == {(LOAD_STORE, name): count for name, count in FORMS.items()} | {
        (OVERVIEW, "vstu"): 1
    }
