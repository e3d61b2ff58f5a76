"""What it takes to make a trace of the log that a traced native run writes."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import ptoscope
from bench.cases import CASES
from bench.measure import Goal, Job, Row, best_of_all
from ptoscope.arguments import bind
from ptoscope.isa.parts import core_ids
from ptoscope.native.log import Log
from ptoscope.native.recording.decode import decode
from ptoscope.native.recording.run import TracedKernel
from ptoscope.trace.recorder import Recorder
from ptoscope.trace.spaces import list_spaces
from ptoscope.trace.trace import Trace

_SECONDS, _BYTES = 0.25, 120
"""Of processor time for a million events, and of memory at the most for one."""
_EVENTS, _ACCESSES = (
    (
        Goal(f"decode a million {all_of_them} of a trace", f"{_SECONDS} s", 1.0),
        Goal(f"the same, most memory of an {one}", f"{_BYTES} bytes", 1.0, unit="B"),
    )
    for all_of_them, one in (("events", "event"), ("accesses by gathers", "access by gathers"))
)
_ELEMENTS = 12 << 20
_TABLE, _GATHERED = 8192, 1 << 20
_REPEATS = 5


def jobs() -> list[Job]:
    """Time and memory."""
    return [
        Job("decode a trace", _rows, _EVENTS),
        Job("decode a trace of gathers", _gathers, _ACCESSES),
    ]


def _rows() -> Iterator[Row]:
    yield from _decoded(CASES[0].path, CASES[0].arguments(_ELEMENTS), _EVENTS)


def _gathers() -> Iterator[Row]:
    """A gather at random is as many accesses as it has lanes: goals are for these."""
    index = np.random.default_rng(0).integers(0, _TABLE, _GATHERED).astype(np.int16)
    given = [np.zeros(_TABLE, np.int16), index, np.zeros(_GATHERED, np.int16), _GATHERED]
    yield from _decoded(CASES[0].path.parent / "gather16.pto", given, _ACCESSES)


def _decoded(path: Path, given: list[Any], goals: tuple[Goal, Goal]) -> Iterator[Row]:
    """Time and memory for an event, or for an access."""
    kernel = ptoscope.load(path)
    traced = TracedKernel(kernel)
    arguments = bind(kernel.program, kernel.function, given)
    log = Log()
    traced._code.run(traced._code.prepare(arguments, 1, None, log), threads=1)
    rows, extents = log.rows(), list_spaces(arguments)
    outline, cores = traced._outline, core_ids(kernel.function.cores)

    def work() -> Trace:
        recorder = Recorder(outline.segments)
        decode(recorder, traced._marks, rows, log.ends, extents, kernel.target, cores)
        return recorder.finish(kernel.function, 1, outline.places)

    made = work()
    count = len(made.events if goals is _EVENTS else made.accesses)
    del made
    (seconds,) = best_of_all([work], _REPEATS)
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1] / count
    tracemalloc.stop()
    note = f"a trace of {count / 1e6:.1f} million"
    time, memory = goals
    yield time.row(seconds / count * 1e6, _SECONDS, note)
    yield memory.row(peak, _BYTES, note)
