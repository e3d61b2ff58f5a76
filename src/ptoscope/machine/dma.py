"""Copies of the reference engine: nested loops of rows between two regions."""

from __future__ import annotations

import threading
from typing import NamedTuple

import numpy as np

from ptoscope.isa import atomics
from ptoscope.isa.copies import INTEGERS, CopyEnds, Transfer, ends, fields, in_field
from ptoscope.isa.footprint import Bursts, first_outside, starts
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.record import Site
from ptoscope.machine.elements import storage
from ptoscope.machine.faults import DMA_FIELD, NOT_MODELLED, Fault
from ptoscope.machine.lanes import NumpyLanes, number
from ptoscope.machine.memory import Bytes, Memory, Region, misaligned
from ptoscope.once import hold_in_fork

GM_UPDATE = threading.Lock()
"""Held while GM is updated: blocks may run at once."""
hold_in_fork(GM_UPDATE)


class _Side(NamedTuple):
    """One end of a copy: its rows, from some byte of a region on."""

    region: Region
    at: int
    bursts: Bursts[int]

    def check(self, site: Site, verb: str, alignment: int) -> None:
        """Bounds and alignment of every row, without visiting them."""
        region, at, bursts = self
        for address in (at, *[at + stride for _, stride in bursts.loops]):
            if address % alignment:
                raise misaligned(site, region.space, address, alignment)
        if not region.writeable:
            region.check(site, at, bursts.length, verb)
        outside = first_outside(bursts, at, region.size)
        if outside is not None:
            raise region.out_of_bounds(site, outside, bursts.length, verb)


def run_transfer(
    site: Site, memory: Memory, src: int, dst: int, transfer: Transfer[Lanes]
) -> CopyEnds[int] | None:
    """Copies every row, innermost loop first; nothing is written if any row is illegal. Gives
    the ends of the copy, or None if there was nothing to copy."""
    copy, path = transfer.map(number), transfer.path
    for name, value, bits in fields(copy, INTEGERS):
        if not in_field(value, bits):
            raise _too_wide(site, name, value, bits)
    made = ends(copy, INTEGERS)
    if made is None:
        return None
    source = _Side(*memory.locate(site, path.source, src, copy.core), made.read)
    target = _Side(*memory.locate(site, path.target, dst, copy.core), made.written)
    source.check(site, "reads", path.source_alignment)
    target.check(site, "writes", _target_alignment(site, copy))
    padding = copy.padding
    if copy.atomic:
        with GM_UPDATE:
            _update(source, target, copy.atomic)
    elif padding is None or padding.enabled == 0:
        _copy(source, target)
    else:
        _copy_padded(source, target, padding.value, made.left)
    return made


def _target_alignment(site: Site, copy: Transfer[int]) -> int:
    """What addresses of the target are multiples of: whole elements are updated."""
    if not copy.atomic:
        return copy.path.target_alignment
    size = atomics.element(copy.atomic).bytes
    if copy.length % size:
        raise Fault(
            site,
            NOT_MODELLED,
            f"an {atomics.title(copy.atomic)} that ends inside an element is not modelled",
            found=f"rows of {copy.length} bytes",
            expected=f"a multiple of {size}",
            hint="store whole elements, or switch atomic stores off before it",
        )
    return max(copy.path.target_alignment, size)


def _too_wide(site: Site, name: str, value: int, bits: int) -> Fault:
    return Fault(
        site,
        DMA_FIELD,
        f"the {name} does not fit its {bits}-bit field",
        found=str(value),
        expected=f"0 to {(1 << bits) - 1}",
        hint="split the transfer into more rows or several copies",
    )


def _copy(source: _Side, target: _Side) -> None:
    length, data, to = source.bursts.length, source.region.data, target.region.data
    ((rows, step_in), *outer_in) = source.bursts.loops or ((1, 0),)
    ((_, step_out), *outer_out) = target.bursts.loops or ((1, 0),)
    # Rows that overlap in the destination have to be written one after the other.
    dense = step_in >= 0 and step_out >= length and source.region is not target.region
    reads, writes = starts(outer_in, source.at), starts(outer_out, target.at)
    for read, write in zip(reads, writes, strict=True):
        if dense and rows > 1:
            _rows(to, write, rows, step_out, length)[:] = _rows(data, read, rows, step_in, length)
            continue
        for _ in range(rows):
            to[write : write + length] = data[read : read + length]
            read, write = read + step_in, write + step_out


def _update(source: _Side, target: _Side, mode: int) -> None:
    """Row after row: they may overlap, and each finds what the one before it left."""
    dtype, length = atomics.element(mode), source.bursts.length

    def lanes(data: Bytes, start: int) -> NumpyLanes:
        row = data[start : start + length].view(storage(dtype))
        return NumpyLanes(row[0] if len(row) == 1 else row, dtype, len(row))

    reads = starts(source.bursts.loops, source.at)
    writes = starts(target.bursts.loops, target.at)
    for read, write in zip(reads, writes, strict=True):
        old, new = lanes(target.region.data, write), lanes(source.region.data, read)
        made = atomics.updated(mode, old, new)
        assert isinstance(made, NumpyLanes)
        target.region.data[write : write + length] = np.atleast_1d(made.a).view(np.uint8)


def _rows(data: Bytes, start: int, rows: int, step: int, length: int) -> Bytes:
    """Rows so many bytes apart, as a view."""
    return np.ndarray((rows, length), np.uint8, data, start, (step, 1))


def _copy_padded(source: _Side, target: _Side, value: Lanes | None, left: int) -> None:
    """Each row: the fill, the data after `left` bytes of it, the fill again to the end."""
    assert isinstance(value, NumpyLanes)
    length, end = source.bursts.length, target.bursts.length
    pattern = np.resize(np.frombuffer(value.a.tobytes(), dtype=np.uint8), end)
    after = left + length
    reads = starts(source.bursts.loops, source.at)
    writes = starts(target.bursts.loops, target.at)
    for read, write in zip(reads, writes, strict=True):
        data = source.region.data[read : read + length]
        row = target.region.data[write : write + end]
        row[:left] = pattern[:left]
        row[left:after] = data
        row[after:] = pattern[: end - after]
