"""Predicate loads and stores: one 64-bit word, or the whole register of 256 bits."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ptoscope
from ptoscope import PtoError
from tests.isa.elements import Element
from tests.isa.memory import (
    REVISIONS,
    SIZE,
    TARGETS,
    UB_BYTES,
    bit,
    codes,
    fault,
    images,
    kernel,
    memory,
    run,
)
from tests.isa.stream import AREA, expected, stream_kernel

WORDS = "!pto.ptr<i64, ub>"
V, P = "!pto.vreg<64xf32>", "!pto.ptr<f32, ub>"


def packed(bits: list[int]) -> bytes:
    """Bits as bytes, the first in the lowest bit."""
    return sum(b << i for i, b in enumerate(bits)).to_bytes(len(bits) // 8, "little")


def unpacked(data: bytes) -> list[int]:
    return [byte >> i & 1 for byte in data for i in range(8)]


# One word: bit i for lane i of a b32 mask, at base + 8 * areg.


def _pst(dist: str, bits: int = 32) -> str:
    return f"""%p = pto.castptr %base : i64 -> {WORDS}
      pto.pst %mask, %p, %areg, "{dist}" : !pto.mask<b{bits}>, {WORDS}, i32"""


@pytest.mark.parametrize("dist", ["NORM", "PK"])
@pytest.mark.parametrize("target", TARGETS)
def test_pst(target: str, dist: str) -> None:
    """PK packs two 32-bit segments into the word: those of the lower and the upper lanes."""
    if (target, dist) == ("cpu", "PK"):
        assert codes("i64", _pst(dist), "%base: i64, %areg: i32", target, mask=32) == {"PTO0204"}
        return
    for revision in REVISIONS:
        move = kernel("i64", _pst(dist), "%base: i64, %areg: i32", target, revision, 32)
        for seed, image in enumerate(images(32)):
            before = memory(seed)
            word = packed([bit(image, 4 * lane) for lane in range(64)])
            for base, areg in ((0, 0), (8, 5), (4096, -3), (104, 77)):
                at = base + 8 * areg
                after = before[:at] + word + before[at + 8 :]
                assert run(move, before, base, areg, image=image) == after


@pytest.mark.parametrize("target", TARGETS)
def test_pst_faults(target: str) -> None:
    move = kernel("i64", _pst("NORM"), "%base: i64, %areg: i32", target, mask=32)
    for base in (1, 4, 12):
        said = fault(move, base, 3)
        assert said.code == "PTO0903"
        assert f"address {base + 24} is not a multiple of 8 bytes" in said.message
    end = UB_BYTES[target] // 8
    run(move, bytes(SIZE), 0, end - 1)
    for areg in (end, -1, 2**31 - 1):
        assert fault(move, 0, areg).code == "PTO0901"


@pytest.mark.parametrize("bits", [8, 16])
def test_a_word_holds_64_lanes(bits: int) -> None:
    for revision in REVISIONS:
        params = "%base: i64, %areg: i32"
        assert codes("i64", _pst("NORM", bits), params, "a5", revision, bits) == {"PTO0101"}


def test_the_word_has_a_mode_and_a_ub_pointer() -> None:
    assert codes("i64", _pst("US"), "%base: i64, %areg: i32", mask=32) == {"PTO0103"}
    body = '%z = arith.constant 0 : i32\npto.pst %mask, %tile, %z, "NORM"'
    body += " : !pto.mask<b32>, !pto.ptr<ui8, gm>, i32"
    assert "PTO0101" in codes("i64", body, mask=32)


@pytest.mark.parametrize("dist", ["NORM", "US", "DS"])
@pytest.mark.parametrize("target", TARGETS)
def test_pld(target: str, dist: str) -> None:
    """US takes each bit twice, DS every second one; seen through a masked store."""
    body = f"""%p = pto.castptr %base : i64 -> {WORDS}
      %m = pto.pld %p, %areg, "{dist}" : {WORDS}, i32 -> !pto.mask<b32>
      %v = pto.vlds %ub[%c0] : {P} -> {V}
      %d = arith.constant 1024 : index
      pto.vsts %v, %ub[%d], %m : {V}, {P}, !pto.mask<b32>"""
    for revision in REVISIONS:
        move = kernel("f32", body, "%base: i64, %areg: i32", target, revision)
        for seed, (base, areg) in enumerate(((1024, 0), (1032, 3), (2048, -5))):
            before = memory(seed)
            bits = unpacked(before[base + 8 * areg :][:16])
            step = {"NORM": 1.0, "US": 0.5, "DS": 2.0}[dist]
            after = bytearray(before)
            for lane in range(64):
                if bits[int(lane * step)]:
                    after[4096 + 4 * lane : 4100 + 4 * lane] = before[4 * lane : 4 * lane + 4]
            assert run(move, before, base, areg) == bytes(after)


def test_pld_reads_what_pst_wrote() -> None:
    body = f"""%p = pto.castptr %base : i64 -> {WORDS}
      pto.pst %mask, %p, %areg, "NORM" : !pto.mask<b32>, {WORDS}, i32
      pto.mem_bar "VST_VLD"
      %m = pto.pld %p, %areg, "NORM" : {WORDS}, i32 -> !pto.mask<b32>
      pto.psts %m, %ub[%c0], "NORM" : !pto.mask<b32>, !pto.ptr<ui8, ub>, index"""
    move = kernel("ui8", body, "%base: i64, %areg: i32", mask=32)
    for image in images(32):
        lowest = [bit(image, i) if i % 4 == 0 else 0 for i in range(256)]
        assert run(move, bytes(SIZE), 512, 1, image=image)[:32] == packed(lowest)


# The same word where the manual's pages write plds, pldi, psts and psti with a pointer to it.

REACH = {"cpu": 1024, "a2a3": 256, "a5": 1024}


def _pointed(line: str) -> str:
    return f"%p = pto.castptr %base : i64 -> {WORDS}\n      {line}"


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dist", ["", "NORM", "PK"])
def test_a_word_is_stored(target: str, dist: str) -> None:
    """WRITE_UB64(base + imm * 8, mask); psts has neither offset nor mode."""
    for imm in (0, 1, 30) if dist else (0,):
        line = f"pto.psts %mask, %p : !pto.mask<b32>, {WORDS}"
        if dist:
            line = f'pto.psti %mask, %p, {imm}, "{dist}" : !pto.mask<b32>, {WORDS}, i32'
        if (target, dist) == ("cpu", "PK"):
            assert codes("i64", _pointed(line), "%base: i64", target, mask=32) == {"PTO0108"}
            continue
        for revision in REVISIONS:
            move = kernel("i64", _pointed(line), "%base: i64", target, revision, 32)
            for seed, image in enumerate(images(32)):
                before, at = memory(seed), 104 + 8 * imm
                word = packed([bit(image, 4 * lane) for lane in range(64)])
                after = before[:at] + word + before[at + 8 :]
                assert run(move, before, 104, image=image) == after
            assert fault(move, 4).code == "PTO0903"


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dist", ["", "NORM", "US", "DS"])
def test_a_word_is_loaded(target: str, dist: str) -> None:
    """mask = READ_UB64(base + imm * 8)."""
    step = {"": 1.0, "NORM": 1.0, "US": 0.5, "DS": 2.0}[dist]
    for imm in (0, 2, 31) if dist else (0,):
        line = f"%m = pto.plds %p : {WORDS} -> !pto.mask<b32>"
        if dist:
            line = f'%m = pto.pldi %p, {imm}, "{dist}" : {WORDS}, i32 -> !pto.mask<b32>'
        body = f"""{_pointed(line)}
      %v = pto.vlds %ub[%c0] : {P} -> {V}
      %d = arith.constant 1024 : index
      pto.vsts %v, %ub[%d], %m : {V}, {P}, !pto.mask<b32>"""
        for revision in REVISIONS:
            move, before = kernel("f32", body, "%base: i64", target, revision), memory(imm)
            bits = unpacked(before[1032 + 8 * imm :][:16])
            after = bytearray(before)
            for lane in range(64):
                if bits[int(lane * step)]:
                    after[4096 + 4 * lane : 4100 + 4 * lane] = before[4 * lane : 4 * lane + 4]
            assert run(move, before, 1032) == bytes(after)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["pldi", "psti"])
def test_the_immediate_of_a_word_ends(target: str, name: str) -> None:
    """0 to 255 on A2/A3, 0 to 1023 on A5."""
    line = {
        "pldi": f'%m = pto.pldi %p, IMM, "NORM" : {WORDS}, i32 -> !pto.mask<b32>',
        "psti": f'pto.psti %mask, %p, IMM, "NORM" : !pto.mask<b32>, {WORDS}, i32',
    }[name]
    end = REACH[target]
    zero = "%base = arith.constant 0 : i64\n      "
    for imm in (end - 1, end, -1):
        body = zero + _pointed(line.replace("IMM", str(imm)))
        assert ("PTO0513" in codes("i64", body, "", target, mask=32)) == (imm != end - 1)
    computed = _pointed(line.replace("IMM", "%imm"))
    assert codes("i64", computed, "%base: i64, %imm: i32", target, mask=32) == {"PTO0111"}


@pytest.mark.parametrize("bits", [8, 16])
def test_pages_put_no_wider_mask_into_a_word(bits: int) -> None:
    store = _pointed(f"pto.psts %mask, %p : !pto.mask<b{bits}>, {WORDS}")
    assert codes("i64", store, "%base: i64", mask=bits) == {"PTO0101"}
    load = _pointed(f"%m = pto.plds %p : {WORDS} -> !pto.mask<b{bits}>")
    assert codes("i64", load, "%base: i64") == {"PTO0101"}


# The whole register.

LOAD_BYTES = {"NORM": 32, "US": 16, "DS": 64}


def _loaded(dist: str, data: bytes) -> list[int]:
    """NORM as it is; US duplicates each bit; DS keeps one of every two."""
    bits = unpacked(data)
    if dist == "US":
        return [b for b in bits for _ in range(2)]
    return bits[::2] if dist == "DS" else bits


def _stored(dist: str, register: list[int]) -> bytes:
    """NORM as it is; PK keeps one bit of every two."""
    return packed(register[::2] if dist == "PK" else register)


UNITS = {"NORM": 32, "US": 16, "DS": 32, "PK": 16}
"""The bytes that an immediate offset counts: VL/8, VL/16, the lesser of 32 and VL/4, VL/16."""


@cache
def _move(immediate: bool, load: str, store: str, name: str, bits: int, target: str) -> Any:
    ptr, m = f"!pto.ptr<{name}, ub>", f"!pto.mask<b{bits}>"
    params = "" if immediate else "%o: index, %d: index"
    offsets = f"""%o = arith.constant {544 // UNITS[load]} : index
      %d = arith.constant {4096 // UNITS[store]} : index"""
    end = "i" if immediate else "s"
    body = f"""{offsets if immediate else ""}
      %m = pto.pld{end} %ub[%o], "{load}" : {ptr}, index -> {m}
      pto.pst{end} %m, %ub[%d], "{store}" : {m}, {ptr}, index"""
    return kernel(name, body, params, target, "micro" if bits == 16 else "manual")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("bits", [8, 16, 32])
@pytest.mark.parametrize("load", LOAD_BYTES)
@pytest.mark.parametrize("store", ["NORM", "PK"])
def test_images(load: str, store: str, bits: int, target: str) -> None:
    """All 256 bits, whatever the granularity. Offsets count bytes, whatever the pointer's
    elements; immediate ones as UNITS says."""
    for seed, name in enumerate(("ui8", "i16", "f32", "i64", "bf16")):
        before = memory(seed)
        for immediate in (False, True):
            move = _move(immediate, load, store, name, bits, target)
            for at, to in [(544, 4096)] if immediate else [(0, 4096), (520, 4096), (4096, 2008)]:
                data = before[at : at + LOAD_BYTES[load]]
                written = _stored(store, _loaded(load, data))
                after = before[:to] + written + before[to + len(written) :]
                offsets = () if immediate else (at, to)
                assert run(move, before, *offsets) == after, (name, immediate)


@given(st.binary(min_size=32, max_size=32), st.sampled_from((8, 16, 32)))
@settings(max_examples=40, deadline=None)
def test_a_round_trip_keeps_all_bits(image: bytes, bits: int) -> None:
    move = _move(False, "NORM", "NORM", "ui8", bits, "a5")
    assert run(move, image + bytes(SIZE - 32), 0, 64)[64:96] == image


@pytest.mark.parametrize("target", TARGETS)
def test_image_faults(target: str) -> None:
    for load, size in LOAD_BYTES.items():
        move = _move(False, load, "PK", "ui8", 8, target)
        last = UB_BYTES[target] - size
        run(move, bytes(SIZE), last, UB_BYTES[target] - 16)
        assert fault(move, last + 8, 0).code == "PTO0901"
        assert fault(move, 0, UB_BYTES[target] - 8).code == "PTO0901"
        assert fault(move, -8, 0).code == "PTO0901"
        for wrong in (1, 4, 20):
            assert fault(move, wrong, 0).code == "PTO0903"
            assert fault(move, 0, wrong).code == "PTO0903"


@pytest.mark.parametrize("name", ["f32", "ui8"])
@pytest.mark.parametrize("load", LOAD_BYTES)
@pytest.mark.parametrize("store", ["NORM", "PK"])
@pytest.mark.parametrize("end", ["i", "s"])
def test_post_update_through_a_loop(end: str, load: str, store: str, name: str) -> None:
    """Both pointers are carried: each access is at its pointer, which then advances by one unit
    of an immediate offset, or by 48 bytes."""
    ptr, m = f"!pto.ptr<{name}, ub>", "!pto.mask<b32>"
    by = 1 if end == "i" else 48
    body = f"""%far = arith.constant 4096 : i64
      %dest = pto.castptr %far : i64 -> {ptr}
      %by = arith.constant {by} : index
      %one_index = arith.constant 1 : index
      %n = arith.constant 5 : index
      %ends:2 = scf.for %i = %c0 to %n step %one_index
          iter_args(%p = %ub, %q = %dest) -> ({ptr}, {ptr}) {{
        %m, %p1 = pto.pld{end} %p[%by], "{load}" : {ptr}, index -> {m}, {ptr}
        pto.mem_bar "VST_VST"
        %q1 = pto.pst{end} %m, %q[%by], "{store}" : {m}, {ptr}, index -> {ptr}
        scf.yield %p1, %q1 : {ptr}, {ptr}
      }}
      pto.mem_bar "VST_VST"
      pto.pst{end} %mask, %ends#1[%c0], "{store}" : {m}, {ptr}, index"""
    before = memory(3)
    after = bytearray(before)
    steps = (UNITS[load], UNITS[store]) if end == "i" else (48, 48)
    for k in range(5):
        at, to = k * steps[0], 4096 + k * steps[1]
        data = _stored(store, _loaded(load, before[at : at + LOAD_BYTES[load]]))
        after[to : to + len(data)] = data
    data = _stored(store, [1] * 256)
    to = 4096 + 5 * steps[1]
    after[to : to + len(data)] = data
    assert run(kernel(name, body, mask=32), before) == bytes(after)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("plds", '%m, %q = pto.plds %ub[%c0], "NORM" : PTR, index -> !pto.mask<b32>, TYPE'),
        ("pldi", '%m, %q = pto.pldi %ub[%c0], "NORM" : PTR, index -> !pto.mask<b32>, TYPE'),
        ("psts", '%q = pto.psts %mask, %ub[%c0], "NORM" : !pto.mask<b32>, PTR, index -> TYPE'),
        ("psti", '%q = pto.psti %mask, %ub[%c0], "NORM" : !pto.mask<b32>, PTR, index -> TYPE'),
    ],
)
def test_the_advanced_base_has_the_type_of_the_base(name: str, text: str) -> None:
    text = text.replace("PTR", P)
    assert codes("f32", text.replace("TYPE", P), mask=32) == set(), name
    for wrong in ("!pto.ptr<i32, ub>", "!pto.ptr<f32, gm>", "!pto.mask<b32>"):
        assert codes("f32", text.replace("TYPE", wrong), mask=32) == {"PTO0101"}


@pytest.mark.parametrize("name", ["pldi", "psti"])
def test_an_immediate_offset_is_a_constant(name: str) -> None:
    loads = name == "pldi"
    text = f'pto.{name} %mask, %ub[%o], "NORM" : !pto.mask<b32>, {P}, index'
    if loads:
        text = f'%m = pto.{name} %ub[%o], "NORM" : {P}, index -> !pto.mask<b32>'
    assert codes("f32", text, "%o: index", mask=32) == {"PTO0111"}
    assert codes("f32", f"%o = arith.constant 3 : index\n{text}", mask=32) == set()


@pytest.mark.parametrize("name", ["pldi", "psti"])
def test_what_takes_an_offset_of_words_is_told(name: str) -> None:
    """pld.md and pst.md count words of 8 bytes."""
    pointer = "!pto.ptr<i64, ub>"
    text = f'pto.{name} %mask, %ub, %o, "NORM" : !pto.mask<b32>, {pointer}, i32'
    if name == "pldi":
        text = f'%m = pto.{name} %ub, %o, "NORM" : {pointer}, i32 -> !pto.mask<b32>'
    with pytest.raises(PtoError) as caught:
        ptoscope.load(kernel("i64", text, "%o: i32", mask=32))
    said = next(d for d in caught.value.diagnostics if d.code == "PTO0111")
    assert "8-byte words" in said.hint
    assert f"pto.{name[:-1]} " in said.hint


# Streams of masks: 16 bytes of a b16, 8 of a b32 mask.


@cache
def _pstu(bits: int, count: int) -> Any:
    ptr, m = f"!pto.ptr<ui{bits}, ub>", f"!pto.mask<b{bits}>"
    lines = []
    for k in range(count):
        lines += [
            f"%i{k} = arith.constant {32 * k} : index",
            f'%m{k} = pto.plds %bytes[%i{k}], "NORM" : !pto.ptr<ui8, ub>, index -> {m}',
            f"%a{k + 1}, %p{k + 1} = pto.pstu %a{k}, %m{k}, %p{k}"
            f" : !pto.align, {m}, {ptr} -> !pto.align, {ptr}",
        ]
    flush = f"pto.vstas %a{count}, %p{count}, %zero32 : !pto.align, {ptr}, i32"
    return stream_kernel(Element(f"ui{bits}"), "\n".join(lines), flush)


@given(st.sampled_from((16, 32)), st.integers(1, 9), st.integers(0, 15), st.integers(0, 999))
@settings(max_examples=60, deadline=None)
def test_pstu(bits: int, count: int, start: int, seed: int) -> None:
    before = memory(random.Random(seed).getrandbits(30))
    size = bits // 8
    registers = [unpacked(before[32 * k :][:32]) for k in range(count)]
    pieces = [packed(register[::size]) for register in registers]
    assert run(_pstu(bits, count), before, start) == expected(before, AREA + start * size, pieces)


def test_pstu_is_for_b16_to_ui16_and_b32_to_ui32() -> None:
    for bits, name in ((8, "ui8"), (16, "ui32"), (32, "ui16"), (32, "i32"), (16, "f16")):
        ptr = f"!pto.ptr<{name}, ub>"
        body = f"""%z = arith.constant 0 : i32
          %a = pto.init_align : !pto.align
          %b, %p = pto.pstu %a, %mask, %ub
            : !pto.align, !pto.mask<b{bits}>, {ptr} -> !pto.align, {ptr}
          pto.vstas %b, %p, %z : !pto.align, {ptr}, i32"""
        assert codes(name, body, mask=bits) & {"PTO0101", "PTO0102", "PTO0108"}, (bits, name)
