"""How a value crosses a join of control flow: as which parts.

Two values that meet have to have the same parts: a mask may be lanes of some count or the
whole register, a row may have to be canonical.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ptoscope.isa.dtypes import I1, DType
from ptoscope.isa.lanes import PREDICATE_BITS
from ptoscope.isa.types import Mask, Type
from ptoscope.native import types
from ptoscope.native.lanes import NativeLanes
from ptoscope.native.llvm_text import Code, Value
from ptoscope.native.stream import NativeStream

Parts = list[Value]
"""What a value consists of in the code."""


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


def join(one: list[JoinShape], two: list[JoinShape]) -> list[JoinShape]:
    """The shapes that both can take, value by value."""
    return [_join(a, b) for a, b in zip(one, two, strict=True)]


def _join(one: JoinShape, two: JoinShape) -> JoinShape:
    if one.kind == "mask" and one.lanes != two.lanes:
        return JoinShape("mask", I1, PREDICATE_BITS)
    return one._replace(nans=max(one.nans, two.nans))


def parts(values: list[Any], shapes: list[JoinShape]) -> list[Parts]:
    """The parts of values in their shapes."""
    return [_parts(v, s) for v, s in zip(values, shapes, strict=True)]


def _parts(value: object, shape: JoinShape) -> Parts:
    if isinstance(value, NativeStream):
        return list(value.parts)
    assert isinstance(value, NativeLanes)
    if shape.kind == "mask":
        if value.gated.count == shape.lanes:
            return [value.gated.value]
        return [value.value]
    return [(value.canonical() if shape.nans > value.nans else value).value]


def promised(code: Code, shapes: list[JoinShape]) -> list[Parts]:
    """Parts that come out of a join; `phi_lines` makes them."""
    return [[code.promised(kind) for kind in _kinds(shape)] for shape in shapes]


def _kinds(shape: JoinShape) -> list[str]:
    """The LLVM types of the parts."""
    if shape.kind == "stream":
        return [part.type for part in NativeStream.fresh().parts]
    return [types.row(shape.dtype, shape.lanes)]


def phi_lines(values: list[Parts], *edges: tuple[list[Parts], str]) -> list[str]:
    """What makes promised parts: those that each edge brings, with the block it comes from."""
    lines: list[str] = []
    for n, row in enumerate(values):
        for m, value in enumerate(row):
            pairs = ", ".join(f"[ {came[n][m].name}, %{label} ]" for came, label in edges)
            lines.append(f"  {value.name} = phi {value.type} {pairs}")
    return lines


def rebuilt(code: Code, shapes: list[JoinShape], values: list[Parts]) -> list[Any]:
    """Values of their parts."""
    return [_rebuilt(code, s, v) for s, v in zip(shapes, values, strict=True)]


def _rebuilt(code: Code, shape: JoinShape, values: Parts) -> object:
    if shape.kind == "stream":
        return NativeStream(*values)
    row = NativeLanes(code, shape.dtype, shape.lanes, values[0], nans=shape.nans)
    return row.image() if shape.kind == "mask" else row
