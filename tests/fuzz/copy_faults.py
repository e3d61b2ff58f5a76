"""Copies that go wrong in one iteration of a loop."""

from __future__ import annotations

from ptoscope.isa.dtypes import I64, INDEX, UI8
from tests.fuzz import faults, memory
from tests.fuzz.faults import Fault
from tests.fuzz.kernel import Value
from tests.fuzz.text import MARK, Block

ROW = 32
"""Bytes that a copy moves in every iteration."""


def _copy_in(block: Block, gm: Value, ub: Value, length: Value) -> None:
    zero, one = (block.kernel.constant(n, I64) for n in (0, 1))
    block.emit('pto.pipe_barrier "PIPE_MTE2"')
    text = f"pto.mte_gm_ub {gm.name}, {ub.name}, {zero.name}, {length.name}"
    text += f" nburst({one.name}, {zero.name}, {zero.name})"
    block.emit(f"{text} : {gm.type}, {ub.type}, i64, i64, i64, i64, i64{MARK}")


def _copy_out(block: Block, ub: Value, gm: Value, length: Value) -> None:
    zero, one = (block.kernel.constant(n, I64) for n in (0, 1))
    block.emit('pto.pipe_barrier "PIPE_MTE3"')
    text = f"pto.mte_ub_gm {ub.name}, {gm.name}, {length.name}"
    text += f" nburst({one.name}, {zero.name}, {zero.name})"
    block.emit(f"{text} : {ub.type}, {gm.type}, i64, i64, i64, i64{MARK}")


def _target(block: Block) -> int:
    return block.kernel.reserve_source(2 * ROW)


def _too_long(block: Block, bad: Value) -> None:
    kernel = block.kernel
    gm, ub = kernel.array(UI8, ROW, "x"), kernel.pointer(_target(block), UI8)
    _copy_in(block, gm, ub, faults.number(block, bad, block.rng.choice((1 << 16, -1)), ROW, I64))


def _too_long_out(block: Block, bad: Value) -> None:
    kernel = block.kernel
    gm, ub = kernel.array(UI8, ROW, "y"), kernel.pointer(0, UI8)
    _copy_out(block, ub, gm, faults.number(block, bad, 1 << 20, ROW, I64))


def _moved(block: Block, gm: Value, bad: Value, wrong: int) -> Value:
    at = faults.number(block, bad, wrong, 0, INDEX)
    return memory.moved(block, gm, at)


def _before_the_array(block: Block, bad: Value) -> None:
    kernel = block.kernel
    gm, ub = kernel.array(UI8, ROW, "x"), kernel.pointer(_target(block), UI8)
    wrong = block.rng.choice((-1, 1, ROW, 1 << 30))
    _copy_in(block, _moved(block, gm, bad, wrong), ub, kernel.constant(ROW, I64))


def _behind_the_array(block: Block, bad: Value) -> None:
    kernel = block.kernel
    gm, ub = kernel.array(UI8, ROW, "y"), kernel.pointer(0, UI8)
    wrong = block.rng.choice((-1, 1, ROW, 1 << 30))
    _copy_out(block, ub, _moved(block, gm, bad, wrong), kernel.constant(ROW, I64))


def _crooked(block: Block, bad: Value) -> None:
    kernel = block.kernel
    gm, ub = kernel.array(UI8, ROW, "x"), kernel.pointer(_target(block), UI8)
    to = _moved(block, ub, bad, block.rng.choice((1, 8, 16, 31)))
    _copy_in(block, gm, to, kernel.constant(ROW, I64))


def _outside_ub(block: Block, bad: Value) -> None:
    kernel = block.kernel
    gm, ub = kernel.array(UI8, ROW, "x"), kernel.pointer(_target(block), UI8)
    to = _moved(block, ub, bad, block.rng.choice((kernel.target.ub_bytes, -kernel.target.ub_bytes)))
    _copy_in(block, gm, to, kernel.constant(ROW, I64))


def _read_only(block: Block, bad: Value) -> None:
    kernel = block.kernel
    kind = kernel.array(UI8, ROW, "y")
    kernel.change(kind, writeable=False)
    other = kernel.array(UI8, ROW, "y")
    gm = kernel.fresh(kind.type)
    names = f"{bad.name}, {kind.name}, {other.name}"
    block.emit(f"{gm.name} = arith.select {names} : {kind.type}")
    _copy_out(block, kernel.pointer(0, UI8), gm, kernel.constant(ROW, I64))


FAULTS: tuple[Fault, ...] = (
    Fault("PTO0907", ("in",), _too_long),
    Fault("PTO0907", ("out",), _too_long_out),
    Fault("PTO0902", ("in",), _before_the_array),
    Fault("PTO0902", ("out",), _behind_the_array),
    Fault("PTO0903", ("in",), _crooked),
    Fault("PTO0901", ("in",), _outside_ub),
    Fault("PTO0909", ("out",), _read_only),
)
