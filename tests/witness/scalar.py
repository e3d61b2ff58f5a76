"""Witnesses of the scalar side: pointers, scalar memory, bits."""

from __future__ import annotations

from collections.abc import Iterator

from ptoscope.isa.types import Ptr
from tests.witness.inputs import main, memory, random_bytes, scalars, some
from tests.witness.machine import GM_BYTES, Case, Value
from tests.witness.registry import Refused, State, witness
from tests.witness.use import Use


def _kept(use: Use) -> tuple[Use, ...]:
    """Casts of one pointer type to all, and of all to one."""
    source, result = use.site.operands[0], use.site.results[0]
    if isinstance(source, Ptr) and isinstance(result, Ptr) and source.space != result.space:
        return ()
    named = {t.dtype.name for t in (source, result) if isinstance(t, Ptr)}
    return (use,) if len(named) < 2 or ("f32" in named and main(use)) else ()


def _addresses(use: Use) -> Iterator[Case]:
    bits = use.operands[0].bits if not isinstance(use.site.operands[0], Ptr) else 64
    for value in (96, 0, 4096, (1 << bits) - 32, 1 << (bits - 1)):
        yield Case((value,))


@witness("pto.castptr", inputs=_addresses, variants=_kept)
def _cast(state: State) -> list[Value]:
    """The address stays; a number of 32 bits is extended by its sign."""
    source = state.use.site.operands[0]
    e, value = state.use.operands[0], state.number(0)
    address = value if isinstance(source, Ptr) else e.number(value)
    result = state.use.site.results[0]
    if isinstance(source, Ptr) and source.space == "gm" and not isinstance(result, Ptr):
        address += _gm_start()
    if not isinstance(source, Ptr) and isinstance(result, Ptr) and result.space == "gm":
        address -= _gm_start()
    return [address % (1 << 64)]


def _gm_start() -> int:
    """Where the array lies: the middle of the first stretch of 2^44 bytes after the lowest."""
    return (1 << 44) + (1 << 43)


def _offsets(use: Use) -> Iterator[Case]:
    e = use.operands[1]
    for base, offset in ((512, 7), (96, 0), (2048, -9), (0, 1 << 20), (1024, -(1 << 20))):
        yield Case((base, e.wrap(offset)))


@witness("pto.addptr", inputs=_offsets)
def _advance(state: State) -> list[Value]:
    by = state.use.operands[1].number(state.number(1))
    return [(state.number(0) + state.use.operands[0].bytes * by) % (1 << 64)]


def _accesses(use: Use) -> Iterator[Case]:
    """Inside, at the last element, beyond it, before the first, between two."""
    pointer = use.site.operands[-2]
    assert isinstance(pointer, Ptr)
    e = use.operands[-2]
    end = (GM_BYTES if pointer.space == "gm" else len(memory(0))) // e.bytes
    for number, (base, offset) in enumerate(
        ((0, 5), (32, end - 1 - 32 // e.bytes), (64, -3), (0, end), (0, -1), (1, 0))
    ):
        value = (some(e, 1, (number, 1))[0],) if len(use.operands) == 3 else ()
        gm = random_bytes(GM_BYTES, "gm", number)
        yield Case((*value, base, use.operands[-1].wrap(offset)), memory(number), gm)


def _place(state: State) -> tuple[bytearray, int, int]:
    """The memory, the address and the size of the element."""
    pointer = state.use.site.operands[-2]
    assert isinstance(pointer, Ptr)
    e, last = state.use.operands[-2], len(state.values) - 1
    data = state.gm if pointer.space == "gm" else state.ub
    at = state.number(last - 1) + e.bytes * state.use.operands[-1].number(state.number(last))
    if at % e.bytes:
        raise Refused("PTO0903")
    if not 0 <= at <= len(data) - e.bytes:
        raise Refused("PTO0902" if pointer.space == "gm" else "PTO0901")
    return data, at, e.bytes


@witness("pto.load_scalar", "pto.ld_dev", inputs=_accesses)
def _load(state: State) -> list[Value]:
    data, at, size = _place(state)
    return [int.from_bytes(data[at : at + size], "little")]


@witness("pto.store_scalar", "pto.st_dev", inputs=_accesses)
def _store(state: State) -> None:
    data, at, size = _place(state)
    data[at : at + size] = state.number(0).to_bytes(size, "little")


def _bits(use: Use) -> Iterator[Case]:
    yield from (Case((0x0123456789ABCDEF ^ (-i % 2), i)) for i in (0, 1, 5, 31, 32, 62, 63))
    yield from scalars(8)(use)


@witness("pto.sbitset0", "pto.sbitset1", inputs=_bits)
def _set_bit(state: State) -> list[Value]:
    """A position beyond the number touches nothing."""
    value, place = state.number(0), state.number(1)
    bit = 1 << place if place < 64 else 0
    return [value | bit if state.use.site.record.name == "pto.sbitset1" else value & ~bit]


@witness("pto.trap", inputs=lambda use: [Case()])
def _trap(state: State) -> None:
    raise Refused("PTO0918")


@witness("pto.set_mov_pad_val", inputs=scalars(8))
def _set_fill(state: State) -> None:
    """The bits of the value, without a sign."""
    state.registers["mov_pad_val"] = state.number(0)
