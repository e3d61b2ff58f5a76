"""Signals between cores, where there is one; helpers that share the vector pipe."""

from __future__ import annotations

import numpy as np
import pytest

import ptoscope
from ptoscope import PtoError
from ptoscope.kernel import prepare
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
@pytest.mark.parametrize("revision", ["manual", "micro"])
def test_signals_alone_hold_nobody(target: str, revision: str) -> None:
    text = kernel(UNITS, _lines(target, "+", "+", "+"))
    ptoscope.load(text, target=target, revision=revision)(1, 2)


@every_pair
@pytest.mark.parametrize(("unit", "number"), [(0, 0), (1, 7), (1, 15)])
@pytest.mark.parametrize("before", ["", "+", "++"])
def test_a_core_alone_waits_for_nobody(target: str, unit: int, number: int, before: str) -> None:
    """A semaphore is its receiver's: what a core gives is never for itself."""
    wait = PAIRS[target][1]
    last = f"pto.{wait} %u, %e : i64, i64 // somebody else's"
    text = kernel(UNITS, f"{_lines(target, *before)}\n{last}")
    said = fault(text, "// somebody else's", (unit, number), target)
    assert said.code == "PTO0913"
    assert f"no signal for semaphore {number}" in said.found
    assert "a block is one core" in said.hint


@pytest.mark.parametrize(("target", "count"), [("a2a3", 16), ("a5", 32)])
@pytest.mark.parametrize("far", [0, 2**40])
@pytest.mark.parametrize("sign", ["+", "-"])
def test_numbers_of_semaphores_end(target: str, count: int, far: int, sign: str) -> None:
    """A5 has 16 for each of the two vector cores; A2/A3 speaks to both at once."""
    for number in (-1, count + far):
        said = fault(kernel(UNITS, _lines(target, sign)), " %u, %e", (0, number), target)
        assert said.code == "PTO0905"
        assert said.expected == f"0 to {count - 1}"


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
    legal = {"set": ("FIX", "MTE1", "MTE3", "V"), "wait": ("FIX", "MTE1", "MTE2", "MTE3", "V")}
    for name, pipes in legal.items():
        for pipe in ("S", "V", "MTE1", "MTE2", "MTE3", "M", "FIX"):
            core = "vector" if pipe == "V" else "cube"
            line = f"pto.sync.{name} <PIPE_{pipe}>, 0"
            text = kernel("", f"pto.section.{core} {{\n{line}\n}}")
            for target in PAIRS:
                findings = prepare(text, "k.pto", target, None).findings
                absent = f"pipe = PIPE_{pipe}" in [said.found for said in findings]
                assert absent == (target == "a5" and pipe not in pipes)


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
