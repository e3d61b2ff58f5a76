"""Names of bytes: what they mean, and what is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptoscope import UsageError
from ptoscope.isa.dtypes import ELEMENTS, F16, F32, UI8
from ptoscope.ranges import MemoryRange, parse_range


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("ub:0x100..0x140:f32", MemoryRange("ub", 256, 320, F32)),
        ("ub:256..320", MemoryRange("ub", 256, 320)),
        ("ub:010..0X20", MemoryRange("ub", 10, 32)),
        ("ub:0x100", MemoryRange("ub", 256, 257)),
        ("ub:0x100:f16", MemoryRange("ub", 256, 258, F16)),
        ("ub", MemoryRange("ub")),
        ("ub:f32", MemoryRange("ub", 0, None, F32)),
        ("%x:64..:u8", MemoryRange("%x", 64, None, UI8)),
        ("%0:4..8", MemoryRange("%0", 4, 8)),
    ],
)
def test_what_is_meant(text: str, meant: MemoryRange) -> None:
    assert parse_range(text) == meant


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "'' names no bytes; write ub:0x100..0x140:f32"),
        ("ub:", "names no bytes"),
        ("ub:1..2..3", "names no bytes"),
        ("ub:-1..2", "names no bytes"),
        ("ub:0x", "names no bytes"),
        ("ub:٣", "names no bytes"),
        ("ub:" + "9" * 21, "names no bytes"),
        ("ub:8..4", "'ub:8..4': it ends before it begins"),
        ("ub:8..8", "ends before it begins"),
        ("ub:0..4:f23", r"'f23' is no type of elements; did you mean 'f32'\?"),
    ],
)
def test_what_names_no_bytes(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parse_range(text)


def test_bytes_of_a_memory() -> None:
    assert parse_range("ub:f32").of(1024) == (0, 1024)
    assert parse_range("ub:8..16:f32").of(16) == (8, 16)
    with pytest.raises(UsageError, match=r"ub:0x8..0x14: ub has bytes 0 to 15"):
        parse_range("ub:8..20").of(16)
    with pytest.raises(UsageError, match=r"ub has bytes 0 to 15"):
        parse_range("ub:16..").of(16)
    with pytest.raises(UsageError, match=r"6 bytes are no whole number of f32, of 4 bytes each"):
        parse_range("ub:0..6:f32").of(16)


@given(
    st.sampled_from(("ub", "%x", "%in_0")),
    st.integers(0, 1 << 40),
    st.integers(1, 1 << 40) | st.none(),
    st.sampled_from((None, *ELEMENTS)),
)
def test_a_range_is_written_as_it_is_read(space, begin, size, dtype) -> None:
    meant = MemoryRange(space, begin, None if size is None else begin + size, dtype)
    assert parse_range(str(meant)) == meant


@given(st.text(alphabet="ub%x:.0123456789afx٣", max_size=24))
def test_any_text_is_a_range_or_wrong_usage(text: str) -> None:
    try:
        found = parse_range(text)
    except UsageError:
        return
    assert found.begin >= 0
    assert found.end is None or found.end > found.begin
