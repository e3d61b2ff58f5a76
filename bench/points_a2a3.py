"""The measured points of A2/A3 as kernels, and how far the model is from them.

A point is one tile operation alone. What it does on the machine, in the instructions of a kernel:
a sum, product or function of a tile is one instruction with a repeat for each 256 bytes; a
division by a scalar is two, one of which spreads the scalar; a move inside UB is one burst where
the tile is full, else one for each row. A load from GM is a transfer for each plane of its tensor,
which brings its share of the rows that the tile has room for: the points do not say so, but no UB
holds more, and so read what a transfer takes comes out whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bench.measure import Remark, Row
from bench.points import errors
from ptoscope.kernel import load
from ptoscope.timing import time_kernel
from ptoscope.timing.figures import table
from ptoscope.timing.report import vecscopes

FAMILIES = {
    "binary": ("tadd", "tsub", "tmul", "tdiv"),
    "scalar": ("tadds", "tmuls", "tmins", "tdivs"),
    "copy": ("tmov",),
    "load": ("tload",),
    "unary": ("tabs", "texp", "tsqrt", "trsqrt", "tcvt"),
}
GOALS = {"binary": 0.10, "scalar": 0.10, "copy": 0.10, "load": 0.10}
"""The mean error that is allowed."""
FITTED = ("scalar", "copy", "load")
"""The families that have figures which were fitted to these points."""
_BYTES = {"f32": 4, "i32": 4, "f16": 2, "i16": 2}
_REPEAT, _BLOCK = 256, 32
_SHIFT = 98304
"""Where the second operand and the result begin in UB."""


@dataclass(frozen=True)
class Point:
    """A measured tile operation, and what the model gives."""

    family: str
    op: str
    dtype: str
    rows: int
    columns: int
    note: str
    measured: int
    modelled: int

    @property
    def error(self) -> float:
        return (self.modelled - self.measured) / self.measured


def points() -> list[Point]:
    """All points that are not marked as suspect, with the model's cycles."""
    family = {op: name for name, ops in FAMILIES.items() for op in ops}
    found: list[Point] = []
    known: dict[tuple[str, ...], int] = {}
    for row in table("a2a3_points.csv"):
        if row["suspect"]:
            continue
        key = row["op"], row["dtype"], row["rows"], row["cols"], row["note"]
        if key not in known:
            known[key] = _modelled(row)
        shape = int(row["rows"]), int(row["cols"])
        name = family[row["op"]]
        found.append(Point(name, *key[:2], *shape, key[4], int(row["cycles"]), known[key]))
    return found


def remarks() -> Iterator[Row | Remark]:
    """The errors of each family, and each of its points."""
    found = points()
    for family, (mean, worst) in errors(found).items():
        mine = [p for p in found if p.family == family]
        goal = GOALS.get(family)
        allowed = f" (<= {goal:.0%})" if goal else ""
        yield Remark(
            f"A2/A3, {family}{' (fitted)' if family in FITTED else ''}: mean absolute error "
            f"{mean:.1%}{allowed}, largest {worst:.0%}, {len(mine)} points",
            failed=goal is not None and mean > goal,
        )
        shapes = ", ".join(
            f"{p.op} {p.dtype} {p.rows}x{p.columns} {p.modelled}/{p.measured} ({p.error:+.0%})"
            for p in mine
        )
        yield Remark(f"  model/measured: {shapes}")


def _modelled(row: dict[str, str]) -> int:
    op, dtype, columns = row["op"], row["dtype"], int(row["cols"])
    rows, size = int(row["rows"]), _BYTES[row["dtype"]]
    if op == "tmov":
        full = "tile" not in row["note"]
        bursts, length = (1, rows * columns * size) if full else (rows, columns * size)
        text = _kernel(_move(bursts, -(-length // _BLOCK)))
        return _busy(text, "PIPE_V", 0)
    if op == "tload":
        planes, bursts, elements, apart = _tensor(row["note"])
        lines = _load(planes, bursts, elements * size, apart * size)
        return _busy(_kernel(lines, "%gm"), "PIPE_MTE2", bursts * apart * size)
    repeats = -(-rows * columns * size // _REPEAT)
    text = _kernel(_tile(op, dtype, repeats))
    (scope,) = vecscopes(time_kernel(load(text, "a2a3"), []))
    return scope["cycles"]


def _tensor(note: str) -> tuple[int, int, int, int]:
    """Planes, bursts of each, elements of a burst and from one to the next, of a tensor in five
    dimensions; in the layout DN a burst is a part of a column."""
    layout, shape, tile = note.split("; ")
    *outer, rows, columns = (int(n) for n in shape.removeprefix("global ").split("x"))
    planes = int(np.prod(outer))
    share = int(tile.removeprefix("tile ").partition("x")[0]) // planes
    return (planes, columns, share, rows) if layout == "DN" else (planes, share, columns, columns)


def _busy(text: str, pipe: str, nbytes: int) -> int:
    given = [np.zeros(nbytes, np.uint8).view(np.int8)] if nbytes else []
    timing = time_kernel(load(text, "a2a3"), given)
    (found,) = (p for p in timing.reasons.pipes if p.pipe == pipe)
    return found.busy


def _kernel(lines: list[str], parameter: str = "") -> str:
    inside = "\n    ".join(lines)
    parameters = f"{parameter}: !pto.ptr<i8, gm>" if parameter else ""
    return f"""module attributes {{pto.target_arch = "a2a3"}} {{
  func.func @point({parameters}) attributes {{pto.aicore}} {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i64
    %shift = arith.constant {_SHIFT} : i64
    {inside}
    return
  }}
}}
"""


def _move(bursts: int, blocks: int) -> list[str]:
    ub = "!pto.ptr<i8, ub>"
    return [
        f"%from = pto.castptr %zero : i64 -> {ub}",
        f"%to = pto.castptr %shift : i64 -> {ub}",
        f"%n = arith.constant {bursts} : i64",
        f"%blocks = arith.constant {blocks} : i64",
        f"pto.mte_ub_ub %from, %to, %blocks nburst(%n, %zero, %zero) : {ub}, {ub}, i64, i64, "
        "i64, i64",
    ]


def _load(planes: int, bursts: int, length: int, apart: int) -> list[str]:
    gm, ub = "!pto.ptr<i8, gm>", "!pto.ptr<i8, ub>"
    return [
        f"%to = pto.castptr %zero : i64 -> {ub}",
        f"%n = arith.constant {bursts} : i64",
        f"%length = arith.constant {length} : i64",
        f"%apart = arith.constant {apart} : i64",
        f"%filled = arith.constant {-(-length // _BLOCK) * _BLOCK} : i64",
        f"%planes = arith.constant {planes} : index",
        "scf.for %i = %c0 to %planes step %c1 {",
        f"  pto.mte_gm_ub %gm, %to, %zero, %length nburst(%n, %apart, %filled) : {gm}, {ub}, "
        "i64, i64, i64, i64, i64",
        "}",
    ]


def _tile(op: str, dtype: str, repeats: int) -> list[str]:
    """A vecscope of one loop over 256 bytes a repeat."""
    lanes, width = _REPEAT // _BYTES[dtype], 8 * _BYTES[dtype]
    reg, ub, mask = f"!pto.vreg<{lanes}x{dtype}>", f"!pto.ptr<{dtype}, ub>", f"!pto.mask<b{width}>"
    name = f"v{op[1:]}"
    result, stored = reg, ub
    body = [f"%x = pto.vlds %in[%i] : {ub} -> {reg}"]
    if op in FAMILIES["binary"] or op == "tdivs":
        if op == "tdivs":
            body.append(f"%y = pto.vdup %one, %all : {dtype}, {mask} -> {reg}")
            name = "vdiv"
        else:
            body.append(f"%y = pto.vlds %second[%i] : {ub} -> {reg}")
        body.append(f"%r = pto.{name} %x, %y, %all : {reg}, {reg}, {mask} -> {reg}")
    elif op in FAMILIES["scalar"]:
        body.append(f"%r = pto.{name} %x, %one, %all : {reg}, {dtype}, {mask} -> {reg}")
    elif op == "tcvt":
        result, stored = "!pto.vreg<128xf16>", "!pto.ptr<f16, ub>"
        body.append(
            f'%r = pto.vcvt %x, %all {{rnd = "R", sat = "SAT", part = "EVEN"}} : '
            f"{reg}, {mask} -> {result}"
        )
    else:
        body.append(f"%r = pto.{name} %x, %all : {reg}, {mask} -> {reg}")
    stores = mask if stored == ub else "!pto.mask<b16>"
    made = "%all" if stored == ub else "%half"
    body.append(f"pto.vsts %r, %out[%i], {made} : {result}, {stored}, {stores}")
    number = "1" if dtype.startswith("i") else "1.0"
    return [
        f"%one = arith.constant {number} : {dtype}",
        f"%in = pto.castptr %zero : i64 -> {ub}",
        f"%second = pto.castptr %shift : i64 -> {ub}",
        f"%out = pto.castptr %shift : i64 -> {stored}",
        f"%lanes = arith.constant {lanes} : index",
        f"%end = arith.constant {lanes * repeats} : index",
        "pto.vecscope {",
        f'  %all = pto.pset_b{width} "PAT_ALL" : {mask}',
        '  %half = pto.pset_b16 "PAT_ALL" : !pto.mask<b16>' if stores != mask else "",
        "  scf.for %i = %c0 to %end step %lanes {",
        *(f"    {line}" for line in body),
        "  }",
        "}",
    ]
