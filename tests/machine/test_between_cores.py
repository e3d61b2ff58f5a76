"""Signals between cores, of which one is modelled; helpers that share the vector pipe."""

from __future__ import annotations

import numpy as np
import pytest

import ptoscope
from ptoscope import PtoError
from tests.machine.harness import fault, kernel, run

PAIRS = {
    "a2a3": ("set_cross_core", "wait_flag_dev"),
    "a5": ("set_intra_block", "wait_intra_core"),
}
every_pair = pytest.mark.parametrize("target", PAIRS)
UNITS = "%u: i64, %e: i64"


def _lines(target: str, *signs: str) -> str:
    """`+` signals unit %u and event %e, `-` waits for it."""
    signal, wait = PAIRS[target]
    return "\n".join(f"pto.{signal if s == '+' else wait} %u, %e : i64, i64" for s in signs)


@every_pair
@pytest.mark.parametrize(("unit", "event"), [(0, 0), (3, 7), (-1, 2**40)])
def test_an_own_signal_can_be_waited_for(target: str, unit: int, event: int) -> None:
    run(kernel(UNITS, _lines(target, "+", "-", "+", "+", "-", "-")), (unit, event), target)


@every_pair
@pytest.mark.parametrize("revision", ["manual", "micro"])
def test_both_revisions(target: str, revision: str) -> None:
    text = kernel(UNITS, _lines(target, "+", "-"))
    ptoscope.load(text, target=target, revision=revision)(1, 2)


@every_pair
@pytest.mark.parametrize("before", ["", "+-", "++--"])
def test_a_signal_of_another_core_is_a_fault(target: str, before: str) -> None:
    """Every signal is consumed; the wait after the last one is for somebody else's."""
    wait = PAIRS[target][1]
    last = f"pto.{wait} %u, %e : i64, i64 // somebody else's"
    text = kernel(UNITS, f"{_lines(target, *before)}\n{last}")
    said = fault(text, "// somebody else's", (4, 5), target)
    assert said.code == "PTO0913"
    assert "unit 4, event 5" in said.found
    assert "one vector core" in said.hint


@every_pair
def test_units_and_events_are_kept_apart(target: str) -> None:
    signal, wait = PAIRS[target]
    for waited in ("%e, %u", "%u, %u", "%e, %e"):
        text = kernel(
            UNITS, f"pto.{signal} %u, %e : i64, i64\npto.{wait} {waited} : i64, i64 // here"
        )
        assert fault(text, "// here", (1, 2), target).code == "PTO0913"


@every_pair
def test_blocks_do_not_see_each_other(target: str) -> None:
    """Block 0 signals; block 1 waits in vain."""
    signal, wait = PAIRS[target]
    text = kernel(
        "",
        f"""%b = pto.get_block_idx
        %first = arith.cmpi eq, %b, %zero : i64
        scf.if %first {{
        pto.{signal} %zero, %zero : i64, i64
        }} else {{
        pto.{wait} %zero, %zero : i64, i64
        }}""",
    )
    said = fault(text, f"pto.{wait}", target=target, grid=2)
    assert said.code == "PTO0913"
    assert "block 1 of 2" in said.message


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
@pytest.mark.parametrize("owner", PAIRS)
def test_each_pair_belongs_to_one_target(owner: str, target: str) -> None:
    for name in PAIRS[owner]:
        text = kernel(UNITS, f"pto.{name} %u, %e : i64, i64")
        if target == owner:
            ptoscope.load(text, target=target)
            continue
        with pytest.raises(PtoError) as error:
            ptoscope.load(text, target=target)
        (said,) = error.value.diagnostics
        assert said.code == "PTO0201"
        assert f"pto.{name}" in said.message


def test_the_pipes_of_a5() -> None:
    """Signals to the other unit come from the pipes that reach it."""
    legal = {"set": ("FIX", "MTE3"), "wait": ("FIX", "MTE1", "MTE2", "MTE3", "V")}
    for name, pipes in legal.items():
        for pipe in ("S", "V", "MTE1", "MTE2", "MTE3", "M", "FIX"):
            text = kernel("", f"pto.sync.{name} <PIPE_{pipe}>, 0")
            ptoscope.load(text, target="a2a3")
            if pipe in pipes:
                ptoscope.load(text, target="a5")
                continue
            with pytest.raises(PtoError) as error:
                ptoscope.load(text, target="a5")
            (said,) = error.value.diagnostics
            assert said.found == f"pipe = PIPE_{pipe}"


SORT = """%src = pto.castptr %zero : i64 -> !pto.ptr<f32, ub>
    %at1 = arith.constant 1024 : i64
    %idx = pto.castptr %at1 : i64 -> !pto.ptr<ui32, ub>
    %at2 = arith.constant 2048 : i64
    %dst = pto.castptr %at2 : i64 -> !pto.ptr<f32, ub>
    %len = arith.constant 128 : i64
    %all = arith.constant 256 : i64
    """
IN = """pto.mte_gm_ub %x, %src, %zero, %len nburst(%one, %len, %len)
    : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64
    pto.mte_gm_ub %i, %idx, %zero, %len nburst(%one, %len, %len)
    : !pto.ptr<ui32, gm>, !pto.ptr<ui32, ub>, i64, i64, i64, i64, i64"""
CALL = """pto.vbitsort %dst, %src, %idx, %c1
    : !pto.ptr<f32, ub>, !pto.ptr<f32, ub>, !pto.ptr<ui32, ub>, index"""
OUT = """pto.mte_ub_gm %dst, %y, %all nburst(%one, %all, %all)
    : !pto.ptr<f32, ub>, !pto.ptr<f32, gm>, i64, i64, i64, i64"""
GM = "%x: !pto.ptr<f32, gm>, %i: !pto.ptr<ui32, gm>, %y: !pto.ptr<f32, gm>"


def _set(src: str, dst: str) -> str:
    return f'pto.set_flag["PIPE_{src}", "PIPE_{dst}", "EVENT_ID0"]'


def _wait(src: str, dst: str) -> str:
    return f'pto.wait_flag["PIPE_{src}", "PIPE_{dst}", "EVENT_ID0"]'


def _sorted(*lines: str) -> list[int]:
    """The indices that arrive when lines run on 32 rising scores."""
    x, i = np.arange(32, dtype=np.float32), np.arange(100, 132, dtype=np.uint32)
    y = np.zeros(64, np.float32)
    run(kernel(GM, SORT + "\n".join(lines)), (x, i, y))
    return y.view(np.uint32)[1::2].tolist()


FALLING = list(range(131, 99, -1))


def test_a_helper_waits_behind_a_blocked_vector_pipe() -> None:
    """It is issued before the copy that it needs, and runs after it."""
    lines = (_wait("MTE2", "V"), CALL, _set("V", "MTE3"), _wait("V", "MTE3"), OUT)
    assert _sorted(*lines, IN, _set("MTE2", "V")) == FALLING


def test_without_the_wait_it_runs_before_the_copy() -> None:
    """UB is zero then: the scores are equal and the indices 0."""
    assert _sorted(CALL, IN, _set("V", "MTE3"), _wait("V", "MTE3"), OUT) == [0] * 32


def test_it_is_in_order_with_the_vecscopes_around_it() -> None:
    """A scope after it changes the records; one before it would have changed the scores."""
    scope = """pto.vecscope {
    %mask = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>
    %v = pto.vlds %dst[%c0] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
    %w, %z = pto.vdintlv %v, %v
      : !pto.vreg<64xf32>, !pto.vreg<64xf32> -> !pto.vreg<64xf32>, !pto.vreg<64xf32>
    %r, %s = pto.vintlv %w, %z
      : !pto.vreg<64xf32>, !pto.vreg<64xf32> -> !pto.vreg<64xf32>, !pto.vreg<64xf32>
    %n = pto.vneg %w, %mask : !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>
    %half = pto.pset_b32 "PAT_H" : !pto.mask<b32>
    pto.vsts %n, %src[%c0], %half : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.mask<b32>
    }"""
    lines = (_wait("MTE2", "V"), CALL, scope, CALL, _set("V", "MTE3"), _wait("V", "MTE3"), OUT)
    # Sorted 31 to 0, negated: -31 to -0. Sorted again, the last becomes the first.
    assert _sorted(*lines, IN, _set("MTE2", "V")) == FALLING


def test_a_blocked_helper_is_a_deadlock_of_the_wait() -> None:
    text = kernel(GM, SORT + "\n".join((_wait("MTE2", "V"), CALL)))
    x, y = np.zeros(32, np.float32), np.zeros(64, np.float32)
    said = fault(text, "pto.wait_flag", (x, x.view(np.uint32), y))
    assert said.code == "PTO0904"


def test_a_queued_helper_is_blamed_at_its_own_line() -> None:
    """It faults when it runs, long after the lines that follow it were issued."""
    lines = f"""%far = arith.constant {256 * 1024 - 32} : i64
    %end = pto.castptr %far : i64 -> !pto.ptr<f32, ub>
    {_wait("MTE2", "V")}
    pto.vsort32 %end, %src, %one : !pto.ptr<f32, ub>, !pto.ptr<f32, ub>, i64
    {IN}
    {_set("MTE2", "V")}"""
    x, y = np.zeros(32, np.float32), np.zeros(64, np.float32)
    said = fault(kernel(GM, SORT + lines), "pto.vsort32", (x, x.view(np.uint32), y))
    assert said.code == "PTO0901"
