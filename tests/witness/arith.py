"""Witnesses of the scalar arith operations: exact integers and rationals, cut or rounded once."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

from tests.isa import ieee
from tests.isa.elements import Element
from tests.witness.inputs import main, numbers, scalars
from tests.witness.machine import Case, Value
from tests.witness.registry import Refused, State, witness
from tests.witness.use import Use

Two = Callable[[Element, int, int], int]


def two(name: str, formula: Two, inputs: Callable[[Use], Iterator[Case]] | None = None) -> None:
    """Two operands and a result of one type."""

    @witness(f"arith.{name}", inputs=inputs or scalars())
    def result(state: State) -> list[Value]:  # pyright: ignore[reportUnusedFunction]
        return [formula(state.use.results[0], state.number(0), state.number(1))]


def signed(exact: Callable[[int, int], int]) -> Two:
    """Of signed numbers: a truth value is 0 or -1."""
    return lambda e, a, b: e.wrap(exact(e.number(a), e.number(b)))


def unsigned(exact: Callable[[int, int], int]) -> Two:
    return lambda e, a, b: e.wrap(exact(a, b))


def _cut(a: int, b: int) -> int:
    """A quotient, toward zero."""
    if b == 0:
        raise Refused("PTO0906")
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _down(a: int, b: int) -> int:
    if b == 0:
        raise Refused("PTO0906")
    return a // b


two("addi", unsigned(lambda a, b: a + b))
two("subi", unsigned(lambda a, b: a - b))
two("muli", unsigned(lambda a, b: a * b))
two("divsi", signed(_cut))
two("divui", unsigned(_cut))
two("floordivsi", signed(_down))
two("ceildivsi", signed(lambda a, b: -_down(-a, b)))
two("ceildivui", unsigned(lambda a, b: -_down(-a, b)))
two("remsi", signed(lambda a, b: a - _cut(a, b) * b))
two("remui", unsigned(lambda a, b: a - _cut(a, b) * b))
two("andi", unsigned(lambda a, b: a & b))
two("ori", unsigned(lambda a, b: a | b))
two("xori", unsigned(lambda a, b: a ^ b))
two("shli", lambda e, a, b: e.wrap(a << min(b, e.bits)))
two("shrsi", lambda e, a, b: e.wrap(e.number(a) >> min(b, e.bits)))
two("shrui", lambda e, a, b: a >> min(b, e.bits))
two("maxsi", signed(max))
two("minsi", signed(min))
two("maxui", unsigned(max))
two("minui", unsigned(min))
two("addf", ieee.add)
two("subf", ieee.sub)
two("mulf", ieee.mul)
two("divf", ieee.div)
two("remf", ieee.fmod)


def _order(e: Element, raw: int) -> tuple[float, int]:
    """A number's place among the numbers, -0 before +0."""
    return e.value(raw), 0 if raw & e.sign else 1


def _extreme(highest: bool) -> Two:
    def pick(e: Element, a: int, b: int) -> int:
        if e.is_nan(a) or e.is_nan(b):
            return e.nan
        return (max if highest else min)((a, b), key=lambda raw: _order(e, raw))

    return pick


def _numeric(highest: bool) -> Two:
    def pick(e: Element, a: int, b: int) -> int:
        if e.is_nan(b):
            return a
        return b if e.is_nan(a) else _extreme(highest)(e, a, b)

    return pick


def _one_number(use: Use) -> Iterator[Case]:
    """Of two NaNs either serves."""
    e = use.operands[0]
    for case in scalars()(use):
        a, b = case.values
        assert isinstance(a, int)
        assert isinstance(b, int)
        if not (e.is_nan(a) and e.is_nan(b)):
            yield case


two("maximumf", _extreme(True))
two("minimumf", _extreme(False))
two("maxnumf", _numeric(True), _one_number)
two("minnumf", _numeric(False), _one_number)

_RELATIONS: dict[str, Callable[[float, float], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a < b or a > b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


@witness("arith.cmpi", inputs=scalars(12))
def _cmpi(state: State) -> list[Value]:
    e, name = state.use.operands[0], state.use.attr("predicate")
    a, b = state.number(0), state.number(1)
    if name[0] == "s":
        a, b = e.number(a), e.number(b)
    return [int(_RELATIONS[name[-2:]](a, b))]


@witness("arith.cmpf", inputs=scalars(12))
def _cmpf(state: State) -> list[Value]:
    """The first letter says what an unordered pair gives, the rest is the relation."""
    e, name = state.use.operands[0], state.use.attr("predicate")
    a, b = e.value(state.number(0)), e.value(state.number(1))
    unordered = math.isnan(a) or math.isnan(b)
    if name in ("true", "false"):
        return [int(name == "true")]
    if name in ("ord", "uno"):
        return [int(unordered == (name == "uno"))]
    holds = _RELATIONS[name[1:]](a, b)
    return [int(unordered or holds if name[0] == "u" else not unordered and holds)]


def _one_type(use: Use) -> tuple[Use, ...]:
    return (use,) if len({*use.site.operands[1:], *use.site.results}) == 1 else ()


@witness("arith.select", inputs=scalars(6), variants=_one_type)
def _select(state: State) -> list[Value]:
    return [state.values[1 if state.number(0) else 2]]


@witness("arith.negf", inputs=scalars(20))
def _negf(state: State) -> list[Value]:
    return [state.number(0) ^ state.use.results[0].sign]


@witness("arith.addui_extended", inputs=scalars())
def _sum(state: State) -> list[Value]:
    e, exact = state.use.results[0], state.number(0) + state.number(1)
    return [e.wrap(exact), exact >> e.bits]


@witness("arith.mului_extended", "arith.mulsi_extended", inputs=scalars())
def _product(state: State) -> list[Value]:
    e = state.use.results[0]
    a, b = state.number(0), state.number(1)
    if state.use.site.record.name == "arith.mulsi_extended":
        a, b = e.number(a), e.number(b)
    return [e.wrap(a * b), e.wrap(a * b >> e.bits)]


def _legal(use: Use) -> tuple[Use, ...]:
    """An extension widens, a truncation narrows."""
    kind = use.site.record.short[:3]
    by = use.results[0].bits - use.operands[0].bits
    return () if (kind == "ext" and by <= 0) or (kind == "tru" and by >= 0) else (use,)


@witness("arith.index_cast", "arith.extsi", inputs=scalars(20), variants=_legal)
def _by_sign(state: State) -> list[Value]:
    return [state.use.results[0].wrap(state.use.operands[0].number(state.number(0)))]


@witness("arith.index_castui", "arith.extui", "arith.trunci", inputs=scalars(20), variants=_legal)
def _by_bits(state: State) -> list[Value]:
    return [state.use.results[0].wrap(state.number(0))]


def rounded(e: Element, raw: int, to: Element) -> int:
    """A float as another type: exact, or to nearest with ties to even; NaN is canonical."""
    sign = to.sign if raw & e.sign else 0
    if e.is_nan(raw):
        return to.nan
    if e.is_inf(raw):
        return to.infinity | sign
    return to.round(Fraction(e.value(raw)), negative_zero=bool(sign))


def _floats(use: Use) -> Iterator[Case]:
    """Also values of the result's type, those between two of them, and ties."""
    yield from scalars(20)(use)
    e, to = use.operands[0], use.results[0]
    if not to.is_float or to.bits >= e.bits or not main(use):
        return
    for raw in numbers(to):
        if not (to.is_nan(raw) or to.is_inf(raw)):
            near = e.round(Fraction(to.value(raw)))
            half = 1 << (e.precision - to.precision - 1)
            yield from (Case(((near + d) % (1 << e.bits),)) for d in (0, half - 1, half, half + 1))


@witness("arith.extf", inputs=_floats, variants=_legal)
def _float(state: State) -> list[Value]:
    return [rounded(state.use.operands[0], state.number(0), state.use.results[0])]


def _magnitude(to: Element, code: int) -> Fraction:
    """The number of a code without its sign; infinity as the number it comes in place of."""
    if code < to.infinity:
        return Fraction(to.value(code))
    return 2 * Fraction(to.value(to.infinity - (1 << (to.precision - 1))))


@witness("arith.truncf", inputs=_floats, variants=_legal)
def _narrower(state: State) -> list[Value]:
    """The one before or after an exact number, both found among all codes."""
    e, to, mode = state.use.operands[0], state.use.results[0], state.use.attr("roundingmode")
    raw = state.number(0)
    if e.is_nan(raw) or e.is_inf(raw):
        return [rounded(e, raw, to)]
    sign, size = to.sign if raw & e.sign else 0, abs(Fraction(e.value(raw)))
    codes = range(to.infinity)
    below = bisect_right(codes, size, key=lambda code: _magnitude(to, code)) - 1
    low, high = _magnitude(to, below), _magnitude(to, below + 1)
    nearer = size - low - (high - size)
    away = {
        "to_nearest_even": nearer > 0 or (nearer == 0 and below % 2 == 1),
        "to_nearest_away": nearer >= 0,
        "toward_zero": False,
        "downward": bool(sign),
        "upward": not sign,
    }[mode]
    return [sign | (below + (size > low and away))]


def _wide(use: Use) -> Iterator[Case]:
    """Powers of two, ties between two floats, and their neighbours."""
    yield from scalars(20)(use)
    e, to = use.operands[0], use.results[0]
    for i in range(e.bits) if main(use) else ():
        tie = (1 << i) + (1 << max(i - to.precision, 0))
        odd = (1 << i) + 3 * (1 << max(i - to.precision, 0))
        for n in (1 << i, tie - 1, tie, tie + 1, odd, -(1 << i), -tie, -odd):
            yield Case((e.wrap(n),))


@witness("arith.sitofp", inputs=_wide)
def _sitofp(state: State) -> list[Value]:
    return [state.use.results[0].round(Fraction(state.use.operands[0].number(state.number(0))))]


@witness("arith.uitofp", inputs=_wide)
def _uitofp(state: State) -> list[Value]:
    return [state.use.results[0].round(Fraction(state.number(0)))]


def _around_ends(use: Use) -> Iterator[Case]:
    """The ends of the integer type, and what lies just inside and outside of them."""
    yield from scalars(20)(use)
    e, to = use.operands[0], use.results[0]
    ends = (0, 1, 2, to.sign, to.sign - 1, to.full, to.full + 1)
    for end in ends if main(use) else ():
        for step in (Fraction(0), Fraction(1, 2), Fraction(-1, 2)):
            raw = e.round(Fraction(end) + step)
            for near in (raw - 1, raw, raw + 1):
                if 0 <= near <= e.full:
                    yield from (Case((near,)), Case((near ^ e.sign,)))


@witness("arith.fptosi", "arith.fptoui", inputs=_around_ends)
def _to_integer(state: State) -> list[Value]:
    """Toward zero; the nearer end where that does not fit, 0 of NaN."""
    e, to = state.use.operands[0], state.use.results[0]
    x = e.value(state.number(0))
    unsigned = state.use.site.record.name == "arith.fptoui"
    low, high = (0, to.full) if unsigned else (-to.sign, to.sign - 1)
    if math.isnan(x):
        return [0]
    if math.isinf(x):
        return [to.wrap(high if x > 0 else low)]
    return [to.wrap(min(max(int(x), low), high))]


def _equal_widths(use: Use) -> tuple[Use, ...]:
    return (use,) if use.operands[0].bits == use.results[0].bits else ()


@witness("arith.bitcast", inputs=scalars(4), variants=_equal_widths)
def _bitcast(state: State) -> list[Value]:
    return [state.number(0)]


def _literals(use: Use) -> Iterator[Use]:
    """Uses of a constant: numbers of its type, as the reader hands them on."""
    e = use.results[0]
    for raw in numbers(e):
        if e.is_float and (e.is_nan(raw) or not main(use)):
            continue
        value = e.value(raw) if e.is_float else raw if e.bits == 1 else e.number(raw)
        yield Use(replace(use.site, attrs={"value": value}))


@witness("arith.constant", inputs=scalars(), variants=_literals)
def _constant(state: State) -> list[Value]:
    e, value = state.use.results[0], state.use.site.attrs["value"]
    assert isinstance(value, int | float)
    if not e.is_float:
        return [e.wrap(int(value))]
    if math.isinf(value):
        return [e.infinity | (e.sign if value < 0 else 0)]
    return [e.round(Fraction(value), negative_zero=math.copysign(1, value) < 0)]
