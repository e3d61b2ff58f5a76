"""A kernel of a cluster, small enough to look at: a product in the matrix core, whose left operand
goes to vector core 1, too, which stores it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import ptoscope
from ptoscope.kernel import Kernel

M, N, K = 32, 16, 48
L1_B = 2 * M * K
"""Where the right operand lies in L1."""
_PTR = "!pto.ptr<f16, {}>"
GM, L1, L0A, L0B, UB = (_PTR.format(space) for space in ("gm", "l1", "l0a", "l0b", "ub"))
L0C = "!pto.ptr<f32, l0c>"
SIZE = 2 * M * K
"""Bytes of the left operand."""
FOUR, FIVE = (", ".join(["i64"] * count) for count in (4, 5))


def _fractals(source: str, target: str, rows: int, columns: int) -> str:
    """Plain rows of GM as NZ in L1."""
    return (
        f"pto.mte_gm_l1_frac {source}, {target}, nd2nz, shape(%c{rows}, %c{columns}), "
        f"src_layout(%c{2 * columns}), dst_group(%c1, %c1, %c{rows}, %c0), ctrl(%c0, %no) : "
        f"{GM}, {L1}, nd2nz, shape i64, i64, src_layout(i64), dst_group i64, i64, i64, i64, "
        "ctrl i64, i1"
    )


def _flag(source: str, target: str, event: int = 0) -> str:
    flag = f'["PIPE_{source}", "PIPE_{target}", "EVENT_ID{event}"]'
    return f"pto.set_flag{flag}\n      pto.wait_flag{flag}"


_NUMBERS = sorted({0, 1, M, N, K, 2 * N, 2 * K, L1_B, SIZE // 32, SIZE, 2 * M})
TEXT = f"""module {{
  func.func @product(%a: {GM}, %b: {GM}, %y: {GM}) attributes {{pto.aicore}} {{
{chr(10).join(f"    %c{n} = arith.constant {n} : i64" for n in _NUMBERS)}
    %no = arith.constant 0 : i1
    %l1 = pto.castptr %c0 : i64 -> {L1}
    %l1b = pto.castptr %c{L1_B} : i64 -> {L1}
    %left = pto.castptr %c0 : i64 -> {L0A}
    %right = pto.castptr %c0 : i64 -> {L0B}
    %sum = pto.castptr %c0 : i64 -> {L0C}
    %ub = pto.castptr %c0 : i64 -> {UB}
    pto.section.cube {{
      {_fractals("%a", "%l1", M, K)}
      {_fractals("%b", "%l1b", K, N)}
      {_flag("MTE2", "MTE1")}
      pto.mte_l1_l0a %l1, %left, %c{M}, %c{K} : {L1}, {L0A}, i64, i64
      pto.mte_l1_l0b %l1b, %right, %c{K}, %c{N} {{transpose = true}} : {L1}, {L0B}, i64, i64
      {_flag("MTE1", "M")}
      pto.mad %left, %right, %sum, %c{M}, %c{N}, %c{K} : {L0A}, {L0B}, {L0C}, i64, i64, i64
      pto.copy_cbuf_to_ubuf %l1, %ub, %c1, %c1, %c{SIZE // 32}, %c0, %c0 : {L1}, {UB}, {FIVE}
      {_flag("MTE1", "FIX", 1)}
      pto.sync.set <PIPE_FIX>, 16
    }}
    pto.section.vector {{
      %me = pto.get_subblock_idx
      %second = arith.cmpi eq, %me, %c1 : i64
      scf.if %second {{
        pto.sync.wait <PIPE_MTE3>, 0
        pto.mte_ub_gm %ub, %y, %c{SIZE} nburst(%c1, %c{SIZE}, %c{SIZE}) : {UB}, {GM}, {FOUR}
      }}
    }}
    return
  }}
}}
"""


def operands() -> tuple[NDArray[np.float16], NDArray[np.float16], NDArray[np.float16]]:
    """Both, and where the left one is stored as it lies in L1."""
    dice = np.random.default_rng(5)
    a, b = (dice.integers(-8, 9, size).astype(np.float16) for size in ((M, K), (K, N)))
    return a, b, np.zeros(M * K, np.float16)


def kernel() -> Kernel:
    """The kernel, whatever the rules say about what a vector core gets from another one."""
    return ptoscope.load(TEXT, target="a5", revision="micro", force=True)


def line_of(part: str) -> int:
    """The only line with a text."""
    (found,) = (n for n, line in enumerate(TEXT.split("\n"), 1) if part in line)
    return found


def nz(matrix: NDArray[Any]) -> NDArray[Any]:
    """A matrix of f16 as it lies in fractals: blocks of 16 columns, each with all its rows."""
    rows, columns = matrix.shape
    return matrix.reshape(rows, columns // 16, 16).transpose(1, 0, 2).reshape(-1)
