"""Witnesses of copies: the specification's nested loops over rows of bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from ptoscope.isa.dtypes import I64
from ptoscope.isa.record import Record
from ptoscope.isa.types import Ptr, Scalar
from ptoscope.isa.types import Type as AnyType
from tests.isa.test_dma import Copy, loops
from tests.witness import atomics
from tests.witness.inputs import main, memory, random_bytes, rng
from tests.witness.machine import Case
from tests.witness.programs import always
from tests.witness.registry import Refused, State, Trial, program, witness
from tests.witness.use import Use

GM = 6144
_I64 = Scalar(I64)
_SHAPES = (
    ("nburst",),
    ("nburst", "loop"),
    ("nburst", "loop", "loop"),
    ("nburst", "loop", "loop", "pad"),
    ("nburst", "pad value"),
    ("nburst", "l2_cache_ctl", "loop"),
)


def clauses(use: Use) -> Iterator[Use]:
    """The same use with each choice of clauses."""
    known = [g.keyword for g in use.site.record.forms[use.form].groups]
    for shape in _SHAPES:
        if not {word.split()[0] for word in shape} <= set(known):
            continue
        pointer = use.site.operands[0]
        assert isinstance(pointer, Ptr)
        if "pad" in " ".join(shape) and pointer.dtype.bits < 8:
            continue
        types: list[AnyType] = []
        segments: list[tuple[str, int]] = []
        for word in shape:
            count = 1 if word in ("pad value", "l2_cache_ctl") else 3
            types += [_I64] * count
            if word.startswith("pad"):
                types[-count] = Scalar(pointer.dtype)
                segments.append(("pad", count))
            else:
                segments.append((word, count))
        yield Use(
            replace(use.site, operands=(*use.site.operands, *types), segments=tuple(segments))
        )


def _gm(seed: object) -> bytes:
    return random_bytes(GM, "gm", seed)


def _numbers(use: Use, number: int, inward: bool) -> tuple[int, int, int, list[int]]:
    """Source, destination, length and the numbers of the clauses of a copy that fits."""
    size = use.operands[0].bytes
    source, dest = (13 * size, 1024) if inward else (1024, 13 * size)
    length = (40, 32, 8, 64)[number % 4]
    row = (96, 128) if inward else (128, 96)
    numbers: list[int] = []
    rows = (3, 2, 4, 1)[number % 4]
    depth = 0
    for keyword, count in use.site.segments:
        if keyword == "pad":
            fill = rng("fill", number).getrandbits(8 * size)
            # One row without a stride: the padding ends where a block does.
            right = (32 - length // size - 3 - number) % 32 if rows == 1 else 5
            numbers += [fill, *((3 + number, right) if count == 3 else ())]
        elif keyword == "l2_cache_ctl":
            numbers.append(number % 16)
        elif depth == 0:
            numbers += [rows, row[0], row[1] if rows > 1 else 0]
            depth = 1
        else:
            far = 512 * depth
            numbers += (
                [2 if depth == 1 else 3, far + 32, far + 64]
                if inward
                else [
                    2 if depth == 1 else 3,
                    far + 64,
                    far + 32,
                ]
            )
            depth += 1
    return source, dest, length, numbers


def _inward(use: Use) -> Iterator[Case]:
    for number in range(5 if main(use) else 1):
        source, dest, length, numbers = _numbers(use, number, True)
        if number == 4:
            dest += 16
        hint = number % 4
        yield Case((source, dest, hint, length, *numbers), memory(number), _gm(number))
    source, dest, length, numbers = _numbers(use, 0, True)
    for hint in (4, -1):
        yield Case((source, dest, hint % (1 << 64), length, *numbers), memory(0), _gm(0))
    yield Case((source, dest, 0, 1 << 16, *numbers), memory(0), _gm(0))


def _outward(use: Use) -> Iterator[Case]:
    for number in range(5 if main(use) else 1):
        source, dest, length, numbers = _numbers(use, number, False)
        if number == 4:
            source += 16
        yield Case((source, dest, length, *numbers), memory(number), _gm(number))
    source, dest, length, numbers = _numbers(use, 0, False)
    yield Case((source, dest, 1 << 16, *numbers), memory(0), _gm(0))
    if use.site.segments[1:2] == (("l2_cache_ctl", 1),):
        for hint in (16, -1):
            wrong = (*numbers[:3], hint % (1 << 64), *numbers[4:])
            yield Case((source, dest, length, *wrong), memory(0), _gm(0))
    if main(use):
        yield from _atomic(use)


def _atomic(use: Use) -> Iterator[Case]:
    """Stores that update, of every type by every operation; rows that meet, the same row again,
    and addresses and lengths inside an element."""
    modes = list(product(atomics.TYPES, atomics.OPERATIONS))
    for number, (kind, operation) in enumerate(modes):
        source, _, length, numbers = _numbers(use, number, False)
        values = [(source, 64, length, *numbers)]
        if operation == "add":
            values.append((source, 64, 32, 2, 32, 0, *numbers[3:]))
            values.append((source, 64, 32, 3, 0, 0, *numbers[3:]))
            values.append((source, 66, 32, *numbers))
            values.append((source, 65, 32, *numbers))
            values.append((source, 64, 32, 2, 32, 33, *numbers[3:]))
            values.append((source, 64, 30, *numbers))
            values.append((source, 64, 0, *numbers))
        registers = {
            atomics.TYPE: atomics.TYPES[kind],
            atomics.OPERATION: atomics.OPERATIONS[operation],
        }
        ub, gm = (atomics.numbers(kind, size, (number, size)) for size in (8192, GM))
        yield from (Case(v, ub, gm, registers) for v in values)
    for registers in ({atomics.TYPE: 0, atomics.OPERATION: 2}, {atomics.TYPE: 5}):
        values = (1024, 64, 32, *_numbers(use, 0, False)[3])
        yield Case(values, memory(9), _gm(9), registers)


def _described(state: State, first: int, src: int, dst: int, length: int) -> Copy:
    """The copy that operands and clauses say; a field that does not fit is refused."""
    at, levels, pad = first, list[tuple[int, int, int]](), [0, 0, 0]
    for keyword, count in state.use.site.segments:
        values = [state.number(at + k) for k in range(count)]
        at += count
        if keyword == "pad":
            pad[:count] = values
        elif keyword == "l2_cache_ctl":
            _hinted(values[0], 4)
        else:
            levels.append((values[0], values[1], values[2]))
    if length >= 1 << 16:
        raise Refused("PTO0907")
    padded = any(k == "pad" for k, _ in state.use.site.segments)
    return Copy(src, dst, length, tuple(levels), pad[0], pad[1], pad[2], padded)


def _hinted(hint: int, bits: int) -> None:
    """Hints for L2 have 2 bits in loads and 4 in stores; they change nothing."""
    if hint >= 1 << bits:
        raise Refused("PTO0907")


@witness("pto.mte_gm_ub", inputs=_inward, variants=clauses)
def _in(state: State) -> None:
    """UB addresses are multiples of 32."""
    _hinted(state.number(2), 2)
    copy = _described(state, 4, state.number(0), state.number(1), state.number(3))
    if state.number(1) % 32:
        raise Refused("PTO0903")
    state.ub[:] = loops(copy, bytes(state.gm), bytes(state.ub), state.use.operands[0].bytes)


@witness("pto.mte_ub_gm", inputs=_outward, variants=clauses)
def _out(state: State) -> None:
    copy = _described(state, 3, state.number(0), state.number(1), state.number(2))
    if state.number(0) % 32:
        raise Refused("PTO0903")
    ub, gm = bytes(state.ub), bytes(state.gm)
    number = state.registers.get(atomics.TYPE, 0)
    if not number:
        state.gm[:] = loops(copy, ub, gm, state.use.operands[0].bytes)
        return
    kind = next(kind for kind, known in atomics.TYPES.items() if known == number)
    size = atomics.element(kind).bytes
    if copy.length == 0:
        return
    if copy.length % size:
        raise Refused("PTO0914")
    if any(n % size for n in (copy.dst, *(d for count, _, d in copy.levels if count > 1))):
        raise Refused("PTO0903")
    operations = {number: name for name, number in atomics.OPERATIONS.items()}
    operation = operations[state.registers.get(atomics.OPERATION, 0)]
    state.gm[:] = atomics.updates(copy, ub, gm, kind, operation)


# Inside UB: bursts of 32-byte blocks with gaps between them.


def _bursts(use: Use) -> Iterator[Case]:
    cases = (
        (2, 3, 1, 4),
        (1, 5, 0, 0),
        (3, 1, 9, 9),
        (1, 1, 1 << 16, 0),
        (1, 1, 0, 1 << 16),
        (1, 1, -1, 0),
        (1, 1, 0, -1),
        (1, 1, 0xFFFF, 0xFFFF),
        (4, 2, 2, 0),
        (0, 2, 1, 1),
        (-1, 1, 0, 0),
        (0xFFFF, 1, 0, 0),
        (1 << 16, 1, 0, 0),
        (1 << 59, 1, 0, 0),
    )
    for number, (length, rows, src_gap, dst_gap) in enumerate(cases if main(use) else cases[:1]):
        gaps = (src_gap % (1 << 64), dst_gap % (1 << 64))
        length %= 1 << 64
        order = (length, rows) if use.site.segments else (7, rows, length)
        yield Case((512, 4096 + 32 * number, *order, *gaps), memory(number))
    yield Case((512, 4096 + 16, *((1, 1) if use.site.segments else (7, 1, 1)), 0, 0), memory(0))


def _burst_clause(use: Use) -> tuple[Use, ...]:
    site = replace(use.site, operands=(*use.site.operands, *[_I64] * 3), segments=(("nburst", 3),))
    return (Use(site),)


def _move(state: State, length: int, rows: int, src_gap: int, dst_gap: int) -> None:
    src, dst = state.number(0), state.number(1)
    if max(length, src_gap, dst_gap) > 0xFFFF:
        raise Refused("PTO0907")
    if src % 32 or dst % 32:
        raise Refused("PTO0903")
    if 32 * length > len(state.ub):
        raise Refused("PTO0901")
    for _ in range(rows):
        state.ub[dst : dst + 32 * length] = state.ub[src : src + 32 * length]
        src += 32 * (length + src_gap)
        dst += 32 * (length + dst_gap)


@witness("pto.mte_ub_ub", inputs=_bursts, variants=_burst_clause)
def _inside(state: State) -> None:
    _move(state, *(state.number(k) for k in range(2, 6)))


@witness("pto.copy_ubuf_to_ubuf", inputs=_bursts)
def _inside_older(state: State) -> None:
    _, rows, length, src_gap, dst_gap = (state.number(k) for k in range(2, 7))
    _move(state, length, rows, src_gap, dst_gap)


# The manual's copies, whose outer loops are state.

_LOOPS = ("c1", "c2", "s1", "d1", "s2", "d2")


def _kernel(inward: bool, set_up: Sequence[str]) -> str:
    """All of UB from %before; the copy; all of UB to %after, and %there changed by a store."""
    g, u = "!pto.ptr<ui8, gm>", "!pto.ptr<ui8, ub>"
    way = "outtoub" if inward else "ubtoout"
    lines = {
        "size": f"pto.set_loop_size_{way} %c1, %c2 : i64, i64",
        "one": f"pto.set_loop1_stride_{way} %s1, %d1 : i64, i64",
        "two": f"pto.set_loop2_stride_{way} %s2, %d2 : i64, i64",
        "fill": "%fill = arith.constant -91 : i8\npto.set_mov_pad_val %fill : i8",
        "min": "pto.set_atomic_min",
        "s16": "pto.set_atomic_s16",
    }
    copy = (
        f"pto.copy_gm_to_ubuf %there, %u, %zero, %rows, %len, %left, %right, %pads, %zero, %src,"
        f" %dst : {g}, {u}, i64, i64, i64, i64, i64, i1, i64, i64, i64"
        if inward
        else f"pto.copy_ubuf_to_gm %u, %there, %zero, %rows, %len, %zero, %dst, %src"
        f" : {u}, {g}, i64, i64, i64, i64, i64, i64"
    )
    names = ("rows", "src", "dst", "len", "left", "right", *_LOOPS)
    params = "".join(f", %{name}: i64" for name in names)
    return f"""func.func @copies(%before: {g}, %there: {g}, %after: {g}{params}, %pads: i1) {{
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %all = arith.constant 8192 : i64
    %at = arith.constant 1024 : i64
    %ub = pto.castptr %zero : i64 -> {u}
    %u = pto.castptr %at : i64 -> {u}
    pto.mte_gm_ub %before, %ub, %zero, %all nburst(%one, %all, %all)
      : {g}, {u}, i64, i64, i64, i64, i64
    pto.barrier #pto.pipe<PIPE_ALL>
    {chr(10).join(lines[name] for name in set_up)}
    {copy}
    pto.set_atomic_none
    pto.barrier #pto.pipe<PIPE_ALL>
    pto.mte_ub_gm %ub, %after, %all nburst(%one, %all, %all)
      : {u}, {g}, i64, i64, i64, i64
    return
  }}
"""


@program(
    "pto.copy_gm_to_ubuf", *(f"pto.set_loop{x}_outtoub" for x in ("_size", "1_stride", "2_stride"))
)
def _manual_in(record: Record) -> Iterator[Trial]:
    yield from _manual(True)


@program(
    "pto.copy_ubuf_to_gm", *(f"pto.set_loop{x}_ubtoout" for x in ("_size", "1_stride", "2_stride"))
)
def _manual_out(record: Record) -> Iterator[Trial]:
    yield from _manual(False)
    yield _reserved()


def _reserved() -> Trial:
    """The fourth number of a store is reserved: anything but 0 is a fault."""
    text = _kernel(False, ()).replace("%len, %zero, %dst", "%len, %one, %dst")
    arrays = [np.frombuffer(data, np.uint8) for data in (memory(0), _gm(0), bytes(8192))]
    numbers = (1, 0, 0, 40, 0, 0, *(0,) * len(_LOOPS), 0)
    return always("reserved", text, (*arrays, *numbers), "PTO0910: 1, not 0", ("program",))


_ATOMIC = tuple(
    (("size", "one", "two", *settings), ((3, 544, 608), (2, 0, 0)), False)
    for settings in (("s16",), ("min",), ("min", "s16"), ("s16", "min"))
)
"""Stores that update, with a loop that stores the same again; without a type they do not."""


def _manual(inward: bool) -> Iterator[Trial]:
    everything = ("size", "one", "two")
    for number, (set_up, outer, pads) in enumerate(
        (
            (everything, ((3, 544, 608), (2, 1760, 2080)), False),
            (everything, ((2, 1760, 2080), (3, 544, 608)), True),
            ((), ((1, 0, 0), (1, 0, 0)), True),
            ((), ((1, 0, 0), (1, 0, 0)), True),
            ((), ((1, 0, 0), (1, 0, 0)), True),
            (("one", "two"), ((1, 544, 608), (1, 9, 9)), False),
            (("fill",), ((1, 0, 0), (1, 0, 0)), True),
            *(() if inward else _ATOMIC),
        )
    ):
        burst = (3, 96, 128) if inward else (3, 128, 96)
        burst = (1, 0, 0) if number in (3, 4) else burst
        before, there = memory(number), _gm(number)
        start = (0, 1024) if inward else (1024, 0)
        outer = outer if inward else tuple((c, d, s) for c, s, d in outer)
        levels = (burst, *(outer if "one" in set_up else ()))
        left, right = (5, {3: 19, 4: 20}.get(number, 7))
        fill = 0xA5 if "fill" in set_up else 0
        copy = Copy(*start, 40, levels, fill, left, right, pads and inward)
        after, far = before, there
        if inward:
            after = loops(copy, there, before, 1)
        elif "s16" in set_up:
            operation = "min" if "min" in set_up else "add"
            far = atomics.updates(copy, before, there, "s16", operation)
        else:
            far = loops(copy, before, there, 1)
        (c1, s1, d1), (c2, s2, d2) = outer
        arrays = [np.frombuffer(data, np.uint8) for data in (before, there, bytes(8192))]
        numbers = (*burst, 40, left, right, c1, c2, s1, d1, s2, d2, int(pads))
        text = _kernel(inward, set_up)
        label = f"{'in' if inward else 'out'} {number}"
        yield always(label, text, (*arrays, *numbers), [before, far, after], ("program",))
