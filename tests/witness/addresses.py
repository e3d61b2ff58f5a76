"""Witnesses of vector addresses: what loops make of strides, and streams that go on at them."""

from __future__ import annotations

from collections.abc import Iterator

from tests.witness.inputs import memory, rng, some
from tests.witness.machine import Case, LoadState, StoreState, Value
from tests.witness.memory import packed
from tests.witness.registry import Refused, State, witness
from tests.witness.streams import WHOLE, append, flush, streamed
from tests.witness.use import Use

_WORD = 1 << 32


def _strides(use: Use) -> Iterator[Case]:
    """Four loops around it: more than some forms count. Large strides wrap."""
    for number in range(6):
        r = rng("strides", number)
        bits = 32 if number > 3 else 12
        strides = tuple(r.getrandbits(bits) for _ in use.operands)
        yield Case(strides, counters=tuple(r.randint(0, 900) for _ in range(4)))


@witness("pto.vag", inputs=_strides)
def _generate(state: State) -> list[Value]:
    """The first stride goes with the innermost loop."""
    inner_first = reversed(state.counters)
    pairs = zip(range(len(state.values)), inner_first, strict=False)
    return [sum(state.number(i) * count for i, count in pairs) % _WORD]


def _primes(use: Use) -> Iterator[Case]:
    for number, (base, at) in enumerate(((1000, 0), (64, 7), (990, 65), (8000, 191), (8000, 192))):
        yield Case((base, at), memory(number))


@witness("pto.valda", inputs=_primes)
def _prime(state: State) -> list[Value]:
    start = (state.number(0) + state.number(1)) // 32 * 32
    if start + 32 > len(state.ub):
        raise Refused("PTO0901")
    return [LoadState(start, start + 31, bytes(state.ub[start : start + 32]))]


def _loads(use: Use) -> Iterator[Case]:
    block = rng("block").randbytes(32)
    cases = ((1000, 24, 256), (1000, 31, 0), (0, 1055, 7), (1024, 33, 1), (7936, 0, 256))
    for number, (base, at, inc) in enumerate(cases):
        start = 7936 if base == 7936 else 1024
        yield Case((base, at, LoadState(start, start + 31, block), inc), memory(number))
    yield Case((7936, 1, LoadState(7936, 7967, block), 256), memory(0))
    yield Case((1000, 30, LoadState(1030, 1030, block), _WORD - 1), memory(1))
    yield Case((1000, 30, LoadState(1029, 1029, block), 256), memory(1))
    yield Case((1000, 30, StoreState(), 256), memory(1))


@witness("pto.valdu", inputs=_loads)
def _load(state: State) -> list[Value]:
    """The next address is so many bytes further."""
    following = (state.number(1) + state.number(3)) % _WORD
    loaded = streamed(state, state.values[2], state.number(0) + state.number(1))
    return [*loaded, following]


def _streams(use: Use) -> Iterator[tuple[int, StoreState | LoadState, int, int]]:
    """Streams, and the base and vector address where they go on, or where they do not."""
    for number in range(5):
        held = rng("held", number).randbytes((0, 4, 20, 28, 12)[number])
        end = 1024 + len(held)
        yield number, StoreState(held, end, 512, end), 512, end - 512 + (8 if number == 4 else 0)
    yield 5, StoreState(), 1000, 36
    yield 6, LoadState(1024, 1024, bytes(32)), 512, 512
    yield 7, StoreState(), 8000, 100
    # Of another base, and at its own base.
    yield 8, StoreState(b"four", 1028, 512, 1028), 516, 512
    yield 9, StoreState(b"four", 1028, 512, 1028), 512, 0


def _stores(use: Use) -> Iterator[Case]:
    e = use.operands[2]
    for number, held, base, at in _streams(use):
        yield Case((held, at, some(e, e.lanes, number), base), memory(number))


@witness("pto.vastu", inputs=_stores)
def _store(state: State) -> list[Value]:
    base, at = state.number(3), state.number(1)
    data = packed(state.use.operands[2], state.row(2))
    return [append(state, state.stream(0), base, base + at, data), (at + WHOLE) % _WORD]


def _flushes(use: Use) -> Iterator[Case]:
    for number, held, base, at in _streams(use):
        yield Case((held, base, at), memory(number))


@witness("pto.vasta", inputs=_flushes)
def _flush(state: State) -> None:
    flush(state, state.stream(0), state.number(1) + state.number(2))
