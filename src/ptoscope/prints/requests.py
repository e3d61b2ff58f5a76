"""Requests as people write them: `71:%max`, `71:%max@%lo=256`, `90:ub:0x100..0x140:f32`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ptoscope.diagnostics import UsageError
from ptoscope.isa.parts import ON_CORE
from ptoscope.ranges import MemoryRange, parse_range

FLAGS = "flags"
FORMS = (
    "write 71:%max, 71:%max@3, 71:%max@%i=64, 71:ub:0x100..0x140:f32, 71:%x:0..64:f32 or 71:flags"
)
_REQUEST = re.compile(r"(\d{1,9}):([^@]+)(?:@(.*))?", re.ASCII)
_VALUE = re.compile(r"%[\w$.#-]+", re.ASCII)
_ITERATION = re.compile(r"(%[\w$.#-]+|scf\.while)=(-?\d{1,20})", re.ASCII)
_EXECUTION = re.compile(r"\d{1,18}", re.ASCII)
_NEXT = re.compile(r",(?=\d+:)", re.ASCII)
_SHOWN = 60
"""Characters of a wrong request that a message repeats."""


@dataclass(frozen=True)
class PrintRequest:
    """What to print whenever a line has been executed: the value of a name, bytes of a memory, or
    neither: flags and buffers. `executions` are the only ones, counted from 0, and `iterations`
    the values of loops in which alone it is printed, of an scf.while the number of its iteration;
    where there are none, always."""

    text: str
    line: int
    title: str
    value: str = ""
    memory: MemoryRange | None = None
    executions: tuple[int, ...] = ()
    iterations: tuple[tuple[str, int], ...] = ()


def split_requests(text: str) -> list[str]:
    """Requests with commas between them, each by itself."""
    return _NEXT.split(text)


def parse_requests(texts: Iterable[str]) -> tuple[PrintRequest, ...]:
    """The requests that texts stand for, each once; UsageError for the first that is none."""
    return tuple(dict.fromkeys(_parse(text) for text in texts))


def _parse(text: str) -> PrintRequest:
    found = _REQUEST.fullmatch(text)
    if found is None:
        raise wrong(text, FORMS)
    line, what, when = int(found[1]), found[2], found[3]
    executions: list[int] = []
    iterations: list[tuple[str, int]] = []
    for part in when.split(",") if when is not None else ():
        loop = _ITERATION.fullmatch(part)
        if loop is not None:
            iterations.append((loop[1], int(loop[2])))
        elif _EXECUTION.fullmatch(part):
            executions.append(int(part))
        else:
            raise wrong(text, f"'{part[:_SHOWN]}' is no iteration: write @3 or @%i=64")
    value = what if _VALUE.fullmatch(what) else ""
    memory = None if value or what == FLAGS else _memory(text, what)
    return PrintRequest(text, line, what, value, memory, tuple(executions), tuple(iterations))


def _memory(text: str, what: str) -> MemoryRange:
    try:
        memory = parse_range(what)
    except UsageError as error:
        raise wrong(text, str(error)) from None
    names = [each.name for each in ON_CORE]
    if memory.space not in names and not memory.space.startswith("%"):
        there = f"there are {', '.join(names)} and the arrays of parameters, as %x"
        raise wrong(text, f"there is no memory '{memory.space}'; {there}")
    return memory


def wrong(text: str, why: str) -> UsageError:
    """A request that cannot be met, and why."""
    return UsageError(f"print {text[:_SHOWN]}: {why}")
