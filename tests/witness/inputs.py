"""Inputs of the witnesses: edges and random bits of every type, masks of every kind."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, lru_cache

from ptoscope.isa.types import Mask, Scalar, VReg
from tests.isa.elements import NARROW, Element
from tests.isa.registers import image
from tests.isa.values import edges, pairs, scattered, singles
from tests.witness.machine import UB_BYTES, Case, Value
from tests.witness.registry import Inputs
from tests.witness.use import Use

BITS = 256


def main(use: Use) -> bool:
    """Whether a use gets all inputs: on other targets, and in a revision that says nothing of
    its own, a few show that nothing differs."""
    record = use.site.record
    return use.target == record.targets[-1] and (not use.micro or bool(record.micro_formula))


def rng(*about: object) -> random.Random:
    """A generator for one purpose."""
    return random.Random(" ".join(map(str, about)))


def mask(kind: int, lanes: int, seed: object = 0) -> list[int]:
    """A predicate register: any 256 bits, all, the first lanes, none, any lanes."""
    return list(_mask(kind, lanes, str(seed)))


@lru_cache(4096)
def _mask(kind: int, lanes: int, seed: str) -> list[int]:
    r = rng("mask", kind, lanes, seed)
    match kind % 5:
        case 0:
            return [r.getrandbits(1) for _ in range(BITS)]
        case 1:
            return [1] * BITS
        case 2:
            tail = r.choice((1, lanes - 1, r.randint(1, lanes - 1)))
            return image([int(i < tail) for i in range(lanes)])
        case 3:
            return [0] * BITS
        case _:
            return image([r.getrandbits(1) for _ in range(lanes)])


def memory(seed: object) -> bytes:
    """Random bytes for all of UB."""
    return random_bytes(UB_BYTES, "memory", seed)


def random_bytes(size: int, *about: object) -> bytes:
    """So many, for one purpose."""
    return _random_bytes(size, " ".join(map(str, about)))


@lru_cache(1024)
def _random_bytes(size: int, about: str) -> bytes:
    return rng(about).randbytes(size)


@cache
def numbers(e: Element) -> tuple[int, ...]:
    """Edges of a type; all codes of a narrow float."""
    return tuple(range(256)) if e.name in NARROW else (0, 1) if e.bits == 1 else edges(e)


def some(e: Element, count: int, seed: object) -> list[int]:
    """Edges and random bits, shuffled."""
    return list(_some(e, count, str(seed)))


# Uses of one instruction ask for the same numbers again and again.
@lru_cache(4096)
def _some(e: Element, count: int, seed: str) -> list[int]:
    r, known = rng(e.name, count, seed), numbers(e)
    out = [r.choice(known) if r.random() < 0.5 else r.getrandbits(e.bits) for _ in range(count)]
    if e.is_float:
        out[::3] = scattered(e, len(out[::3]), r.getrandbits(30))
    return out


def _rows(use: Use) -> list[list[list[int]]]:
    """For each vector operand its rows: every pair of edges where there are two."""
    vectors = [use.operands[i] for i, t in enumerate(use.site.operands) if isinstance(t, VReg)]
    if len(vectors) == 2 and vectors[0] == vectors[1] and vectors[0].name not in NARROW:
        left, right = pairs(vectors[0], 128)
        return [list(left), list(right)]
    if len(vectors) == 1 and vectors[0].name not in NARROW:
        return [list(singles(vectors[0], 5))]
    return [[some(e, e.lanes, (k, row)) for row in range(6)] for k, e in enumerate(vectors)]


def plain(use: Use) -> Iterator[Case]:
    """Vectors, scalars and masks of any values: what a lane-wise instruction takes."""
    types = use.site.operands
    rows = _rows(use)
    count = max([len(rows[0]) if rows else 5, 5])
    if not main(use):
        count = 3
    scalars = [i for i, t in enumerate(types) if isinstance(t, Scalar)]
    if scalars:
        count = max(count, len(numbers(use.operands[scalars[0]]))) if main(use) else 4
    for number in range(count):
        yield Case(_values(use, rows, number))
    for kind in range(5) if any(isinstance(t, Mask) for t in types) else ():
        yield Case(_values(use, rows, kind, kind))


def _values(
    use: Use, rows: list[list[list[int]]], number: int, kind: int | None = None
) -> tuple[Value, ...]:
    vectors = iter(rows)
    values: list[Value] = []
    for i, (type, e) in enumerate(zip(use.site.operands, use.operands, strict=True)):
        match type:
            case VReg():
                of = next(vectors)
                values.append(of[number % len(of)])
            case Mask():
                # The first case has any bits; then all lanes, so that every pair is seen.
                chosen = kind if kind is not None else (0 if number == 0 else 1)
                values.append(mask(chosen, type.lanes, (number, i)))
            case Scalar():
                known = numbers(e)
                values.append(known[(number + 7 * i) % len(known)])
            case _:
                raise AssertionError(f"{type} needs inputs of its own")
    return tuple(values)


def scalars(count: int = 60) -> Inputs:
    """Pairs of edges, then random numbers, for scalar operations."""

    def inputs(use: Use) -> Iterator[Case]:
        if not main(use):
            yield from _scalar_cases(use, 8)
        else:
            yield from _scalar_cases(use, count)

    return inputs


def _scalar_cases(use: Use, count: int) -> Iterator[Case]:
    elements = use.operands
    if not elements:
        yield Case()
        return
    known = [numbers(e) for e in elements]
    if len(elements) == 1:
        for value in known[0][: max(count, 8)]:
            yield Case((value,))
    else:
        r = rng("pairs", use)
        every = [(a, b) for a in known[0] for b in known[1]]
        rest = tuple(r.choice(k) for k in known[2:])
        chosen = every if len(every) <= 4 * count else r.sample(every, 4 * count)
        if elements[0].is_float and elements[0] == elements[1]:
            e = elements[0]
            few = (0, e.sign, e.infinity, e.nan, e.nan | e.sign | 1, e.infinity >> 1)
            chosen = [*((a, b) for a in few for b in few), *chosen]
        for a, b in chosen:
            yield Case((a, b, *rest))
    for n in range(count):
        yield Case(tuple(some(e, 1, (n, i))[0] for i, e in enumerate(elements)))


def with_memory(inputs: Inputs) -> Inputs:
    """The same cases on random memory."""

    def more(use: Use) -> Iterator[Case]:
        for number, case in enumerate(inputs(use)):
            yield replace(case, ub=memory(number))

    return more


Choose = Callable[[Use, int], tuple[Value, ...]]


def drawn(choose: Choose, count: int, few: int = 2) -> Inputs:
    """Cases on random memory whose operands a function draws from the number of the case."""

    def inputs(use: Use) -> Iterator[Case]:
        for number in range(count if main(use) else few):
            yield Case(choose(use, number), memory(number))

    return inputs
