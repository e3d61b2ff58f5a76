"""Kernels whose undefined data arrives somewhere, and twins in which it does not.

A line that ends in `// from` is where the data comes from, one in `// to` where it arrives.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ptoscope.diagnostics import Diagnostic
from ptoscope.isa.targets import Revision
from ptoscope.kernel import Kernel
from ptoscope.machine.shadow import run_shadow
from ptoscope.sources import choose_target, parse
from tests.machine.harness import kernel

V, M, P, G = "!pto.vreg<64xi32>", "!pto.mask<b32>", "!pto.ptr<i32, ub>", "!pto.ptr<i32, gm>"
A = "!pto.align"
IN, OUT, LATER = 0, 16384, 8192
"""Byte addresses in UB: the input, the output, a place that nobody writes by itself."""

HEAD = f"""%in_at = arith.constant {IN} : i64
%out_at = arith.constant {OUT} : i64
%later_at = arith.constant {LATER} : i64
%in = pto.castptr %in_at : i64 -> {P}
%out = pto.castptr %out_at : i64 -> {P}
%later = pto.castptr %later_at : i64 -> {P}
%c64 = arith.constant 64 : index
%seven = arith.constant 7 : i32
%nought = arith.constant 0 : i32
%ones = arith.constant -1 : i32
%len = arith.constant 512 : i64
%register = arith.constant 256 : i64
"""
COPY_IN = (
    "pto.mte_gm_ub %x, %in, %zero, %len nburst(%one, %len, %len) : "
    f"{G}, {P}, i64, i64, i64, i64, i64\n"
)
COPY_OUT = (
    "pto.mte_ub_gm %out, %y, %register nburst(%one, %register, %register) : "
    f"{P}, {G}, i64, i64, i64, i64 // to\n"
)


def scope(*lines: str) -> str:
    """Vector code with masks `%all` and `%third` and defined lanes `%d` of the input."""
    return "\n".join(
        (
            "pto.vecscope {",
            f'%all = pto.pset_b32 "PAT_ALL" : {M}',
            f'%third = pto.pset_b32 "PAT_M3" : {M}',
            f"%d = pto.vlds %in[%c0] : {P} -> {V}",
            *lines,
            "}\n",
        )
    )


def stored(value: str = "%p", mask: str = "%all") -> str:
    """A store of a vector to the output."""
    return f"pto.vsts {value}, %out[%c0], {mask} : {V}, {P}, {M}"


@dataclass(frozen=True)
class Pair:
    """A faulty body, the change that repairs it, and what is to be found."""

    name: str
    body: str
    fix: tuple[str, str]
    code: str
    kind: str
    severity: str = "error"
    revision: Revision = "manual"
    undefined: tuple[int, ...] = ()
    head: str = HEAD + COPY_IN

    def text(self, *, fixed: bool = False) -> str:
        """The kernel."""
        body = self.head + self.body
        if fixed:
            assert body.count(self.fix[0]) == 1, self.fix[0]
            body = body.replace(*self.fix)
        return kernel(f"%x: {G}, %y: {G}", body)

    def run(self, *, fixed: bool = False) -> list[Diagnostic]:
        """What is found."""
        undefined = () if fixed and self.undefined else self.undefined
        return findings(self.text(fixed=fixed), revision=self.revision, undefined=undefined)


def loaded(text: str, revision: Revision = "manual", target: str = "a5") -> Kernel:
    """The kernel, also one that the check refuses: here it has to run."""
    program = parse(text, "<string>", target)
    return Kernel(program, choose_target(program, target), revision)


def arguments() -> tuple[Any, Any]:
    """128 small numbers, and room for a result."""
    return np.arange(128, dtype=np.int32) % 50, np.full(128, -1, np.int32)


def findings(
    text: str,
    revision: Revision = "manual",
    undefined: Sequence[int] = (),
    grid: int = 1,
    target: str = "a5",
) -> list[Diagnostic]:
    """What a kernel of two arrays shows."""
    return run_shadow(loaded(text, revision, target), arguments(), grid, undefined=undefined)


def marked(text: str, mark: str) -> list[int]:
    """The lines that end in a mark."""
    return [i for i, row in enumerate(text.splitlines(), 1) if row.endswith(f"// {mark}")]


def origin_lines(finding: Diagnostic) -> list[int]:
    """The lines a finding names as where the data came from."""
    return [int(n) for n in re.findall(r"at line (\d+)", finding.found)]
