"""Recordings of random programs: as the reference engine runs them, whole, and true to memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ptoscope.machine.elements import storage
from ptoscope.trace.recording import LaneContent
from ptoscope.trace.trace import UB
from ptoscope.tracing import trace
from tests.engines import assert_same_trace
from tests.fuzz.compare import load
from tests.fuzz.programs import generate


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_the_trace_is_that_of_the_reference_engine(first: int) -> None:
    for seed in range(first, first + 10):
        made = generate(seed)
        kernel = load(made)
        arguments, recorded = made.arguments(), made.arguments()
        plain = trace(kernel, arguments, made.grid, engine="reference")
        run = kernel.record(*recorded, grid=made.grid)
        found = run.recording.trace
        assert_same_trace(plain, replace(found, executed=plain.executed))
        for one, other in zip(arguments, recorded, strict=True):
            assert np.array(one).tobytes() == np.array(other).tobytes(), seed
        executed = np.sort(found.executed)
        if plain.error is None:
            assert executed.tolist() == list(range(len(found.events))), seed
        else:
            assert (np.diff(executed) > 0).all()


@pytest.mark.parametrize("first", range(100, 140, 10))
def test_loads_and_arrays_are_what_memory_holds(first: int) -> None:
    """A plain load gives the bytes that memory holds at its moment, and in the end memory holds
    what the arrays do."""
    loads = 0
    for seed in range(first, first + 10):
        made = generate(seed)
        arguments = made.arguments()
        run = load(made).record(*arguments, grid=made.grid)
        recording = run.recording
        for step, placed in recording.placed.items():
            place = run.place(step)
            one = placed[0]
            dense = list(one.offsets) == [i * one.width for i in range(len(one.offsets))]
            if place.name != "pto.vlds" or len(placed) > 1 or one.writes or not dense:
                continue
            value = run.content(place.op.results[0], step)
            assert isinstance(value, LaneContent)
            data, _ = run.memories.at(UB, step)
            there = data[one.address : one.address + 256].view(storage(value.dtype))
            assert value.lanes.tobytes() == there.tobytes(), (seed, step)
            loads += 1
        if run.error is None:
            for space in (n for n in recording.spaces if n >= 0):
                data, _ = run.memories.at(space, len(run) - 1)
                assert (
                    data.tobytes()[: np.array(arguments[space]).nbytes]
                    == np.array(arguments[space]).tobytes()
                )
    assert loads
