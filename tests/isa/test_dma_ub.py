"""Copies inside UB, in both spellings, against the loop over bursts of 32-byte blocks."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import ptoscope
from ptoscope import Diagnostic, PtoError
from tests.isa.elements import Element
from tests.isa.memory import SIZE, TARGETS, UB_BYTES, memory, of_width

SPELLINGS = ("mte_ub_ub", "copy_ubuf_to_ubuf")
spellings = pytest.mark.parametrize("op", SPELLINGS)


@cache
def _kernel(op: str, name: str = "ui8", target: str = "a5", revision: str = "manual") -> Any:
    p = f"!pto.ptr<{name}, ub>"
    copies = {
        "mte_ub_ub": f"""pto.mte_ub_ub %from, %to, %len nburst(%n, %src_gap, %dst_gap)
      : {p}, {p}, i64, i64, i64, i64""",
        "copy_ubuf_to_ubuf": f"""pto.copy_ubuf_to_ubuf %from, %to, %zero, %n, %len, %src_gap,
      %dst_gap : {p}, {p}, i64, i64, i64, i64, i64""",
    }
    return ptoscope.load(
        f"""module {{
  func.func @copy(%tile: !pto.ptr<ui8, gm>, %src: i64, %dst: i64, %len: i64, %n: i64,
      %src_gap: i64, %dst_gap: i64) {{
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %size = arith.constant {SIZE} : i64
    %ub = pto.castptr %zero : i64 -> !pto.ptr<ui8, ub>
    %from = pto.castptr %src : i64 -> {p}
    %to = pto.castptr %dst : i64 -> {p}
    pto.mte_gm_ub %tile, %ub, %zero, %size nburst(%one, %size, %size)
      : !pto.ptr<ui8, gm>, !pto.ptr<ui8, ub>, i64, i64, i64, i64, i64
    pto.barrier #pto.pipe<PIPE_ALL>
    {copies[op]}
    pto.barrier #pto.pipe<PIPE_ALL>
    pto.mte_ub_gm %ub, %tile, %size nburst(%one, %size, %size)
      : !pto.ptr<ui8, ub>, !pto.ptr<ui8, gm>, i64, i64, i64, i64
    return
  }}
}}
""",
        target=target,
        revision=revision,
    )


Copy = tuple[int, int, int, int, int, int]
"""Source and destination in bytes; blocks in a burst, bursts, and blocks between them."""


def _run(move: Any, before: bytes, copy: Copy) -> bytes:
    tile = np.frombuffer(before, np.uint8).copy()
    move(tile, *copy)
    return tile.tobytes()


def _fault(move: Any, *copy: int) -> Diagnostic:
    with pytest.raises(PtoError) as error:
        move(np.zeros(SIZE, np.uint8), *copy)
    (diagnostic,) = error.value.diagnostics
    return diagnostic


def _copied(before: bytes, copy: Copy) -> bytes:
    """The next burst starts (length + gap) * 32 bytes after this one."""
    src, dst, length, bursts, src_gap, dst_gap = copy
    after = bytearray(before)
    for _ in range(bursts):
        after[dst : dst + 32 * length] = after[src : src + 32 * length]
        src += (length + src_gap) * 32
        dst += (length + dst_gap) * 32
    return bytes(after)


COPIES: list[Copy] = [
    (0, 4096, 1, 1, 0, 0),
    (64, 4096, 3, 5, 2, 0),
    (96, 4096, 2, 7, 0, 3),
    (0, 2048, 4, 6, 5, 1),
    (4096, 0, 16, 4, 0, 8),
    (32, 4096, 128, 1, 9, 9),
    (0, 4096, 0, 5, 1, 1),
    (0, 4096, 5, 0, 1, 1),
]


@pytest.mark.parametrize("target", TARGETS)
@spellings
def test_bursts(op: str, target: str) -> None:
    for seed, name in enumerate(of_width(0, target)):
        before = memory(seed)
        move = _kernel(op, name, target, ("manual", "micro")[seed % 2])
        for copy in COPIES if Element(name).bits == 8 else COPIES[:4]:
            assert _run(move, before, copy) == _copied(before, copy), (name, copy)


@st.composite
def _copies(draw: st.DrawFn) -> Copy:
    """A copy within the tile."""
    length, bursts = draw(st.integers(1, 8)), draw(st.integers(1, 6))
    src_gap, dst_gap = draw(st.integers(0, 6)), draw(st.integers(0, 6))

    def start(gap: int) -> int:
        last = SIZE // 32 - (length + gap) * (bursts - 1) - length
        return 32 * draw(st.integers(0, last))

    return start(src_gap), start(dst_gap), length, bursts, src_gap, dst_gap


@spellings
@given(copy=_copies(), seed=st.integers(0, 99))
@settings(max_examples=80, deadline=None)
def test_any_copy(op: str, copy: Copy, seed: int) -> None:
    """Bursts happen in order: a later one reads what an earlier one wrote."""
    src, dst, length, bursts, src_gap, dst_gap = copy
    for r in range(bursts):
        at, to = src + r * (length + src_gap) * 32, dst + r * (length + dst_gap) * 32
        # No document gives the order of blocks inside one burst.
        assume(not at < to < at + 32 * length)
    before = memory(seed)
    assert _run(_kernel(op), before, copy) == _copied(before, copy)


@spellings
def test_overlapping_bursts_repeat_a_block(op: str) -> None:
    """One block to the next, seven times: the first fills all of them."""
    before = memory(1)
    found = _run(_kernel(op), before, (0, 32, 1, 7, 0, 0))
    assert found == before[:32] * 8 + before[256:]


@spellings
@pytest.mark.parametrize("target", TARGETS)
def test_faults(op: str, target: str) -> None:
    move = _kernel(op, "f32", target)
    end = UB_BYTES[target]
    zeros = np.zeros(SIZE, np.uint8)
    move(zeros, end - 64, 0, 2, 1, 0, 0)
    move(zeros, 0, end - 160, 1, 3, 7, 1)
    for src, dst in ((end - 32, 0), (0, end - 32), (-32, 0), (0, -32)):
        assert _fault(move, src, dst, 2, 1, 0, 0).code == "PTO0901"
    assert _fault(move, 0, end - 160, 1, 3, 0, 2).code == "PTO0901"
    for src, dst in ((4, 0), (0, 16), (1, 1)):
        assert _fault(move, src, dst, 1, 1, 0, 0).code == "PTO0903"


@spellings
@pytest.mark.parametrize("field", range(4))
def test_fields_have_16_bits(op: str, field: int) -> None:
    """Length, count and both gaps."""
    move = _kernel(op)
    fields = [0, 0, 0, 0]
    for wrong in (-1, 1 << 16):
        fields[field] = wrong
        assert _fault(move, 0, 0, *fields).code == "PTO0907"
    fields[field] = (1 << 16) - 1
    move(np.zeros(SIZE, np.uint8), 0, 0, *fields)
