"""Which moments of a run to look at: lines, pipes, bytes that are watched, and where to stop."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ptoscope.diagnostics import UsageError, nearest
from ptoscope.isa.parts import PIPE_ALL, PIPES
from ptoscope.ranges import MemoryRange, parse_range
from ptoscope.trace.trace import Column

if TYPE_CHECKING:
    from ptoscope.replay.run import RecordedRun

_LINES = re.compile(r"(\d{1,9})(?:\.\.(\d{1,9}))?", re.ASCII)
_UNTIL = re.compile(r"(\d{1,9})(?::(\d{1,9}))?", re.ASCII)


class Selection(NamedTuple):
    """Lines as pairs of a first and a last, pipes, and bytes of which any has to be touched. What
    is empty selects all. `until` is the text of where to stop."""

    lines: tuple[tuple[int, int], ...] = ()
    pipes: tuple[str, ...] = ()
    watched: tuple[MemoryRange, ...] = ()
    until: str = ""


def parse_lines(text: str) -> tuple[tuple[int, int], ...]:
    """`71`, `71,80..85`; UsageError for anything else."""
    found: list[tuple[int, int]] = []
    for part in text.split(","):
        match = _LINES.fullmatch(part)
        if match is None:
            raise UsageError(f"'{part[:40]}' names no lines; write 71, or 71,80..85")
        found.append((int(match[1]), int(match[2] or match[1])))
    return tuple(found)


def parse_pipes(text: str) -> tuple[str, ...]:
    """`PIPE_V,PIPE_MTE2`, also without PIPE_; UsageError for what is no pipe."""
    known = (*PIPES, PIPE_ALL)
    found: list[str] = []
    for part in text.split(","):
        name = part if part.startswith("PIPE_") else f"PIPE_{part}"
        if name not in known:
            hint = nearest(name, known) or f"there are {', '.join(known)}"
            raise UsageError(f"'{part[:40]}' is no pipe; {hint}")
        found.append(name)
    return tuple(found)


def parse_watched(text: str) -> tuple[MemoryRange, ...]:
    """Ranges of bytes with commas between them."""
    return tuple(parse_range(part) for part in text.split(","))


def check_until(text: str) -> None:
    """UsageError unless a text says where to stop: `nan`, `undefined`, `71` or `71:2`."""
    if text not in ("nan", "undefined", "") and _UNTIL.fullmatch(text) is None:
        raise UsageError(f"'{text[:40]}' is no place to stop; write 71, 71:2, nan or undefined")


def selected(run: RecordedRun, wanted: Selection) -> Column:
    """The numbers of the moments that are wanted, up to and with the one to stop at. UsageError
    for bytes or a line that the run does not have."""
    chosen = np.ones(len(run), dtype=bool)
    chosen[_stop(run, wanted.until) + 1 :] = False
    if wanted.lines:
        chosen &= _any(run, [(run.lines >= a) & (run.lines <= b) for a, b in wanted.lines])
    if wanted.pipes:
        trace = run.recording.trace
        of_place = np.array([place.pipe in wanted.pipes for place in trace.places], dtype=bool)
        chosen &= of_place[trace.events.place[trace.executed]]
    if wanted.watched:
        chosen &= _any(run, [_touching(run, one) for one in wanted.watched])
    return np.flatnonzero(chosen)


def _any(run: RecordedRun, masks: Sequence[Column]) -> Column:
    return np.logical_or.reduce([np.zeros(len(run), dtype=bool), *masks])


def _touching(run: RecordedRun, wanted: MemoryRange) -> Column:
    number = run.space(wanted.space)
    begin, end = wanted.of(len(run.recording.spaces[number].before))
    found = np.zeros(len(run), dtype=bool)
    for writes in (False, True):
        rows = run.memories.accesses(number, writes)
        found[rows.step[rows.touching(begin, end)]] = True
    return found


def _stop(run: RecordedRun, until: str) -> int:
    """The last moment to look at."""
    check_until(until)
    if until in ("nan", "undefined"):
        found = run.first_nan() if until == "nan" else run.first_undefined()
        return len(run) if found is None else found.index
    match = _UNTIL.fullmatch(until)
    if match is None:
        return len(run)
    return run.at(int(match[1]), int(match[2] or 0)).index
