"""What is said when pipes wait for what never happens, and of flags that are left over."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ptoscope.diagnostics import Diagnostic, Span
from ptoscope.isa.record import Site
from ptoscope.isa.targets import EVENTS
from ptoscope.machine.faults import DEADLOCK, FLAG_OVERFLOW, LEFT_SET, Fault

if TYPE_CHECKING:
    from ptoscope.program import Function, Op, Program

Flag = tuple[str, str, int]
"""The pipe that sets it, the one that waits for it, the event."""
Turn = tuple[object, ...]
"""The parts of the text that names a turn of a loop: joined only where it is needed."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An instruction queued on a pipe, the turns of the loops that issued it (None where the
    engine does not tell) and the flag or release that others get from it."""

    site: Site
    thunk: Callable[[], object]
    number: int
    turns: tuple[Turn, ...] | None
    gives: object = None
    swaps: bool = False

    def turn_texts(self) -> list[str]:
        return ["".join(map(str, turn)) for turn in self.turns or ()]

    def place(self) -> str:
        """Its line and turns."""
        turns = ", ".join(self.turn_texts())
        return f"line {self.site.span.line}" + (f" ({turns})" if turns else "")


@dataclass(frozen=True, slots=True)
class Wait:
    """What a pipe waits for, the pipes that could bring it about, and what they would give:
    a flag or releases. `full` is a flag that has to be consumed before it is set again.
    `issued` is up to where in the order of issue those pipes have to get; None otherwise."""

    what: str
    pipes: tuple[str, ...]
    gives: frozenset[object] = frozenset()
    flag: Flag | None = None
    full: Flag | None = None
    issued: int | None = None


@dataclass(frozen=True)
class Stuck:
    """The pipes when nothing can go on. `totals` says how often each flag was set, where that
    is known; `at` is where the scalar unit stands, None at the end of the kernel."""

    blocked: Mapping[str, tuple[Entry, Wait]]
    queued: Mapping[str, list[Entry]]
    flags: Mapping[Flag, int]
    totals: Mapping[Flag, int] | None
    held: Mapping[tuple[str, int], int]
    at: Site | None

    def text(self, program: Program) -> str:
        """One line for each blocked pipe, one for what is set and held."""
        function = _function_of(program, next(iter(self.blocked.values()))[0].site.span)
        lines = [
            f"{pipe} at {entry.place()} for {wait.what}: {self._fate(function, wait)}"
            for pipe, (entry, wait) in self.blocked.items()
        ]
        counts = [f"{_named(flag)} ({n})" for flag, n in sorted(self.flags.items())]
        held = [f"{buffer} by {pipe} ({n})" for (pipe, buffer), n in sorted(self.held.items())]
        lines.append(
            f"flags set: {', '.join(counts) or 'none'}; buffers held: {', '.join(held) or 'none'}"
        )
        return "blocked: " + "\n    ".join(lines)

    def _fate(self, function: Function | None, wait: Wait) -> str:
        """Who could have brought it about, and why that does not happen."""
        if wait.issued is not None:
            return "; ".join(self._holding(wait.pipes, wait.issued))
        queued = self._queued(wait)
        if queued or wait.flag is None:
            return "; ".join(queued)
        lines = _set_lines(function, wait.flag)
        if not lines:
            return "no set_flag of it in the kernel"
        places = _lines(lines)
        total = None if self.totals is None else self.totals.get(wait.flag, 0)
        if total is None:
            return f"the set_flag of {places} is not queued: consumed, or never issued"
        if total:
            return f"set {_times(total)} ({places}), and consumed as often"
        named = _set_lines(function, wait.flag, computed=False)
        if not named:
            return f"the set_flag of {places} computes its event and has not set this one"
        return f"the set_flag of {_lines(named)} was {self._unissued()}"

    def _queued(self, wait: Wait) -> list[str]:
        """Where what it waits for stands, on each pipe the first: behind another wait, or it
        is itself one that waits."""
        found: list[str] = []
        for entries in self.queued.values():
            entry = next((e for e in entries if e.gives in wait.gives), None)
            if entry is not None:
                what = f"the {entry.site.record.short} of {entry.place()}"
                behind = f"is queued behind line {entries[0].site.span.line}"
                found.append(f"{what} {'waits itself' if entry is entries[0] else behind}")
        return found

    def _holding(self, pipes: Iterable[str], issued: int) -> list[str]:
        """Where pipes stand that have not done all up to a number."""
        heads = [(pipe, self.queued[pipe][0]) for pipe in pipes if self.queued[pipe]]
        return [f"{p} does not get past {e.place()}" for p, e in heads if e.number <= issued]

    def _unissued(self) -> str:
        if self.at is None or self.at.record.name == "func.return":
            return "never issued"
        return f"not issued before the scalar unit stopped at line {self.at.span.line}"

    def hint(self) -> str:
        """What to change: a flag that nobody sets is the cause of other waits."""
        waits = [wait for _, wait in self.blocked.values()]
        flag = next((w.flag for w in waits if w.flag is not None and not self._queued(w)), None)
        if flag is not None:
            src, dst, _ = flag
            return (
                f"every wait_flag needs one set_flag, on every path and in every iteration: "
                f"{_spelt(flag)} after the last instruction of {src} that {dst} has to wait for"
            )
        if any(wait.issued is not None for wait in waits):
            return (
                "release in mode 0, which waits for no other pipe, or let the other pipes that "
                "hold the buffer wait for nothing that comes after this release"
            )
        return (
            "let the pipe that others wait for set its flags and release its buffers before "
            "it waits itself; the first turn of a loop needs flags that are set before it"
        )


class Deadlock(Fault):
    """Pipes wait for each other or for nothing; told in full where the program is known."""

    def __init__(self, stuck: Stuck) -> None:
        pipe, (entry, wait) = next(iter(stuck.blocked.items()))
        held = "the other pipes that hold the buffer to finish what they were given before"
        given = "a matching set_flag (same pipes, same event) or rls_buf"
        super().__init__(
            entry.site,
            DEADLOCK,
            "waits for something that never happens",
            expected=given if wait.issued is None else held,
            hint=stuck.hint(),
        )
        self._stuck = stuck
        self.iterations = entry.turn_texts()
        # Only the scalar unit waits in the loops that run now.
        self.queued = entry.turns is not None or pipe != "PIPE_S"

    def diagnostic(self, program: Program, block: int, grid: int) -> Diagnostic:
        self.found = self._stuck.text(program)
        return super().diagnostic(program, block, grid)


def overflow(site: Site, flag: Flag, limit: int, entry: Entry | None = None) -> Fault:
    """The fault of a flag that is set once too often; `entry` where it was queued."""
    fault = Fault(
        site,
        FLAG_OVERFLOW,
        "the flag's counter overflows",
        found=f"{_named(flag)} is set {limit} times and not waited for",
        expected=f"at most {limit} sets that nobody has waited for",
        hint="wait for the flag in the loop that sets it, or set it once after the loop",
    )
    if entry is not None:
        fault.queued, fault.iterations = True, entry.turn_texts()
    return fault


def left_over(
    program: Program, function: Function, left: Mapping[int, Mapping[Flag, int]], grid: int
) -> list[Diagnostic]:
    """A warning for each flag that blocks left set when they ended; `left` is by block."""
    found: list[Diagnostic] = []
    for flag in sorted({flag for flags in left.values() for flag in flags}):
        blocks = sorted(block for block, flags in left.items() if flag in flags)
        times = left[blocks[0]][flag]
        spans = _set_lines(function, flag)
        where = f" in {len(blocks)} of {grid} blocks, first {blocks[0]}" if grid > 1 else ""
        found.append(
            program.diagnostic(
                LEFT_SET,
                spans[-1] if spans else function.span,
                f"pto.set_flag: {_named(flag)} is still set at the end",
                severity="warning",
                found=f"set {_times(times)} more than it was waited for{where}"
                + (f"; set at {_lines(spans)}" if spans else ""),
                expected="one wait_flag for every set_flag",
                hint=f"wait for it before the kernel ends ({_spelt(flag, 'wait_flag')}): the next "
                "kernel on this core finds it set",
            )
        )
    return found


def _function_of(program: Program, span: Span) -> Function | None:
    """The function in which an instruction stands."""
    return next((f for f in program.functions if any(op.span == span for op in f.ops())), None)


def _set_lines(function: Function | None, flag: Flag, computed: bool = True) -> list[Span]:
    """Where a function sets a flag; also where it computes the event, and so may set it."""
    ops = () if function is None else function.ops()
    return [
        op.span
        for op in ops
        if op.name == "pto.set_flag" and _may_set(op, flag) and (computed or "event" in op.attrs)
    ]


def _may_set(op: Op, flag: Flag) -> bool:
    src, dst, event = flag
    same = op.attrs.get("src") == src and op.attrs.get("dst") == dst
    return same and op.attrs.get("event", EVENTS[event]) == EVENTS[event]


def _lines(spans: Iterable[Span]) -> str:
    numbers = sorted({span.line for span in spans})
    return ("line " if len(numbers) == 1 else "lines ") + ", ".join(map(str, numbers))


def _named(flag: Flag) -> str:
    return f"{flag[0]}->{flag[1]} event {flag[2]}"


def _spelt(flag: Flag, name: str = "set_flag") -> str:
    src, dst, event = flag
    return f'pto.{name}["{src}", "{dst}", "{EVENTS[event]}"]'


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"
