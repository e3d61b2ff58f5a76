"""Which copies of a kernel are worth leaving out (see `elision`). Only speed depends on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from ptoscope.isa import TABLE
from ptoscope.isa.copies import CopyPath
from ptoscope.isa.types import AttrValue
from ptoscope.program import Block, Function, Loop, Op, Scope

_MOST_LOOPS = 1
"""Around a load or store in a vecscope: one in more of them may come to the same bytes again."""


def into_ub(op: Op) -> bool:
    """Whether an operation copies from GM to UB."""
    return _path(op) == ("gm", "ub")


def out_of_ub(op: Op) -> bool:
    """Whether an operation copies from UB to GM."""
    return _path(op) == ("ub", "gm")


def _path(op: Op) -> tuple[str, str]:
    record = TABLE.get(op.name)
    path = CopyPath("", "") if record is None or record.path is None else record.path
    return path.source, path.target


def copied_to(function: Function, least: int) -> list[int]:
    """The slots of pointers to tiles that are copied to UB, but for those that are known to have
    less bytes."""
    known = constants(function)
    return sorted(
        {op.operands[1] for op in function.ops() if into_ub(op) and not is_less(op, known, least)}
    )


def constants(function: Function) -> dict[int, AttrValue]:
    """The constants of a function."""
    return {
        op.results[0]: op.attrs["value"]
        for op in function.ops()
        if "value" in op.attrs and not op.operands
    }


def is_less(copy: Op, known: Mapping[int, AttrValue], least: int) -> bool:
    """Whether a copy is known to have less bytes."""
    form = TABLE[copy.name].forms[copy.form]
    names = [operand.name for operand in form.operands]
    names += [operand.name for group in form.groups[:1] for operand in group.operands]
    given = dict(zip(names, copy.operands, strict=False))
    length, rows = (known.get(given.get(name, -1)) for name in ("len_burst", "n_burst"))
    return isinstance(length, int) and isinstance(rows, int) and length * rows < least


def read_once(function: Function, least: int) -> list[int]:
    """Those that are read at one place only, once for each time that they are copied."""
    tiles = copied_to(function, least)
    reads: dict[int, list[TileUse]] = {slot: [] for slot in tiles}
    homes: dict[int, set[int]] = {slot: set() for slot in tiles}
    for use in _uses(function.body, {slot: slot for slot in tiles}):
        if into_ub(use.op) and use.slot == use.op.operands[1]:
            homes[use.slot].add(use.home)
        elif use.loops is None or use.op.results:
            reads[use.slot].append(use)
    return [slot for slot in tiles if _is_once(reads[slot], homes[slot])]


def _is_once(reads: list[TileUse], homes: set[int]) -> bool:
    """Whether there is one read, in the block with the copies, and beside it no access by offsets,
    for which all tiles are brought to UB."""
    if len(reads) != 1 or homes != {reads[0].home}:
        return False
    (read,) = reads
    if read.loops is None or read.scope is None:
        return out_of_ub(read.op)
    return read.loops <= _MOST_LOOPS and not any(map(_is_by_offsets, read.scope.body.walk()))


def _is_by_offsets(op: Op) -> bool:
    record = TABLE.get(op.name)
    return record is not None and record.is_by_offsets


def stored_once(scope: Scope, pointer: int) -> bool:
    """Whether a vecscope stores through a pointer at one place only."""
    named = {pointer: pointer}
    named |= {arg: slot for arg, slot in _inputs(scope) if slot == pointer}
    stores = [use for use in _uses(scope.body, named, 0, 0) if not use.op.results]
    return len(stores) == 1 and (stores[0].loops or 0) <= _MOST_LOOPS


def _inputs(scope: Scope) -> Iterator[tuple[int, int]]:
    """The arguments of a vecscope, each with what is given for it."""
    yield from zip(scope.args, scope.inputs, strict=False)


class TileUse(NamedTuple):
    """An operation that takes a value, the block that it, or its vecscope, stands in, how many
    loops are around it in its vecscope, None outside, and the vecscope."""

    op: Op
    slot: int
    home: int
    loops: int | None
    scope: Scope | None


def _uses(
    block: Block,
    names: dict[int, int],
    loops: int | None = None,
    home: int | None = None,
    scope: Scope | None = None,
) -> Iterator[TileUse]:
    """The operations that take values of these names, each with what it is named for."""
    here = id(block) if home is None else home
    for op in block.ops:
        inside, inner, around, within = names, loops, home, scope
        if isinstance(op, Scope):
            inner, around, within = 0, here, op
            inside = names | {arg: names[slot] for arg, slot in _inputs(op) if slot in names}
        else:
            yield from (
                TileUse(op, names[slot], here, loops, scope)
                for slot in op.operands
                if slot in names
            )
            if isinstance(op, Loop) and loops is not None:
                inner = loops + 1
        for part in op.blocks:
            yield from _uses(part, inside, inner, around, within)


class Delivery(NamedTuple):
    """A copy to GM behind a vecscope that stores for it, and what it takes that is computed in
    between."""

    copy: Op
    before: list[Op]


def delivery(following: Iterable[Op]) -> Delivery | None:
    """The copy to GM that is the next of these operations, but for what only computes or
    synchronises."""
    pure: list[Op] = []
    for op in following:
        record = TABLE.get(op.name)
        if record is None or op.blocks:
            return None
        if out_of_ub(op):
            needed = set(op.operands)
            first: list[Op] = []
            for one in reversed(pure):
                if not needed.isdisjoint(one.results):
                    needed.update(one.operands)
                    first.insert(0, one)
            return Delivery(op, first)
        if record.pure and record.where == "anywhere" and op.results:
            pure.append(op)
        elif record.order is None:
            return None
    return None


def deliveries(block: Block, everywhere: bool) -> Iterator[tuple[int, Delivery]]:
    """The vecscopes that store at one place only what is copied to GM then."""
    for i, op in enumerate(block.ops):
        for part in op.blocks:
            yield from deliveries(part, everywhere)
        if isinstance(op, Scope):
            found = delivery(islice(block.ops, i + 1, None))
            if found is not None and (everywhere or stored_once(op, found.copy.operands[0])):
                yield id(op), found
