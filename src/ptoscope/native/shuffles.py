"""Lanes in an order that is known now, as one or two LLVM shuffles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptoscope.native import types

if TYPE_CHECKING:
    from ptoscope.native.lanes import NativeLanes


def picked(
    row: NativeLanes, order: tuple[int, ...], other: NativeLanes | None = None
) -> NativeLanes:
    """Lane i is lane order[i] of the row and the other one behind it; zero where that is
    negative."""
    code, count = row.code, len(order)
    if count == 1:
        lane = f"extractelement {row.value}, i64 {order[0]}"
        return row.like(code.emit(types.element(row.dtype), lane), row.nans, 1)
    target = types.row(row.dtype, count)
    if other is None:
        filled = tuple(row.count if i < 0 else i for i in order)
        source = f"{row.value}, {row.type} zeroinitializer, {types.indices(filled)}"
        return row.like(code.emit(target, f"shufflevector {source}"), row.nans, count)
    source = f"{row.value}, {other.value}, {types.indices(order)}"
    made = code.emit(target, f"shufflevector {source}")
    if min(order) < 0:
        kept = tuple(count if i < 0 else n for n, i in enumerate(order))
        source = f"{made}, {target} zeroinitializer, {types.indices(kept)}"
        made = code.emit(target, f"shufflevector {source}")
    return row.like(made, max(row.nans, other.nans), count)


def splatted(row: NativeLanes, count: int) -> NativeLanes:
    """The only lane, so often."""
    kind = types.row(row.dtype, count)
    first = row.code.emit(kind, f"insertelement {kind} poison, {row.value}, i64 0")
    zeros = f"<{count} x i32> zeroinitializer"
    made = row.code.emit(kind, f"shufflevector {first}, {kind} poison, {zeros}")
    return row.like(made, row.nans, count)
