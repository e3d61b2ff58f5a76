"""Which cores execute what, in a function that still has its sections where they were written."""

from __future__ import annotations

from ptoscope.isa.parts import ALONE, CoreId, CoreKind, core_ids
from ptoscope.program import Block, Function, Op, Section

CLUSTER = core_ids(("cube", "vector", "vector"))


class SectionKinds:
    """The kinds of core that operations of a function are for. A function for one kind has one
    core, whatever its kind."""

    def __init__(self, function: Function) -> None:
        self._of: dict[int, CoreKind] = {}
        named: set[CoreKind] = {op.core for op in function.ops() if isinstance(op, Section)}
        self.several = len(named) > 1
        """Whether a block is a cluster."""
        if self.several:
            self._enter(function.body, None)

    def _enter(self, block: Block, kind: CoreKind | None) -> None:
        for op in block.ops:
            if kind is not None:
                self._of[id(op)] = kind
            for inner in op.blocks:
                self._enter(inner, op.core if isinstance(op, Section) else kind)

    @property
    def cores(self) -> tuple[CoreId, ...]:
        """The cores of a block."""
        return CLUSTER if self.several else (ALONE,)

    def of(self, op: Op) -> CoreKind | None:
        """The kind of core that executes an operation inside of a section; None for all."""
        return self._of.get(id(op))

    def numbers(self, kind: CoreKind | None) -> tuple[int, ...]:
        """Which of the cores are of a kind."""
        every = range(len(self.cores))
        return tuple(n for n in every if kind is None or self.cores[n].kind == kind)
