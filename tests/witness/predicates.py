"""Witnesses of predicates: patterns, counts, logic, and the bits of the whole register."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tests.isa.registers import BITS, image, lanes_of
from tests.witness.inputs import main, mask, memory, rng
from tests.witness.machine import Case, Value
from tests.witness.registry import Refused, State, witness
from tests.witness.use import Use, updates

_WIDTHS = (8, 16, 32)


def _lanes(state: State) -> int:
    """Lanes of the first result's granularity."""
    return 2048 // state.use.results[0].bits


def _none(use: Use) -> Iterator[Case]:
    yield Case()


@witness(*(f"pto.{name}_b{w}" for name in ("pset", "pge") for w in _WIDTHS), inputs=_none)
def _pattern(state: State) -> list[Value]:
    n, pattern = _lanes(state), state.use.attr("pattern").removeprefix("PAT_")
    if pattern[:2] == "VL":
        lanes = [int(i < int(pattern[2:])) for i in range(n)]
    elif pattern[0] == "M":
        lanes = [int(i % int(pattern[1:]) == 0) for i in range(n)]
    else:
        first = {"ALL": n, "ALLF": 0, "H": n // 2, "Q": n // 4}[pattern]
        lanes = [1] * first + [0] * (n - first)
    return [image(lanes)]


def _counts(use: Use) -> Iterator[Case]:
    n = 2048 // use.results[0].bits
    for count in (n // 2 + 3, n, n + 1, 2 * n + 5, n - 1, 0, 1, -1, -n, 2**31 - 1, -(2**31)):
        yield Case((count % (1 << 32),))


@witness(*(f"pto.plt_b{w}" for w in _WIDTHS), inputs=_counts)
def _first(state: State) -> list[Value]:
    """The count is signed; what is left after these lanes is not below 0."""
    n, e = _lanes(state), state.use.operands[0]
    count = e.number(state.number(0))
    return [image([int(i < count) for i in range(n)]), e.wrap(max(count - n, 0))]


def _logic(name: str, holds: Callable[..., int]) -> None:
    @witness(f"pto.{name}", inputs=_registers)
    def formula(state: State) -> list[Value]:  # pyright: ignore[reportUnusedFunction]
        n = _lanes(state)
        *columns, active = (lanes_of(state.row(i), n) for i in range(len(state.values)))
        rows = zip(*columns, strict=True)
        return [image([on and holds(*row) for row, on in zip(rows, active, strict=True)])]


def _registers(use: Use) -> Iterator[Case]:
    """Any bits, and lanes alone."""
    for number in range(6 if main(use) else 2):
        r = rng("registers", number)
        yield Case(
            tuple(
                [r.getrandbits(1) for _ in range(BITS)] if number < 4 else mask(number + i, 64, i)
                for i in range(len(use.operands))
            )
        )


_logic("pand", lambda a, b: a & b)
_logic("por", lambda a, b: a | b)
_logic("pxor", lambda a, b: a ^ b)
_logic("pnot", lambda a: 1 - a)


@witness("pto.psel", inputs=_registers)
def _select(state: State) -> list[Value]:
    rows = [lanes_of(state.row(i), _lanes(state)) for i in range(len(state.use.operands))]
    a, b, chooses, *active = rows
    found = [x if c else y for x, y, c in zip(a, b, chooses, strict=True)]
    return [image([x & on for x, on in zip(found, active[0], strict=True)] if active else found)]


@witness("pto.ppack", inputs=_registers)
def _pack(state: State) -> list[Value]:
    """Every second bit of the register, into one half of it."""
    kept, none = state.row(0)[::2], [0] * 128
    return [none + kept if state.use.attr("part") == "HIGHER" else kept + none]


@witness("pto.punpack", inputs=_registers)
def _unpack(state: State) -> list[Value]:
    start = 128 if state.use.attr("part") == "HIGHER" else 0
    return [[bit for kept in state.row(0)[start : start + 128] for bit in (kept, 0)]]


@witness("pto.pbitcast", inputs=_registers)
def _cast(state: State) -> list[Value]:
    return [state.row(0)]


@witness(*(f"pto.pintlv_b{w}" for w in _WIDTHS), inputs=_registers)
def _interleave(state: State) -> list[Value]:
    n = _lanes(state)
    a, b = (lanes_of(state.row(i), n) for i in range(2))
    both = [bit for pair in zip(a, b, strict=True) for bit in pair]
    return [image(both[:n]), image(both[n:])]


@witness(*(f"pto.pdintlv_b{w}" for w in _WIDTHS), inputs=_registers)
def _separate(state: State) -> list[Value]:
    n = _lanes(state)
    both = lanes_of(state.row(0), n) + lanes_of(state.row(1), n)
    return [image(both[::2]), image(both[1::2])]


# Predicate memory: the register as 32 bytes, or the lanes of a b32 mask as one word.


def bits_of(data: bytes | bytearray) -> list[int]:
    """Bits from the lowest of the first byte."""
    return [byte >> i & 1 for byte in data for i in range(8)]


def bytes_of(bits: list[int]) -> bytes:
    """The reverse."""
    return bytes(
        sum(bit << i for i, bit in enumerate(bits[at : at + 8])) for at in range(0, len(bits), 8)
    )


def _is_word(use: Use) -> bool:
    """One word: always of pld and pst, of the others in the form without brackets."""
    return use.site.record.short in ("pld", "pst") or use.form == 2


def _places(use: Use) -> Iterator[Case]:
    """Addresses that are multiples of 8, and two that are not."""
    loads = use.site.record.short in ("pld", "plds", "pldi", "pald")
    addressed = use.site.record.short in ("pald", "past")
    immediate = use.form == 2 and len(use.operands) > (1 if loads else 2)
    size = _unit(use)
    width = 32 if _is_word(use) else 64
    for number, (base, bytes_on) in enumerate(
        ((1024, 64), (512, 8), (2048, -256), (8, 0), (0, 0), (1028, 0), (1024, 4), (1024, 1))
    ):
        if bytes_on % size or (addressed and bytes_on < 0):
            continue
        if immediate and bytes_on < 0:
            continue
        offset = () if use.form == 2 and not immediate else (bytes_on // size % (1 << width),)
        ahead = () if loads else (mask(0, 64, number),)
        yield Case((*ahead, base, *offset), memory(number))


def _unit(use: Use) -> int:
    """The bytes that an offset counts: those of a word; one; and of an immediate one, by mode."""
    name = use.site.record.short
    if _is_word(use):
        return 8
    return {"US": 16, "PK": 16}.get(use.attr("dist"), 32) if name in ("pldi", "psti") else 1


def _address(state: State, pointer: int) -> int:
    """The base plus the offset, the base alone with post-update."""
    address = state.number(pointer) if updates(state.use) else _further(state, pointer)
    if address % 8:
        raise Refused("PTO0903")
    return address


def _further(state: State, pointer: int) -> int:
    if len(state.values) == pointer + 1:
        return state.number(pointer)
    offset, bits = state.number(pointer + 1), state.use.operands[pointer + 1].bits
    signed = offset - (1 << bits) if offset >> (bits - 1) else offset
    return state.number(pointer) + _unit(state.use) * signed


def _updated(state: State, pointer: int) -> list[Value]:
    return [_further(state, pointer)] if updates(state.use) else []


_SPREAD: dict[str, Callable[[int], int]] = {
    "NORM": lambda i: i,
    "US": lambda i: i // 2,
    "DS": lambda i: 2 * i,
}


def _dist(use: Use) -> str:
    """The mode, NORM in a form that has none."""
    return use.attr("dist") if "dist" in use.site.attrs else "NORM"


def _load_word(state: State) -> list[Value]:
    address = _address(state, 0)
    bits, place = bits_of(state.ub[address : address + 16]), _SPREAD[_dist(state.use)]
    return [image([bits[place(i)] for i in range(64)])]


def _store_word(state: State) -> list[Value]:
    address = _address(state, 1)
    state.ub[address : address + 8] = bytes_of(lanes_of(state.row(0), 64))
    return []


@witness("pto.pld", "pto.plds", "pto.pldi", "pto.pald", inputs=_places)
def _load(state: State) -> list[Value]:
    if _is_word(state.use):
        return _load_word(state)
    address = _address(state, 0)
    bits, place = bits_of(state.ub[address : address + 64]), _SPREAD[state.use.attr("dist")]
    return [[bits[place(i)] for i in range(BITS)], *_updated(state, 0)]


@witness("pto.pst", "pto.psts", "pto.psti", "pto.past", inputs=_places)
def _store(state: State) -> list[Value]:
    """PK keeps every second bit."""
    if _is_word(state.use):
        return _store_word(state)
    address = _address(state, 1)
    data = bytes_of(state.row(0)[:: 2 if state.use.attr("dist") == "PK" else 1])
    state.ub[address : address + len(data)] = data
    return _updated(state, 1)
