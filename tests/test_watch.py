"""Kernels that are watched from Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ptoscope
from ptoscope import PtoError

G, U = "!pto.ptr<f32, gm>", "!pto.ptr<f32, ub>"
COPY = f"""func.func @copy(%x: {G}, %y: {G}) {{
  %zero = arith.constant 0 : i64
  %row = arith.constant 256 : i64
  %one = arith.constant 1 : i64
  %u = pto.castptr %zero : i64 -> {U}
  %again = pto.castptr %row : i64 -> {U}
  pto.mte_gm_ub %x, %u, %zero, %row nburst(%one, %row, %row)
    : {G}, {U}, i64, i64, i64, i64, i64
  pto.set_flag["PIPE_MTE2", "PIPE_MTE3", "EVENT_ID0"]
  pto.wait_flag["PIPE_MTE2", "PIPE_MTE3", "EVENT_ID0"]
  pto.mte_ub_gm %u, %y, %row nburst(%one, %row, %row)
    : {U}, {G}, i64, i64, i64, i64
  pto.mte_gm_ub %x, %again, %zero, %row nburst(%one, %row, %row)
    : {G}, {U}, i64, i64, i64, i64, i64
  return
}}
"""
"""Reads %x again while %y is still written, which matters where the two share memory."""
OVERWRITTEN = COPY.replace("pto.castptr %row", "pto.castptr %zero")
"""Puts it where the copy to %y still reads."""
FIXED = OVERWRITTEN.replace(
    f"    : {U}, {G}, i64, i64, i64, i64\n",
    f"    : {U}, {G}, i64, i64, i64, i64\n  pto.barrier #pto.pipe<PIPE_ALL>\n",
)


def arrays() -> Any:
    """Two that share memory, in one of several ways."""
    z = np.arange(128, dtype=np.float32)
    return {
        "one object": (z[:64], z[:64]),
        "two views": (z[:64], z[0:64]),
        "another shape": (z[:64], z[:64].reshape(8, 8)),
        "overlapping": (z[:64], z[32:96]),
        "apart": (z[:64], z[64:]),
    }


@pytest.mark.parametrize("how", arrays())
def test_arrays_that_share_memory(how: str) -> None:
    x, y = arrays()[how]
    before = x.base.copy()
    seen = ptoscope.load(COPY).watch(x, y, poison=False, schedules=0)
    # A space that both share has the position of the first.
    assert [race.space for race in seen.races] == ([] if how == "apart" else [0])
    assert (x.base == before).all()


def test_what_is_undefined_is_undefined_for_both() -> None:
    x, y = arrays()["two views"]
    kernel = ptoscope.load(FIXED)
    codes = [d.code for d in kernel.watch(x, y, undefined=[1]).diagnostics]
    assert codes == ["PTO0711"]


def test_everything_by_default() -> None:
    kernel = ptoscope.load(OVERWRITTEN, force=True)
    x, y = np.ones(64, np.float32), np.zeros(64, np.float32)
    seen = kernel.watch(x, y)
    assert set(seen.findings) == {"races", "poison", "schedules"}
    assert [d.code for d in seen.diagnostics] == ["PTO0701"]
    assert seen.wrong
    assert not ptoscope.load(FIXED).watch(x, y).wrong


def test_a_fault_is_told_once() -> None:
    kernel = ptoscope.load(OVERWRITTEN, force=True)
    x, y = np.ones(64, np.float32), np.zeros(32, np.float32)
    seen = kernel.watch(x, y, races=True)
    assert [d.code for d in seen.diagnostics].count("PTO0902") == 1


def test_wrong_arguments() -> None:
    with pytest.raises(PtoError, match="takes 2 arguments"):
        ptoscope.load(FIXED).watch(np.ones(64, np.float32))


def test_a_foreign_array_stays_as_it_is() -> None:
    """One that is no NumPy array but can be seen as one."""

    class Foreign:
        def __init__(self) -> None:
            self.data = np.zeros(64, np.float32)

        @property
        def __array_interface__(self) -> Any:
            return self.data.__array_interface__

    x, y = np.ones(64, np.float32), Foreign()
    ptoscope.load(FIXED).watch(x, y)
    assert not y.data.any()
    ptoscope.load(FIXED)(x, y)
    assert y.data.all()


POLL = f"""func.func @poll(%x: {G}, %y: {G}) {{
  %zero = arith.constant 0 : i64
  %row = arith.constant 256 : i64
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : index
  %none = arith.constant 0.0 : f32
  %u = pto.castptr %zero : i64 -> {U}
  pto.mte_gm_ub %x, %u, %zero, %row nburst(%one, %row, %row)
    : {G}, {U}, i64, i64, i64, i64, i64
  scf.while : () -> () {{
    %found = pto.load_scalar %u[%c0] : {U} -> f32
    %waits = arith.cmpf oeq, %found, %none : f32
    scf.condition(%waits)
  }} do {{
    scf.yield
  }}
  return
}}
"""
"""Looks at UB until a copy has come, which nothing makes it do."""


def test_an_order_that_does_not_end() -> None:
    x, y = np.ones(64, np.float32), np.zeros(64, np.float32)
    seen = ptoscope.load(POLL, force=True).watch(x, y, poison=False)
    (other,) = seen.findings["schedules"]
    assert other.message == "@poll may never end in another legal order"
    assert "--schedule lazy --max-steps 1004" in other.hint
    assert seen.difference is not None
    assert seen.difference.as_json()["schedule"] == "lazy"
