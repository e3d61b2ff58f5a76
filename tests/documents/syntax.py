"""A kernel around one syntax line of the load/store document."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.documents.harness import LOAD_STORE

ELEMENTS, BASE, OUT = 2048, 512, 1536
"""32-bit elements of the tile; where the documents' base pointer is; where results go."""

Memory = list[int]


@dataclass(frozen=True)
class Line:
    """A syntax line, what it needs around it, and what it does to memory."""

    text: str
    loop: Callable[[Memory], None]
    before: str = ""
    after: str = ""
    results: tuple[str, ...] = ()
    offset: str = "index"
    offset_value: int = 0
    indices: tuple[int, ...] = (0,) * 64
    targets: tuple[str, ...] = ("cpu", "a2a3", "a5")
    unaligned: int = 0
    document: str = LOAD_STORE

    def filled(self) -> str:
        """With f32 elements, b32 masks and 32-bit indices, and a token of each kind."""
        blanks = {
            "NxT": "64xf32",
            "NxI": "64xi32",
            "<T, ub>": "<f32, ub>",
            "<G>": "<b32>",
            '"MODE"': '"POST_UPDATE"',
            '"STRIDE"': '"STRIDE_S8_B32"',
            '{dist = "DIST"}': '{dist = "NORM"}',
            '"DIST"': '"INTLV_B32"' if "vstsx2" in self.text else '"DINTLV_B32"',
        }
        text = self.text
        for blank, value in blanks.items():
            text = text.replace(blank, value)
        return text

    def kernel(self) -> str:
        pointers = "\n".join(
            f"%{name} = pto.addptr %tile, %place : !pto.ptr<f32, ub> -> !pto.ptr<f32, ub>"
            for name in ("source", "dest", "base", "base_in", "at")
        )
        keep = "\n".join(
            f"%to{i} = arith.constant {OUT + 64 * i} : index\n"
            f"pto.vsts %{name}, %tile[%to{i}], %mask"
            " : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.mask<b32>"
            for i, name in enumerate(self.results)
        )
        # The flushes call the state %value, the stores the vector.
        vector = "" if "%value =" in self.before else self._vector("value", 0)
        gm, ub = "!pto.ptr<f32, gm>", "!pto.ptr<f32, ub>"
        return f"""
func.func @line(%gm: {gm}, %gm_indices: !pto.ptr<i32, gm>, %active_lanes: index) {{
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : index
  %place = arith.constant {BASE + self.unaligned} : index
  %offset = arith.constant {self.offset_value} : {self.offset}
  %offset_in = arith.constant 3 : index
  %mode = arith.constant 1 : index
  %bytes = arith.constant {4 * ELEMENTS} : i64
  %row = arith.constant 256 : i64
  %tile = pto.castptr %zero : i64 -> {ub}
  %ub_indices = pto.castptr %bytes : i64 -> !pto.ptr<i32, ub>
  {pointers}
  pto.mte_gm_ub %gm, %tile, %zero, %bytes nburst(%one, %bytes, %bytes)
    : {gm}, {ub}, i64, i64, i64, i64, i64
  pto.mte_gm_ub %gm_indices, %ub_indices, %zero, %row nburst(%one, %row, %row)
    : !pto.ptr<i32, gm>, !pto.ptr<i32, ub>, i64, i64, i64, i64, i64
  pto.barrier #pto.pipe
  pto.vecscope {{
    %mask = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>
    %offsets = pto.vlds %ub_indices[%c0] : !pto.ptr<i32, ub> -> !pto.vreg<64xi32>
    {vector}
    {self._vector("vector", 0)}
    {"" if "low" in self.results else self._vector("low", 0) + self._vector("high", 64)}
    {self.before}
    {self.filled()}
    {self.after}
    {keep}
  }}
  pto.barrier #pto.pipe
  pto.mte_ub_gm %tile, %gm, %bytes nburst(%one, %bytes, %bytes) : {ub}, {gm}, i64, i64, i64, i64
  return
}}
"""

    @staticmethod
    def _vector(name: str, at: int) -> str:
        return (
            f"%from_{name} = arith.constant {at} : index\n"
            f"%{name} = pto.vlds %tile[%from_{name}]"
            " : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>\n"
        )
