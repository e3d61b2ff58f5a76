"""Unaligned streams: begun before they are used, threaded in order, flushed at the end."""

from __future__ import annotations

from collections.abc import Iterator

from ptoscope.check.rule import Context, Finding, Rule
from ptoscope.isa import TABLE
from ptoscope.isa.dtypes import VREG_BYTES
from ptoscope.isa.targets import BLOCK_BYTES
from ptoscope.isa.types import Align, Mask, Ptr
from ptoscope.program import Block, Function, Op

STORES = ("pto.vstu", "pto.vstus", "pto.vstur", "pto.pstu")
FLUSHES = ("pto.vsta", "pto.vstas", "pto.vstar")
LOADS = ("pto.vldas", "pto.vldus")
_LOOPS = ("scf.for", "scf.while")


class _Values:
    """Where the values of a function come from and where they go."""

    def __init__(self, function: Function) -> None:
        self.types = function.types
        self.defined: dict[int, Op] = {}
        self.same: dict[int, set[int]] = {}
        """Values that a block argument or a result of control flow may be."""
        self.used: set[int] = set()
        for op in function.ops():
            self.defined.update(dict.fromkeys(op.results, op))
            self.used.update(op.operands)
            self._flow(op)

    def _flow(self, op: Op) -> None:
        ends = [b.ops[-1].operands if b.ops else () for b in op.blocks]
        match op.name:
            case "scf.for":
                carried = op.blocks[0].args[1:]
                self._join(carried, op.operands[3:], ends[0])
                self._join(op.results, op.operands[3:], ends[0])
            case "scf.if":
                self._join(op.results, *ends)
            case "scf.while":
                self._join(op.blocks[0].args, op.operands, ends[1])
                self._join(op.blocks[1].args, ends[0][1:])
                self._join(op.results, ends[0][1:])
            case _:
                pass

    def _join(self, targets: tuple[int, ...], *sources: tuple[int, ...]) -> None:
        for values in sources:
            for target, value in zip(targets, values, strict=False):
                self.same.setdefault(target, set()).add(value)

    def origins(self, slot: int) -> set[str]:
        """The instructions that may have made a value, through loops and branches."""
        found: set[str] = set()
        seen: set[int] = set()
        stack = [slot]
        while stack:
            value = stack.pop()
            if value in seen:
                continue
            seen.add(value)
            if value in self.same:
                stack.extend(self.same[value])
            elif value in self.defined:
                found.add(self.defined[value].name)
        return found

    def constant(self, slot: int) -> int | None:
        """The number a value is known to be; of a pointer its address."""
        op = self.defined.get(slot)
        if op is None or slot in self.same:
            return None
        if op.name == "arith.constant":
            value = op.attrs.get("value")
            return value if isinstance(value, int) else None
        if op.name in ("pto.castptr", "arith.index_cast"):
            return self.constant(op.operands[0])
        kind = self.types[slot]
        if op.name == "pto.addptr" and isinstance(kind, Ptr):
            base, offset = (self.constant(s) for s in op.operands)
            return None if base is None or offset is None else base + offset * kind.dtype.bytes
        return None


def _aligns(context: Context, slots: tuple[int, ...]) -> list[int]:
    return [s for s in slots if isinstance(context.function.types[s], Align)]


def _unprimed(context: Context) -> Iterator[Finding]:
    values = _Values(context.function)
    for op in context.function.ops():
        if op.name != "pto.vldus":
            continue
        for slot in _aligns(context, op.operands):
            wrong = sorted(values.origins(slot) - set(LOADS))
            if wrong:
                yield Finding(
                    context.operand_span(op, op.operands.index(slot)),
                    "pto.vldus: no pto.vldas has primed this stream",
                    found=f"an align state of {', '.join(wrong)}",
                    expected="one of pto.vldas or an earlier pto.vldus",
                    hint="put %align = pto.vldas %source before the first pto.vldus",
                )


def _unflushed(context: Context) -> Iterator[Finding]:
    values = _Values(context.function)
    for op in context.function.ops():
        if op.name not in STORES:
            continue
        for slot in _aligns(context, op.results):
            if slot not in values.used and not _ends_on_a_block(context, values, op):
                yield Finding(
                    op.span,
                    f"{op.name}: the stream is never flushed",
                    found=f"%{context.function.names[slot]} is not used",
                    expected="a pto.vsta, pto.vstas or pto.vstar of the last align state",
                    hint="bytes after the last 32-byte boundary reach UB only with the flush",
                )


def _ends_on_a_block(context: Context, values: _Values, op: Op) -> bool:
    """Whether the last byte stored is known to end a block: nothing is left to flush."""
    if context.revision == "micro" and op.name != "pto.pstu":
        # How many bytes are stored is known only when it runs.
        return False
    operands = TABLE[op.name].forms[op.form].operands
    named = {o.name: slot for o, slot in zip(operands, op.operands, strict=True)}
    base = named.get("base_in", named.get("base", -1))
    kind = context.function.types[base]
    start = values.constant(base)
    offset = 0
    for name in ("offset", "offset_in"):
        if name in named:
            offset = values.constant(named[name])
    if start is None or offset is None or not isinstance(kind, Ptr):
        return False
    masks = [t for t in context.types(op.operands) if isinstance(t, Mask)]
    length = masks[0].lanes // 8 if masks else VREG_BYTES
    return (start + offset * kind.dtype.bytes + length) % BLOCK_BYTES == 0


def _unthreaded(context: Context) -> Iterator[Finding]:
    for block, inside in _blocks(context.function.body, frozenset()):
        taken: dict[int, Op] = {}
        for op in block.ops:
            if op.name not in (*STORES, *FLUSHES):
                continue
            for slot in _aligns(context, op.operands):
                earlier = taken.get(slot)
                if earlier is None and slot not in inside:
                    taken[slot] = op
                    continue
                where = f"line {earlier.span.line}" if earlier else "an earlier turn of the loop"
                yield Finding(
                    context.operand_span(op, op.operands.index(slot)),
                    f"{op.name}: the align state is not the newest one of its stream",
                    found=f"%{context.function.names[slot]}, already used at {where}",
                    expected="the align state that the use before it gave",
                    hint="thread it: each store takes the state of the one before it, in a loop "
                    "through iter_args",
                )


def _blocks(block: Block, outer: frozenset[int]) -> Iterator[tuple[Block, frozenset[int]]]:
    """Every block with the values that were there before the innermost loop around it."""
    yield block, outer
    here = set(block.args)
    for op in block.ops:
        for inner in op.blocks:
            known = outer | here if op.name in _LOOPS else outer
            yield from _blocks(inner, frozenset(known))
        here |= set(op.results)


def _unpaired(context: Context) -> Iterator[Finding]:
    values = _Values(context.function)
    for op in context.function.ops():
        if op.name not in FLUSHES:
            continue
        for slot in _aligns(context, op.operands):
            found = values.origins(slot)
            if not found & set(STORES):
                yield Finding(
                    context.operand_span(op, op.operands.index(slot)),
                    f"{op.name}: there is no store to flush",
                    found=f"an align state of {', '.join(sorted(found))}",
                    expected="one of pto.vstu, pto.vstus, pto.vstur or pto.pstu",
                    hint="flush the state that the last store of the stream gave",
                )


RULES = (
    Rule("PTO0401", "an unaligned load is primed by a vldas", _unprimed),
    Rule("PTO0402", "an unaligned store stream is flushed", _unflushed),
    Rule("PTO0403", "an align state is threaded in program order", _unthreaded),
    Rule("PTO0404", "a flush follows a store of its stream", _unpaired),
)
