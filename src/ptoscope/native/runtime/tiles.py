"""Tiles from one memory to another (see `isa.tiles`).

Generated code leaves a move at `args` as words: those named here, both layouts, and for each
parameter of columns which memory it is in, its address, the bytes of an element and those from
one to the next; then the words of a conversion, `CONVERSION` and one for each parameter. Where
anything is unusual the engine moves it: updates of GM, elements that lie on each other, steps
that go backwards, and all that is not allowed.
"""

from __future__ import annotations

from ptoscope.isa.copies import in_field
from ptoscope.native.layout import (
    QUEUED,
    REGION_DATA,
    REGION_SIZE,
    REGION_WRITEABLE,
    SCRATCH,
    WORD_BYTES,
)
from ptoscope.native.runtime import scratch
from ptoscope.native.runtime.issue import rt_service
from ptoscope.native.runtime.regions import region_of, region_offset
from ptoscope.native.runtime.tile_blocks import move_block
from ptoscope.native.runtime.tile_layouts import (
    COLUMN_AXIS,
    COUNT_BITS,
    LAYOUT_WORDS,
    STEP_BITS,
    are_apart,
    axis_offset,
    axis_run,
    axis_step,
    common_run,
    layout_fits,
    reach,
)
from ptoscope.native.subset import Address, RawMemory, compiled

(
    SRC,
    DST,
    ROWS,
    COLUMNS,
    FILLED,
    MATRICES,
    SRC_STRIDE,
    DST_STRIDE,
    MODE,
    SRC_OWN,
    DST_OWN,
    SRC_ALIGNMENT,
    DST_ALIGNMENT,
    SRC_SIZE,
    DST_SIZE,
    CONVERT,
    TABLES,
    LAYOUTS,
) = range(18)
"""The words of a move; CONVERT is the function that converts, or 0, and TABLES how many
parameters there are. FILLED is at least COLUMNS."""
TARGET_LAYOUT = LAYOUTS + LAYOUT_WORDS
FIRST_TABLE = TARGET_LAYOUT + LAYOUT_WORDS
TABLE_OWN, TABLE_AT, TABLE_SIZE, TABLE_STEP, TABLE_WORDS = range(5)
IN, IN_STEP, OUT, OUT_STEP, COUNT, CONVERSION = range(6)
"""The words of a conversion: it makes of LANES elements at an address others at another, for so
many rows that are so many bytes apart. Where the parameters of those columns are follows."""
LANES = 16
_LOCAL = 16
"""Rows that are moved for all columns before the next ones."""
_POLLED = 1 << 22
"""Elements after which the engine is asked whether to go on."""


@compiled
def rt_move_tile(memory: RawMemory, state: Address, side_exit: int, args: Address) -> int:
    """Moves a tile, one matrix after the other."""
    if memory.word(state, QUEUED) != 0 or memory.word(args, MODE) != 0 or not _usual(memory, args):
        return rt_service(memory, state, side_exit, args)
    source = region_of(memory, state, memory.word(args, SRC_OWN), memory.word(args, SRC))
    target = region_of(memory, state, memory.word(args, DST_OWN), memory.word(args, DST))
    if source == 0 or target == 0 or not memory.word(target, REGION_WRITEABLE):
        return rt_service(memory, state, side_exit, args)
    read = region_offset(memory.word(args, SRC_OWN), memory.word(args, SRC))
    write = region_offset(memory.word(args, DST_OWN), memory.word(args, DST))
    if not _allowed(memory, args, source, read, target, write):
        return rt_service(memory, state, side_exit, args)
    if not _find_tables(memory, state, args):
        return rt_service(memory, state, side_exit, args)
    at = memory.word(source, REGION_DATA) + read
    to = memory.word(target, REGION_DATA) + write
    moved = 0
    for _ in range(memory.word(args, MATRICES)):
        _move_matrix(memory, state, args, at, to)
        if memory.word(args, FILLED) > memory.word(args, COLUMNS):
            _fill(memory, args, to)
        at += memory.word(args, SRC_STRIDE)
        to += memory.word(args, DST_STRIDE)
        before = moved
        moved += memory.word(args, ROWS) * memory.word(args, FILLED)
        if moved // _POLLED != before // _POLLED and rt_service(memory, state, -1, 0) != 0:
            return 1
    return 0


def _usual(memory: RawMemory, args: Address) -> bool:
    """Whether there is something to move, the elements of the two layouts can be paired in runs,
    and those that are written lie apart."""
    rows = memory.word(args, ROWS)
    columns = memory.word(args, COLUMNS)
    filled = memory.word(args, FILLED)
    matrices = memory.word(args, MATRICES)
    if rows <= 0 or columns <= 0 or filled < columns or matrices <= 0:
        return False
    if not in_field(max(rows, filled), COUNT_BITS) or not in_field(matrices, COUNT_BITS):
        return False
    if not in_field(memory.word(args, SRC_STRIDE), STEP_BITS):
        return False
    if not in_field(memory.word(args, DST_STRIDE), STEP_BITS):
        return False
    source = args + WORD_BYTES * LAYOUTS
    target = args + WORD_BYTES * TARGET_LAYOUT
    if not layout_fits(memory, source) or not layout_fits(memory, target):
        return False
    if _run_of(memory, args, 0, rows) == 0 or _run_of(memory, args, COLUMN_AXIS, columns) == 0:
        return False
    return are_apart(memory, target, rows, filled, memory.word(args, DST_SIZE))


def _run_of(memory: RawMemory, args: Address, axis: int, count: int) -> int:
    """How many of so many rows or columns are one step apart in both layouts."""
    one = axis_run(memory, args + WORD_BYTES * LAYOUTS + axis, count)
    other = axis_run(memory, args + WORD_BYTES * TARGET_LAYOUT + axis, count)
    return common_run(one, other, count)


def _allowed(
    memory: RawMemory, args: Address, source: Address, read: int, target: Address, write: int
) -> bool:
    """Whether every byte is in its memory, and both addresses are aligned."""
    if read & (memory.word(args, SRC_ALIGNMENT) - 1):
        return False
    if write & (memory.word(args, DST_ALIGNMENT) - 1):
        return False
    rows = memory.word(args, ROWS)
    last = memory.word(args, MATRICES) - 1
    layout = args + WORD_BYTES * LAYOUTS
    end = last * memory.word(args, SRC_STRIDE) + memory.word(args, SRC_SIZE)
    end += reach(memory, layout, rows, memory.word(args, COLUMNS))
    if not 0 <= read <= memory.word(source, REGION_SIZE) - end:
        return False
    layout = args + WORD_BYTES * TARGET_LAYOUT
    end = last * memory.word(args, DST_STRIDE) + memory.word(args, DST_SIZE)
    end += reach(memory, layout, rows, memory.word(args, FILLED))
    return 0 <= write <= memory.word(target, REGION_SIZE) - end


def _find_tables(memory: RawMemory, state: Address, args: Address) -> bool:
    """Finds the parameters of columns: their addresses become those in this process. False where
    one is not in its memory; then nothing has changed."""
    columns = memory.word(args, COLUMNS)
    for number in range(memory.word(args, TABLES)):
        table = args + WORD_BYTES * (FIRST_TABLE + TABLE_WORDS * number)
        region = region_of(memory, state, memory.word(table, TABLE_OWN), 0)
        end = (columns - 1) * memory.word(table, TABLE_STEP) + memory.word(table, TABLE_SIZE)
        if not 0 <= memory.word(table, TABLE_AT) <= memory.word(region, REGION_SIZE) - end:
            return False
    for number in range(memory.word(args, TABLES)):
        table = args + WORD_BYTES * (FIRST_TABLE + TABLE_WORDS * number)
        region = region_of(memory, state, memory.word(table, TABLE_OWN), 0)
        at = memory.word(region, REGION_DATA) + memory.word(table, TABLE_AT)
        memory.set_word(table, TABLE_AT, at)
    return True


@compiled
def _move_matrix(
    memory: RawMemory, state: Address, args: Address, at: Address, to: Address
) -> None:
    """Moves what one matrix has, block by block of elements that are one step apart."""
    rows = memory.word(args, ROWS)
    columns = memory.word(args, COLUMNS)
    source = args + WORD_BYTES * LAYOUTS
    target = args + WORD_BYTES * TARGET_LAYOUT
    at_row = axis_step(memory, source)
    at_column = axis_step(memory, source + COLUMN_AXIS)
    to_row = axis_step(memory, target)
    to_column = axis_step(memory, target + COLUMN_AXIS)
    size = memory.word(args, SRC_SIZE)
    convert = memory.word(args, CONVERT)
    run = _run_of(memory, args, 0, rows)
    width = _run_of(memory, args, COLUMN_AXIS, columns)
    if convert and width > LANES:
        # Those of a run of columns that are together on both sides.
        width = LANES if width % LANES == 0 or width == columns else 1
    line = width * size
    dense = at_column == size and to_column == size and at_row == line and to_row == line
    if (convert or not dense) and (run == rows or run % _LOCAL == 0):
        # So that what is near in one memory and far in the other stays in the cache.
        run = min(run, _LOCAL)
    row = 0
    while row < rows:
        high = min(run, rows - row)
        at_here = at + axis_offset(memory, source, row)
        to_here = to + axis_offset(memory, target, row)
        column = 0
        while column < columns:
            wide = min(width, columns - column)
            here = at_here + axis_offset(memory, source + COLUMN_AXIS, column)
            there = to_here + axis_offset(memory, target + COLUMN_AXIS, column)
            if convert:
                _convert_block(
                    memory, state, args, here, at_row, at_column, there, to_row, to_column,
                    high, wide, column,
                )  # fmt: skip
            else:
                move_block(
                    memory, here, at_row, at_column, there, to_row, to_column, high, wide, size
                )
            column += wide
        row += high


@compiled
def _convert_block(
    memory: RawMemory,
    state: Address,
    args: Address,
    at: Address,
    at_row: int,
    at_column: int,
    to: Address,
    to_row: int,
    to_column: int,
    rows: int,
    columns: int,
    first: int,
) -> None:
    """Converts no more than LANES columns, from the `first` one of the matrix on, of rows that
    fit their room; elements that do not lie together, or are too few, go through it."""
    room = memory.word(state, SCRATCH)
    size = memory.word(args, SRC_SIZE)
    made = memory.word(args, DST_SIZE)
    job = args + WORD_BYTES * (FIRST_TABLE + TABLE_WORDS * memory.word(args, TABLES))
    _lay_tables(memory, args, job, room + scratch.TABLES, first, columns)
    done = 0
    while done < rows:
        high = min(rows - done, _LOCAL)
        here = at + done * at_row
        there = to + done * to_row
        memory.set_word(job, COUNT, high)
        if columns == LANES and at_column == size:
            memory.set_word(job, IN, here)
            memory.set_word(job, IN_STEP, at_row)
        else:
            bounce = room + scratch.READ
            move_block(
                memory, here, at_row, at_column, bounce, LANES * size, size, high, columns, size
            )
            memory.set_word(job, IN, bounce)
            memory.set_word(job, IN_STEP, LANES * size)
        direct = columns == LANES and to_column == made
        memory.set_word(job, OUT, there if direct else room + scratch.WRITTEN)
        memory.set_word(job, OUT_STEP, to_row if direct else LANES * made)
        memory.call(memory.word(args, CONVERT), args, job)
        if not direct:
            bounce = room + scratch.WRITTEN
            move_block(
                memory, bounce, LANES * made, made, there, to_row, to_column, high, columns, made
            )
        done += high


def _lay_tables(
    memory: RawMemory, args: Address, job: Address, room: Address, first: int, columns: int
) -> None:
    """Puts where the parameters of some columns are into the words of a conversion."""
    for number in range(memory.word(args, TABLES)):
        table = args + WORD_BYTES * (FIRST_TABLE + TABLE_WORDS * number)
        size = memory.word(table, TABLE_SIZE)
        step = memory.word(table, TABLE_STEP)
        here = memory.word(table, TABLE_AT) + first * step
        if step != size:
            there = room + number * LANES * WORD_BYTES
            move_block(memory, here, 0, step, there, 0, size, 1, columns, size)
            here = there
        memory.set_word(job, CONVERSION + number, here)


@compiled
def _fill(memory: RawMemory, args: Address, to: Address) -> None:
    """Writes zeros to the columns after those that are moved."""
    layout = args + WORD_BYTES * TARGET_LAYOUT
    size = memory.word(args, DST_SIZE)
    for row in range(memory.word(args, ROWS)):
        here = to + axis_offset(memory, layout, row)
        for column in range(memory.word(args, COLUMNS), memory.word(args, FILLED)):
            at = here + axis_offset(memory, layout + COLUMN_AXIS, column)
            for byte in range(size):
                memory.set_byte(at + byte, 0)
