"""Buffers that overlap: two accesses meet there that were never meant to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ptoscope.check.flow import Values
from ptoscope.dataflow import Definition, OpResult
from ptoscope.isa.types import Ptr, Space
from ptoscope.program import Op


class BufferAccess(NamedTuple):
    """An access to the bytes `first` to `last` of a memory, inclusive; `exact` where these are
    addresses."""

    op: Op
    writes: bool
    space: Space
    first: int
    last: int
    exact: bool = True


class Overlap(NamedTuple):
    """What is said of two buffers."""

    found: str
    hint: str


def overlap_of(
    values: Values, early: BufferAccess, late: BufferAccess, within_scope: bool
) -> Overlap | None:
    """Whether two accesses that meet, both in one vecscope or not, belong to two buffers. Where
    one pipe reads what another one has written, all of it or as a part of more, the two pointers
    are taken for one buffer."""
    one, two = (_bases(values, access) for access in (early, late))
    if len(one) != 1 or len(two) != 1:
        return None
    (address, first), (other, then) = one.popitem(), two.popitem()
    if address == other:
        return None
    known = [values.constant(slot) for slot in (address, other)]
    passed_on = early.writes and not late.writes and not within_scope
    if known[0] == known[1] and (known[0] is None or passed_on):
        return None
    if passed_on and _one_is_within(early, late):
        return None
    names = [f"%{values.function.names[slot]}" for slot in (first, then)]
    said = [_said(name, access) for name, access in zip(names, (early, late), strict=True)]
    return Overlap(
        f"two buffers that overlap: {said[0]}, {said[1]}",
        f"give {names[0]} and {names[1]} bytes of their own: move one of them, or let the loops "
        "and copies that use them end earlier; order the two accesses only if they are meant to "
        "share these bytes",
    )


def _one_is_within(early: BufferAccess, late: BufferAccess) -> bool:
    outer = min(early.first, late.first), max(early.last, late.last)
    return outer in ((early.first, early.last), (late.first, late.last))


def _said(name: str, access: BufferAccess) -> str:
    where = f"in line {access.op.span.line}"
    if not access.exact:
        return f"{name} {where}"
    return f"bytes {access.first} to {access.last} of {name} {where}"


def _bases(values: Values, access: BufferAccess) -> dict[int, int]:
    """The pointers that an access may have begun with, by the value of their address."""
    types = values.function.types

    def pointers(slot: int, definition: Definition) -> Iterable[int]:
        if isinstance(definition, OpResult):
            return [s for s in definition.op.operands if isinstance(types[s], Ptr)]
        return values.joined(slot)

    def begins(slot: int) -> bool:
        kind = types[slot]
        return isinstance(kind, Ptr) and kind.space == access.space

    return {
        values.origin(definition.op.operands[0]): slot
        for slot, definition in values.walk(filter(begins, access.op.operands), pointers)
        if isinstance(definition, OpResult) and not pointers(slot, definition)
    }
