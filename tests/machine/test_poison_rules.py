"""The rules of undefined bits against all values that the undefined bits may have.

The expected result is an enumeration: the plain operation is run for every way to fill the
undefined bits, and a bit of the result is undefined if it comes out in both ways.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ptoscope.isa.dtypes import BF16, F16, F32, I1, I8, I16, I32, I64, SI8, UI8, UI16, DType
from ptoscope.isa.lanes import Lanes
from ptoscope.machine.elements import quietly, storage
from ptoscope.machine.lanes import NumpyLanes, constant
from ptoscope.machine.shadow.lanes import ShadowLanes
from ptoscope.machine.shadow.origins import Origin, Origins
from ptoscope.machine.shadow.rules import word

LANES = 256
MOST = 4
"""Undefined bits of an operand's lane: all of their values are tried."""

Op = Callable[..., Lanes]


def _drawn(rng: np.random.Generator, dtype: DType) -> tuple[Any, Any]:
    """Bits of lanes, and which of them are undefined: none, a few, or a few of one byte."""
    width = 1 if dtype is I1 else 8 * dtype.bytes
    bits = rng.integers(0, 1 << width, LANES, dtype=np.uint64)
    few = rng.integers(0, 4, LANES) == 0
    bits[few] = rng.integers(0, min(4, 1 << width), np.count_nonzero(few), dtype=np.uint64)
    undefined = np.zeros(LANES, np.uint64)
    for _ in range(min(MOST, width)):
        place = rng.integers(0, width, LANES).astype(np.uint64)
        undefined |= np.where(rng.random(LANES) < 0.4, np.uint64(1) << place, np.uint64(0))
    return bits.astype(word(dtype)), undefined.astype(word(dtype))


def _filled(bits: Any, undefined: Any, choice: int) -> Any:
    """The lanes with the undefined bits, from the lowest up, as in the choice."""
    left, value = undefined.copy(), bits & ~undefined
    for k in range(MOST):
        lowest = left & (np.zeros_like(left) - left)
        if choice >> k & 1:
            value = value | lowest
        left = left ^ lowest
    return value


def _lanes(raw: Any, dtype: DType) -> Any:
    return raw.astype(bool) if dtype is I1 else raw.view(storage(dtype))


def _raw(result: Lanes) -> Any:
    assert isinstance(result, NumpyLanes)
    return np.ascontiguousarray(result.a).view(word(result.dtype))


def _book() -> Origins:
    book = Origins()
    book.event(Origin("never written", "UB"))
    return book


def _both(op: Op, dtypes: tuple[DType, ...], seed: int) -> tuple[Any, Any, ShadowLanes]:
    """What comes out in both ways, the lanes with none undefined, and what the shadow says."""
    rng = np.random.default_rng(seed)
    drawn = [_drawn(rng, dtype) for dtype in dtypes]
    book = _book()
    zeros = np.zeros(LANES, np.int64)
    operands = [
        ShadowLanes(_lanes(bits, dtype), dtype, LANES, book, v, zeros)
        for (bits, v), dtype in zip(drawn, dtypes, strict=True)
    ]
    results: list[Any] = []
    with quietly():
        said = op(*operands)
        for choices in itertools.product(range(1 << MOST), repeat=len(dtypes)):
            filled = [
                NumpyLanes(_lanes(_filled(*pair, choice), dtype), dtype, LANES)
                for pair, choice, dtype in zip(drawn, choices, dtypes, strict=True)
            ]
            results.append(_raw(op(*filled)))
        plain = _raw(
            op(
                *(
                    NumpyLanes(_lanes(b, d), d, LANES)
                    for (b, _), d in zip(drawn, dtypes, strict=True)
                )
            )
        )
    assert isinstance(said, ShadowLanes)
    assert (_raw(said) == plain).all()
    changing = np.zeros_like(plain)
    for result in results:
        changing = changing | (result ^ results[0])
    return changing, plain, said


def _shifted(by: int, left: bool) -> Op:
    return lambda x: x << by if left else x >> by


INTS = (I8, UI8, I16, UI16, I32, I64)
EXACT: dict[str, tuple[Op, tuple[DType, ...]]] = {
    **{f"{n} {d}": (f, (d, d)) for d in (I8, UI16, I1) for n, f in {
        "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b}.items()},
    **{f"{n} {d}": (f, (d, d)) for d in (I8, UI8, I16, UI16) for n, f in {
        "lt": lambda a, b: a < b, "le": lambda a, b: a <= b, "gt": lambda a, b: a > b,
        "ge": lambda a, b: a >= b, "eq": lambda a, b: a.eq(b), "ne": lambda a, b: a.ne(b)}.items()},
    **{f"not {d}": (lambda a: ~a, (d,)) for d in (I8, I1)},
    **{f"shift {by} {left} {d}": (_shifted(by, left), (d,))
       for by in (0, 1, 7, 9) for left in (True, False) for d in (I8, UI8, I32)},
    **{f"cast {a} {b}": (lambda x, b=b: x.cast(b), (a,)) for a in INTS for b in INTS},
    **{f"cast i1 {b}": (lambda x, b=b: x.cast(b), (I1,)) for b in INTS},
    **{f"cast {a} i1": (lambda x: x.cast(I1), (a,)) for a in INTS},
    **{f"select {d}": (lambda c, a, b: c.select(a, b), (I1, d, d)) for d in (I8, F16)},
    "abs f32": (lambda a: a.abs(), (F32,)),
    "negate f16": (lambda a: -a, (F16,)),
    "a bit taken out": (lambda a: (a >> 3) & 1, (UI8,)),
    "window": (lambda a: a.window(a.const(1).ne(0).population() - (LANES - 3), LANES - 5), (I16,)),
}  # fmt: skip
SOUND: dict[str, tuple[Op, tuple[DType, ...]]] = {
    **{f"{n} {d}": (f, (d, d)) for d in (I8, UI16, F16, F32, BF16) for n, f in {
        "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b}.items()},
    **{f"{n} {d}": (f, (d, d)) for d in (F32, BF16) for n, f in {
        "lt": lambda a, b: a < b, "eq": lambda a, b: a.eq(b), "div": lambda a, b: a / b,
        "max": lambda a, b: a.maximum(b)}.items()},
    **{f"shift by lanes {left} {d}": (lambda a, b, left=left: a.shift(left, b), (d, d))
       for d in (SI8, UI8) for left in (True, False)},
    "fmod": (lambda a, b: a.fmod(b), (F32, F32)),
    "quotient": (lambda a, b: a.quotient(b | 1), (I8, I8)),
    "root": (lambda a: a.sqrt(), (F16,)),
    "floor": (lambda a: a.floor(), (F32,)),
    "rint": (lambda a: a.rint(), (F32,)),
    "fused": (lambda a, b, c: a.fused(b, c), (F32, F32, F32)),
    "to float": (lambda a: a.cast(F32), (I32,)),
    "take": (lambda a, b: a.take(b), (I16, UI8)),
    "masked": (lambda c, a: a.masked(c), (I1, I8)),
    "squeeze": (lambda a, b: a.squeeze(b), (UI8, I1)),
}  # fmt: skip


@pytest.mark.parametrize("name", EXACT)
def test_exact(name: str) -> None:
    op, dtypes = EXACT[name]
    changing, _, said = _both(op, dtypes, 1)
    assert (said.undefined() == changing).all()


@pytest.mark.parametrize("name", SOUND)
def test_sound(name: str) -> None:
    """What changes is undefined; and something stays defined, or the rule says nothing."""
    op, dtypes = SOUND[name]
    changing, _, said = _both(op, dtypes, 2)
    assert (changing & ~said.undefined() == 0).all()
    assert changing.any()
    if name != "squeeze":
        assert (said.undefined() == 0).any()


def test_low_bits_of_sums_and_products_are_exact() -> None:
    """No carry goes down: below the lowest undefined bit all is defined."""
    book = _book()
    x = ShadowLanes(np.full(4, 3, np.int32), I32, 4, book, np.full(4, 0x10, np.uint32),
                    np.zeros(4, np.int64))  # fmt: skip
    with quietly():
        assert (x + 5).undefined().tolist() == [0xFFFFFFF0] * 4  # pyright: ignore
        assert (x * 4).undefined().tolist() == [0xFFFFFFC0] * 4  # pyright: ignore
        assert (x * 0).undefined().tolist() == [0] * 4  # pyright: ignore
        assert (x - x).undefined().tolist() == [0] * 4  # pyright: ignore


def test_bits_between_widths_keep_their_bytes() -> None:
    book = _book()
    v = np.array([0, 0x00FF0000, 0, 1], np.uint32)
    row = ShadowLanes(np.arange(4, dtype=np.int32), I32, 4, book, v, np.arange(4) + 7)
    narrow = row.bits(UI8)
    assert np.flatnonzero(narrow.undefined()).tolist() == [6, 12]
    assert narrow.origins()[[6, 12]].tolist() == [8, 10]
    wide = narrow.bits(I64)
    assert wide.undefined().tolist() == [0x00FF0000 << 32, 1 << 32]
    assert wide.origins().tolist() == [8, 10]


def test_moves() -> None:
    """Shuffles, splats and predicate images take the undefined bits along."""
    book = _book()
    v = np.array([0, 1, 0, 0], np.uint8)
    mask = ShadowLanes(np.zeros(4, bool), I1, 4, book, v, np.arange(4))
    assert np.flatnonzero(mask.image().undefined()).tolist() == [64]
    assert np.flatnonzero(mask.image().gate(8).undefined()).tolist() == [2]
    assert mask.shuffle((1, -1, 0, 1)).undefined().tolist() == [1, 0, 0, 1]
    other = ShadowLanes(np.ones(4, bool), I1, 4, book)
    assert mask.shuffle((5, 1), other).undefined().tolist() == [0, 1]
    assert mask.population().undefined().any()
    assert not other.population().undefined().any()
    one = ShadowLanes(constant(UI8, 1, 3).a, UI8, 1, book, np.array([4], np.uint8), np.array([9]))
    assert one.splat(3).undefined().tolist() == [4, 4, 4]
    assert one.splat(3).origins().tolist() == [9, 9, 9]
