"""Copies between memories. What fits a field, how long a padded row is and how far a loop goes
is said in `isa.copies` and `isa.footprint`.

Generated code leaves a copy at `args` as words: both addresses, the length of a row, whether it
is padded, the padding, the mode of an atomic store, then three words for each loop, innermost
first, then a word for each that counts its iterations.
"""

from __future__ import annotations

from ptoscope.isa.copies import PADDING_BITS, count_bits, in_field, padded_row, repetitions
from ptoscope.isa.footprint import reach_down, reach_up
from ptoscope.native.layout import (
    DEFERRED_HIGH,
    QUEUED,
    REGION_DATA,
    REGION_SIZE,
    REGION_WRITEABLE,
    UB_TOP,
    WORD_BYTES,
    own,
)
from ptoscope.native.runtime.deferred import (
    bring_those_in,
    defer,
    delivered,
    delivered_from,
    rt_settle,
    start_writing,
    stop_writing,
)
from ptoscope.native.runtime.issue import rt_service
from ptoscope.native.runtime.past_cache import LEAST_PAST_CACHE, PAST_CACHE, copy_past_cache
from ptoscope.native.runtime.regions import region_of, region_offset
from ptoscope.native.subset import Address, RawMemory, compiled

SRC, DST, LENGTH, PADDED, LEFT, RIGHT, PATTERN, MODE, LOOPS = range(9)
"""The words of a copy."""
COUNT, SRC_STRIDE, DST_STRIDE, LOOP_WORDS = range(4)
"""The words of a loop."""

_OWN_UB = own("ub")
_POLLED = 1 << 20
"""Rows after which the engine is asked whether to go on."""


@compiled
def rt_transfer(
    memory: RawMemory,
    state: Address,
    side_exit: int,
    args: Address,
    loops: int,
    src_own: int,
    dst_own: int,
    element: int,
    length_bits: int,
    src_stride_bits: int,
    dst_stride_bits: int,
    src_alignment: int,
    dst_alignment: int,
    tile: int,
    least: int,
) -> int:
    """Copies rows. Each side is in a memory (see `layout.own`), aligned to a power of two;
    `element` is the bytes of what pads a row, and `length_bits` is the field that its length
    has to fit; the strides have theirs. `tile` is the number under which it may be deferred, -1
    where it may not, if it has at least so many bytes."""
    # The common case at once.
    run = _dense_run(
        memory,
        state,
        args,
        loops,
        src_own,
        dst_own,
        length_bits,
        src_stride_bits,
        dst_stride_bits,
        src_alignment,
        dst_alignment,
    )
    if run != 0:
        return _copy_run(memory, state, args, run, src_own, dst_own, tile, least)
    # What updates GM is done by the engine, which lets one block do so at a time.
    if memory.word(state, QUEUED) != 0 or memory.word(args, MODE) != 0:
        return rt_service(memory, state, side_exit, args)
    source = region_of(memory, state, src_own, memory.word(args, SRC))
    target = region_of(memory, state, dst_own, memory.word(args, DST))
    length = memory.word(args, LENGTH)
    if source == 0 or target == 0 or not in_field(length, length_bits):
        return rt_service(memory, state, side_exit, args)
    if not memory.word(target, REGION_WRITEABLE):
        return rt_service(memory, state, side_exit, args)
    if not _loops_fit(memory, args, loops, src_stride_bits, dst_stride_bits):
        return rt_service(memory, state, side_exit, args)
    if _is_empty(memory, args, loops):
        return 0
    if memory.word(args, PADDED) and not _padding_fits(memory, args):
        return rt_service(memory, state, side_exit, args)
    read = region_offset(src_own, memory.word(args, SRC))
    write = region_offset(dst_own, memory.word(args, DST))
    row = _row_bytes(memory, args, element, dst_alignment)
    _drop_repetitions(memory, args, loops)
    if not _inside(
        memory, args, loops, SRC_STRIDE, read, length, source, src_alignment
    ) or not _inside(memory, args, loops, DST_STRIDE, write, row, target, dst_alignment):
        return rt_service(memory, state, side_exit, args)
    rt_settle(memory, state)
    if dst_own == _OWN_UB:
        touch(memory, state, _end(memory, args, loops, write + row))
    at = memory.word(source, REGION_DATA) + read
    to = memory.word(target, REGION_DATA) + write
    return _copy_rows(memory, state, args, loops, at, to, row, element, src_own == dst_own)


@compiled
def rt_through(
    memory: RawMemory,
    state: Address,
    side_exit: int,
    args: Address,
    loops: int,
    src_own: int,
    dst_own: int,
    element: int,
    length_bits: int,
    src_stride_bits: int,
    dst_stride_bits: int,
    src_alignment: int,
    dst_alignment: int,
    tile: int,
    least: int,
) -> int:
    """Says of a copy of UB to GM that comes next that its rows may go there instead of to UB. Takes
    what `rt_transfer` takes."""
    if memory.word(state, DEFERRED_HIGH) != 0:
        stop_writing(memory, state)
    run = _dense_run(
        memory,
        state,
        args,
        loops,
        src_own,
        dst_own,
        length_bits,
        src_stride_bits,
        dst_stride_bits,
        src_alignment,
        dst_alignment,
    )
    if run != 0:
        target = region_of(memory, state, dst_own, memory.word(args, DST))
        to = memory.word(target, REGION_DATA) + region_offset(dst_own, memory.word(args, DST))
        if run >= least:
            is_large = memory.word(target, REGION_SIZE) >= PAST_CACHE
            start_writing(memory, state, memory.word(args, SRC), to, run, is_large)
    return 0


def _dense_run(
    memory: RawMemory,
    state: Address,
    args: Address,
    loops: int,
    src_own: int,
    dst_own: int,
    length_bits: int,
    src_stride_bits: int,
    dst_stride_bits: int,
    src_alignment: int,
    dst_alignment: int,
) -> int:
    """The bytes of a copy that is one dense run between two memories, right in every way, and may
    be made now; 0 of any other."""
    if memory.word(state, QUEUED) != 0 or memory.word(args, MODE) != 0 or src_own == dst_own:
        return 0
    source = region_of(memory, state, src_own, memory.word(args, SRC))
    target = region_of(memory, state, dst_own, memory.word(args, DST))
    if source == 0 or target == 0 or not memory.word(target, REGION_WRITEABLE):
        return 0
    if not in_field(memory.word(args, LENGTH), length_bits):
        return 0
    if not _loops_fit(memory, args, loops, src_stride_bits, dst_stride_bits):
        return 0
    run = _run_bytes(memory, args, loops, src_alignment, dst_alignment)
    read = region_offset(src_own, memory.word(args, SRC))
    write = region_offset(dst_own, memory.word(args, DST))
    if read & (src_alignment - 1) or write & (dst_alignment - 1):
        return 0
    reads_inside = 0 <= read <= memory.word(source, REGION_SIZE) - run
    writes_inside = 0 <= write <= memory.word(target, REGION_SIZE) - run
    return run if reads_inside and writes_inside else 0


def _copy_run(
    memory: RawMemory,
    state: Address,
    args: Address,
    run: int,
    src_own: int,
    dst_own: int,
    tile: int,
    least: int,
) -> int:
    """Makes such a copy, or defers it."""
    read = region_offset(src_own, memory.word(args, SRC))
    write = region_offset(dst_own, memory.word(args, DST))
    source = region_of(memory, state, src_own, memory.word(args, SRC))
    target = region_of(memory, state, dst_own, memory.word(args, DST))
    at = memory.word(source, REGION_DATA) + read
    to = memory.word(target, REGION_DATA) + write
    if dst_own == _OWN_UB:
        touch(memory, state, write + run)
        if tile >= 0 and run >= least:
            defer(memory, state, tile, write, at, run)
            return 0
        bring_those_in(memory, state, write, run)
    if src_own == _OWN_UB:
        if delivered(memory, state, read, to, run):
            return 0
        at = delivered_from(memory, state, read, at, to, run)
    if run >= LEAST_PAST_CACHE and memory.word(target, REGION_SIZE) >= PAST_CACHE:
        copy_past_cache(memory, to, at, run)
    else:
        memory.copy(to, at, run)
    return 0


def touch(memory: RawMemory, state: Address, end: int) -> None:
    """Bytes of UB are written, up to an end."""
    memory.set_word(state, UB_TOP, max(memory.word(state, UB_TOP), end))


def _end(memory: RawMemory, args: Address, loops: int, first: int) -> int:
    """Where what is written ends, of which the first row ends at `first`."""
    for level in range(loops):
        loop = args + WORD_BYTES * (LOOPS + LOOP_WORDS * level)
        count = memory.word(loop, COUNT)
        if count > 1:
            first += reach_up(count, memory.word(loop, DST_STRIDE))
    return first


def _run_bytes(
    memory: RawMemory, args: Address, loops: int, src_alignment: int, dst_alignment: int
) -> int:
    """The bytes of a copy that is one dense run, its rows aligned; 0 if it is not."""
    rows = memory.word(args, LOOPS + COUNT)
    length = memory.word(args, LENGTH)
    if memory.word(args, PADDED):
        return 0
    for level in range(1, loops):
        if memory.word(args, LOOPS + LOOP_WORDS * level + COUNT) != 1:
            return 0
    if rows > 1:
        if memory.word(args, LOOPS + SRC_STRIDE) != length or length & (src_alignment - 1):
            return 0
        if memory.word(args, LOOPS + DST_STRIDE) != length or length & (dst_alignment - 1):
            return 0
    return rows * length


def _loops_fit(memory: RawMemory, args: Address, loops: int, src_bits: int, dst_bits: int) -> bool:
    """Whether the counts and strides of loops fit their fields."""
    for level in range(loops):
        loop = args + WORD_BYTES * (LOOPS + LOOP_WORDS * level)
        if not in_field(memory.word(loop, COUNT), count_bits(level)):
            return False
        if not in_field(memory.word(loop, SRC_STRIDE), src_bits):
            return False
        if not in_field(memory.word(loop, DST_STRIDE), dst_bits):
            return False
    return True


def _padding_fits(memory: RawMemory, args: Address) -> bool:
    """Whether padding fits its fields."""
    left = memory.word(args, LEFT)
    right = memory.word(args, RIGHT)
    return in_field(left, PADDING_BITS) and in_field(right, PADDING_BITS)


def _is_empty(memory: RawMemory, args: Address, loops: int) -> bool:
    """Whether nothing is copied."""
    for level in range(loops):
        if memory.word(args, LOOPS + LOOP_WORDS * level) == 0:
            return True
    return memory.word(args, LENGTH) == 0 and memory.word(args, PADDED) == 0


def _row_bytes(memory: RawMemory, args: Address, element: int, alignment: int) -> int:
    """The bytes of a row where it is written."""
    length = memory.word(args, LENGTH)
    if not memory.word(args, PADDED):
        return length
    left = memory.word(args, LEFT) * element
    right = memory.word(args, RIGHT) * element
    stride = memory.word(args, LOOPS + DST_STRIDE)
    return padded_row(length, left, right, stride, alignment)


def _drop_repetitions(memory: RawMemory, args: Address, loops: int) -> None:
    """Loops that copy the same bytes again are run once from here on."""
    for level in range(loops):
        loop = args + WORD_BYTES * (LOOPS + LOOP_WORDS * level)
        src_stride = memory.word(loop, SRC_STRIDE)
        count = repetitions(memory.word(loop, COUNT), src_stride, memory.word(loop, DST_STRIDE))
        memory.set_word(loop, COUNT, count)


@compiled
def _inside(
    memory: RawMemory,
    args: Address,
    loops: int,
    column: int,
    start: int,
    row: int,
    region: Address,
    alignment: int,
) -> bool:
    """Whether every row of one side lies in its region, on aligned addresses."""
    most = memory.word(region, REGION_SIZE) - row
    first = start
    last = start
    mixed = start
    for level in range(loops):
        # Looked at before each loop, so that no sum leaves a word: counts and strides fit their
        # fields.
        if not 0 <= first <= last <= most:
            return False
        loop = args + WORD_BYTES * (LOOPS + LOOP_WORDS * level)
        count = memory.word(loop, COUNT)
        if count > 1:
            stride = memory.word(loop, column)
            first += reach_down(count, stride)
            last += reach_up(count, stride)
            mixed |= stride
    return 0 <= first <= last <= most and mixed & (alignment - 1) == 0


def _copy_rows(
    memory: RawMemory,
    state: Address,
    args: Address,
    loops: int,
    at: Address,
    to: Address,
    row: int,
    element: int,
    same_memory: int,
) -> int:
    """Copies rows that have been checked; 1 if the engine wants to end meanwhile."""
    length = memory.word(args, LENGTH)
    padded = memory.word(args, PADDED)
    left = memory.word(args, LEFT) * element
    pattern = memory.word(args, PATTERN)
    rows = memory.word(args, LOOPS + COUNT)
    src_stride = memory.word(args, LOOPS + SRC_STRIDE)
    dst_stride = memory.word(args, LOOPS + DST_STRIDE)
    counters = args + WORD_BYTES * (LOOPS + LOOP_WORDS * loops)
    for level in range(loops):
        memory.set_word(counters, level, 0)
    if src_stride == length and dst_stride == length and not padded and not same_memory:
        length *= rows
        rows = 1
    copied = 0
    level = 0
    while level < loops:
        for _ in range(rows):
            if padded:
                fill(memory, to, left, pattern)
                memory.copy(to + left, at, length)
                fill(memory, to + left + length, row - left - length, pattern)
            elif same_memory:
                memory.move(to, at, length)
            else:
                memory.copy(to, at, length)
            at += src_stride
            to += dst_stride
        at -= src_stride * rows
        to -= dst_stride * rows
        before = copied
        copied += rows
        if copied // _POLLED != before // _POLLED and rt_service(memory, state, -1, 0) != 0:
            return 1
        # The innermost loop is done; on to the next iteration of the first that has one.
        level = 1
        while level < loops:
            loop = args + WORD_BYTES * (LOOPS + LOOP_WORDS * level)
            done = memory.word(counters, level)
            if done + 1 < memory.word(loop, COUNT):
                memory.set_word(counters, level, done + 1)
                at += memory.word(loop, SRC_STRIDE)
                to += memory.word(loop, DST_STRIDE)
                break
            memory.set_word(counters, level, 0)
            at -= memory.word(loop, SRC_STRIDE) * done
            to -= memory.word(loop, DST_STRIDE) * done
            level += 1
    return 0


@compiled
def fill(memory: RawMemory, to: Address, count: int, pattern: int) -> None:
    """Writes so many bytes of a pattern of eight, over and over."""
    done = 0
    while count - done >= WORD_BYTES:
        memory.set_word(to + done, 0, pattern)
        done += WORD_BYTES
    while done < count:
        memory.set_byte(to + done, pattern)
        pattern >>= 8
        done += 1
