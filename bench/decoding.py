"""What it takes to make a trace of the log that a traced native run writes."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

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
_TIME = Goal("decode a million events of a trace", f"{_SECONDS} s", 1.0)
_MEMORY = Goal("the same, most memory of an event", f"{_BYTES} bytes", 1.0, unit="B")
_ELEMENTS = 12 << 20
_REPEATS = 5


def jobs() -> list[Job]:
    """Time and memory."""
    return [Job("decode a trace", _rows, (_TIME, _MEMORY))]


def _rows() -> Iterator[Row]:
    case = CASES[0]
    kernel = ptoscope.load(case.path)
    traced = TracedKernel(kernel)
    arguments = bind(kernel.program, kernel.function, case.arguments(_ELEMENTS))
    log = Log()
    traced._code.run(traced._code.prepare(arguments, 1, None, log), threads=1)
    rows, extents = log.rows(), list_spaces(arguments)
    outline, cores = traced._outline, core_ids(kernel.function.cores)

    def work() -> Trace:
        recorder = Recorder(outline.segments)
        decode(recorder, traced._marks, rows, log.ends, extents, kernel.target, cores)
        return recorder.finish(kernel.function, 1, outline.places)

    events = len(work().events)
    (seconds,) = best_of_all([work], _REPEATS)
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1] / events
    tracemalloc.stop()
    note = f"a trace of {events / 1e6:.1f} million"
    yield _TIME.row(seconds / events * 1e6, _SECONDS, note)
    yield _MEMORY.row(peak, _BYTES, note)
