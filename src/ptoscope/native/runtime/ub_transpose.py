"""Matrices in UB, rows to columns."""

from __future__ import annotations

from ptoscope.native.layout import UB, UB_BYTES
from ptoscope.native.runtime.tile_blocks import move_block
from ptoscope.native.runtime.transposes import LINE, transpose_halves
from ptoscope.native.subset import Address, RawMemory, compiled


@compiled
def rt_transpose(
    memory: RawMemory,
    state: Address,
    dest: int,
    source: int,
    rows: int,
    columns: int,
    size: int,
) -> int:
    """Makes columns of so many rows, of at most 65535 elements each. 1, and nothing is done, where
    that has to go step by step: the two overlap, are not inside UB or not aligned."""
    length = rows * columns * size
    last = memory.word(state, UB_BYTES) - length
    if not 0 <= dest <= last or not 0 <= source <= last:
        return 1
    if (dest | source) & (size - 1):
        return 1
    if dest < source + length and source < dest + length:
        return 1
    ub = memory.word(state, UB)
    if rows * size == LINE and columns * size == LINE and size == 2:
        # One block, by far the most common.
        transpose_halves(memory, ub + dest, LINE, ub + source, LINE)
        return 0
    move_block(
        memory, ub + source, columns * size, size, ub + dest, size, rows * size, rows, columns, size
    )
    return 0
