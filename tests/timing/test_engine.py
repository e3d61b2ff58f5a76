"""The compiled loops of timing: the same numbers as Python, and every cycle accounted for."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from ptoscope.timing import pipe_schedule, producers, vector_core
from ptoscope.timing.vector_core import CAUSE_COUNT, RING, run_scopes
from tests.timing.kernels import pipeline, tiles, timed


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
    return {
        "entries": 4,
        "classes": classes,
        "core": np.array([23, 12, 5, random.integers(2, 60), random.integers(3, 70), 4, 1, 6, 1]),
        "kind": np.array([0, 0, 1, 2, 3, 4]),
        "ports": np.array([3, 1, 0, 0, 0, 0]),
        "unit": np.array([0, 1, 0, 0, 0, 0]),
        "latency": np.array([7, 16, 9, 9, 0, 6]),
        "hold": np.array([1, 1, 1, 1, 1, 1]),
        "registers": np.array([1, 1, 1, 0, 0, 0]),
        "forward": random.integers(0, 14, classes * classes),
        "interval": random.integers(1, 5, classes * classes),
        "entry_at": entry_at,
        "cls": random.choice(classes, size, p=[0.3, 0.1, 0.3, 0.2, 0.02, 0.08]),
        "place": random.integers(0, 5, size),
        "gap": random.choice([0, -1, 9], size, p=[0.8, 0.15, 0.05]),
        "dep_at": dep_at,
        "dep": dep,
        "uses": np.bincount(dep[: dep_at[-1]], minlength=size),
        "moved": np.array(
            [row[-1] if row and random.random() < 0.2 else -1 for row in rows or [()]]
        ),
        "sent_at": np.zeros(size, dtype=np.int64),
        "queue": np.zeros(400, dtype=np.int64),
        "ring": np.zeros(RING, dtype=np.int64),
        "port_class": np.zeros(4, dtype=np.int64),
        "port_start": np.zeros(4, dtype=np.int64),
        "start": np.full(size, -1),
        "late": np.zeros(size, dtype=np.int64),
        "ready": np.full(size, -1),
        "bound": np.full(size, -1),
        "track": np.zeros(size, dtype=np.int64),
        "waited": np.zeros(size, dtype=np.int64),
        "busy": np.zeros(5, dtype=np.int64),
        "stall": np.zeros(5 * CAUSE_COUNT, dtype=np.int64),
        "cycles": np.zeros(4, dtype=np.int64),
    }


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
    accounted = ours["busy"].sum() + ours["stall"].sum() + 4 * (23 + 12)
    assert accounted == ours["cycles"].sum()
    _check_rules(ours)


def _check_rules(a: dict[str, Any]) -> None:
    kind, cls, start = a["kind"], a["cls"], a["start"]
    for e in range(a["entries"]):
        mine = range(a["entry_at"][e], a["entry_at"][e + 1])
        for i in mine:
            assert start[i] >= 23
            for p in a["dep"][a["dep_at"][i] : a["dep_at"][i + 1]]:
                gap = a["forward"][cls[p] * a["classes"] + cls[i]]
                if kind[cls[i]] != vector_core.BARRIER:
                    assert start[i] >= start[p] + a["late"][p] + gap
        for cycle in {int(start[i]) for i in mine}:
            kinds = [int(kind[cls[i]]) for i in mine if start[i] == cycle]
            loads, stores = kinds.count(vector_core.LOAD), kinds.count(vector_core.STORE)
            assert (loads, stores) in {(0, 0), (1, 0), (2, 0), (0, 1), (1, 1)}
            assert kinds.count(vector_core.COMPUTE) <= 2


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
