"""Values and bytes as they are shown: what is in them, by NumPy and Python alone."""

from __future__ import annotations

import re
import struct
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptoscope.isa.dtypes import BF16, ELEMENTS, F4E2M1, F8E5M2, F32, I1, I16, INDEX, UI8, DType
from ptoscope.isa.types import Align, Mask, Ptr, Scalar, VReg
from ptoscope.replay.contents import (
    active_text,
    byte_text,
    in_words,
    lane_grid,
    memory_grid,
)
from ptoscope.replay.elements import element_texts, numbers
from ptoscope.trace.recording import LaneContent, StreamContent


def content(dtype: DType, lanes: Any, undefined: Any = None) -> LaneContent:
    return LaneContent(dtype, np.asarray(lanes, dtype.storage), undefined)


def test_numbers_of_types_that_numpy_lacks() -> None:
    raw = np.array([0x3F80, 0xC000, 0x7FC0], np.uint16)
    assert numbers(BF16, raw).dtype == ml_dtypes.bfloat16
    assert element_texts(BF16, raw) == ["1", "-2", "nan"]
    assert element_texts(F8E5M2, np.array([0x3C, 0xBC], np.uint8)) == ["1", "-1"]
    # Two elements in a byte: the byte is shown.
    assert element_texts(F4E2M1, np.array([0x21], np.uint8)) == ["0x21"]


def test_forms_of_elements() -> None:
    lanes = np.array([1.5, -0.0], np.float32)
    assert element_texts(F32, lanes) == ["1.5", "-0"]
    assert element_texts(F32, lanes, "hex") == [
        f"0x{struct.unpack('<I', struct.pack('<f', lane))[0]:08x}" for lane in (1.5, -0.0)
    ]
    assert element_texts(UI8, np.array([5], np.uint8), "bits") == ["00000101"]
    assert element_texts(I16, np.array([-1], np.int16), "hex") == ["0xffff"]


@pytest.mark.parametrize(
    ("lanes", "text"),
    [
        (range(64), "[0 1 2 .. 61 62 63]"),
        ([7] * 64, "64 x 7"),
        ([float("nan")] * 64, "64 x nan"),
        ([0.0] + [-0.0] * 63, "[0 -0 -0 .. -0 -0 -0]"),
    ],
)
def test_vectors_in_words(lanes: Any, text: str) -> None:
    assert in_words(VReg(F32), content(F32, list(lanes))) == text


def test_undefined_lanes_have_a_question_mark() -> None:
    bad = np.zeros(64, np.uint32)
    bad[[0, 30, 63]] = 1
    assert (
        in_words(VReg(F32), content(F32, np.arange(64), bad))
        == "[0? 1 2 .. 61 62 63?] (1 more undefined)"
    )
    assert in_words(VReg(F32), content(F32, np.arange(64), np.ones(64, np.uint32))) == "64 x 0?"
    assert in_words(Scalar(I16), content(I16, [3], np.array([4], np.uint16))) == "3?"


def test_scalars_pointers_and_streams_in_words() -> None:
    assert in_words(Scalar(F32), content(F32, [0.1])) == "0.1"
    assert in_words(Ptr(F32, "ub"), content(INDEX, [256])) == "ub:0x100"
    assert in_words(Align(), StreamContent(b"", None)) == "a stream that has not begun"
    assert in_words(Align(), StreamContent(bytes(range(5)), 64)) == "5 bytes at 0x40: 00 01020304"


@pytest.mark.parametrize(
    ("active", "text"),
    [
        (range(64), "all 64"),
        ([], "none of 64"),
        (range(16), "0..15 of 64"),
        ([5], "5 of 64"),
        ([0, 1, 9, *range(60, 64)], "0..1, 9, 60..63 of 64"),
        (range(1, 64, 2), "32 of 64, from 1 to 63"),
    ],
)
def test_masks_in_words(active: Any, text: str) -> None:
    lanes = np.isin(np.arange(64), list(active))
    assert active_text(lanes) == text
    # A register of 256 bits, of which every fourth counts.
    assert in_words(Mask(32), content(I1, np.repeat(lanes, 4))) == text


def test_a_grid_has_every_lane() -> None:
    rows = lane_grid(VReg(F32), content(F32, np.arange(64)), np.arange(64) < 60)
    assert rows[0].split() == ["0", *(str(n) for n in range(16))]
    assert rows[-1].split() == [
        "48",
        *(str(n) for n in range(48, 60)),
        *(f"({n})" for n in range(60, 64)),
    ]
    narrow = lane_grid(VReg(F32), content(F32, np.arange(64)), width=20)
    assert len(narrow) == 16
    assert max(map(len, narrow)) <= 20
    (row, *_) = lane_grid(Mask(32), content(I1, np.repeat(np.arange(64) % 2 == 0, 4)))
    assert row.split()[1:5] == ["1", ".", "1", "."]


@given(
    st.sampled_from(ELEMENTS),
    st.binary(min_size=1, max_size=70),
    st.integers(0, 1 << 20),
    st.integers(20, 200),
    st.booleans(),
)
def test_memory_shows_every_byte(
    dtype: DType, raw: bytes, begin: int, width: int, typed: bool
) -> None:
    kept = raw[: len(raw) // dtype.bytes * dtype.bytes] if typed else raw
    data = np.frombuffer(kept, np.uint8)
    rows = memory_grid(data, np.zeros(len(data), bool), begin, dtype if typed else None, width)
    shown = "".join(re.sub(r"^0x\w+ |  .*$", "", row).replace(" ", "") for row in rows)
    assert shown == kept.hex()
    assert all(int(row.split()[0], 16) >= begin for row in rows)


def test_memory_beside_its_elements() -> None:
    data = np.array([1.5, -2, 3, 4], np.float32).view(np.uint8)
    undefined = np.zeros(16, bool)
    undefined[4] = True
    assert memory_grid(data, undefined, 256, F32) == [
        "0x100 0000c03f ??0000c0 00004040 00008040  1.5 -2?   3   4"
    ]
    assert memory_grid(np.frombuffer(b"ab\0", np.uint8), undefined[:3], 0, None) == [
        "0x0 616200    ab."
    ]


def test_bytes_in_words() -> None:
    data = np.arange(16, dtype=np.float32).view(np.uint8)
    assert byte_text(data, np.zeros(64, np.uint8), F32) == "[0 1 2 .. 13 14 15]"
    assert byte_text(data[:2], np.array([0, 255], np.uint8), None) == "[0x00 0x00?]"
    assert byte_text(data[:2], np.zeros(2, np.uint8), None) == "2 x 0x00"
