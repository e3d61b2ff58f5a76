"""Witnesses of conversions: exact numbers rounded once, in the places of the part table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache

import numpy as np

from tests.isa import exact, ieee
from tests.isa.elements import NARROW, Element
from tests.isa.registers import lanes_of
from tests.witness.inputs import main, mask, plain, rng, some
from tests.witness.machine import Case, Value
from tests.witness.registry import State, witness
from tests.witness.use import Use

_PARTS = {
    1: ("NONE",),
    2: ("EVEN", "ODD"),
    4: ("P0", "P1", "P2", "P3"),
    8: ("P0", "P1", "P2", "P3"),
}


def width(name: str) -> int:
    """Bits of one value."""
    return 4 if name.startswith("f4") else Element(name).bits


def parts(source: str, target: str) -> tuple[str, ...]:
    """The places that the narrower type has in the wider one."""
    wide, narrow = sorted((width(source), width(target)), reverse=True)
    return _PARTS[wide // narrow]


def as_floats(name: str, raw: Sequence[int]) -> list[float]:
    """What raw bits stand for."""
    if name in NARROW:
        return [float(exact.numbers(name)[r]) for r in raw]
    e = Element(name)
    return [e.value(r) for r in raw]


def values(source: str, target: str, raw: Sequence[int], mode: str, saturate: bool) -> list[int]:
    """Raw bits converted one by one."""
    s, t = Element(source), Element(target)
    if not s.is_float and source not in NARROW:
        numbers = [s.number(r) for r in raw]
        if not t.is_float:
            return exact.fit(numbers, t, saturate)
        wide = [exact.from_integer(n, t.precision, mode) for n in numbers]
        return np.array(wide).astype(t.storage).view(t.raw).tolist()
    floats = as_floats(source, raw)
    if target == "f32":
        with np.errstate(invalid="ignore"):
            bits = np.array(floats).astype(np.float32).view(np.uint32)
        if saturate:
            bits = np.where(np.isinf(floats), bits - 1, bits)
        return np.where(np.isnan(floats), 0 if saturate else t.nan, bits).tolist()
    if t.is_float or target in NARROW:
        return exact.to_float(np.array(floats), target, mode, saturate).tolist()
    return exact.fit(exact.to_integers(floats, mode), t, saturate)


def expected(
    source: str,
    target: str,
    raw: Sequence[int],
    active: Sequence[int],
    part: str,
    mode: str = "R",
    saturate: bool = False,
) -> list[int]:
    """A register converted: the loop of the document, with the places of its part table."""
    at = 0 if part == "NONE" else parts(source, target).index(part)
    t = Element(target)
    out = [0] * t.lanes
    if source.startswith("f4"):
        step = 2 * t.bytes
        places = [i // 2 * step + at for i in range(t.lanes)]
        codes = [raw[p] >> (4 * (i % 2)) & 15 for i, p in enumerate(places)]
        made = values(source, target, codes, mode, saturate)
        return [v if active[p] else 0 for v, p in zip(made, places, strict=True)]
    made = values(source, target, raw, mode, saturate)
    if width(source) == width(target):
        return [v if a else 0 for v, a in zip(made, active, strict=True)]
    if target.startswith("f4"):
        step = 2 * Element(source).bytes
        for i, v in enumerate(made):
            if active[i]:
                out[i // 2 * step + at] |= v << (4 * (i % 2))
    elif width(source) > width(target):
        step = width(source) // width(target)
        for i, v in enumerate(made):
            if active[i]:
                out[i * step + at] = v
    else:
        step = width(target) // width(source)
        for i in range(t.lanes):
            if active[i * step + at]:
                out[i] = made[i * step + at]
    return out


def _chosen(use: Use) -> tuple[Use, ...]:
    """Every mode and saturation in one part, every part in one mode; elsewhere one of each."""
    mode, sat, part = (use.attr(n) for n in ("rnd", "sat", "part"))
    first = parts(use.operands[0].name, use.results[0].name)[-1]
    wanted = part == first or (mode == "R" and sat == "NOSAT")
    if not main(use):
        wanted = mode == "R" and sat == "NOSAT" and part == first
    return (use,) if wanted else ()


def _registers(use: Use) -> Iterator[Case]:
    """Random values under any mask; then ends of the result's type, its values, what lies half
    way between two of them, and beside them."""
    e, to = use.operands[0], use.results[0]
    yield Case((some(e, e.lanes, 0), mask(0, e.lanes, str(use))))
    known = _known(e, to)
    if main(use):
        yield Case((rng("near", use).choices(known, k=e.lanes), mask(2, e.lanes, 5)))
        for start in range(0, min(len(known), 12 * e.lanes), e.lanes):
            row = known[start : start + e.lanes]
            yield Case(((row * e.lanes)[: e.lanes], mask(1, e.lanes)))


@cache
def _known(e: Element, to: Element) -> list[int]:
    if e.name in NARROW:
        return list(range(256))
    if not e.is_float:
        return _whole_numbers(e, to)
    known = [e.round(x) for x in _fractions(to)]
    known += [v ^ e.sign for v in known]
    return known + [v + d for v in known for d in (-1, 1) if 0 <= v + d <= e.full]


def _whole_numbers(e: Element, to: Element) -> list[int]:
    ends = (0, to.sign, to.full, to.full + 1, to.sign - 1)
    known = [n + d for n in ends for d in (-1, 0, 1)]
    known += [(1 << i) + d for i in range(e.bits) for d in (-1, 1)]
    known += [
        (1 << i) + k * (1 << (i - p)) for p in (11, 24) for i in range(p, e.bits) for k in (1, 3)
    ]
    return [e.wrap(s * n) for n in known for s in (1, -1)]


def _fractions(to: Element) -> list[Fraction]:
    if not to.is_float and to.name not in NARROW:
        ends = (1, 2, 3, 4, 5, 6, 7, to.sign, to.full, to.sign + 1, to.full + 1, 2 * to.full + 5)
        return [Fraction(2 * n + k, 2) for n in ends for k in (-2, -1, 0, 1)]
    if to.name == "f32":
        return [Fraction(1), Fraction(1, 3), Fraction(1 << 24 | 1)]
    grid = exact.grid(to.name).values[:-1]
    # All values of a narrow format; of a wide one its ends and some between.
    sizes = [Fraction(float(v)) for v in (*grid[:8], *grid[8:-8][:: max(1, len(grid) // 60)])]
    sizes += [Fraction(float(v)) for v in grid[-8:]]
    near = [grid[min(i + 1, len(grid) - 1)] for i in np.searchsorted(grid, np.array(sizes, float))]
    steps = [Fraction(float(n)) - s for n, s in zip(near, sizes, strict=True)]
    beside = [s + step / k for s, step in zip(sizes, steps, strict=True) for k in (2, 4)]
    return sizes + beside


@witness("pto.vcvt", inputs=_registers, variants=_chosen)
def _convert(state: State) -> list[Value]:
    use = state.use
    source, target = use.operands[0], use.results[0]
    active = lanes_of(state.row(1), source.lanes)
    saturate = use.attr("sat") == "SAT"
    names = source.name, target.name
    return [expected(*names, state.row(0), active, use.attr("part"), use.attr("rnd"), saturate)]


def _halves(use: Use) -> Iterator[Case]:
    """Whole numbers, halves, and what lies beside them."""
    yield from plain(use)
    e = use.operands[0]
    near = [e.round(Fraction(n, 2)) for n in range(1, 18)]
    near += [v + d for v in near for d in (-1, 1)]
    near += [v ^ e.sign for v in near]
    row = (near * 2)[: e.lanes]
    row += [0] * (e.lanes - len(row))
    yield Case((row,) if use.form else (row, mask(1, e.lanes)))


@witness("pto.vtrc", inputs=_halves)
def _truncate(state: State) -> list[Value]:
    """Whole numbers that keep their sign; infinity stays, NaN is canonical."""
    e, mode = state.use.operands[0], state.use.attr("rnd")[-1]
    active = [1] * e.lanes if state.use.form else lanes_of(state.row(1), e.lanes)
    made = (_whole(e, raw, mode) for raw in state.row(0))
    return [[v if on else 0 for v, on in zip(made, active, strict=True)]]


def _whole(e: Element, raw: int, mode: str) -> int:
    if e.is_nan(raw):
        return e.nan
    if e.is_inf(raw):
        return raw
    return e.round(Fraction(abs(exact.whole(e.value(raw), mode)))) | (raw & e.sign)


def _both_halves(use: Use) -> Iterator[Case]:
    """Every pair of lanes also in the lower half, which alone has room in a wider result; and
    products just below a half, which round to it."""
    for case in plain(use):
        yield case
        yield Case((*(_reversed(v) for v in case.values[:2]), case.values[2]))
    e = use.operands[0]
    if use.site.record.name == "pto.vmulconv":
        near = [pair for a in range(e.bits << 6) for pair in _below_half(e, (e.infinity >> 1) - a)]
        row = (near * e.lanes)[: e.lanes]
        yield Case(([a for a, _ in row], [b for _, b in row], mask(1, e.lanes)))


def _reversed(value: Value) -> list[int]:
    assert isinstance(value, list)
    return value[::-1]


def _below_half(e: Element, a: int) -> list[tuple[int, int]]:
    """Factors whose product lies just below 3.5 and rounds to it."""
    half = Fraction(7, 2)
    b = e.round(half / Fraction(e.value(a)))
    exact = Fraction(e.value(a)) * Fraction(e.value(b))
    return [(a, b)] if exact < half and e.round(exact) == e.round(half) else []


@witness("pto.vaddreluconv", "pto.vmulconv", inputs=_both_halves)
def _converting(state: State) -> list[Value]:
    """The sum or product in the source type, not below 0, to nearest and saturated; lane i of
    the result is lane i of the operands, and the rest is 0."""
    e, to = state.use.operands[0], state.use.results[0]
    combine = ieee.add if state.use.site.record.name == "pto.vaddreluconv" else ieee.mul
    active = lanes_of(state.row(2), e.lanes)
    made: list[int] = []
    for a, b, on in zip(state.row(0), state.row(1), active, strict=True):
        value = combine(e, a, b)
        made.append(value if on and e.value(value) > 0 else 0)
    out = values(e.name, to.name, made, "R", True)
    return [(out + [0] * to.lanes)[: to.lanes]]


def _scaled(use: Use) -> Iterator[Case]:
    """Factors of all kinds, among them 1, with which rounding is that of the conversion."""
    f32 = Element("f32")
    one = f32.round(Fraction(1))
    known = _known(f32, Element("f16"))
    for start in range(0, len(known), 64) if main(use) else ():
        row = (known[start : start + 64] * 64)[:64]
        yield Case((row, one, mask(1, 64)))
    for number in range(12 if main(use) else 3):
        factor = some(f32, 1, ("factor", number))[0]
        yield Case((some(f32, 64, number), factor, mask(number, 64, number)))


@witness("pto.vmulscvt", inputs=_scaled)
def _scale(state: State) -> list[Value]:
    """The product is an f32; half of its lane takes the result."""
    f32, factor = Element("f32"), state.number(1)
    products = [ieee.mul(f32, value, factor) for value in state.row(0)]
    active = lanes_of(state.row(2), 64)
    return [expected("f32", "f16", products, active, state.use.attr("part"), state.use.attr("rnd"))]
