"""What is said when pipes wait for what never happens, and of what is left over at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from ptoscope.diagnostics import Diagnostic
from ptoscope.isa.order.kinds import GIVERS
from ptoscope.isa.order.ledger import Chain, Ticket
from ptoscope.isa.order.rules import GET, RELEASE
from ptoscope.isa.order.unit_flags import CLEAR, PUBLISH
from ptoscope.isa.parts import SCALAR_PIPE
from ptoscope.isa.record import Site
from ptoscope.machine.faults import DEADLOCK, FLAG_OVERFLOW, LEFT_SET, Fault
from ptoscope.machine.signals import (
    Buffer,
    Position,
    Signal,
    acquisitions_of,
    function_of,
    givers_of,
    is_computed,
    line_list,
    positions,
    times,
)

if TYPE_CHECKING:
    from ptoscope.program import Function, Program

_Key = TypeVar("_Key", Signal, Buffer)
IterationText = tuple[object, ...]
"""The parts of the text that names an iteration of a loop: joined only where it is needed."""


@dataclass(frozen=True, slots=True)
class Queued:
    """An instruction queued on a pipe, the iterations of the loops that issued it (None where the
    engine does not tell) and, of a synchronisation, what it awaits and gives."""

    site: Site
    thunk: Callable[[], object]
    number: int
    iterations: tuple[IterationText, ...] | None
    ticket: Ticket[str] | None = None
    swaps: bool = False

    def iteration_texts(self) -> list[str]:
        return ["".join(map(str, iteration)) for iteration in self.iterations or ()]

    def place(self) -> str:
        """Its line and iterations."""
        iterations = ", ".join(self.iteration_texts())
        return f"line {self.site.span.line}" + (f" ({iterations})" if iterations else "")


@dataclass(frozen=True, slots=True)
class Wait:
    """What a pipe waits for, the pipes that could bring it about, and what they would give:
    of each chain the tokens up to a number. `full` is a signal that has to be taken before
    it is given again. `issued` is up to where in the order of issue those pipes have to get;
    None otherwise."""

    what: str
    pipes: tuple[str, ...]
    gives: Mapping[Chain[str], int] = field(default_factory=dict[Chain[str], int])
    signal: Signal | None = None
    full: Signal | None = None
    issued: int | None = None


@dataclass(frozen=True)
class Stuck:
    """The pipes when nothing can go on. `totals` says how often each signal was given; `at` is
    where the scalar unit stands, None at the end of the kernel; `full` the pipe that can be given
    no more, where that is why it stands there."""

    blocked: Mapping[str, tuple[Queued, Wait]]
    queued: Mapping[str, list[Queued]]
    left: Mapping[Signal, int]
    totals: Mapping[Signal, int]
    held: Mapping[Buffer, int]
    at: Site | None
    full: str | None = None

    def cause(self, function: Function | None) -> str:
        """The pipe whose wait nobody can end. Where there is none, some wait in a circle: the
        first of those, and not one that only waits for them."""
        holders = {pipe: self._holders(function, pipe) for pipe in self.blocked}
        alone = next((pipe for pipe, by in holders.items() if not by), None)
        if alone is not None:
            return alone
        seen: list[str] = []
        pipe = next(iter(self.blocked))
        while pipe not in seen:
            seen.append(pipe)
            pipe = holders[pipe][0]
        circle = seen[seen.index(pipe) :]
        return next(pipe for pipe in self.blocked if pipe in circle)

    def _holders(self, function: Function | None, pipe: str) -> list[str]:
        """The pipes that hold up what a blocked one waits for."""
        wait = self.blocked[pipe][1]
        if wait.issued is not None:
            return [p for p, entry in self._heads(wait.pipes) if entry.number <= wait.issued]
        found = [p for p, entries in self.queued.items() if giver_of(entries, wait) is not None]
        if found or wait.signal is None or pipe == SCALAR_PIPE or SCALAR_PIPE not in self.blocked:
            return found
        return [SCALAR_PIPE] if any(p.may_come for p in self._givers(function, wait.signal)) else []

    def text(self, function: Function | None, first: str) -> str:
        """One line for each blocked pipe, `first` before the others, one for what is set and
        held."""
        pipes = sorted(self.blocked, key=lambda pipe: pipe != first)
        lines: list[str] = []
        for pipe in pipes:
            entry, wait = self.blocked[pipe]
            fate = self.fate(function, wait)
            lines.append(f"{pipe} at {entry.place()} for {wait.what}: {fate}")
        if self.full is not None and self.at is not None:
            lines.append(
                f"the scalar unit at line {self.at.span.line}: {len(self.queued[self.full])} "
                f"instructions of {self.full} wait to be executed"
            )
        counts = [f"{signal} ({n})" for signal, n in sorted(self.left.items())]
        held = [f"{buffer} by {pipe} ({n})" for (pipe, buffer), n in sorted(self.held.items())]
        lines.append(
            f"flags set: {', '.join(counts) or 'none'}; buffers held: {', '.join(held) or 'none'}"
        )
        return "blocked: " + "\n    ".join(lines)

    def fate(self, function: Function | None, wait: Wait) -> str:
        """Who could have brought it about, and why that does not happen."""
        if wait.issued is not None:
            heads = [(p, e) for p, e in self._heads(wait.pipes) if e.number <= wait.issued]
            return "; ".join(f"{pipe} does not get past {e.place()}" for pipe, e in heads)
        queued = self._queued(wait)
        if queued or wait.signal is None:
            return "; ".join(queued) or "nothing that gives it was issued"
        giver = wait.signal.gives.instruction
        found = self._givers(function, wait.signal)
        if not found:
            return f"no {giver} of it in the kernel"
        total = self.totals.get(wait.signal, 0)
        if total:
            issued = [p.span for p in found if p.loop or not p.ahead]
            said = [f"set {times(total)} ({line_list(issued)}), and consumed as often"]
            return "; ".join([*said, *self._ahead(giver, found)])
        literal = self._givers(function, wait.signal, computed=False)
        if not literal:
            lines, what = line_list(p.span for p in found), wait.signal.gives.numbers[-1][0]
            return f"the {giver} of {lines} computes its {what} and has not set this one"
        return "; ".join([*self._passed(giver, literal), *self._ahead(giver, literal)])

    def _givers(
        self, function: Function | None, signal: Signal, computed: bool = True
    ) -> list[Position]:
        ops = [op for op in givers_of(function, signal) if computed or not is_computed(op, signal)]
        return positions(function, ops, None if self.at is None else self.at.span)

    def _passed(self, giver: str, found: Iterable[Position]) -> list[str]:
        """Of what was never issued: where the scalar unit has been."""
        passed = [p for p in found if not p.ahead]
        never = [p.span for p in passed if not p.loop]
        again = [p.span for p in passed if p.loop]
        said: list[str] = []
        if never:
            lines = line_list(never)
            said.append(f"the scalar unit passed the {giver} of {lines} and did not issue it")
        if again:
            said.append(
                f"the scalar unit passed the {giver} of {line_list(again)} in every iteration so "
                f"far and did not issue it; no other iteration begins before {self._stop()}"
            )
        return said

    def _ahead(self, giver: str, found: Iterable[Position]) -> list[str]:
        ahead = [p.span for p in found if p.ahead]
        if not ahead:
            return []
        return [f"the {giver} of {line_list(ahead)} does not come before {self._stop()}"]

    def _stop(self) -> str:
        assert self.at is not None
        return f"the scalar unit gets past line {self.at.span.line}, where it waits"

    def _queued(self, wait: Wait) -> list[str]:
        """Where what it waits for stands, on each pipe the first: behind another wait, or it
        is itself one that waits."""
        found: list[str] = []
        for entries in self.queued.values():
            entry = giver_of(entries, wait)
            if entry is not None:
                what = f"the {entry.site.record.short} of {entry.place()}"
                behind = f"is queued behind line {entries[0].site.span.line}"
                found.append(f"{what} {'waits itself' if entry is entries[0] else behind}")
        return found

    def _heads(self, pipes: Iterable[str]) -> list[tuple[str, Queued]]:
        return [(pipe, self.queued[pipe][0]) for pipe in pipes if self.queued[pipe]]

    def hint(self, function: Function | None, cause: str) -> str:
        """What to change."""
        wait = self.blocked[cause][1]
        if wait.signal is not None and not self._holders(function, cause):
            signal = wait.signal
            gives, takes = signal.gives.instruction, signal.takes.instruction
            ahead = [p for p in self._givers(function, wait.signal) if p.ahead]
            if ahead and self.at is not None:
                first = "; the first iteration of a loop needs flags that are set before it"
                return (
                    f"the {gives} of {line_list(p.span for p in ahead)} has to come before line "
                    f"{self.at.span.line}, where the scalar unit waits"
                    + (first if any(p.loop for p in ahead) else "")
                )
            return (
                f"every {takes} needs one {gives}, on every path and in every iteration: "
                f"{signal.written(signal.gives)} after the last instruction of {signal.src} that "
                f"{signal.dst} has to wait for"
            )
        tiles = [GIVERS[what] for what, _, _ in wait.gives if what in (PUBLISH.name, CLEAR.name)]
        if tiles and not self._holders(function, cause):
            return f"nothing gives it: {tiles[0].instruction} does, with {tiles[0].text}"
        if any(wait.issued is not None for _, wait in self.blocked.values()):
            return (
                "release in mode 0, which waits for no other pipe, or let the other pipes that "
                "hold the buffer wait for nothing that comes after this release"
            )
        return (
            "let the pipe that others wait for set its flags and release its buffers before "
            "it waits itself; the first iteration of a loop needs flags that are set before it"
        )


def giver_of(entries: Iterable[Queued], wait: Wait) -> Queued | None:
    """The first queued instruction that gives what a pipe waits for."""
    for entry in entries:
        gives = None if entry.ticket is None else entry.ticket.gives
        if gives is not None and gives[1] <= wait.gives.get(gives[0], 0):
            return entry
    return None


class Deadlock(Fault):
    """Pipes wait for each other or for nothing. Which of them is the cause, and with it the
    place of the fault, is told where the program is known."""

    def __init__(self, stuck: Stuck) -> None:
        entry, _ = next(iter(stuck.blocked.values()))
        super().__init__(entry.site, DEADLOCK, "waits for something that never happens")
        self._stuck = stuck
        self._around: list[str] = []
        """The iterations of the loops that the scalar unit is in."""

    def inside(self, iteration: str) -> None:
        self._around.insert(0, iteration)

    def diagnostic(self, program: Program, block: int, grid: int) -> Diagnostic:
        stuck = self._stuck
        function = function_of(program, self.site.span)
        pipe = stuck.cause(function)
        entry, wait = stuck.blocked[pipe]
        held = "the other pipes that hold the buffer to finish what they were given before"
        self.site = entry.site
        self.found = stuck.text(function, pipe)
        self.expected = _matching() if wait.issued is None else held
        self.hint = stuck.hint(function, pipe)
        self.iterations = entry.iteration_texts()
        if entry.iterations is None and pipe == SCALAR_PIPE:
            # Only the scalar unit waits in the loops that run now.
            self.iterations = self._around
        return super().diagnostic(program, block, grid)


def _matching() -> str:
    """What gives something that pipes wait for."""
    found = [
        f"{rule.instruction} (same pipes, same {rule.numbers[-1][0]})"
        if rule.by_pipes
        else rule.instruction
        for rule in GIVERS.values()
    ]
    found = list(dict.fromkeys(found))
    return "a matching " + " or ".join([", ".join(found[:-1]), found[-1]])


def overflow(site: Site, signal: Signal | None, limit: int, entry: Queued | None = None) -> Fault:
    """The fault of a flag that is set once too often; `entry` where it was queued."""
    fault = Fault(
        site,
        FLAG_OVERFLOW,
        "the flag's counter overflows",
        found=f"{signal} is set {limit} times and not waited for",
        expected=f"at most {limit} sets that nobody has waited for",
        hint="wait for the flag in the loop that sets it, or set it once after the loop",
    )
    if entry is not None:
        fault.queued, fault.iterations = True, entry.iteration_texts()
    return fault


def left_over(
    program: Program,
    function: Function,
    left: Mapping[int, Mapping[Signal, int]],
    grid: int,
    held: Mapping[int, Mapping[Buffer, int]] | None = None,
) -> list[Diagnostic]:
    """A warning for each flag that blocks left set when they ended, and one for each buffer
    that a pipe still held; `left` and `held` are by block."""
    found: list[Diagnostic] = []
    for signal, (number, where) in _sums(left, grid):
        spans = [op.span for op in givers_of(function, signal)]
        gives, takes = signal.gives.instruction, signal.takes.instruction
        found.append(
            program.diagnostic(
                LEFT_SET,
                spans[-1] if spans else function.span,
                f"pto.{gives}: {signal} is still set at the end",
                severity="warning",
                found=f"set {times(number)} more than it was waited for{where}"
                + (f"; set at {line_list(spans)}" if spans else ""),
                expected=f"one {takes} for every {gives}",
                hint=f"wait for it before the kernel ends ({signal.written(signal.takes)}): the "
                "next kernel on this core finds it set",
            )
        )
    for buffer, (number, where) in _sums(held or {}, grid):
        spans = [op.span for op in acquisitions_of(function, buffer)]
        pipe, name = buffer
        found.append(
            program.diagnostic(
                LEFT_SET,
                spans[-1] if spans else function.span,
                f"pto.{GET.instruction}: {pipe} still holds buffer {name} at the end",
                severity="warning",
                found=f"acquired {times(number)} more than it was released{where}"
                + (f"; acquired at {line_list(spans)}" if spans else ""),
                expected=f"one {RELEASE.instruction} for every {GET.instruction}",
                hint=f"put {RELEASE.written(pipe, '', name, 0)} after the last use of the buffer "
                "by this pipe: the next kernel on this core finds it held",
            )
        )
    return found


def _sums(left: Mapping[int, Mapping[_Key, int]], grid: int) -> list[tuple[_Key, tuple[int, str]]]:
    """For all that blocks left over: how often in the first of them, and in how many."""
    found: list[tuple[_Key, tuple[int, str]]] = []
    for key in sorted({key for keys in left.values() for key in keys}):
        blocks = sorted(block for block, keys in left.items() if key in keys)
        where = f" in {len(blocks)} of {grid} blocks, first {blocks[0]}" if grid > 1 else ""
        found.append((key, (left[blocks[0]][key], where)))
    return found
