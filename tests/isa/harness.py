"""Runs one instruction on raw bits: through kernel text, or through its meaning alone.

In kernel text values come in through GM and go out the same way. Masks of 32-bit lanes are
made from the carries of `vaddc`, so any mask can be had; masks of narrower lanes from lane
counts. `Direct` hands any mask to the meaning of an instruction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import ptoscope
from ptoscope.isa import TABLE
from ptoscope.isa.dtypes import I1, I8, dtype
from ptoscope.isa.record import Site
from ptoscope.isa.targets import TARGETS
from ptoscope.isa.types import Mask, Scalar, Type, VReg
from ptoscope.machine.core import ReferenceCore
from ptoscope.machine.elements import quietly
from ptoscope.machine.lanes import NumpyLanes
from ptoscope.machine.memory import Memory, Region
from tests.isa.elements import Element
from tests.isa.values import Rows

AREA = 24 * 1024
"""Bytes of UB for each operand: eight of them fit every target."""


def array(rows: Sequence[int] | Rows, e: Element) -> Any:
    """Raw bits as the array a caller passes."""
    return np.array(rows, dtype=e.raw).view(e.storage)


def vreg(e: Element) -> str:
    """The register type in kernel text."""
    return f"!pto.vreg<{e.lanes}x{e.name}>"


def mask_type(e: Element) -> str:
    return f"!pto.mask<b{e.granularity}>"


def copy_in(gm: str, ub: str, e: Element) -> str:
    """Kernel text that copies %rows registers from GM to UB."""
    return (
        f"pto.mte_gm_ub {gm}, {ub}, %c0_i64, %c256_i64 nburst(%rows, %c256_i64, %c256_i64)"
        f" : !pto.ptr<{e.name}, gm>, !pto.ptr<{e.name}, ub>, i64, i64, i64, i64, i64"
    )


def copy_out(ub: str, gm: str, e: Element) -> str:
    """Kernel text that copies %rows registers from UB to GM."""
    return (
        f"pto.mte_ub_gm {ub}, {gm}, %c256_i64 nburst(%rows, %c256_i64, %c256_i64)"
        f" : !pto.ptr<{e.name}, ub>, !pto.ptr<{e.name}, gm>, i64, i64, i64, i64"
    )


@dataclass(frozen=True)
class Case:
    """One instruction inside a kernel that runs it on many rows.

    `body` uses `%v0`, `%v1` (rows of `vectors`), `%s` (a scalar per row), `%mask`, `%all`,
    and defines `%r0`, `%r1` (the `results`).
    """

    body: str
    vectors: tuple[str, ...]
    results: tuple[str, ...]
    scalar: str = ""
    masked_as: str = ""
    target: str = "a5"
    revision: str = "manual"

    @property
    def main(self) -> Element:
        return Element(self.masked_as or self.vectors[0])

    def text(self) -> str:
        """The kernel."""
        inputs = [Element(n) for n in self.vectors]
        outputs = [Element(n) for n in self.results]
        m = Element(f"ui{self.main.granularity}")
        areas = [*inputs, *outputs, Element("ui32")]
        params = [f"%in{i}: !pto.ptr<{e.name}, gm>" for i, e in enumerate(inputs)]
        params += [f"%out{i}: !pto.ptr<{e.name}, gm>" for i, e in enumerate(outputs)]
        lines = [
            "%c0 = arith.constant 0 : index",
            "%c1 = arith.constant 1 : index",
            "%c0_i64 = arith.constant 0 : i64",
            "%c256_i64 = arith.constant 256 : i64",
            "%top = arith.constant -1 : i32",
            "%n = arith.index_cast %rows : i64 to index",
        ]
        for i, e in enumerate(areas):
            lines += [
                f"%at{i} = arith.constant {i * AREA} : i64",
                f"%ub{i} = pto.castptr %at{i} : i64 -> !pto.ptr<{e.name}, ub>",
                f"%w{i} = arith.constant {e.lanes} : index",
            ]
        last = len(areas) - 1
        lines += [copy_in(f"%in{i}", f"%ub{i}", e) for i, e in enumerate(inputs)]
        if m.bits == 32:
            lines.append(copy_in("%active", f"%ub{last}", Element("ui32")))
        lines += [
            'pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]',
            'pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]',
            "pto.vecscope {",
            f'%all = pto.pset_b{m.bits} "PAT_ALL" : !pto.mask<b{m.bits}>',
            "scf.for %row = %c0 to %n step %c1 {",
            *(f"%o{i} = arith.muli %row, %w{i} : index" for i in range(len(areas))),
            *(
                f"%v{i} = pto.vlds %ub{i}[%o{i}] : !pto.ptr<{e.name}, ub> -> {vreg(e)}"
                for i, e in enumerate(inputs)
            ),
        ]
        if self.scalar:
            lines.append(
                f"%s = pto.load_scalar %scalars[%row] : !pto.ptr<{self.scalar}, gm>"
                f" -> {self.scalar}"
            )
        lines += self._mask(last)
        lines.append(self.body)
        for i, e in enumerate(outputs, len(inputs)):
            full = f"%all{i}"
            lines += [
                f'{full} = pto.pset_b{e.granularity} "PAT_ALL" : {mask_type(e)}',
                f"pto.vsts %r{i - len(inputs)}, %ub{i}[%o{i}], {full}"
                f" : {vreg(e)}, !pto.ptr<{e.name}, ub>, {mask_type(e)}",
            ]
        lines += [
            "}",
            "}",
            'pto.set_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]',
            'pto.wait_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]',
            *(
                copy_out(f"%ub{i}", f"%out{i - len(inputs)}", e)
                for i, e in enumerate(outputs, len(inputs))
            ),
            "pto.barrier #pto.pipe<PIPE_ALL>",
            "return",
        ]
        params.append(f"%scalars: !pto.ptr<{self.scalar or 'i8'}, gm>")
        counted = "%counts: !pto.ptr<i32, gm>"
        params.append("%active: !pto.ptr<ui32, gm>" if m.bits == 32 else counted)
        params.append("%rows: i64")
        code = "\n    ".join(lines)
        return f"module {{\n  func.func @case({', '.join(params)}) {{\n    {code}\n  }}\n}}\n"

    def _mask(self, area: int) -> list[str]:
        bits = self.main.granularity
        if bits == 32:
            # 0 or 1 plus all ones: the carry is the mask.
            return [
                f"%flags = pto.vlds %ub{area}[%o{area}] : !pto.ptr<ui32, ub> -> !pto.vreg<64xui32>",
                "%ones = pto.vbr %top : i32 -> !pto.vreg<64xui32>",
                "%sum, %mask = pto.vaddc %flags, %ones, %all : !pto.vreg<64xui32>,"
                " !pto.vreg<64xui32>, !pto.mask<b32> -> !pto.vreg<64xui32>, !pto.mask<b32>",
            ]
        return [
            "%count = pto.load_scalar %counts[%row] : !pto.ptr<i32, gm> -> i32",
            f"%mask, %rest = pto.plt_b{bits} %count : i32 -> !pto.mask<b{bits}>, i32",
        ]

    def run(
        self, inputs: Sequence[Rows], mask: Sequence[Sequence[int]], scalars: Sequence[int] = ()
    ) -> list[Rows]:
        """The result rows, as raw bits."""
        rows = len(mask)
        outs = [np.full((rows, e.lanes), 1, e.raw) for e in map(Element, self.results)]
        if self.main.granularity == 32:
            active = np.array(mask, dtype="uint32")
        else:
            active = np.array([sum(m) for m in mask], dtype="uint32")
        kernel = _kernel(self)
        kernel(
            *(array(r, Element(n)) for r, n in zip(inputs, self.vectors, strict=True)),
            *(o.view(Element(n).storage) for o, n in zip(outs, self.results, strict=True)),
            array(scalars, Element(self.scalar)) if self.scalar else np.zeros(1, "int8"),
            active,
            rows,
        )
        return [o.tolist() for o in outs]


@cache
def _kernel(case: Case) -> Any:
    return ptoscope.load(case.text(), target=case.target, revision=case.revision)


class Direct:
    """The meaning of an instruction for one element type, called with lanes."""

    def __init__(
        self,
        name: str,
        operands: Sequence[str],
        results: Sequence[str],
        target: str = "a5",
        revision: str = "manual",
        **attrs: str,
    ) -> None:
        """Operands and results are written `v:f32`, `s:i16` (scalar) or `m:32` (mask)."""
        record = TABLE[f"pto.{name}"]
        self._operands = [_type(o) for o in operands]
        self._results = [_type(r) for r in results]
        site = Site(
            record,
            tuple(self._operands),
            tuple(self._results),
            attrs,
            TARGETS[target],
            "micro" if revision == "micro" else "manual",
        )
        self._run = record.meaning(site)
        ub = Region("UB", "ub", np.zeros(1024, dtype=np.uint8), I8)
        self._core = ReferenceCore(Memory({}, [ub]), 0, 1)

    def __call__(self, *values: Sequence[int] | int) -> list[list[int]]:
        """Raw bits in, raw bits out: one list for each result."""
        lanes = [_lanes(v, t) for v, t in zip(values, self._operands, strict=True)]
        with quietly():
            results = self._run(self._core, *lanes)
        rows = results if isinstance(results, tuple) else (results,)
        return [
            _raw(row.gate(kind.lanes) if isinstance(kind, Mask) else row)
            for row, kind in zip(rows, self._results, strict=True)
        ]


def _type(text: str) -> Type:
    kind, _, name = text.partition(":")
    if kind == "m":
        return Mask(int(name))
    return VReg(dtype(name)) if kind == "v" else Scalar(dtype(name))


def _lanes(value: Sequence[int] | int, type: Type) -> NumpyLanes:
    if isinstance(type, Mask):
        assert not isinstance(value, int)
        return NumpyLanes(np.array(value, dtype=bool), I1, len(value)).image()
    assert isinstance(type, (VReg, Scalar))
    row = np.array(value, dtype=f"uint{8 * type.dtype.bytes}").view(type.dtype.storage)
    return NumpyLanes(row[()] if isinstance(value, int) else row, type.dtype, row.size)


def _raw(lanes: NumpyLanes) -> list[int]:
    row = np.atleast_1d(lanes.a)
    return row.view(f"uint{8 * row.dtype.itemsize}").tolist()


def zeroed(e: Element, rows: Rows, mask: Sequence[Sequence[int]]) -> Rows:
    """Inactive lanes as zero; a 64-bit lane reads the first of its two b32 mask bits."""
    step = 2048 // e.granularity // e.lanes
    return [
        [v if m[i * step] else 0 for i, v in enumerate(row)]
        for row, m in zip(rows, mask, strict=True)
    ]


def same(found: Rows, expected: Rows, about: str, *operands: Rows) -> None:
    """Asserts equal bits, and says where and of which operands the first difference is."""
    if found == expected:
        return
    for row, (got, wanted) in enumerate(zip(found, expected, strict=True)):
        for lane, (g, w) in enumerate(zip(got, wanted, strict=True)):
            values = ", ".join(hex(o[row][lane]) for o in operands)
            assert g == w, f"{about}: row {row} lane {lane} of ({values}): {g:#x}, not {w:#x}"
