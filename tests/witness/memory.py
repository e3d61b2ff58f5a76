"""Witnesses of vector loads and stores: which bytes of UB a lane is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from ptoscope.isa.dtypes import dtype
from ptoscope.isa.types import Ptr, VAddr, VReg
from tests.isa.elements import Element
from tests.isa.registers import lanes_of
from tests.witness.inputs import main, mask, memory, rng, some
from tests.witness.machine import Case, Value
from tests.witness.registry import Refused, State, witness
from tests.witness.use import Use, unit, updates

NOWHERE = -1


def packed(e: Element, row: list[int]) -> bytes:
    """A register as its 256 bytes."""
    return b"".join(v.to_bytes(e.bytes, "little") for v in row)


def lanes(e: Element, data: bytes) -> list[int]:
    """256 bytes as the lanes of a register."""
    return [int.from_bytes(data[i : i + e.bytes], "little") for i in range(0, 256, e.bytes)]


def _suffix(use: Use, name: str) -> int:
    """The element width in bytes that a mode sees: that of its suffix."""
    token = use.attr(name)
    if token in ("UNPK4", "SPLT4CHN", "BLK", "BRC_BLK", "BDINTLV"):
        return 1
    bits = token.rpartition("_B")[2]
    return int(bits) // 8 if bits.isdigit() else use_element(use).bytes


def use_element(use: Use) -> Element:
    """The element type in memory: a load's pointer or a store's register has it."""
    return use.operands[0]


def _aligned(use: Use, width: int, elementwise: bool) -> int:
    """What an address is a multiple of: 32 bytes, on the CPU and for single elements the
    element's size."""
    if elementwise:
        return width
    return max(width, use_element(use).bytes) if use.target == "cpu" else 32


def addresses(use: Use) -> Iterator[tuple[int, int]]:
    """Bases and offsets in elements: forward, backward, none, off by an element or two."""
    size = use_element(use).bytes
    places = [(1024, 96), (3008, -64), (512, 0), (1024, 16), (1024, 8), (1024, 4), (1024, 2)]
    places += [(1025, 0), (1028, 0), (1040, 0), (1056, 0)]
    addressed = any(isinstance(kind, VAddr) for kind in use.site.operands)
    for base, at in places if main(use) else (places[0], *places[7:]):
        if addressed and at >= 0:
            yield base, at
        elif not addressed and at % size == 0:
            yield base, at // size % (1 << 64)


def _loads(use: Use) -> Iterator[Case]:
    for number, address in enumerate(addresses(use)):
        yield Case(address, memory(number))


def address(state: State, operand: int, alignment: int, touched: bool = True) -> int:
    """Base plus offset elements, the base alone with post-update; it has to be aligned where
    anything is touched."""
    at = state.number(operand) if updates(state.use) else _further(state, operand)
    if touched and at % alignment:
        raise Refused("PTO0903")
    return at


def _further(state: State, operand: int) -> int:
    size = unit(state.use, operand + 1, use_element(state.use).bytes)
    return (state.number(operand) + size * state.number(operand + 1)) % (1 << 64)


def updated(state: State, operand: int) -> list[Value]:
    """The further result of a post-update form: the base plus the offset."""
    return [_further(state, operand)] if updates(state.use) else []


# Element of memory that lane i of a load is, in elements of the mode's width.
_LOADS: dict[str, Callable[[int, int], int]] = {
    "NORM": lambda i, w: i,
    "BRC": lambda i, w: 0,
    "US": lambda i, w: i // 2,
    "DS": lambda i, w: 2 * i,
    "UNPK": lambda i, w: i // 2 if i % 2 == 0 else NOWHERE,
    "UNPK4": lambda i, w: i // 4 if i % 4 == 0 else NOWHERE,
    "SPLT4CHN": lambda i, w: 4 * i,
    "SPLT2CHN": lambda i, w: 2 * i,
    "DINTLV": lambda i, w: 2 * i,
    "BLK": lambda i, w: i % 32,
    "BRC_BLK": lambda i, w: i % 32,
    "E2B": lambda i, w: i * w // 32,
}


def _with_wider(use: Use) -> Iterator[Use]:
    """The use, and if its mode extends integers, those into wider registers of every sign."""
    yield use
    mode, e = use.attr("dist"), use.operands[0]
    integers = e.name.lstrip("siu").isdigit()
    if mode.startswith("UNPK") and integers and e.bits == 8 * _suffix(use, "dist"):
        for sign in ("i", "si", "ui"):
            wide = VReg(dtype(f"{sign}{e.bits * (4 if mode == 'UNPK4' else 2)}"))
            yield Use(replace(use.site, results=(wide, *use.site.results[1:])))


@witness("pto.vlds", "pto.vald", inputs=_loads, variants=_with_wider)
def _load(state: State) -> list[Value]:
    use, mode = state.use, state.use.attr("dist")
    width, name = _suffix(use, "dist"), mode.rpartition("_B")[0] or mode
    name = mode if mode in ("BRC_BLK", "UNPK4", "BLK") else name
    at = address(state, 0, _aligned(use, width, name == "BRC"))
    data = b""
    for i in range(256 // width):
        place = _LOADS[name](i, width)
        first = at + place * width
        data += bytes(width) if place == NOWHERE else state.ub[first : first + width]
    return [lanes(use.results[0], data), *updated(state, 0)]


@witness("pto.vldsx2", "pto.valdx2", inputs=_loads)
def _load_two(state: State) -> list[Value]:
    """Even elements and odd ones; with BDINTLV, blocks of 32 bytes."""
    use, mode = state.use, state.use.attr("dist")
    width = 32 if mode == "BDINTLV" else _suffix(use, "dist")
    at = address(state, 0, _aligned(use, 1 if mode == "BDINTLV" else width, False))
    pieces = [bytes(state.ub[at + i : at + i + width]) for i in range(0, 512, width)]
    both = [lanes(use.results[0], b"".join(pieces[k::2])) for k in range(2)]
    return [*both, *updated(state, 0)]


_STRIDES = {"S3_B16": (3, 2), "S4_B64": (4, 8), "S8_B32": (8, 4), "S2_B64": (2, 8)}


@witness("pto.vsld", inputs=_loads)
def _load_strided(state: State) -> list[Value]:
    step, width = _STRIDES[state.use.attr("stride").removeprefix("STRIDE_")]
    at = address(state, 0, _aligned(state.use, width, False))
    places = (at + i * step * width for i in range(256 // width))
    return [lanes(state.use.results[0], b"".join(bytes(state.ub[p : p + width]) for p in places))]


def _stores(vectors: int, masked: bool) -> Callable[[Use], Iterator[Case]]:
    def inputs(use: Use) -> Iterator[Case]:
        e = use.operands[0]
        for number, place in enumerate(addresses(use)):
            rows = tuple(some(e, e.lanes, (number, k)) for k in range(vectors))
            gate = (mask(number, e.lanes, number),) if masked else ()
            yield Case((*rows, *place, *gate), memory(number))

    return inputs


def _merged(i: int, channels: int, group: int) -> int:
    """Where element i of groups of planes goes: within a group the channels alternate."""
    first = i - i % group
    channel, item = divmod(i % group, group // channels)
    return first + item * channels + channel


@witness("pto.vsts", "pto.vast", inputs=_stores(1, True))
def _store(state: State) -> list[Value]:
    """Narrowing modes keep the low bytes, 1PT the first element whatever the mask."""
    use, mode = state.use, state.use.attr("dist")
    width = _suffix(use, "dist")
    kept = {"PK4": width // 4, "PK_": width // 2}.get(mode[:3], width)
    data, bits = packed(use.operands[0], state.row(0)), state.row(3)
    pieces: list[tuple[int, bytes]] = []
    for i in range(1 if mode.startswith("1PT") else 256 // width):
        place, active = i, mode.startswith("1PT") or bits[i * width]
        if mode.startswith("MRG"):
            # Planes are of the whole vector; in revision micro of each 32-byte block.
            place = _merged(i, int(mode[3]), (32 if use.micro else 256) // width)
            # Its mask governs places, in elements as wide as all channels together.
            wide = int(mode[3]) * width
            active = bits[place * width // wide * wide] if use.micro else active
        if active:
            pieces.append((place * kept, data[i * width :][:kept]))
    at = address(state, 1, _aligned(use, kept, mode.startswith("1PT")), bool(pieces))
    for place, piece in pieces:
        state.ub[at + place : at + place + kept] = piece
    return updated(state, 1)


@witness("pto.vstsx2", "pto.vastx2", inputs=_stores(2, True))
def _store_two(state: State) -> None:
    """Elements of two registers in iterations; micro ignores the mask."""
    use, width = state.use, _suffix(state.use, "dist")
    active = [use.micro or state.row(4)[i * width] for i in range(256 // width)]
    at = address(state, 2, _aligned(use, width, False), any(active))
    low, high = (packed(use.operands[k], state.row(k)) for k in range(2))
    for i, on in enumerate(active):
        if on:
            first = at + 2 * i * width
            pair = low[i * width :][:width] + high[i * width :][:width]
            state.ub[first : first + 2 * width] = pair


@witness("pto.vsst", inputs=_stores(1, False))
def _store_strided(state: State) -> None:
    step, width = _STRIDES[state.use.attr("stride").removeprefix("STRIDE_")]
    at = address(state, 1, _aligned(state.use, width, False))
    data = packed(state.use.operands[0], state.row(0))
    for i in range(256 // width):
        first = at + i * step * width
        state.ub[first : first + width] = data[i * width :][:width]


# Indexed accesses.


def _active(state: State, operand: int, count: int) -> list[int]:
    """Lanes that take part: of a mask, or the first of a number of them."""
    value = state.values[operand]
    if isinstance(value, list):
        return lanes_of(value, count)
    signed = state.use.operands[operand].number(state.number(operand))
    return [int(i < signed) for i in range(count)]


def _selector(use: Use, number: int, count: int) -> Value:
    if use.form != 1:
        return mask(number, count, number)
    return (count // 2 + 1, 0, count, count + 1, 1, -1 % (1 << 64))[number % 6]


def _index(use: Use, i: Element) -> Element:
    """How the numbers of an index are read: without a sign they are unsigned in revision micro."""
    signless = i.name.startswith("i") and use.site.revision == "micro"
    return Element("u" + i.name) if signless else i


def _indices(use: Use, i: Element, number: int) -> list[int]:
    """Element numbers within UB, of either sign where the index has one; the first few lanes
    of some cases repeat one."""
    r = rng("indices", use, number)
    read = _index(use, i)
    low, high = (-min(60, i.sign), min(400, i.sign - 1)) if read.signed else (0, min(400, i.full))
    if "vscatter" in use.site.record.name and use.target == "a2a3":
        return [i.wrap(v) for v in range(low, low + i.lanes)]
    return [i.wrap(r.randint(low, high)) for _ in range(i.lanes)]


def _gathers(use: Use) -> Iterator[Case]:
    e, i = use.operands[0], use.operands[1]
    for number in range(6 if main(use) else 2):
        base = 2048 + e.bytes * number
        row = _indices(use, i, number)
        yield Case((base, row, _selector(use, number, i.lanes)), memory(number))
    row = _indices(use, i, 0)
    yield Case((1 if e.bytes > 1 else 0, row, _selector(use, 0, i.lanes)), memory(0))
    yield Case((8192, row, _selector(use, 0, i.lanes)), memory(0))
    yield Case((2048, [i.wrap(-1)] * i.lanes, _selector(use, 0, i.lanes)), memory(0))


def _request(state: State, e: Element, at: int, outside: str = "PTO0901") -> int:
    """The address of one element, inside UB and a multiple of its size."""
    if at % e.bytes:
        raise Refused("PTO0903")
    if not 0 <= at <= len(state.ub) - e.bytes:
        raise Refused(outside)
    return at


@witness("pto.vgather2", "pto.vgather2_bc", inputs=_gathers)
def _gather(state: State) -> list[Value]:
    """Elements as they are; bytes by indices of 16 bits are numbers without a sign."""
    e, i = state.use.operands[0], _index(state.use, state.use.operands[1])
    active = _active(state, 2, i.lanes)
    out: list[int] = []
    for raw, on in zip(state.row(1), active, strict=True):
        at = _request(state, e, state.number(0) + e.bytes * i.number(raw)) if on else 0
        out.append(int.from_bytes(state.ub[at : at + e.bytes], "little") if on else 0)
    return [out]


def _scatters(use: Use) -> Iterator[Case]:
    e, i = use.operands[0], use.operands[2]
    for number in range(6 if main(use) else 2):
        base = 2048 + e.bytes * number
        row = _indices(use, i, number)
        values = some(e, e.lanes, number)
        yield Case((values, base, row, _selector(use, number, i.lanes)), memory(number))
    row, values = _indices(use, i, 0), some(e, e.lanes, 0)
    alias = [row[0]] * i.lanes
    yield Case((values, 2048, alias, _selector(use, 0, i.lanes)), memory(0))
    yield Case((values, 8192, row, _selector(use, 0, i.lanes)), memory(0))


@witness("pto.vscatter", inputs=_scatters)
def _scatter(state: State) -> None:
    """Of lanes with one address the lowest wins; on A2/A3 they are a fault. Bytes by indices of
    16 bits are the even ones."""
    e, i = state.use.operands[0], _index(state.use, state.use.operands[2])
    active = _active(state, 3, i.lanes)
    requests: list[tuple[int, int]] = []
    values = state.row(0)[:: e.lanes // i.lanes]
    for raw, value, on in zip(state.row(2), values, active, strict=True):
        if on:
            requests.append((_request(state, e, state.number(1) + e.bytes * i.number(raw)), value))
    places = [at for at, _ in requests]
    if state.use.target == "a2a3" and len(set(places)) < len(places):
        raise Refused("PTO0911")
    for at, value in reversed(requests):
        state.ub[at : at + e.bytes] = value.to_bytes(e.bytes, "little")


def _block_gathers(use: Use) -> Iterator[Case]:
    for number in range(7 if main(use) else 2):
        r = rng("blocks", number)
        offsets = [32 * r.randint(0, 100) for _ in range(8)]
        others = [r.getrandbits(32) for _ in range(56)]
        yield Case(
            (32 * (number + 1), offsets + others, _selector(use, number, 64)), memory(number)
        )
    far = [2**32 - 32] * 64
    yield Case((64, far, _selector(use, 2, 64)), memory(0))
    yield Case((16, [16] * 64, _selector(use, 0, 64)), memory(0))
    yield Case((33, [31] * 64, _selector(use, 0, 64)), memory(0))
    yield Case((16, [16] * 64, _selector(use, 3 if use.form == 0 else 1, 64)), memory(0))


@witness("pto.vgatherb", inputs=_block_gathers)
def _gather_blocks(state: State) -> list[Value]:
    """Eight blocks at unsigned byte offsets from an aligned base."""
    active = _active(state, 2, 64)[:8]
    base, data = state.number(0), b""
    for offset, on in zip(state.row(1), active, strict=False):
        at = base + offset
        if on and at % 32:
            raise Refused("PTO0903")
        if on and at + 32 > len(state.ub):
            raise Refused("PTO0901")
        data += bytes(state.ub[at : at + 32]) if on else bytes(32)
    if base % 32 and any(active):
        raise Refused("PTO0903")
    return [lanes(state.use.results[0], data)]


def _strides(use: Use, number: int) -> tuple[int, ...]:
    """Block and repeat stride, as two operands or one word."""
    pairs = ((1, 3), (5, 0), (0, 2), (17, 9), (2, 1), (0x8000, 1), (1, 1), (1, 0xFFFF), (0xFFFF, 1))
    block, repeat = pairs[number]
    return ((block << 16 | repeat),) if use.form == 1 else (block, repeat)


def _blocks(state: State, operand: int) -> tuple[list[tuple[int, int]], list[Value]]:
    """The active blocks with their addresses. With post-update the first is at the base, and the
    base advanced by the repeat stride is a further result."""
    *strides, bits = state.values[operand + 1 :]
    if len(strides) == 1:
        word = strides[0]
        assert isinstance(word, int)
        block, repeat = word >> 16, word & 0xFFFF
    else:
        block, repeat = strides
        assert isinstance(block, int)
        assert isinstance(repeat, int)
    assert isinstance(bits, list)
    e = use_element(state.use)
    active = lanes_of(bits, e.lanes)
    out: list[tuple[int, int]] = []
    base, further = state.number(operand), state.number(operand) + 32 * repeat
    for i in range(8):
        at = (base if updates(state.use) else further) + 32 * i * block
        if active[i]:
            if at % 32:
                raise Refused("PTO0903")
            if at + 32 > len(state.ub):
                raise Refused("PTO0901")
            out.append((i, at))
    return out, [further] if updates(state.use) else []


def _block_masks(use: Use, number: int) -> list[int]:
    e = use_element(use)
    if number == 5:  # block 0 alone: the others lie far outside
        return [1] + [0] * 255
    if number > 6:  # a stride is unsigned, so that these are outside
        return mask(1, e.lanes)
    return mask(number, e.lanes, number)


def _block_accesses(use: Use) -> Iterator[Case]:
    e = use_element(use)
    for number in range(9 if main(use) else 2):
        loads = isinstance(use.site.operands[0], Ptr)
        row = () if loads else (some(e, 256 // e.bytes, number),)
        base = 64 * (number + 1) + (4 if number == 6 else 0)
        yield Case((*row, base, *_strides(use, number), _block_masks(use, number)), memory(number))


@witness("pto.vsldb", inputs=_block_accesses)
def _load_blocks(state: State) -> list[Value]:
    data = bytearray(256)
    blocks, moved = _blocks(state, 0)
    for i, at in blocks:
        data[32 * i : 32 * i + 32] = state.ub[at : at + 32]
    return [lanes(state.use.results[0], bytes(data)), *moved]


@witness("pto.vsstb", inputs=_block_accesses)
def _store_blocks(state: State) -> list[Value]:
    """In order: where blocks meet the last one stays."""
    data = packed(state.use.operands[0], state.row(0))
    blocks, moved = _blocks(state, 1)
    for i, at in blocks:
        state.ub[at : at + 32] = data[32 * i : 32 * i + 32]
    return moved
