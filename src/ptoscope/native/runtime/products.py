"""Products of two tiles into a third (see `isa.tiles`).

Generated code leaves one at `args` as words: those named here, the three layouts, and the words
of a job (see `factors`; `tiles` for what is done to sums). Where anything is unusual the engine
multiplies: results that are not in blocks of 16 columns, steps that go backwards, and all that
is not allowed.
"""

from __future__ import annotations

from ptoscope.isa.copies import in_field
from ptoscope.isa.parts import MEMORIES
from ptoscope.isa.tiles import RESULT_COLUMNS, SCALED
from ptoscope.native.layout import (
    QUEUED,
    REGION_BYTES,
    REGION_DATA,
    REGION_SIZE,
    REGIONS,
    SCRATCH,
    WORD_BYTES,
    own,
)
from ptoscope.native.runtime import scratch, tiles
from ptoscope.native.runtime.factors import are_ready, make_factors, panel_bytes
from ptoscope.native.runtime.issue import rt_service
from ptoscope.native.runtime.sums import (
    FACTOR_BYTES,
    GROUP,
    GROUP_BYTES,
    ROW_BYTES,
    add_integers,
    add_products,
    columns_at_once,
    rows_at_once,
)
from ptoscope.native.runtime.tile_blocks import move_block
from ptoscope.native.runtime.tile_layouts import (
    BLOCK,
    COLUMN_AXIS,
    COUNT_BITS,
    LAYOUT_WORDS,
    WIDTH,
    axis_run,
    axis_step,
    layout_fits,
    reach,
)
from ptoscope.native.runtime.transposes import pack_columns
from ptoscope.native.subset import Address, RawMemory, compiled

(
    LEFT,
    RIGHT,
    RESULT,
    M,
    N,
    K,
    START,
    BIAS,
    LEFT_SCALES,
    RIGHT_SCALES,
    LEFT_SIZE,
    RIGHT_SIZE,
    LEFT_VALUE,
    RIGHT_VALUE,
    RESULT_VALUE,
    IS_INTEGER,
    LAYOUTS,
) = range(17)
"""The words of a product. START says what sums begin with; scales that are not there are -1, and
values that are nothing but the elements, or the sums, 0."""
FROM_ZERO, FROM_RESULT, FROM_BIAS = range(3)
RIGHT_LAYOUT = LAYOUTS + LAYOUT_WORDS
RESULT_LAYOUT = RIGHT_LAYOUT + LAYOUT_WORDS
JOB = RESULT_LAYOUT + LAYOUT_WORDS

_L0A, _L0B, _L0C, _BT = own("l0a"), own("l0b"), own("l0c"), own("bt")
_LEFT_SCALES, _RIGHT_SCALES = own("l0a_scale"), own("l0b_scale")
_ALIGNMENT = MEMORIES["l0c"].copy_alignment
"""That of each of the three."""


@compiled
def rt_multiply(memory: RawMemory, state: Address, side_exit: int, args: Address) -> int:
    """Multiplies two tiles."""
    if memory.word(state, QUEUED) != 0 or not _usual_product(memory, args):
        return rt_service(memory, state, side_exit, args)
    m = memory.word(args, M)
    n = memory.word(args, N)
    k = memory.word(args, K)
    layout = args + WORD_BYTES * LAYOUTS
    right_layout = args + WORD_BYTES * RIGHT_LAYOUT
    result_layout = args + WORD_BYTES * RESULT_LAYOUT
    left_size = memory.word(args, LEFT_SIZE)
    right_size = memory.word(args, RIGHT_SIZE)
    left = _tile(memory, state, _L0A, memory.word(args, LEFT), layout, m, k, left_size)
    right = _tile(memory, state, _L0B, memory.word(args, RIGHT), right_layout, n, k, right_size)
    result = _tile(memory, state, _L0C, memory.word(args, RESULT), result_layout, m, n, 4)
    if left == 0 or right == 0 or result == 0 or not _tables_inside(memory, state, args, m, n, k):
        return rt_service(memory, state, side_exit, args)
    room = memory.word(state, SCRATCH)
    left_value = memory.word(args, LEFT_VALUE)
    right_value = memory.word(args, RIGHT_VALUE)
    left_step = memory.word(layout + COLUMN_AXIS, BLOCK)
    right_step = memory.word(right_layout + COLUMN_AXIS, BLOCK)
    if not are_ready(memory, layout, m, k, left_value):
        panel = room + scratch.LEFT_PANEL
        scales = _table(memory, state, _LEFT_SCALES, memory.word(args, LEFT_SCALES))
        make_factors(
            memory, state, args + WORD_BYTES * JOB, left, layout, m, k, left_size, left_value,
            scales, panel,
        )  # fmt: skip
        left = panel
        left_step = m * GROUP_BYTES
    if not are_ready(memory, right_layout, n, k, right_value):
        panel = room + scratch.RIGHT_PANEL
        scales = _table(memory, state, _RIGHT_SCALES, memory.word(args, RIGHT_SCALES))
        make_factors(
            memory, state, args + WORD_BYTES * JOB, right, right_layout, n, k, right_size,
            right_value, scales, panel,
        )  # fmt: skip
        right = panel
        right_step = n * GROUP_BYTES
    block_step = memory.word(result_layout + COLUMN_AXIS, BLOCK)
    start = memory.word(args, START)
    if start == FROM_BIAS:
        bias = _table(memory, state, _BT, memory.word(args, BIAS))
        for column in range((n + RESULT_COLUMNS - 1) // RESULT_COLUMNS):
            wide = min(RESULT_COLUMNS, n - column * RESULT_COLUMNS)
            move_block(
                memory, bias + column * ROW_BYTES, 0, FACTOR_BYTES,
                result + column * block_step, ROW_BYTES, FACTOR_BYTES, m, wide, FACTOR_BYTES,
            )  # fmt: skip
    is_integer = memory.word(args, IS_INTEGER)
    first = 0
    while first < k:
        depth = min(scratch.DEPTH, k - first)
        _add_depth(
            memory, room, left + first // GROUP * left_step, left_step,
            right + first // GROUP * right_step, right_step, result, block_step, m, n, depth,
            start != FROM_ZERO or first > 0, is_integer,
        )  # fmt: skip
        first += depth
    if memory.word(args, RESULT_VALUE) != 0:
        _change_sums(memory, room, args, result, block_step, m, n)
    return 0


def _usual_product(memory: RawMemory, args: Address) -> bool:
    """Whether there is something to multiply, the factors have room, and the result lies in
    blocks of 16 columns."""
    m = memory.word(args, M)
    n = memory.word(args, N)
    k = memory.word(args, K)
    if min(min(m, n), k) < 1 or not in_field(max(max(m, n), k), COUNT_BITS):
        return False
    if panel_bytes(m, k, memory.word(args, LEFT_SIZE)) > scratch.PANEL_BYTES:
        return False
    if panel_bytes(n, k, memory.word(args, RIGHT_SIZE)) > scratch.PANEL_BYTES:
        return False
    for number in range(3):
        if not layout_fits(memory, args + WORD_BYTES * (LAYOUTS + LAYOUT_WORDS * number)):
            return False
    layout = args + WORD_BYTES * RESULT_LAYOUT
    columns = layout + COLUMN_AXIS
    if axis_run(memory, layout, m) != m or axis_step(memory, layout) != ROW_BYTES:
        return False
    if memory.word(columns, WIDTH) != RESULT_COLUMNS or axis_step(memory, columns) != FACTOR_BYTES:
        return False
    return n <= RESULT_COLUMNS or memory.word(columns, BLOCK) >= m * ROW_BYTES


def _tile(
    memory: RawMemory,
    state: Address,
    which: int,
    at: int,
    layout: Address,
    rows: int,
    columns: int,
    size: int,
) -> Address:
    """Where a tile is in a memory of the core; 0 where it is not inside, or crooked."""
    region = memory.word(state, REGIONS) - REGION_BYTES * which
    end = reach(memory, layout, rows, columns) + size
    if at & (_ALIGNMENT - 1) or not 0 <= at <= memory.word(region, REGION_SIZE) - end:
        return 0
    return memory.word(region, REGION_DATA) + at


def _tables_inside(
    memory: RawMemory, state: Address, args: Address, m: int, n: int, k: int
) -> bool:
    """Whether the bias and the scales are in their memories."""
    groups = (k + SCALED - 1) // SCALED
    if memory.word(args, START) == FROM_BIAS and not _table_inside(
        memory, state, _BT, memory.word(args, BIAS), n * FACTOR_BYTES
    ):
        return False
    left = memory.word(args, LEFT_SCALES)
    if left != -1 and not _table_inside(memory, state, _LEFT_SCALES, left, m * groups):
        return False
    right = memory.word(args, RIGHT_SCALES)
    return right == -1 or _table_inside(memory, state, _RIGHT_SCALES, right, n * groups)


def _table_inside(memory: RawMemory, state: Address, which: int, at: int, size: int) -> bool:
    region = memory.word(state, REGIONS) - REGION_BYTES * which
    return 0 <= at <= memory.word(region, REGION_SIZE) - size


def _table(memory: RawMemory, state: Address, which: int, at: int) -> Address:
    region = memory.word(state, REGIONS) - REGION_BYTES * which
    return memory.word(region, REGION_DATA) + at


@compiled
def _add_depth(
    memory: RawMemory,
    room: Address,
    left: Address,
    left_step: int,
    right: Address,
    right_step: int,
    result: Address,
    block_step: int,
    m: int,
    n: int,
    depth: int,
    adds: int,
    is_integer: int,
) -> None:
    """Sums some steps of k, block by block: the columns of one stay in the cache."""
    high = rows_at_once()
    wide = columns_at_once()
    packed = room + scratch.COLUMNS
    column = 0
    while column < n:
        here = right + column * GROUP_BYTES
        pack_columns(memory, packed, here, right_step, (depth + GROUP - 1) // GROUP)
        sums = result + column // RESULT_COLUMNS * block_step
        row = 0
        while row < m:
            rows = left + row * GROUP_BYTES
            to = sums + row * ROW_BYTES
            whole = row + high <= m and column + wide <= n
            at = to if whole else room + scratch.EDGE
            step = block_step if whole else high * ROW_BYTES
            used_rows = min(high, m - row)
            used_columns = min(wide, n - column)
            if not whole and adds:
                _move_sums(memory, to, block_step, at, step, used_rows, used_columns)
            if is_integer:
                add_integers(memory, rows, left_step, packed, depth, at, step, adds)
            else:
                add_products(memory, rows, left_step, packed, depth, at, step, adds)
            if not whole:
                _move_sums(memory, at, step, to, block_step, used_rows, used_columns)
            row += high
        column += wide


@compiled
def _move_sums(
    memory: RawMemory,
    at: Address,
    at_step: int,
    to: Address,
    to_step: int,
    rows: int,
    columns: int,
) -> None:
    """Sums of some rows and columns, both in blocks of 16 columns."""
    for part in range((columns + RESULT_COLUMNS - 1) // RESULT_COLUMNS):
        wide = min(RESULT_COLUMNS, columns - part * RESULT_COLUMNS)
        move_block(
            memory, at + part * at_step, ROW_BYTES, FACTOR_BYTES, to + part * to_step, ROW_BYTES,
            FACTOR_BYTES, rows, wide, FACTOR_BYTES,
        )  # fmt: skip


@compiled
def _change_sums(
    memory: RawMemory,
    room: Address,
    args: Address,
    result: Address,
    block_step: int,
    m: int,
    n: int,
) -> None:
    """Applies what is done to sums, in place; a block of fewer columns goes through a room."""
    job = args + WORD_BYTES * JOB
    bounce = room + scratch.EDGE
    for block in range((n + RESULT_COLUMNS - 1) // RESULT_COLUMNS):
        wide = min(RESULT_COLUMNS, n - block * RESULT_COLUMNS)
        here = result + block * block_step
        row = 0
        while row < m:
            high = m if wide == RESULT_COLUMNS else min(m - row, rows_at_once())
            at = here + row * ROW_BYTES
            if wide < RESULT_COLUMNS:
                _move_sums(memory, at, 0, bounce, 0, high, wide)
                at = bounce
            memory.set_word(job, tiles.IN, at)
            memory.set_word(job, tiles.IN_STEP, ROW_BYTES)
            memory.set_word(job, tiles.OUT, at)
            memory.set_word(job, tiles.OUT_STEP, ROW_BYTES)
            memory.set_word(job, tiles.COUNT, high)
            memory.call(memory.word(args, RESULT_VALUE), args, job)
            if wide < RESULT_COLUMNS:
                _move_sums(memory, at, 0, here + row * ROW_BYTES, 0, high, wide)
            row += high
