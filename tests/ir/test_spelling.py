"""The spellings of compilers: each is read, and printed in the canonical form."""

from __future__ import annotations

import pytest

from tests.ir.kernels import error, function, program, round_trip

ENDS = "%n: i64, %j: index"


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("pto.barrier <PIPE_ALL>", "pto.barrier #pto.pipe<PIPE_ALL>"),
        ('pto.barrier "PIPE_V"', "pto.barrier #pto.pipe<PIPE_V>"),
        ("pto.pipe_barrier <PIPE_V>", 'pto.pipe_barrier "PIPE_V"'),
        ("pto.pipe_barrier #pto.pipe<PIPE_V>", 'pto.pipe_barrier "PIPE_V"'),
        (
            "pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID3>]",
            'pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID3"]',
        ),
        (
            "pto.wait_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID3>]",
            'pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID3"]',
        ),
        ("pto.set_flag[<PIPE_V>, <PIPE_S>, %n]", 'pto.set_flag["PIPE_V", "PIPE_S", %n]'),
        ('pto.get_buf "PIPE_V", 3', 'pto.get_buf "PIPE_V", 3'),
        ("pto.get_buf [#pto.pipe<PIPE_V>, 3]", 'pto.get_buf "PIPE_V", 3'),
        ("pto.rls_buf[<PIPE_V>, 3, 1]", 'pto.rls_buf "PIPE_V", 3, 1'),
        ("pto.get_buf <PIPE_V>, %n, %n : i64, i64", 'pto.get_buf "PIPE_V", %n, %n : i64, i64'),
        ("pto.vecscope {\npto.mem_bar <VST_VLD>\n}", '  pto.mem_bar "VST_VLD"'),
        ("pto.vecscope {\npto.mem_bar #pto.membar<VV_ALL>\n}", '  pto.mem_bar "VV_ALL"'),
        ("barrier <PIPE_V>", "pto.barrier #pto.pipe<PIPE_V>"),
        ("pto.get_buf ins([<PIPE_V>, 3])", 'pto.get_buf "PIPE_V", 3'),
    ],
)
def test_tokens_of_synchronisation(written: str, canonical: str):
    assert f"  {canonical}" in round_trip(function(written, ENDS)).splitlines()


@pytest.mark.parametrize(
    ("written", "code", "found", "expected"),
    [
        ("pto.barrier <PIPE_ALL", "PTO0001", "return", "'>'"),
        ("pto.barrier #pto.event<PIPE_V>", "PTO0001", "#pto.event<PIPE_V>", "#pto.pipe<...>"),
        ("pto.set_flag[<PIPE_V>, <PIPE_S>, #pto.pipe<EVENT_ID0>]", "PTO0001", "#pto.pipe", "#pto."),
        ("pto.get_buf [<PIPE_V>, 3", "PTO0001", "return", "',' or ']'"),
        ("pto.get_buf [<PIPE_V>]", "PTO0008", "']'", "an integer for 'id'"),
        ("pto.pipe_barrier [<PIPE_V>]", "PTO0008", "'['", "the end of"),
    ],
)
def test_wrong_tokens(written: str, code: str, found: str, expected: str):
    said = error(function(written, ENDS))
    assert said.code == code
    assert said.found.startswith(found)
    assert said.expected.startswith(expected)


def test_a_mode_that_is_left_out_is_zero():
    op = program(function("pto.get_buf [<PIPE_V>, 3]", ENDS)).functions[0].body.ops[0]
    assert op.attrs == {"pipe": "PIPE_V", "id": 3, "mode": 0}


def test_a_distribution_is_no_set_with_a_name():
    line = "%v = pto.vlds %p[%j] {dist = #pto.pipe<NORM>} : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>"
    said = error(function(line, f"{ENDS}, %p: !pto.ptr<f32, ub>"))
    assert said.code == "PTO0008"
    assert said.found == "#pto.pipe<NORM>"
