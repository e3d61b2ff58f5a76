"""What orders accesses on one pipe, inside a vecscope and between copies; and special registers.

Inside a vecscope of A5 the order of the text does not order loads and stores. One access is
complete before a later one begins
- where a mem_bar that orders their kinds stands between them;
- where its data is in a value (also an address or a mask) that the later one uses;
- through others: if it is complete before one that is.
Which pairs need no such order says `needs_order`. Two stores of one value to one place need
none either: in any order the result is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from ptoscope.isa.parts import MEMORIES, SCALAR_PIPE
from ptoscope.isa.targets import Target
from ptoscope.isa.types import Space

T = TypeVar("T")

FAMILIES = {"V": ("VLD", "VST"), "S": ("LD", "ST")}
"""Kinds of accesses as the types of mem_bar call them: vector and scalar loads and stores."""
KINDS = tuple(kind for kinds in FAMILIES.values() for kind in kinds)
MEMORY_BARRIERS = (
    "VV_ALL",
    "VST_VLD",
    "VLD_VST",
    "VST_VST",
    "VS_ALL",
    "VST_LD",
    "VLD_ST",
    "VST_ST",
    "SV_ALL",
    "ST_VLD",
    "LD_VST",
    "ST_VST",
)
"""The types of mem_bar."""


def needs_memory_barriers(target: Target) -> bool:
    """Whether a target may execute the loads and stores of a vecscope in another order."""
    return target.name == "a5"


class ScopeAccess(NamedTuple):
    """An access to UB in a vecscope: whether it writes, and whether the scalar unit makes it."""

    writes: bool
    scalar: bool

    @property
    def kind(self) -> str:
        """What a mem_bar calls it."""
        return FAMILIES["S" if self.scalar else "V"][self.writes]


def ordered_kinds(barrier: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The kinds before and after that a type of mem_bar orders."""
    before, after = barrier.split("_")
    if after == "ALL":
        return FAMILIES[before[0]], FAMILIES[before[1]]
    return (before,), (after,)


def barrier_between(early: ScopeAccess, late: ScopeAccess) -> str:
    """The type of mem_bar that orders just these two."""
    return f"{early.kind}_{late.kind}"


def barrier_text(early: ScopeAccess, late: ScopeAccess) -> str:
    """It, as it is written."""
    return f'pto.mem_bar "{barrier_between(early, late)}"'


def needs_order(early: ScopeAccess, late: ScopeAccess, same_instruction: bool) -> bool:
    """Whether two accesses of a vecscope that touch the same bytes need something that orders
    them. The scalar unit keeps its own order. An instruction may overwrite what an earlier
    execution of it stored: the public suite relies on these to stay in order."""
    return (
        (early.writes or late.writes)
        and not (early.scalar and late.scalar)
        and not same_instruction
    )


class Fences(Generic[T]):
    """What the mem_bars of one execution of a vecscope order. A domain supplies what stands for
    accesses that are complete (bits, bounds), beginning with `nothing`, and how to join two."""

    def __init__(self, nothing: T, join: Callable[[T, T], T]) -> None:
        self._join = join
        self._fences = dict.fromkeys(KINDS, nothing)
        self._done = dict.fromkeys(KINDS, nothing)

    def barrier(self, barrier: str) -> None:
        """A mem_bar: all so far of the kinds before it, for all to come of those after it."""
        before, after = ordered_kinds(barrier)
        for kind in after:
            for earlier in before:
                self._fences[kind] = self._join(self._fences[kind], self._done[earlier])

    def before(self, kind: str) -> T:
        """What barriers complete before an access of a kind that comes now."""
        return self._fences[kind]

    def access(self, kind: str, done: T) -> None:
        """An access of a kind, with all that is complete when it is."""
        self._done[kind] = self._join(self._done[kind], done)


def copies_in_order(space: Space) -> bool:
    """Whether copies of one pipe that meet in a memory count as ordered. By the documents only
    a barrier of the pipe orders them; the public suite relies on their order in UB, never in
    GM."""
    return MEMORIES[space].copies_in_order


def register_needs_order(writes: bool, pipe: str, executes: bool) -> bool:
    """Whether an access to a special register, by an instruction of a pipe that is issued or
    `executes`, can come out of order. An instruction takes along what it finds at issue, where
    all is in the order of the text; but what a pipe writes is there when it has executed it, and
    the scalar unit, which reads it, has to wait for that."""
    return executes if writes else pipe == SCALAR_PIPE
