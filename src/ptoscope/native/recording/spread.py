"""What accesses with an address for each lane touch, as `isa.footprint.elements` says it, of many
at once: where addresses are random, no two of them are alike."""

from __future__ import annotations

import numpy as np

from ptoscope.native.recording import marks
from ptoscope.native.subset import Ints32, compiled
from ptoscope.trace.trace import Column

_IDLE = marks.IDLE


def spread_runs(places: Column, width: int) -> tuple[Column, tuple[Column, ...]]:
    """Of each row of addresses, int32 and rising, IDLE after the last, how many runs its lanes of
    so many bytes are, from the first address on; and the columns of all runs."""
    rows, lanes = places.shape
    sizes = np.empty(rows, dtype=np.int32)
    most = max(1, rows * lanes)
    start, length, count, stride = (np.empty(most, dtype=np.int32) for _ in range(4))
    total = find_runs(rows, lanes, width, places, sizes, start, length, count, stride)
    # What is kept of them is no larger than it has to be.
    return sizes, tuple(column[:total].copy() for column in (start, length, count, stride))


@compiled
def find_runs(
    rows: int,
    lanes: int,
    width: int,
    places: Ints32,
    sizes: Ints32,
    start: Ints32,
    length: Ints32,
    count: Ints32,
    stride: Ints32,
) -> int:
    """Writes the runs of each row; how many there are in all. A row of runs that are alike and
    equally far apart is one run that repeats."""
    total = 0
    for row in range(rows):
        at = row * lanes
        begin = places[at]
        first = total
        low = 0
        end = width
        last = 0
        even = 1
        for lane in range(1, lanes):
            place = places[at + lane]
            if place == _IDLE:
                break
            place -= begin
            if place == last:
                continue
            last = place
            if place == end:
                end += width
                continue
            start[total] = low
            length[total] = end - low
            count[total] = 1
            stride[total] = 0
            total += 1
            low = place
            end = place + width
        start[total] = low
        length[total] = end - low
        count[total] = 1
        stride[total] = 0
        total += 1
        if total - first > 1:
            step = start[first + 1]
            long = length[first]
            for run in range(first + 1, total):
                if start[run] != (run - first) * step or length[run] != long:
                    even = 0
                    break
            if even == 1:
                count[first] = total - first
                stride[first] = step
                total = first + 1
        sizes[row] = total - first
    return total
