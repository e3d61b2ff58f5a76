"""How a value crosses a join of control flow: as which parts.

Two values that meet have to have the same parts: a mask may be lanes of some count or the
whole register, a row may have to be canonical.
"""

from __future__ import annotations

from typing import NamedTuple

from ptoscope.isa.dtypes import I1, DType
from ptoscope.isa.lanes import PREDICATE_BITS
from ptoscope.isa.types import Mask, Type
from ptoscope.native import types
from ptoscope.native.lanes import NativeLanes
from ptoscope.native.llvm_text import Code, Value
from ptoscope.native.stream import NativeStream


class JoinShape(NamedTuple):
    """Of a row: type, count and what NaN lanes hold. Of a mask: how many lanes carry it.
    Of a stream: nothing."""

    kind: str
    dtype: DType = I1
    lanes: int = 0
    nans: int = 0


def shape(value: object, type: Type) -> JoinShape:
    """The shape of a value."""
    if isinstance(value, NativeStream):
        return JoinShape("stream")
    assert isinstance(value, NativeLanes)
    if isinstance(type, Mask):
        return JoinShape("mask", I1, value.gated.count)
    return JoinShape("row", value.dtype, value.count, value.nans)


def join(one: JoinShape, two: JoinShape) -> JoinShape:
    """The shape that both can take."""
    if one.kind == "mask" and one.lanes != two.lanes:
        return JoinShape("mask", I1, PREDICATE_BITS)
    return one._replace(nans=max(one.nans, two.nans))


def parts(value: object, shape: JoinShape) -> list[Value]:
    """The parts of a value in a shape."""
    if isinstance(value, NativeStream):
        return list(value.parts)
    assert isinstance(value, NativeLanes)
    if shape.kind == "mask":
        if value.gated.count == shape.lanes:
            return [value.gated.value]
        return [value.value]
    return [(value.canonical() if shape.nans > value.nans else value).value]


def kinds(shape: JoinShape) -> list[str]:
    """The LLVM types of the parts."""
    if shape.kind == "stream":
        return [part.type for part in NativeStream.fresh().parts]
    return [types.row(shape.dtype, shape.lanes)]


def rebuilt(code: Code, shape: JoinShape, values: list[Value]) -> object:
    """A value of parts."""
    if shape.kind == "stream":
        return NativeStream(*values)
    row = NativeLanes(code, shape.dtype, shape.lanes, values[0], nans=shape.nans)
    return row.image() if shape.kind == "mask" else row
