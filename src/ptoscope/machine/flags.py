"""Flags and buffers as messages speak of them, and where a kernel sets or acquires them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from ptoscope.diagnostics import Span
from ptoscope.isa.pipes import EVENTS
from ptoscope.program import Block, Function, If, Loop, Op, Program

Flag = tuple[str, str, int]
"""The pipe that sets it, the one that waits for it, the event."""
Buffer = tuple[str, int]
"""The pipe that holds it, its id."""


class _Step(NamedTuple):
    """One step inwards: which block of the operation around, which of its operations."""

    block: int
    number: int
    op: Op


_Path = tuple[_Step, ...]
"""From the body of a function to an operation."""


class Position(NamedTuple):
    """Where an instruction stands, seen from where the scalar unit has come to: ahead of it or
    passed; and whether a loop around both leads there again."""

    span: Span
    ahead: bool
    loop: bool

    @property
    def may_come(self) -> bool:
        """Whether the scalar unit can come there if it goes on."""
        return self.ahead or self.loop


def sets_of(function: Function | None, flag: Flag) -> list[Op]:
    """What sets a flag, also where the event is computed and may be this one."""
    src, dst, event = flag
    return _uses(
        function,
        "pto.set_flag",
        lambda attrs: (
            attrs.get("src") == src
            and attrs.get("dst") == dst
            and attrs.get("event", EVENTS[event]) == EVENTS[event]
        ),
    )


def acquisitions_of(function: Function, buffer: Buffer) -> list[Op]:
    """What acquires a buffer, also where its id is computed and may be this one."""
    pipe, number = buffer
    return _uses(
        function,
        "pto.get_buf",
        lambda attrs: attrs.get("pipe") == pipe and attrs.get("id", number) == number,
    )


def _uses(function: Function | None, name: str, fits: Callable[..., bool]) -> list[Op]:
    ops = () if function is None else function.ops()
    return [op for op in ops if op.name == name and fits(op.attrs)]


def function_of(program: Program, span: Span) -> Function | None:
    """The function in which an instruction stands."""
    return next((f for f in program.functions if any(op.span == span for op in f.ops())), None)


def positions(function: Function | None, ops: Iterable[Op], at: Span | None) -> list[Position]:
    """Where operations of a function stand, seen from `at`; all are passed at its end, None."""
    paths = {} if function is None else {op.span: path for path, op in _walk(function.body)}
    here = None if at is None else paths.get(at)
    if here is None:
        return [Position(op.span, False, False) for op in ops]
    return [Position(op.span, *_compare(paths[op.span], here)) for op in ops]


def _walk(block: Block, number: int = 0, around: _Path = ()) -> Iterator[tuple[_Path, Op]]:
    for i, op in enumerate(block.ops):
        path = (*around, _Step(number, i, op))
        yield path, op
        for k, inner in enumerate(op.blocks):
            yield from _walk(inner, k, path)


def _compare(path: _Path, here: _Path) -> tuple[bool, bool]:
    """Whether a path is ahead of another one; whether both are in one loop."""
    shared = 0
    while shared < min(len(path), len(here)) and path[shared].op is here[shared].op:
        shared += 1
    around = [step.op for step in path[:shared]]
    ahead = [step[:2] for step in path] > [step[:2] for step in here]
    if around and isinstance(around[-1], If) and path[shared].block != here[shared].block:
        # Of two sides one is taken, and the other is passed with it.
        ahead = False
    return ahead, any(isinstance(op, Loop) for op in around)


def line_list(spans: Iterable[Span]) -> str:
    numbers = sorted({span.line for span in spans})
    return ("line " if len(numbers) == 1 else "lines ") + ", ".join(map(str, numbers))


def named(flag: Flag) -> str:
    return f"{flag[0]}->{flag[1]} event {flag[2]}"


def spelt(flag: Flag, name: str = "set_flag") -> str:
    src, dst, event = flag
    return f'pto.{name}["{src}", "{dst}", "{EVENTS[event]}"]'


def times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"
