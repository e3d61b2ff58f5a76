"""vsldb and vsstb, with two strides and with one packed word, against loops over blocks."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.isa.elements import Element
from tests.isa.harness import vreg
from tests.isa.memory import (
    FULL,
    NONE,
    REVISIONS,
    SIZE,
    TARGETS,
    UB_BYTES,
    bit,
    fault,
    image_of,
    images,
    keep,
    kernel,
    memory,
    of_width,
    run,
)

FORMS = {"word": ("%word", "i32"), "strides": ("%block_stride, %repeat_stride", "i16, i16")}
PARAMS = "%base: i64, %at: index, %word: i32, %block_stride: i16, %repeat_stride: i16"


def _load(e: Element, form: str, target: str = "a5", revision: str = "manual") -> Any:
    operands, types = FORMS[form]
    t, g = e.name, e.granularity
    body = f"""%src = pto.castptr %base : i64 -> !pto.ptr<{t}, ub>
      %v = pto.vsldb %src, {operands}, %mask
        : !pto.ptr<{t}, ub>, {types}, !pto.mask<b{g}> -> {vreg(e)}
      {keep(e).replace("%d", "%at")}"""
    return kernel(t, body, PARAMS, target, revision, g)


def _store(e: Element, form: str, target: str = "a5", revision: str = "manual") -> Any:
    operands, types = FORMS[form]
    t, g = e.name, e.granularity
    body = f"""%dst = pto.castptr %base : i64 -> !pto.ptr<{t}, ub>
      %v = pto.vlds %ub[%at] : !pto.ptr<{t}, ub> -> {vreg(e)}
      pto.vsstb %v, %dst, {operands}, %mask
        : {vreg(e)}, !pto.ptr<{t}, ub>, {types}, !pto.mask<b{g}>"""
    return kernel(t, body, PARAMS, target, revision, g)


def _strides(block: int, repeat: int) -> tuple[int, int, int]:
    """The packed word and the two strides, each as a number of its signless type."""
    word = block << 16 | repeat
    return (
        word - (word >> 31 << 32),
        block - (block >> 15 << 16),
        repeat - (repeat >> 15 << 16),
    )


def _active(image: bytes, e: Element) -> list[int]:
    """Lane i of the mask is for block i."""
    return [bit(image, i * e.bytes) for i in range(8)]


STRIDES = [(1, 0), (2, 4), (9, 0), (16, 3), (0, 7)]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("form", FORMS)
def test_load(form: str, target: str) -> None:
    """Block i is at base + repeat + i * stride, in blocks; one masked off is zero."""
    for seed, name in enumerate(of_width(0, target)):
        e = Element(name)
        before = memory(seed)
        base = 32 * random.Random(seed).randint(0, 50)
        for iteration, image in enumerate(
            [FULL, NONE] if e.bits == 64 else images(e.granularity, seed)
        ):
            block, repeat = STRIDES[iteration % len(STRIDES)]
            out = b""
            for i, active in enumerate(_active(image, e)):
                at = base + 32 * (repeat + i * block)
                out += before[at : at + 32] if active else bytes(32)
            expected = before[:7168] + out + before[7424:]
            for revision in REVISIONS:
                move = _load(e, form, target, revision)
                arguments = (base, 7168 // e.bytes, *_strides(block, repeat))
                assert run(move, before, *arguments, image=image) == expected, (name, iteration)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("form", FORMS)
def test_store(form: str, target: str) -> None:
    """Blocks are written in order, so with a stride of 0 the last wins; masked-off ones never."""
    for seed, name in enumerate(of_width(0, target)):
        e = Element(name)
        before = memory(seed)
        base = 32 * random.Random(seed).randint(0, 50)
        for iteration, image in enumerate(
            [FULL, NONE] if e.bits == 64 else images(e.granularity, seed)
        ):
            block, repeat = STRIDES[iteration % len(STRIDES)]
            expected = bytearray(before)
            for i, active in enumerate(_active(image, e)):
                if active:
                    at = base + 32 * (repeat + i * block)
                    expected[at : at + 32] = before[7168 + 32 * i :][:32]
            for revision in REVISIONS:
                move = _store(e, form, target, revision)
                arguments = (base, 7168 // e.bytes, *_strides(block, repeat))
                found = run(move, before, *arguments, image=image)
                assert found == bytes(expected), (name, iteration)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("form", FORMS)
def test_masked_off_blocks_cannot_fault(form: str, target: str) -> None:
    e = Element("f32")
    near = UB_BYTES[target] - 3 * 32
    for move in (_load(e, form, target), _store(e, form, target)):
        for count in (0, 1, 3):
            lanes = [int(i < count) for i in range(64)]
            run(move, bytes(SIZE), near, 0, *_strides(1, 0), image=image_of(lanes))
        said = fault(move, near, 0, *_strides(1, 0), image=image_of([1] * 4 + [0] * 60))
        assert said.code == "PTO0901"
        assert "lane 3" in said.message
        run(move, bytes(SIZE), 2**40, 0, *_strides(1, 0), image=NONE)
        run(move, bytes(SIZE), 3, 0, *_strides(1, 0), image=NONE)


@pytest.mark.parametrize("form", FORMS)
def test_strides_are_unsigned(form: str) -> None:
    """A stride of 0x8000 blocks and more is far ahead, not behind."""
    e = Element("f32")
    before = memory(3)
    only = [image_of([int(i == lane) for i in range(64)]) for lane in (0, 1)]
    load = _load(e, form)
    for block in (0x8000, 0xFFFF):
        expected = before[:7168] + before[64:96] + bytes(224) + before[7424:]
        arguments = (0, 7168 // 4, *_strides(block, 2))
        assert run(load, before, *arguments, image=only[0]) == expected
        said = fault(load, *arguments, image=only[1])
        assert f"UB address {32 * (block + 2)}," in said.message
    said = fault(load, 4096, 0, *_strides(1, 0xFFFE), image=only[0])
    assert f"UB address {4096 + 32 * 0xFFFE}," in said.message


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("form", FORMS)
def test_the_base_is_a_multiple_of_a_block(form: str, target: str) -> None:
    e = Element("f32")
    for move in (_load(e, form, target), _store(e, form, target)):
        for base in (4, 16, 33):
            said = fault(move, base, 0, *_strides(1, 0))
            assert said.code == "PTO0903"
            assert "lane 0" in said.message
