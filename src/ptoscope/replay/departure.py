"""Where a run first departs from another one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ptoscope.isa.types import Ptr, Scalar, Type
from ptoscope.replay.apart import apart, tolerance
from ptoscope.replay.contents import lanes_of
from ptoscope.replay.elements import numbers
from ptoscope.replay.history import History
from ptoscope.replay.moment import Moment
from ptoscope.trace.recording import LaneContent
from ptoscope.trace.trace import SPACE_NAMES

MOST_LANES = 8
"""Lanes that are shown to people."""


@dataclass(frozen=True, eq=False)
class Departure:
    """The first moment at which a run does something else. `name` is the value that is another,
    `lanes` are its lanes that differ (none of a scalar), `got` and `expected` what they are and
    should be. Of a store or a copy there is no name: `got` and `expected` say which bytes it
    reads and writes. `other` is the moment of the other run, None for a function; `moment` is None
    where only the other run has it."""

    moment: Moment | None
    other: Moment | None
    name: str
    lanes: tuple[int, ...]
    got: object
    expected: object

    @property
    def line(self) -> int:
        """The line that departs; of what is missing, that of the other kernel."""
        moment = self.moment or self.other
        assert moment is not None
        return moment.line

    def __repr__(self) -> str:
        return f"<Departure: {str(self).splitlines()[0]}>"

    def of_lane(self, number: int) -> tuple[object, object]:
        """What the lane of this number among those that differ is and should be."""
        return np.asarray(self.got)[number], np.asarray(self.expected)[number]

    def __str__(self) -> str:
        if self.moment is None:
            assert self.other is not None
            return (
                f"line {self.other.line} of the other is not executed here: "
                f"{self.other.text}{_around(self.other)}"
            )
        head = f"first departs at line {self.moment.line}: {self.moment.text}{_around(self.moment)}"
        lines = [head]
        if not self.name:
            lines.append(f"  it {self.got}; expected: it {self.expected}")
        elif not self.lanes:
            lines.append(f"  {self.name} is {self.got!s}, expected {self.expected!s}")
        for number, lane in enumerate(self.lanes[:MOST_LANES]):
            got, expected = self.of_lane(number)
            lines.append(f"  lane {lane} of {self.name} is {got!s}, expected {expected!s}")
        if len(self.lanes) > MOST_LANES:
            lines.append(f"  and {len(self.lanes) - MOST_LANES} more lanes")
        if self.other is not None and self.other.text != self.moment.text:
            lines.append(f"  line {self.other.line} of the other: {self.other.text}")
        return "\n".join(lines)


def _around(moment: Moment) -> str:
    texts = moment.iteration_texts
    return f" (at {', '.join(texts)})" if texts else ""


def first_departure(
    run: History, other: History, rtol: float = 0.0, atol: float = 0.0
) -> Departure | None:
    """Where a run first departs from another: of a kernel that is written otherwise, or of the
    other revision. Values are compared that have the same name, in the same block, and were given
    one as often before; only lanes that both runs define, and that differ by more than they may.
    What makes no value is compared by the bytes that it touches: with the same instruction on a
    first operand of the same name."""
    rtol, atol = tolerance("rtol", rtol), tolerance("atol", atol)
    ours, theirs = dict(_done(run)), dict(_done(other))
    missing = _missing(run, ours, theirs)
    for key, one in ours.items():
        match = theirs.get(key)
        found = None if match is None else _compared(run, other, one, match, rtol, atol)
        if match is not None and found is not None:
            if missing is not None and missing < match.step:
                break
            return found
    if missing is None:
        return None
    return Departure(None, Moment(other, missing), "", (), None, None)


class _Key(NamedTuple):
    """What an execution did, to find the same in another run: it gave a value a name, or took
    that operand; `times` is how often that was done before."""

    block: int
    name: str
    operand: str
    times: int


class _Done(NamedTuple):
    """The step, the value that it made, or -1, and the bytes that it touched."""

    step: int
    number: int
    touched: tuple[str, ...]


def _done(run: History) -> Iterator[tuple[_Key, _Done]]:
    """What each execution did, in order."""
    recording = run.recording
    touched = _touched(run)
    times: dict[tuple[int, str, str], int] = defaultdict(int)
    first = np.searchsorted(recording.value_steps, np.arange(len(run) + 1)).tolist()
    for step in range(len(run)):
        op, block = run.place(step).op, int(run.blocks[step])
        made = [
            (run.name_of(slot), "", number)
            for number in range(first[step], first[step + 1])
            if (slot := int(recording.value_slots[number])) in op.results
        ]
        if not made and step in touched:
            made = [(op.name, run.name_of(op.operands[0]) if op.operands else "", -1)]
        for name, operand, number in made:
            count = times[block, name, operand]
            times[block, name, operand] += 1
            yield _Key(block, name, operand, count), _Done(step, number, touched.get(step, ()))


def _touched(run: History) -> dict[int, tuple[str, ...]]:
    """By step the bytes that it touched, in words; of what makes a value only what it wrote."""
    found: dict[int, tuple[str, ...]] = {}
    for space in run.recording.spaces:
        name = SPACE_NAMES.get(space, run.recording.spaces[space].name)
        for writes in (False, True):
            rows = run.memories.accesses(space, writes)
            columns = (rows.step, rows.start, rows.length, rows.count, rows.stride)
            for step, start, length, count, stride in zip(
                *(column.tolist() for column in columns), strict=True
            ):
                if writes or not run.place(step).op.results:
                    more = f" and {count - 1} more, {stride} bytes apart" if count > 1 else ""
                    text = f"bytes {start} to {start + length - 1} of {name}{more}"
                    verb = "writes" if writes else "reads"
                    found[step] = (*found.get(step, ()), f"{verb} {text}")
    return found


def _missing(run: History, ours: dict[_Key, _Done], theirs: dict[_Key, _Done]) -> int | None:
    """The first step of the other run that stores or copies, and that this run has not. What is
    about a value that this kernel does not name is another way to write it."""
    names = {run.name_of(slot) for slot in range(len(run.recording.trace.function.names))}
    for key, done in theirs.items():
        if done.number < 0 and key not in ours and key.operand in names:
            return done.step
    return None


def _compared(
    run: History, other: History, one: _Done, match: _Done, rtol: float, atol: float
) -> Departure | None:
    moments = Moment(run, one.step), Moment(other, match.step)
    if one.number >= 0:
        slot = int(run.recording.value_slots[one.number])
        name = run.name_of(slot)
        kinds = (
            run.recording.trace.function.types[slot],
            other.recording.trace.function.types[int(other.recording.value_slots[match.number])],
        )
        if kinds[0] != kinds[1]:
            return Departure(*moments, name, (), *kinds)
        a, b = run.recording.values[one.number], other.recording.values[match.number]
        if isinstance(a, LaneContent) and isinstance(b, LaneContent):
            found = lanes_apart(kinds[0], a, b, rtol, atol)
            if found is not None:
                return Departure(*moments, name, *found)
    if one.touched != match.touched:
        return Departure(*moments, "", (), ", ".join(one.touched), ", ".join(match.touched))
    return None


def lanes_apart(
    kind: Type, ours: LaneContent, theirs: LaneContent, rtol: float, atol: float
) -> tuple[tuple[int, ...], Any, Any] | None:
    """The lanes of two values of a type that differ, and what they hold: of a scalar no lanes,
    and its two values. Undefined lanes differ from nothing."""
    (a, bad), (b, worse) = (lane_numbers(kind, one) for one in (ours, theirs))
    places, _ = apart(a, b, rtol, atol)
    places = places[~(bad | worse)[places]]
    if not len(places):
        return None
    if isinstance(kind, (Scalar, Ptr)):
        return (), a[0], b[0]
    return tuple(places.tolist()), a[places], b[places]


def lane_numbers(kind: Type, content: LaneContent) -> tuple[Any, Any]:
    """The lanes of a value as the numbers that they are, and which have undefined bits."""
    lanes, undefined = lanes_of(kind, content)
    return numbers(content.dtype, lanes), undefined
