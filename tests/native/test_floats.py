"""What LLVM calls where a processor lacks an instruction, and the processor's own state."""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ptoscope
from ptoscope.native import jit
from ptoscope.native.runtime import floats

ADD = Path(__file__).parents[2] / "examples" / "vector_add.pto"
F32 = [0.0, 2**-149, 3 * 2**-149, 2**-126, 2**-126 - 2**-149, 2796203 * 2**-23, 1.0, 3.5]
F32 += [1 + 2**-23, 2**12 + 1.0, 2**23 - 0.5, 2**23 + 1.0, 2.0**100, (2 - 2**-23) * 2.0**127]
EDGES = [sign * x for x in (*F32, math.inf, math.nan) for sign in (1, -1)]

# Halves are passed as their bits: ctypes has none.
_DOORS = """
define float @widened(i16 %x) {
  %half = bitcast i16 %x to half
  %result = call float @__extendhfsf2(half %half)
  ret float %result
}
define i16 @narrowed(float %x) {
  %half = call half @__truncsfhf2(float %x)
  %result = bitcast half %half to i16
  ret i16 %result
}
"""


@pytest.fixture(scope="module")
def called() -> Callable[..., Any]:
    """Calls a function by its name, with the types of its result and of what it takes."""
    names = (*floats.NAMES, "widened", "narrowed")
    library = jit.linked((jit.optimised(floats.text() + _DOORS),), names, {})
    return lambda name, *kinds: ctypes.CFUNCTYPE(*kinds)(library[name])


def _raw(x: float) -> int:
    return struct.unpack("<I", struct.pack("<f", x))[0]


def _same(found: float, expected: float) -> bool:
    if math.isnan(expected):
        return math.isnan(found)
    return found == expected and math.copysign(1, found) == math.copysign(1, expected)


def test_every_half_is_widened(called: Callable[..., Any]) -> None:
    widened = called("widened", ctypes.c_float, ctypes.c_uint16)
    for raw in range(1 << 16):
        (expected,) = struct.unpack("<e", struct.pack("<H", raw))
        assert _same(widened(raw), expected), hex(raw)
    assert _raw(widened(0x7E00)) == 0x7FC00000


def test_numbers_around_every_half_are_narrowed(called: Callable[..., Any]) -> None:
    """Each half, what lies halfway to the next one, and the f32 on both sides of that."""
    narrowed = called("narrowed", ctypes.c_uint16, ctypes.c_float)
    for raw in range(0x7C00):
        (here,) = struct.unpack("<e", struct.pack("<H", raw))
        # Behind the largest half the next would be 2**16, which is infinity's place.
        following = 2.0**16 if raw == 0x7BFF else struct.unpack("<e", struct.pack("<H", raw + 1))[0]
        middle = np.float32((here + following) / 2)
        below, above = (float(np.nextafter(middle, np.float32(x))) for x in (0, 1e9))
        even = raw if raw % 2 == 0 else raw + 1
        for number, expected in ((here, raw), (below, raw), (middle, even), (above, raw + 1)):
            assert narrowed(number) == expected, (hex(raw), number)
            assert narrowed(-number) == expected | 0x8000, (hex(raw), -number)
    for number, expected in ((1e30, 0x7C00), (math.inf, 0x7C00), (-math.inf, 0xFC00)):
        assert narrowed(number) == expected
    assert narrowed(math.nan) == 0x7E00


def test_a_product_and_a_sum_are_rounded_once(called: Callable[..., Any]) -> None:
    fused = called("fmaf", *[ctypes.c_float] * 4)
    for x, y, z in product(EDGES, repeat=3):
        plain = x * y + z
        if math.isfinite(x) and math.isfinite(y) and math.isfinite(z):
            exact = Fraction(x) * Fraction(y) + Fraction(z)
            expected = _nearest(exact) if exact else plain
        else:
            expected = plain
        assert _same(fused(x, y, z), expected), (x, y, z)


def _nearest(exact: Fraction) -> float:
    """The f32 nearest to a number; of two the even one."""
    size = abs(exact)
    exponent = size.numerator.bit_length() - size.denominator.bit_length() - 1
    exponent += size >= Fraction(2) ** (exponent + 1)
    unit = Fraction(2) ** (max(exponent, -126) - 23)
    found = round(size / unit) * unit
    value = math.inf if found >= 2**128 else float(found)
    return value if exact > 0 else -value


@pytest.mark.parametrize("kind", [ctypes.c_float, ctypes.c_double], ids=["f32", "f64"])
def test_numbers_become_whole(called: Callable[..., Any], kind: Any) -> None:
    letter = "f" if kind is ctypes.c_float else ""
    numbers = [*EDGES, *(i / 4 for i in range(-40, 41)), 2.0**22 + 0.5, 2.0**52 - 0.5, 2.0**52 + 1]
    for number in (kind(x).value for x in numbers):
        for name, whole in (("roundeven", round), ("floor", math.floor)):
            expected = float(whole(number)) if math.isfinite(number) else number
            expected = math.copysign(expected, number) if expected == 0 else expected
            assert _same(called(name + letter, kind, kind)(number), expected), (name, number)


_SET_X86 = """
declare void @llvm.x86.sse.stmxcsr(ptr)
declare void @llvm.x86.sse.ldmxcsr(ptr)
define i64 @state() {
  %at = alloca i64
  store i64 0, ptr %at
  call void @llvm.x86.sse.stmxcsr(ptr %at)
  %found = load i64, ptr %at
  ret i64 %found
}
define void @set(i64 %state) {
  %at = alloca i64
  store i64 %state, ptr %at
  call void @llvm.x86.sse.ldmxcsr(ptr %at)
  ret void
}
"""
_SET_ARM = """
declare i64 @llvm.aarch64.get.fpcr()
declare void @llvm.aarch64.set.fpcr(i64)
define i64 @state() {
  %found = call i64 @llvm.aarch64.get.fpcr()
  ret i64 %found
}
define void @set(i64 %state) {
  call void @llvm.aarch64.set.fpcr(i64 %state)
  ret void
}
"""
_STATES = {
    # Denormals are zero and become zero; rounding towards zero.
    "x86_64": (_SET_X86, (0x8040, 0x6000)),
    "aarch64": (_SET_ARM, (1 << 24, 3 << 22)),
}


@pytest.fixture(params=[0, 1], ids=["denormals off", "towards zero"])
def disturbed(request: pytest.FixtureRequest) -> Iterator[Callable[[], int]]:
    """What gives the state of this thread's floats, which somebody has changed."""
    text, states = _STATES[jit.host().architecture]
    library = jit.linked((jit.optimised(text),), ("state", "set"), {})
    state = ctypes.CFUNCTYPE(ctypes.c_int64)(library["state"])
    change = ctypes.CFUNCTYPE(None, ctypes.c_int64)(library["set"])
    before = state()
    change(before | states[request.param])
    yield state
    change(before)


def test_what_a_library_did_to_floats_changes_nothing(disturbed: Callable[[], int]) -> None:
    """Neither the results of a kernel, nor what the library finds afterwards."""
    kernel = ptoscope.load(ADD)
    tiny, one = np.array([1, 0x3F800000, 3], "u4").view("f4"), np.array([2, 0x33C00000, 4], "u4")
    out = np.zeros(3, "f4")
    before = disturbed()
    kernel(tiny, one.view("f4"), out, 3, engine="native")
    # 1 + 1.5 * 2**-24 is nearer to the number behind 1.
    assert out.view("u4").tolist() == [3, 0x3F800001, 7]
    # Exceptions that were seen stay seen (the lowest bits, on x86).
    assert disturbed() | 0x3F == before | 0x3F
