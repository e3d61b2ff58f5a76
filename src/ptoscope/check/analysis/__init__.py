"""What a function does to memory and to its pipes, without running it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from ptoscope.check.analysis.expr import Expr
from ptoscope.check.analysis.nodes import Node
from ptoscope.check.analysis.walk import AnalysisWalker
from ptoscope.isa.parts import ALONE, CoreId
from ptoscope.isa.targets import Revision, Target
from ptoscope.program import Function


@dataclass(frozen=True)
class Analysis:
    """One function: `nodes` is what it does, in program order."""

    nodes: list[Node]
    walker: AnalysisWalker

    def number(self, slot: int) -> Expr:
        """What is known of an integer or a pointer, in terms of launch scalars, the iterations of
        the loops around it, and what they carry."""
        return self.walker.number(slot)

    def at_end(self, register: str) -> int | None:
        """What a special register holds when the function ends, where that is known and
        something has set it."""
        return self.walker.at_end(register)


def analyse(
    function: Function,
    target: Target,
    revision: Revision,
    roots: Collection[int] = (),
    core: CoreId | None = ALONE,
) -> Analysis:
    """The analysis of a function for a target, as one core of a block runs it (None: as any of
    a cluster does). The rules about
    single operations find no error in it: what an ill-typed operation means is not defined.
    Pointers among `roots` stay symbols, as parameters are, so that what is made of them can be
    told."""
    walker = AnalysisWalker(function, target, revision, roots, core)
    return Analysis(walker.nodes, walker)
