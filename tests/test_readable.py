"""What lanes, masks, streams and flags look like."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptoscope.readable import mask_text, numbers_text, signals_text, stream_text


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        (np.array([1, 2, 2, 2, 3], np.int32), "1 2 2 2 3"),
        (np.array([0] * 4 + [7], np.uint8), "0 x4 7"),
        (np.array([0.1, -0.0, 1e20, np.nan, np.inf], np.float32), "0.1 -0.0 1e+20 nan inf"),
        (np.array([0.1], np.float16), "0.1"),
        (np.full(64, np.nan, np.float32), "nan x64"),
        (np.array([], np.float32), ""),
    ],
)
def test_numbers(numbers, text: str) -> None:
    assert numbers_text(numbers) == text


@given(st.lists(st.sampled_from((0, 1, -7)), max_size=12))
def test_no_number_is_lost(numbers: list[int]) -> None:
    read: list[int] = []
    for word in numbers_text(np.array(numbers, np.int64)).split():
        if word.startswith("x"):
            read += [read[-1]] * (int(word[1:]) - 1)
        else:
            read.append(int(word))
    assert read == numbers


@given(st.lists(st.booleans(), min_size=1, max_size=12))
def test_a_mask_is_its_active_lanes(active: list[bool]) -> None:
    text = mask_text(np.array(active))
    if len(set(active)) == 1:
        assert text == f"{'all' if active[0] else 'none of'} {len(active)}"
        return
    lanes: list[int] = []
    for run in text.removesuffix(f" of {len(active)}").split(", "):
        first, _, last = run.partition("..")
        lanes += range(int(first), int(last or first) + 1)
    assert lanes == [lane for lane, on in enumerate(active) if on]


def test_a_mask_of_many_pieces_is_cut_where_that_is_wanted() -> None:
    odd = np.arange(64) % 2 == 1
    assert mask_text(odd, 3) == "32 of 64, from 1 to 63"
    assert mask_text(odd[:6], 3) == "1, 3, 5 of 6"


def test_streams_and_flags() -> None:
    assert stream_text(b"\x01\xff", 0x102) == "2 bytes at 0x102: 01ff"
    assert stream_text(b"", None) == "a stream that has not begun"
    assert stream_text(b"", 64) == "0 bytes at 0x40"
    assert signals_text({}, {}) == "set: none; held: none"
    found = signals_text({"a event 0": 1, "b event 1": 2}, {"PIPE_V buffer 3": 1})
    assert found == "set: a event 0, b event 1 x2; held: PIPE_V buffer 3"
