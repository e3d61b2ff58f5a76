"""The reference engine's time per vector instruction, against one np.add of 64 lanes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import ptoscope
from bench.measure import Goal, Job, Row, best_of

_ITERATIONS = 1000
_VECTOR = "!pto.vreg<64xf32>"
_MASK = "!pto.mask<b32>"


def _kernel(mask: str) -> str:
    """A loop of ten f32 vector instructions."""
    return f"""\
func.func @kernel(%x: !pto.ptr<f32, gm>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %iterations = arith.constant {_ITERATIONS} : index
  %zero = arith.constant 0 : i64
  %half = arith.constant 0.5 : f32
  %ub = pto.castptr %zero : i64 -> !pto.ptr<f32, ub>
  pto.vecscope {{
    %m = pto.pset_b32 "{mask}" : {_MASK}
    scf.for %i = %c0 to %iterations step %c1 {{
      %a = pto.vlds %ub[%c0] : !pto.ptr<f32, ub> -> {_VECTOR}
      %b = pto.vlds %ub[%c0] : !pto.ptr<f32, ub> -> {_VECTOR}
      %c = pto.vadd %a, %b, %m : {_VECTOR}, {_VECTOR}, {_MASK} -> {_VECTOR}
      %d = pto.vmul %c, %b, %m : {_VECTOR}, {_VECTOR}, {_MASK} -> {_VECTOR}
      %e = pto.vsub %d, %a, %m : {_VECTOR}, {_VECTOR}, {_MASK} -> {_VECTOR}
      %f = pto.vmax %e, %c, %m : {_VECTOR}, {_VECTOR}, {_MASK} -> {_VECTOR}
      %g = pto.vmuls %f, %half, %m : {_VECTOR}, f32, {_MASK} -> {_VECTOR}
      %h = pto.vabs %g, %m : {_VECTOR}, {_MASK} -> {_VECTOR}
      %k = pto.vrelu %h, %m : {_VECTOR}, {_MASK} -> {_VECTOR}
      pto.vsts %k, %ub[%c64], %m : {_VECTOR}, !pto.ptr<f32, ub>, {_MASK}
    }}
  }}
  return
}}
"""


_MASKS = {
    Goal(f"one f32 vector instruction, {name}", "np.add of 64 lanes", 15): mask
    for name, mask in (("all lanes", "PAT_ALL"), ("every third lane", "PAT_M3"))
}


def jobs() -> list[Job]:
    """All lanes active, and a third of them."""
    return [Job("reference engine", _rows, tuple(_MASKS))]


def _rows() -> Iterator[Row]:
    instructions = 10 * _ITERATIONS
    for goal, mask in _MASKS.items():
        kernel = ptoscope.load(_kernel(mask))
        argument = np.ones(64, dtype=np.float32)
        lanes = np.ones(64, dtype=np.float32)

        def numpy_adds(lanes: np.ndarray = lanes) -> None:
            for _ in range(instructions):
                np.add(lanes, lanes)

        def ours(kernel: ptoscope.Kernel = kernel, argument: np.ndarray = argument) -> None:
            kernel(argument, engine="reference")

        measured, baseline = best_of(ours, numpy_adds, 9)
        yield goal.row(measured / instructions, baseline / instructions)
