"""Kernels with buffers to be placed: text, in which every castptr is the root of one."""

from __future__ import annotations

from dataclasses import replace

from ptoscope import sources
from ptoscope.isa.dtypes import F32
from ptoscope.isa.scalar import castptr
from ptoscope.isa.targets import TARGETS
from ptoscope.lang.accesses import RootedAccesses
from ptoscope.lang.memory.allocation import Allocation
from ptoscope.lang.memory.lifetimes import Moments
from ptoscope.lang.memory.map import MemoryMap
from ptoscope.lang.memory.plan import plan
from ptoscope.program import Program

HEAD = """\
func.func @k(%x: !pto.ptr<f32, gm>, %n: index, %which: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %size = arith.constant 256 : i64
"""
FIRST_LINE = HEAD.count("\n") + 1
"""The line that a body begins with."""


def buffer(name: str) -> str:
    """Makes a buffer."""
    return f"%{name} = pto.castptr %zero : i64 -> !pto.ptr<f32, ub>"


def load(name: str) -> str:
    """Fills a buffer."""
    types = "!pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64"
    return f"pto.mte_gm_ub %x, %{name}, %zero, %size nburst(%one, %size, %size) : {types}"


def store(name: str) -> str:
    """Writes a buffer out."""
    types = "!pto.ptr<f32, ub>, !pto.ptr<f32, gm>, i64, i64, i64, i64"
    return f"pto.mte_ub_gm %{name}, %x, %size nburst(%one, %size, %size) : {types}"


def loop(*lines: str) -> tuple[str, ...]:
    """A loop around lines."""
    return "scf.for %i = %c0 to %n step %c1 {", *lines, "}"


def program_of(*lines: str, head: str = HEAD) -> Program:
    """A kernel of these lines, the first of them at `FIRST_LINE`."""
    return sources.parse(head + "\n".join(lines) + "\n  return\n}\n", "kernel.py")


def allocations(
    program: Program, bytes_: int = 256, **changes: dict[str, object]
) -> list[Allocation]:
    """One for each buffer, private to the innermost loop around it, and different by `changes`."""
    (function,) = program.functions
    moments = Moments(function)
    found: list[Allocation] = []
    for op in function.ops():
        if op.name == castptr.name:
            (root,) = op.results
            name, inner = function.names[root], moments.loops(op)
            made = Allocation(
                name, F32, (bytes_ // 4,), root, op.span, loop=inner[-1] if inner else None
            )
            found.append(replace(made, **changes.get(name, {})))  # type: ignore[arg-type]
    return found


def planned(program: Program, asked: list[Allocation], target: str = "a5") -> MemoryMap:
    """The map of a kernel."""
    (function,) = program.functions
    machine = TARGETS[target]
    roots = [a.root for a in asked]
    accesses = RootedAccesses(function, roots, machine, "manual")
    return plan(asked, accesses, program, function, machine)
