"""Factors of an operand of a product, each made once of its element: in groups along k, as
`sums` wants them.

Words of a job, for the function that makes factors: it makes them of `lanes_of` elements along k
of so many rows, and writes whole groups.
"""

from __future__ import annotations

from ptoscope.isa.tiles import SCALED
from ptoscope.native.layout import SCRATCH
from ptoscope.native.runtime import scratch
from ptoscope.native.runtime.sums import FACTOR_BYTES, GROUP, GROUP_BYTES
from ptoscope.native.runtime.tile_blocks import move_block
from ptoscope.native.runtime.tile_layouts import (
    COLUMN_AXIS,
    WIDTH,
    axis_offset,
    axis_run,
    axis_step,
)
from ptoscope.native.subset import Address, RawMemory, compiled

IN, IN_STEP, OUT, OUT_STEP, COUNT, SCALES, SCALES_STEP, JOB_WORDS = range(8)
"""The words: where elements are, from row to row; where their first group goes, from group to
group; how many rows; where the scale of the first row is, from row to row."""
_MOST = 16
_ROWS = 16
"""Rows whose elements are put together at once, where they do not lie so."""


def lanes_of(size: int) -> int:
    """How many elements of a size along k become factors at once: no more than lie together in
    a row of a fractal, whole groups."""
    return min(_MOST, GROUP_BYTES // size)


def panel_bytes(rows: int, k: int, size: int) -> int:
    """The bytes that factors take."""
    lanes = lanes_of(size)
    return (k + lanes - 1) // lanes * lanes * rows * FACTOR_BYTES


def are_ready(memory: RawMemory, layout: Address, rows: int, k: int, value: Address) -> bool:
    """Whether elements that are factors as they are (`value` is 0) lie as they should."""
    columns = layout + COLUMN_AXIS
    if value != 0 or axis_step(memory, layout) != GROUP_BYTES:
        return False
    if axis_run(memory, layout, rows) != rows or axis_step(memory, columns) != FACTOR_BYTES:
        return False
    return memory.word(columns, WIDTH) == GROUP or k <= GROUP


@compiled
def make_factors(
    memory: RawMemory,
    state: Address,
    job: Address,
    at: Address,
    layout: Address,
    rows: int,
    k: int,
    size: int,
    value: Address,
    scales: Address,
    to: Address,
) -> None:
    """Makes the factors of a tile by the function `value`; 0: they are the elements. `scales` is
    where those of its rows are, or 0. Of elements beyond k factors may be made too."""
    columns = layout + COLUMN_AXIS
    lanes = lanes_of(size)
    run = axis_run(memory, layout, rows)
    along = axis_run(memory, columns, k)
    step = axis_step(memory, layout)
    element = axis_step(memory, columns)
    group_step = rows * GROUP_BYTES
    together = element == size and (along == k or along % lanes == 0)
    bounce = memory.word(state, SCRATCH) + scratch.READ
    groups = (k + SCALED - 1) // SCALED
    memory.set_word(job, OUT_STEP, group_step)
    memory.set_word(job, SCALES_STEP, groups)
    for part in range((k + lanes - 1) // lanes):
        first = part * lanes
        wide = min(lanes, k - first)
        row = 0
        while row < rows:
            high = min(run, rows - row)
            if not together or value == 0:
                high = min(high, _ROWS)
            here = at + axis_offset(memory, layout, row)
            there = to + first // GROUP * group_step + row * GROUP_BYTES
            if value == 0:
                _gather(memory, here, step, columns, first, wide, there, GROUP_BYTES, high, size)
            else:
                memory.set_word(job, IN, here + axis_offset(memory, columns, first))
                memory.set_word(job, IN_STEP, step)
                if not together:
                    line = lanes * size
                    _gather(memory, here, step, columns, first, wide, bounce, line, high, size)
                    memory.set_word(job, IN, bounce)
                    memory.set_word(job, IN_STEP, line)
                memory.set_word(job, OUT, there)
                memory.set_word(job, COUNT, high)
                memory.set_word(job, SCALES, scales + row * groups + first // SCALED)
                memory.call(value, state, job)
            row += high


@compiled
def _gather(
    memory: RawMemory,
    at: Address,
    step: int,
    columns: Address,
    first: int,
    count: int,
    to: Address,
    line: int,
    rows: int,
    size: int,
) -> None:
    """Puts some elements of rows together, column by column."""
    for i in range(count):
        here = at + axis_offset(memory, columns, first + i)
        move_block(memory, here, step, 0, to + i * size, line, 0, rows, 1, size)
