"""vsts in every mode and under every mask, against the documents' lines as loops on bytes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.isa.elements import Element
from tests.isa.harness import vreg
from tests.isa.memory import (
    NONE,
    REVISIONS,
    SIZE,
    TARGETS,
    UB_BYTES,
    bit,
    codes,
    fault,
    image_of,
    images,
    kernel,
    memory,
    of_width,
    other_widths,
    run,
)

PARAMS = "%o: index, %d: index"


def _merged(channels: int, register: bytes, size: int) -> bytes:
    """Revision micro: each 32-byte block holds planes, one for each channel; they leave it
    interleaved."""
    out = b""
    for block in range(0, 256, 32):
        plane = 32 // channels
        for item in range(0, plane, size):
            for channel in range(channels):
                out += register[block + channel * plane + item :][:size]
    return out


def _place(mode: str, lane: int, size: int) -> int:
    """The element of memory that a lane is, in the manual: planes R, G, B, A of the whole vector
    become RGBA."""
    if not mode.startswith("MRG"):
        return lane
    channels = int(mode[3])
    plane = 256 // size // channels
    return lane % plane * channels + lane // plane


STORES = {
    "NORM": (0, 0, 0),
    "NORM_B8": (8, 8, 8),
    "NORM_B16": (16, 16, 16),
    "NORM_B32": (32, 32, 32),
    "PK_B16": (16, 8, 16),
    "PK_B32": (32, 16, 32),
    "PK_B64": (64, 32, 64),
    "PK4_B32": (32, 8, 32),
    "MRG4CHN_B8": (8, 8, 8),
    "MRG2CHN_B8": (8, 8, 8),
    "MRG2CHN_B16": (16, 16, 16),
    "1PT_B8": (8, 8, 0),
    "1PT_B16": (16, 16, 0),
    "1PT_B32": (32, 32, 0),
}
"""Each mode: the bits of an element, those stored of it, and those the predicate is for."""
MICRO_GATES = {"MRG4CHN_B8": 32, "MRG2CHN_B8": 16, "MRG2CHN_B16": 32}


def _gate(mode: str, revision: str) -> int:
    gate = STORES[mode][2]
    return MICRO_GATES.get(mode, gate) if revision == "micro" else gate


def stored(
    mode: str, before: bytes, at: int, register: bytes, image: bytes, e: Element, revision: str
) -> bytes:
    """Memory after the store."""
    after = bytearray(before)
    size, part, _ = (bits // 8 or e.bytes for bits in STORES[mode])
    if mode.startswith("1PT"):
        after[at : at + size] = register[:size]
        return bytes(after)
    if mode.startswith("MRG") and revision == "micro":
        # The predicate applies after the merge, in elements of its own width.
        register = _merged(int(mode[3]), register, size)
        size = part = MICRO_GATES[mode] // 8
        mode = "NORM"
    for i in range(256 // size):
        if bit(image, i * size):
            place = at + _place(mode, i, size) * part
            after[place : place + part] = register[i * size :][:part]
    return bytes(after)


def _store_body(mode: str, e: Element, bits: int) -> str:
    return f"""%v = pto.vlds %ub[%o] : !pto.ptr<{e.name}, ub> -> {vreg(e)}
      pto.vsts %v, %ub[%d], %mask {{dist = "{mode}"}}
        : {vreg(e)}, !pto.ptr<{e.name}, ub>, !pto.mask<b{bits}>"""


def _granularities(mode: str, e: Element, revision: str) -> set[int]:
    """Of the predicate, for a mode and an element; there is none of 64 bits."""
    width, gate = STORES[mode][0], _gate(mode, revision)
    if mode.startswith("1PT"):
        return {8, 16, 32}
    legal = {min(32, gate or e.bits)}
    own = revision == "micro" and width and not mode.startswith(("PK", "MRG"))
    return legal | {e.granularity} if own else legal


def _unit(mode: str, e: Element, target: str) -> int:
    """What an address is a multiple of, in bytes: 32, or for 1PT and on the CPU an element, as
    the register holds it and as the mode sees it."""
    element = mode.startswith("1PT") or target == "cpu"
    return max(e.bytes, STORES[mode][0] // 8) if element else 32


def _store_kernel(mode: str, e: Element, target: str, revision: str, bits: int) -> Any:
    body = _store_body(mode, e, bits)
    return kernel(e.name, body, PARAMS, target, revision, bits)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("mode", STORES)
def test_store(mode: str, target: str) -> None:
    width = STORES[mode][0]
    cases = [(name, r) for name in of_width(width, target) for r in REVISIONS]
    if width:
        cases += [(name, "micro") for name in other_widths(width)]
    for seed, (name, revision) in enumerate(cases):
        e = Element(name)
        before = memory(seed)
        unit = _unit(mode, e, target)
        for bits in sorted(_granularities(mode, e, revision)):
            move = _store_kernel(mode, e, target, revision, bits)
            for iteration, image in enumerate(images(bits, seed)):
                at = 4096 + unit * iteration
                expected = stored(mode, before, at, before[512 : 512 + 256], image, e, revision)
                found = run(move, before, 512 // e.bytes, at // e.bytes, image=image)
                assert found == expected, (name, revision, bits, iteration)


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("mode", STORES)
def test_granularity_of_the_mask(mode: str, revision: str) -> None:
    width = STORES[mode][0]
    names = of_width(width)
    if width and revision == "micro":
        names += other_widths(width)
    for name in names:
        e = Element(name)
        legal = _granularities(mode, e, revision)
        for bits in (8, 16, 32):
            body = _store_body(mode, e, bits)
            found = codes(name, body, PARAMS, "a5", revision, bits)
            assert found == (set() if bits in legal else {"PTO0108"}), (name, bits)


@pytest.mark.parametrize("mode", [m for m in STORES if STORES[m][0]])
def test_a_store_of_another_width_is_not_in_the_manual(mode: str) -> None:
    for name in other_widths(STORES[mode][0]):
        e = Element(name)
        bits = max(_granularities(mode, e, "manual"))
        found = codes(name, _store_body(mode, e, bits), PARAMS, mask=bits)
        assert found == {"PTO0104"}


REPRESENTATIVE = {0: "f32", 8: "i8", 16: "f16", 32: "ui32", 64: "i64"}
FIRST_ONLY = [mode for mode in STORES if mode.startswith("1PT")]
MASKED = [mode for mode in STORES if mode not in FIRST_ONLY]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("mode", MASKED)
def test_inactive_lanes_cannot_fault(mode: str, target: str) -> None:
    """With one 32-byte block left before the end of UB, only the active elements count."""
    width, part, gate = STORES[mode]
    e = Element(REPRESENTATIVE[width])
    bits = max(_granularities(mode, e, "manual"))
    move = _store_kernel(mode, e, target, "manual", bits)
    for far in (2**40, -(2**30), 1):
        run(move, bytes(SIZE), 0, far, image=NONE)
    near = (UB_BYTES[target] - 32) // e.bytes
    # A 64-bit element is governed by the first of its two b32 lanes.
    per_element = max(1, (gate or e.bits) // bits)
    places = [_place(mode, i // per_element, e.bytes) for i in range(2048 // bits)]
    lanes = [int(place * (part or e.bits) < 256) for place in places]
    run(move, bytes(SIZE), 0, near, image=image_of(lanes))
    lanes[lanes.index(0)] = 1
    assert fault(move, 0, near, image=image_of(lanes)).code == "PTO0901"
    assert fault(move, 0, -32 // e.bytes).code == "PTO0901"


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("mode", FIRST_ONLY)
def test_the_first_element_is_stored_whatever_the_mask(mode: str, target: str) -> None:
    e = Element(REPRESENTATIVE[STORES[mode][0]])
    move = _store_kernel(mode, e, target, "manual", e.bits)
    end = UB_BYTES[target] // e.bytes
    run(move, bytes(SIZE), 0, end - 1, image=NONE)
    for outside in (end, -1):
        said = fault(move, 0, outside, image=NONE)
        assert said.code == "PTO0901"
        assert f"writes {e.bytes} bytes" in said.message


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("mode", STORES)
def test_store_alignment(mode: str, target: str) -> None:
    e = Element(REPRESENTATIVE[STORES[mode][0]])
    bits = max(_granularities(mode, e, "manual"))
    move = _store_kernel(mode, e, target, "manual", bits)
    for offset in (1, 3, 31, 33):
        address = 4096 + offset * e.bytes
        if address % _unit(mode, e, target) == 0:
            run(move, bytes(SIZE), 0, address // e.bytes)
            continue
        said = fault(move, 0, address // e.bytes)
        assert said.code == "PTO0903"
        assert f"address {address} is not a multiple of 32 bytes" in said.message
