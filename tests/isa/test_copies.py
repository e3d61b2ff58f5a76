"""The contract of copies, against the documents written out as plain sets of bytes."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptoscope.isa import TABLE
from ptoscope.isa.copies import (
    INTEGERS,
    BurstLoop,
    CopyPath,
    Padding,
    Transfer,
    count_bits,
    ends,
    fields,
    fits,
    from_words,
    in_field,
    padded_row,
    repetitions,
)
from ptoscope.isa.dtypes import F16, F32, UI8, DType
from ptoscope.isa.footprint import (
    Bursts,
    Footprint,
    covered,
    dense,
    elements,
    first_outside,
    hull,
    inside,
    starts,
)

GM_UB, UB_GM, UB_UB = CopyPath("gm", "ub"), CopyPath("ub", "gm"), CopyPath("ub", "ub", 32)

loops = st.lists(
    st.tuples(st.integers(0, 4), st.integers(-80, 80), st.integers(-80, 80)), min_size=1, max_size=3
)


def bytes_of(footprint: Footprint) -> set[int]:
    return {
        at + byte
        for start, length, runs, stride in footprint
        for at in range(start, start + runs * max(stride, 1), max(stride, 1))[:runs]
        for byte in range(length)
    }


def test_fields_are_as_wide_as_the_micro_specification_says() -> None:
    """Burst length and count: 16 bits; the loops around: 21; padding: 8; strides: 40 in GM, 21 in
    UB. `mte_ub_ub` counts blocks of 32 bytes, so that its bytes have five bits more; its strides
    are sums of a length and a gap of 16 bits each."""
    row, outer = BurstLoop(2, 0, 64), BurstLoop(3, 0, 0)
    copy = Transfer(GM_UB, F32, 64, (row, outer, outer), Padding(None, 1, 2))
    strides = [("source stride", 40), ("destination stride", 21)]
    assert [(name, bits) for name, _, bits in fields(copy, INTEGERS)] == [
        ("burst length", 16),
        ("row count", 16),
        *strides,
        ("loop count", 21),
        *strides,
        ("loop count", 21),
        *strides,
        ("left padding", 8),
        ("right padding", 8),
    ]
    inner = Transfer(UB_UB, F32, 64, (row,))
    assert fields(inner, INTEGERS)[0] == ("burst length", 64, 21)
    widest = 32 * 2 * ((1 << 16) - 1)
    assert fits(Transfer(UB_UB, F32, 32, (BurstLoop(2, widest, widest),)))
    outward = Transfer(UB_GM, F32, 64, (row,))
    assert [bits for _, _, bits in fields(outward, INTEGERS)[2:]] == [21, 40]


@pytest.mark.parametrize("bits", [8, 16, 21])
def test_a_field_holds_what_its_bits_can(bits: int) -> None:
    assert [in_field(v, bits) for v in (-1, 0, 2**bits - 1, 2**bits)] == [0, 1, 1, 0]


def test_padding_has_no_fields_where_there_are_no_rows_or_it_is_off() -> None:
    for count, enabled in ((0, 1), (1, 0)):
        loop, padding = BurstLoop(count, 0, 32), Padding(None, 999, 999, enabled)
        assert fits(Transfer(GM_UB, F32, 4, (loop,), padding))
    loop, padding = BurstLoop(1, 0, 32), Padding(None, 999, 999, 1)
    assert not fits(Transfer(GM_UB, F32, 4, (loop,), padding))


def test_the_first_loop_counts_rows() -> None:
    assert [count_bits(level) for level in range(3)] == [16, 21, 21]


@given(st.integers(0, 300), st.integers(0, 40), st.integers(0, 40), st.integers(-64, 400))
def test_a_padded_row_ends_at_a_block_or_at_the_next_row(
    length: int, left: int, right: int, stride: int
) -> None:
    whole = next(n for n in range(0, 1000, 32) if n >= left + length + right)
    assert padded_row(length, left, right, stride, 32) == (stride if stride > whole else whole)


@given(st.integers(0, 200), loops)
def test_ends_of_a_plain_copy_are_its_nested_loops(
    length: int, around: list[tuple[int, int, int]]
) -> None:
    copy = Transfer(GM_UB, UI8, length, tuple(BurstLoop(*loop) for loop in around))
    read, written = set[int](), set[int]()
    for index in product(*(range(count) for count, _, _ in around)):
        src = sum(i * s for i, (_, s, _) in zip(index, around, strict=True))
        dst = sum(i * d for i, (_, _, d) in zip(index, around, strict=True))
        read |= set(range(src, src + length))
        written |= set(range(dst, dst + length))
    made = ends(copy, INTEGERS)
    if made is None:
        assert not read
        assert not written
        return
    assert bytes_of(covered(made.read)) == read
    assert bytes_of(covered(made.written)) == written
    for bursts, touched in ((made.read, read), (made.written, written)):
        low, high = min(touched), max(touched) + 1
        assert hull(bursts) == (low, high)
        assert inside(bursts, -low, high - low)
        assert not inside(bursts, -low, high - low - 1)
        assert not inside(bursts, -low - 1, high - low)
        assert {s + b for s in starts(bursts.loops) for b in range(length)} == touched


@pytest.mark.parametrize("dtype", [UI8, F16, F32])
def test_a_padded_row_is_fill_data_fill_to_the_block_and_on_to_the_next_row(
    dtype: DType,
) -> None:
    size = dtype.bytes
    copy = Transfer(
        GM_UB, dtype, 10 * size, (BurstLoop(2, 10 * size, 160),), Padding(None, 2, 3, 1)
    )
    made = ends(copy, INTEGERS)
    assert made is not None
    assert made.left == 2 * size
    assert made.written.length == 160
    assert made.read.length == 10 * size
    short = Transfer(GM_UB, dtype, 10 * size, (BurstLoop(2, 10 * size, 0),), Padding(None, 2, 3, 1))
    made = ends(short, INTEGERS)
    assert made is not None
    assert made.written.length == {1: 32, 2: 32, 4: 64}[size]


def test_a_row_of_padding_alone_reads_nothing() -> None:
    made = ends(Transfer(GM_UB, F32, 0, (BurstLoop(1, 0, 0),), Padding(None, 1, 0)), INTEGERS)
    assert made is not None
    assert (covered(made.read), covered(made.written)) == ((), dense(32))
    assert ends(Transfer(GM_UB, F32, 0, (BurstLoop(1, 0, 0),)), INTEGERS) is None


def test_a_loop_that_does_not_move_is_run_once() -> None:
    assert [repetitions(n, 0, 0) for n in (0, 1, 5)] == [0, 1, 1]
    assert repetitions(5, 0, 32) == repetitions(5, 32, 0) == 5
    made = ends(Transfer(UB_GM, F32, 8, (BurstLoop(9, 0, 0), BurstLoop(2, 32, 8))), INTEGERS)
    assert made is not None
    assert made.read.loops == ((2, 32),)


def test_words_of_a_copy_say_all_of_it() -> None:
    copy = from_words(UB_GM, F32, (64, 1, 2, 3, 9, 4, 128, 256, 5, 6, 7))
    loops = BurstLoop(4, 128, 256), BurstLoop(5, 6, 7)
    assert copy == Transfer(UB_GM, F32, 64, loops, Padding(None, 2, 3, 1), 9)


def test_every_copy_says_its_path_by_its_pointers() -> None:
    """The first two operands of a copy are its source and destination."""
    for record in TABLE.values():
        spaces = [getattr(o.type, "space", None) for o in record.forms[0].operands[:2]]
        if record.path is not None:
            assert [record.path.source, record.path.target] == spaces
        elif record.group == "DMA":
            assert None in spaces or not spaces


@given(st.sets(st.integers(0, 40)), st.sampled_from([1, 2, 4, 8]))
def test_elements_are_as_few_runs_as_can_be(places: set[int], width: int) -> None:
    found = elements(sorted(place * width for place in places), width)
    assert bytes_of(found) == {p * width + b for p in places for b in range(width)}
    steps = {b - a for a, b in zip(sorted(places), sorted(places)[1:], strict=False)}
    assert len(found) <= 1 or len(steps) > 1


LOOPS = st.tuples(st.integers(1, 4), st.integers(-40, 40))


@given(
    st.integers(-60, 60),
    st.integers(0, 12),
    st.lists(LOOPS, max_size=3).map(tuple),
    st.integers(0, 80),
)
def test_the_first_row_outside_is_the_one_that_going_through_them_finds(
    at: int, length: int, loops: tuple[tuple[int, int], ...], size: int
) -> None:
    rows = (row for row in starts(loops, at) if row < 0 or row + length > size)
    assert first_outside(Bursts(0, length, loops), at, size) == next(rows, None)


def test_the_first_row_outside_is_computed_and_not_searched() -> None:
    """2**58 rows, of which the first wrong one is in the last iteration."""
    loops = ((1 << 16, 0), (1 << 21, 0), ((1 << 21) - 1, 32))
    last = 32 * ((1 << 21) - 2)
    assert first_outside(Bursts(0, 32, loops), 0, last + 32) is None
    assert first_outside(Bursts(0, 32, loops), 0, last + 31) == last
