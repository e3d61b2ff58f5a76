"""Witnesses of unaligned streams: bytes are held until a 32-byte border is reached."""

from __future__ import annotations

from collections.abc import Iterator

from tests.isa.elements import Element
from tests.isa.registers import lanes_of
from tests.witness.inputs import main, mask, memory, rng, some
from tests.witness.machine import Case, LoadState, StoreState, Value
from tests.witness.memory import lanes, packed
from tests.witness.predicates import bytes_of
from tests.witness.registry import Refused, State, witness
from tests.witness.use import Use

WHOLE = 256


def append(
    state: State,
    before: StoreState,
    base: int,
    at: int,
    data: bytes,
    position: int | None = None,
    named: bool = False,
) -> StoreState:
    """A stream with bytes appended at an address: whole blocks reach memory. The first store says
    what its base is; one that names another is refused, and so is one that is not at the end where
    bytes are held or the last store gave another position."""
    if at != before.end and (before.held or before.end not in (None, before.position)):
        raise Refused("PTO0912")
    if before.end == at:
        if named and base != before.base:
            raise Refused("PTO0912")
        base = before.base
    start, kept = at - len(before.held), bytearray(before.held)
    if start < 0 or at + len(data) > len(state.ub):
        raise Refused("PTO0901")
    if named and base > at:
        raise Refused("PTO0912")
    for place, byte in enumerate(data, at):
        kept.append(byte)
        if (place + 1) % 32 == 0:
            state.ub[place + 1 - len(kept) : place + 1] = kept
            kept.clear()
    end = at + len(data)
    return StoreState(bytes(kept), end, base, end if position is None else position)


def flush(state: State, before: StoreState, at: int, by_base: bool = False) -> None:
    """What is left reaches memory, up to where the stream ended; the address is that, the
    position that the last store gave, or by base the base."""
    if before.end is None:
        return
    right = {before.end, before.position} | ({before.base} if by_base else set[int]())
    if at not in right:
        raise Refused("PTO0912")
    state.ub[before.end - len(before.held) : before.end] = before.held


BASE = 64
ON_BORDER = 11
"""The number of a stream that ended on a border, without a post-update."""


def _states(size: int, number: int) -> tuple[StoreState, int]:
    """A stream of base 64 and the address where it goes on: held bytes, a border, one not begun.
    Where it goes on is not always the position that it gave."""
    if number == ON_BORDER:
        return StoreState(b"", 1024, BASE, 768), 768
    r = rng("stream", size, number)
    end = 1024 + size * r.randint(1, 31)
    match number % 4:
        case 0 | 1:
            count = min(size * r.randint(1, 40), end % 32)
            return StoreState(r.randbytes(count), end, BASE, end - 256 * (number % 2)), end
        case 2:
            return StoreState(b"", 1024, BASE, 1024), 1024
        case _:
            return StoreState(), end


def _offset(state: State, operand: int) -> int:
    return state.use.operands[operand].number(state.number(operand))


def _pointer(use: Use) -> Element:
    """The element of the pointer, which all operands share."""
    names = [o.name for o in use.site.record.forms[use.form].operands]
    return use.operands[next(i for i, n in enumerate(names) if n in ("base", "base_in", "dest"))]


def _inputs(use: Use) -> Iterator[Case]:
    """Streams that go on where they ended; one that goes on elsewhere, one of another base, one
    flushed at the position it gave, a load stream, and one that goes on at a position on a border
    before its end."""
    names = [o.name for o in use.site.record.forms[use.form].operands]
    e = _pointer(use)
    for number in range(12 if main(use) else 3):
        (held, at), length = _states(e.bytes, number), rng("SQZN", number).randint(0, e.lanes)
        if number == 4:
            at += 32
        if number in (8, 9) and "align_in" not in names:
            at = held.base if number == 8 else held.position
        step = (number % 3) * e.bytes if "offset" in names or "offset_in" in names else 0
        moves = use.site.record.short == "vstus" and use.micro and use.form > 1
        registers = {"AR": 5 * e.bytes, "SQZN": length * e.bytes}
        if number in (1, 3):  # as at launch
            registers = {"AR": 0, "SQZN": 0}
        if use.micro and use.site.record.short in ("vstur", "vstar"):
            step = registers["AR"]
        by_base = not use.micro and use.site.record.short in ("vstur", "vstar") and held.end
        values: list[Value] = []
        for name, kind in zip(names, use.operands, strict=True):
            match name:
                case "align_in" | "value" if not values:
                    values.append(LoadState(at, at, bytes(32)) if number == 10 else held)
                case "value":
                    values.append(some(e, e.lanes, number))
                case "base" | "dest" if by_base:
                    values.append(BASE + 4 * (number == 8) if number != 9 else at)
                case "base" | "base_in":
                    values.append(at if moves else at - step)
                case "dest":
                    other = at + 4 if held.end is None else BASE + 4 * (number == 8)
                    values.append(at - step if "base_in" not in names else other)
                case "mode":
                    values.append((1, 0, 1, 0, 1, 2, (1 << 64) - 1, 1, 0, 1, 1, 1)[number])
                case _:
                    unit = 1 if use.site.record.short == "vstas" and not use.micro else e.bytes
                    count = (3, e.lanes, 0, 1, 2, e.lanes + 1, -1, 1, 2, 3, 4, 5)[number]
                    values.append(kind.wrap(count if moves else step // unit))
        yield Case(
            tuple(values), memory(number), registers=registers if number not in (1, 3) else {}
        )


def _primes(use: Use) -> Iterator[Case]:
    for number, at in enumerate((1000, 64, 1055, 8191, 8192, (1 << 64) - 1)):
        yield Case((at,), memory(number))


@witness("pto.vldas", inputs=_primes)
def _prime(state: State) -> list[Value]:
    """The block around the address, in which the first load may begin anywhere."""
    start = state.number(0) // 32 * 32
    if start + 32 > len(state.ub):
        raise Refused("PTO0901")
    return [LoadState(start, start + 31, bytes(state.ub[start : start + 32]))]


@witness("pto.init_align", inputs=lambda use: [Case()])
def _begin(state: State) -> list[Value]:
    return [StoreState()]


def _loads(use: Use) -> Iterator[Case]:
    e = use.operands[0]
    block = rng("block").randbytes(32)
    cases: list[tuple[int, Value, int]] = []
    for number, at in enumerate((1024 + 3 * e.bytes, 512, 1024 + 5 * e.bytes, 1025, 1055)):
        start = at // 32 * 32
        cases.append((at, LoadState(start, start + 31, block), number))
        cases.append((at, LoadState(at, at, block if at % 32 else b""), number))
    # Not in the block.
    cases += [(at, LoadState(1024, 1055, block), 0) for at in (1023, 1056)]
    cases.append((1029, LoadState(1028, 1028, block), 0))
    cases += [(at, LoadState(7936, 7967, block), 1) for at in (7936, 7937)]
    cases.append((1028, StoreState(), 2))
    for count, (at, held, number) in enumerate(cases):
        increments = (e.lanes, 0, 1, -3 % 2**64)[count % 4 : count % 4 + len(use.operands) - 2]
        yield Case((at, held, *increments), memory(number))


def streamed(state: State, before: Value, at: int) -> list[Value]:
    """A vector from any address that follows, and the state after it: it holds the block in which
    the vector ends, if it ends inside one."""
    if not isinstance(before, LoadState) or not before.low <= at <= before.high:
        raise Refused("PTO0912")
    end = at + WHOLE
    if end > len(state.ub):
        raise Refused("PTO0901")
    seen, first = bytearray(state.ub), at - at % 32
    seen[first : first + len(before.block)] = before.block
    last = bytes(state.ub[end - end % 32 :][:32]) if end % 32 else b""
    return [lanes(state.use.operands[0], bytes(seen[at:end])), LoadState(end, end, last)]


@witness("pto.vldus", inputs=_loads)
def _load(state: State) -> list[Value]:
    """Three results advance the base: by a vector, or by as many elements as are said."""
    at = state.number(0)
    by = WHOLE if state.use.form < 2 else state.use.operands[0].bytes * _offset(state, 2)
    return [*streamed(state, state.values[1], at), (at + by) % 2**64][: len(state.use.results)]


@witness("pto.vstu", inputs=_inputs)
def _vstu(state: State) -> list[Value]:
    use = state.use
    e = _pointer(use)
    data = packed(e, state.row(2))
    if use.form == 0:
        if state.number(4) not in (0, 1):
            raise Refused("PTO0910")
        at = state.number(1)
        after = at + WHOLE * state.number(4)
        held = append(state, state.stream(0), state.number(3), at, data, after, True)
        return [held, after]
    offset, base = _offset(state, 1), state.number(3)
    after = offset if use.attr("mode") == "NO_POST_UPDATE" else offset + e.lanes
    place = base + e.bytes * offset
    return [append(state, state.stream(0), base, place, data, base + e.bytes * after), after]


@witness("pto.vstus", inputs=_inputs)
def _vstus(state: State) -> list[Value]:
    """Without a mode micro's offset is how many elements are appended."""
    use = state.use
    e = _pointer(use)
    base, offset = (1, 4) if use.form == 0 else (3, 1)
    data, count = packed(e, state.row(2)), _offset(state, offset)
    if use.form > 1 and use.micro:
        if not 0 <= count <= e.lanes:
            raise Refused("PTO0910")
        at, part = state.number(base), data[: count * e.bytes]
        made = append(state, state.stream(0), at, at, part)
        return [made, at + len(part)][: len(use.results)]
    at = state.number(base) + e.bytes * count
    after = state.number(base) if use.attr("mode") == "NO_POST_UPDATE" else at + WHOLE
    owner = state.number(3) if use.form == 0 else state.number(base)
    held = append(state, state.stream(0), owner, at, data, after, use.form == 0)
    return [held, after][: len(use.results)]


@witness("pto.vstur", inputs=_inputs)
def _vstur(state: State) -> list[Value]:
    """The manual's stream knows where it ended; micro has AR, and SQZN bytes of it."""
    use, held = state.use, state.stream(0)
    data = packed(_pointer(use), state.row(1))
    base = state.number(2)
    if not use.micro:
        if held.end is not None and base != held.base:
            raise Refused("PTO0912")
        return [append(state, held, base, base if held.end is None else held.end, data)]
    length, at = (state.registers.get(name, 0) for name in ("SQZN", "AR"))
    stays = use.attr("mode") == "NO_POST_UPDATE"
    made = append(state, held, base, base + at, data[:length], base + at + (0 if stays else length))
    if not stays:
        state.registers["AR"] = at + length
    return [made]


@witness("pto.vsta", "pto.vstas", inputs=_inputs)
def _flush(state: State) -> list[Value]:
    """vstas of the manual counts bytes; it may give the address that it was told."""
    bytewise = state.use.site.record.name == "pto.vstas" and not state.use.micro
    unit = 1 if bytewise else _pointer(state.use).bytes
    at = state.number(1) + unit * _offset(state, 2)
    flush(state, state.stream(0), at)
    return [at] if state.use.results else []


@witness("pto.vstar", inputs=_inputs)
def _flush_at_end(state: State) -> None:
    held = state.stream(0)
    if state.use.micro:
        flush(state, held, state.number(1) + state.registers.get("AR", 0))
    else:
        flush(state, held, state.number(1), by_base=True)


@witness("pto.sprclr", inputs=lambda use: [Case(registers={"AR": 5, "SQZN": 7})])
def _clear(state: State) -> None:
    state.registers[state.use.attr("register")] = 0


def _masks(use: Use) -> Iterator[Case]:
    for number in range(7):
        held, at = _states(8, number)
        at += 32 if number == 4 else 0
        yield Case((held, mask(number, 2048 // use.operands[1].bits, number), at), memory(number))


@witness("pto.pstu", inputs=_masks)
def _append_mask(state: State) -> list[Value]:
    """One bit for each lane."""
    data = bytes_of(lanes_of(state.row(1), 2048 // state.use.operands[1].bits))
    base = state.number(2)
    return [append(state, state.stream(0), base, base, data), base + len(data)]


def _anywhere(use: Use) -> Iterator[Case]:
    """Every place in a block, the ends of UB, and beyond them."""
    size, end = use.operands[0].bytes, len(memory(0))
    starts = (*range(0, 40, 3), 1000, end - 256, end - 257, end - 255, -1)
    for number, base in enumerate(starts if main(use) else (7, end - 255)):
        for offset in (0, 5, -2) if main(use) else (1,):
            yield Case(((base - offset * size) % 2**64, offset % 2**64), memory(number))


@witness("pto.uvld", inputs=_anywhere)
def _load_anywhere(state: State) -> list[Value]:
    """Whole blocks are read, which have to be in UB."""
    e = state.use.results[0]
    at = Element("i64").number(
        (state.number(0) + e.bytes * Element("i64").number(state.number(1))) % 2**64
    )
    if at // 32 < 0 or -(-(at + 256) // 32) * 32 > len(state.ub):
        raise Refused("PTO0901")
    return [lanes(e, bytes(state.ub[at : at + 256]))]


def _words(use: Use) -> Iterator[Case]:
    """Offsets inside and outside of 8 bits, places between words, the ends of UB."""
    end = len(memory(0))
    for number, (base, offset) in enumerate(
        (
            *((64, 4), (64, -8), (512, 127), (1024, -128), (1024, 128), (1024, -129)),
            *((end - 4, 0), (end, 0), (0, -4), (66, 0), (64, 1 << 20)),
        )
    ):
        registers = {"AR": (number * 0x123456789) % 2**40}
        yield Case((base, offset % 2**32), memory(number), registers=registers)
    yield Case((64, 0), memory(0))


@witness("pto.sprsti", "pto.sprsts", inputs=_words)
def _store_position(state: State) -> list[Value]:
    """A word; with the base as a result, at the base itself."""
    immediate = state.use.site.record.name == "pto.sprsti"
    base, offset = state.number(0), Element("i32").number(state.number(1))
    if immediate and not -128 <= offset < 128:
        raise Refused("PTO0910")
    moved = base + offset * (4 if immediate else 1)
    updates = bool(state.use.results)
    at = base if updates else moved
    if at % 4:
        raise Refused("PTO0903")
    if not 0 <= at <= len(state.ub) - 4:
        raise Refused("PTO0901")
    state.ub[at : at + 4] = (state.registers.get("AR", 0) % 2**32).to_bytes(4, "little")
    return [moved % 2**64] if updates else []
