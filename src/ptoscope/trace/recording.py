"""A recorded run: its trace, and beside it every value that was made and every byte that was
written, in the order of execution. Data alone; `replay` looks into it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ptoscope.diagnostics import Diagnostic
from ptoscope.isa.copies import CopyEnds
from ptoscope.isa.dtypes import DType
from ptoscope.isa.tiles import TileMove, TilePart, TileProduct
from ptoscope.trace.spaces import Extent
from ptoscope.trace.trace import Column, Trace

MOST_STEPS = 250_000
"""Executions whose values are kept, unless another number is asked for. Chosen: it bounds the
memory of a recording to some hundred megabytes."""


class LaneContent(NamedTuple):
    """What a scalar, a vector or a mask holds: its lanes, one of a scalar, and of each the bits
    that are undefined, or None where all are defined."""

    dtype: DType
    lanes: NDArray[np.generic]
    undefined: NDArray[np.generic] | None


class StreamContent(NamedTuple):
    """What a stream of unaligned accesses holds: bytes from an address on. A stream that has not
    begun holds none, and has no address."""

    held: bytes
    address: int | None


Content = LaneContent | StreamContent


class Copied(NamedTuple):
    """Where a copy went: from a byte of a space to a byte of one, by its rows."""

    source: int
    start: int
    target: int
    to: int
    ends: CopyEnds[int]


class TileStep(NamedTuple):
    """A tile that was moved, or two that were multiplied, and where its parts begin: the space and
    the byte."""

    tile: TileMove[int] | TileProduct[int]
    begins: dict[TilePart, tuple[int, int]]


class Placed(NamedTuple):
    """Where in UB the lanes of a load or store are: each so many bytes wide at its offset from an
    address; one whose offset is NOTHING is nowhere, one that is masked off touches nothing. A lane
    of a scatter that another one overwrites is nowhere, too. Those of a load from a stream are the
    bytes of the register; stores to one are not here."""

    writes: bool
    address: int
    offsets: Sequence[int]
    width: int


class Signals(NamedTuple):
    """Flags that are set and buffers that are held, by their names, and how often."""

    flags: dict[str, int]
    held: dict[str, int]


@dataclass(frozen=True, eq=False)
class MemoryBefore:
    """A memory of the run as it was before: its contents, and of each byte whether it was
    undefined. A core's own memory is so at the begin of every block."""

    name: str
    before: Column
    undefined: Column
    own: bool


@dataclass(frozen=True, eq=False)
class Recording:
    """A run, step by step. A step is an execution: `trace.executed` has the event of each, in the
    order of execution, and `blocks` how many there were at the end of each block.

    `values`, in order: the step with which each comes to be, or which it is there for, the slot
    and the content. What a step writes are the bytes of `written` up to `ends` of it, from where
    the step before it ends, in the order of its accesses in the trace; `undefined` has the bits
    of each that are undefined; special registers are not among them. `signals` by the step after
    which they are so. `copies` and `placed` have by step how bytes moved. `left_out` is how many
    further steps were executed, of which nothing is known. `findings` is where undefined data
    arrived that matters. `extents` has by its position where the array of a parameter is.
    """

    trace: Trace
    blocks: list[int]
    value_steps: Column
    value_slots: Column
    values: list[Content]
    ends: Column
    written: Column
    undefined: Column
    signals: list[tuple[int, Signals]]
    copies: dict[int, Copied]
    placed: dict[int, list[Placed]]
    spaces: dict[int, MemoryBefore]
    findings: list[Diagnostic]
    extents: dict[int, Extent]
    left_out: int = 0
    value_cores: Column = field(default_factory=lambda: np.zeros(0, dtype=np.int8))
    """Of each value, whose it is: which core of its block."""
    tiles: dict[int, list[TileStep]] = field(default_factory=dict[int, list[TileStep]])
    """By step, the tiles that it moved or multiplied, one after the other."""

    def __post_init__(self) -> None:
        if len(self.value_cores) != len(self.value_slots):
            object.__setattr__(self, "value_cores", np.zeros(len(self.value_slots), np.int8))
