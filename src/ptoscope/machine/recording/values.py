"""Runs a kernel on the reference engine and keeps the record of it with all values.

The core follows undefined data as well: what is undefined is what people look for first.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ptoscope.arguments import Argument
from ptoscope.diagnostics import PtoError
from ptoscope.machine.elements import quietly
from ptoscope.machine.faults import Fault
from ptoscope.machine.launch import argument_value, run_cores, seats
from ptoscope.machine.memory import gm_regions
from ptoscope.machine.recording.core import space_of
from ptoscope.machine.recording.notes import Notes
from ptoscope.machine.recording.values_core import ValuesCore
from ptoscope.machine.recording.values_walker import ValuesWalker
from ptoscope.machine.shadow.findings import ShadowFindings
from ptoscope.machine.shadow.memory import ShadowBytes
from ptoscope.machine.shadow.origins import Origins
from ptoscope.machine.shadow.run import gm_shadows, own_memories
from ptoscope.program import Launchable, Scope
from ptoscope.trace.places import Outline
from ptoscope.trace.recorder import Recorder
from ptoscope.trace.recording import MemoryBefore, Recording
from ptoscope.trace.spaces import list_spaces
from ptoscope.trace.trace import NONE, Column


def record(
    kernel: Launchable,
    arguments: list[Argument],
    grid: int,
    limit: int | None,
    most: int,
    undefined: Sequence[int] = (),
) -> Recording:
    """Runs all blocks, one after the other, up to the first that faults, and keeps the values of
    the first `most` steps. `undefined` are the positions of arrays whose contents count as
    undefined when the kernel begins."""
    outline = Outline(kernel.function)
    walker = ValuesWalker(outline, kernel.function, kernel.target, kernel.revision)
    recorder, notes, book = Recorder(outline.segments), Notes(most), Origins()
    findings = ShadowFindings(book)
    regions = gm_regions(arguments)
    extents = list_spaces(arguments)
    places = {id(regions[k]): (e.space, e.begin) for k, e in extents.items()}
    shadows, whole = gm_shadows(arguments, regions, undefined, book)
    views = {space: _view(arguments, space) for space in whole}
    names = {a.position: a.name for a in arguments}
    spaces = {n: _before(f"%{names[n]}", views[n], whole[n].v, False) for n in sorted(views)}
    scopes = {place.index for place in outline.places if isinstance(place.op, Scope)}
    error = last = None
    with quietly():
        values = [argument_value(a) for a in arguments]
        for block in range(grid):
            placed = seats(kernel.function, kernel.target, regions)
            seen = {n: (views[n], whole[n].v) for n in views}
            for own in own_memories(placed):
                shadow = shadows[own.key] = ShadowBytes.never_written(own.size, own.name, book)
                space = space_of(own)
                seen[space] = own.data, shadow.v
                if block == 0:
                    spaces[space] = _before(own.name, own.data, shadow.v, True)
            cores: list[ValuesCore] = []
            for memory, seat, core in placed:
                mine = book.of_core(core.title if seat is not None else "")
                more = (shadows, findings.of_core(mine), mine, seat, core)
                cores.append(
                    ValuesCore(memory, block, grid, limit, recorder, walker.sites, places, *more)
                )
                cores[-1].begin(notes, seen, scopes)
            try:
                run_cores([partial(walker.run, core, values) for core in cores], cores[0].seat)
                for core in cores:
                    if core.lost_stream is not None:
                        raise core.lost_stream
            except Fault as fault:
                error = PtoError([fault.diagnostic(kernel.program, block, grid)])
                last = recorder.last_place(walker.sites.get(fault.site, NONE), fault.core)
            recorder.end_block()
            notes.end_block()
            if error is not None:
                break
    trace = recorder.finish(kernel.function, grid, outline.places, error, last)
    return notes.finish(trace, spaces, extents, findings.diagnostics(kernel.program))


def _before(name: str, data: Column, undefined: Column, own: bool) -> MemoryBefore:
    return MemoryBefore(name, data.copy(), undefined.copy(), own)


def _view(arguments: list[Argument], space: int) -> Any:
    """All bytes of a space of GM: those of the arrays that share it."""
    extents = list_spaces(arguments)
    mine = [a for a in arguments if a.data is not None and extents[a.position].space == space]
    if len(mine) == 1:
        return mine[0].data
    size = max(extents[a.position].begin + extents[a.position].size for a in mine)
    low = min(a.data.ctypes.data for a in mine)
    # They overlap, so that what lies between them is theirs; each keeps its memory alive.
    return np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(low))
