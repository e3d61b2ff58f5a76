"""The walker of a shadow run: it tells which instruction is running."""

from __future__ import annotations

from typing import cast

from ptoscope.isa.record import Site
from ptoscope.machine.core import ReferenceCore
from ptoscope.machine.shadow.core import ShadowCore
from ptoscope.machine.shadow.findings import REACHES_BRANCH
from ptoscope.machine.walker import Registers, Step, Walker
from ptoscope.program import Condition, For, If, Op, Scope, While


def forbids_relying(site: Site) -> bool:
    """Whether the documents forbid relying on the inactive lanes of a result."""
    return site.record.unreliable_zeros and not site.micro


class ShadowWalker(Walker):
    """The same steps, each announced to the core."""

    def _op(self, op: Op) -> Step | None:
        step = super()._op(op)
        match op:
            case For():
                return self._decided(op, op.bounds, "a loop bound", step)
            case If():
                return self._decided(op, (op.condition,), "the condition", step)
            case Condition():
                return self._decided(op, (op.condition,), "whether the loop goes on", None)
            case While() | Scope():
                return step
            case _:
                return self._announced(op, step) if step is not None else None

    def _announced(self, op: Op, step: Step) -> Step:
        site = self._site(op)
        marks = forbids_relying(site)
        operands = op.operands

        def announced(core: ReferenceCore, registers: Registers) -> None:
            shadow = cast(ShadowCore, core)
            shadow.book.site, shadow.book.marks = site, marks
            for slot in operands:
                registers[slot] = shadow.shadowed(registers[slot])
            step(core, registers)

        return announced

    def _decided(self, op: Op, slots: tuple[int, ...], what: str, step: Step | None) -> Step:
        site = self._site(op)

        def decided(core: ReferenceCore, registers: Registers) -> None:
            findings = cast(ShadowCore, core).findings
            for slot in slots:
                findings.decided(REACHES_BRANCH, site, what, registers[slot])
            if step is not None:
                step(core, registers)

        return decided
