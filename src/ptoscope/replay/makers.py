"""Where the values of a recorded run come from: through loops, branches and vecscopes to the
instruction that made them.

A value is known by its number among those of the recording.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from ptoscope.program import For, If, Op, Scope, While
from ptoscope.replay.history import History
from ptoscope.trace.recording import Content, LaneContent
from ptoscope.trace.trace import NONE


class Maker(NamedTuple):
    """What gave a value: an execution, a counted loop its index, or the launch. `number` is the
    value as it was when it was made."""

    number: int
    step: int | None = None
    loop: For | None = None


class Makers:
    """Finds the makers of the values of a run."""

    def __init__(self, run: History) -> None:
        self._run = run
        self._recording = run.recording

    @cached_property
    def _given(self) -> dict[int, tuple[Op, tuple[int, ...]]]:
        """By slot that control flow gives a value: the operation, and the slots it may be of."""
        found: dict[int, tuple[Op, tuple[int, ...]]] = {}
        for op in self._recording.trace.function.body.walk():
            pairs: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
            match op:
                case For():
                    found[op.index] = op, ()
                    pairs = [(op.inits, op.carried), (op.yields, op.carried)]
                    pairs += [(op.inits, op.results), (op.yields, op.results)]
                case While():
                    pairs = [(op.inits, op.carried), (op.yields, op.carried)]
                    pairs += [(op.passed, op.received), (op.passed, op.results)]
                case If():
                    pairs = [(block.yields, op.results) for block in op.blocks if op.results]
                case Scope():
                    pairs = [(op.inputs, op.args)]
                case _:
                    pass
            for sources, targets in pairs:
                for source, target in zip(sources, targets, strict=True):
                    known = found[target][1] if target in found else ()
                    found[target] = op, (*known, source)
        return found

    def operand(self, slot: int, step: int) -> int | None:
        """The value that an instruction took, by its number. One that waited took those of its
        issue."""
        run, executed = self._run, self._recording.trace.executed
        place = run.place(step)
        if place.scope == NONE and not isinstance(place.op, Scope):
            begin = run.begin_of(step)
            later = executed[begin:step] > executed[step]
            later = np.flatnonzero(later & (run.cores[begin:step] == run.cores[step]))
            if len(later):
                after = begin + int(later[0])
                return run.note(slot, after - (slot in run.place(after).op.results))
        return run.note(slot, step)

    def maker(self, number: int) -> Maker:
        """What gave a value."""
        while True:
            slot = int(self._recording.value_slots[number])
            step = int(self._recording.value_steps[number])
            given = self._given.get(slot)
            if given is None:
                if step < len(self._run) and slot in self._run.place(step).op.results:
                    return Maker(number, step)
                # It was taken into a vecscope, as it was at its issue.
                source = self._before(slot, number, self._recording.values[number])
            else:
                op, slots = given
                if isinstance(op, For) and slot == op.index:
                    return Maker(number, loop=op)
                source = self._passed(op, slot, slots, number)
            if source is None:
                return Maker(number)
            number = source

    def _passed(self, op: Op, slot: int, slots: tuple[int, ...], number: int) -> int | None:
        """The value that control flow passed on as another."""
        content = self._recording.values[number]
        if isinstance(op, For) and slot in op.carried:
            # The index is noted first, then what is carried.
            index = number - 1 - op.carried.index(slot)
            lower = self._before(op.lower, index, None)
            if lower is not None:
                begins = same(self._recording.values[lower], self._recording.values[index])
                slots = slots[:1] if begins else slots[1:]
        found = [self._before(one, number, content) for one in slots]
        return max((one for one in found if one is not None), default=None)

    def _before(self, slot: int, number: int | None, content: Content | None) -> int | None:
        """The last value of a slot before another one, in its block: with this content."""
        if number is None:
            return None
        first = self._run.begin_of(int(self._recording.value_steps[number]))
        mine = self._run.notes(slot, int(self._recording.value_cores[number]))
        for one in mine[: int(np.searchsorted(mine, number))][::-1].tolist():
            if self._recording.value_steps[one] < first:
                return None
            if content is None or same(self._recording.values[one], content):
                return one
        return None


def same(one: Content, other: Content) -> bool:
    """Whether two values hold the same bits."""
    if isinstance(one, LaneContent) and isinstance(other, LaneContent):
        return one.lanes.tobytes() == other.lanes.tobytes()
    return one == other
