"""What every event costs its pipe, by the figures of a model."""

from __future__ import annotations

import numpy as np

from ptoscope.isa.copies import CopyPath
from ptoscope.isa.copy_costs import HIDDEN_STARTUP
from ptoscope.isa.cost import CACHE_LINE, Figure, product
from ptoscope.isa.order.kinds import RULES
from ptoscope.isa.parts import SCALAR, SCALAR_PIPE
from ptoscope.isa.record import Record
from ptoscope.isa.sync_costs import sync_figure
from ptoscope.native.subset import Ints
from ptoscope.program import Scope
from ptoscope.timing.model import Model, PlaceFigures, ScopeTimes
from ptoscope.timing.pipes import PipeEvents, Work
from ptoscope.timing.products import left_element, product_repeats
from ptoscope.trace.trace import Column, Place, Trace

REPEAT_BYTES = 256
"""What one repeat of an instruction that works on UB reads at most."""


def pipe_work(model: Model, events: PipeEvents, scopes: ScopeTimes) -> Work:
    """The cycles of every event; the figures that they rest on are then in `model.used`."""
    work, issue, shape = (np.zeros(max(1, len(events)), dtype=np.int32) for _ in range(3))
    found = Work(work, issue, shape, np.zeros((1, 3), dtype=np.int64))
    np.multiply(events.issues, model.issue.cycles, out=found.issue[: len(events)])
    _Charges(model, events, scopes, found).charge()
    return found


class _Charges:
    """Writes what each place costs into the columns of `found`."""

    def __init__(self, model: Model, events: PipeEvents, scopes: ScopeTimes, found: Work) -> None:
        self._model, self._events, self._scopes, self._found = model, events, scopes, found
        self._trace = events.trace
        self._moved: Ints | None = None
        self._missed: Column | None = None

    def charge(self) -> None:
        for place in self._trace.places:
            if place.scope >= 0 or place.record is None:
                continue
            mine = np.flatnonzero(self._events.place == place.index)
            if not len(mine):
                continue
            if place.record.order is not None:
                self._synchronising(place, mine)
                continue
            mine = mine[self._events.sync[mine] == 0]
            if isinstance(place.op, Scope):
                self._launching(place, mine)
            elif place.record.path is not None:
                self._copying(place, place.record.path, mine)
            elif place.record.cost_kind == "bulk":
                self._working(place, place.record, mine)
            elif place.record.cost_kind == "product":
                self._multiplying(place, mine)
            elif self._events.pipe[mine[0]] == SCALAR:
                self._loading(place, mine)

    def _synchronising(self, place: Place, mine: Ints) -> None:
        """What the pipe spends; the scalar unit spends the issue alone."""
        kinds = {int(kind) for kind in self._events.kind[mine]}
        used: dict[str, Figure] = {}
        for kind in kinds:
            name = sync_figure(RULES[kind])
            rows = mine[(self._events.kind[mine] == kind) & (self._events.pipe[mine] != SCALAR)]
            if len(rows):
                used[name] = self._model.sync(name)
                self._found.work[rows] = used[name].cycles
        self._model.used[place.index] = PlaceFigures("sync", used)

    def _launching(self, place: Place, mine: Ints) -> None:
        entries = self._trace.events.entry[self._events.event[mine]]
        head, tail = _of(self._scopes.head, entries), _of(self._scopes.tail, entries)
        launch = self._model.sync("launch")
        if launch.value or launch.ends or launch.source == "given":
            self._model.used[place.index] = PlaceFigures("sync", {"launch": launch})
        found = self._found
        found.work[mine] = self._scopes.cycles[entries] - head - tail
        shapes = np.column_stack((head, tail, np.full(len(mine), launch.cycles)))
        different, which = np.unique(shapes, axis=0, return_inverse=True)
        found.shape[mine] = len(found.shapes) + which.reshape(-1)
        found.shapes = np.vstack((found.shapes, different))

    def _copying(self, place: Place, path: CopyPath, mine: Ints) -> None:
        figures = self._model.copying(path.name)
        shown = {
            name: figure
            for name, figure in figures._asdict().items()
            if figure.value or figure.ends or figure.source == "given"
        }
        self._model.used[place.index] = PlaceFigures(path.name, shown, "dma")
        rate, startup, per_burst, issue = figures
        rows = self._events.event[mine]
        if per_burst.value:
            # Bursts cost where they lie apart in GM; what they fill on the core does not count.
            bursts, cycles = _bursts(self._trace, rows, path.source != "gm", rate.value)
            spent = cycles + bursts * per_burst.cycles
        else:
            spent = np.ceil(self._bytes(rows) / rate.value).astype(np.int64)
        if HIDDEN_STARTUP[self._model.target]:
            self._shape(mine, 0, 0, startup.cycles + issue.cycles)
        else:
            spent = spent + startup.cycles
            self._shape(mine, 0, 0, issue.cycles)
        self._found.work[mine] = spent

    def _shape(self, mine: Ints, head: int, tail: int, latency: int) -> None:
        self._found.shape[mine] = len(self._found.shapes)
        self._found.shapes = np.vstack((self._found.shapes, (head, tail, latency)))

    def _working(self, place: Place, record: Record, mine: Ints) -> None:
        head, each, tail = self._model.bulk(record)
        figures = {"head": head, "per_repeat": each, "tail": tail}
        self._model.used[place.index] = PlaceFigures(record.short, figures)
        repeats = -(-self._bytes(self._events.event[mine]) // REPEAT_BYTES)
        self._shape(mine, head.cycles, tail.cycles, 0)
        self._found.work[mine] = np.rint(each.value * repeats).astype(np.int64)

    def _multiplying(self, place: Place, mine: Ints) -> None:
        assert place.record is not None
        model = self._model
        names = place.record.short, left_element(self._trace, place).name
        published = product(model.target, names[1], model.manual)
        head, each = (
            model.overrides.get(f"{'.'.join(names)}.{key}", f"{names[0]}.{key}") or figure
            for key, figure in zip(("head", "per_repeat"), published, strict=True)
        )
        model.used[place.index] = PlaceFigures(".".join(names), {"head": head, "per_repeat": each})
        repeats = product_repeats(self._trace, place, self._events.event[mine])
        self._found.work[mine] = head.cycles + np.rint(each.value * repeats).astype(np.int64)

    def _loading(self, place: Place, mine: Ints) -> None:
        """A scalar load from GM misses the cache at the first touch of a line by its core."""
        missed = self._misses[self._events.event[mine]]
        if missed.any():
            load = self._model.scalar_load
            self._model.used[place.index] = PlaceFigures("scalar", {"load": load})
            self._found.issue[mine[missed]] = max(load.cycles, self._model.issue.cycles)

    @property
    def _misses(self) -> Column:
        """By event of the trace: whether it reads a line of GM that its core has not read."""
        if self._missed is None:
            self._missed = _first_touches(self._trace)
        return self._missed

    def _bytes(self, rows: Ints) -> Ints:
        if self._moved is None:
            self._moved = _bytes_moved(self._trace)
        return self._moved[rows]


def _of(column: Ints | None, entries: Ints) -> Ints:
    return np.zeros(len(entries), dtype=np.int64) if column is None else column[entries]


def _bytes_moved(trace: Trace) -> Ints:
    """By event: the bytes it reads or those it writes, whichever are more."""
    accesses = trace.accesses
    size = accesses.length * accesses.count
    return np.maximum(*(_summed(trace, writes, size) for writes in (True, False)))


def _bursts(trace: Trace, rows: Ints, writes: bool, rate: float) -> tuple[Ints, Ints]:
    """Of these events: bursts at one end, and the cycles of their bytes, each burst by itself."""
    accesses = trace.accesses
    cycles = np.ceil(accesses.length / rate) * accesses.count
    return _summed(trace, writes, accesses.count)[rows], _summed(trace, writes, cycles)[rows]


def _summed(trace: Trace, writes: bool, weights: Column) -> Ints:
    """By event the sum over what it reads, or over what it writes."""
    accesses = trace.accesses
    mine = accesses.writes == writes
    event = accesses.event[mine]
    found = np.bincount(event, weights=weights[mine].astype(float), minlength=len(trace.events))
    return found.astype(np.int64)


def _first_touches(trace: Trace) -> Column:
    """By event: whether it reads a line of GM that its core has not read before."""
    accesses, events = trace.accesses, trace.events
    scalar = np.array([p.scope < 0 and p.pipe == SCALAR_PIPE for p in trace.places], dtype=bool)
    rows = np.flatnonzero(
        (accesses.space >= 0) & ~accesses.writes & scalar[events.place[accesses.event]]
    )
    event = accesses.event[rows]
    unit = events.block[event].astype(np.int64) * len(trace.cores) + events.core[event]
    line = accesses.start[rows] // CACHE_LINE
    _, first = np.unique(
        np.column_stack((unit, accesses.space[rows], line)), axis=0, return_index=True
    )
    found = np.zeros(len(events), dtype=bool)
    found[event[first]] = True
    return found
