"""The cells that a node touches, in the form that looks them up fastest."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ptoscope.isa.order.memory import copies_in_order
from ptoscope.races.cells import Runs, different
from ptoscope.trace.trace import NONE, OWN_MEMORIES, Column

Cells = int | slice | Column
"""One cell, those of a range or at equal steps, or any in rising order."""

_RANGES = 3
"""Up to so many ranges are looked up one by one."""
_FEW = 64
"""Up to so many accesses are compared without arrays."""
_KEPT, _KEPT_CELLS = 1 << 15, 1 << 22
"""How many nodes are kept, and how many cells of them."""


AccessKind = int
"""0 is a read, 1 a write, more a write that updates what is there: its mode, plus 1."""


def meet(one: AccessKind, two: AccessKind) -> bool:
    """Whether the order of two accesses to a cell matters: of updates of one mode it does not."""
    return (one > 0 or two > 0) and not one == two > 1


class Part(NamedTuple):
    """Some of the cells of a node, which it reads or writes, on the core or in GM, where copies
    of one pipe keep their order or where they do not."""

    access: AccessKind
    on_core: bool
    in_order: bool
    cells: Cells


def _unordered(spaces: Column) -> Column:
    """In which spaces copies of one pipe may be complete in any order."""
    own = [number for number, name in OWN_MEMORIES.items() if not copies_in_order(name)]
    found = np.isin(spaces, own)
    return found if copies_in_order("gm") else found | (spaces >= 0)


class NodeCells:
    """The cells of nodes: reads before writes, those on the core before those in GM, and then
    in rising order. What nodes with the same accesses touch is found once."""

    def __init__(self, runs: Runs) -> None:
        self._runs, self._patterns = runs, runs.patterns
        self._keys = runs.which.view(np.uint8).data
        self._width = runs.which.itemsize
        p = runs.patterns
        group = (p.writes + p.atomic.astype(np.int64)) * 4 + (p.space >= 0) * 2
        group += _unordered(p.space)
        self._groups = np.where(p.first < p.last, group, NONE)
        self._known: dict[bytes, list[Part]] = {}
        self._alone: dict[int, list[Cells]] = {}
        """By pattern, where it has many runs."""
        self._held = 0

    def parts(self, low: int, high: int) -> list[Part]:
        """What the accesses from `low` up to `high` (excluded) touch."""
        key = self._keys[low * self._width : high * self._width].tobytes()
        parts = self._known.get(key)
        if parts is None:
            if len(self._known) >= _KEPT or self._held >= _KEPT_CELLS:
                self._known.clear()
                self._alone.clear()
                self._held = 0
            parts = self._known[key] = self._make(self._runs.which[low:high])
        return parts

    def _make(self, which: Column) -> list[Part]:
        self._held += len(which)
        members: dict[int, list[int]] = {}
        few = which if len(which) <= _FEW else different(which.copy())
        for one in sorted(set(few.tolist())):
            members.setdefault(self._groups.item(one), []).append(one)
        members.pop(NONE, None)
        return [
            Part(group // 4, group % 4 < 2, group % 2 == 0, cells)
            for group in sorted(members)
            for cells in self._cells(members[group])
        ]

    def _cells(self, which: list[int]) -> list[Cells]:
        """The cells of some patterns."""
        patterns = self._patterns
        if len(which) > 1:
            return self._indices(*self._ranges(np.array(which)))
        (one,) = which
        if patterns.count.item(one) == 1:
            return _ranges_of([(patterns.first.item(one), patterns.last.item(one))])
        known = self._alone.get(one)
        if known is None:
            known = self._alone[one] = self._indices(*self._rows(one))
        return known

    def _ranges(self, which: Column) -> tuple[Column, Column]:
        """The cells of some patterns as few ranges as possible."""
        patterns = self._patterns
        first, last = patterns.first[which], patterns.last[which]
        if int(patterns.count[which].max()) > 1:
            first, last = self._runs_of(which)
        order = np.argsort(first)
        first, reach = first[order], np.maximum.accumulate(last[order])
        # A range begins where nothing before it reaches.
        begins = np.flatnonzero(np.concatenate(([True], first[1:] > reach[:-1])))
        return first[begins], reach[np.append(begins[1:], len(first)) - 1]

    def _rows(self, one: int) -> tuple[Column, Column]:
        """The ranges of cells of one pattern: its runs, which do not touch each other."""
        patterns = self._patterns
        cuts = self._runs.cuts[int(patterns.space[one])]
        low = int(patterns.start[one])
        start = np.arange(low, int(patterns.stop[one]), int(patterns.stride[one]))
        return cuts.cells(start), cuts.cells(start + patterns.length[one])

    def _runs_of(self, which: Column) -> tuple[Column, Column]:
        spaces = self._patterns.space[which]
        found: list[tuple[Column, Column]] = []
        for space in np.unique(spaces).tolist():
            cuts = self._runs.cuts[space]
            start, pattern = self._patterns.starts(which[spaces == space])
            stop = start + self._patterns.length[pattern]
            found.append((cuts.cells(start), cuts.cells(stop)))
        first, last = zip(*found, strict=True)
        return np.concatenate(first), np.concatenate(last)

    def _indices(self, first: Column, last: Column) -> list[Cells]:
        if len(first) <= _RANGES:
            return _ranges_of(list(zip(first.tolist(), last.tolist(), strict=True)))
        size, step = last - first, np.diff(first)
        if (size == 1).all() and (step == step[0]).all():
            return [slice(int(first[0]), int(last[-1]), int(step[0]))]
        cells = np.repeat(first - (np.cumsum(size) - size), size) + np.arange(int(size.sum()))
        self._held += len(cells)
        return [cells]


def _ranges_of(ranges: list[tuple[int, int]]) -> list[Cells]:
    return [low if high - low == 1 else slice(low, high, 1) for low, high in ranges]


def run_of(cells: Cells, at: int) -> int:
    """In which of the ranges that the cells consist of the cell at a position is."""
    if isinstance(cells, np.ndarray):
        return int(np.count_nonzero(np.diff(cells[: at + 1]) != 1))
    return at if isinstance(cells, slice) and cells.step > 1 else 0


def cell_at(cells: Cells, at: int) -> int:
    """The cell at a position."""
    return int(listed(cells)[at])


def listed(cells: Cells) -> Column:
    """All of them, in an array."""
    if isinstance(cells, slice):
        return np.arange(cells.start, cells.stop, cells.step)
    return np.atleast_1d(cells)
