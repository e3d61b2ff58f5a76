"""A5: the vector core from its cycle model, the DMA engines assumed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from ptoscope.isa.cost import BULK, Figure
from ptoscope.isa.cost_tables import FORWARDING, INTERVAL, pairs
from ptoscope.isa.record import Record
from ptoscope.native.subset import Ints
from ptoscope.timing.a5_ops import LOAD_LATENCY, OpClass, op_class
from ptoscope.timing.figures import Overrides, table
from ptoscope.timing.in_order import ideal_starts, run_in_order
from ptoscope.timing.model import Model, PlaceFigures, ScopeTimes, empty_scopes
from ptoscope.timing.scopes import Instructions, is_instruction
from ptoscope.timing.vector_core import (
    BARRIER,
    COMPUTE,
    LOAD,
    PREDICATE,
    PREDICATES,
    RING,
    STORE,
    run_scopes,
)
from ptoscope.trace.trace import Trace

_CORE = {
    "startup": ("vf_startup_cost", "from launch to the first instruction"),
    "drain": ("vf_drain_cost", "from the last retirement to the end"),
    "width": ("IDU_issue_width", "instructions dispatched a cycle"),
    "queue": ("shq_depth", "instructions waiting"),
    "registers": ("vreg_num", "registers in flight"),
    "release": ("consumer_release_start_offset", "from the start of the last reader to release"),
}
_FITTED = {
    "second_load": Figure(1, "measured", "the second load of a cycle arrives later (points)"),
    "loop": Figure(6, "measured", "from the last iteration of a loop to the next loop (points)"),
    "pointer": Figure(1, "measured", "between two post-update accesses of one pointer (probes)"),
}
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
        said = {row["key"]: row["value"] for row in table("a5_core.csv")}
        figures = {
            key: Figure(int(said[row]), "cycle model", note) for key, (row, note) in _CORE.items()
        } | _FITTED
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
        cls = of_place[code.place] if len(code) else np.zeros(1, dtype=np.int64)
        found.start = np.full(size, -1, dtype=np.int64)
        found.bound = np.full(size, -1, dtype=np.int64)
        found.ready = np.full(size, -1, dtype=np.int64)
        found.ideal = np.zeros(size, dtype=np.int64)
        found.waited = np.zeros(size, dtype=np.int64)
        found.track = np.zeros(size, dtype=np.int64)
        latency = _column(classes, lambda c: c.latency.cycles)
        found.latency = latency[cls]
        self._run(entries, classes, cls, latency, code, found)
        self._class_of = {p: classes[int(of_place[p])] for p in self.used}
        return found

    def loop_bounds(self, per_iteration: dict[int, float]) -> dict[str, float]:
        """Ports by their intervals, the load/store unit by its rule, dispatch by its width."""
        work = [(self._class_of[place], times) for place, times in per_iteration.items()]
        computes = [c for c, _ in work if c.kind == COMPUTE]
        apart = intervals(computes).reshape(len(computes), len(computes)) if computes else None
        units = [0.0, 0.0]
        vectors = only = slots = stores = 0.0
        for c, times in work:
            vectors += times if c.kind != PREDICATE else 0
            if c.kind == COMPUTE and apart is not None:
                column = apart[:, computes.index(c)]
                same = [int(n) for n, other in zip(column, computes, strict=True)
                        if other.unit == c.unit]  # fmt: skip
                units[c.unit] += times * min(same) / 2
                only += times * min(same) if c.ports == 1 else 0
            elif c.kind in (LOAD, STORE):
                # A cycle has two slots; what holds the unit longer takes both.
                held = max(1, c.hold.cycles)
                slots += times * (2 * held if held > 1 else 1)
                stores += times * held if c.kind == STORE else 0
        return {
            "execution ports": max(sum(t for c, t in work if c.kind == COMPUTE) / 2, *units, only),
            "loads and stores": max(slots / 2, stores),
            "dispatch": vectors / self._core["width"].value,
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
        size = max(1, len(code))
        late = np.zeros(size, dtype=np.int64)
        forward = forwarding(classes)
        ideal_starts(len(code), len(classes), cls, code.dep_at, code.dep, forward, found.ideal)
        run_scopes(
            entries,
            len(classes),
            core,
            _column(classes, lambda c: c.kind),
            _column(classes, lambda c: c.ports),
            _column(classes, lambda c: c.unit),
            latency,
            _column(classes, lambda c: max(1, c.hold.cycles)),
            _column(classes, lambda c: c.registers),
            forward,
            intervals(classes),
            code.entry_at,
            cls,
            _some(code.place),
            code.gap,
            code.dep_at,
            code.dep,
            code.uses(),
            code.moved,
            np.zeros(size, dtype=np.int64),
            np.zeros(int(core[3]) + PREDICATES + 1, dtype=np.int64),
            np.zeros(RING, dtype=np.int64),
            np.zeros(4, dtype=np.int64),
            np.zeros(4, dtype=np.int64),
            found.start,
            late,
            found.ready,
            found.bound,
            found.track,
            found.waited,
            found.busy,
            found.stall,
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
    if producer.kind == LOAD and consumer.kind == COMPUTE:
        return consumer.load_to_compute.cycles + latency - LOAD_LATENCY
    if producer.kind in (LOAD, STORE):
        return latency
    if producer.kind == COMPUTE and consumer.kind in (LOAD, STORE):
        return producer.compute_to_store.cycles
    assert producer.kind in (COMPUTE, PREDICATE, BARRIER)
    return max(0, latency - _FORWARD_LESS)


def intervals(classes: list[OpClass]) -> Ints:
    """Least cycles between two starts on one port: the earlier (row), the later (column)."""
    known = pairs(INTERVAL)
    return np.array(
        [known.get((a.rate or a.row, b.rate or b.row), 1) for a in classes for b in classes],
        dtype=np.int64,
    )


def _column(classes: list[OpClass], of: Callable[[OpClass], int]) -> Ints:
    return np.array([of(c) for c in classes], dtype=np.int64)


def _some(column: Ints) -> Ints:
    return column if len(column) else np.zeros(1, dtype=np.int64)
