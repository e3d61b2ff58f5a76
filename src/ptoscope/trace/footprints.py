"""The footprints of a run, by numbers: what accesses of it note instead of their runs of bytes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ptoscope.isa.footprint import Footprint, StridedRun
from ptoscope.trace.trace import Column

_NARROW = np.iinfo(np.int32)


class Footprints:
    """Numbered from 0 on, in the order they come."""

    def __init__(self) -> None:
        self._numbers: dict[Footprint, int] = {}
        self._by_number: dict[int, Footprint] = {}
        self._waiting: list[Footprint] = []
        """The last ones, which are in no table yet."""
        self._tables: list[tuple[Column, ...]] = []
        """Of footprints how many runs each has; then the columns of these runs."""
        self._count = 0

    def number(self, footprint: Footprint) -> int:
        """The number of a footprint, the same one each time."""
        number = self._numbers.get(footprint)
        if number is None:
            number = self._numbers[footprint] = self._count
            self._by_number[number] = footprint
            self._waiting.append(footprint)
            self._count += 1
        return number

    def numbered(self, number: int) -> Footprint:
        """The one that `number` gave a number."""
        return self._by_number[number]

    def add(self, sizes: Column, runs: Sequence[Column]) -> int:
        """Adds many that need not be looked for, since most of them differ: of so many runs
        each, with the columns of these runs as StridedRun has them. The number of the first."""
        self._tabulate()
        first = self._count
        self._tables.append((sizes, *runs))
        self._count += len(sizes)
        return first

    def _tabulate(self) -> None:
        if not self._waiting:
            return
        runs = np.array([run for one in self._waiting for run in one], dtype=np.int64)
        if not len(runs) or (runs.min() >= _NARROW.min and runs.max() <= _NARROW.max):
            runs = runs.astype(np.int32)
        sizes = np.array([len(one) for one in self._waiting], dtype=np.int32)
        self._tables.append((sizes, *runs.reshape(-1, len(StridedRun._fields)).T))
        self._waiting.clear()

    def columns(self) -> tuple[Column, ...]:
        """Of each how many runs it has; then start, length, number and stride of all runs, one
        footprint after the other."""
        self._tabulate()
        empty = (np.zeros(0, dtype=np.int32),) * (1 + len(StridedRun._fields))
        whole = tuple(np.concatenate(parts) for parts in zip(empty, *self._tables, strict=True))
        # They are large: once is enough.
        self._tables = [whole]
        return whole
