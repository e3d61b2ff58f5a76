"""The record of a run, in columns: one NumPy array per property, one row per thing.

Five tables. `places` is the text: what can execute. The others are the run:

- `events`: each execution of an instruction, in the order of issue: that of the scalar unit,
  block after block, and of a block that is a cluster core after core. A vecscope is one event,
  when it is issued, and the events of its body follow it at once, in the order of the body, also
  where the pipe came to them later.
- `iterations`: each iteration of a loop. An event names the innermost one around it.
- `accesses`: the bytes an event touches, as runs; lanes that are masked off are not in it.
  Rows are in the order of their events; one event may have none or many.
- `syncs`: what an event does about order. Rows are in the order of their events.

Loops and branches are places and have no events. Neither have terminators (`scf.yield`), which
are not even places. Everything else has: scalar arithmetic too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from ptoscope.diagnostics import PtoError, Span
from ptoscope.isa.order.kinds import NUMBERS
from ptoscope.isa.order.memory import MEMORY_BARRIERS
from ptoscope.isa.parts import ON_CORE, CoreId, core_ids
from ptoscope.isa.record import Record
from ptoscope.program import For, Function, Op

Column = np.ndarray[Any, np.dtype[Any]]

UB = -1
REGISTERS = -2
"""The spaces of UB and of special registers, 8 bytes each. An array in GM has the position of its
argument."""
SPACE_NUMBERS = {
    memory.name: UB if memory.name == "ub" else REGISTERS - place
    for place, memory in enumerate(ON_CORE)
}
"""Those of a core's own memories; UB is that of vector core 0."""
UBS = (UB, REGISTERS - len(ON_CORE))
"""The UBs of the two vector cores of a cluster."""
OWN_MEMORIES = {number: name for name, number in SPACE_NUMBERS.items()} | {UBS[1]: "ub"}
"""By number, which memory of `isa.parts` a space is."""
SPACE_NAMES = {**OWN_MEMORIES, UBS[1]: "ub1"}
"""The same as people name them."""
NONE = -1
"""No iteration, no scope, no pipe, no parent."""

SYNC_KINDS = (*NUMBERS, "mem_bar")
"""The rules of `isa.order.rules` by number, and the barrier inside a vecscope."""
MEM_BAR = len(NUMBERS)


@dataclass(frozen=True, eq=False)
class Place:
    """One operation of the text that can execute, at `places[index]`.

    `pipe` is the pipe whose order it obeys: PIPE_V for all inside a vecscope (scalar code
    too; `record.pipe` still says PIPE_S), PIPE_ALL for a barrier of all, "" for a loop or a
    branch, whose `record` is None.
    Slots read and written are `op.operands` and `op.results`.

    `parent` is the place of the operation around it (a loop, a branch or a vecscope), -1 at
    the top, and `side` which of its blocks it is in; `scope` the vecscope around it, or -1;
    `loops` the loops around it, outermost first, those outside the vecscope too.
    """

    index: int
    op: Op
    record: Record | None
    pipe: str
    parent: int = NONE
    side: int = 0
    scope: int = NONE
    loops: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        return self.op.name

    @property
    def span(self) -> Span:
        return self.op.span


@dataclass(frozen=True, eq=False)
class Events:
    """`place`: int32, into `places`. `block`: int32, of the grid. `iteration`: int32, into
    `iterations`, -1 outside all loops. `entry`: int32, which execution of a vecscope it belongs
    to, counted from 0 over the whole run in the order of issue; -1 outside. The event of a
    vecscope itself has the entry that it begins. `core`: int8, which core of its block; all are
    the first where it is left out."""

    place: Column
    block: Column
    iteration: Column
    entry: Column
    core: Column = field(default_factory=lambda: np.zeros(0, dtype=np.int8))

    def __post_init__(self) -> None:
        if len(self.core) != len(self.place):
            object.__setattr__(self, "core", np.zeros(len(self.place), dtype=np.int8))

    def __len__(self) -> int:
        return len(self.place)


@dataclass(frozen=True, eq=False)
class Iterations:
    """`parent`: int32, the iteration of the next loop outside (also across the border of a
    vecscope), or -1. `loop`: int32, the place of the loop. `value`: int64, of `scf.for` its
    index, of `scf.while` the number of the iteration from 0."""

    parent: Column
    loop: Column
    value: Column

    def __len__(self) -> int:
        return len(self.parent)


@dataclass(frozen=True, eq=False)
class Accesses:
    """`count` runs of `length` bytes, the first at `start`, each `stride` bytes after the one
    before. `event`: int32. `space`: int16, one of SPACE_NUMBERS for a core's own memory, -2 for
    special registers (what a pipe writes into them and the scalar unit reads; copies take along
    what they find at issue), else the position of the argument in GM (of arguments that share
    memory, of the first of them). `writes`: bool. `atomic`: int8, of a write that updates what is
    there its mode (see `isa.atomics`), else 0. `start`: int64, from the begin of that memory
    or argument. `length` and `stride`: int64. `count`: int32. Runs of one row do not overlap; a
    row of one run has stride 0; there is no row without bytes."""

    event: Column
    space: Column
    writes: Column
    atomic: Column
    start: Column
    length: Column
    count: Column
    stride: Column

    def __len__(self) -> int:
        return len(self.event)


@dataclass(frozen=True, eq=False)
class Syncs:
    """`event`: int32. `kind`: int8, into SYNC_KINDS. `src` and `dst`: int8, numbers of pipes
    (`isa.parts.PIPE_NUMBERS`): of a set or wait its two; of the others `src` is the pipe and
    `dst` -1, of a mem_bar both are -1. `id`: int16, its first number: the event id or the
    buffer, else -1. `mode`: int8, its second: of a buffer its mode, of a mem_bar its type in
    `isa.order.memory.MEMORY_BARRIERS`, else -1."""

    event: Column
    kind: Column
    src: Column
    dst: Column
    id: Column
    mode: Column

    def __len__(self) -> int:
        return len(self.event)


@dataclass(frozen=True, eq=False)
class Trace:
    """A run of `function` on `grid` blocks. `error` is what ended it, if something did: then
    the last event is the one at fault (which may lack accesses) or the one at whose issue a
    queued one was at fault, and later blocks are not in it."""

    function: Function
    grid: int
    places: list[Place]
    events: Events
    iterations: Iterations
    accesses: Accesses
    syncs: Syncs
    error: PtoError | None = None
    registers: tuple[str, ...] = ()
    """The special registers that were touched, in the order of their addresses."""
    executed: Column = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    """Of a recorded run: the events in the order in which they were executed, block after block."""
    engine: str = "reference"
    """What ran it; nothing else depends on that."""

    def iteration(self, iteration: int) -> list[tuple[str, int]]:
        """The loops around, outermost first: the name of the index (`%i`, or `scf.while`) and
        its value."""
        found: list[tuple[str, int]] = []
        while iteration >= 0:
            op = self.places[int(self.iterations.loop[iteration])].op
            name = f"%{self.function.names[op.index]}" if isinstance(op, For) else op.name
            found.append((name, int(self.iterations.value[iteration])))
            iteration = int(self.iterations.parent[iteration])
        return found[::-1]

    @property
    def cores(self) -> tuple[CoreId, ...]:
        """The cores of a block."""
        return core_ids(self.function.cores)

    def core_title(self, event: int) -> str:
        """The core of an event as messages write it; empty where a block has only one."""
        return self.cores[int(self.events.core[event])].title if len(self.cores) > 1 else ""

    @property
    def nbytes(self) -> int:
        """What its columns take."""
        tables = (self.events, self.iterations, self.accesses, self.syncs)
        return sum(column.nbytes for table in tables for column in vars(table).values())


class RunTable(Protocol):
    """Columns of runs, as those of `Accesses`."""

    @property
    def start(self) -> Column: ...
    @property
    def count(self) -> Column: ...
    @property
    def stride(self) -> Column: ...


def run_starts(table: RunTable, rows: Column) -> tuple[Column, Column]:
    """Where each run of some rows starts, and its row."""
    count = table.count[rows]
    row = np.repeat(rows, count)
    number = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
    return table.start[row] + number * table.stride[row], row


def barrier_type(mode: int) -> str:
    """The type of a mem_bar by its number in `Syncs.mode`."""
    return MEMORY_BARRIERS[mode]
