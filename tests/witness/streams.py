"""Witnesses of unaligned streams: bytes are held until a 32-byte border is reached."""

from __future__ import annotations

from collections.abc import Iterator

from tests.isa.elements import Element
from tests.isa.registers import lanes_of
from tests.witness.inputs import main, mask, memory, rng, some
from tests.witness.machine import Case, Value
from tests.witness.memory import lanes, packed
from tests.witness.predicates import bytes_of
from tests.witness.registry import Refused, State, witness
from tests.witness.use import Use

WHOLE = 256
Held = tuple[bytes, int | None]


def append(state: State, held: Held, at: int, data: bytes) -> Held:
    """A stream with bytes appended at an address: whole blocks reach memory."""
    pending, end = held
    if pending and at != end:
        raise Refused("PTO0912")
    start, kept = at - len(pending), bytearray(pending)
    if start < 0 or at + len(data) > len(state.ub):
        raise Refused("PTO0901")
    for place, byte in enumerate(data, at):
        kept.append(byte)
        if (place + 1) % 32 == 0:
            state.ub[place + 1 - len(kept) : place + 1] = kept
            kept.clear()
    return bytes(kept), at + len(data)


def flush(state: State, held: Held, at: int) -> None:
    """What is left reaches memory; the address is the one after the last byte."""
    pending, end = held
    if end is not None and at != end:
        raise Refused("PTO0912")
    state.ub[at - len(pending) : at] = pending


def _states(size: int, number: int) -> tuple[Held, int]:
    """A stream and the address where it goes on: held bytes, a border, one not begun."""
    r = rng("stream", size, number)
    end = 1024 + size * r.randint(1, 31)
    match number % 4:
        case 0 | 1:
            count = min(size * r.randint(1, 40), end % 32)
            return (r.randbytes(count), end), end
        case 2:
            return (b"", 1024), 1024
        case _:
            return (b"", None), end


def _offset(state: State, operand: int) -> int:
    return state.use.operands[operand].number(state.number(operand))


def _pointer(use: Use) -> Element:
    """The element of the pointer, which all operands share."""
    names = [o.name for o in use.site.record.forms[use.form].operands]
    return use.operands[next(i for i, n in enumerate(names) if n in ("base", "base_in", "dest"))]


def _inputs(use: Use) -> Iterator[Case]:
    """Streams that go on where they ended; the last one goes on elsewhere."""
    names = [o.name for o in use.site.record.forms[use.form].operands]
    e = _pointer(use)
    for number in range(7 if main(use) else 3):
        (held, at), length = _states(e.bytes, number), rng("SQZN", number).randint(0, e.lanes)
        if number == 4:
            at += 32
        step = (number % 3) * e.bytes if "offset" in names or "offset_in" in names else 0
        moves = use.site.record.short == "vstus" and use.micro and use.form == 2
        registers = {"AR": 5 * e.bytes, "SQZN": length * e.bytes}
        if number in (1, 3):  # as at launch
            registers = {"AR": 0, "SQZN": 0}
        if use.micro and use.site.record.short in ("vstur", "vstar"):
            step = registers["AR"]
        values: list[Value] = []
        for name, kind in zip(names, use.operands, strict=True):
            match name:
                case "align_in" | "value" if not values:
                    values.append(held)
                case "value":
                    values.append(some(e, e.lanes, number))
                case "base" | "base_in":
                    values.append(at if moves else at - step)
                case "dest":
                    values.append(at - step if "base_in" not in names else 64)
                case "mode":
                    values.append((1, 0, 1, 0, 1, 2, (1 << 64) - 1)[number])
                case _:
                    unit = 1 if use.site.record.short == "vstas" and not use.micro else e.bytes
                    count = (3, e.lanes, 0, 1, 2, e.lanes + 1, -1)[number]
                    values.append(kind.wrap(count if moves else step // unit))
        yield Case(
            tuple(values), memory(number), registers=registers if number not in (1, 3) else {}
        )


@witness("pto.vldas", inputs=lambda use: [Case((1000,), memory(0)), Case((64,), memory(1))])
def _prime(state: State) -> list[Value]:
    return [(b"", None)]


@witness("pto.init_align", inputs=lambda use: [Case()])
def _begin(state: State) -> list[Value]:
    return [(b"", None)]


def _loads(use: Use) -> Iterator[Case]:
    e = use.operands[0]
    for number, at in enumerate((1024 + 3 * e.bytes, 512, 1024 + 5 * e.bytes, 1025, 1026, 1028)):
        yield Case((at, (b"", None)), memory(number))


@witness("pto.vldus", inputs=_loads)
def _load(state: State) -> list[Value]:
    """From any address of an element; three results advance the base."""
    e, at = state.use.operands[0], state.number(0)
    if at % e.bytes:
        raise Refused("PTO0903")
    data = bytes(state.ub[at : at + WHOLE])
    results: list[Value] = [lanes(e, data), state.stream(1), at + WHOLE]
    return results[: len(state.use.results)]


@witness("pto.vstu", inputs=_inputs)
def _vstu(state: State) -> list[Value]:
    use = state.use
    e = _pointer(use)
    data = packed(e, state.row(2))
    if use.form == 0:
        if state.number(4) not in (0, 1):
            raise Refused("PTO0910")
        at = state.number(1)
        held = append(state, state.stream(0), at, data)
        return [held, at + WHOLE * state.number(4)]
    offset = _offset(state, 1)
    held = append(state, state.stream(0), state.number(3) + e.bytes * offset, data)
    return [held, offset if use.attr("mode") == "NO_POST_UPDATE" else offset + e.lanes]


@witness("pto.vstus", inputs=_inputs)
def _vstus(state: State) -> list[Value]:
    """Without a mode micro's offset is how many elements are appended."""
    use = state.use
    e = _pointer(use)
    base, offset = (1, 4) if use.form == 0 else (3, 1)
    data, count = packed(e, state.row(2)), _offset(state, offset)
    if use.form == 2 and use.micro:
        if not 0 <= count <= e.lanes:
            raise Refused("PTO0910")
        return [append(state, state.stream(0), state.number(base), data[: count * e.bytes])]
    at = state.number(base) + e.bytes * count
    held = append(state, state.stream(0), at, data)
    stays = use.attr("mode") == "NO_POST_UPDATE"
    return [held, state.number(base) if stays else at + WHOLE][: len(use.results)]


@witness("pto.vstur", inputs=_inputs)
def _vstur(state: State) -> list[Value]:
    """The manual's stream knows where it ended; micro has AR, and SQZN bytes of it."""
    use, held = state.use, state.stream(0)
    data = packed(_pointer(use), state.row(1))
    if not use.micro:
        return [append(state, held, state.number(2) if held[1] is None else held[1], data)]
    length, at = (state.registers.get(name, 0) for name in ("SQZN", "AR"))
    made = append(state, held, state.number(2) + at, data[:length])
    if use.attr("mode") != "NO_POST_UPDATE":
        state.registers["AR"] = at + length
    return [made]


@witness("pto.vsta", "pto.vstas", inputs=_inputs)
def _flush(state: State) -> None:
    """vstas of the manual counts bytes."""
    bytewise = state.use.site.record.name == "pto.vstas" and not state.use.micro
    unit = 1 if bytewise else _pointer(state.use).bytes
    flush(state, state.stream(0), state.number(1) + unit * _offset(state, 2))


@witness("pto.vstar", inputs=_inputs)
def _flush_at_end(state: State) -> None:
    held = state.stream(0)
    at = state.number(1) + state.registers.get("AR", 0)
    if not state.use.micro:
        at = state.number(1) if held[1] is None else held[1]
    flush(state, held, at)


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
    held = append(state, state.stream(0), state.number(2), data)
    return [held, state.number(2) + len(data)]
