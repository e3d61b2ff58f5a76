"""Witnesses of what makes stores atomic; and what an atomic store leaves, element by element."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

from tests.isa import ieee
from tests.isa.elements import Element
from tests.isa.test_dma import Copy
from tests.witness.inputs import some
from tests.witness.machine import Case, Value
from tests.witness.registry import Refused, State, witness
from tests.witness.use import Use

TYPE, OPERATION = "CTRL[8:6]", "CTRL[10:9]"
NOSAT, KEEP_NAN = "CTRL[48]", "CTRL[50]"
TYPES = {"f32": 1, "f16": 2, "s16": 3, "s32": 4, "s8": 5, "bf16": 6}
OPERATIONS = {"add": 0, "max": 1, "min": 2}


def element(kind: str) -> Element:
    """The type that a number of the field stands for."""
    return Element(kind.replace("s", "i"))


def updated(e: Element, operation: str, old: int, new: int) -> int:
    """What an element holds after an update."""
    if operation == "add":
        return ieee.add(e, old, new) if e.is_float else e.wrap(old + new)
    if e.is_float and (e.is_nan(old) or e.is_nan(new)):
        return e.nan
    read = e.value if e.is_float else e.number
    wins = read(new) > read(old) if operation == "max" else read(new) < read(old)
    return new if wins else old


def updates(copy: Copy, source: bytes, target: bytes, kind: str, operation: str) -> bytes:
    """The specification's loops, with an update for each element."""
    out, e = bytearray(target), element(kind)
    levels = [range(count) for count, _, _ in reversed(copy.levels)]
    for index in product(*levels):
        steps = list(zip(reversed(index), copy.levels, strict=True))
        src = copy.src + sum(i * s for i, (_, s, _) in steps)
        dst = copy.dst + sum(i * d for i, (_, _, d) in steps)
        for at in range(0, copy.length, e.bytes):
            here = slice(dst + at, dst + at + e.bytes)
            new = int.from_bytes(source[src + at : src + at + e.bytes], "little")
            old = int.from_bytes(out[here], "little")
            out[here] = updated(e, operation, old, new).to_bytes(e.bytes, "little")
    return bytes(out)


def numbers(kind: str, size: int, seed: object) -> bytes:
    """Edges of a type, and others, in so many bytes."""
    return _numbers(kind, size, str(seed))


@cache
def _numbers(kind: str, size: int, seed: str) -> bytes:
    e = element(kind)
    return b"".join(n.to_bytes(e.bytes, "little") for n in some(e, size // e.bytes, seed))


def _settings(use: Use) -> Iterator[Case]:
    for kind, operation, sat in ((0, 0, 0), (3, 2, 1), (6, 1, 2)):
        registers = {TYPE: kind, OPERATION: operation, NOSAT: sat & 1, KEEP_NAN: sat >> 1}
        yield Case(registers=registers)


@witness(*(f"pto.set_atomic_{kind}" for kind in TYPES), inputs=_settings)
def _set_type(state: State) -> None:
    state.registers[TYPE] = TYPES[state.use.site.record.short.removeprefix("set_atomic_")]


@witness(*(f"pto.set_atomic_{operation}" for operation in OPERATIONS), inputs=_settings)
def _set_operation(state: State) -> None:
    name = state.use.site.record.short.removeprefix("set_atomic_")
    state.registers[OPERATION] = OPERATIONS[name]


@witness("pto.set_atomic_none", inputs=_settings)
def _set_none(state: State) -> None:
    """The operation stays."""
    state.registers[TYPE] = 0


@witness("pto.get_ctrl", inputs=lambda use: [Case(), *_settings(use)])
def _get_ctrl(state: State) -> list[Value]:
    """Bit 48 is set at launch, the others are not."""
    atomic = state.registers.get(TYPE, 0) << 6 | state.registers.get(OPERATION, 0) << 9
    return [atomic | state.registers.get(NOSAT, 1) << 48 | state.registers.get(KEEP_NAN, 0) << 50]


def _control(use: Use) -> Iterator[Case]:
    fields = [kind << 6 | operation << 9 for kind in range(8) for operation in range(4)]
    single = [1 << bit for bit in (0, 5, 11, 47, 48, 49, 50, 51, 60, 63)]
    for value in (*fields, *single, 0x40 | 1 << 11, 0x41, 5 << 48 | 0x40):
        yield Case((value,), registers={TYPE: 5, OPERATION: 2})


@witness("pto.set_ctrl", inputs=_control)
def _set_ctrl(state: State) -> None:
    """Types 1 to 6, operations 0 to 2, bits 48 and 50; no other bit is modelled."""
    value = state.number(0)
    kind, operation = value >> 6 & 7, value >> 9 & 3
    if kind == 7 or operation == 3 or value & ~(0x7C0 | 5 << 48):
        raise Refused("PTO0914")
    fields = {NOSAT: value >> 48 & 1, KEEP_NAN: value >> 50 & 1}
    state.registers |= {TYPE: kind, OPERATION: operation, **fields}
