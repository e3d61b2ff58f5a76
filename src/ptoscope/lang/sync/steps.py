"""A function as steps: what pipes execute one after the other, each with all that it touches.

A vecscope is one step of the vector pipe, whatever is in it; any other instruction that touches
memory is one of its own pipe. In a function with sections each belongs to the cores of a kind.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ptoscope.check.analysis.nodes import (
    BranchNode,
    LoopNode,
    Node,
    RegisterTouch,
    ScopeNode,
    Sync,
    Touch,
    flat,
)
from ptoscope.isa.parts import PIPE_NUMBERS, VECTOR_PIPE, CoreKind
from ptoscope.lang.accesses import RootedAccess, RootedAccesses
from ptoscope.lang.sync.kinds import SectionKinds
from ptoscope.program import Loop, Op, Scope

LoopNodes = tuple[LoopNode, ...]


@dataclass(eq=False)
class PipeStep:
    """One instruction or vecscope. `loops` are those around it, outermost first; `core` is the
    kind of core that executes it, None where all do."""

    op: Op
    pipe: str
    loops: LoopNodes
    core: CoreKind | None = None
    accesses: list[RootedAccess] = field(default_factory=list[RootedAccess])
    registers: list[RegisterTouch] = field(default_factory=list[RegisterTouch])

    @property
    def number(self) -> int:
        """That of its pipe."""
        return PIPE_NUMBERS[self.pipe]


class FunctionSteps:
    """Those of a function, in program order; `syncs`, `loops` and `branches` are what else orders
    it, by the ids of the operations."""

    def __init__(self, accesses: RootedAccesses, kinds: SectionKinds) -> None:
        self._accesses, self.kinds = accesses, kinds
        self._by_op: dict[int, PipeStep] = {}
        self.syncs: dict[int, Sync] = {}
        self.loops: dict[int, LoopNode] = {}
        self.branches: dict[int, BranchNode] = {}
        self.scopes: list[tuple[ScopeNode, PipeStep]] = []
        self._walk(accesses.nodes, (), None)

    def __iter__(self) -> Iterator[PipeStep]:
        return iter(self._by_op.values())

    def get(self, op: Op) -> PipeStep | None:
        """The step of an operation."""
        return self._by_op.get(id(op))

    def _walk(self, nodes: list[Node], loops: LoopNodes, within: PipeStep | None) -> None:
        for node in nodes:
            match node:
                case Touch() | RegisterTouch():
                    step = within or self._step(node.op, node.pipe, loops)
                    if isinstance(node, RegisterTouch):
                        step.registers.append(node)
                    else:
                        scope = step.op if isinstance(step.op, Scope) else None
                        step.accesses.append(self._accesses.access(node, scope))
                case ScopeNode():
                    step = self._step(node.op, VECTOR_PIPE, loops)
                    self.scopes.append((node, step))
                    self._walk(node.body, loops, step)
                case LoopNode() if within is None and isinstance(node.op, Loop):
                    self.loops[id(node.op)] = node
                    self._walk(node.body, (*loops, node), None)
                case LoopNode():
                    # An instruction that repeats something, or a loop of a vecscope.
                    self._walk(node.body, loops, within or self._repeating(node, loops))
                case BranchNode():
                    self.branches[id(node.op)] = node
                    self._walk(node.yes, loops, within)
                    self._walk(node.no, loops, within)
                case Sync():
                    self.syncs[id(node.op)] = node
                case _:
                    pass

    def _step(self, op: Op, pipe: str, loops: LoopNodes) -> PipeStep:
        return self._by_op.setdefault(id(op), PipeStep(op, pipe, loops, self.kinds.of(op)))

    def _repeating(self, node: LoopNode, loops: LoopNodes) -> PipeStep | None:
        pipes = (
            inner.pipe for inner in flat(node.body) if isinstance(inner, Touch | RegisterTouch)
        )
        pipe = next(pipes, None)
        return None if pipe is None else self._step(node.op, pipe, loops)
