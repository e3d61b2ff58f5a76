"""Witnesses of the functions of scalars: exact numbers, or 50 decimal digits, rounded once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import chain

import numpy as np

from tests.isa import precise
from tests.isa.elements import Element
from tests.witness.inputs import main, numbers, rng, scalars, some
from tests.witness.lanewise import half_way, near
from tests.witness.machine import Case, Value
from tests.witness.registry import Inputs, State, witness
from tests.witness.use import Use


def function(name: str, formula: Callable[..., int], inputs: Inputs) -> None:
    """`formula(element, a, b, ...)` is the result."""

    @witness(f"pto.{name}", inputs=inputs)
    def result(state: State) -> list[Value]:  # pyright: ignore[reportUnusedFunction]
        values = [state.number(i) for i in range(len(state.values))]
        return [formula(state.use.operands[0], *values)]


def _hard(hard: tuple[int, ...], *spread: tuple[float, float]) -> Inputs:
    """Edges, then hard numbers and evenly spread ones between bounds."""

    def inputs(use: Use) -> Iterator[Case]:
        yield from scalars(60)(use)
        for low, high in spread if main(use) else ():
            rows = near(use.operands[0], hard, low, high)
            yield from (Case((value,)) for value in chain.from_iterable(rows[:4]))

    return inputs


def _three(use: Use) -> Iterator[Case]:
    """Edges in every place, random numbers, and products half way between two numbers."""
    e = use.operands[0]
    r = rng("three", e.name)
    for n in range(300 if main(use) else 8):
        yield Case(tuple(r.choice(numbers(e)) for _ in range(3)))
        yield Case(tuple(some(e, 1, (n, i))[0] for i in range(3)))
    if main(use):
        yield from _cancelling(e)
    if e.name == "bf16" and main(use):
        yield from (Case((a, b, addend)) for addend, a, b in half_way(e))


_POWERS = tuple(Fraction(n, 1 << k) for k in range(4) for n in (2, 3, 5, 7, 9, 11)[k > 0 :])


def _powers(use: Use) -> Iterator[Case]:
    """Edges, numbers of ordinary size, and powers half way between two numbers."""
    e = use.operands[0]
    r = rng("powers", e.name)
    plain = [e.round(Fraction(n)) for n in (2, 3, -2, -3, Fraction(1, 2), Fraction(-1, 2), 100)]
    known = [*numbers(e), *plain, *(v ^ e.sign for v in plain)]
    for _ in range(130 if main(use) else 4):
        yield Case((r.choice(known), r.choice(known)))
    if not main(use):
        return
    for _ in range(40):
        x = r.uniform(-10, 10)
        y = r.uniform(-1, 1) * (85 if e.bits == 32 else 10) / x
        yield Case((e.round(Fraction(math.exp(x))), e.round(Fraction(y))))
    for exponent in _POWERS:
        halves = list(_half_powers(e, exponent))
        yield from r.sample(halves, min(len(halves), 50))
    if e.bits == 32:
        yield from (Case(pair) for pair in precise.HARDEST_POWERS)
        yield from _near_half_powers()


def _near_half_powers() -> Iterator[Case]:
    """Powers of f32 that differ by about a unit of f64 or less from the middle of 1 and the
    number before or after it."""
    x = np.random.default_rng(3).uniform(2, 1e9, 1 << 16).astype(np.float32)
    log = np.log(x.astype(np.float64))
    for middle in (np.log1p(2.0**-24), np.log1p(-(2.0**-25))):
        y = (middle / log).astype(np.float32)
        far = (y * log - middle) * 2.0**53
        for low, high in ((0.1, 0.4), (0.6, 0.9), (1.1, 1.4), (0.01, 0.1)):
            for sign in (1, -1):
                found = np.flatnonzero((far * sign > low) & (far * sign < high))[:3]
                raw = x.view(np.uint32), y.view(np.uint32)
                yield from (Case((int(raw[0][i]), int(raw[1][i]))) for i in found)


def _half_powers(e: Element, exponent: Fraction) -> Iterator[Case]:
    """Of odd numbers whose power has one bit more than the type, times powers of two."""
    least = e.precision // exponent.numerator
    for n in range((1 << least) + 1, 2 << least, 2):
        base = Fraction(n) ** exponent.denominator
        if (n**exponent.numerator).bit_length() != e.precision + 1 or base >= 1 << e.precision:
            continue
        for shift in (0, 1, -1, -2):
            scaled = base * Fraction(2) ** (shift * exponent.denominator)
            yield Case((e.round(scaled), e.round(exponent)))


def _cancelling(e: Element) -> Iterator[Case]:
    """A product and nearly its negative: what one rounding keeps, two lose."""
    r = rng("cancelling", e.name)
    one = e.infinity >> 1 & e.infinity
    for _ in range(200):
        a, b = (one | r.getrandbits(e.precision - 1) for _ in range(2))
        yield Case((a, b, precise.fma(e, a, b, 0) ^ e.sign))


function("sqrt", precise.sqrt, scalars(60))
function("absf", lambda e, x: x & ~e.sign, scalars(60))
function("exp", precise.exp, _hard(precise.HARDEST_EXP, (-105, 90)))
function("log", precise.ln, _hard(precise.HARDEST_LN, (0.0, 2.0), (0.0, 60000.0)))
function("fma", precise.fma, _three)
function("pow", precise.power, _powers)


@witness("pto.absi", inputs=scalars(60))
def _absolute(state: State) -> list[Value]:
    """Wraps at the most negative number; without a sign, nothing changes."""
    e, raw = state.use.operands[0], state.number(0)
    unsigned = state.use.site.attrs["signedness"] == "unsigned"
    return [raw if unsigned else e.wrap(abs(e.number(raw)))]
