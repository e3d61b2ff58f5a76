"""Copies of the reference engine: nested loops of rows between two regions."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ptoscope.isa.copies import INTEGERS, CopyEnds, Transfer, ends, fields, in_field
from ptoscope.isa.footprint import Bursts, hull, starts
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.record import Site
from ptoscope.machine.faults import DMA_FIELD, Fault
from ptoscope.machine.lanes import NumpyLanes, number
from ptoscope.machine.memory import Bytes, Memory, Region, misaligned


@dataclass
class _Side:
    """One end of a copy in its region."""

    region: Region
    bursts: Bursts[int]

    def check(self, site: Site, verb: str, alignment: int) -> None:
        """Bounds and alignment of every row, without visiting them all unless one is wrong."""
        bursts = self.bursts
        for address in (bursts.start, *(bursts.start + stride for _, stride in bursts.loops)):
            if address % alignment:
                raise misaligned(site, self.region.space, address, alignment)
        first, end = hull(bursts)
        if first < 0 or end > self.region.size:
            for start in starts(bursts):
                self.region.check(site, start, bursts.length, verb)
        if not self.region.writeable:
            self.region.check(site, bursts.start, bursts.length, verb)


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
    region, at = memory.locate(site, path.source, src)
    source = _Side(region, replace(made.read, start=at))
    region, at = memory.locate(site, path.target, dst)
    target = _Side(region, replace(made.written, start=at))
    source.check(site, "reads", path.source_alignment)
    target.check(site, "writes", path.target_alignment)
    padding = copy.padding
    if padding is None or padding.enabled == 0:
        _copy(source, target)
    else:
        _copy_padded(source, target, padding.value, made.left)
    return made


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
    length = source.bursts.length
    ((rows, step_in), *outer_in) = source.bursts.loops or ((1, 0),)
    ((_, step_out), *outer_out) = target.bursts.loops or ((1, 0),)
    # Rows that overlap in the destination have to be written one after the other.
    dense = step_in >= 0 and step_out >= length and source.region is not target.region
    reads = starts(replace(source.bursts, loops=tuple(outer_in)))
    writes = starts(replace(target.bursts, loops=tuple(outer_out)))
    for read, write in zip(reads, writes, strict=True):
        if dense and rows > 1:
            _rows(target.region.data, write, rows, step_out, length)[:] = _rows(
                source.region.data, read, rows, step_in, length
            )
            continue
        for r in range(rows):
            at, to = read + r * step_in, write + r * step_out
            target.region.data[to : to + length] = source.region.data[at : at + length]


def _rows(data: Bytes, start: int, rows: int, step: int, length: int) -> Bytes:
    if step == length:
        return data[start : start + rows * length].reshape(rows, length)
    return as_strided(data[start:], (rows, length), (step, 1))


def _copy_padded(source: _Side, target: _Side, value: Lanes | None, left: int) -> None:
    """Each row: the fill, the data after `left` bytes of it, the fill again to the end."""
    assert isinstance(value, NumpyLanes)
    length, end = source.bursts.length, target.bursts.length
    pattern = np.resize(np.frombuffer(value.a.tobytes(), dtype=np.uint8), end)
    after = left + length
    for read, write in zip(starts(source.bursts), starts(target.bursts), strict=True):
        data = source.region.data[read : read + length]
        row = target.region.data[write : write + end]
        row[:left] = pattern[:left]
        row[left:after] = data
        row[after:] = pattern[: end - after]
