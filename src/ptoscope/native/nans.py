"""NaN: the rule is that arithmetic makes the canonical one.

The processor does not, so a row remembers what its NaN lanes may hold, and they are made
canonical only where their bits would become visible: in memory, as integers, or beside bits
that have to stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable

from ptoscope.isa.dtypes import F16, F32, I1, UI16, DType
from ptoscope.machine.elements import QUIET_NAN
from ptoscope.native import types
from ptoscope.native.llvm_text import Code, Value
from ptoscope.native.permutes import picked

CANONICAL, ARITHMETIC, RAW = 0, 1, 2
"""What NaN lanes hold: the canonical one; what the processor made, to be read as canonical;
any, to be kept as it is."""

_REGISTER_BYTES = 64
"""Of the widest registers there are; narrower ones take a few more instructions."""


def made_canonical(code: Code, dtype: DType, count: int, row: Value) -> Value:
    """A row with NaNs of the processor, with the canonical one in their place."""
    if dtype is F16:
        return _half(code, count, row)
    if not is_looked_for(dtype, count):
        return _replaced(code, dtype, count, row)
    replaced = row

    def replace() -> None:
        nonlocal replaced
        replaced = _replaced(code, dtype, count, row)

    before, cold = _where_some(code, dtype, count, row, replace)
    return code.phi(row.type, (row, before), (replaced, cold))


def is_looked_for(dtype: DType, count: int) -> bool:
    """Whether a row is looked through for NaNs before any is replaced."""
    return dtype is not F16 and count >= F32.lanes


def stored_canonical(
    code: Code, dtype: DType, count: int, row: Value, place: Value, alignment: int
) -> None:
    """Stores such a row. It is there before it is looked through, and again where it has a NaN:
    what is loaded, made and stored at once keeps the processor busier."""
    code.store(row, place, alignment)

    def again() -> None:
        code.store(_replaced(code, dtype, count, row), place, alignment)

    _where_some(code, dtype, count, row, again)


def _where_some(
    code: Code, dtype: DType, count: int, row: Value, act: Callable[[], None]
) -> tuple[str, str]:
    """Does something where a row has a NaN, which is rare; the labels of both ways."""
    # Two registers in one comparison, and a branch.
    lanes = _REGISTER_BYTES // dtype.bytes
    parts = [tuple(range(i, i + lanes)) for i in range(0, count, lanes)]
    groups = [picked(code, dtype, count, row, part) for part in parts]
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
        act()
        code.jump(after)
    code.place(after)
    return before, cold


def _replaced(code: Code, dtype: DType, count: int, row: Value) -> Value:
    odd = code.emit(types.row(I1, count), f"fcmp uno {row}, {row.name}")
    nan = types.constant(dtype, count, QUIET_NAN[dtype])
    return code.emit(row.type, f"select {odd}, {row.type} {nan}, {row}")


def _half(code: Code, count: int, row: Value) -> Value:
    """Compares the bits of f16 as integers: that takes no conversion."""
    size = code.emit(row.type, f"and {row}, {types.constant(UI16, count, 0x7FFF)}")
    above = types.constant(UI16, count, 0x7C00)
    odd = code.emit(types.row(I1, count), f"icmp ugt {size}, {above}")
    nan = types.constant(UI16, count, QUIET_NAN[F16])
    return code.emit(row.type, f"select {odd}, {row.type} {nan}, {row}")
