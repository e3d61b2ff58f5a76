"""Footprints by number, and those of addresses that each lane has for itself."""

from __future__ import annotations

import numpy as np
import pytest

from ptoscope.isa.footprint import StridedRun
from ptoscope.native.recording.marks import IDLE
from ptoscope.native.recording.spread import find_runs, spread_runs
from ptoscope.trace.footprints import Footprints


def test_many_at_once_are_numbered_after_those_before() -> None:
    footprints = Footprints()
    one, two = (StridedRun(0, 32),), (StridedRun(0, 4), StridedRun(1 << 40, 4, 3, 8))
    assert [footprints.number(f) for f in (one, two, one)] == [0, 1, 0]
    sizes = np.array([1, 2], dtype=np.int32)
    runs = [np.array(column) for column in ([0, 0, 9], [4, 4, 8], [2, 1, 1], [16, 0, 0])]
    assert footprints.add(sizes, runs) == 2
    assert footprints.number((StridedRun(0, 64),)) == 4
    assert footprints.numbered(1) == two
    found = [column.tolist() for column in footprints.columns()]
    assert found == [
        [1, 2, 1, 2, 1],
        [0, 0, 1 << 40, 0, 0, 9, 0],
        [32, 4, 4, 4, 4, 8, 64],
        [1, 1, 3, 2, 1, 1, 1],
        [0, 0, 8, 16, 0, 0, 0],
    ]


@pytest.mark.parametrize("width", [1, 2, 4])
def test_lanes_with_an_address_each_touch_the_bytes_of_their_elements(width: int) -> None:
    rng = np.random.default_rng(width)
    places = np.full((200, 16), IDLE, dtype=np.int32)
    for row in places:
        lanes = rng.integers(1, 17)
        # Few elements to choose from: some are the same, some are neighbours.
        row[:lanes] = width * rng.integers(0, rng.choice([4, 20, 1000]), lanes)
    places.sort(axis=1)
    sizes, (start, length, count, stride) = spread_runs(places, width)
    first = np.cumsum(sizes) - sizes
    for row, at, size in zip(places, first, sizes, strict=True):
        touched = [
            int(row[0] + start[run] + repeat * stride[run] + byte)
            for run in range(at, at + size)
            for repeat in range(count[run])
            for byte in range(length[run])
        ]
        wanted = {int(p) + byte for p in row if p != IDLE for byte in range(width)}
        assert sorted(touched) == sorted(wanted)


def test_equal_steps_are_one_run_that_repeats() -> None:
    places = np.array([[64, 72, 80, 88], [0, 4, 16, 20], [0, 4, 8, 64]], dtype=np.int32)
    sizes, columns = spread_runs(places, 4)
    assert sizes.tolist() == [1, 1, 2]
    assert np.transpose(columns).tolist() == [
        [0, 4, 4, 8],
        [0, 8, 2, 16],
        [0, 12, 1, 0],
        [64, 4, 1, 0],
    ]


def test_compiled_is_python() -> None:
    rng = np.random.default_rng(0)
    places = np.sort(4 * rng.integers(0, 30, (50, 8)).astype(np.int32), axis=1)
    made = [[np.zeros(400, dtype=np.int32) for _ in range(5)] for _ in range(2)]
    totals = [
        run(50, 8, 4, places.reshape(-1), *columns)
        for run, columns in zip((find_runs, find_runs.python), made, strict=True)
    ]
    assert totals[0] == totals[1]
    for one, two in zip(*made, strict=True):
        assert one[: totals[0]].tolist() == two[: totals[0]].tolist()
