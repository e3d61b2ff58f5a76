"""Where unaligned streams go on and end: addresses, and how they lie in their block."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ptoscope.check.flow import gives
from ptoscope.check.rule import Context
from ptoscope.check.types import fits
from ptoscope.dataflow import Carried, Fixpoint, InOrder
from ptoscope.isa import TABLE
from ptoscope.isa.dtypes import VREG_BYTES
from ptoscope.isa.patterns import VectorAddress
from ptoscope.isa.record import Record
from ptoscope.isa.roles import StreamKind, StreamStep
from ptoscope.isa.targets import BLOCK_BYTES
from ptoscope.isa.types import Align, Mask, Ptr, Scalar, VReg
from ptoscope.program import For, Op

StreamAddress = tuple[int | None, int]
"""A value plus a number of bytes; from no value, an address."""

Residue = int | None
"""An address modulo a block; ANY if it may be several; None where nothing is stored yet."""
ANY = -1


def does(record: Record | None, *kinds: StreamKind) -> bool:
    """Whether an instruction does one of these to a stream."""
    return record is not None and record.stream is not None and record.stream.kind in kinds


def at_vector_address(record: Record) -> bool:
    """Whether an instruction works at a vector address."""
    return any(isinstance(o.type, VectorAddress) for f in record.forms for o in f.operands)


def among(ops: list[Op], *kinds: StreamKind) -> list[Op]:
    """Those of some operations that do one of these to a stream."""
    return [op for op in ops if does(TABLE.get(op.name), *kinds)]


def step_of(context: Context, op: Op) -> StreamStep:
    """Where a use of a stream works."""
    use = TABLE[op.name].stream
    assert use is not None
    return use.step(op.form, context.revision)


def named_operands(op: Op) -> dict[str, int]:
    """The operands of a use by the names its record gives them."""
    operands = TABLE[op.name].forms[op.form].operands
    return {o.name: slot for o, slot in zip(operands, op.operands, strict=False)}


@dataclass(frozen=True)
class StreamStore:
    """One store: `offset` counts elements of `size` bytes from `base`, or it `goes_on` where the
    stream ended. `length` is in bytes, or `count` a number of elements."""

    align: int
    base: int
    offset: int | None
    size: int
    length: int
    count: int | None
    goes_on: bool


def store_of(context: Context, op: Op) -> StreamStore | None:
    """What a store of a stream does; None where registers of the machine say it."""
    step, named, types = step_of(context, op), named_operands(op), context.function.types
    if step.place == "registers":
        return None
    pointer, value = types[named[step.base]], types[named["value"]]
    return StreamStore(
        named["align_in"],
        named[step.base],
        named[step.offset] if step.offset else None,
        pointer.dtype.bytes if isinstance(pointer, Ptr) else 1,
        value.lanes // 8 if isinstance(value, Mask) else VREG_BYTES,
        named[step.length] if step.length else None,
        step.place == "state",
    )


class Ends:
    """Where the streams of a function end."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.values = context.values
        none: Residue = None
        self._residues = Fixpoint(self.values, none, _join, self._residue, in_order=True)
        self._addresses = InOrder(self._address, self._is_of(Ptr))
        self._numbers = InOrder(self._number, self._is_of(Scalar))
        self._ends = InOrder(self._end, self._is_of(Align))

    def _is_of(self, kind: type[Ptr | Scalar | Align]) -> Callable[[int], bool]:
        return lambda slot: isinstance(self.context.function.types[slot], kind)

    # Addresses

    def address(self, slot: int) -> StreamAddress:
        """A pointer, also one that a stream instruction has advanced."""
        return self._addresses(slot)

    def _address(self, slot: int) -> StreamAddress:
        root, offset = self.values.address(slot)
        op = self.values.made(root) if root is not None else None
        if root is None or op is None or self.values.joined(root):
            return root, offset
        if does(TABLE.get(op.name), "loads"):
            before, at = self.address(named_operands(op)[step_of(self.context, op).base])
            return before, at + VREG_BYTES + offset
        if self.is_store(op) and self._advances(op):
            end = self._stored(op, end=True)
            return (root, offset) if end is None else (end[0], end[1] + offset)
        if self.is_store(op) and self._stays(op):
            before, at = self.address(named_operands(op)[step_of(self.context, op).base])
            return before, at + offset
        return root, offset

    def _stays(self, op: Op) -> bool:
        """Whether the position that a store returns is the one it was given."""
        mode = named_operands(op).get("mode")
        if mode is not None:
            return self.values.constant(mode) == 0
        return op.attrs.get("mode") == "NO_POST_UPDATE"

    def _advances(self, op: Op) -> bool:
        """Whether the position that a store returns lies behind what it stored."""
        mode = named_operands(op).get("mode")
        if mode is not None:
            return self.values.constant(mode) == 1
        return op.attrs.get("mode") != "NO_POST_UPDATE"

    def number(self, slot: int) -> int | None:
        """An integer, also an offset that a stream instruction has advanced."""
        return self._numbers(slot)

    def _number(self, slot: int) -> int | None:
        op = self.values.maker(slot)
        is_offset = isinstance(self.context.function.types[slot], Scalar)
        if op is None or not is_offset or not self.is_store(op):
            return self.values.constant(slot)
        named = named_operands(op)
        before = self.number(named[step_of(self.context, op).offset])
        kind = self.context.function.types[named["value"]]
        if before is None or not isinstance(kind, VReg):
            return None
        return before + kind.lanes if self._advances(op) else before

    def _stored(self, op: Op, *, end: bool) -> StreamAddress | None:
        """Where a store begins or ends, if it is known."""
        step = store_of(self.context, op)
        if step is None:
            return None
        begun = self.end(step.align) if step.goes_on else None
        if step.goes_on and begun is None and not self.is_fresh(step.align):
            return None
        root, at = begun or self.address(step.base)
        if step.offset is not None:
            offset = self.number(step.offset)
            if offset is None:
                return None
            at += offset * step.size
        if not end:
            return root, at
        length = self._length(step)
        return None if length is None else (root, at + length)

    def _length(self, step: StreamStore) -> int | None:
        if step.count is None:
            return step.length
        count = self.values.constant(step.count)
        return None if count is None else count * step.size

    def start(self, op: Op) -> StreamAddress | None:
        """Where a store writes first, if it is known."""
        return self._stored(op, end=False)

    def at(self, op: Op) -> StreamAddress | None:
        """Where a store or a flush writes first; None where the machine alone knows it."""
        if self.is_store(op):
            return self.start(op)
        step, named = step_of(self.context, op), named_operands(op)
        if not step.offset:
            return None
        kind = self.context.function.types[named[step.base]]
        size = kind.dtype.bytes if isinstance(kind, Ptr) and not step.in_bytes else 1
        offset = self.number(named[step.offset])
        root, at = self.address(named[step.base])
        return None if offset is None else (root, at + offset * size)

    def end(self, align: int) -> StreamAddress | None:
        """The place after the last byte of a stream, if it is known."""
        return self._ends(align)

    def _end(self, align: int) -> StreamAddress | None:
        op = self.values.made(align)
        if op is None or self.values.joined(align) or not self.is_store(op):
            return None
        return self._stored(op, end=True)

    def position(self, align: int) -> StreamAddress | None:
        """Where the last store of a stream said that it goes on, if it is known."""
        end, op = self.end(align), self.values.made(align)
        if end is None or op is None or len(op.results) < 2 or self._advances(op):
            return end
        store = store_of(self.context, op)
        if store is None or not self._stays(op):
            return None
        out = op.results[1]
        if isinstance(self.context.function.types[out], Ptr):
            return self.address(out)
        offset, (root, at) = self.number(out), self.address(store.base)
        return None if offset is None else (root, at + offset * store.size)

    def stays_at(self, align: int) -> bool:
        """Returns True if the last store of a stream was one without a post-update, whose result
        is not where it ended."""
        return self.position(align) not in (None, self.end(align))

    def repeats(self, op: Op) -> bool:
        """Returns True if a store begins where the one before it began, which was without a
        post-update, at addresses that need not be known."""
        align = named_operands(op)["align_in"]
        before = self.values.made(align)
        if before is None:
            return self._repeats_itself(op, align)
        if not self.is_store(before) or len(before.results) < 2 or not self._stays(before):
            return False
        place = self._place(op)
        return place is not None and place == self._place(before)

    def _repeats_itself(self, op: Op, align: int) -> bool:
        """Returns True if a store begins at the same place in each of several iterations."""
        carried = self.values.definitions[align]
        if not isinstance(carried, Carried) or carried.yielded not in op.results:
            return False
        if len(op.results) < 2 or not self._stays(op) or not self._is_repeated(carried.loop):
            return False
        step, named = step_of(self.context, op), named_operands(op)
        depth = self.values.definitions[align].depth
        return step.place == "operands" and all(
            self._is_kept(named[name], op, depth) for name in (step.base, step.offset) if name
        )

    def _is_kept(self, slot: int, op: Op, depth: int) -> bool:
        """Returns True if a value is the same in each iteration of a loop, because it is from
        outside, or carried and given by a store without a post-update."""
        if self.number(slot) is not None:
            return True
        definition = self.values.definitions[slot]
        if isinstance(definition, Carried) and definition.depth == depth:
            return definition.yielded == op.results[1]
        return definition.depth < depth

    def _is_repeated(self, loop: Op) -> bool:
        """Returns True if a loop has two iterations or more."""
        if not isinstance(loop, For):
            return False
        bounds = [self.values.constant(slot) for slot in (loop.lower, loop.upper, loop.step)]
        low, high, by = bounds
        return low is not None and high is not None and by is not None and low + by < high

    def _place(self, op: Op) -> tuple[StreamAddress, int | tuple[int], int] | None:
        """Returns where a store begins: base, offset in elements and their size. An offset that
        is not known is the value that it came from, through stores that gave it unchanged."""
        step = store_of(self.context, op)
        if step is None or step.goes_on:
            return None
        base = self.address(step.base)
        if step.offset is None:
            return base, 0, step.size
        slot, number = step.offset, self.number(step.offset)
        while number is None:
            maker = self.values.made(slot)
            if maker is None or not self.is_store(maker) or not self._stays(maker):
                break
            slot = named_operands(maker)[step_of(self.context, maker).offset]
        return base, (slot,) if number is None else number, step.size

    def is_store(self, op: Op) -> bool:
        """Whether it is a store of a stream, with operands that fit."""
        record = TABLE.get(op.name)
        return record is not None and does(record, "stores") and fits(self.context, op, record)

    def in_block(self, address: StreamAddress, around: StreamAddress, pointer: int) -> bool:
        """Whether an address may be in the 32-byte block around another, which a pointer is."""
        apart = address[1] - around[1]
        residue = around[1] % BLOCK_BYTES if around[0] is None else self.residue(pointer)
        if residue is None or residue == ANY:
            return abs(apart) < BLOCK_BYTES
        return 0 <= residue + apart < BLOCK_BYTES

    def is_fresh(self, align: int) -> bool:
        """Whether nothing has been stored in a stream."""
        return not among(self.values.makers(align), "stores")

    # Positions in a block

    def residue(self, slot: int) -> Residue:
        """An address or number modulo a block; of a stream that of its end."""
        return self._residues.of(slot)

    def _residue(self, slot: int, of: Callable[[int], Residue]) -> Residue:
        op = self.values.made(slot)
        known = self.number(slot)
        kind = self.context.function.types[slot]
        if known is not None or op is None:
            return ANY if known is None else known % BLOCK_BYTES
        if isinstance(kind, Align):
            return self._end_residue(op, of)
        if isinstance(kind, Ptr) and gives(op, "address"):
            moved = _times(of(op.operands[1]), kind.dtype.bytes)
            return _sum(of(op.operands[0]), moved)
        if isinstance(kind, Ptr) and self.is_store(op) and self._advances(op):
            return self._end_residue(op, of)
        return ANY

    def _end_residue(self, op: Op, of: Callable[[int], Residue]) -> Residue:
        if not does(TABLE.get(op.name), "stores"):
            return None
        step = store_of(self.context, op) if self.is_store(op) else None
        if step is None:
            return ANY
        at = of(step.base)
        if step.goes_on:
            begun = of(step.align)
            fresh = among(self.values.makers(step.align), "begins")
            at = _join(at, begun) if fresh else begun
        if step.offset is not None:
            at = _sum(at, _times(of(step.offset), step.size))
        length = self._length(step)
        return ANY if length is None else _sum(at, length % BLOCK_BYTES)


def _join(one: Residue, other: Residue) -> Residue:
    if one is None or other is None:
        return other if one is None else one
    return one if one == other else ANY


def _sum(one: Residue, other: Residue) -> Residue:
    if one is None or other is None:
        return None
    return ANY if ANY in (one, other) else (one + other) % BLOCK_BYTES


def _times(residue: Residue, factor: int) -> Residue:
    if residue is None or residue == ANY:
        return residue if factor % BLOCK_BYTES else 0
    return residue * factor % BLOCK_BYTES
