"""Resources: how many registers a vecscope needs at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ptoscope.check.rule import Context, Finding, Rule
from ptoscope.diagnostics import NOWHERE, Span
from ptoscope.isa.types import Mask, Type, VReg
from ptoscope.program import Block, Loop, Op, Scope

VECTOR_REGISTERS = 32
PREDICATE_REGISTERS = 8
_TARGETS = ("a5",)
"""Where the sizes of the register files are published."""


@dataclass
class Pressure:
    """The most values of one kind that are live at once, and where that is."""

    types: list[Type]
    kind: type[VReg] | type[Mask]
    most: int = 0
    where: Span = NOWHERE

    def of(self, slots: tuple[int, ...]) -> set[int]:
        """Those values that are of the kind counted."""
        return {slot for slot in slots if isinstance(self.types[slot], self.kind)}

    def before(self, block: Block, after: set[int]) -> set[int]:
        """What is live before a block, from what is live after it."""
        live = set(after)
        for op in reversed(block.ops):
            self._note(live | self.of(op.results), op)
            live -= set(op.results)
            if op.blocks:
                live = self._through(op, live)
            live |= self.of(op.operands)
            self._note(live, op)
        return live - set(block.args)

    def _through(self, op: Op, after: set[int]) -> set[int]:
        if isinstance(op, Loop):
            # What one iteration reads from outside, the next one reads again; there may be none.
            for block in op.blocks:
                after = after | self._outer(block)
            for block in op.blocks:
                self.before(block, after)
            return after
        parts = [self.before(block, after) for block in op.blocks]
        return set(after).union(*parts)

    def _outer(self, block: Block) -> set[int]:
        """Values that a block reads and that are made outside it."""
        read: set[int] = set()
        made: set[int] = set(block.args)
        for op in block.ops:
            read |= self.of(op.operands)
            made |= set(op.results)
            for inner in op.blocks:
                read |= self._outer(inner)
        return read - made

    def _note(self, live: set[int], op: Op) -> None:
        if len(live) > self.most:
            self.most, self.where = len(live), op.span


def _crowded(kind: type[VReg] | type[Mask], size: int, what: str) -> Rule:
    def find(context: Context) -> Iterator[Finding]:
        if context.target.name not in _TARGETS:
            return
        for op in context.function.ops():
            if not isinstance(op, Scope):
                continue
            pressure = Pressure(context.function.types, kind)
            pressure.before(op.body, set())
            if pressure.most > size:
                yield Finding(
                    op.span,
                    f"the vecscope needs {pressure.most} {what} registers at once",
                    found=f"{pressure.most} live values at line {pressure.where.line}",
                    expected=f"at most {size}",
                    hint="store, recompute or reorder values so that fewer wait for their use",
                )

    code = "PTO0305" if kind is VReg else "PTO0306"
    return Rule(code, f"live {what} values fit the register file", find, "warning")


RULES = (
    _crowded(VReg, VECTOR_REGISTERS, "vector"),
    _crowded(Mask, PREDICATE_REGISTERS, "predicate"),
)
