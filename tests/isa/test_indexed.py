"""Gathers and scatters, against the documents' loops on bytes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.isa.elements import INTS8, INTS16, INTS32, Element
from tests.isa.harness import vreg
from tests.isa.memory import (
    NONE,
    REVISIONS,
    TARGETS,
    bit,
    codes,
    image_of,
    images,
    keep,
    kernel,
    memory,
    of_width,
    run,
)

INDEX_AT, OUT_AT = 7168, 6144
"""Where in the tile the indices lie, and where results go."""
DATA = 6144
INDICES = {8: INTS8, 16: INTS16, 32: INTS32}


def _element_types(target: str) -> list[tuple[str, str]]:
    """Each element type with each type of index: integers of its width. The 4-bit floats
    have none."""
    return [
        (name, index)
        for width, indices in INDICES.items()
        for name in of_width(width, target)
        for index in indices
        if not name.startswith("f4")
    ]


def _pointers(index: str) -> str:
    return f"""%src = pto.castptr %base : i64 -> !pto.ptr<TYPE, ub>
      %at = arith.constant {INDEX_AT} : i64
      %indices = pto.castptr %at : i64 -> !pto.ptr<{index}, ub>
      %i = pto.vlds %indices[%c0] : !pto.ptr<{index}, ub> -> {vreg(Element(index))}"""


def gather(op: str, e: Element, index: str, selector: str, target: str, revision: str) -> Any:
    """A gather with `%mask` or with `%count`."""
    mask = 32 if op == "vgatherb" else e.granularity
    kind = f"!pto.mask<b{mask}>" if selector == "%mask" else "index"
    body = f"""{_pointers(index).replace("TYPE", e.name)}
      %d = arith.constant {OUT_AT // e.bytes} : index
      %v = pto.{op} %src, %i, {selector}
        : !pto.ptr<{e.name}, ub>, {vreg(Element(index))}, {kind} -> {vreg(e)}
      {keep(e)}"""
    params = "%base: i64, %count: index"
    return kernel(e.name, body, params, target, revision, mask if selector == "%mask" else 0)


def scatter(e: Element, index: str, selector: str, target: str, revision: str) -> Any:
    kind = f"!pto.mask<b{e.granularity}>" if selector == "%mask" else "index"
    body = f"""{_pointers(index).replace("TYPE", e.name)}
      %o = arith.constant {OUT_AT // e.bytes} : index
      %v = pto.vlds %ub[%o] : !pto.ptr<{e.name}, ub> -> {vreg(e)}
      pto.vscatter %v, %src, %i, {selector}
        : {vreg(e)}, !pto.ptr<{e.name}, ub>, {vreg(Element(index))}, {kind}"""
    mask = e.granularity if selector == "%mask" else 0
    return kernel(e.name, body, "%base: i64, %count: index", target, revision, mask)


def with_indices(before: bytes, indices: Sequence[int], bits: int) -> bytes:
    """The tile with an index vector in its place."""
    raw = b"".join((i % (1 << bits)).to_bytes(bits // 8, "little") for i in indices)
    return before[:INDEX_AT] + raw + before[INDEX_AT + len(raw) :]


def _has_sign(index: str, revision: str) -> bool:
    """In revision micro an index without a sign of its own is unsigned."""
    return index.startswith("si") or (index.startswith("i") and revision == "manual")


def _random_indices(
    rng: random.Random, e: Element, index: str, base: int, revision: str
) -> list[int]:
    """Indices of elements inside the data, of either sign where they have one."""
    i, signed = Element(index), _has_sign(index, revision)
    low = max(-(base // e.bytes), -i.sign) if signed else 0
    high = min((DATA - base) // e.bytes - 1, i.sign - 1 if signed else i.full)
    return [rng.randint(low, high) for _ in range(e.lanes)]


def _gathered(before: bytes, base: int, indices: list[int], active: list[int], size: int) -> bytes:
    """dst[i] = UB[base + offsets[i] * sizeof(T)]; lanes without a request are zero."""
    out = b""
    for i, offset in enumerate(indices):
        at = base + offset * size
        out += before[at : at + size] if active[i] else bytes(size)
    return before[:OUT_AT] + out + before[OUT_AT + len(out) :]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("op", ["vgather2", "vgather2_bc"])
def test_gather_with_a_mask(op: str, target: str) -> None:
    for seed, (name, index) in enumerate(_element_types(target)):
        e = Element(name)
        rng = random.Random(seed)
        base = rng.randrange(0, 2048, e.bytes)
        for revision in REVISIONS:
            if (op, revision) == ("vgather2_bc", "micro") and e.bits < 32:
                continue
            indices = _random_indices(rng, e, index, base, revision)
            before = with_indices(memory(seed), indices, e.bits)
            move = gather(op, e, index, "%mask", target, revision)
            for image in images(e.granularity, seed)[:: 1 if seed % 3 == 0 else 3]:
                active = [bit(image, i * e.bytes) for i in range(e.lanes)]
                expected = _gathered(before, base, indices, active, e.bytes)
                assert run(move, before, base, 0, image=image) == expected, (name, index)


@pytest.mark.parametrize("target", TARGETS)
def test_gather_with_a_count(target: str) -> None:
    """Only the first active_lanes indices participate."""
    for seed, (name, index) in enumerate(_element_types(target)):
        e = Element(name)
        rng = random.Random(seed)
        base = rng.randrange(0, 2048, e.bytes)
        for revision in REVISIONS:
            indices = _random_indices(rng, e, index, base, revision)
            before = with_indices(memory(seed), indices, e.bits)
            move = gather("vgather2", e, index, "%count", target, revision)
            for count in (0, 1, rng.randint(2, e.lanes), e.lanes, e.lanes + 1):
                active = [int(i < count) for i in range(e.lanes)]
                expected = _gathered(before, base, indices, active, e.bytes)
                assert run(move, before, base, count) == expected, (name, index, count)


@given(
    base=st.integers(0, 1000),
    indices=st.lists(st.integers(-1000, 500), min_size=64, max_size=64),
    active=st.lists(st.integers(0, 1), min_size=64, max_size=64),
)
@settings(max_examples=60, deadline=None)
def test_any_gather(base: int, indices: list[int], active: list[int]) -> None:
    e = Element("f32")
    indices = [max(i, -base) for i in indices]
    before = with_indices(memory(1), indices, 32)
    expected = _gathered(before, 4 * base, indices, active, 4)
    for op in ("vgather2", "vgather2_bc"):
        move = gather(op, e, "i32", "%mask", "a5", "manual")
        assert run(move, before, 4 * base, 0, image=image_of(active)) == expected


@pytest.mark.parametrize("index", INTS32)
@pytest.mark.parametrize("target", TARGETS)
def test_gather_of_blocks(target: str, index: str) -> None:
    """Eight blocks of 32 bytes, at the byte offsets of the first eight lanes."""
    for seed, name in enumerate(of_width(0, target)):
        e = Element(name)
        rng = random.Random(seed)
        base = 32 * rng.randint(0, 30)
        # Lanes from the ninth on take no part, whatever they hold.
        offsets = [32 * rng.randint(0, 100) for _ in range(8)]
        others = [rng.getrandbits(32) for _ in range(56)]
        before = with_indices(memory(seed), offsets + others, 32)
        revision = REVISIONS[seed % 2]
        counts = {0: NONE, 1: image_of([1] + [0] * 63), 5: image_of([1] * 5 + [0] * 59)}
        masks = [(None, image) for image in images(32, seed)]
        for count, image in [*counts.items(), *masks]:
            move = gather(
                "vgatherb", e, index, "%mask" if count is None else "%count", target, revision
            )
            out = b""
            for block, offset in enumerate(offsets):
                active = bit(image, 4 * block)
                out += before[base + offset :][:32] if active else bytes(32)
            expected = before[:OUT_AT] + out + before[OUT_AT + 256 :]
            found = run(move, before, base, count or 0, image=image)
            assert found == expected, (name, count)


def _scattered(before: bytes, base: int, indices: list[int], active: list[int], size: int) -> bytes:
    """UB[base + offsets[i] * sizeof(T)] = src[i]; of aliases the lowest lane wins."""
    after = bytearray(before)
    for i in reversed(range(len(indices))):
        if active[i]:
            at = base + indices[i] * size
            after[at : at + size] = before[OUT_AT + i * size :][:size]
    return bytes(after)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("selector", ["%mask", "%count"])
def test_scatter(selector: str, target: str) -> None:
    for seed, (name, index) in enumerate(_element_types(target)):
        e = Element(name)
        rng = random.Random(seed)
        base = rng.randrange(1024, 2048, e.bytes)
        revision = REVISIONS[seed % 2]
        low = -e.lanes // 2 if _has_sign(index, revision) else 0
        high = min(Element(index).sign - 1, 1000)
        if target == "a2a3":
            # No two lanes may write one address; 8-bit indices are just enough for 256 lanes.
            high = max(high, low + e.lanes - 1) if e.bits > 8 else low + e.lanes - 1
            indices = rng.sample(range(low, high + 1), e.lanes)
        else:
            indices = [rng.randint(low, high) for _ in range(e.lanes)]
        before = with_indices(memory(seed), indices, e.bits)
        move = scatter(e, index, selector, target, revision)
        for image in images(e.granularity, seed)[: 6 if selector == "%count" else 8]:
            active = [bit(image, i * e.bytes) for i in range(e.lanes)]
            expected = _scattered(before, base, indices, active, e.bytes)
            found = run(move, before, base, sum(active), image=image)
            assert found == expected, (name, index)


@given(
    indices=st.lists(st.integers(0, 20), min_size=64, max_size=64),
    active=st.lists(st.integers(0, 1), min_size=64, max_size=64),
    target=st.sampled_from(("a5", "cpu")),
)
@settings(max_examples=60, deadline=None)
def test_the_lowest_lane_wins(indices: list[int], active: list[int], target: str) -> None:
    before = with_indices(memory(2), indices, 32)
    move = scatter(Element("i32"), "ui32", "%mask", target, "manual")
    expected = _scattered(before, 64, indices, active, 4)
    assert run(move, before, 64, 0, image=image_of(active)) == expected


@pytest.mark.parametrize("name", ["i64", "ui64", "f4e2m1"])
def test_only_8_16_and_32_bits_are_indexed(name: str) -> None:
    v = vreg(Element(name))
    i = v.replace(name, "i64" if "64" in name else "i8")
    mask = Element(name).granularity
    line = (
        f"%v = pto.vgather2 %ub, %i, %mask : !pto.ptr<{name}, ub>, {i}, !pto.mask<b{mask}> -> {v}"
    )
    kind = "i64" if "64" in name else "i8"
    index = f"""%p = pto.castptr %zero : i64 -> !pto.ptr<{kind}, ub>
      %i = pto.vlds %p[%c0] : !pto.ptr<{kind}, ub> -> {i}"""
    assert "PTO0102" in codes(name, f"{index}\n{line}", mask=mask)


@pytest.mark.parametrize(("name", "index"), [("f32", "i16"), ("f16", "i32"), ("f32", "f32")])
def test_indices_are_integers_of_the_elements_width(name: str, index: str) -> None:
    e, i = Element(name), Element(index)
    body = f"""%p = pto.castptr %zero : i64 -> !pto.ptr<{index}, ub>
      %i = pto.vlds %p[%c0] : !pto.ptr<{index}, ub> -> {vreg(i)}
      %v = pto.vgather2 %ub, %i, %mask
        : !pto.ptr<{name}, ub>, {vreg(i)}, !pto.mask<b{e.granularity}> -> {vreg(e)}"""
    assert codes(name, body, mask=e.granularity) == {"PTO0101"}


BYTES = ("i8", "si8", "ui8")


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", BYTES)
def test_bytes_by_indices_of_16_bits(name: str, target: str, revision: str) -> None:
    """128 of them, each extended to 16 bits by zeros; the mask is that of the result."""
    for seed, index in enumerate(INTS16):
        rng = random.Random(seed)
        indices = [rng.randint(0, DATA - 2049) for _ in range(128)]
        before = with_indices(memory(seed), indices, 16)
        for wide in INTS16:
            body = f"""{_pointers(index).replace("TYPE", name)}
      %d = arith.constant {OUT_AT // 2} : index
      %out = pto.castptr %zero : i64 -> !pto.ptr<{wide}, ub>
      %v = pto.vgather2 %src, %i, %mask
        : !pto.ptr<{name}, ub>, {vreg(Element(index))}, !pto.mask<b16> -> {vreg(Element(wide))}
      %all = pto.pset_b16 "PAT_ALL" : !pto.mask<b16>
      pto.mem_bar "VV_ALL"
      pto.vsts %v, %out[%d], %all : {vreg(Element(wide))}, !pto.ptr<{wide}, ub>, !pto.mask<b16>"""
            move = kernel(name, body, "%base: i64", target, revision, 16)
            for image in images(16, seed):
                out = b"".join(
                    bytes((before[2048 + at] if bit(image, 2 * i) else 0, 0))
                    for i, at in enumerate(indices)
                )
                expected = before[:OUT_AT] + out + before[OUT_AT + 256 :]
                assert run(move, before, 2048, image=image) == expected, (index, wide)


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize("target", TARGETS)
def test_scatter_of_even_bytes(target: str, revision: str) -> None:
    """dest[offsets[i]] = value[2i]: odd bytes of the vector are left out."""
    names = [name for name in of_width(8, target) if not name.startswith("f4")]
    for seed, name in enumerate(names):
        rng = random.Random(seed)
        indices = rng.sample(range(3000), 128)
        index = INTS16[seed % 3]
        before = with_indices(memory(seed), indices, 16)
        body = f"""{_pointers(index).replace("TYPE", name)}
      %o = arith.constant {OUT_AT} : index
      %v = pto.vlds %ub[%o] : !pto.ptr<{name}, ub> -> {vreg(Element(name))}
      pto.vscatter %v, %src, %i, %mask : {vreg(Element(name))}, !pto.ptr<{name}, ub>,
        {vreg(Element(index))}, !pto.mask<b16>"""
        move = kernel(name, body, "%base: i64", target, revision, 16)
        for image in images(16, seed):
            after = bytearray(before)
            for i, at in enumerate(indices):
                if bit(image, 2 * i):
                    after[1024 + at] = before[OUT_AT + 2 * i]
            assert run(move, before, 1024, image=image) == bytes(after), (name, index)


@pytest.mark.parametrize(
    ("source", "index", "result", "mask"),
    [
        ("i16", "i16", "i32", 16),
        ("f16", "i16", "i32", 32),
        ("i8", "i8", "i16", 16),
        ("i8", "i16", "i8", 8),
        ("i8", "i16", "f16", 16),
        ("i8", "i16", "i16", 8),
    ],
)
def test_only_bytes_are_extended(source: str, index: str, result: str, mask: int) -> None:
    i, r = Element(index), Element(result)
    body = f"""%p = pto.castptr %zero : i64 -> !pto.ptr<{index}, ub>
      %i = pto.vlds %p[%c0] : !pto.ptr<{index}, ub> -> {vreg(i)}
      %v = pto.vgather2 %ub, %i, %mask
        : !pto.ptr<{source}, ub>, {vreg(i)}, !pto.mask<b{mask}> -> {vreg(r)}"""
    assert codes(source, body, mask=mask) == {"PTO0101"}


def test_indices_without_a_sign_are_unsigned_in_revision_micro() -> None:
    """0xFFFF leads 65535 elements on: outside of this tile, but inside UB; signed it is -1."""
    e = Element("ui16")
    before = with_indices(memory(3), [0xFFFF] * 128, 16)
    for revision, at in (("manual", 4096 - 2), ("micro", 4096 + 2 * 0xFFFF)):
        move = gather("vgather2", e, "i16", "%mask", "a5", revision)
        found = run(move, before, 4096, 0)[OUT_AT : OUT_AT + 256]
        assert found == (before[at : at + 2] if at < len(before) else bytes(2)) * 128, revision


def test_vgather2_bc_is_of_32_bits_in_revision_micro() -> None:
    e = Element("f16")
    body = f"""%p = pto.castptr %zero : i64 -> !pto.ptr<i16, ub>
      %i = pto.vlds %p[%c0] : !pto.ptr<i16, ub> -> !pto.vreg<128xi16>
      %v = pto.vgather2_bc %ub, %i, %mask
        : !pto.ptr<f16, ub>, !pto.vreg<128xi16>, !pto.mask<b16> -> {vreg(e)}"""
    assert codes("f16", body, revision="manual", mask=16) == set()
    assert codes("f16", body, revision="micro", mask=16) == {"PTO0102"}
