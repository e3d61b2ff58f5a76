"""A run that follows undefined data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np

from ptoscope.arguments import Argument, bind, blocks, whole_if_given
from ptoscope.diagnostics import Diagnostic, PtoError, UsageError
from ptoscope.isa.parts import CoreId
from ptoscope.isa.record import Site
from ptoscope.isa.types import Space
from ptoscope.machine.cluster import Seat
from ptoscope.machine.core import ReferenceCore
from ptoscope.machine.elements import quietly
from ptoscope.machine.faults import Fault
from ptoscope.machine.launch import argument_value, run_cores, seats
from ptoscope.machine.memory import Memory, Region, gm_regions
from ptoscope.machine.shadow.core import ShadowCore
from ptoscope.machine.shadow.findings import REACHES_BRANCH, ShadowFindings
from ptoscope.machine.shadow.memory import ShadowBytes
from ptoscope.machine.shadow.origins import Origins
from ptoscope.machine.walker import Registers, Step, Walker
from ptoscope.program import Condition, For, If, Launchable, Op, Scope, While
from ptoscope.trace.spaces import list_spaces


@dataclass
class Observation:
    """What a run showed: its findings by line, and for each pointer argument, by position,
    the bits of every byte that are undefined in the end."""

    findings: list[Diagnostic]
    undefined: dict[int, Any]


def run_shadow(
    kernel: Launchable,
    arguments: Sequence[Any],
    grid: int = 1,
    max_steps: int | None = None,
    undefined: Sequence[int] = (),
) -> list[Diagnostic]:
    """Runs a kernel on the reference engine and follows undefined data; the arrays come out
    as in any other run. Gives one finding for each pair of lines between which undefined
    data reached GM, an address, a mask or a branch.

    All of them are errors but one: a kernel may fill a part of a buffer and copy all of it.
    Bytes of UB that nobody wrote, at either end of a copied row or as a whole row, and those
    after the elements of a store under a mask of `pto.plt`, are a warning if other bytes of
    the copy are defined.

    Only what was never defined is found. Where a full tile is followed by a shorter one in
    the same buffer, what the full one left beyond it is old data and silent, also where it is
    summed or copied out with the rest.

    `undefined` are the positions of pointer arguments whose contents the caller left
    undefined; so is every argument that shares their memory. Raises PtoError for wrong
    arguments, and for a fault, together with what was found before it.
    """
    return observe(kernel, arguments, grid, max_steps, undefined).findings


def observe(
    kernel: Launchable,
    arguments: Sequence[Any],
    grid: int = 1,
    max_steps: int | None = None,
    undefined: Sequence[int] = (),
    garbage: int | None = None,
) -> Observation:
    """The same, with more to see. With `garbage`, a seed, what is undefined is filled with
    random bits instead of what the reference engine leaves there: what is defined cannot
    change by that."""
    grid, max_steps = blocks(kernel.target, grid), whole_if_given("max_steps", max_steps)
    bound = bind(kernel.program, kernel.function, arguments)
    for position in undefined:
        if position not in [a.position for a in bound if a.data is not None]:
            raise UsageError(f"argument {position} is no array that could be undefined")
    noise = None if garbage is None else np.random.default_rng(garbage)
    book = Origins(noise)
    try:
        return _launch(kernel, bound, grid, max_steps, undefined, book)
    finally:
        for argument in bound:
            argument.write_back()


def _launch(
    kernel: Launchable,
    bound: list[Argument],
    grid: int,
    max_steps: int | None,
    undefined: Sequence[int],
    book: Origins,
) -> Observation:
    findings = ShadowFindings(book)
    walker = ShadowWalker(kernel.function, kernel.target, kernel.revision)
    regions = gm_regions(bound)
    shadows, _ = gm_shadows(bound, regions, undefined, book)
    with quietly():
        values = [argument_value(a) for a in bound]
        for block in range(grid):
            placed = seats(kernel.function, kernel.target, regions, content=book.content)
            for own in own_memories(placed):
                shadows[own.key] = ShadowBytes.never_written(own.size, own.name, book)
            book.block = f"block {block} of {grid}" if grid > 1 else ""
            cores: list[ShadowCore] = []
            for memory, seat, core in placed:
                mine = book.of_core(core.title if seat is not None else "")
                seen = findings.of_core(mine)
                cores.append(
                    ShadowCore(memory, block, grid, max_steps, shadows, seen, mine, seat, core)
                )
            try:
                run_cores([partial(walker.run, core, values) for core in cores], cores[0].seat)
                lost = next((core.lost_stream for core in cores if core.lost_stream), None)
                if lost is not None and not findings.diagnostics(kernel.program):
                    raise lost
            except Fault as fault:
                said = findings.diagnostics(kernel.program)
                fell = fault.diagnostic(kernel.program, block, grid)
                raise PtoError([*said, fell]) from None
    marks = {position: shadows[region.key].v for position, region in regions.items()}
    return Observation(findings.diagnostics(kernel.program), marks)


def own_memories(placed: list[tuple[Memory, Seat | None, CoreId]]) -> list[Region]:
    """The memories on the chip of all cores of a block, each once."""
    found: dict[tuple[Space, int], Region] = {}
    for memory, _, _ in placed:
        for region in (*memory.own.values(), *memory.ubs.values()):
            found[region.key] = region
    return list(found.values())


def gm_shadows(
    bound: list[Argument], regions: dict[int, Region], undefined: Sequence[int], book: Origins
) -> tuple[dict[tuple[Space, int], ShadowBytes], dict[int, ShadowBytes]]:
    """The shadow of each array by its key, and of each space, which arrays that share memory
    have in common."""
    extents = list_spaces(bound)
    sizes: dict[int, int] = {}
    for space, begin, size in extents.values():
        sizes[space] = max(sizes.get(space, 0), begin + size)
    whole = {space: ShadowBytes.defined(size) for space, size in sizes.items()}
    shadows: dict[tuple[Space, int], ShadowBytes] = {}
    for position, (space, begin, size) in extents.items():
        shadow = whole[space].part(slice(begin, begin + size))
        if position in undefined:
            marked = ShadowBytes.never_written(size, f"%{regions[position].name}", book)
            shadow.write(slice(None), marked.v, marked.o)
        shadows[regions[position].key] = shadow
    return shadows, whole


def _forbids_relying(site: Site) -> bool:
    """Whether the documents forbid relying on the inactive lanes of a result."""
    return site.record.unreliable_zeros and not site.micro


class ShadowWalker(Walker):
    """The same steps; each tells the core which instruction is running."""

    def _op(self, op: Op) -> Step | None:
        step = super()._op(op)
        match op:
            case For():
                return self._decided(op, op.bounds, "a loop bound", step)
            case If():
                return self._decided(op, (op.condition,), "the condition", step)
            case Condition():
                return self._decided(op, (op.condition,), "whether the loop goes on", None)
            case While() | Scope():
                return step
            case _:
                return self._announced(op, step) if step is not None else None

    def _announced(self, op: Op, step: Step) -> Step:
        site = self._site(op)
        marks = _forbids_relying(site)
        operands = op.operands

        def announced(core: ReferenceCore, registers: Registers) -> None:
            shadow = cast(ShadowCore, core)
            shadow.book.site, shadow.book.marks = site, marks
            for slot in operands:
                registers[slot] = shadow.shadowed(registers[slot])
            step(core, registers)

        return announced

    def _decided(self, op: Op, slots: tuple[int, ...], what: str, step: Step | None) -> Step:
        site = self._site(op)

        def decided(core: ReferenceCore, registers: Registers) -> None:
            findings = cast(ShadowCore, core).findings
            for slot in slots:
                findings.decided(REACHES_BRANCH, site, what, registers[slot])
            if step is not None:
                step(core, registers)

        return decided
