"""A2/A3: instructions that repeat over UB, by the manual's formula or by calibrated figures.

An instruction reads and writes UB itself: loads, stores and masks around it are part of it
and cost nothing, but gathers and scatters are instructions. Its repeats are its executions in
one entry of its vecscope. A vecscope that computes nothing copies: its stores are moves.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ptoscope.isa import TABLE
from ptoscope.isa.cost import BULK, MOVE, Figure, FigureSource, RepeatRole
from ptoscope.isa.cost_tables import rows, stand_in
from ptoscope.isa.dtypes import DType
from ptoscope.isa.record import Record
from ptoscope.isa.types import AttrValue
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
    fields = ("startup", "completion", "per_repeat", "interval")

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
        constants, source, note = constants_of(record, dtype)
        figures = {
            key: self._given(place, trace, key, Figure(value, source, note))
            for key, value in constants.items()
        }
        self.used[place.index] = PlaceFigures(record.short, figures)
        return figures


def constants_of(record: Record, dtype: DType | None) -> tuple[dict[str, int], FigureSource, str]:
    """The document's constants of an instruction; of its nearest class where it has none."""
    first = record.short
    while True:
        said = record.cost.a2a3
        found = _of_type(said, dtype) if said else None
        if found:
            source: FigureSource = "manual" if record.short == first else "assumed"
            return found, source, "" if record.short == first else f"{first}: as {record.short}"
        if said:
            near = next(v for k, v in said.items() if k.startswith("completion"))
            constants = {**_rest(said, dtype), "completion": near}
            note = f"{first}.{dtype}: completion of another element type of {record.short}"
            return _ordered(constants), "assumed", note
        _, record = stand_in(record, "a2a3")


def _of_type(figures: Mapping[str, int], dtype: DType | None) -> dict[str, int] | None:
    names = [f"completion_{dtype}"] if dtype else ["completion_float", "completion_int"]
    if dtype is not None and dtype.name != "bf16":
        names.append("completion_float" if dtype.is_float else "completion_int")
    for name in names:
        if name in figures:
            return _ordered({**_rest(figures, dtype), "completion": figures[name]})
    return None


def _rest(said: Mapping[str, int], dtype: DType | None) -> dict[str, int]:
    each = said.get(f"per_repeat_{dtype}", said["per_repeat"])
    return {"startup": said["startup"], "per_repeat": each, "interval": said["interval"]}


def _ordered(constants: dict[str, int]) -> dict[str, int]:
    return {key: constants[key] for key in ("startup", "completion", "per_repeat", "interval")}


class Calibrated(A2A3):
    """head, if the pipe is idle, + per_repeat * repeats; the tail until all is complete."""

    name = "calibrated"
    fields = ("head", "per_repeat", "tail")

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
            head, each, tail = (
                f.cycles for f in self._figures(trace, trace.places[int(index)]).values()
            )
            spent = repeats[mine] * each
            spent[first[mine]] += head
            spent[last[mine]] += tail
            found.head[entry[mine & first]] = head
            found.tail[entry[mine & last]] = tail
            np.add.at(found.cycles, entry[mine], spent)
            found.busy[index] += int(spent.sum())

    def _figures(self, trace: Trace, place: Place) -> dict[str, Figure]:
        record = _charged(place)
        figures = {
            key: self._given(
                place, trace, key, replace(figure, note=f"{record.short}: {figure.note}")
            )
            for key, figure in zip(self.fields, measured(record, place.op.attrs), strict=True)
        }
        self.used[place.index] = PlaceFigures(record.short, figures)
        return figures


def measured(record: Record, attrs: Mapping[str, AttrValue]) -> tuple[Figure, Figure, Figure]:
    """Head, cycles per repeat and tail of an instruction; of its nearest class where it has
    none."""
    first = record
    while True:
        base = record.cost.row_a2a3 or record.short
        known = rows(record).a2a3
        for name in (f"{base}_{str(attrs.get(record.cost.rows_by, '')).lower()}", base):
            if name in known:
                row = known[name]
                source = row.source if record is first else "assumed"
                note = row.basis if record is first else f"as {name}"
                head, each, tail = (
                    Figure(value, source, note) for value in (row.head, row.per_repeat, row.tail)
                )
                return head, each, tail
        _, record = stand_in(record, "a2a3")
