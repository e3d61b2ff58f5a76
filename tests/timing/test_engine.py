"""The compiled loops of timing: the same numbers as Python, and every cycle accounted for."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from ptoscope.timing import pipe_schedule, producers
from ptoscope.timing.vector_core import CAUSE_COUNT, run_scopes
from ptoscope.timing.vector_queues import (
    ALU,
    BARRIER,
    COMPUTE,
    FIELDS,
    FREED,
    LOAD,
    PREDICATE,
    PREDICATE_UNIT,
    RING,
    SFU,
    STATE,
    STORE,
    UNITS,
)
from tests.timing.kernels import pipeline, tiles, timed

_BY_INSTRUCTION = (
    "cls", "place", "gap", "looped", "dep", "uses", "moved", "sent", "left", "start", "ready",
    "bound", "track", "waited",
)  # fmt: skip
"""Arrays of 32-bit numbers."""


def _random_scopes(seed: int) -> dict[str, Any]:
    """Instructions of six classes that read earlier ones of their entry, with loops."""
    random = np.random.default_rng(seed)
    classes = 6
    entry_at = np.concatenate(([0], np.cumsum(random.integers(0, 60, 4))))
    count = int(entry_at[-1])
    rows: list[list[int]] = []
    for first, end in itertools.pairwise(entry_at):
        for i in range(first, end):
            reads = random.integers(first, i, min(2, i - first)) if i > first else []
            rows.append(sorted({int(r) for r in reads}))
    dep_at, dep = producers.ragged(rows)
    size = max(1, count)
    # Kind, ports, latency, unit, hold, registers, masks, scalars.
    table = np.array(
        [
            (COMPUTE, 3, 7, ALU, 1, 1, 0, 0),
            (COMPUTE, 1, 16, SFU, 1, 1, 0, 0),
            (LOAD, 0, 9, 0, 1, random.integers(1, 3), 0, 0),
            (STORE, 0, 9, 0, 1, 0, 0, 0),
            (BARRIER, 3, 8, 0, 1, 0, 0, 0),
            (PREDICATE, 3, 6, PREDICATE_UNIT, 1, 0, 1, random.integers(2)),
        ]
    )
    core = np.array([19, 12, 5, random.integers(2, 60), random.integers(2, 25)])
    registers = random.integers((3, 2), (70, 33))
    core = np.concatenate((core, registers, (6, 2, 7, 1, 1, 1, 8, 3)))
    room = int(core[3] + core[4]) + 1
    zeros = np.zeros(size, dtype=np.int64)
    found = {
        "entries": 4,
        "classes": classes,
        "core": core,
        "table": table.ravel(),
        "forward": random.integers(0, 14, classes * classes),
        "interval": random.integers(1, 5, classes * classes),
        "entry_at": entry_at,
        "depth": random.integers(0, 3, 4),
        "moves": random.integers(0, 6, 4),
        "cls": random.choice(classes, size, p=[0.3, 0.1, 0.3, 0.2, 0.02, 0.08]),
        "place": random.integers(0, 5, size),
        "gap": random.choice([0, -1, 9, 2], size, p=[0.8, 0.14, 0.04, 0.02]),
        "looped": random.integers(0, 2, size),
        "dep_at": dep_at.astype(np.int32),
        "dep": dep,
        "uses": np.bincount(dep[: dep_at[-1]], minlength=size),
        "moved": np.array(
            [row[-1] if row and random.random() < 0.2 else -1 for row in rows or [()]]
        ),
        "state": np.zeros(STATE, dtype=np.int64),
        "queues": np.zeros(6 * room, dtype=np.int64),
        "room": room,
        "ring": np.zeros(FREED * RING, dtype=np.int64),
        "buses": np.full(4 * RING, -1),
        "last_class": np.zeros(2 * UNITS, dtype=np.int64),
        "last_start": np.zeros(2 * UNITS, dtype=np.int64),
        "sent": zeros.copy(),
        "left": zeros.copy(),
        "start": np.full(size, -1),
        "ready": np.full(size, -1),
        "bound": np.full(size, -1),
        "track": zeros.copy(),
        "waited": zeros.copy(),
        "busy": np.zeros(5, dtype=np.int64),
        "stall": np.zeros(5 * CAUSE_COUNT, dtype=np.int64),
        "held": np.zeros(5 * CAUSE_COUNT, dtype=np.int64),
        "cycles": np.zeros(4, dtype=np.int64),
    }
    for name in _BY_INSTRUCTION:
        found[name] = found[name].astype(np.int32)
    return found


def _copied(arguments: dict[str, Any]) -> dict[str, Any]:
    return {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in arguments.items()}


@pytest.mark.parametrize("seed", range(40))
def test_random_vecscopes(seed: int) -> None:
    """Compiled and interpreted agree in every array; starts respect results, ports and the
    load/store rule; every cycle is busy, stalled, startup or drain."""
    ours = _random_scopes(seed)
    twin = _copied(ours)
    run_scopes(*ours.values())
    run_scopes.python(*twin.values())
    for name, value in ours.items():
        assert np.array_equal(value, twin[name]), name
    accounted = ours["busy"].sum() + ours["stall"].sum() + 4 * (19 + 12)
    assert accounted == ours["cycles"].sum()
    _check_rules(ours)


def _check_rules(a: dict[str, Any]) -> None:
    """In order into the queues, results before who reads them, a result a cycle from each port,
    two slots of memory."""
    table, cls, start, sent = a["table"].reshape(-1, FIELDS), a["cls"], a["start"], a["sent"]
    kind, latency, registers = table[:, 0][cls], table[:, 2][cls], table[:, 5][cls]
    for e in range(a["entries"]):
        mine = range(a["entry_at"][e], a["entry_at"][e + 1])
        assert all(sent[i] <= sent[i + 1] for i in mine[:-1])
        for i in mine:
            if kind[i] == BARRIER:
                continue
            assert start[i] >= sent[i] + (2 if kind[i] == LOAD else 3)
            for p in a["dep"][a["dep_at"][i] : a["dep_at"][i + 1]]:
                assert start[i] >= start[p] + a["forward"][cls[p] * a["classes"] + cls[i]]
        for port in range(2):
            there = [i for i in mine if kind[i] in (COMPUTE, PREDICATE) and a["track"][i] == port]
            assert len({start[i] for i in there}) == len(there)
            done = [(start[i] + latency[i], registers[i] == 0) for i in there]
            assert len(set(done)) == len(done)
        for cycle in {int(start[i]) for i in mine}:
            here = [i for i in mine if start[i] == cycle]
            assert sum(registers[i] for i in here if kind[i] == LOAD) <= 2
            assert sum(kind[i] == STORE for i in here) <= 1


def test_pipes_compiled_are_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """The schedule of a real kernel, stepped through by Python."""
    calls: list[tuple[list[Any], list[Any]]] = []
    real = pipe_schedule.run_pipes

    def both(*values: Any) -> int:
        twin = [v.copy() if isinstance(v, np.ndarray) else v for v in values]
        assert real.python(*twin) == real(*values)
        calls.append((list(values), twin))
        return 0

    monkeypatch.setattr("ptoscope.timing.pipes.run_pipes", both)
    timed(pipeline(5, 2), tiles(5))
    assert calls
    for ours, theirs in calls:
        for a, b in zip(ours, theirs, strict=True):
            assert np.array_equal(a, b)
