"""Witnesses of helpers that work on UB: sorting, merging, transposing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tests.isa.elements import Element
from tests.isa.values import edges, scattered
from tests.witness.inputs import main, memory, rng
from tests.witness.machine import Case, Covered, Value
from tests.witness.registry import Refused, State, witness
from tests.witness.use import Use

Pair = tuple[int, int]
"""Raw bits of the score, and the index."""
COUNTS = tuple(f"VMS4_{k}" for k in range(4))


def pairs_as_bytes(pairs: Sequence[Pair]) -> bytes:
    """8 bytes each: the score in the lower four, the index above."""
    return b"".join(word.to_bytes(4, "little") for pair in pairs for word in pair)


def by_score(e: Element, pairs: Sequence[Pair]) -> list[Pair]:
    """Descending scores, NaN last, equal scores as they came."""

    def key(pair: Pair) -> tuple[bool, float]:
        value = e.value(pair[0])
        return (value != value, 0.0 if value != value else -value)

    return sorted(pairs, key=key)


def _scores(e: Element, count: int, number: int) -> list[int]:
    """Many ties, zeros of both signs, NaN; edges; random ones."""
    r = rng("scores", e.name, count, number)
    few = [0, e.sign, edges(e)[1], e.nan, e.nan | e.sign | 3, e.infinity, edges(e)[1] | e.sign]
    if number == 5:
        return [few[0]] * count
    if number == 4:  # no number stands behind the NaN before it
        return [e.nan, *scattered(e, count - 1, 3)]
    if number % 3 == 0:
        return [r.choice(few) for _ in range(count)]
    if number % 3 == 1:
        return [r.choice([*edges(e), *few[3:5]]) for _ in range(count)]
    return scattered(e, count, r.getrandbits(30))


def _few(use: Use) -> bool:
    """Sorts of pointers that differ in nothing that is sorted get one case."""
    return not main(use) or use.operands[0].name not in ("f32", "f16")


def _put(data: bytes, at: int, piece: bytes) -> bytes:
    return data[:at] + piece + data[at + len(piece) :]


_MOVED = tuple(
    tuple(by if k == i else 0 for k in range(3)) for i in range(3) for by in (1, 2, 4, 8)
)
"""Each address off by a little, in turn."""


def _aligned(address: int, size: int) -> int:
    if address % size:
        raise Refused("PTO0903")
    return address


def _bitsorts(use: Use) -> Iterator[Case]:
    e = use.operands[1]
    cases = ((2, 0), (3, 1), (1, 2), (0, 0), (-1, 1), (1, 3), (1, 4), (1, 5))
    for groups, number in cases[:1] if _few(use) else cases:
        total = max(groups, 0) * 32
        scores = [s for g in range(max(groups, 0)) for s in _scores(e, 32, number + g)]
        raw = b"".join(s.to_bytes(e.bytes, "little") for s in scores)
        indices = rng("ids", total).randbytes(4 * total)
        ub = _put(_put(memory(number), 512, raw), 2048, indices)
        yield Case((4096, 512, 2048, groups % (1 << 64)), ub)
    if not _few(use):
        for dest, source, ids in _MOVED:
            yield Case((4096 + dest, 512 + source, 2048 + ids, 1), memory(7))


@witness("pto.vbitsort", inputs=_bitsorts)
def _bitsort(state: State) -> None:
    e = state.use.operands[1]
    dest, source, ids = (state.number(k) for k in range(3))
    groups = state.use.operands[3].number(state.number(3))
    if groups < 0:
        raise Refused("PTO0910")
    if groups:
        _aligned(source, e.bytes)
        _aligned(ids, 4)
        _aligned(dest, 4)
    for g in range(groups):
        pairs = [
            (
                _word(state, source + (32 * g + i) * e.bytes, e.bytes),
                _word(state, ids + 4 * (32 * g + i)),
            )
            for i in range(32)
        ]
        _sorted(state, dest + 256 * g, by_score(e, pairs))


def _sorted(state: State, at: int, pairs: list[Pair]) -> None:
    """Writes 32 pairs."""
    state.covered.append(Covered(True, at, 256))
    state.ub[at : at + 256] = pairs_as_bytes(pairs)


def _word(state: State, at: int, size: int = 4) -> int:
    return int.from_bytes(state.ub[at : at + size], "little")


def _sorts(use: Use) -> Iterator[Case]:
    e = use.operands[1]
    cases = ((2, 0), (3, 1), (1, 2), (0, 0), (1, 3), (1, 4), (3, 5))
    for groups, number in cases[:1] if _few(use) else cases:
        scores = [s for g in range(3) for s in _scores(e, 32, number + g)]
        r = rng("sort", number)
        # What a record holds above a 16-bit score does not count.
        noise = 0 if e.bits == 32 else 0xABCD0000
        data = pairs_as_bytes([(s | noise, r.getrandbits(32)) for s in scores])
        yield Case((4096, 512, groups | 0xF00), _put(memory(number), 512, data))
    if not _few(use):
        for dest, source, _ in _MOVED[:8]:
            yield Case((4096 + dest, 512 + source, 1), memory(7))


@witness("pto.vsort32", inputs=_sorts)
def _sort(state: State) -> None:
    """Groups of 32 records; how many is in the lowest 8 bits of the configuration."""
    e, dest, source = state.use.operands[1], state.number(0), state.number(1)
    if state.number(2) & 0xFF:
        _aligned(source, 4)
        _aligned(dest, 4)
    for g in range(state.number(2) & 0xFF):
        at = source + 256 * g
        pairs = [
            (_word(state, at + 8 * i, e.bytes), _word(state, at + 8 * i + 4)) for i in range(32)
        ]
        _sorted(state, dest + 256 * g, by_score(e, pairs))


_Merge = tuple[tuple[int, int, int, int], int, int, int]
"""Lengths of the four lists, which of them are used, whether the first to end stops, times."""


def _settings() -> Iterator[_Merge]:
    yield (5, 7, 3, 7), 0b1111, 0, 1
    yield (4, 4, 4, 4), 0b1111, 1, 1
    for k in range(4):
        yield (5, 4, 2, 6), 0b1111 ^ 1 << k, 0, 1
        yield (7, 3, 9, 4), 0b1111 ^ 1 << k, 1, 1
        short = [9, 9, 9, 9]
        short[k] = 2
        yield (short[0], short[1], short[2], short[3]), 0b1111, 1, 1
        yield (short[0], short[1], short[2], short[3]), 0b1111, 0, 1
        yield (1, 1, 1, 1), 1 << k, 0, 1
    yield (8, 8, 8, 8), 0b1111, 0, 1
    yield (1, 1, 1, 1), 0b1111, 0, 2
    yield (0, 0, 0, 0), 0b1111, 0, 1


def _merges(use: Use) -> Iterator[Case]:
    e = use.operands[1]
    settings = list(_settings())
    for number, (lengths, used, stops, times) in enumerate(settings[:2] if _few(use) else settings):
        ub = memory(number)
        # One list ends where UB does: nothing is read behind it.
        starts = [512 * (k + 1) for k in range(4)]
        shortest = lengths.index(min(lengths))
        starts[shortest] = len(ub) - 8 * lengths[shortest]
        for k, (start, length) in enumerate(zip(starts, lengths, strict=True)):
            r = rng("merge", number, k)
            scores = _scores(e, length, 3 * number + k)
            if length == 2:  # the short list goes first
                scores = [e.infinity] * 2
            if length == 8:  # no number at all: the lower list first
                scores = [e.nan] * 8
            if length == 1:  # below 0, where a comparison with nothing would fail
                scores = [e.infinity | e.sign]
            made = by_score(e, [(s, r.getrandbits(32)) for s in scores])
            ub = _put(ub, start, pairs_as_bytes(made))
        count = sum(length << 16 * k for k, length in enumerate(lengths))
        config = times | used << 8 | stops << 12
        # What an earlier merge left must not matter.
        left = dict.fromkeys((*COUNTS, "VMS4_OUT", "VMS4_DONE"), 1)
        yield Case((4096, *starts, count, config), ub, registers=left)


@witness("pto.vmrgsort4", inputs=_merges)
def _merge(state: State) -> None:
    """The first of the heads with the highest score, until all lists end, or one does."""
    e = state.use.operands[1]
    dest, *starts, count, config = (state.number(k) for k in range(7))
    if config & 0xFF != 1:
        raise Refused("PTO0914")
    lists: list[list[bytes]] = []
    for k, start in enumerate(starts):
        length = count >> 16 * k & 0xFFFF if config >> (8 + k) & 1 else 0
        lists.append([bytes(state.ub[start + 8 * i : start + 8 * i + 8]) for i in range(length)])
    if not config >> 12 & 1:
        # Otherwise how much is taken depends on the scores.
        ends = [(dest, sum(map(len, lists))), *zip(starts, map(len, lists), strict=True)]
        state.covered += [Covered(not k, at, 8 * n) for k, (at, n) in enumerate(ends) if n]
    taken, out = [0, 0, 0, 0], b""
    while any(taken[k] < len(lists[k]) for k in range(4)):
        heads = [(k, lists[k][taken[k]]) for k in range(4) if taken[k] < len(lists[k])]
        values = [e.value(int.from_bytes(head[: e.bytes], "little")) for _, head in heads]
        numbers = [v for v in values if v == v]
        k, head = heads[values.index(max(numbers)) if numbers else 0]
        out += head
        taken[k] += 1
        if config >> 12 & 1 and taken[k] == len(lists[k]):
            break
    state.ub[dest : dest + len(out)] = out
    state.registers = dict(zip(COUNTS, taken, strict=True))


def _read(use: Use) -> Iterator[Case]:
    yield Case(registers=dict(zip(COUNTS, (1, 20, 300, 32767), strict=True)))
    yield Case()


@witness("pto.get_vms4_sr", inputs=_read)
def _counts(state: State) -> list[Value]:
    return [state.registers.get(name, 0) for name in COUNTS]


def _matrices(use: Use) -> Iterator[Case]:
    shapes = ((5, 7), (1, 9), (8, 1), (16, 4), (0, 3), (4, 0))
    for number, (rows, columns) in enumerate(shapes if main(use) else shapes[:1]):
        yield Case((4096, 512, rows | columns << 16 | 5 << 32), memory(number))


@witness("pto.vtranspose", inputs=_matrices)
def _transpose(state: State) -> None:
    """Rows in the lowest 16 bits of the configuration, columns in the next."""
    size, dest, source = state.use.operands[1].bytes, state.number(0), state.number(1)
    rows, columns = state.number(2) & 0xFFFF, state.number(2) >> 16 & 0xFFFF
    if not rows * columns:
        raise Refused("PTO0910")
    state.covered.append(Covered(True, dest, size * rows * columns))
    for row in range(rows):
        for column in range(columns):
            at, to = source + size * (row * columns + column), dest + size * (column * rows + row)
            state.ub[to : to + size] = state.ub[at : at + size]
