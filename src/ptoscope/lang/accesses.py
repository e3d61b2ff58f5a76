"""Which memory every operation of a function reads and writes, and on which pipe.

The operations run abstractly (`check.analysis`): what they touch comes from the same meaning that
engines execute. Some pointers are roots: the parameters, and those that the caller names, such as
the results that stand for buffers. Every access is traced to the roots that its address is made
of, through pointer arithmetic, casts, branches and what loops carry.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from ptoscope.check.analysis import analyse
from ptoscope.check.analysis.expr import Expr, Symbol
from ptoscope.check.analysis.nodes import LoopNode, Node, ScopeNode, Touch, children, flat
from ptoscope.check.flow import Values
from ptoscope.dataflow import Definition, OpResult
from ptoscope.isa.parts import ALONE
from ptoscope.isa.targets import Revision, Target
from ptoscope.isa.types import Ptr, Space
from ptoscope.program import Function, Op, Scope, Section

Roots = frozenset[int]


class RootedAccess(NamedTuple):
    """One access of an operation. In a vecscope, `scope` is that, and the pipe its own."""

    touch: Touch
    roots: Roots | None
    """The pointers that its address is made of; None where it may be anywhere in its memory."""
    scope: Scope | None

    @property
    def op(self) -> Op:
        """The instruction, also inside a vecscope."""
        return self.touch.op

    @property
    def pipe(self) -> str:
        return self.touch.pipe

    @property
    def writes(self) -> bool:
        return self.touch.writes

    @property
    def space(self) -> Space:
        return self.touch.space


class RootedAccesses:
    """The accesses of a function. `nodes` is what it does, as a tree in program order, with
    addresses relative to the roots; `values` is where its values come from."""

    def __init__(
        self, function: Function, roots: Collection[int], target: Target, revision: Revision
    ) -> None:
        self.values = Values(function)
        self._types = function.types
        self._roots = frozenset(roots).union(function.params)
        cluster = len({op.core for op in function.ops() if isinstance(op, Section)}) > 1
        core = None if cluster else ALONE
        self.nodes = analyse(function, target, revision, roots, core).nodes
        self._carried: dict[Symbol, tuple[Expr, ...]] = {}
        for node in flat(self.nodes):
            if isinstance(node, LoopNode):
                for number in node.carried:
                    values = number.first, number.next
                    self._carried[number.symbol] = self._carried[number.after] = values

    def __iter__(self) -> Iterator[RootedAccess]:
        """All of them, in program order."""
        return self._within(self.nodes, None)

    def _within(self, nodes: list[Node], scope: Scope | None) -> Iterator[RootedAccess]:
        for node in nodes:
            if isinstance(node, Touch):
                yield self.access(node, scope)
            inside = scope
            if isinstance(node, ScopeNode):
                assert isinstance(node.op, Scope)
                inside = node.op
            for body in children(node):
                yield from self._within(body, inside)

    def access(self, touch: Touch, scope: Scope | None) -> RootedAccess:
        """A touch with the roots of its address."""
        found = self._in(touch.may.start, touch.space)
        return RootedAccess(touch, found or self._of_operands(touch), scope)

    def _in(self, start: Expr, space: Space) -> Roots:
        """The roots in a memory that an expression is made of."""
        found: set[int] = set()
        seen: set[Symbol] = set()
        stack = [start]
        while stack:
            for symbol in stack.pop().symbols - seen:
                seen.add(symbol)
                if symbol.kind == "pointer":
                    assert isinstance(symbol.ident, int)
                    found.add(symbol.ident)
                stack += self._carried.get(symbol, ())
        return frozenset(slot for slot in found if self._points(slot, space))

    def _points(self, slot: int, space: Space) -> bool:
        kind = self._types[slot]
        return isinstance(kind, Ptr) and kind.space == space

    def _of_operands(self, touch: Touch) -> Roots | None:
        """The roots of all pointers that an operation takes into a memory: for an address of which
        nothing is known, as that of a gather."""

        def pointers(op: Op) -> list[int]:
            return [slot for slot in op.operands if self._points(slot, touch.space)]

        def into(slot: int, definition: Definition) -> Sequence[int]:
            if slot in self._roots:
                return ()
            if isinstance(definition, OpResult):
                return pointers(definition.op)
            return self.values.joined(slot)

        found: set[int] = set()
        for slot, definition in self.values.walk(pointers(touch.op), into):
            if slot in self._roots:
                found.add(slot)
            elif not into(slot, definition):
                return None
        return frozenset(found) or None
