"""Kernels and inputs of these tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[2]
SOFTMAX = ROOT / "examples" / "row_softmax.pto"
TEXT = SOFTMAX.read_text("utf-8")
ROWS = 5

RACY = TEXT.replace('pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]', "")
"""Without its wait for the input."""
UNDEFINED = TEXT.replace("pto.vlds %ub_in[%hi]", "pto.vlds %ub_out[%hi]")
"""Half of its input is UB that nobody wrote."""

COPY = """
func.func @copy(%x: !pto.ptr<ELEMENT, gm>, %y: !pto.ptr<ELEMENT, gm>, %bytes: i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %ub = pto.castptr %zero : i64 -> !pto.ptr<ELEMENT, ub>
  pto.mte_gm_ub %x, %ub, %zero, %bytes nburst(%one, %bytes, %bytes)
    : !pto.ptr<ELEMENT, gm>, !pto.ptr<ELEMENT, ub>, i64, i64, i64, i64, i64
  pto.set_flag["PIPE_MTE2", "PIPE_MTE3", "EVENT_ID0"]
  pto.wait_flag["PIPE_MTE2", "PIPE_MTE3", "EVENT_ID0"]
  pto.mte_ub_gm %ub, %y, %bytes nburst(%one, %bytes, %bytes)
    : !pto.ptr<ELEMENT, ub>, !pto.ptr<ELEMENT, gm>, i64, i64, i64, i64
  return
}
"""


SCALARS = """
func.func @scalars(%x: !pto.ptr<TYPE, gm>, %y: !pto.ptr<TYPE, gm>) {
  %c0 = arith.constant 0 : index
  %a = pto.load_scalar %x[%c0] : !pto.ptr<TYPE, gm> -> TYPE
  pto.store_scalar %a, %y[%c0] : !pto.ptr<TYPE, gm>, TYPE
  return
}
"""


def rows() -> tuple[Any, Any]:
    """An input of the softmax, and room for its output."""
    x = np.random.default_rng(7).standard_normal((ROWS, 128)).astype(np.float32)
    return x, np.zeros_like(x)


def softmax(x: Any, *_: Any) -> Any:
    """The same in NumPy."""
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def line_of(part: str, text: str = TEXT) -> int:
    (line,) = [n for n, row in enumerate(text.split("\n"), 1) if part in row]
    return line
