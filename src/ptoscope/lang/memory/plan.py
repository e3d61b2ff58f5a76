"""Decides where the buffers of a kernel lie."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ptoscope.diagnostics import Diagnostic, PtoError
from ptoscope.isa.parts import KIB, MEMORIES
from ptoscope.isa.targets import Target
from ptoscope.lang.accesses import RootedAccess
from ptoscope.lang.memory.allocation import Allocation
from ptoscope.lang.memory.lifetimes import Lifetime, Moments, lifetimes, touches
from ptoscope.lang.memory.map import MemoryMap
from ptoscope.lang.memory.placement import Placement
from ptoscope.lang.memory.placing import Interval, NoRoom, load, place
from ptoscope.program import Function, Program
from ptoscope.tables import counted

NO_ROOM = "PTO0309"
_MOST_NAMED = 8
"""Buffers that a message lists."""


def plan(
    allocations: Sequence[Allocation],
    accesses: Iterable[RootedAccess],
    program: Program,
    function: Function,
    target: Target,
) -> MemoryMap:
    """Where all buffers lie, in the order in which they were allocated. `accesses` are those of
    the function, with the roots of all buffers among their roots.

    Addresses that the author decided stay. No two buffers share bytes where all fit side by side;
    else only those that are never live together, in the iterations of one pipelined loop last of
    all. PtoError (PTO0309) at the first allocation that does not fit its memory on the target.
    """
    moments = Moments(function)
    touched = touches(allocations, accesses)
    wide, narrow = (
        lifetimes(allocations, moments, touched, whole_loops=whole) for whole in (True, False)
    )
    placed: dict[int, Placement] = {}
    for memory in dict.fromkeys(a.memory for a in allocations):
        numbers = [n for n, a in enumerate(allocations) if a.memory == memory]
        here = [allocations[n] for n in numbers]
        often, seldom = ([lives[n] for n in numbers] for lives in (wide, narrow))
        space = _Space(memory, here, moments, seldom, program, target)
        for n, a, address in zip(numbers, here, space.addresses(often), strict=True):
            placed[n] = Placement(a, address, *moments.lines(narrow[n]), narrow[n])
    return MemoryMap(target, tuple(placed[n] for n in range(len(allocations))))


class _Space:
    """The buffers of one memory: where they lie, and what does not fit, said."""

    def __init__(
        self,
        memory: str,
        allocations: Sequence[Allocation],
        moments: Moments,
        lives: Sequence[Lifetime],
        program: Program,
        target: Target,
    ) -> None:
        self._allocations, self._lives = allocations, lives
        self._moments, self._program, self._target = moments, program, target
        self._capacity, self._title = target.bytes_of(memory), MEMORIES[memory].title

    def addresses(self, wide: Sequence[Lifetime]) -> list[int]:
        """The address of each; `wide` is when they had better be live. PtoError where they do not
        fit."""
        self._check_decided()
        choices = [
            [
                Interval(life.first, life.last, a.reserved, a.alignment, a.at)
                for a, life in zip(self._allocations, lives, strict=True)
            ]
            for lives in (wide, self._lives)
        ]
        most, moment = load(choices[-1])
        if most > self._capacity:
            raise self._too_much(most, moment)
        try:
            return place(choices, self._capacity)
        except NoRoom as error:
            raise self._scattered(error.number) from None

    def _check_decided(self) -> None:
        """PtoError for buffers that lie outside of it by the author's own addresses."""
        wrong = [
            self._finding(
                a,
                f"the buffer {a.name} lies outside {self._title}",
                f"bytes {a.at} to {a.at + a.reserved - 1}",
                f"bytes 0 to {self._capacity - 1}",
                "leave its address out, and a place is found",
            )
            for a in self._allocations
            if a.at is not None and not 0 <= a.at <= self._capacity - a.reserved
        ]
        if wrong:
            raise PtoError(wrong)

    def _too_much(self, most: int, moment: int) -> PtoError:
        """At one moment more bytes are live than there are."""
        live = self._live(moment)
        total, named = 0, live[-1]
        for allocation in live:
            total += allocation.reserved
            if total > self._capacity:
                named = allocation
                break
        return self._no_room(
            named,
            f"the buffer {named.name} does not fit {self._title}",
            f"{most} bytes are live",
            moment,
        )

    def _scattered(self, number: int) -> PtoError:
        """There are bytes enough at every moment, but not side by side."""
        named, moment = self._allocations[number], self._lives[number].first
        return self._no_room(
            named,
            f"no {named.reserved} bytes side by side are left for the buffer {named.name}",
            f"{sum(a.reserved for a in self._live(moment))} bytes are live",
            moment,
        )

    def _live(self, moment: int) -> list[Allocation]:
        both = zip(self._allocations, self._lives, strict=True)
        return [a for a, life in both if life.first <= moment <= life.last]

    def _no_room(self, named: Allocation, message: str, found: str, moment: int) -> PtoError:
        line, _ = self._moments.lines(Lifetime(moment, moment))
        return PtoError(
            [
                self._finding(
                    named,
                    message,
                    f"{found} at line {line}",
                    f"at most {self._capacity} bytes "
                    f"({self._capacity // KIB} KiB on {self._target.name})",
                    f"live at line {line}: {self._listed(self._live(moment))}; "
                    "make them smaller, take fewer stages, or let one end before another begins",
                )
            ]
        )

    def _listed(self, live: list[Allocation]) -> str:
        largest = sorted(live, key=lambda a: -a.reserved)
        said = [_described(a) for a in largest[:_MOST_NAMED]]
        rest = largest[_MOST_NAMED:]
        if rest:
            said.append(
                f"{counted(len(rest), 'smaller buffer')} of {sum(a.reserved for a in rest)} bytes"
            )
        return ", ".join(said)

    def _finding(
        self, allocation: Allocation, message: str, found: str, expected: str, hint: str
    ) -> Diagnostic:
        return self._program.diagnostic(
            NO_ROOM, allocation.span, message, found=found, expected=expected, hint=hint
        )


def _described(allocation: Allocation) -> str:
    copies = f"{allocation.copies} x " if allocation.copies > 1 else ""
    return f"{allocation.name} {copies}{allocation.stride} bytes (line {allocation.span.line})"
