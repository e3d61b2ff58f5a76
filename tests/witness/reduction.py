"""Witnesses of reductions: sums in the stated order, extremes with the first index."""

from __future__ import annotations

from collections.abc import Iterator

from tests.isa import ieee
from tests.isa.elements import Element
from tests.isa.registers import image, lanes_of
from tests.isa.values import scattered
from tests.witness.inputs import main, mask, rng, some
from tests.witness.machine import Case, Value
from tests.witness.registry import Refused, State, witness
from tests.witness.use import Use


def _registers(use: Use) -> Iterator[Case]:
    """All kinds of masks; many edges, few different numbers (ties), and ordinary ones."""
    e = use.operands[0]
    if main(use):
        yield Case(([e.sign] * e.lanes, mask(1, e.lanes)))
        if e.is_float:
            yield Case((([e.nan] * 5 + scattered(e, 3, 1)) * (e.lanes // 8), mask(1, e.lanes)))
    for number in range(40 if main(use) else 4):
        r = rng(e.name, "reduced", number)
        kind = number % 4
        if kind == 0:
            row = some(e, e.lanes, number)
        elif kind == 1:
            few = [*some(e, 4, number), 0, e.sign, e.full, 1]
            row = [r.choice(few) for _ in range(e.lanes)]
        elif kind == 2:
            row = [r.choice((0, e.sign)) for _ in range(e.lanes)]
        else:
            row = _ordinary(e, number)
        yield Case((row, mask((0, 1, 4, 2, 3)[number % 5], e.lanes, number)))


def _ordinary(e: Element, seed: int) -> list[int]:
    """Numbers of one sign and size: no NaN, and sums that round."""
    row = scattered(e, 2 * e.lanes, seed)[::2]
    return [v & ~e.sign for v in row] if e.is_float else row


def _add(e: Element, a: int, b: int) -> int:
    return ieee.add(e, a, b) if e.is_float else e.wrap(a + b)


def _tree(e: Element, row: list[int]) -> int:
    """Lane i with lane i + n/2, again and again; at last from +0."""
    while len(row) > 1:
        half = len(row) // 2
        row = [_add(e, a, b) for a, b in zip(row[:half], row[half:], strict=True)]
    return _add(e, row[0], 0)


def _active(state: State) -> list[int]:
    """The input with zeros where it is not active."""
    e = state.use.operands[0]
    bits = lanes_of(state.row(1), e.lanes)
    return [v if on else 0 for v, on in zip(state.row(0), bits, strict=True)]


@witness("pto.vcadd", inputs=_registers)
def _sum(state: State) -> list[Value]:
    """Integers of 8 and 16 bits widen by their own sign."""
    e, wide = state.use.operands[0], state.use.results[0]
    row = _active(state)
    total = _tree(e, row) if e.is_float else wide.wrap(sum(e.number(v) for v in row))
    return [[total] + [0] * (wide.lanes - 1)]


@witness("pto.vcgadd", inputs=_registers)
def _group_sum(state: State) -> list[Value]:
    """In micro 16-bit integers have 32-bit sums, each in two lanes, the low half first."""
    e, row = state.use.operands[0], _active(state)
    size = e.lanes // 8
    groups = [row[g * size : (g + 1) * size] for g in range(8)]
    if state.use.micro and not e.is_float and e.bits == 16:
        wide = [sum(e.number(v) for v in group) % 2**32 for group in groups]
        sums = [part for total in wide for part in (total % 2**16, total >> 16)]
    else:
        sums = [_tree(e, group) for group in groups]
    return [sums + [0] * (e.lanes - len(sums))]


@witness("pto.vcpadd", inputs=_registers)
def _prefix(state: State) -> list[Value]:
    """The manual scans; micro adds neighbours."""
    e, row = state.use.operands[0], _active(state)
    if state.use.micro:
        pairs = [_add(e, row[i], row[i + 1]) for i in range(0, e.lanes, 2)]
        return [pairs + [0] * (e.lanes // 2)]
    out, total = [], 0
    for value in row:
        total = _add(e, total, value)
        out.append(total)
    return [out]


def _worst(e: Element, highest: bool) -> int:
    """What an inactive lane counts as."""
    if e.is_float:
        return e.infinity | (e.sign if highest else 0)
    low, high = (-e.sign, e.sign - 1) if e.signed else (0, e.full)
    return e.wrap(low if highest else high)


def _extreme(state: State, start: int, count: int, highest: bool) -> tuple[int, int]:
    """The first of the best active lanes that are numbers, and its place in the group."""
    e = state.use.operands[0]
    bits = lanes_of(state.row(1), e.lanes)
    best, place = _worst(e, highest), 0
    found = False
    for i in range(count):
        raw = state.row(0)[start + i]
        if not bits[start + i] or (e.is_float and e.is_nan(raw)):
            raw = _worst(e, highest)
        value, other = _number(e, raw), _number(e, best)
        if not found or (value > other if highest else value < other):
            best, place, found = raw, i, True
    return best, place


def _number(e: Element, raw: int) -> float:
    return e.value(raw) if e.is_float else e.number(raw)


@witness("pto.vcmax", "pto.vcmin", inputs=_registers)
def _best(state: State) -> list[Value]:
    e = state.use.operands[0]
    highest = state.use.site.record.name == "pto.vcmax"
    return [[*_extreme(state, 0, e.lanes, highest), *[0] * (e.lanes - 2)]]


def _with_zeros(use: Use) -> Iterator[Case]:
    """Also rows of one zero in which a single lane has the other sign."""
    yield from _registers(use)
    e = use.operands[0]
    for place in (0, 1, e.lanes // 4, e.lanes // 2 - 1, e.lanes // 2, e.lanes - 1):
        for zero in (0, e.sign):
            row = [zero] * e.lanes
            row[place] = zero ^ e.sign
            yield Case((row, mask(1, e.lanes)))


@witness("pto.vcbmax", "pto.vcbmin", inputs=_with_zeros)
def _marked(state: State) -> list[Value]:
    """The value, and every active lane that equals it; of zeros +0 is the higher."""
    e = state.use.operands[0]
    highest = state.use.site.record.name == "pto.vcbmax"
    best, _ = _extreme(state, 0, e.lanes, highest)
    bits = lanes_of(state.row(1), e.lanes)
    same = [
        int(on and not (e.is_float and e.is_nan(raw)) and _number(e, raw) == _number(e, best))
        for raw, on in zip(state.row(0), bits, strict=True)
    ]
    if e.is_float and _number(e, best) == 0:
        zeros = [raw for raw, on in zip(state.row(0), same, strict=True) if on]
        best = min(zeros) if highest else max(zeros)
    return [[best, *[0] * (e.lanes - 1)], image(same)]


def _samples(use: Use) -> Iterator[Case]:
    for number in range(6 if main(use) else 2):
        r = rng("samples", number)
        few = [r.randrange(256) for _ in range(1 + 40 * (number % 3))]
        row = [r.choice(few) for _ in range(256)]
        counts = [r.choice((0, 1, 65535, r.randrange(65536))) for _ in range(128)]
        yield Case((counts, row, mask(number, 256, number), number % 2))
    for value in (5, 200):
        yield Case(([0] * 128, [value] * 256, mask(1, 256), value // 128))
    for bin in (2, (1 << 32) - 1):
        yield Case(([0] * 128, [0] * 256, mask(1, 256), bin))


@witness("pto.chistv2", "pto.dhistv2", inputs=_samples)
def _histogram(state: State) -> list[Value]:
    """Half of the 256 bins; cumulative ones count from 0 on."""
    half = state.number(3)
    if half > 1:
        raise Refused("PTO0910")
    counts = [0] * 256
    for sample, on in zip(state.row(1), state.row(2), strict=True):
        counts[sample] += on
    if state.use.site.record.name == "pto.chistv2":
        counts = [sum(counts[: value + 1]) for value in range(256)]
    new = counts[128 * half : 128 * half + 128]
    return [[(a + b) % 65536 for a, b in zip(state.row(0), new, strict=True)]]


@witness("pto.vcgmax", "pto.vcgmin", inputs=_with_zeros)
def _group_best(state: State) -> list[Value]:
    """The first of equals; in micro +0 is higher than -0."""
    e = state.use.operands[0]
    highest = state.use.site.record.name == "pto.vcgmax"
    size = e.lanes // 8
    bits = lanes_of(state.row(1), e.lanes)
    out: list[int] = []
    for start in range(0, e.lanes, size):
        best, _ = _extreme(state, start, size, highest)
        zeros = [
            raw
            for raw, on in list(zip(state.row(0), bits, strict=True))[start : start + size]
            if on and e.is_float and raw in (0, e.sign)
        ]
        if state.use.micro and zeros and best in (0, e.sign):
            best = min(zeros) if highest else max(zeros)
        out.append(best)
    return [out + [0] * (e.lanes - 8)]
