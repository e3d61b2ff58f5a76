"""Witnesses of lane-wise instructions: the documents' loops, one lane at a time.

A 64-bit lane reads the first of its two mask bits; inactive lanes are zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from ptoscope.isa.types import Mask, Scalar
from tests.isa import ieee, loops, precise
from tests.isa.elements import Element
from tests.isa.registers import image, lanes_of
from tests.witness.inputs import main, mask, plain, rng
from tests.witness.machine import Case, Value
from tests.witness.registry import Inputs, State, witness
from tests.witness.use import Use

Lane = Callable[..., int]


def lanewise(name: str, lane: Lane, inputs: Inputs = plain) -> None:
    """`lane(element, a, b, ...)` is the result of an active lane; a scalar is seen by all."""

    @witness(f"pto.{name}", inputs=inputs)
    def formula(state: State) -> list[Value]:  # pyright: ignore[reportUnusedFunction]
        e = state.use.results[0]
        columns, active = spread(state, e.lanes)
        rows = zip(*columns, strict=True)
        return [[lane(e, *row) if on else 0 for row, on in zip(rows, active, strict=True)]]


def spread(state: State, count: int) -> tuple[list[list[int]], list[int]]:
    """The operands as lanes, and which lanes the mask, the last operand, activates."""
    columns: list[list[int]] = []
    for i, type in enumerate(state.use.site.operands):
        if isinstance(type, Scalar):
            columns.append([state.number(i)] * count)
        elif not isinstance(type, Mask):
            columns.append(state.row(i))
    return columns, lanes_of(state.row(len(state.values) - 1), count)


for _name in loops.BINARY:
    lanewise(_name, loops.LOOPS[_name])
for _name in loops.SCALAR:
    if _name not in ("vshls", "vshrs"):
        lanewise(_name, loops.LOOPS[_name])
for _name, _lane in loops.UNARY.items():
    lanewise(_name, _lane)


def near(e: Element, hard: tuple[int, ...], low: float, high: float) -> list[list[int]]:
    """Registers of hard numbers and of evenly spread ones."""
    r = rng("functions", e.name, low)
    spread = [e.round(Fraction(r.uniform(low, high))) for _ in range(8 * e.lanes)]
    row = ([*hard, *spread] if e.bits == 32 else spread)[: 8 * e.lanes]
    return [row[i : i + e.lanes] for i in range(0, len(row), e.lanes)]


def _exponents(use: Use) -> Iterator[Case]:
    e = use.operands[0]
    yield from plain(use)
    for row in near(e, precise.HARDEST_EXP, -105, 90) if main(use) else ():
        more = ([0] * e.lanes,) if len(use.operands) == 3 else ()
        yield Case((row, *more, mask(1, e.lanes)))


def _positive_numbers(use: Use) -> Iterator[Case]:
    e = use.operands[0]
    yield from plain(use)
    for high in (2.0, 60000.0) if main(use) else ():
        for row in near(e, precise.HARDEST_LN, 0.0, high):
            yield Case((row, mask(1, e.lanes)))


lanewise("vexp", precise.exp, inputs=_exponents)
lanewise("vln", precise.ln, inputs=_positive_numbers)
lanewise("vsqrt", precise.sqrt)
lanewise("vrsqrt", precise.rsqrt)
lanewise("vrec", lambda e, a: ieee.div(e, e.round(Fraction(1)), a))
lanewise("vnot", lambda e, a: a ^ e.full)
lanewise("vbcnt", lambda e, a: bin(a).count("1"))
lanewise("vmov", lambda e, a: a)


def _leading_signs(e: Element, a: int) -> int:
    """How many bits from the top equal the top one."""
    digits = f"{a:0{e.bits}b}"
    return e.bits - len(digits.lstrip(digits[0]))


lanewise("vcls", _leading_signs)


@witness("pto.vshls", "pto.vshrs", inputs=plain)
def _shifted(state: State) -> list[Value]:
    """The amount is read as unsigned in its own width, whatever the vector's."""
    e = state.use.results[0]
    amount = min(state.number(1), e.bits)
    left = state.use.site.record.name == "pto.vshls"
    active = lanes_of(state.row(2), e.lanes)
    rows = (e.wrap(a << amount if left else e.number(a) >> amount) for a in state.row(0))
    return [[v if on else 0 for v, on in zip(rows, active, strict=True)]]


def _prelu(e: Element, a: int, slope: int) -> int:
    return a if e.value(a) >= 0 else ieee.mul(e, slope, a)


def _positive(e: Element, a: int) -> int:
    return a if e.value(a) > 0 else 0


def _accumulate(e: Element, acc: int, a: int, b: int) -> int:
    if e.is_float:
        return precise.fma(e, a, b, acc)
    return e.wrap(acc + a * b)


def half_way(e: Element) -> list[tuple[int, int, int]]:
    """Of bf16: addends about a unit of f64, and factors whose product is half way between two."""
    lanes: list[tuple[int, int, int]] = []
    for scale in (1, 8):
        half, unit = e.round(Fraction(3, 2 * scale)), Fraction(1, scale << 52)
        # 387/256 and 393/256 have nine bits: half way between two of eight.
        for factor in (e.round(Fraction(n, 128)) for n in (129, 131)):
            for share in (0, 1, 2, 3, 5, 6, 7, 10):
                addend = e.round(unit * share / 4)
                for sign in (0, e.sign):
                    lanes += [(addend, factor | sign, half), (addend | e.sign, factor | sign, half)]
    return lanes


def _ties(use: Use) -> Iterator[Case]:
    """Of bf16 also products half way between two numbers, with an addend about a unit of f64."""
    yield from plain(use)
    e = use.operands[0]
    if e.name != "bf16":
        return
    lanes = half_way(e)
    for start in range(0, len(lanes), e.lanes):
        row = (lanes[start : start + e.lanes] * e.lanes)[: e.lanes]
        columns = [list(column) for column in zip(*row, strict=True)]
        yield Case((*columns, mask(1, e.lanes)))


lanewise("vprelu", _prelu)
lanewise("vaxpy", lambda e, x, y, alpha: precise.fma(e, alpha, x, y))
lanewise("vmula", _accumulate, inputs=_ties)


def _factors_first(use: Use) -> Iterator[Case]:
    for case in _ties(use):
        addend, *rest, active = case.values
        yield Case((*rest, addend, active))


lanewise("vmadd", lambda e, acc, a, b: precise.fma(e, a, acc, b), inputs=_factors_first)
lanewise("vaddrelu", lambda e, a, b: _positive(e, ieee.add(e, a, b)))
lanewise("vsubrelu", lambda e, a, b: _positive(e, ieee.sub(e, a, b)))


# Carries: unsigned, exact; the second result has one bit per lane.


def carrying(name: str, exact: Callable[..., tuple[int, bool]], chain: bool) -> None:
    """`exact(micro, a, b, carry in)` gives the exact sum and whether the carry is set."""

    @witness(f"pto.{name}", inputs=plain)
    def formula(state: State) -> list[Value]:  # pyright: ignore[reportUnusedFunction]
        e = state.use.results[0]
        taken = lanes_of(state.row(2), e.lanes) if chain else [0] * e.lanes
        active = lanes_of(state.row(3 if chain else 2), e.lanes)
        values: list[int] = []
        carries: list[int] = []
        for a, b, c, on in zip(state.row(0), state.row(1), taken, active, strict=True):
            value, carry = exact(state.use.micro, a, b, c)
            values.append(e.wrap(value) if on else 0)
            carries.append(int(carry and on))
        return [values, image(carries)]


def _sum(micro: bool, a: int, b: int, c: int) -> tuple[int, bool]:
    return a + b + c, a + b + c >= 1 << 32


def _difference(micro: bool, a: int, b: int, c: int) -> tuple[int, bool]:
    """The manual's borrow; micro's carry is set where none occurs."""
    borrow = a - b < 0
    return a - b, borrow != micro


def _chained(micro: bool, a: int, b: int, c: int) -> tuple[int, bool]:
    """In a chain micro's carry in of 0 is a borrow."""
    exact = a - b - (1 - c if micro else c)
    return exact, (exact < 0) != micro


carrying("vaddc", _sum, chain=False)
carrying("vsubc", _difference, chain=False)
carrying("vaddcs", _sum, chain=True)
carrying("vsubcs", _chained, chain=True)


@witness("pto.vmull", inputs=plain)
def _product(state: State) -> list[Value]:
    """64-bit products; their sign is that of the type."""
    e = state.use.results[0]
    active = lanes_of(state.row(2), e.lanes)
    exact = [
        e.number(a) * e.number(b) if on else 0
        for a, b, on in zip(state.row(0), state.row(1), active, strict=True)
    ]
    return [[e.wrap(v) for v in exact], [e.wrap(v >> 32) for v in exact]]


@witness("pto.vcmp", "pto.vcmps", inputs=plain)
def _compared(state: State) -> list[Value]:
    """As C compares: only ne holds of NaN."""
    e = state.use.operands[0]
    columns, active = spread(state, e.lanes)
    holds = [
        on and _holds(state.use.attr("mode"), _seen(e, a), _seen(e, b))
        for (a, b), on in zip(zip(*columns, strict=True), active, strict=True)
    ]
    return [image([int(h) for h in holds])]


def _seen(e: Element, raw: int) -> float:
    return e.value(raw) if e.is_float else e.number(raw)


def _holds(mode: str, a: float, b: float) -> bool:
    return {"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}[mode]


@witness("pto.vsel", inputs=plain)
def _selected(state: State) -> list[Value]:
    e = state.use.results[0]
    active = lanes_of(state.row(2), e.lanes)
    rows = zip(state.row(0), state.row(1), active, strict=True)
    return [[a if on else b for a, b, on in rows]]


@witness("pto.vbr", inputs=plain)
def _broadcast(state: State) -> list[Value]:
    return [[state.number(0)] * state.use.results[0].lanes]


@witness("pto.vdup", inputs=plain)
def _duplicated(state: State) -> list[Value]:
    e = state.use.results[0]
    if state.use.form == 0:
        value = state.number(0)
    else:
        value = state.row(0)[-1 if state.use.attr("position") == "HIGHEST" else 0]
    return [[value if on else 0 for on in lanes_of(state.row(1), e.lanes)]]


@witness("pto.vexpdif", inputs=_exponents)
def _exponential_of_difference(state: State) -> list[Value]:
    """Computes in f32: of f16 the even or odd lanes, or without a part all, rounded to f16."""
    e, f32 = state.use.operands[0], Element("f32")
    halved = e.bits == 16 and state.use.form == 0
    first, step = (int(state.use.attr("part") == "ODD"), 2) if halved else (0, 1)
    active = lanes_of(state.row(2), e.lanes)
    out: list[int] = []
    for lane in range(first, e.lanes, step):
        a, b = (_wide(e, state.row(k)[lane]) for k in (0, 1))
        power = precise.exp(f32, ieee.sub(f32, a, b))
        out.append((power if halved else _narrow(e, power)) if active[lane] else 0)
    return [out]


def _narrow(e: Element, raw: int) -> int:
    """Rounds an f32 that is not negative to f16."""
    f32 = Element("f32")
    if e.bits == 32 or f32.is_nan(raw) or f32.is_inf(raw):
        return raw if e.bits == 32 else e.nan if f32.is_nan(raw) else e.infinity
    return e.round(Fraction(f32.value(raw)))


def _wide(e: Element, raw: int) -> int:
    """The f32 of the same value; a NaN is the canonical one."""
    f32 = Element("f32")
    if e.bits == 32:
        return raw
    if e.is_nan(raw):
        return f32.nan
    if e.is_inf(raw):
        return f32.infinity | (f32.sign if raw & e.sign else 0)
    return f32.round(Fraction(e.value(raw)), negative_zero=bool(raw & e.sign))
