"""One run of a function: what it executes, in program order, and what was left out."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from ptoscope.check.analysis.expr import Expr, Symbol
from ptoscope.check.analysis.nodes import (
    BranchNode,
    Known,
    MemoryBarrier,
    RegisterTouch,
    ScopeNode,
    Sync,
    Touch,
)
from ptoscope.isa.order.rules import SET
from ptoscope.program import Op

Conditions = frozenset[tuple[Expr, bool]]


@dataclass(frozen=True, slots=True)
class Execution:
    """One execution of an instruction. `scope` is the vecscope it stands in, `entry` which
    execution of a vecscope that is, `iterations` the iterations of the loops around. Of an
    access, `given` are the conditions on which it is executed, each with its side."""

    node: Touch | RegisterTouch | Sync | MemoryBarrier
    scope: ScopeNode | None = None
    entry: int = 0
    iterations: tuple[int, ...] = ()
    given: Conditions = frozenset()

    def beside(self, other: Execution) -> bool:
        """Whether some run has both: where one needs nothing that the other does not."""
        return self.given <= other.given or other.given <= self.given


@dataclass(frozen=True)
class GivenUp:
    """Why a run does not show all that a launch would: at which loop or branch."""

    op: Op
    why: str
    ends: bool = False
    """What comes before it is as in a launch; otherwise nothing about pipes is certain."""


@dataclass
class UnrolledRun:
    """The events in program order (of accesses those that the run surely has), the conditions
    on which synchronisation depends with the side that was taken, what every vecscope was
    entered with first, and what was left out that could matter."""

    events: list[Execution] = field(default_factory=list[Execution])
    taken: dict[Expr, tuple[BranchNode, bool]] = field(
        default_factory=dict[Expr, tuple[BranchNode, bool]]
    )
    scopes: dict[int, FirstEntry] = field(default_factory=dict[int, "FirstEntry"])
    given_up: GivenUp | None = None
    solved: dict[Symbol, Expr] = field(default_factory=dict[Symbol, Expr])
    """The launch scalars that were chosen, and what was chosen for them."""
    shortened: list[tuple[Expr, int]] = field(default_factory=list[tuple[Expr, int]])
    """Loops that signal other cores and of which not all iterations are followed, or not known
    how many there are: their iterations, and how many are followed."""

    @cached_property
    def numbers_between(self) -> dict[tuple[str, str], set[int | None]]:
        """The numbers of signals by their pipes, None for one that is not known."""
        found: dict[tuple[str, str], set[int | None]] = {}
        for event in self.events:
            if isinstance(event.node, Sync) and event.node.rule.account == SET.account:
                pair = event.node.src, event.node.dst
                found.setdefault(pair, set()).add(event.node.number)
        return found


@dataclass(frozen=True)
class FirstEntry:
    """The first execution of a vecscope, with what was known then."""

    scope: ScopeNode
    known: Known
