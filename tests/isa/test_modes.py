"""vlds in every mode, against the documents' lines written out as loops on bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.isa.elements import Element
from tests.isa.harness import vreg
from tests.isa.memory import (
    REVISIONS,
    SIZE,
    TARGETS,
    UB_BYTES,
    codes,
    fault,
    keep,
    kernel,
    memory,
    of_width,
    other_widths,
    run,
)

Read = Callable[[int], bytes]
"""The i-th element from the address on."""

# The lines of the documents: registers of n elements, put together from elements of memory.


def _brc(u: Read, n: int) -> list[bytes]:
    return [u(0) for _ in range(n)]


def _upsampled(u: Read, n: int) -> list[bytes]:
    dst = [b""] * n
    for i in range(n // 2):
        dst[2 * i] = dst[2 * i + 1] = u(i)
    return dst


def _every(step: int) -> Callable[[Read, int], list[bytes]]:
    return lambda u, n: [u(step * i) for i in range(n)]


def _extended(times: int) -> Callable[[Read, int], list[bytes]]:
    """Zero-extended: little-endian, so the zeros follow."""
    return lambda u, n: [u(i) + bytes(len(u(i)) * (times - 1)) for i in range(n // times)]


def _block(u: Read, n: int) -> list[bytes]:
    """Read as bytes: one block of 32 for each of the eight groups of lanes."""
    return [u(i) for _ in range(8) for i in range(32)]


def _element_to_block(u: Read, n: int) -> list[bytes]:
    return [u(i) for i in range(8) for _ in range(n // 8)]


LOADS: dict[str, tuple[Callable[[Read, int], list[bytes]], int, int]] = {
    "NORM": (_every(1), 0, 256),
    "BRC_B8": (_brc, 8, 1),
    "BRC_B16": (_brc, 16, 2),
    "BRC_B32": (_brc, 32, 4),
    "US_B8": (_upsampled, 8, 128),
    "US_B16": (_upsampled, 16, 128),
    "DS_B8": (_every(2), 8, 511),
    "DS_B16": (_every(2), 16, 510),
    "UNPK_B8": (_extended(2), 8, 128),
    "UNPK_B16": (_extended(2), 16, 128),
    "UNPK_B32": (_extended(2), 32, 128),
    "UNPK4": (_extended(4), 8, 64),
    "SPLT4CHN": (_every(4), 8, 1021),
    "SPLT4CHN_B8": (_every(4), 8, 1021),
    "SPLT2CHN_B8": (_every(2), 8, 511),
    "SPLT2CHN_B16": (_every(2), 16, 510),
    "DINTLV_B32": (_every(2), 32, 508),
    "BLK": (_block, 0, 32),
    "BRC_BLK": (_block, 0, 32),
    "E2B_B16": (_element_to_block, 16, 16),
    "E2B_B32": (_element_to_block, 32, 32),
}
"""Each mode: its loop, the width it names (0: any), and the bytes from the address to the
end of the last element it reads."""


def loaded(mode: str, before: bytes, at: int, e: Element) -> bytes:
    """The 256 bytes of the register."""
    loop, width, _ = LOADS[mode]
    size = 1 if mode.endswith("BLK") else width // 8 or e.bytes
    return b"".join(loop(lambda i: before[at + i * size :][:size], 256 // size))


def _load_kernel(mode: str, e: Element, target: str, revision: str) -> Any:
    line = f'%v = pto.vlds %ub[%o] {{dist = "{mode}"}} : !pto.ptr<{e.name}, ub> -> {vreg(e)}'
    body = f"{line}\n      {keep(e)}"
    return kernel(e.name, body, "%o: index, %d: index", target, revision)


def _unit(mode: str, e: Element, target: str) -> int:
    """What an address is a multiple of, in bytes: 32, or for BRC and on the CPU an
    element, as the register holds it and as the mode sees it."""
    element = mode in ("BRC_B8", "BRC_B16", "BRC_B32") or target == "cpu"
    return max(e.bytes, LOADS[mode][1] // 8) if element else 32


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("mode", LOADS)
def test_load(mode: str, target: str) -> None:
    _, width, _ = LOADS[mode]
    cases = [(name, r) for name in of_width(width, target) for r in REVISIONS]
    if width:
        cases += [(name, "micro") for name in other_widths(width)]
    for seed, (name, revision) in enumerate(cases):
        e = Element(name)
        move = _load_kernel(mode, e, target, revision)
        before = memory(seed)
        unit = _unit(mode, e, target)
        for at in (0, unit, 5 * unit, 37 * unit):
            expected = bytearray(before)
            expected[6144 : 6144 + 256] = loaded(mode, before, at, e)
            found = run(move, before, at // e.bytes, 6144 // e.bytes)
            assert found == bytes(expected), (name, revision, at)


@pytest.mark.parametrize("mode", [m for m in LOADS if "_B" in m and LOADS[m][1]])
def test_a_load_of_another_width_is_not_in_the_manual(mode: str) -> None:
    for name in other_widths(LOADS[mode][1]):
        e = Element(name)
        line = f'%v = pto.vlds %ub[%o] {{dist = "{mode}"}} : !pto.ptr<{e.name}, ub> -> {vreg(e)}'
        assert codes(name, line, "%o: index") == {"PTO0104"}
        assert codes(name, line, "%o: index", revision="micro") == set()


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("mode", LOADS)
def test_load_at_the_ends_of_ub(mode: str, target: str) -> None:
    """The footprint is the mode's own, not that of a register."""
    _, width, extent = LOADS[mode]
    e = Element({0: "f32", 8: "ui8", 16: "bf16", 32: "f32"}[width])
    move = _load_kernel(mode, e, target, "manual")
    unit = _unit(mode, e, target)
    last = (UB_BYTES[target] - extent) // unit * unit
    run(move, bytes(SIZE), last // e.bytes, 0)
    for beyond in (last + unit, UB_BYTES[target], -unit):
        said = fault(move, beyond // e.bytes, 0)
        assert said.code == "PTO0901"
        assert f"reads {extent} bytes at UB address {beyond}," in said.message


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("mode", LOADS)
def test_load_alignment(mode: str, target: str) -> None:
    e = Element({0: "f32", 8: "i8", 16: "f16", 32: "i32"}[LOADS[mode][1]])
    move = _load_kernel(mode, e, target, "manual")
    for offset in (1, 3, 31, 33):
        if _unit(mode, e, target) == e.bytes or offset * e.bytes % 32 == 0:
            run(move, bytes(SIZE), offset, 0)
            continue
        said = fault(move, offset, 0)
        assert said.code == "PTO0903"
        assert f"address {offset * e.bytes} is not a multiple of 32 bytes" in said.message


UNPACKED = {"UNPK_B8": 2, "UNPK_B16": 2, "UNPK_B32": 2, "UNPK4": 4}
"""How many times as wide the integers are that a mode zero-extends to."""


def _unpack(mode: str, name: str, wide: str) -> str:
    result = vreg(Element(wide))
    return f'%v = pto.vlds %ub[%o] {{dist = "{mode}"}} : !pto.ptr<{name}, ub> -> {result}'


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("mode", UNPACKED)
def test_integers_are_zero_extended_into_wider_registers(
    mode: str, target: str, revision: str
) -> None:
    """dst_i32[i] = (uint32_t)UB_i16[i], of every sign; the offset counts elements in memory."""
    bits = LOADS[mode][1]
    size, times = bits // 8, UNPACKED[mode]
    before = memory(bits)
    for sign in ("i", "si", "ui"):
        for other in ("i", "si", "ui"):
            name, wide = f"{sign}{bits}", Element(f"{other}{bits * times}")
            t, v, g = wide.name, vreg(wide), wide.granularity
            body = f"""{_unpack(mode, name, wide.name)}
      %whole = pto.pset_b{g} "PAT_ALL" : !pto.mask<b{g}>
      %origin = arith.constant 0 : i64
      %out = pto.castptr %origin : i64 -> !pto.ptr<{t}, ub>
      pto.vsts %v, %out[%d], %whole : {v}, !pto.ptr<{t}, ub>, !pto.mask<b{g}>"""
            move = kernel(name, body, "%o: index, %d: index", target, revision)
            expected = bytearray(before)
            for i in range(256 // wide.bytes):
                number = int.from_bytes(before[320 + i * size :][:size], "little")
                at = 6144 + i * wide.bytes
                expected[at : at + wide.bytes] = number.to_bytes(wide.bytes, "little")
            assert run(move, before, 320 // size, 6144 // wide.bytes) == bytes(expected)


@pytest.mark.parametrize("target", TARGETS)
def test_the_manual_extends_bytes_to_words_too(target: str) -> None:
    """dst_i32[i] = (uint32_t)UB_i8[base + i]; 64 bytes are read. Revision micro has UNPK4."""
    line = _unpack("UNPK_B8", "i8", "si32")
    body = f"""{line}
      %whole = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>
      %origin = arith.constant 0 : i64
      %out = pto.castptr %origin : i64 -> !pto.ptr<si32, ub>
      pto.vsts %v, %out[%d], %whole : !pto.vreg<64xsi32>, !pto.ptr<si32, ub>, !pto.mask<b32>"""
    move, before = kernel("i8", body, "%o: index, %d: index", target), memory(8)
    words = b"".join(bytes([before[320 + i], 0, 0, 0]) for i in range(64))
    expected = before[:6144] + words + before[6144 + 256 :]
    assert run(move, before, 320, 6144 // 4) == expected
    run(move, before, UB_BYTES[target] - 64, 0)
    assert fault(move, UB_BYTES[target] - 32, 0).code == "PTO0901"
    assert codes("i8", line, "%o: index", target, "micro") == {"PTO0108"}


@pytest.mark.parametrize(
    ("mode", "name", "wide", "code"),
    [
        ("NORM", "i16", "i32", "PTO0108"),
        ("UNPK_B8", "ui8", "ui64", "PTO0101"),
        ("UNPK4", "ui8", "ui16", "PTO0108"),
        ("UNPK_B8", "ui16", "ui32", "PTO0104"),
        ("UNPK_B16", "f16", "f32", "PTO0101"),
        ("UNPK_B16", "f16", "i32", "PTO0101"),
        ("UNPK_B16", "i16", "f32", "PTO0101"),
        ("UNPK_B32", "i32", "i16", "PTO0101"),
    ],
)
def test_only_integers_of_the_extended_width(mode: str, name: str, wide: str, code: str) -> None:
    """A zero-extended float is no float: those stay in their type, and are converted."""
    assert code in codes(name, _unpack(mode, name, wide), "%o: index")
