"""Where synchronisation can be put in a function, and what stands there."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from ptoscope.check.analysis.nodes import (
    Node,
    RegisterTouch,
    ScopeNode,
    Sync,
    Touch,
    children,
    flat,
)
from ptoscope.check.rule import Context
from ptoscope.isa.parts import VECTOR_PIPE
from ptoscope.program import Block, Loop, Op


class Gap(NamedTuple):
    """A place of a block: between two of its operations that have to do with pipes, the first
    of which, or the last, may be missing."""

    before: Op | None
    after: Op | None

    def beside(self, late: bool) -> tuple[Op, bool]:
        """An operation, and whether the gap is behind it; the later one of the two if wanted."""
        if self.before is None or (late and self.after is not None):
            assert self.after is not None
            return self.after, False
        return self.before, True


class Layout:
    """One function. `syncs` are all of its synchronisations."""

    def __init__(self, context: Context) -> None:
        self.positions = context.positions
        self.syncs: list[Sync] = []
        self._pipes: dict[int, set[str]] = defaultdict(set)
        self._enter(context.analysis.nodes)
        for op in context.function.ops():
            # Of a branch whose side is known only the operations inside are in the tree.
            if id(op) in self._pipes:
                for owner in self.positions.chain(op):
                    self._pipes[id(owner)] |= self._pipes[id(op)]
        self._siblings: dict[int, list[Op]] = {}
        self._alike: dict[tuple[object, str, str], list[Sync]] = {}
        self._written: dict[int, Sync] = {}
        """The first of each operation, by its identity."""
        for sync in self.syncs:
            self._alike.setdefault((sync.rule, sync.src, sync.dst), []).append(sync)
            self._written.setdefault(id(sync.op), sync)

    def _enter(self, nodes: list[Node]) -> None:
        for node in nodes:
            inner = flat([node])
            self._pipes[id(node.op)] |= {
                n.pipe for n in inner if isinstance(n, Touch | RegisterTouch)
            }
            if isinstance(node, Sync):
                self.syncs.append(node)
            if isinstance(node, ScopeNode):
                self._pipes[id(node.op)].add(VECTOR_PIPE)
                continue
            for body in children(node):
                self._enter(body)

    def pipes(self, op: Op | None) -> set[str]:
        """The pipes on which an operation, or what is in it, touches memory."""
        return set() if op is None else self._pipes.get(id(op), set())

    def siblings(self, block: Block) -> list[Op]:
        """The operations of a block that have to do with pipes."""
        if id(block) not in self._siblings:
            known = [op for op in block.ops if id(op) in self._pipes]
            self._siblings[id(block)] = known
        return self._siblings[id(block)]

    def gaps(self, block: Block) -> list[Gap]:
        """All places of a block, in order."""
        ops = self.siblings(block)
        return [Gap(a, b) for a, b in zip([None, *ops], [*ops, None], strict=True)] if ops else []

    def blocks_around(self, op: Op) -> list[Block]:
        """The block of an operation and those around it, innermost first."""
        return [self.positions.home(o).block for o in reversed(self.positions.chain(op))]

    def same(self, sync: Sync) -> list[Sync]:
        """Synchronisations of the same rule, pipes and numbers."""
        alike = self._alike.get((sync.rule, sync.src, sync.dst), ())
        return [s for s in alike if _agree(s, sync)]

    def written(self, sync: Sync) -> Sync:
        """A synchronisation of a run as the text has it: for all iterations."""
        return self._written[id(sync.op)]

    def index(self, op: Op) -> int:
        """The place of an operation in its block."""
        return self.positions.home(op).place

    def carried(self, first: Op, then: Op) -> tuple[bool, Loop | None]:
        """Whether the one of two operations of a block comes after the other only in the next
        iteration, and of which loop."""
        back = self.index(first) >= self.index(then)
        return back, self.positions.loop(then) if back else None

    def block(self, op: Op) -> Block:
        """The block of an operation."""
        return self.positions.home(op).block


def _agree(one: Sync, other: Sync) -> bool:
    """Whether two may be of the same numbers."""
    pairs = zip(one.numbers, other.numbers, strict=True)
    return all(a.number == b.number or None in (a.number, b.number) for a, b in pairs)
