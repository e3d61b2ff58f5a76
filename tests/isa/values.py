"""Operand values: the edges of a type, and random bits."""

from __future__ import annotations

import random
from functools import cache

from tests.isa.elements import Element

Rows = list[list[int]]


@cache
def edges(e: Element) -> tuple[int, ...]:
    """Raw bits of the values where things go wrong."""
    if not e.is_float:
        low = (0, 1, 2, 3, 7, e.bits - 1, e.bits, e.bits + 1, e.full >> 4)
        around_sign = (e.sign - 1, e.sign, e.sign + 1)
        return tuple(dict.fromkeys((*low, *around_sign, e.full - 1, e.full)))
    one = e.infinity >> 1 & e.infinity
    normal = 1 << (e.precision - 1)
    positive = (
        0,
        one,
        one | normal >> 1,  # 1.5
        one + 1,  # the next after 1
        one - 1,  # the one before 1
        2 * normal + 5,
        normal,  # the smallest normal
        normal - 1,  # the largest subnormal
        1,  # the smallest subnormal
        e.infinity - 1,  # the largest finite
        e.infinity - 1 - (normal >> 1),
        e.infinity,
        e.nan,
        e.infinity | 1,  # signalling
        e.nan | 5,  # with a payload
    )
    return (*positive, *(v | e.sign for v in positive))


def scattered(e: Element, count: int, seed: int) -> list[int]:
    """Random bits; for floats half of them of ordinary size, so that sums cancel and round."""
    rng = random.Random(f"{e.name} {seed}")
    out = [rng.getrandbits(e.bits) for _ in range(count)]
    if e.is_float:
        one = e.infinity >> 1 & e.infinity
        normal = 1 << (e.precision - 1)
        for i in range(0, count, 2):
            exponent = one + normal * rng.randint(-6, 6)
            out[i] = rng.choice((0, e.sign)) | exponent | rng.getrandbits(e.precision - 1)
    return out


def _fill(values: list[int], e: Element, seed: int) -> Rows:
    """Rows of one register, the last one filled up with random values."""
    values = values + scattered(e, -len(values) % e.lanes, seed)
    return [values[i : i + e.lanes] for i in range(0, len(values), e.lanes)]


@cache
def pairs(e: Element, others: int = 640) -> tuple[Rows, Rows]:
    """Two operands: every pair of edges, then random values against random and edge values."""
    corners = [(a, b) for a in edges(e) for b in edges(e)]
    left = [a for a, _ in corners] + scattered(e, others, 1)
    rng = random.Random(2)
    right = [b for _, b in corners] + scattered(e, others // 2, 3)
    right += [rng.choice(edges(e)) for _ in range(others - others // 2)]
    return _fill(left, e, 4), _fill(right, e, 5)


@cache
def singles(e: Element, rows: int) -> Rows:
    """One operand: the edges in every row, at other places, among random values."""
    out: Rows = []
    for row in range(rows):
        values = [*edges(e), *scattered(e, e.lanes, row)][: e.lanes]
        random.Random(row).shuffle(values)
        out.append(values)
    return out


def to_reduce(e: Element) -> Rows:
    """Edges; random; equal values, so that the lowest index counts; zeros of both signs; floats
    without NaN and infinity."""
    random = [scattered(e, e.lanes, 20 + i) for i in range(6)]
    rows = [*singles(e, 4), *random, [3] * e.lanes, [e.full] * e.lanes, [e.sign] * e.lanes]
    if e.is_float:
        rows += [[0 if e.is_nan(v) or e.is_inf(v) else v for v in row] for row in random]
        rows += [[e.sign * (i % 2) for i in range(e.lanes)], [e.nan | 1] * e.lanes]
        rows += [[e.infinity | e.sign] * e.lanes, [e.infinity] * e.lanes]
    return rows


def masks(lanes: int, rows: int, seed: int = 0) -> list[list[list[int]]]:
    """All active, none active, tails, random: each a mask for every row."""
    rng = random.Random(seed)
    tails = [rng.choice((0, 1, lanes - 1, lanes, rng.randint(0, lanes))) for _ in range(rows)]
    return [
        [[1] * lanes] * rows,
        [[0] * lanes] * rows,
        [[int(i < tail) for i in range(lanes)] for tail in tails],
        [[rng.getrandbits(1) for _ in range(lanes)] for _ in range(rows)],
    ]


def is_tail(mask: list[int]) -> bool:
    """Whether the active lanes are the first ones: what a lane count can express."""
    return sorted(mask, reverse=True) == mask


def writable(bits: int, kinds: list[list[list[int]]]) -> list[list[list[int]]]:
    """The masks that a kernel of `Case` makes: any of 32 bits, those of narrower lanes from a
    lane count. Any bits at all are for the witnesses."""
    return [kind for kind in kinds if bits == 32 or all(map(is_tail, kind))]
