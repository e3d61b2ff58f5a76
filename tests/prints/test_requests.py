"""Requests as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ptoscope import UsageError
from ptoscope.isa.dtypes import F32
from ptoscope.prints.requests import PrintRequest, parse_requests, split_requests
from ptoscope.ranges import MemoryRange


def meant(text: str) -> PrintRequest:
    (found,) = parse_requests([text])
    return found


def test_what_is_meant() -> None:
    assert meant("71:%max") == PrintRequest("71:%max", 71, "%max", "%max")
    last = meant("71:%m@3,5,%i=-64,scf.while=2")
    assert (last.title, last.value) == ("%m", "%m")
    assert last.executions == (3, 5)
    assert last.iterations == (("%i", -64), ("scf.while", 2))
    bytes_of_ub = meant("9:ub:0x100..0x140:f32@0")
    assert bytes_of_ub.memory == MemoryRange("ub", 256, 320, F32)
    assert (bytes_of_ub.value, bytes_of_ub.title) == ("", "ub:0x100..0x140:f32")
    assert meant("9:%x:0..64").memory == MemoryRange("%x", 0, 64)
    flags = meant("9:flags")
    assert (flags.value, flags.memory) == ("", None)


def test_one_that_is_asked_twice_is_one() -> None:
    assert len(parse_requests(["1:%a", "1:%b", "1:%a"])) == 2


def test_a_list_is_cut_where_a_line_begins() -> None:
    listed = "71:%m@3,%i=4,5,72:flags,9:ub:0..4"
    assert split_requests(listed) == ["71:%m@3,%i=4,5", "72:flags", "9:ub:0..4"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "print : write 71:%max"),
        ("71", "print 71: write 71:%max"),
        ("%max", "write 71:%max"),
        ("71:", "write 71:%max"),
        ("-1:%max", "write 71:%max"),
        ("71:%max@", "'' is no iteration: write @3 or @%i=64"),
        ("71:%max@i=3", "'i=3' is no iteration"),
        ("71:%max@1,,2", "'' is no iteration"),
        (
            "71:max",
            "there is no memory 'max'; there are ub, l1, l0a, l0b, l0c, bt, fb, l0a_scale, "
            "l0b_scale and the arrays of parameters, as %x",
        ),
        ("71:ub:8..4", "ends before it begins"),
        ("71:ub:0..4:f33", "'f33' is no type of elements; did you mean 'f32'"),
    ],
)
def test_what_is_no_request(text: str, said: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_requests([text])
    assert said in str(error.value)


@given(st.text(alphabet="71:%mxub.@=,flags-0٣ \n", max_size=24))
def test_any_text_is_a_request_or_wrong_usage(text: str) -> None:
    try:
        (found,) = parse_requests([text])
    except UsageError:
        return
    assert found.text == text
    assert f"{found.line}:{found.title}" in text.lstrip("0") or text.startswith("0")
