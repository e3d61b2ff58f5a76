"""Every form of every instruction, with numbers at the edges and arrays between guard pages.

Both engines run it: they give the same bytes or the same fault, and nothing around the arrays
changes. Streams need several instructions; random programs have them.
"""

from __future__ import annotations

import random
from typing import Any, cast

import numpy as np

import ptoscope
from ptoscope import PtoError
from ptoscope.arguments import array_dtype
from ptoscope.isa.dtypes import ELEMENTS, DType, dtype
from ptoscope.isa.record import Attr, Record
from ptoscope.kernel import Kernel
from tests.attack.guard import GuardedArray, guard_ub
from tests.ir import table

SECONDS = 60
_TRIALS = 30
_SIZE = 4096
_FILL = 0x3C
_G, _P = "!pto.ptr<ui8, gm>", "!pto.ptr<ui8, ub>"
_EDGES = (0, 1, 2, 31, 32, 64, 255, 256, 4096, 1 << 16, 1 << 18, 1 << 31, 1 << 32, 1 << 62, 1 << 63)


class Attacked:
    """A kernel around one instruction, and what its parameters are."""

    def __init__(self, record: Record, index: int, element: DType, rng: random.Random) -> None:
        self.parameters: list[tuple[str, str]] = [("x", _G), ("y", _G)]
        line, listed = _written(record, index, element, rng)
        made: list[str] = []
        for name, kind in (part.split(": ", 1) for part in _parts(listed)):
            made += self._operand(name, kind, record)
        inside = record.where == "vecscope" or "!pto.vreg" in listed + line or "!pto.mask" in listed
        body = [*made, line, *_kept(line)]
        self.text = self._kernel(["pto.vecscope {", *body, "}"] if inside else body)
        self.kernel: Kernel = ptoscope.load(self.text, force=True)

    def _operand(self, name: str, kind: str, record: Record) -> list[str]:
        """Lines that make an operand; a parameter, if a kernel can have it."""
        if kind.startswith("!pto.ptr") and kind.endswith("ub>"):
            self.parameters.append((f"{name}_at", "i64"))
            return [f"{name} = pto.castptr {name}_at : i64 -> {kind}"]
        if kind.startswith("!pto.vreg"):
            pointer = f"!pto.ptr<{kind.rpartition('x')[2][:-1]}, ub>"
            return [
                f"{name}_ub = pto.castptr %zero : i64 -> {pointer}",
                f"{name} = pto.vlds {name}_ub[%c0] : {pointer} -> {kind}",
            ]
        if kind.startswith("!pto.mask"):
            self.parameters.append((f"{name}_n", "i32"))
            bits = kind[len("!pto.mask<") : -1]
            return [f"{name}, {name}_left = pto.plt_{bits} {name}_n : i32 -> {kind}, i32"]
        if kind == "!pto.align":
            if record.name.startswith("pto.vld"):
                return [f"{name} = pto.vldas %all : {_P} -> {kind}"]
            return [f"{name} = pto.init_align : {kind}"]
        self.parameters.append((name.removeprefix("%"), kind))
        return []

    def _kernel(self, body: list[str]) -> str:
        listed = ", ".join(f"%{n.removeprefix('%')}: {kind}" for n, kind in self.parameters)
        once = "nburst(%one, %zero, %zero)"
        lines = [
            f"func.func @attacked({listed}) {{",
            "%zero = arith.constant 0 : i64",
            "%one = arith.constant 1 : i64",
            "%c0 = arith.constant 0 : index",
            f"%size = arith.constant {_SIZE} : i64",
            f"%all = pto.castptr %zero : i64 -> {_P}",
            f"pto.mte_gm_ub %x, %all, %zero, %size {once} : {_G}, {_P}, i64, i64, i64, i64, i64",
            'pto.pipe_barrier "PIPE_ALL"',
            *body,
            'pto.pipe_barrier "PIPE_ALL"',
            f"pto.mte_ub_gm %all, %y, %size {once} : {_P}, {_G}, i64, i64, i64, i64",
            "return",
            "}",
        ]
        return "\n".join(lines) + "\n"

    def arguments(self, rng: random.Random) -> list[Any]:
        """A value for each parameter but the arrays."""
        return [_number(kind, rng) for _, kind in self.parameters[2:]]


def _parts(listed: str) -> list[str]:
    """Parameters, which have commas inside of their types."""
    parts = listed.split(", %")
    return [part if part.startswith("%") else f"%{part}" for part in parts if part]


def _written(record: Record, index: int, element: DType, rng: random.Random) -> tuple[str, str]:
    """The instruction with modes and literals drawn among those it takes."""

    def drawn(attr: Attr) -> str:
        return f'"{rng.choice(attr.values)}"' if attr.values else str(attr.low)

    usual, table.value = table.value, drawn
    try:
        return table.write(record, index, element)
    finally:
        table.value = usual


def _kept(line: str) -> list[str]:
    """Lines that use the vectors of an instruction, so that they are made."""
    results, _, rest = line.partition(" = ")
    if not results.startswith("%r_"):
        return []
    kinds = rest.rpartition(" -> ")[2].split(", ")
    lines: list[str] = []
    for name, kind in zip(results.split(", "), kinds, strict=False):
        if kind.startswith("!pto.vreg"):
            element = kind.rpartition("x")[2][:-1]
            bits = min(_TYPE_BITS.get(element, 32), 32)
            pointer = f"!pto.ptr<{element}, ub>"
            lines += [
                f"{name}_ub = pto.castptr %zero : i64 -> {pointer}",
                f'{name}_m = pto.pset_b{bits} "PAT_ALL" : !pto.mask<b{bits}>',
                f"pto.vsts {name}, {name}_ub[%c0], {name}_m"
                f" : {kind}, {pointer}, !pto.mask<b{bits}>",
            ]
    return lines


_TYPE_BITS = {element.name: element.bits for element in ELEMENTS}


def _number(kind: str, rng: random.Random) -> Any:
    if kind.startswith("!pto.ptr"):
        return array_dtype(dtype(kind[len("!pto.ptr<") :].partition(",")[0]))
    if kind[0] in "fb":
        return rng.choice((0.0, -0.0, 1.5, float("inf"), float("-inf"), float("nan"), 3e38, 1e-45))
    bits = 64 if kind == "index" else int(kind.lstrip("usi"))
    unsigned = kind.startswith("ui")
    value = rng.choice(_EDGES) + rng.choice((-32, -4, -1, 0, 0, 0, 1, 4, 32))
    value *= rng.choice((1, 1, -1))
    if rng.random() < 0.4:
        value = 32 * rng.randrange(64)
    value %= 1 << bits
    return value if unsigned or value < 1 << (bits - 1) else value - (1 << bits)


def _outcome(attacked: Attacked, values: list[Any], engine: str) -> list[bytes]:
    """The fault, or the bytes of all arrays."""
    for array in _ARRAYS:
        array.fill(_FILL)
    x, y, other = (array.bytes for array in _ARRAYS)
    x[:] = np.resize(np.arange(251, dtype=np.uint8), _SIZE)
    given = [other.view(v) if isinstance(v, np.dtype) else v for v in values]
    try:
        attacked.kernel(x, y, *given, engine=engine, max_steps=1000)
        found = [array.bytes.tobytes() for array in _ARRAYS]
    except PtoError as error:
        found = [str(error.diagnostics[0]).encode()]
    for array in _ARRAYS:
        assert array.untouched_around(_FILL), "bytes around an array have changed"
    return found


_ARRAYS: list[GuardedArray] = []


def _drawn(rng: random.Random) -> Attacked:
    """Some instruction that can stand alone in a kernel."""
    while True:
        record, index = cast(tuple[Record, int], rng.choice(table.FORMS).values)
        try:
            return Attacked(record, index, rng.choice(ELEMENTS), rng)
        except PtoError:
            # It needs others around it, or does not take this element or this mode.
            continue


def attempt(rng: random.Random) -> None:
    """One instruction with many sets of numbers."""
    if not _ARRAYS:
        guard_ub()
        _ARRAYS.extend(GuardedArray(_SIZE) for _ in range(3))
    attacked = _drawn(rng)
    for _ in range(_TRIALS):
        values = attacked.arguments(rng)
        native, reference = (_outcome(attacked, values, e) for e in ("native", "reference"))
        assert native == reference, f"the engines differ\n{attacked.text}\n{values}"
