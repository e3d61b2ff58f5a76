"""The profiling points of A5 as kernels, and how far the model is from them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from ptoscope.kernel import load
from ptoscope.timing import time_kernel
from ptoscope.timing.figures import table
from ptoscope.timing.report import vecscopes

FITTED = ("vlds vlds vadd vsts", "vlds vexp vsts")
"""The bodies whose points the model's free figures were fitted to. No figure was fitted to the
third, but it is no blind test: that dispatch counts instructions, not iterations of a loop (the
core's table has a figure for each), was chosen because the third body shows it; these two do
not."""

_REG = "!pto.vreg<64xf32>"
_UB = "!pto.ptr<f32, ub>"
_MASK = "!pto.mask<b32>"


@dataclass(frozen=True)
class Point:
    """A measured vecscope: `rows` iterations of an outer loop over `vregs` of the body."""

    body: str
    rows: int
    vregs: int
    addressing: str
    measured: int
    modelled: int

    @property
    def error(self) -> float:
        return (self.modelled - self.measured) / self.measured


def points() -> list[Point]:
    """All points with the model's cycles."""
    cycles: dict[tuple[str, int, int, bool], int] = {}
    found: list[Point] = []
    for row in table("a5_points.csv"):
        key = row["body"], int(row["rows"]), int(row["vregs_per_row"])
        # Those of several rows are without post-update, whatever their label says.
        how = (*key, row["addressing"] == "post_update" and row["rows"] == "1")
        if how not in cycles:
            kernel = load(kernel_text(*how), "a5")
            (scope,) = vecscopes(time_kernel(kernel, []))
            cycles[how] = scope["cycles"]
        found.append(Point(*key, row["addressing"], int(row["cycles"]), cycles[how]))
    return found


def errors(found: list[Point]) -> dict[str, tuple[float, float]]:
    """By body: the mean absolute error and the largest, as fractions."""
    sizes: dict[str, list[float]] = defaultdict(list)
    for point in found:
        sizes[point.body].append(abs(point.error))
    return {body: (sum(e) / len(e), max(e)) for body, e in sizes.items()}


def kernel_text(body: str, rows: int, vregs: int, post_update: bool = False) -> str:
    """A kernel of one vecscope: the body on every register of every row, all in UB. A mask is
    counted off in each iteration; with `post_update` accesses advance pointers of their own."""
    lines = [f"%m, %next = pto.plt_b32 %left : i32 -> {_MASK}, i32"]
    carried = [("%left", "i32", "%elements", "%next")]
    loads = 0
    for op in body.split():
        if op in ("vlds", "vsts"):
            base = f"%in{loads}" if op == "vlds" else "%out"
            at = f"{base}[%at]"
            advanced = ""
            if post_update:
                at = f"{base}_here[%c64]"
                advanced = f"{base}_next"
                carried.append((f"{base}_here", _UB, base, advanced))
            if op == "vlds":
                results = f"%v{loads}, {advanced}" if advanced else f"%v{loads}"
                types = f"{_REG}, {_UB}" if advanced else _REG
                lines.append(f"{results} = pto.vlds {at} : {_UB} -> {types}")
                loads += 1
            else:
                result, type_ = (f"{advanced} = ", f" -> {_UB}") if advanced else ("", "")
                lines.append(f"{result}pto.vsts %r, {at}, %m : {_REG}, {_UB}, {_MASK}{type_}")
        elif op.endswith("s"):
            lines.append(f"%r = pto.{op} %v0, %one, %m : {_REG}, f32, {_MASK} -> {_REG}")
        else:
            values = ", ".join(f"%v{i}" for i in range(loads))
            types = ", ".join([_REG] * loads)
            lines.append(f"%r = pto.{op} {values}, %m : {types}, {_MASK} -> {_REG}")
    begins = ", ".join(f"{name} = {first}" for name, _, first, _ in carried)
    types = ", ".join(kind for _, kind, _, _ in carried)
    lines.append(f"scf.yield {', '.join(last for *_, last in carried)} : {types}")
    inside = "\n          ".join(lines)
    loop = f"""%end:{len(carried)} = scf.for %at = %c0 to %columns step %c64
            iter_args({begins}) -> ({types}) {{
          {inside}
        }}"""
    if rows > 1:
        loop = f"scf.for %row = %c0 to %rows step %c1 {{\n        {loop}\n      }}"
    return f"""module attributes {{pto.target_arch = "a5"}} {{
  func.func @point() attributes {{pto.aicore}} {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %rows = arith.constant {rows} : index
    %columns = arith.constant {vregs * 64} : index
    %elements = arith.constant {vregs * 64} : i32
    %one = arith.constant 1.0 : f32
    %first = arith.constant 0 : i64
    %second = arith.constant {vregs * 256} : i64
    %third = arith.constant {vregs * 512} : i64
    %in0 = pto.castptr %first : i64 -> {_UB}
    %in1 = pto.castptr %second : i64 -> {_UB}
    %out = pto.castptr %third : i64 -> {_UB}
    pto.vecscope {{
      {loop}
    }}
    return
  }}
}}
"""
