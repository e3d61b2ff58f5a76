"""The predicate store document: its SSA example, its syntax in every level, its rules."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptoscope
from tests.documents.harness import LANES, floats, run

EXAMPLE = """\
%mask = pto.vcmp %v0, %v1, %seed, "lt" : !pto.vreg<64xf32>, !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.mask<b32>
pto.pst %mask, %ub_base, %slot, "NORM" : !pto.mask<G>, !pto.ptr<i64, ub>, i32
"""  # noqa: E501
# The blanks are the distribution and the granularity.
SSA = """\
pto.pst %mask, %ub_ptr, %areg, "DIST" : !pto.mask<G>, !pto.ptr<i64, ub>, i32
"""
DPS = """\
pto.pst ins(%mask, %ub_ptr, %areg, "DIST" : !pto.mask<G>, !pto.ptr<i64, ub>, i32)
"""
LEVELS = {"ssa": SSA, "dps": DPS, "asm": SSA.replace("pto.pst", "pst")}
WORDS = 64


def kernel(snippet: str) -> str:
    """Compares the first and the second register of %gm, runs the snippet, and gives back the
    words of UB that %words held before."""
    return f"""
func.func @store(%gm: !pto.ptr<f32, gm>, %words: !pto.ptr<i64, gm>, %base: i64, %slot: i32,
                 %active: i32) {{
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %bytes = arith.constant {8 * WORDS} : i64
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %start = pto.castptr %zero : i64 -> !pto.ptr<i64, ub>
  %ub_base = pto.castptr %base : i64 -> !pto.ptr<i64, ub>
  %ub_ptr = pto.castptr %base : i64 -> !pto.ptr<i64, ub>
  %areg = arith.addi %slot, %slot : i32
  %ub = pto.castptr %bytes : i64 -> !pto.ptr<f32, ub>
  pto.mte_gm_ub %gm, %ub, %zero, %bytes nburst(%one, %bytes, %bytes)
    : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64
  pto.mte_gm_ub %words, %start, %zero, %bytes nburst(%one, %bytes, %bytes)
    : !pto.ptr<i64, gm>, !pto.ptr<i64, ub>, i64, i64, i64, i64, i64
  pto.barrier #pto.pipe
  pto.vecscope {{
    %v0 = pto.vlds %ub[%c0] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
    %v1 = pto.vlds %ub[%c64] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
    {snippet}
  }}
  pto.barrier #pto.pipe
  pto.mte_ub_gm %start, %words, %bytes nburst(%one, %bytes, %bytes)
    : !pto.ptr<i64, ub>, !pto.ptr<i64, gm>, i64, i64, i64, i64
  return
}}
"""


SEED = "%seed, %rest = pto.plt_b32 %active : i32 -> !pto.mask<b32>, i32\n"
MASK = "%mask, %rest = pto.plt_b32 %active : i32 -> !pto.mask<b32>, i32\n"


def words(seed: int) -> Any:
    return np.random.default_rng(seed).integers(-(1 << 63), 1 << 63, WORDS, np.int64)


def word(bits: list[bool]) -> int:
    """Bit i for lane i, as the i64 it is read as."""
    raw = sum(1 << i for i, on in enumerate(bits) if on)
    return raw - (raw >> 63 << 64)


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
@pytest.mark.parametrize("active", [64, 0, 1, 37])
@pytest.mark.parametrize(("base", "slot"), [(0, 0), (8, 3), (256, -5), (0, WORDS - 1)])
def test_example(target: str, active: int, base: int, slot: int) -> None:
    """addr = base + areg * 8; the 64-bit word there is the mask."""
    values = floats(1, 2 * LANES)
    found, expected = words(2), words(2)
    run(kernel(SEED + EXAMPLE), values, found, base, slot, active, target=target)
    less = [i < active and values[i] < values[64 + i] for i in range(LANES)]
    expected[base // 8 + slot] = word(less)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
@pytest.mark.parametrize("dist", ["NORM", "PK"])
@pytest.mark.parametrize("level", LEVELS)
def test_syntax(level: str, dist: str, target: str) -> None:
    """PK packs two 32-bit segments into the word; the CPU does not have it."""
    line = LEVELS[level].replace("DIST", dist)
    text = kernel(MASK + line)
    if (target, dist) == ("cpu", "PK"):
        with pytest.raises(ptoscope.PtoError, match="cpu lacks 'PK'"):
            ptoscope.load(text, target)
        return
    for active in (0, 31, 33, 64):
        found, expected = words(3), words(3)
        run(text, floats(1, 2 * LANES), found, 16, 4, active, target=target)
        expected[2 + 8] = word([i < active for i in range(LANES)])
        np.testing.assert_array_equal(found, expected)


def test_misaligned_effective_addresses_are_illegal() -> None:
    for base in (1, 4, 12):
        with pytest.raises(ptoscope.PtoError, match="not a multiple of 8 bytes"):
            run(kernel(SEED + EXAMPLE), floats(1, 2 * LANES), words(1), base, 1, 64)


@pytest.mark.parametrize("dist", ["US", "norm", ""])
def test_other_distributions_are_illegal(dist: str) -> None:
    with pytest.raises(ptoscope.PtoError, match="NORM, PK"):
        ptoscope.load(kernel(MASK + SSA.replace("DIST", dist)))


def test_the_pointer_is_of_ub_space() -> None:
    line = SSA.replace("DIST", "NORM").replace("%ub_ptr", "%words").replace("ub>", "gm>")
    with pytest.raises(ptoscope.PtoError, match="'ub_ptr' has the wrong type"):
        ptoscope.load(kernel(MASK + line))


@pytest.mark.parametrize("granularity", [8, 16])
def test_64_bits_match_the_lanes_of_32_bit_elements_only(granularity: int) -> None:
    mask = MASK.replace("b32", f"b{granularity}")
    line = SSA.replace("DIST", "NORM").replace("<G>", f"<b{granularity}>")
    with pytest.raises(ptoscope.PtoError, match=r"!pto\.mask<b32>"):
        ptoscope.load(kernel(mask + line))
