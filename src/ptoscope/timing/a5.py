"""A5: the vector core from its cycle model, the DMA engines assumed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from ptoscope.isa.cost import BULK, Figure
from ptoscope.isa.cost_tables import FORWARDING, INTERVAL, pairs
from ptoscope.isa.record import Record
from ptoscope.native.subset import Ints
from ptoscope.timing.a5_ops import LOAD_LATENCY, OpClass, op_class
from ptoscope.timing.figures import Overrides
from ptoscope.timing.in_order import ideal_starts, run_in_order
from ptoscope.timing.model import Model, PlaceFigures, ScopeTimes, empty_scopes
from ptoscope.timing.scopes import Instructions, is_instruction
from ptoscope.timing.vector_core import run_scopes
from ptoscope.timing.vector_queues import (
    BARRIER,
    COMPUTE,
    FREED,
    LOAD,
    PREDICATE,
    RING,
    STATE,
    STORE,
    UNITS,
)
from ptoscope.trace.trace import Trace

_CORE = {
    "startup": (19, "from its launch to the first dispatch"),
    "drain": (12, "from the last retirement to the end"),
    "width": (5, "instructions dispatched a cycle"),
    "queue": (58, "room in the shared queue"),
    "loads": (24, "room in the queue of loads"),
    "registers": (68, "vector registers"),
    "predicates": (32, "predicate registers"),
    "release": (6, "from the start of a register's last reader until it is free"),
    "entry": (2, "from the launch's first dispatch to that of a loop"),
    "loop": (7, "from the last iteration of a loop to the next loop"),
    "moves": (1, "a scalar register that a loop carries"),
    "two_loads": (1, "in a loop, two operands that were loaded in one cycle arrive later"),
    "pointer": (1, "between two post-update accesses of one pointer"),
    "load_release": (8, "from the start of a load until its room is free"),
    "store_release": (3, "from the start of a store until its room is free"),
}
"""Sizes and delays, in the order in which the core's loop takes them."""
_FITTED = {"loop", "moves", "two_loads", "pointer"}
"""Those read from whole vecscopes that were measured; the others are from dumps of single
cycles."""
_LOAD_TO_COMPUTE = 6
_FORWARD_LESS = 3
"""Where no pair is listed, a result is forwarded so many cycles before the latency is over."""


class A5(Model):
    """The calibrated model."""

    target, name = "a5", "calibrated"
    fields = (
        "latency", "load_to_compute", "compute_to_store", "hold", "head", "per_repeat", "tail",
        "core",
    )  # fmt: skip

    def __init__(self, overrides: Overrides) -> None:
        super().__init__(overrides)
        figures = {
            key: Figure(value, "measured" if key in _FITTED else "cycle model", note)
            for key, (value, note) in _CORE.items()
        }
        self._class_of: dict[int, OpClass] = {}
        self._core = {key: overrides.figure(f"core.{key}", f) for key, f in figures.items()}

    def core_figures(self) -> dict[str, Figure]:
        return self._core

    def bulk(self, record: Record) -> tuple[Figure, Figure, Figure]:
        return self.named(record, BULK["a5"])

    def scopes(self, trace: Trace, code: Instructions) -> ScopeTimes:
        entries = len(code.entry_at) - 1
        classes, of_place = self._classes(trace)
        found = empty_scopes(trace, entries)
        size = max(1, len(code))
        cls = of_place.astype(np.int32)[code.place] if len(code) else np.zeros(1, dtype=np.int32)
        found.start, found.bound, found.ready = (np.full(size, -1, np.int32) for _ in range(3))
        found.ideal, found.waited, found.track = (np.zeros(size, np.int32) for _ in range(3))
        latency = _column(classes, lambda c: c.latency.cycles)
        self._run(entries, classes, cls, latency, code, found)
        found.latency = latency[of_place]
        self._class_of = {p: classes[int(of_place[p])] for p in self.used}
        return found

    def loop_bounds(self, per_iteration: dict[int, float]) -> dict[str, float]:
        """Ports by their intervals, the load/store unit by its rule, dispatch by its width."""
        work = [(self._class_of[place], times) for place, times in per_iteration.items()]
        started = [(c, times) for c, times in work if c.kind in (COMPUTE, PREDICATE)]
        ports = [sum(t for _, t in started) / 2, sum(t for c, t in started if c.ports == 1)]
        for unit in {c.unit for c, _ in started}:
            mine = [(c, times) for c, times in started if c.unit == unit]
            least = int(intervals([c for c, _ in mine]).min())
            ports.append(least * sum(t / (1 if c.ports == 1 else 2) for c, t in mine))
        # A cycle has two slots; what holds the unit longer, or has two results, takes both.
        memory = [(c, times, max(1, c.hold.cycles)) for c, times in work if c.kind in (LOAD, STORE)]
        slots = sum(t * (2 * held if held > 1 or c.registers > 1 else 1) for c, t, held in memory)
        stores = sum(t * held for c, t, held in memory if c.kind == STORE)
        counted = sum(t for c, t in work if c.kind != BARRIER and not c.scalars)
        return {
            "execution ports": max(ports),
            "loads and stores": max(slots / 2, stores),
            "dispatch": counted / self._core["width"].value,
        }

    def _run(
        self,
        entries: int,
        classes: list[OpClass],
        cls: Ints,
        latency: Ints,
        code: Instructions,
        found: ScopeTimes,
    ) -> None:
        core = np.array([figure.cycles for figure in self._core.values()], dtype=np.int64)
        found.startup, found.drain = int(core[0]), int(core[1])
        found.sent = np.zeros(max(1, len(code)), dtype=np.int32)
        forward = forwarding(classes)
        ideal_starts(len(code), len(classes), cls, code.dep_at, code.dep, forward, found.ideal)
        room = int(core[3] + core[4]) + 1
        run_scopes(
            entries,
            len(classes),
            core,
            np.array([_row(c) for c in classes], dtype=np.int64).ravel(),
            forward,
            intervals(classes),
            code.entry_at,
            code.depth,
            code.moves,
            cls,
            _some(code.place),
            code.gap,
            code.looped,
            code.dep_at,
            code.dep,
            code.uses(),
            code.moved,
            np.zeros(STATE, dtype=np.int64),
            np.zeros(6 * room, dtype=np.int64),
            room,
            np.zeros(FREED * RING, dtype=np.int64),
            np.full(4 * RING, -1, dtype=np.int64),
            np.zeros(2 * UNITS, dtype=np.int64),
            np.zeros(2 * UNITS, dtype=np.int64),
            found.sent,
            np.zeros(max(1, len(code)), dtype=np.int32),
            found.start,
            found.ready,
            found.bound,
            found.track,
            found.waited,
            found.busy,
            found.stall,
            found.held,
            found.cycles,
        )

    def _classes(self, trace: Trace) -> tuple[list[OpClass], Ints]:
        """The classes of all places, and which each place has."""
        found: dict[OpClass, int] = {}
        of_place = np.zeros(max(1, len(trace.places)), dtype=np.int64)
        for place in trace.places:
            if is_instruction(trace, place):
                one = op_class(trace.function, place.op, self.overrides, self.manual)
                of_place[place.index] = found.setdefault(one, len(found))
                self.used[place.index] = PlaceFigures(one.title, one.figures)
        nothing = OpClass("", "", COMPUTE, Figure(0, "cycle model"))
        return list(found) or [nothing], of_place


class A5Manual(A5):
    """By the manual's latencies alone: nothing starts or drains, one instruction a cycle."""

    name = "manual"
    manual = True
    tracks: Mapping[int, str] = {0: "vector: issue"}

    def loop_bounds(self, per_iteration: dict[int, float]) -> dict[str, float]:
        return {"one instruction a cycle": sum(per_iteration.values())}

    def core_figures(self) -> dict[str, Figure]:
        return {}

    def _run(
        self,
        entries: int,
        classes: list[OpClass],
        cls: Ints,
        latency: Ints,
        code: Instructions,
        found: ScopeTimes,
    ) -> None:
        forward = np.repeat(latency, len(classes))
        ideal_starts(len(code), len(classes), cls, code.dep_at, code.dep, forward, found.ideal)
        run_in_order(
            entries,
            _column(classes, lambda c: c.kind),
            latency,
            code.entry_at,
            cls,
            _some(code.place),
            code.dep_at,
            code.dep,
            found.start,
            found.ready,
            found.bound,
            found.waited,
            found.busy,
            found.stall,
            found.cycles,
        )


def forwarding(classes: list[OpClass]) -> Ints:
    """From the start of a producer (row) to the start of its consumer (column)."""
    return np.array([_forward(p, c) for p in classes for c in classes], dtype=np.int64)


def _forward(producer: OpClass, consumer: OpClass) -> int:
    latency = producer.latency.cycles
    listed = pairs(FORWARDING).get((producer.row, consumer.row))
    if listed is not None and producer.kind == COMPUTE:
        return listed
    if producer.stream and consumer.stream and consumer.kind != COMPUTE:
        # The state of an unaligned stream is handed on, not read back from a register.
        return 1
    if producer.kind == LOAD and consumer.kind in (COMPUTE, PREDICATE):
        if producer.masks:
            # As the probes have it, for vsel too, to which registers come later.
            return latency - LOAD_LATENCY + _LOAD_TO_COMPUTE
        # Of two results the second comes a cycle later.
        later = latency - LOAD_LATENCY + (producer.registers > 1)
        return (consumer.load_to_compute.cycles or _LOAD_TO_COMPUTE) + later
    if producer.kind == LOAD and consumer.kind == STORE:
        return latency - 1 + (producer.registers > 1)
    if producer.kind in (LOAD, STORE):
        return latency
    if producer.kind == COMPUTE and consumer.kind in (LOAD, STORE):
        return producer.compute_to_store.cycles
    if producer.kind == PREDICATE:
        return max(0, latency - (2 if consumer.kind in (LOAD, STORE) else 4))
    assert producer.kind in (COMPUTE, BARRIER)
    return max(0, latency - _FORWARD_LESS)


def intervals(classes: list[OpClass]) -> Ints:
    """Least cycles between two starts on one port: the earlier (row), the later (column)."""
    return np.array([_interval(a, b) for a in classes for b in classes], dtype=np.int64)


def _interval(before: OpClass, after: OpClass) -> int:
    listed = pairs(INTERVAL).get((before.rate or before.row, after.rate or after.row), 1)
    sooner = before.latency.cycles - after.latency.cycles
    # Where the listed interval only keeps two results apart, the result bus does.
    return 1 if sooner > 0 and listed == sooner + 1 else listed


def _row(c: OpClass) -> tuple[int, ...]:
    """A class as the core's loop takes it."""
    hold = max(1, c.hold.cycles)
    return c.kind, c.ports, c.latency.cycles, c.unit, hold, c.registers, c.masks, c.scalars


def _column(classes: list[OpClass], of: Callable[[OpClass], int]) -> Ints:
    return np.array([of(c) for c in classes], dtype=np.int64)


def _some(column: Ints) -> Ints:
    return column if len(column) else np.zeros(1, dtype=column.dtype)
