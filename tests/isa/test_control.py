"""scf and vecscopes: what runs, how often, with which values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ptoscope


def _kernel(params: str, body: str) -> Any:
    return ptoscope.load(
        f"""module {{
  func.func @control(%out: !pto.ptr<i64, gm>{params}) {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    {body}
    return
  }}
}}
"""
    )


def _run(kernel: Any, *values: int, size: int = 4) -> list[int]:
    out = np.zeros(size, dtype="int64")
    kernel(out, *values)
    return out.tolist()


LOOP = _kernel(
    ", %low: index, %high: index, %step: index",
    """%sum, %iterations = scf.for %i = %low to %high step %step
        iter_args(%s = %zero, %t = %zero) -> (i64, i64) {
      %wide = arith.index_cast %i : index to i64
      %s2 = arith.addi %s, %wide : i64
      %t2 = arith.addi %t, %one : i64
      scf.yield %s2, %t2 : i64, i64
    }
    pto.store_scalar %sum, %out[%c0] : !pto.ptr<i64, gm>, i64
    pto.store_scalar %iterations, %out[%c1] : !pto.ptr<i64, gm>, i64""",
)


@given(st.integers(-50, 50), st.integers(-50, 50), st.integers(1, 20))
@settings(max_examples=100, deadline=None)
def test_for(low: int, high: int, step: int) -> None:
    """From low, below high; not at all if there is nothing between."""
    iterations = list(range(low, high, step))
    assert _run(LOOP, low, high, step)[:2] == [sum(iterations), len(iterations)]


SWAP = _kernel(
    ", %n: index",
    """%two = arith.constant 2 : i64
    %x, %y = scf.for %i = %c0 to %n step %c1 iter_args(%a = %one, %b = %two) -> (i64, i64) {
      scf.yield %b, %a : i64, i64
    }
    pto.store_scalar %x, %out[%c0] : !pto.ptr<i64, gm>, i64
    pto.store_scalar %y, %out[%c1] : !pto.ptr<i64, gm>, i64""",
)


@pytest.mark.parametrize("iterations", range(5))
def test_carried_values_change_all_at_once(iterations: int) -> None:
    assert _run(SWAP, iterations)[:2] == ([1, 2] if iterations % 2 == 0 else [2, 1])


def test_nested_loops() -> None:
    kernel = _kernel(
        ", %n: index",
        """%total = scf.for %i = %c0 to %n step %c1 iter_args(%outer = %zero) -> (i64) {
      %row = scf.for %j = %c0 to %i step %c1 iter_args(%inner = %outer) -> (i64) {
        %product = arith.muli %i, %j : index
        %wide = arith.index_cast %product : index to i64
        %next = arith.addi %inner, %wide : i64
        scf.yield %next : i64
      }
      scf.yield %row : i64
    }
    pto.store_scalar %total, %out[%c0] : !pto.ptr<i64, gm>, i64""",
    )
    for n in range(7):
        assert _run(kernel, n)[0] == sum(i * j for i in range(n) for j in range(i))


def test_if() -> None:
    kernel = _kernel(
        ", %a: i64",
        """%negative = arith.cmpi slt, %a, %zero : i64
    %size, %sign = scf.if %negative -> (i64, i64) {
      %minus = arith.subi %zero, %a : i64
      %m = arith.constant -1 : i64
      scf.yield %minus, %m : i64, i64
    } else {
      scf.yield %a, %one : i64, i64
    }
    pto.store_scalar %size, %out[%c0] : !pto.ptr<i64, gm>, i64
    pto.store_scalar %sign, %out[%c1] : !pto.ptr<i64, gm>, i64
    scf.if %negative {
      pto.store_scalar %a, %out[%c2] : !pto.ptr<i64, gm>, i64
    }""",
    )
    assert _run(kernel, -5) == [5, -1, -5, 0]
    assert _run(kernel, 7) == [7, 1, 0, 0]


WHILE = _kernel(
    ", %n: i64",
    """%two = arith.constant 2 : i64
    %three = arith.constant 3 : i64
    %last, %steps = scf.while (%x = %n, %t = %zero) : (i64, i64) -> (i64, i64) {
      %more = arith.cmpi sgt, %x, %one : i64
      scf.condition(%more) %x, %t : i64, i64
    } do {
    ^bb0(%x: i64, %t: i64):
      %odd = arith.andi %x, %one : i64
      %is_odd = arith.cmpi eq, %odd, %one : i64
      %next = scf.if %is_odd -> (i64) {
        %a = arith.muli %x, %three : i64
        %b = arith.addi %a, %one : i64
        scf.yield %b : i64
      } else {
        %h = arith.divsi %x, %two : i64
        scf.yield %h : i64
      }
      %t2 = arith.addi %t, %one : i64
      scf.yield %next, %t2 : i64, i64
    }
    pto.store_scalar %last, %out[%c0] : !pto.ptr<i64, gm>, i64
    pto.store_scalar %steps, %out[%c1] : !pto.ptr<i64, gm>, i64""",
)


@pytest.mark.parametrize("start", [1, 2, 3, 6, 7, 27])
def test_while(start: int) -> None:
    x, steps = start, 0
    while x > 1:
        x = 3 * x + 1 if x % 2 else x // 2
        steps += 1
    assert _run(WHILE, start)[:2] == [x, steps]


def test_a_strict_scope_sees_its_arguments() -> None:
    kernel = _kernel(
        ", %a: i64, %b: i64",
        """pto.strict_vecscope(%a, %out, %b) {
    ^bb0(%x: i64, %p: !pto.ptr<i64, gm>, %y: i64):
      %at = arith.constant 0 : index
      %d = arith.subi %x, %y : i64
      pto.store_scalar %d, %p[%at] : !pto.ptr<i64, gm>, i64
    } : (i64, !pto.ptr<i64, gm>, i64) -> ()""",
    )
    assert _run(kernel, 10, 4)[0] == 6
