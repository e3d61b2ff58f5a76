"""A2/A3: instructions that repeat over UB, by the manual's formula or by calibrated figures.

An instruction reads and writes UB itself: loads, stores and masks around it are part of it
and cost nothing, but gathers and scatters are instructions. Its repeats are its executions in
one entry of its vecscope. A vecscope that computes nothing copies: its stores are moves.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace

import numpy as np

from ptoscope.isa import TABLE
from ptoscope.isa.cost import BULK, MOVE, Figure, RepeatRole
from ptoscope.isa.record import Record
from ptoscope.isa.repeats import CONSTANTS, MEASURED, constants, measured
from ptoscope.native.subset import Ints
from ptoscope.timing.a5_ops import element_type
from ptoscope.timing.model import Model, PlaceFigures, ScopeTimes, empty_scopes
from ptoscope.timing.scopes import Instructions
from ptoscope.trace.trace import Place, Trace


class A2A3(Model):
    """What both models share: repeats are counted, a vecscope is a sequence."""

    target = "a2a3"

    def scopes(self, trace: Trace, code: Instructions) -> ScopeTimes:
        entries = len(code.entry_at) - 1
        found = empty_scopes(trace, entries)
        found.head = np.zeros(max(1, entries), dtype=np.int64)
        found.tail = np.zeros(max(1, entries), dtype=np.int64)
        if not len(code):
            return found
        places = len(trace.places)
        pairs, repeats = np.unique(code.entry * places + code.place, return_counts=True)
        entry, place = pairs // places, pairs % places
        working = np.array([_is(p, "own") for p in trace.places], dtype=bool)
        computes = np.zeros(entries, dtype=bool)
        computes[entry[working[place]]] = True
        copying = np.array([_is(p, "move") for p in trace.places], dtype=bool)
        kept = working[place] | (copying[place] & ~computes[entry])
        self._charge(trace, entry[kept], place[kept], repeats[kept], found)
        return found

    @abstractmethod
    def _charge(
        self, trace: Trace, entry: Ints, place: Ints, repeats: Ints, found: ScopeTimes
    ) -> None:
        """Adds the cycles of instructions, in program order within their entry."""

    def _given(self, place: Place, trace: Trace, name: str, otherwise: Figure) -> Figure:
        short = _charged(place).short
        dtype = element_type(trace.function, place.op)
        given = self.overrides.get(f"{short}.{dtype}.{name}", f"{short}.{name}")
        return given or otherwise


def _is(place: Place, role: RepeatRole) -> bool:
    return place.scope >= 0 and place.record is not None and place.record.repeat_role == role


def _charged(place: Place) -> Record:
    """The instruction; a store that stands for a copy is a move."""
    assert place.record is not None
    return TABLE[f"pto.{MOVE}"] if place.record.repeat_role == "move" else place.record


class Manual(A2A3):
    """startup + completion + repeats * per_repeat + (repeats - 1) * interval."""

    name = "manual"
    manual = True
    fields = CONSTANTS

    def bulk(self, record: Record) -> tuple[Figure, Figure, Figure]:
        return self.named(record, BULK["a2a3"])

    def _charge(
        self, trace: Trace, entry: Ints, place: Ints, repeats: Ints, found: ScopeTimes
    ) -> None:
        for index in np.unique(place):
            mine = place == index
            figures = self._figures(trace, trace.places[int(index)])
            start, completion, each, interval = (f.cycles for f in figures.values())
            spent = start + completion + repeats[mine] * each + (repeats[mine] - 1) * interval
            np.add.at(found.cycles, entry[mine], spent)
            found.busy[index] += int(spent.sum())

    def _figures(self, trace: Trace, place: Place) -> dict[str, Figure]:
        dtype = element_type(trace.function, place.op)
        record = _charged(place)
        figures = {
            key: self._given(place, trace, key, figure)
            for key, figure in constants(record, dtype).items()
        }
        self.used[place.index] = PlaceFigures(record.short, figures)
        return figures


class Calibrated(A2A3):
    """head, if the pipe is idle, + per_repeat * repeats; the tail until all is complete."""

    name = "calibrated"
    fields = MEASURED

    def bulk(self, record: Record) -> tuple[Figure, Figure, Figure]:
        return self.named(record, measured(record, {}))

    def _charge(
        self, trace: Trace, entry: Ints, place: Ints, repeats: Ints, found: ScopeTimes
    ) -> None:
        assert found.head is not None
        assert found.tail is not None
        # In program order, so that the first of an entry gives the head, the last the tail.
        first = np.ones(len(entry), dtype=bool)
        first[1:] = entry[1:] != entry[:-1]
        last = np.ones(len(entry), dtype=bool)
        last[:-1] = first[1:]
        for index in np.unique(place):
            mine = place == index
            figures = self._figures(trace, trace.places[int(index)])
            head, each, tail = (
                figures["head"].cycles,
                figures["per_repeat"].value,
                figures["tail"].cycles,
            )
            spent = np.rint(repeats[mine] * each).astype(np.int64)
            spent[first[mine]] += head
            spent[last[mine]] += tail
            found.head[entry[mine & first]] = head
            found.tail[entry[mine & last]] = tail
            np.add.at(found.cycles, entry[mine], spent)
            found.busy[index] += int(spent.sum())

    def _figures(self, trace: Trace, place: Place) -> dict[str, Figure]:
        record = _charged(place)
        found = measured(record, place.op.attrs, element_type(trace.function, place.op))
        figures = {
            key: self._given(
                place, trace, key, replace(figure, note=f"{record.short}: {figure.note}")
            )
            for key, figure in zip(self.fields, found, strict=True)
        }
        self.used[place.index] = PlaceFigures(record.short, figures)
        return figures
