"""A scalar store, and another pipe at the same bytes: a flag or a barrier of PIPE_S orders them.

No document says when a scalar store is complete. A run takes it as complete when the next
instruction is issued; a kernel that relies on it gets a warning.
"""

from __future__ import annotations

import numpy as np
import pytest

import ptoscope
from ptoscope.check import catalogue
from ptoscope.check.apply import fixed
from ptoscope.cli.examine import examine_text
from ptoscope.diagnostics import Diagnostic

UNFLAGGED = "PTO0615"

# UB holds 8 numbers of x; the scalar unit stores number 0 of them, or reads it.
TEXT = """func.func @kernel(%x: !pto.ptr<i32, gm>, %y: !pto.ptr<i32, gm>, %s: i32) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %bytes = arith.constant 32 : i64
  %ub = pto.castptr %zero : i64 -> !pto.ptr<i32, ub>
  %far = arith.constant 256 : i64
  %out = pto.castptr %far : i64 -> !pto.ptr<i32, ub>
{body}
  return
}}
"""
STORE = "  pto.store_scalar %s, %ub[%c0] : !pto.ptr<i32, ub>, i32\n"
LOAD = "  %r = pto.load_scalar %ub[%c0] : !pto.ptr<i32, ub> -> i32\n"
GM_STORE = "  pto.store_scalar %s, %x[%c0] : !pto.ptr<i32, gm>, i32\n"
COPY_IN = """  pto.mte_gm_ub %x, %ub, %zero, %bytes nburst(%one, %bytes, %bytes)
    : !pto.ptr<i32, gm>, !pto.ptr<i32, ub>, i64, i64, i64, i64, i64
"""
COPY_OUT = """  pto.mte_ub_gm %ub, %y, %bytes nburst(%one, %bytes, %bytes)
    : !pto.ptr<i32, ub>, !pto.ptr<i32, gm>, i64, i64, i64, i64
"""
VECTOR = """  pto.vecscope {
    %all = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>
    %v = pto.vlds %ub[%c0] {dist = "BRC_B32"} : !pto.ptr<i32, ub> -> !pto.vreg<64xi32>
    pto.vsts %v, %out[%c0], %all : !pto.vreg<64xi32>, !pto.ptr<i32, ub>, !pto.mask<b32>
  }
"""
LATE = {
    "PIPE_MTE2 writes UB": (STORE, COPY_IN, "PIPE_MTE2"),
    "PIPE_MTE2 reads GM": (GM_STORE, COPY_IN, "PIPE_MTE2"),
    "PIPE_V": (STORE, VECTOR, "PIPE_V"),
    "PIPE_MTE3": (
        COPY_IN + "  pto.pipe_barrier #pto.pipe<PIPE_ALL>\n" + STORE,
        COPY_OUT,
        "PIPE_MTE3",
    ),
}


def flag(src: str, dst: str) -> str:
    """A signal from pipe to pipe, and its wait."""
    pair = f'"{src}", "{dst}", "EVENT_ID0"'
    return f"  pto.set_flag[{pair}]\n  pto.wait_flag[{pair}]\n"


def findings(body: str, revision: str = "manual") -> list[Diagnostic]:
    text = TEXT.format(body=body.rstrip("\n"))
    return [d for d in examine_text(text, "k.pto", "a5", revision)[1] if d.severity != "note"]


def codes(body: str, revision: str = "manual") -> list[str]:
    return [d.code for d in findings(body, revision)]


@pytest.mark.parametrize("revision", ["manual", "micro"])
@pytest.mark.parametrize("which", LATE)
def test_a_store_that_no_flag_follows_is_a_warning(which: str, revision: str) -> None:
    store, late, pipe = LATE[which]
    found = [d for d in findings(store + late, revision) if d.code == UNFLAGGED]
    (warning,) = found
    assert warning.severity == "warning"
    assert pipe in warning.message
    assert "the scalar unit stored" in warning.message


@pytest.mark.parametrize("which", LATE)
def test_a_flag_or_a_barrier_orders_them(which: str) -> None:
    store, late, pipe = LATE[which]
    between = (
        flag("PIPE_S", pipe),
        "  pto.pipe_barrier #pto.pipe<PIPE_ALL>\n",
        "  pto.pipe_barrier #pto.pipe<PIPE_S>\n" + flag("PIPE_S", pipe),
    )
    for order in between:
        assert UNFLAGGED not in codes(store + order + late)


def test_a_flag_of_another_pipe_does_not() -> None:
    relayed = flag("PIPE_MTE2", "PIPE_V")
    assert UNFLAGGED in codes(STORE + relayed + VECTOR)


def test_a_load_is_complete_when_it_has_its_number() -> None:
    assert UNFLAGGED not in codes(LOAD + COPY_IN)


def test_other_bytes_need_no_order() -> None:
    elsewhere = STORE.replace("%ub[%c0]", "%out[%c0]")
    assert UNFLAGGED not in codes(elsewhere + COPY_IN)


def test_a_store_in_a_loop_and_the_pipe_of_its_next_iteration() -> None:
    wait = '    pto.wait_flag["PIPE_MTE2", "PIPE_S", "EVENT_ID0"]\n'
    body = COPY_IN + '    pto.set_flag["PIPE_MTE2", "PIPE_S", "EVENT_ID0"]\n' + wait + STORE
    loop = "  scf.for %i = %c0 to %c3 step %c1 {\n{body}  }}\n".replace("{\n", "{{\n", 1)
    assert UNFLAGGED in codes(loop.format(body=body))
    signalled = loop.format(body=body + flag("PIPE_S", "PIPE_MTE2"))
    assert UNFLAGGED not in codes(signalled)


def test_the_fix_sets_the_flag() -> None:
    bad = catalogue.entry(UNFLAGGED).bad
    after = fixed(bad, lambda text: examine_text(text, "k.pto", "a5", "manual")[1])
    assert after.left == []
    assert 'pto.set_flag["PIPE_S", "PIPE_MTE3"' in after.text


@pytest.mark.parametrize("engine", ["reference", "native"])
def test_a_run_takes_the_store_as_complete(engine: str) -> None:
    text = TEXT.format(body=(LATE["PIPE_MTE3"][0] + COPY_OUT).rstrip("\n"))
    x, y = np.arange(1, 9, dtype="i4"), np.zeros(8, "i4")
    ptoscope.load(text)(x, y, 77, engine=engine)
    assert y.tolist() == [77, 2, 3, 4, 5, 6, 7, 8]
