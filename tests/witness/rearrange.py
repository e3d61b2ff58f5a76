"""Witnesses of instructions that move lanes: bits are never changed."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ptoscope.isa.types import VReg
from tests.isa.elements import Element
from tests.isa.registers import lanes_of
from tests.witness.inputs import main, mask, plain, some
from tests.witness.machine import Case, Value
from tests.witness.registry import Refused, State, witness
from tests.witness.use import Use


def _vectors(use: Use) -> Iterator[Case]:
    """Registers with no two equal neighbours to speak of."""
    for number in range(3 if main(use) else 1):
        yield Case(tuple(_lanes(e, (number, i)) for i, e in enumerate(use.operands)))


def _lanes(e: Element, seed: object) -> list[int]:
    return some(e, e.lanes, seed)


def _pairwise(state: State, interleave: bool) -> tuple[list[int], list[int]]:
    a, b = state.row(0), state.row(1)
    if interleave:
        both = [lane for pair in zip(a, b, strict=True) for lane in pair]
        return both[: len(a)], both[len(a) :]
    return (a + b)[::2], (a + b)[1::2]


@witness("pto.vintlv", "pto.vdintlv", inputs=_vectors)
def _both(state: State) -> list[Value]:
    return list(_pairwise(state, state.use.site.record.name == "pto.vintlv"))


@witness("pto.vintlvv2", "pto.vdintlvv2", inputs=_vectors)
def _one(state: State) -> list[Value]:
    low, high = _pairwise(state, state.use.site.record.name == "pto.vintlvv2")
    return [high if state.use.attr("part") == "HIGHER" else low]


def _amounts(use: Use) -> Iterator[Case]:
    n = use.results[0].lanes
    vectors = [
        e for e, t in zip(use.operands, use.site.operands, strict=True) if isinstance(t, VReg)
    ]
    for amount in (5, 1, n - 1, 0, n, n + 1, -1, n // 2, -(2**15)) if main(use) else (3, n, n + 1):
        rows = tuple(_lanes(e, (amount, i)) for i, e in enumerate(vectors))
        yield Case((*rows, amount % (1 << 16)))


def _amount(state: State, operand: int) -> int:
    """How many lanes: between 0 and all of them."""
    amount = state.use.operands[operand].number(state.number(operand))
    if not 0 <= amount <= state.use.results[0].lanes:
        raise Refused("PTO0910")
    return amount


@witness("pto.vslide", inputs=_amounts)
def _slide(state: State) -> list[Value]:
    """src1 comes before src0."""
    first, n = _amount(state, 2), state.use.results[0].lanes
    return [(state.row(1) + state.row(0))[first : first + n]]


@witness("pto.vshift", inputs=_amounts)
def _shift(state: State) -> list[Value]:
    by, n = _amount(state, 1), state.use.results[0].lanes
    return [([0] * by + state.row(0))[:n]]


def _masked(use: Use) -> Iterator[Case]:
    e = use.operands[0]
    for kind in range(5) if main(use) else (0, 2):
        yield Case((_lanes(e, kind), mask(kind, e.lanes, kind)), registers={"SQZN": 7})


@witness("pto.vsqz", inputs=_masked)
def _squeeze(state: State) -> list[Value]:
    """SQZN is left with the bytes that the active lanes fill."""
    e = state.use.results[0]
    kept = [v for v, on in zip(state.row(0), lanes_of(state.row(1), e.lanes), strict=True) if on]
    state.registers["SQZN"] = len(kept) * e.bytes
    return [kept + [0] * (e.lanes - len(kept))]


@witness("pto.vusqz", inputs=_masked)
def _count(state: State) -> list[Value]:
    e = state.use.results[0]
    active = lanes_of(state.row(1), e.lanes)
    state.registers["SQZN"] = sum(active) * e.bytes
    return [[e.wrap(sum(active[:i])) for i in range(e.lanes)]]


@witness("pto.vselr", "pto.vselrv2", "pto.vperm", inputs=_vectors)
def _by_index(state: State) -> list[Value]:
    """Lane numbers are the bits of the index, modulo the lanes."""
    source = state.row(0)
    return [[source[i % len(source)] for i in state.row(1)]]


def _packed(use: Use) -> Iterator[Case]:
    """Of two sources each cut to the lower half; their part is 0."""
    if use.form == 0:
        yield from _vectors(use)
        return
    for number in (0, 1, 2, -1) if main(use) else (0,):
        first, second = (_lanes(use.operands[0], n) for n in (number, number + 7))
        yield Case((first, second, number % 2**64))


@witness("pto.vpack", inputs=_packed)
def _pack(state: State) -> list[Value]:
    wrap = state.use.results[0].wrap
    if state.use.form == 1:
        if state.number(2):
            raise Refused("PTO0910")
        return [[wrap(v) for k in range(2) for v in state.row(k)]]
    low = [wrap(v) for v in state.row(0)]
    none = [0] * len(low)
    return [none + low if state.use.attr("part") == "HIGHER" else low + none]


def _parts(use: Use) -> Iterator[Case]:
    e, part = use.operands
    for number in (0, 1, 2, -1) if main(use) else (1,):
        yield Case((_lanes(e, number), part.wrap(number)))


@witness("pto.vsunpack", "pto.vzunpack", inputs=_parts)
def _unpack(state: State) -> list[Value]:
    e, wide = state.use.operands[0], state.use.results[0]
    part = state.use.operands[1].number(state.number(1))
    if part not in (0, 1):
        raise Refused("PTO0910")
    half = state.row(0)[part * wide.lanes :][: wide.lanes]
    if state.use.site.record.name == "pto.vsunpack":
        half = [wide.wrap(v - (v >> (e.bits - 1) << e.bits)) for v in half]
    return [half]


@witness("pto.vbitcast", inputs=_vectors)
def _cast(state: State) -> list[Value]:
    """The bytes stay, the first lane in the lowest."""
    e, to = state.use.operands[0], state.use.results[0]
    data = b"".join(v.to_bytes(e.bytes, "little") for v in state.row(0))
    pieces = (data[i : i + to.bytes] for i in range(0, 256, to.bytes))
    return [[int.from_bytes(piece, "little") for piece in pieces]]


@witness("pto.vci", inputs=plain)
def _index(state: State) -> list[Value]:
    """The base, plus or minus the number of the lane: exact, then wrapped or rounded."""
    e, base = state.use.results[0], state.number(0)
    sign = -1 if state.use.attr("order") == "DESC" else 1
    if not e.is_float:
        return [[e.wrap(base + sign * i) for i in range(e.lanes)]]
    if e.is_nan(base) or e.is_inf(base):
        return [[e.nan if e.is_nan(base) else base] * e.lanes]
    exact = (Fraction(e.value(base)) + sign * i for i in range(e.lanes))
    row = [e.round(value) for value in exact]
    # -0 plus 0 is +0, but minus 0 it stays.
    row[0] = 0 if base == e.sign and sign > 0 else base
    return [row]
