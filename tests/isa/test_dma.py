"""DMA in both spellings against the nested loops of the micro specification."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ptoscope

GM, UB = 6000, 8192
BEFORE = bytes((i * 7 + i // 256) % 251 for i in range(UB))
SOURCE = bytes((i * 13 + i // 97) % 253 for i in range(GM))

Triple = tuple[int, int, int]
"""Count, source stride, destination stride, in bytes."""


@dataclass(frozen=True)
class Copy:
    """What one transfer is told: the first level is nburst, the others loops around it."""

    src: int
    dst: int
    length: int
    levels: tuple[Triple, ...]
    pad: int = 0
    left: int = 0
    right: int = 0
    padded: bool = False


def loops(copy: Copy, source: bytes, target: bytes, size: int) -> bytes:
    """The specification's loops. A padded row of UB is: left elements, the data, right
    elements, then fill up to the row stride; `size` is that of an element."""
    out = bytearray(target)
    fill = copy.pad.to_bytes(size, "little")
    (rows, src_stride, dst_stride), *outer = copy.levels
    for index in product(*(range(count) for count, _, _ in reversed(outer))):
        steps = list(zip(reversed(index), outer, strict=True))
        src_base = copy.src + sum(i * s for i, (_, s, _) in steps)
        dst_base = copy.dst + sum(i * d for i, (_, _, d) in steps)
        for r in range(rows):
            data = source[src_base + r * src_stride :][: copy.length]
            at = dst_base + r * dst_stride
            if copy.padded:
                row = fill * copy.left + data + fill * copy.right
                row += fill * (max(0, dst_stride - len(row)) // size)
                row += fill * (-len(row) % 32 // size)
            else:
                row = data
            out[at : at + len(row)] = row
    return bytes(out)


_TYPES = {1: "ui8", 2: "i16", 4: "f32"}


@cache
def _load_kernel(size: int, outer: int, padded: str, target: str) -> Any:
    """mte_gm_ub into a UB that holds known bytes, then all of UB to GM."""
    t = _TYPES[size]
    params = "".join(f", %c{i}: i64, %s{i}: i64, %d{i}: i64" for i in range(outer + 1))
    clauses = "nburst(%c0, %s0, %d0)"
    types = ", i64, i64, i64"
    for i in range(1, outer + 1):
        clauses += f" loop(%c{i}, %s{i}, %d{i})"
        types += ", loop i64, i64, i64"
    if padded:
        clauses += " pad(%fill)" if padded == "value" else " pad(%fill, %left, %right)"
        types += f", pad i{8 * size}" + (", i64, i64" if padded == "counts" else "")
    return ptoscope.load(
        f"""module {{
  func.func @copy(%in: !pto.ptr<{t}, gm>, %before: !pto.ptr<{t}, gm>, %out: !pto.ptr<{t}, gm>,
      %src: i64, %dst: i64, %len: i64, %fill: i{8 * size}, %left: i64, %right: i64{params}) {{
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %ub_size = arith.constant {UB} : i64
    %ub = pto.castptr %zero : i64 -> !pto.ptr<{t}, ub>
    %to = pto.castptr %dst : i64 -> !pto.ptr<{t}, ub>
    %offset = arith.index_cast %src : i64 to index
    %bytes = pto.castptr %in : !pto.ptr<{t}, gm> -> !pto.ptr<ui8, gm>
    %from8 = pto.addptr %bytes, %offset : !pto.ptr<ui8, gm> -> !pto.ptr<ui8, gm>
    %from = pto.castptr %from8 : !pto.ptr<ui8, gm> -> !pto.ptr<{t}, gm>
    pto.mte_gm_ub %before, %ub, %zero, %ub_size nburst(%one, %ub_size, %ub_size)
      : !pto.ptr<{t}, gm>, !pto.ptr<{t}, ub>, i64, i64, i64, i64, i64
    pto.pipe_barrier "PIPE_MTE2"
    pto.mte_gm_ub %from, %to, %zero, %len {clauses}
      : !pto.ptr<{t}, gm>, !pto.ptr<{t}, ub>, i64, i64{types}
    pto.set_flag["PIPE_MTE2", "PIPE_MTE3", "EVENT_ID0"]
    pto.wait_flag["PIPE_MTE2", "PIPE_MTE3", "EVENT_ID0"]
    pto.mte_ub_gm %ub, %out, %ub_size nburst(%one, %ub_size, %ub_size)
      : !pto.ptr<{t}, ub>, !pto.ptr<{t}, gm>, i64, i64, i64, i64
    return
  }}
}}
""",
        target=target,
    )


def _typed(data: bytes, size: int) -> Any:
    return np.frombuffer(data, {1: "uint8", 2: "int16", 4: "float32"}[size])


def _run_load(copy: Copy, size: int, padded: str, target: str = "a5") -> bytes:
    out = np.zeros(UB, np.uint8)
    flat = [n for level in copy.levels for n in level]
    _load_kernel(size, len(copy.levels) - 1, padded, target)(
        _typed(SOURCE, size),
        _typed(BEFORE, size),
        out.view(_typed(b"", size).dtype),
        copy.src,
        copy.dst,
        copy.length,
        copy.pad,
        copy.left,
        copy.right,
        *flat,
    )
    return out.tobytes()


@st.composite
def copies(draw: st.DrawFn, outer: int, size: int = 1, padded: str = "", ub_first: bool = False):
    """A transfer that stays inside both memories; strides in UB are multiples of 32."""
    length = draw(st.integers(0, 100 // size)) * size
    left, right = (draw(st.integers(0, 12)) for _ in range(2)) if padded == "counts" else (0, 0)
    row = -(-(length + (left + right) * size) // 32) * 32
    levels: list[Triple] = []
    gm_left, ub_left = GM - 200, UB - max(row, 32)
    for _ in range(outer + 1):
        count = draw(st.integers(0, 4))
        steps = max(count - 1, 1)
        gm = draw(st.integers(0, gm_left // steps // 3))
        low = row // 32 if padded and not levels else 0
        ub = 32 * draw(st.integers(low, max(low, ub_left // steps // 96)))
        gm_left -= gm * (count - 1) if count else 0
        ub_left -= ub * (count - 1) if count else 0
        levels.append((count, ub, gm) if ub_first else (count, gm, ub))
    if ub_left < 0:
        levels, ub_left = [(1, 0, 0)] * (outer + 1), 0
    if padded and levels[0][2] > ub_left:
        ub_left = levels[0][2]
    gm_at = draw(st.integers(0, max(0, min(gm_left, 500))))
    ub_at = 32 * draw(st.integers(0, max(0, ub_left - levels[0][2]) // 32))
    src, dst = (ub_at, gm_at) if ub_first else (gm_at, ub_at)
    pad = draw(st.integers(0, (1 << 8 * size) - 1)) if padded else 0
    return Copy(src, dst, length, tuple(levels), pad, left, right, bool(padded))


@pytest.mark.parametrize("outer", [0, 1, 2, 3])
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_grouped_load(outer: int, data: st.DataObject) -> None:
    copy = data.draw(copies(outer))
    assert _run_load(copy, 1, "") == loops(copy, SOURCE, BEFORE, 1)


@pytest.mark.parametrize("size", [1, 2, 4])
@pytest.mark.parametrize("padded", ["value", "counts"])
@pytest.mark.parametrize("outer", [0, 1, 2])
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_grouped_load_with_padding(outer: int, padded: str, size: int, data: st.DataObject) -> None:
    copy = data.draw(copies(outer, size, padded))
    assert _run_load(copy, size, padded) == loops(copy, SOURCE, BEFORE, size)


def test_the_specification_pads_100_columns_to_128() -> None:
    """Its example: rows of 200 bytes become rows of 256, the rest filled."""
    copy = Copy(0, 0, 200, ((20, 200, 256),), pad=0xABCD, padded=True)
    found = _run_load(copy, 2, "value")
    for row in range(20):
        at = row * 256
        assert found[at : at + 200] == SOURCE[row * 200 :][:200]
        assert found[at + 200 : at + 256] == b"\xcd\xab" * 28
    assert found[20 * 256 :] == BEFORE[20 * 256 :]


@cache
def _store_kernel(outer: int, target: str) -> Any:
    params = "".join(f", %c{i}: i64, %s{i}: i64, %d{i}: i64" for i in range(outer + 1))
    clauses, types = "nburst(%c0, %s0, %d0)", ", i64, i64, i64"
    for i in range(1, outer + 1):
        clauses += f" loop(%c{i}, %s{i}, %d{i})"
        types += ", loop i64, i64, i64"
    return ptoscope.load(
        f"""module {{
  func.func @copy(%before: !pto.ptr<ui8, gm>, %out: !pto.ptr<ui8, gm>, %src: i64, %dst: index,
      %len: i64{params}) {{
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %ub_size = arith.constant {UB} : i64
    %ub = pto.castptr %zero : i64 -> !pto.ptr<ui8, ub>
    %from = pto.castptr %src : i64 -> !pto.ptr<ui8, ub>
    %to = pto.addptr %out, %dst : !pto.ptr<ui8, gm> -> !pto.ptr<ui8, gm>
    pto.mte_gm_ub %before, %ub, %zero, %ub_size nburst(%one, %ub_size, %ub_size)
      : !pto.ptr<ui8, gm>, !pto.ptr<ui8, ub>, i64, i64, i64, i64, i64
    pto.set_flag["PIPE_MTE2", "PIPE_MTE3", "EVENT_ID0"]
    pto.wait_flag["PIPE_MTE2", "PIPE_MTE3", "EVENT_ID0"]
    pto.mte_ub_gm %from, %to, %len {clauses}
      : !pto.ptr<ui8, ub>, !pto.ptr<ui8, gm>, i64{types}
    return
  }}
}}
""",
        target=target,
    )


@pytest.mark.parametrize("outer", [0, 1, 2, 3])
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_grouped_store(outer: int, data: st.DataObject) -> None:
    copy = data.draw(copies(outer, ub_first=True))
    out = np.frombuffer(SOURCE, np.uint8).copy()
    flat = [n for level in copy.levels for n in level]
    _store_kernel(outer, "a5")(
        np.frombuffer(BEFORE, np.uint8), out, copy.src, copy.dst, copy.length, *flat
    )
    assert out.tobytes() == loops(copy, BEFORE, SOURCE, 1)


def _state(direction: str) -> str:
    """The set_loop instructions: sizes of loop 1 and 2, then their byte steps."""
    return f"""pto.set_loop_size_{direction} %c1, %c2 : i64, i64
    pto.set_loop1_stride_{direction} %s1, %d1 : i64, i64
    pto.set_loop2_stride_{direction} %s2, %d2 : i64, i64"""


@cache
def _manual_kernel(direction: str) -> Any:
    """The manual's spelling: loops as state, then the copy."""
    levels = ", ".join(f"%c{i}: i64, %s{i}: i64, %d{i}: i64" for i in range(3))
    if direction == "outtoub":
        gm_at, ub_at = "%src", "%dst"
        copy = """pto.copy_gm_to_ubuf %gm, %at, %zero, %c0, %len, %left, %right, %select,
      %zero, %s0, %d0
      : !pto.ptr<ui8, gm>, !pto.ptr<ui8, ub>, i64, i64, i64, i64, i64, i1, i64, i64, i64"""
        after = """pto.set_flag["PIPE_MTE2", "PIPE_MTE3", "EVENT_ID0"]
    pto.wait_flag["PIPE_MTE2", "PIPE_MTE3", "EVENT_ID0"]
    pto.copy_ubuf_to_gm %ub, %out, %zero, %one, %ub_size, %zero, %ub_size, %ub_size
      : !pto.ptr<ui8, ub>, !pto.ptr<ui8, gm>, i64, i64, i64, i64, i64, i64"""
    else:
        gm_at, ub_at = "%dst", "%src"
        copy = """pto.set_flag["PIPE_MTE2", "PIPE_MTE3", "EVENT_ID0"]
    pto.wait_flag["PIPE_MTE2", "PIPE_MTE3", "EVENT_ID0"]
    pto.copy_ubuf_to_gm %at, %gm, %zero, %c0, %len, %zero, %d0, %s0
      : !pto.ptr<ui8, ub>, !pto.ptr<ui8, gm>, i64, i64, i64, i64, i64, i64"""
        after = ""
    base = "%in" if direction == "outtoub" else "%out"
    return ptoscope.load(
        f"""module {{
  func.func @copy(%in: !pto.ptr<ui8, gm>, %before: !pto.ptr<ui8, gm>, %out: !pto.ptr<ui8, gm>,
      %src: i64, %dst: i64, %len: i64, %left: i64, %right: i64, %select: i1, {levels}) {{
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %no = arith.constant false
    %ub_size = arith.constant {UB} : i64
    %ub = pto.castptr %zero : i64 -> !pto.ptr<ui8, ub>
    %at = pto.castptr {ub_at} : i64 -> !pto.ptr<ui8, ub>
    %gm = pto.addptr {base}, {gm_at} : !pto.ptr<ui8, gm> -> !pto.ptr<ui8, gm>
    pto.copy_gm_to_ubuf %before, %ub, %zero, %one, %ub_size, %zero, %zero, %no, %zero, %ub_size,
      %ub_size
      : !pto.ptr<ui8, gm>, !pto.ptr<ui8, ub>, i64, i64, i64, i64, i64, i1, i64, i64, i64
    pto.pipe_barrier "PIPE_MTE2"
    {_state(direction)}
    {copy}
    {after}
    return
  }}
}}
"""
    )


@given(copies(2))
@settings(max_examples=80, deadline=None)
def test_manual_load(copy: Copy) -> None:
    """Without selection the padding counts mean nothing."""
    out = np.zeros(UB, np.uint8)
    flat = [n for level in copy.levels for n in level]
    arrays = (np.frombuffer(SOURCE, np.uint8), np.frombuffer(BEFORE, np.uint8), out)
    _manual_kernel("outtoub")(*arrays, copy.src, copy.dst, copy.length, 3, 5, False, *flat)
    assert out.tobytes() == loops(copy, SOURCE, BEFORE, 1)


@given(copies(2, 1, "counts"))
@settings(max_examples=80, deadline=None)
def test_manual_load_with_padding(copy: Copy) -> None:
    """Selected padding is zero: the manual names no value."""
    zero = Copy(copy.src, copy.dst, copy.length, copy.levels, 0, copy.left, copy.right, True)
    out = np.zeros(UB, np.uint8)
    flat = [n for level in copy.levels for n in level]
    arrays = (np.frombuffer(SOURCE, np.uint8), np.frombuffer(BEFORE, np.uint8), out)
    counts = (copy.left, copy.right, True)
    _manual_kernel("outtoub")(*arrays, copy.src, copy.dst, copy.length, *counts, *flat)
    assert out.tobytes() == loops(zero, SOURCE, BEFORE, 1)


@given(copies(2, ub_first=True))
@settings(max_examples=80, deadline=None)
def test_manual_store(copy: Copy) -> None:
    out = np.frombuffer(SOURCE, np.uint8).copy()
    flat = [n for level in copy.levels for n in level]
    arrays = (np.zeros(1, np.uint8), np.frombuffer(BEFORE, np.uint8), out)
    _manual_kernel("ubtoout")(*arrays, copy.src, copy.dst, copy.length, 0, 0, False, *flat)
    assert out.tobytes() == loops(copy, BEFORE, SOURCE, 1)
