"""Witnesses of copies to and from L1: the documents' nested loops over rows of bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from ptoscope.isa.dtypes import I64
from ptoscope.isa.types import Scalar
from tests.isa.test_dma import Copy, loops
from tests.witness.copies import GM, clauses
from tests.witness.inputs import main, memory, random_bytes
from tests.witness.machine import SECOND_UB, Case
from tests.witness.registry import Refused, State, witness
from tests.witness.use import Use

L1, FB = 8192, 4096
WIDEST = 0xFFFF
_I64 = Scalar(I64)


def content(name: str, size: int, seed: object) -> bytes:
    """Random bytes for a memory."""
    return random_bytes(size, name, seed)


def _signed(number: int) -> int:
    return number - (1 << 64) if number >> 63 else number


# From GM to L1: rows of bytes.


def _to_l1(use: Use) -> Iterator[Case]:
    size = use.operands[0].bytes
    around = [(2, 544, 640), (3, 1600, 2048)][: len(use.site.segments) - 1]
    plans = [
        (13 * size, 1024, 40, (3, 96, 128)),
        (0, 64, 32, (2, 40, 32)),
        (size, 0, 8, (4, 0, 64)),
        (0, 0, 64, (1, 0, 0)),
        (0, 0, 64, (2, 10, 0)),
        (0, 1024 + 16, 32, (1, 0, 0)),
        (0, 1024, 32, (2, 32, 48)),
        (0, 1024, 1 << 16, (1, 0, 0)),
        (0, 1024, -1, (1, 0, 0)),
        (0, 1024, 32, (1 << 16, 0, 0)),
        (0, 1024, 32, (1, 1 << 40, 0)),
        (0, 1024, 32, (1, 0, 1 << 21)),
        (0, 1024, 32, (0, 7, 32)),
        (0, L1 - 32, 64, (1, 0, 0)),
        (GM - 16, 0, 32, (1, 0, 0)),
    ]
    for number, (src, dst, length, burst) in enumerate(plans if main(use) else plans[:1]):
        rows, *steps = burst
        if use.site.segments:
            numbers = (length, *burst, *(n for loop in around for n in loop))
        else:
            numbers = (rows, length, *steps)
        numbers = tuple(n % (1 << 64) for n in numbers)
        chip = {"l1": content("l1", L1, number)}
        yield Case((src, dst, *numbers), gm=content("gm", GM, number), chip=chip)


def _rows(state: State, length: int, levels: list[tuple[int, int, int]]) -> None:
    src, dst = state.number(0), state.number(1)
    counts = [(16 if level == 0 else 21, n) for level, (n, _, _) in enumerate(levels)]
    steps = [pair for _, s, d in levels for pair in ((40, s), (21, d))]
    if any(not 0 <= n < 1 << bits for bits, n in ((16, length), *counts, *steps)):
        raise Refused("PTO0907")
    if 0 in [n for n, _, _ in levels]:
        return
    if any(n % 32 for n in (dst, *(d for count, _, d in levels if count > 1))):
        raise Refused("PTO0903")
    reach = [length + sum((n - 1) * level[k] for n, *level in levels) for k in (0, 1)]
    for start, end, size, fault in ((src, reach[0], GM, "PTO0902"), (dst, reach[1], L1, "PTO0901")):
        if start + end > size:
            raise Refused(fault)
    copy = Copy(src, dst, length, tuple(levels))
    state.chip["l1"][:] = loops(copy, bytes(state.gm), bytes(state.chip["l1"]), 1)


@witness("pto.mte_gm_l1", inputs=_to_l1, variants=clauses)
def _gm_l1(state: State) -> None:
    """Bytes; strides go from start to start; the first clause is the innermost."""
    levels = [
        (state.number(at), state.number(at + 1), state.number(at + 2))
        for at in range(3, 3 + 3 * len(state.use.site.segments), 3)
    ]
    _rows(state, state.number(2), levels)


@witness("pto.copy_gm_to_cbuf", inputs=_to_l1)
def _gm_cbuf(state: State) -> None:
    rows, length, src_step, dst_step = (state.number(k) for k in range(2, 6))
    _rows(state, length, [(rows, src_step, dst_step)])


# Fills of L1.


def _fills(use: Use) -> Iterator[Case]:
    plans = [
        (1024, 64, 0x8DC4A3B2, 3, 2, 1),
        (0, 0, 0x1234, 1, 5, 0),
        (32, 32, 0xFFFF0001, 2, 0, 4),
        (32, 32, 0x00010002, 0, 7, 1),
        (0, 16, 0x5555AAAA, 1, 1, 0),
        (16, 16, 0x5555AAAA, 1, 1, 0),
        (0, 0, 0x01020304, 1 << 15, 1, 0),
        (0, 0, 0x01020304, 1, 1 << 15, 0),
        (0, 0, 0x01020304, 1, 1, 1 << 15),
        (0, 0, 0x01020304, 1, 1, (1 << 15) - 1),
        (0, 0, 0x01020304, -1, 1, 0),
        (0, 0, 0x01020304, 2, -1, 0),
        (0, 0, 0x01020304, 2, 1, -1),
        (0, 1 << 21, 0x01020304, 1, 1, 0),
        (64, -32, 0x01020304, 1, 1, 0),
        (65, -1, 0x01020304, 1, 1, 0),
        (0, (1 << 21) - 1, 0x01020304, 0, 1, 0),
        (0, 0, 0x01020304, (1 << 15) - 1, 0, 0),
        (0, 0, 0x01020304, 0, (1 << 15) - 1, 0),
        (L1 - 64, 0, 0x01020304, 1, 2, 0),
        (L1 - 64, 0, 0x01020304, 1, 3, 0),
    ]
    for number, (dst, offset, word, *counts) in enumerate(plans if main(use) else plans[:1]):
        numbers = tuple(n % (1 << 64) for n in (offset, word, *counts))
        yield Case((dst, *numbers), chip={"l1": content("l1", L1, number)})


@witness("pto.raw_fill_l1", inputs=_fills)
def _fill(state: State) -> None:
    """Blocks of 32 bytes, so many in a repetition, and a gap of blocks after each."""
    dst, offset, word, times, blocks, gap = (state.number(k) for k in range(6))
    width = int(state.use.attr("fill_word_bits")) // 8
    if max(times, blocks, gap) >= 1 << 15 or offset >= 1 << 21:
        raise Refused("PTO0907")
    at, l1 = dst + offset, state.chip["l1"]
    if not times * blocks:
        return
    if at % 32:
        raise Refused("PTO0903")
    if at + 32 * ((times - 1) * (blocks + gap) + blocks) > L1:
        raise Refused("PTO0901")
    row = (word % (1 << 8 * width)).to_bytes(width, "little") * (32 * blocks // width)
    for repetition in range(times):
        start = at + 32 * repetition * (blocks + gap)
        l1[start : start + len(row)] = row


# Bursts of units with gaps after them: from L1 to UB and FB, and back.


def _bursts(use: Use) -> Iterator[Case]:
    clause = bool(use.site.segments)
    plans = [
        (2, 3, 1, 4),
        (1, 5, 0, 0),
        (3, 1, 9, 9),
        (4, 2, 2, 0),
        (0, 2, 1, 1),
        (1, 0, 1, 1),
        (1, 1, WIDEST, WIDEST),
        (1, 1, WIDEST + 1, 0),
        (1, 1, 0, WIDEST + 1),
        (1, 1, -1, 0),
        (1, 1, 0, -1),
        (1, -1, 0, 0),
        (1, WIDEST + 1, 0, 0),
        (WIDEST, 1, 0, 0),
        (WIDEST + 1, 1, 0, 0),
        (-1, 1, 0, 0),
        (1 << 59, 1, 0, 0),
    ]
    loops_around = [2, 1024, 1536, 3, 544, 2048][: 3 * max(0, len(use.site.segments) - 1)]
    starts = [(512, 1024 + 64 * number) for number in range(len(plans))]
    more = [((512 + 16, 1024), plans[0]), ((512, 1024 + 16), plans[0]), ((0, L1), plans[0])]
    cases = [*zip(starts, plans, strict=True), *more]
    for number, (start, plan) in enumerate(cases if main(use) else cases[:1]):
        length, rows, *gaps = (n % (1 << 64) for n in plan)
        # The older spelling has a stream before rows and length.
        numbers = (length, rows) if clause else (number % 2, rows, length)
        yield Case((*start, *numbers, *gaps, *loops_around), memory(number), chip=_chip(number))
    if not clause:
        for stream in (2, 7, (1 << 64) - 1):
            yield Case((512, 1024, stream, 1, 1, 0, 0), memory(0), chip=_chip(0))


def _chip(seed: int) -> dict[str, bytes]:
    return {
        "l1": content("l1", L1, seed),
        "fb": content("fb", FB, seed),
        SECOND_UB: content("second", L1, seed),
    }


def _units(
    state: State,
    source: bytearray,
    target: bytearray,
    counts: tuple[int, int, int, int],
    unit: int = 32,
    around: Sequence[tuple[int, int, int]] = (),
    begin: int | None = None,
) -> None:
    """Length, bursts and gaps in units, and loops of bytes from start to start around it."""
    length, rows, src_gap, dst_gap = counts
    if max(length, rows, src_gap, dst_gap) > WIDEST:
        raise Refused("PTO0907")
    src, dst = state.number(0), state.number(1) if begin is None else begin
    if 0 in (length, rows):
        return
    if src % 32 or dst % 32:
        raise Refused("PTO0903")
    for start, gap, side, where in ((src, src_gap, 1, source), (dst, dst_gap, 2, target)):
        reach = unit * ((rows - 1) * (length + gap) + length)
        if start + reach + sum((loop[0] - 1) * loop[side] for loop in around) > len(where):
            raise Refused("PTO0901")
    for index in product(*(range(count) for count, _, _ in around), range(rows)):
        *outer, row = index
        read, write = (
            start
            + unit * row * (length + gap)
            + sum(i * o[k] for i, o in zip(outer, around, strict=True))
            for start, gap, k in ((src, src_gap, 1), (dst, dst_gap, 2))
        )
        target[write : write + unit * length] = source[read : read + unit * length]


def _clause(state: State) -> tuple[int, int, int, int]:
    length, rows, src_gap, dst_gap = (state.number(k) for k in range(2, 6))
    return length, rows, src_gap, dst_gap


def _older(state: State) -> tuple[int, int, int, int]:
    rows, length, src_gap, dst_gap = (state.number(k) for k in range(3, 7))
    return length, rows, src_gap, dst_gap


def _one_clause(use: Use) -> tuple[Use, ...]:
    site = replace(use.site, operands=(*use.site.operands, *[_I64] * 3), segments=(("nburst", 3),))
    return (Use(site),)


@witness("pto.mte_l1_ub", inputs=_bursts, variants=clauses)
def _l1_ub(state: State) -> None:
    """To the UB of vector core 0."""
    around = [
        (state.number(at), state.number(at + 1), state.number(at + 2))
        for at in range(6, len(state.values), 3)
    ]
    _units(state, state.chip["l1"], state.ub, _clause(state), around=around)


@witness("pto.copy_cbuf_to_ubuf", inputs=_bursts)
def _cbuf_ubuf(state: State) -> None:
    """The stream is the vector core whose UB it is."""
    core = state.number(2)
    if core > 1:
        raise Refused("PTO0910")
    target = state.chip[SECOND_UB] if core else state.ub
    _units(state, state.chip["l1"], target, _older(state))


@witness("pto.mte_ub_l1", inputs=_bursts, variants=_one_clause)
def _ub_l1(state: State) -> None:
    _units(state, state.ub, state.chip["l1"], _clause(state))


@witness("pto.copy_ubuf_to_cbuf", inputs=_bursts)
def _ubuf_cbuf(state: State) -> None:
    """The stream says nothing."""
    _units(state, state.ub, state.chip["l1"], _older(state))


def _parameters(use: Use) -> Iterator[Case]:
    yield from _bursts(use)
    for number, dst in enumerate((0x10000, 0x10040, 0x10000 + FB // 2, 0x20000, 0x1FFC0)):
        yield Case((512, dst, 2, 3, 1, 0), memory(number), chip=_chip(number))


@witness("pto.mte_l1_fb", inputs=_parameters, variants=_one_clause)
def _l1_fb(state: State) -> None:
    """Units of 64 bytes, at addresses of 32; from 0x10000 on those of the second half."""
    dst, half = state.number(1), {"a2a3": 1024}.get(state.use.target, 2048)
    begin = dst - 0x10000 + half if 0x10000 <= dst < 0x20000 else dst
    _units(state, state.chip["l1"], state.chip["fb"], _clause(state), unit=64, begin=begin)
