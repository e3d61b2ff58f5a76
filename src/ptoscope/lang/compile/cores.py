"""Splits a kernel for several cores: each kind gets what it runs in a section of its own."""

from __future__ import annotations

from dataclasses import replace

from ptoscope.isa import TABLE
from ptoscope.isa.parts import SCALAR_PIPE, CoreKind
from ptoscope.lang.compile import build
from ptoscope.program import Block, Function, Op, Section, Terminator


def kernel_kind(function: Function) -> str:
    """The kind of core that a kernel is for; empty where it is for several."""
    named: set[CoreKind] = {op.core for op in function.ops() if isinstance(op, Section)}
    if named:
        return named.pop() if len(named) == 1 else ""
    records = (TABLE.get(op.name) for op in function.ops())
    return "cube" if any(r is not None and r.core == "cube" for r in records) else "vector"


def outside_sections(function: Function) -> Op | None:
    """The first instruction that no kind of core is named for, of those that need one."""

    def first(block: Block) -> Op | None:
        for op in block.ops:
            record = TABLE.get(op.name)
            if record is not None and record.pipe != SCALAR_PIPE:
                return op
            if isinstance(op, Section):
                continue
            found = next(filter(None, map(first, op.blocks)), None)
            if found is not None:
                return found
        return None

    return first(function.body)


def split(function: Function) -> Function:
    """The same kernel with one section for each kind of core that it names, around all that this
    kind runs. Scalars before all sections are shared; behind them, each has its own."""
    ops = function.body.ops
    kinds: set[CoreKind] = {op.core for op in function.ops() if isinstance(op, Section)}
    start = next(place for place, op in enumerate(ops) if _has_section(op))
    *inner, end = ops[start:]
    assert isinstance(end, Terminator)
    made = _Split(function)
    sections = [
        build.section(kind, made.part(kind, inner), function.span) for kind in sorted(kinds)
    ]
    body = Block(function.body.args, [*ops[:start], *sections, end])
    return replace(function, body=body, types=made.types, names=made.names)


def _has_section(op: Op) -> bool:
    return isinstance(op, Section) or any(_has_section(o) for b in op.blocks for o in b.ops)


class _Split:
    """Copies of operations with slots of their own."""

    def __init__(self, function: Function) -> None:
        self.types, self.names = list(function.types), list(function.names)
        self._new: dict[int, int] = {}

    def part(self, kind: CoreKind, ops: list[Op]) -> list[Op]:
        """What a kind of core runs of some operations."""
        self._new = {}
        return self._copied(kind, ops)

    def _copied(self, kind: CoreKind, ops: list[Op]) -> list[Op]:
        made: list[Op] = []
        for op in ops:
            if isinstance(op, Section):
                made += self._copied(kind, op.body.ops) if op.core == kind else []
                continue
            operands = tuple(self._new.get(slot, slot) for slot in op.operands)
            blocks: list[Block] = []
            for block in op.blocks:
                args = tuple(map(self._slot, block.args))
                blocks.append(Block(args, self._copied(kind, block.ops)))
            results = tuple(map(self._slot, op.results))
            made.append(replace(op, operands=operands, results=results, blocks=tuple(blocks)))
        return made

    def _slot(self, slot: int) -> int:
        self._new[slot] = len(self.types)
        self.types.append(self.types[slot])
        self.names.append(self.names[slot])
        return self._new[slot]
