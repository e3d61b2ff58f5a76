"""Blocks of elements, each so many bytes from one to the next along rows and along columns, on
both sides, from one memory to another."""

from __future__ import annotations

from ptoscope.native.runtime.transposes import LINE, transpose_halves, transpose_words
from ptoscope.native.subset import Address, RawMemory, compiled

_LINES = 2 * LINE


@compiled
def move_block(
    memory: RawMemory,
    at: Address,
    at_row: int,
    at_column: int,
    to: Address,
    to_row: int,
    to_column: int,
    rows: int,
    columns: int,
    size: int,
) -> None:
    """Moves elements of 1, 2, 4 or 8 bytes, which lie apart."""
    if (at_column == size or columns == 1) and (to_column == size or columns == 1):
        _move_lines(memory, at, at_row, to, to_row, rows, columns * size)
        return
    if (at_row == size or rows == 1) and (to_row == size or rows == 1):
        _move_lines(memory, at, at_column, to, to_column, columns, rows * size)
        return
    if at_column == size and to_row == size:
        _turn(memory, at, at_row, to, to_column, rows, columns, size)
        return
    if at_row == size and to_column == size:
        _turn(memory, at, at_column, to, to_row, columns, rows, size)
        return
    for row in range(rows):
        _move_elements(
            memory, at + row * at_row, at_column, to + row * to_row, to_column, columns, size
        )


@compiled
def _move_lines(
    memory: RawMemory,
    at: Address,
    at_step: int,
    to: Address,
    to_step: int,
    count: int,
    length: int,
) -> None:
    """Moves runs of bytes."""
    if (at_step == length and to_step == length) or count == 1:
        memory.copy(to, at, count * length)
    elif length == LINE:
        for i in range(count):
            memory.copy(to + i * to_step, at + i * at_step, LINE)
    elif length == _LINES:
        for i in range(count):
            memory.copy(to + i * to_step, at + i * at_step, _LINES)
    else:
        for i in range(count):
            memory.copy(to + i * to_step, at + i * at_step, length)


@compiled
def _turn(
    memory: RawMemory,
    at: Address,
    at_step: int,
    to: Address,
    to_step: int,
    rows: int,
    columns: int,
    size: int,
) -> None:
    """Moves rows, dense where they come from, to columns that are dense where they go."""
    # Shifts, since a division takes longer than a square.
    shift = 3 if size == 4 else 4
    squares_down = rows >> shift
    squares_across = columns >> shift
    if (size == 4 or size == 2) and squares_down and squares_across:
        whole_rows = squares_down << shift
        whole_columns = squares_across << shift
        for row in range(squares_down):
            for column in range(squares_across):
                source = at + (row << shift) * at_step + column * LINE
                target = to + (column << shift) * to_step + row * LINE
                if size == 4:
                    transpose_words(memory, target, to_step, source, at_step)
                else:
                    transpose_halves(memory, target, to_step, source, at_step)
        _turn_elements(
            memory, at + whole_rows * at_step, at_step, to + whole_rows * size, to_step,
            rows - whole_rows, columns, size,
        )  # fmt: skip
        _turn_elements(
            memory, at + whole_columns * size, at_step, to + whole_columns * to_step, to_step,
            whole_rows, columns - whole_columns, size,
        )  # fmt: skip
        return
    _turn_elements(memory, at, at_step, to, to_step, rows, columns, size)


@compiled
def _turn_elements(
    memory: RawMemory,
    at: Address,
    at_step: int,
    to: Address,
    to_step: int,
    rows: int,
    columns: int,
    size: int,
) -> None:
    if columns == 0:
        return
    for row in range(rows):
        _move_elements(memory, at + row * at_step, size, to + row * size, to_step, columns, size)


@compiled
def _move_elements(
    memory: RawMemory, at: Address, at_step: int, to: Address, to_step: int, count: int, size: int
) -> None:
    """Moves elements one by one."""
    if size == 4:
        for i in range(count):
            memory.copy(to + i * to_step, at + i * at_step, 4)
    elif size == 2:
        for i in range(count):
            memory.copy(to + i * to_step, at + i * at_step, 2)
    elif size == 1:
        for i in range(count):
            memory.copy(to + i * to_step, at + i * at_step, 1)
    else:
        for i in range(count):
            memory.copy(to + i * to_step, at + i * at_step, 8)
