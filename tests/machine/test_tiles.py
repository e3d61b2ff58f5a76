"""Tiles that move: every element where the documents put it, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ptoscope.isa import atomics
from ptoscope.isa.copies import BurstLoop, CopyPath, Transfer
from ptoscope.isa.dtypes import BF16, F16, F32, I8, I32, SI32
from ptoscope.isa.tiles import Axis, ColumnParameters, TileLayout, TileMove, plain
from ptoscope.machine.faults import Fault
from ptoscope.machine.lanes import constant
from tests.machine.tiles import FORMS, Form, Machine, elements, number, plain_form

TYPES = (I8, F16, BF16, F32)


def expected_bytes(
    machine: Machine, move: TileMove[int], forms: Sequence[Form], at: tuple[int, int]
) -> Any:
    """The target memory after a plain move, element by element."""
    source, target = machine.region(move.source).data, machine.region(move.target).data.copy()
    size, loop = move.source_type.bytes, move.matrices or BurstLoop(1, 0, 0)
    for matrix in range(loop.count):
        for r in range(move.rows):
            for c in range(move.filled or move.columns):
                p = at[1] + matrix * loop.dst_stride + forms[1].place(r, c)
                q = at[0] + matrix * loop.src_stride + forms[0].place(r, c)
                here = source[q : q + size] if c < move.columns else 0
                target[p : p + size] = here
    return target


@st.composite
def plain_moves(draw: Any) -> tuple[TileMove[int], Sequence[Form], tuple[int, int]]:
    dtype = draw(st.sampled_from(TYPES))
    rows, columns = draw(st.integers(1, 40)), draw(st.integers(1, 40))
    filled = columns + draw(st.integers(0, 9)) if draw(st.booleans()) else None
    wide = filled or columns
    names = [draw(st.sampled_from(sorted(FORMS))) for _ in range(2)]
    forms = tuple(FORMS[name](dtype, rows, wide, draw(st.integers(0, 2))) for name in names)
    loop = None
    if draw(st.booleans()):
        steps = [form.size + 32 * draw(st.integers(0, 2)) for form in forms]
        loop = BurstLoop(draw(st.integers(1, 3)), *steps)
    layouts = forms[0].layout, forms[1].layout
    move = TileMove("l1", "ub", dtype, dtype, rows, columns, *layouts, loop, filled)
    return move, forms, (32 * draw(st.integers(0, 3)), 32 * draw(st.integers(0, 3)))


@settings(deadline=None)
@given(plain_moves())
def test_elements_are_where_the_layouts_say(case: Any) -> None:
    move, forms, (at, to) = case
    machine = Machine()
    wanted = expected_bytes(machine, move, forms, (at, to))
    machine.move(at, to, move)
    assert machine.region("ub").data.tolist() == wanted.tolist()


def test_unaligned_elements_move() -> None:
    """GM may begin anywhere: f32 at an odd byte."""
    machine = Machine()
    form, to = plain_form(F32, 5, 7, gap=1), FORMS["nz"](F32, 5, 7)
    move = TileMove("gm", "l1", F32, F32, 5, 7, form.layout, to.layout)
    wanted = expected_bytes(machine, move, (form, to), (3, 64))
    machine.move(3, 64, move)
    assert machine.region("l1").data.tolist() == wanted.tolist()


def test_elements_that_lie_on_each_other() -> None:
    """Row after row, each from its first column on: the last one stays."""
    machine = Machine()
    row = 6
    move = TileMove("gm", "l1", F16, F16, 4, 5, plain(10, 2), plain(row, 2))
    data = machine.region("gm").data
    wanted = machine.region("l1").data.copy()
    for r in range(4):
        for c in range(5):
            wanted[r * row + 2 * c :][:2] = data[r * 10 + 2 * c :][:2]
    machine.move(0, 0, move)
    assert machine.region("l1").data.tolist() == wanted.tolist()


def test_nothing_to_move() -> None:
    machine = Machine()
    before = machine.region("l1").data.tolist()
    for rows, columns, matrices in ((0, 5, 1), (5, 0, 1), (5, 5, 0)):
        loop = BurstLoop(matrices, 0, 0)
        machine.move(
            0, 0, TileMove("gm", "l1", I8, I8, rows, columns, plain(8, 1), plain(8, 1), loop)
        )
    assert machine.region("l1").data.tolist() == before


def test_conversion_with_parameters_of_columns() -> None:
    """Each element times the number of its column, as i32."""
    machine = Machine()
    rows, columns = 3, 5
    values = np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)
    machine.region("l0c").data[:60] = values.view(np.uint8).reshape(-1)
    scales = machine.region("fb").data[8 : 8 + 8 * columns].view(np.float32)
    scales[::2] = [1, 2, -3, 4, 0.5]
    move = TileMove(
        "l0c", "gm", F32, I32, rows, columns, plain(20, 4), plain(24, 4),
        convert=lambda x, given: (x * given[0]).rint().cast(I32),
        parameters=(ColumnParameters("fb", 8, F32, 8),),
    )  # fmt: skip
    machine.move(0, 4, move)
    found = machine.region("gm").data[4:]
    for r in range(rows):
        for c, scale in enumerate([1, 2, -3, 4, 0.5]):
            (one,) = found[24 * r + 4 * c :][:4].view(np.int32)
            assert one == round((r * columns + c) * scale)


def test_conversion_with_scalars() -> None:
    """They come after the parameters of columns: each element plus the number of its column,
    times an f32."""
    machine = Machine()
    machine.region("l0c").data[:24] = np.arange(6, dtype=np.float32).view(np.uint8)
    machine.region("fb").data[:12] = np.array([10, 20, 30], np.float32).view(np.uint8)
    move = TileMove(
        "l0c", "gm", F32, F32, 2, 3, plain(12, 4), plain(12, 4),
        convert=lambda x, given: (x + given[0]) * given[1],
        parameters=(ColumnParameters("fb", 0, F32, 4),),
        scalars=(constant(F32, 1, 0.5),),
    )  # fmt: skip
    machine.move(0, 0, move)
    found = machine.region("gm").data[:24].view(np.float32).tolist()
    assert found == [(n + 10 * (n % 3 + 1)) / 2 for n in range(6)]


def test_one_element_converts() -> None:
    machine = Machine()
    machine.region("l0c").data[:4] = np.array([2.5], np.float32).view(np.uint8)
    layout = plain(32, 4)
    move = TileMove("l0c", "ub", F32, F16, 1, 1, layout, layout, convert=lambda x, _: x.cast(F16))
    machine.move(0, 0, move)
    assert machine.region("ub").data[:2].view(np.float16) == 2.5


@pytest.mark.parametrize("apart", [True, False])
def test_updates_of_gm(apart: bool) -> None:
    """Where elements lie on each other, each adds to what the one before it left."""
    machine = Machine()
    machine.region("gm").data[:] = np.arange(1024, dtype=np.int32).view(np.uint8)
    added = np.arange(100, 112, dtype=np.int32)
    machine.region("l0c").data[:48] = added.view(np.uint8)
    row = 32 if apart else 8
    mode = atomics.mode_of(SI32, "add")
    move = TileMove(
        "l0c", "gm", I32, I32, 3, 4, plain(16, 4), plain(row, 4), atomic=mode
    )  # fmt: skip
    machine.move(0, 8, move)
    wanted = list(range(1024))
    for r in range(3):
        for c in range(4):
            wanted[2 + r * row // 4 + c] += 100 + 4 * r + c
    assert machine.region("gm").data.view(np.int32).tolist() == wanted


def test_ub_of_the_core_that_is_named() -> None:
    """Both vector cores' UBs are within reach of the matrix core."""
    for core in (0, 1):
        machine = Machine()
        other = machine.region("ub", 1 - core).data.tolist()
        layout = plain(32, 4)
        machine.move(0, 0, TileMove("l0c", "ub", F32, F32, 2, 8, layout, layout, core=core))
        moved = machine.region("l0c").data[:64].tolist()
        assert machine.region("ub", core).data[:64].tolist() == moved
        assert machine.region("ub", 1 - core).data.tolist() == other


def test_copies_reach_the_core_that_is_named() -> None:
    machine = Machine()
    rows = (BurstLoop(1, 0, 0),)
    for core in (0, 1):
        copy = Transfer(CopyPath("l1", "ub"), I8, 64, rows, core=core)
        machine.core.transfer(machine.site, number(64 * core), number(0), copy.map(number))
        moved = machine.region("l1").data[64 * core :][:64].tolist()
        assert machine.region("ub", core).data[:64].tolist() == moved
    back = Transfer(CopyPath("ub", "l1"), I8, 64, rows, core=1)
    machine.core.transfer(machine.site, number(0), number(512), back.map(number))
    assert machine.region("l1").data[512:576].tolist() == moved
    wrong = Transfer(CopyPath("l1", "ub"), I8, 64, rows, core=2).map(number)
    with pytest.raises(Fault, match="no vector core 2"):
        machine.core.transfer(machine.site, number(0), number(0), wrong)


def faults(machine: Machine, src: int, dst: int, move: TileMove[int]) -> Fault:
    """The fault of a move, which changes nothing."""
    spaces = ("gm", "l1", "ub", "l0c", "fb")
    before = [machine.region(space).data.copy() for space in spaces]
    with pytest.raises(Fault) as raised:
        machine.move(src, dst, move)
    for space, was in zip(spaces, before, strict=True):
        assert (machine.region(space).data == was).all()
    return raised.value


MOVE = TileMove("gm", "l1", F16, F16, 4, 8, plain(16, 2), plain(32, 2))


def test_outside_of_the_source() -> None:
    said = faults(Machine(gm_bytes=100), 50, 0, MOVE)
    assert (said.code, said.message) == (
        "PTO0902",
        "reads element 100 of %x, which has 100 elements",
    )
    assert (said.found, said.expected) == ("16 bytes at byte 98 of %x", "bytes 0 to 99")


def test_outside_of_the_target() -> None:
    said = faults(Machine(), 0, 512 * 1024 - 96, MOVE)
    assert said.code == "PTO0901"
    assert said.message == "writes 16 bytes at L1 address 524288, outside L1"
    assert said.expected == "bytes 0 to 524287 (512 KiB)"
    below = replace(MOVE, target_layout=plain(-32, 2))
    assert faults(Machine(), 0, 64, below).found == "bytes -32 to -17"


def test_zeros_outside_of_the_target() -> None:
    machine = Machine()
    at = 512 * 1024 - 112
    machine.move(0, at, MOVE)
    said = faults(machine, 0, at, replace(MOVE, filled=9))
    assert said.message == "writes 18 bytes at L1 address 524272, outside L1"


def test_parameters_outside_of_their_memory() -> None:
    given = (ColumnParameters("fb", 4096 - 8 * 4, F32, 8),)
    move = replace(MOVE, columns=4, parameters=given, convert=lambda x, _: x)
    machine = Machine()
    machine.move(0, 0, move)
    said = faults(machine, 0, 0, replace(move, columns=5))
    assert said.message == "reads 4 bytes at FB address 4096, outside FB"


def test_misaligned() -> None:
    move = replace(MOVE, alignment=(2, 32))
    assert faults(Machine(), 1, 0, move).message == "GM address 1 is not a multiple of 2 bytes"
    said = faults(Machine(), 0, 48, move)
    assert (said.code, said.message) == ("PTO0903", "L1 address 48 is not a multiple of 32 bytes")


def test_read_only() -> None:
    machine = Machine()
    machine.region("gm").writeable = False
    assert faults(machine, 0, 0, replace(MOVE, source="l1", target="gm")).code == "PTO0909"


def test_negative_counts() -> None:
    said = faults(Machine(), 0, 0, replace(MOVE, rows=-1))
    assert (said.code, said.message) == ("PTO0907", "the row count is negative")
    assert (said.found, said.expected) == ("-1", "0 or more")
    loop = replace(MOVE, matrices=BurstLoop(-2, 0, 0))
    assert faults(Machine(), 0, 0, loop).message == "the loop count is negative"


def test_no_such_core() -> None:
    move = replace(MOVE, source="l1", target="ub", core=2)
    said = faults(Machine(), 0, 0, move)
    assert (said.found, said.expected) == ("2", "0 or 1")


@pytest.mark.parametrize("operation", atomics.OPERATIONS)
def test_updates_of_elements_of_another_size(operation: str) -> None:
    mode = atomics.mode_of(F16, operation)
    layout = plain(32, 4)
    move = TileMove("l0c", "gm", F32, F32, 1, 8, layout, layout, atomic=mode)
    said = faults(Machine(), 0, 0, move)
    assert said.code == "PTO0914"
    assert (said.found, said.expected) == ("elements of f32", "elements of 16 bits")
    whole = replace(move, target_type=F16, convert=lambda x, _: x.cast(F16))
    assert faults(Machine(), 0, 1, whole).code == "PTO0903"


def test_pieces_of_blocks() -> None:
    """A last block that is not whole, along both axes, of blocks that go backwards."""
    machine = Machine()
    layout = TileLayout(Axis(3, 64, 2), Axis(2, -256, 8))
    form = Form(layout, lambda r, c: r // 3 * 64 + r % 3 * 2 + c // 2 * -256 + c % 2 * 8, 0)
    to = plain_form(F16, 7, 5)
    move = TileMove("l1", "ub", F16, F16, 7, 5, layout, to.layout)
    read = elements(machine.region("l1").data, 1024, form, 7, 5, F16)
    machine.move(1024, 0, move)
    assert elements(machine.region("ub").data, 0, to, 7, 5, F16) == read
