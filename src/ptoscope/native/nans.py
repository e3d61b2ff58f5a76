"""NaN: the rule is that arithmetic makes the canonical one.

The processor does not, so a row remembers what its NaN lanes may hold, and they are made
canonical only where their bits would become visible: in memory, as integers, or beside bits
that have to stay as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptoscope.isa.dtypes import F16, F32, I1, UI16
from ptoscope.native import types
from ptoscope.native.llvm_text import Value
from ptoscope.native.shuffles import picked

if TYPE_CHECKING:
    from ptoscope.native.lanes import NativeLanes

CANONICAL, ARITHMETIC, RAW = 0, 1, 2
"""What NaN lanes hold: the canonical one; what the processor made, to be read as canonical;
any, to be kept as it is."""

_REGISTER_BYTES = 64
"""Of the widest registers there are; narrower ones take a few more instructions."""


def settled(one: NativeLanes, two: NativeLanes) -> tuple[NativeLanes, NativeLanes]:
    """Two rows that become one: beside bits that are kept, NaN has to be canonical."""
    if RAW in (one.nans, two.nans):
        return one.canonical(), two.canonical()
    return one, two


def made_canonical(row: NativeLanes) -> NativeLanes:
    """A row with NaNs of the processor, with the canonical one in their place."""
    if row.shuffled is not None and row.shuffled[0].count <= row.count:
        source, order = row.shuffled
        return source.canonical().shuffle(order)
    if row.dtype is F16:
        return _half(row)
    if row.count < F32.lanes:
        return row.like(_replaced(row))
    # There is rarely one: two registers in one comparison, and a branch.
    code = row.code
    lanes = _REGISTER_BYTES // row.dtype.bytes
    groups = [picked(row, tuple(range(i, i + lanes))).value for i in range(0, row.count, lanes)]
    truth = types.row(I1, lanes)
    odd = [
        code.emit(truth, f"fcmp uno {one}, {two.name}")
        for one, two in zip(groups[::2], groups[1::2], strict=True)
    ]
    while len(odd) > 1:
        one, two = odd.pop(), odd.pop()
        odd.insert(0, code.emit(truth, f"or {one}, {two.name}"))
    packed = code.emit(f"i{lanes}", f"bitcast {odd[0]} to i{lanes}")
    some = code.emit("i1", f"icmp ne {packed}, 0")
    before, cold, after = code.function.label, code.label("nan"), code.label("on")
    code.branch(some, cold, after, unlikely=True)
    with code.aside(cold):
        replaced = _replaced(row)
        code.jump(after)
    code.place(after)
    return row.like(code.phi(row.type, (row.value, before), (replaced, cold)))


def _replaced(row: NativeLanes) -> Value:
    x = row.value
    odd = row.code.emit(types.row(I1, row.count), f"fcmp uno {x}, {x.name}")
    nan = types.constant(row.dtype, row.count, types.QUIET_NAN[row.dtype])
    return row.code.emit(row.type, f"select {odd}, {row.type} {nan}, {x}")


def _half(row: NativeLanes) -> NativeLanes:
    """Without comparing halves, which takes converting them."""
    code, wide, count = row.code, row.wide, row.count
    if wide is not None and wide.nans == ARITHMETIC and count <= F32.lanes:
        return wide.canonical().cast(F16)
    kind = types.row(UI16, count)
    raw = code.emit(kind, f"bitcast {row.value} to {kind}")
    size = code.emit(kind, f"and {raw}, {types.constant(UI16, count, 0x7FFF)}")
    above = types.constant(UI16, count, 0x7C00)
    odd = code.emit(types.row(I1, count), f"icmp ugt {size}, {above}")
    nan = types.constant(UI16, count, types.QUIET_NAN[F16])
    made = code.emit(kind, f"select {odd}, {kind} {nan}, {raw}")
    return row.like(code.emit(row.type, f"bitcast {made} to {row.type}"))
