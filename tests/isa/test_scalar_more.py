"""Memory barriers, the control register and single bits of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ptoscope
from ptoscope import PtoError
from tests.machine.harness import fault, kernel, run, scope

BARRIERS = (
    *("VV_ALL", "VST_VLD", "VLD_VST", "VST_VST"),
    *("VS_ALL", "VST_LD", "VLD_ST", "VST_ST"),
    *("SV_ALL", "ST_VLD", "LD_VST", "ST_VST"),
)
FITTING = ("VV_ALL", "VST_VLD")
"""Those that order a vector store before a vector load."""
both = pytest.mark.parametrize("revision", ["manual", "micro"])
INT = 2**64


def _signed(number: int) -> int:
    """Bits as the i64 a caller passes."""
    number %= INT
    return number - INT if number >> 63 else number


@both
@pytest.mark.parametrize("kind", BARRIERS)
def test_memory_barriers(kind: str, revision: str) -> None:
    """A store, a barrier and a load of the same bytes: the check refuses a barrier that does
    not order them. A run keeps the order of the text: the load sees what was stored."""
    v, p, m = "!pto.vreg<64xf32>", "!pto.ptr<f32, ub>", "!pto.mask<b32>"
    inside = f"""%v = pto.vbr %two : f32 -> {v}
        pto.vsts %v, %ub[%c0], %mask : {v}, {p}, {m}
        pto.mem_bar "{kind}"
        %w = pto.vlds %ub[%c0] : {p} -> {v}
        %d = pto.vadd %w, %w, %mask : {v}, {v}, {m} -> {v}
        pto.mem_bar "{kind}"
        pto.vsts %d, %ub[%c64], %mask : {v}, {p}, {m}"""
    text = kernel(
        "%y: !pto.ptr<f32, gm>",
        f"""%c64 = arith.constant 64 : index
        %len = arith.constant 256 : i64
        %two = arith.constant 2.0 : f32
        {scope(inside)}
        %at = pto.addptr %ub, %c64 : {p} -> {p}
        pto.set_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]
        pto.wait_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]
        pto.mte_ub_gm %at, %y, %len nburst(%one, %len, %len)
          : {p}, !pto.ptr<f32, gm>, i64, i64, i64, i64""",
    )
    if kind not in FITTING:
        with pytest.raises(PtoError) as error:
            ptoscope.load(text, revision=revision)
        assert [d.code for d in error.value.diagnostics] == ["PTO0609"]
    out = np.zeros(64, np.float32)
    ptoscope.load(text, revision=revision, force=kind not in FITTING)(out)
    assert out.tolist() == [4.0] * 64


def test_memory_barriers_of_another_name_are_refused() -> None:
    with pytest.raises(PtoError, match="VLD_VLD") as error:
        ptoscope.load(kernel("", scope('pto.mem_bar "VLD_VLD"')))
    (said,) = error.value.diagnostics
    assert all(kind in said.expected for kind in BARRIERS)


def test_a_memory_barrier_stands_in_a_vecscope() -> None:
    """One that stands alone gets none around it."""
    with pytest.raises(PtoError) as error:
        ptoscope.load(kernel("", 'pto.mem_bar "VV_ALL"'))
    assert [d.code for d in error.value.diagnostics] == ["PTO0301"]


@both
def test_the_control_register_at_launch(revision: str) -> None:
    """Bit 48 is set: a public kernel multiplies infinities before it sets anything."""
    text = kernel(
        "%y: !pto.ptr<i64, gm>",
        """%before = pto.get_ctrl : i64
        pto.set_ctrl %zero : i64
        %after = pto.get_ctrl : i64
        pto.store_scalar %before, %y[%c0] : !pto.ptr<i64, gm>, i64
        pto.store_scalar %after, %y[%c1] : !pto.ptr<i64, gm>, i64""",
    )
    out = np.full(2, -1, np.int64)
    ptoscope.load(text, revision=revision)(out)
    assert out.tolist() == [1 << 48, 0]


@pytest.mark.parametrize("value", [1, 2**60, -1])
def test_bits_of_the_control_register_are_refused(value: int) -> None:
    """They change arithmetic in ways that are not modelled: better no result than a wrong
    one."""
    said = fault(kernel("%v: i64", "pto.set_ctrl %v : i64"), "pto.set_ctrl", (value,))
    assert said.code == "PTO0914"
    assert "CTRL" in said.message


def test_the_control_register_in_a_vecscope() -> None:
    run(kernel("", scope("%v = pto.get_ctrl : i64\npto.set_ctrl %v : i64")))
    text = kernel("", scope("pto.set_ctrl %one : i64"))
    assert fault(text, "pto.set_ctrl").code == "PTO0914"


def _bits(revision: str = "manual") -> Any:
    text = kernel(
        "%v: i64, %p: i64, %y: !pto.ptr<i64, gm>",
        """%clear = pto.sbitset0 %v, %p : i64, i64 -> i64
        %set = pto.sbitset1 %v, %p : i64, i64 -> i64
        pto.store_scalar %clear, %y[%c0] : !pto.ptr<i64, gm>, i64
        pto.store_scalar %set, %y[%c1] : !pto.ptr<i64, gm>, i64""",
    )
    return ptoscope.load(text, revision=revision)


def _run_bits(loaded: Any, value: int, position: int) -> list[int]:
    out = np.zeros(2, np.int64)
    loaded(_signed(value), position, out)
    return [int(v) % INT for v in out]


@both
@pytest.mark.parametrize("position", range(64))
def test_one_bit(position: int, revision: str) -> None:
    loaded = _bits(revision)
    for value in (0, INT - 1, 0x0123456789ABCDEF, 1 << 63):
        bit = 1 << position
        assert _run_bits(loaded, value, position) == [value & ~bit, value | bit]


@pytest.mark.parametrize("position", [64, 65, 127, 2**31, -1, -64, -(2**63)])
def test_a_position_outside_changes_nothing(position: int) -> None:
    value = 0x0123456789ABCDEF
    assert _run_bits(_bits(), value, position) == [value, value]


@given(st.integers(0, INT - 1), st.integers(0, 63))
@settings(max_examples=60, deadline=None)
def test_setting_and_clearing_one_bit(value: int, position: int) -> None:
    cleared, raised = _run_bits(_bits(), value, position)
    assert raised - cleared == 1 << position
    assert value in (cleared, raised)
