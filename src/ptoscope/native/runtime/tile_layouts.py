"""Layouts of tiles as words: two axes, each its width and the bytes from block to block and from
step to step (see `isa.tiles`). No number of them is negative where they are asked anything."""

from __future__ import annotations

from ptoscope.isa.copies import in_field
from ptoscope.native.layout import WORD_BYTES
from ptoscope.native.subset import Address, RawMemory

WIDTH, BLOCK, STEP, AXIS_WORDS = range(4)
"""The words of an axis."""
LAYOUT_WORDS = 2 * AXIS_WORDS
"""The axis of rows, then that of columns."""
COLUMN_AXIS = WORD_BYTES * AXIS_WORDS
COUNT_BITS, STEP_BITS = 20, 40
"""What counts and steps fit, so that no sum of their products leaves a word."""


def layout_fits(memory: RawMemory, layout: Address) -> bool:
    """Whether the steps of a layout are such that one can compute with them."""
    return _axis_fits(memory, layout) and _axis_fits(memory, layout + COLUMN_AXIS)


def _axis_fits(memory: RawMemory, axis: Address) -> bool:
    block = memory.word(axis, BLOCK)
    return in_field(block, STEP_BITS) and in_field(memory.word(axis, STEP), STEP_BITS)


def reach(memory: RawMemory, layout: Address, rows: int, columns: int) -> int:
    """How far beyond the first byte of a tile an element begins, at most."""
    return _axis_reach(memory, layout, rows) + _axis_reach(memory, layout + COLUMN_AXIS, columns)


def _axis_reach(memory: RawMemory, axis: Address, count: int) -> int:
    width = memory.word(axis, WIDTH)
    last = (count - 1) // width * memory.word(axis, BLOCK)
    return last + (min(count, width) - 1) * memory.word(axis, STEP)


def axis_offset(memory: RawMemory, axis: Address, index: int) -> int:
    """Where an index lies."""
    width = memory.word(axis, WIDTH)
    inside = index % width * memory.word(axis, STEP)
    return index // width * memory.word(axis, BLOCK) + inside


def axis_step(memory: RawMemory, axis: Address) -> int:
    """Bytes from an index to the next one of the same run."""
    return memory.word(axis, STEP if memory.word(axis, WIDTH) > 1 else BLOCK)


def axis_run(memory: RawMemory, axis: Address, count: int) -> int:
    """How many of so many indices lie one step apart, from a multiple of that number on; all of
    them where there is no other step."""
    width = memory.word(axis, WIDTH)
    if width == 1 or count <= width:
        return count
    return count if memory.word(axis, BLOCK) == width * memory.word(axis, STEP) else width


def common_run(one: int, other: int, count: int) -> int:
    """How many of so many indices are one step apart on two axes; 0 where the runs of neither
    are whole runs of the other."""
    if one == count or other == count:
        return min(one, other)
    return 0 if max(one, other) % min(one, other) else min(one, other)


def are_apart(memory: RawMemory, layout: Address, rows: int, columns: int, size: int) -> bool:
    """Whether it is certain that no two elements share a byte: each step goes beyond all that the
    smaller ones reach."""
    covered = size
    past = -1
    # In the order of their steps: after each, the smallest one that is not smaller.
    for _ in range(4):
        least = 1 << 62
        extent = 0
        found = 0
        for loop in range(4):
            axis = layout + COLUMN_AXIS * (loop // 2)
            count = columns if loop // 2 else rows
            width = memory.word(axis, WIDTH)
            times = (count + width - 1) // width if loop % 2 else min(count, width)
            step = memory.word(axis, BLOCK if loop % 2 else STEP)
            if times > 1 and past < step:
                if step == least:
                    # Two loops of one step lie on each other.
                    found = 2
                if step < least:
                    least = step
                    extent = (times - 1) * step
                    found = 1
        if found == 0:
            return True
        if found == 2 or least < covered:
            return False
        covered += extent
        past = least
    return True
