"""What a recorded run knows of each of its moments, by number."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property

import numpy as np

from ptoscope.diagnostics import Span, UsageError
from ptoscope.program import Program
from ptoscope.replay.writes import Memories
from ptoscope.trace.recording import Content, Recording, Signals
from ptoscope.trace.trace import SPACE_NAMES, Column, Place

NO_SIGNALS = Signals({}, {})
NO_NOTES: Column = np.zeros(0, dtype=np.int64)


class History:
    """The recording of a run with its indexes. Moments are numbers, in the order of execution."""

    def __init__(self, recording: Recording, program: Program) -> None:
        self.recording = recording
        self.program = program
        self.memories = Memories(recording)
        self._text = program.text.split("\n")

    def __len__(self) -> int:
        return len(self.recording.ends)

    def source(self, line: int) -> str:
        """A line of the source, without the blanks around it."""
        return self._text[line - 1].strip() if 0 < line <= len(self._text) else ""

    def piece(self, span: Span) -> str:
        """The part of a line of the source that a span covers."""
        line = self._text[span.line - 1] if 0 < span.line <= len(self._text) else ""
        return line[span.column - 1 : span.column - 1 + span.length].strip()

    # Places.

    @cached_property
    def places(self) -> Column:
        """The number of the place of each moment."""
        trace = self.recording.trace
        return trace.events.place[trace.executed]

    @cached_property
    def lines(self) -> Column:
        """The line of each moment."""
        lines = [place.span.line for place in self.recording.trace.places]
        return np.array(lines, dtype=np.int64)[self.places]

    @cached_property
    def blocks(self) -> Column:
        """The block of each moment."""
        trace = self.recording.trace
        return trace.events.block[trace.executed]

    @cached_property
    def cores(self) -> Column:
        """Which core of its block each moment is of."""
        trace = self.recording.trace
        return trace.events.core[trace.executed]

    def executions(self, line: int) -> Column:
        """The moments at which a line has been executed. Where it has several instructions, those
        that follow each other are one execution, which ends with the last; and those inside of
        the most loops count, not what is computed for them before."""
        places, here = self.recording.trace.places, self.lines == line
        depths = np.array([len(place.loops) for place in places], dtype=np.int64)[self.places]
        deepest = here & (depths == depths[here].max(initial=0))
        found = np.flatnonzero(deepest)
        follows = np.diff(found) == 1
        follows &= np.diff(self.places[found]) > 0
        follows &= np.diff(self.blocks[found]) == 0
        follows &= np.diff(self.cores[found]) == 0
        return found[np.append(~follows, True)[: len(found)]]

    def on_line(self, line: int, index: int, back: bool = False) -> int | None:
        """The first execution of a line from an index on, or backwards from it."""
        found = self.executions(line)
        place = int(np.searchsorted(found, index, side="right" if back else "left")) - back
        return int(found[place]) if 0 <= place < len(found) else None

    # Values.

    @cached_property
    def _slots(self) -> dict[tuple[int, int], Column]:
        """By core and slot, which of the values are its own."""
        slots, cores = self.recording.value_slots, self.recording.value_cores
        count = len(self.recording.trace.function.types)
        keys = cores.astype(np.int64) * count + slots
        order = np.argsort(keys, kind="stable")
        edges = np.flatnonzero(np.diff(keys[order])) + 1
        groups = np.split(order, edges) if len(order) else []
        return {(int(cores[group[0]]), int(slots[group[0]])): group for group in groups}

    @cached_property
    def _named(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for slot, name in enumerate(self.recording.trace.function.names):
            found.setdefault(f"%{name}", []).append(slot)
        return found

    def name_of(self, slot: int) -> str:
        """The name of a slot."""
        return f"%{self.recording.trace.function.names[slot]}"

    def notes(self, slot: int, core: int = 0) -> Column:
        """Which of the values are those of a slot of a core, in order."""
        return self._slots.get((core, slot), NO_NOTES)

    def note(self, slot: int, index: int, core: int | None = None) -> int | None:
        """Which of the values a slot has at a moment, on the core of that or another one."""
        mine = self._slots.get((int(self.cores[index]) if core is None else core, slot))
        if mine is None:
            return None
        steps = self.recording.value_steps
        place = bisect_right(mine, index, key=lambda note: steps[note]) - 1
        if place < 0 or steps[mine[place]] < self.begin_of(index):
            return None
        return int(mine[place])

    def begin_of(self, index: int) -> int:
        """The first moment of the block of a moment."""
        ends = [0, *self.recording.blocks]
        return ends[bisect_right(ends, index) - 1]

    def end_of(self, index: int) -> int:
        """The moment after the last of the block of a moment."""
        ends = self.recording.blocks
        return ends[bisect_right(ends, index)]

    def content(self, slot: int, index: int) -> Content | None:
        """What a slot holds at a moment; None if it has not been made in its block."""
        note = self.note(slot, index)
        return None if note is None else self.recording.values[note]

    def place(self, index: int) -> Place:
        """The operation of a moment."""
        trace = self.recording.trace
        return trace.places[int(trace.events.place[trace.executed[index]])]

    def latest(self, name: str, index: int) -> int | None:
        """The slot of a name that was given a value last, up to a moment."""
        notes = [
            (note, slot)
            for slot in self._named.get(f"%{name.removeprefix('%')}", ())
            if (note := self.note(slot, index)) is not None
        ]
        return max(notes)[1] if notes else None

    def alive(self, index: int) -> list[str]:
        """The names that have a value at a moment."""
        names = self.recording.trace.function.names
        known = sorted(slot for core, slot in self._slots if core == self.cores[index])
        slots = [slot for slot in known if self.note(slot, index) is not None]
        return list(dict.fromkeys(f"%{names[slot]}" for slot in slots))

    def unknown(self, name: str, index: int) -> str:
        """Why a value is not there at a moment."""
        name = f"%{name.removeprefix('%')}"
        if name not in self._named:
            return f"@{self.recording.trace.function.name} has no value {name}"
        return f"{name} has no value yet at line {self.lines[index]}"

    # Memory and signals.

    @cached_property
    def _spaces(self) -> dict[str, int]:
        return {SPACE_NAMES.get(n, s.name): n for n, s in self.recording.spaces.items()}

    def space(self, name: str) -> int:
        """The number of a memory: `ub`, or `%x`, the array of a parameter."""
        found = self._spaces.get(name)
        if found is None:
            raise UsageError(f"there is no memory '{name}'; there are {', '.join(self._spaces)}")
        return found

    @property
    def space_names(self) -> list[str]:
        """The names of the memories: those of the arrays, and of a core's own."""
        return list(self._spaces)

    def signals(self, index: int) -> Signals:
        """Flags and buffers of the core of a moment."""
        known = self.recording.signals
        place = bisect_right(known, index, key=lambda one: one[0]) - 1
        while place >= 0 and known[place][0] >= self.begin_of(index):
            step, signals = known[place]
            if self.cores[step] == self.cores[index]:
                return signals
            place -= 1
        return NO_SIGNALS
