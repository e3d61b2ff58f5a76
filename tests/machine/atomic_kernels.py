"""Kernels that store atomically: one row of 32 elements goes through UB."""

from __future__ import annotations

from collections.abc import Sequence

ROW = 32


def accumulating(*stores: str, element: str = "f32", size: int = 4) -> str:
    """%x, row after row for as many blocks as there are, to UB; then the lines, in which `store`
    is a copy of the row to %y."""
    gm, ub = f"!pto.ptr<{element}, gm>", f"!pto.ptr<{element}, ub>"
    store = (
        f"pto.mte_ub_gm %ub, %y, %size nburst(%one, %size, %size) : {ub}, {gm}, i64, i64, i64, i64"
    )
    lines = "\n    ".join(store if line == "store" else line for line in stores)
    return f"""module {{
  func.func @total(%x: {gm}, %y: {gm}) {{
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %size = arith.constant {ROW * size} : i64
    %row = arith.constant {ROW} : i64
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %ub = pto.castptr %zero : i64 -> {ub}
    %block = pto.get_block_idx
    %at = arith.muli %block, %row : i64
    %mine = pto.addptr %x, %at : {gm} -> {gm}
    pto.mte_gm_ub %mine, %ub, %zero, %size nburst(%one, %size, %size)
      : {gm}, {ub}, i64, i64, i64, i64, i64
    pto.set_flag["PIPE_MTE2", "PIPE_MTE3", "EVENT_ID0"]
    pto.wait_flag["PIPE_MTE2", "PIPE_MTE3", "EVENT_ID0"]
    {lines}
    return
  }}
}}
"""


def atomic(kind: str, operation: str, stores: Sequence[str] = ("store",)) -> tuple[str, ...]:
    """Stores of a type by an operation."""
    return (
        f"pto.set_atomic_{kind}",
        f"pto.set_atomic_{operation}",
        *stores,
        "pto.set_atomic_none",
    )
