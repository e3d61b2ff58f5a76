"""Runs a helper that works on UB itself, on bytes, and shows the bytes it leaves."""

from __future__ import annotations

from typing import Any

import numpy as np

import ptoscope

FROM, SECOND, TO = 0, 64 * 1024, 128 * 1024
UNTOUCHED = 0xA5


def text(params: str, values: str, call: str, after: str = "") -> str:
    """A kernel that copies %x to FROM and %z to SECOND, calls, and copies what is at TO out."""
    return f"""module {{
  func.func @sort(%x: !pto.ptr<ui8, gm>, %z: !pto.ptr<ui8, gm>, %y: !pto.ptr<ui8, gm>,
      %xn: i64, %zn: i64, %n: i64{params}) {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %from = arith.constant {FROM} : i64
    %second = arith.constant {SECOND} : i64
    %to = arith.constant {TO} : i64
    %a8 = pto.castptr %from : i64 -> !pto.ptr<ui8, ub>
    %b8 = pto.castptr %second : i64 -> !pto.ptr<ui8, ub>
    %d8 = pto.castptr %to : i64 -> !pto.ptr<ui8, ub>
    pto.mte_gm_ub %y, %d8, %zero, %n nburst(%one, %n, %n)
      : !pto.ptr<ui8, gm>, !pto.ptr<ui8, ub>, i64, i64, i64, i64, i64
    pto.mte_gm_ub %x, %a8, %zero, %xn nburst(%one, %xn, %xn)
      : !pto.ptr<ui8, gm>, !pto.ptr<ui8, ub>, i64, i64, i64, i64, i64
    pto.mte_gm_ub %z, %b8, %zero, %zn nburst(%one, %zn, %zn)
      : !pto.ptr<ui8, gm>, !pto.ptr<ui8, ub>, i64, i64, i64, i64, i64
    pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
    pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]
    {values}
    {call}
    pto.set_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]
    pto.wait_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]
    pto.mte_ub_gm %d8, %y, %n nburst(%one, %n, %n)
      : !pto.ptr<ui8, ub>, !pto.ptr<ui8, gm>, i64, i64, i64, i64
    {after}
    return
  }}
}}
"""


def _padded(data: bytes) -> Any:
    """Bytes as an array, up to a whole block."""
    return np.frombuffer(data + bytes(-len(data) % 32), np.uint8).copy()


def run(
    code: str,
    size: int,
    x: bytes,
    z: bytes = b"",
    *rest: Any,
    target: str = "a5",
    revision: str = "manual",
) -> bytes:
    """The bytes at TO afterwards; where nothing was written they are UNTOUCHED."""
    out = np.full(size + -size % 32, UNTOUCHED, np.uint8)
    first, second = _padded(x), _padded(z or bytes(32))
    kernel = ptoscope.load(code, target=target, revision=revision)
    kernel(first, second, out, len(first), len(second), len(out), *rest)
    return out.tobytes()[:size]


POINTERS = """%src = pto.castptr %from : i64 -> !pto.ptr<{t}, ub>
    %idx = pto.castptr %second : i64 -> !pto.ptr<{i}, ub>
    %dest = pto.castptr %to : i64 -> !pto.ptr<{t}, ub>"""
"""Names the areas as pointers to elements of type `t` and indices of type `i`."""
