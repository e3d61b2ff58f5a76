"""How undefined bits go through the lane operations, bit by bit.

A row of lanes is seen as unsigned words `a`; `va` has a 1 for every bit of it that is
undefined. Every rule is sound: a result bit that it calls defined is the same whatever the
undefined bits are. Integer logic, shifts, sums, comparisons and selection are also exact or
nearly so; arithmetic of floats takes a lane as a whole.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ptoscope.isa.dtypes import I1, DType
from ptoscope.isa.lanes import Arith, Bitwise, Compare
from ptoscope.machine.shadow.origins import Ids

BitWords = np.ndarray[Any, np.dtype[Any]]
"""An array of unsigned words."""


@cache
def word(dtype: DType) -> np.dtype[Any]:
    """The unsigned type that a lane's bits are seen as."""
    return np.dtype(f"uint{8 * dtype.bytes}")


@cache
def full(dtype: DType) -> Any:
    """Every bit of a lane undefined."""
    return word(dtype).type(1 if dtype is I1 else (1 << (8 * dtype.bytes)) - 1)


def upward(v: BitWords) -> BitWords:
    """All bits from the lowest undefined one up: as far as a carry may go."""
    return v | (np.zeros_like(v) - v)


def whole(dtype: DType, *undefined: BitWords) -> BitWords:
    """All bits of the lanes in which any operand has an undefined one."""
    total = undefined[0] != 0
    for v in undefined[1:]:
        total = total | (v != 0)
    return np.where(total, full(dtype), word(dtype).type(0))


def arith(
    op: Arith, dtype: DType, a: BitWords, b: BitWords, va: BitWords, vb: BitWords
) -> BitWords:
    """Sums, differences, products and quotients."""
    if dtype.is_float:
        return whole(dtype, va, vb)
    if op != "mul":
        return upward(va | vb)
    # Zero times anything is zero; a factor with zeros at its end moves the undefined bits up.
    zero = ((a == 0) & (va == 0)) | ((b == 0) & (vb == 0))
    low_a, low_b = (x & (np.zeros_like(x) - x) for x in (va, vb))
    scaled = np.where(
        vb == 0, low_a * (b & (np.zeros_like(b) - b)), low_b * (a & (np.zeros_like(a) - a))
    )
    both = (va != 0) & (vb != 0)
    return np.where(zero, np.zeros_like(va), upward(np.where(both, va | vb, scaled)))


def bitwise(
    op: Bitwise, a: BitWords, b: BitWords, va: BitWords, vb: BitWords
) -> tuple[BitWords, BitWords]:
    """The undefined bits that come from the first operand, and from the second."""
    if op == "xor":
        return va, vb
    # Where the other operand decides alone, the bit is defined.
    open_a, open_b = (b | vb, a | va) if op == "and" else (~b | vb, ~a | va)
    return va & open_a, vb & open_b


def compare(
    op: Compare, dtype: DType, a: BitWords, b: BitWords, va: BitWords, vb: BitWords
) -> BitWords:
    """0 or 1 for each lane, as the undefined bit of an i1."""
    some = (va | vb) != 0
    if dtype.is_float:
        return some.astype(np.uint8)
    if op in ("eq", "ne"):
        differ = ((a ^ b) & ~(va | vb)) != 0
        return (some & ~differ).astype(np.uint8)
    if op in ("gt", "ge"):
        a, b, va, vb = b, a, vb, va
    if dtype.signed:
        top = a.dtype.type(1 << (8 * a.dtype.itemsize - 1))
        a, b = a ^ top, b ^ top
    low_a, high_a, low_b, high_b = a & ~va, a | va, b & ~vb, b | vb
    if op in ("lt", "gt"):
        both = (low_a < high_b) & (high_a >= low_b)
    else:
        both = (low_a <= high_b) & (high_a > low_b)
    return (some & both).astype(np.uint8)


def select(c: Any, vc: Any, yes: BitWords, no: BitWords, vyes: BitWords, vno: BitWords) -> BitWords:
    """Of the chosen side; where the choice is undefined, all in which the sides may differ."""
    return np.where(vc != 0, vyes | vno | (yes ^ no), np.where(c, vyes, vno))


def earliest(a: Ids, va: BitWords, b: Ids, vb: BitWords) -> Ids:
    """The origins of lanes that depend on both operands: where both are undefined, what was
    left undefined first, and of one row the lowest lane."""
    return np.where(va == 0, b, np.where(vb == 0, a, np.minimum(a, b)))
