"""Runs the meaning of an instruction once, on raw bits, and shows what it did.

A vector is the list of its lanes, a mask the list of the 256 bits of its register, a scalar
or a pointer one number, the state of a stream a `StoreState` or a `LoadState`. A GM address counts
from the one array there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ptoscope.isa.dtypes import I1, I8, I64, UI32
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.parts import MEMORIES
from ptoscope.isa.record import Site
from ptoscope.isa.types import Align, Mask, Ptr, Scalar, Type, VAddr
from ptoscope.machine.core import ReferenceCore
from ptoscope.machine.elements import quietly
from ptoscope.machine.faults import DMA_FIELD, Fault
from ptoscope.machine.lanes import NumpyLanes, constant
from ptoscope.machine.memory import Memory, Region, gm_base
from ptoscope.machine.prints import Prints
from ptoscope.machine.stream import LoadStream, Stream
from tests.witness.refusals import SILENT, Stated, misstated

UB_BYTES = 8192
GM_BYTES = 1024
SECOND_UB = "ub 1"
"""The UB of vector core 1, which the matrix core reaches."""


class StoreState(NamedTuple):
    """A store stream: what it holds, where it ended, its base and the position it gave."""

    held: bytes = b""
    end: int | None = None
    base: int = 0
    position: int = 0


class LoadState(NamedTuple):
    """A load stream: the first and the last address where it may go on, and the block it holds."""

    low: int
    high: int
    block: bytes


Value = int | list[int] | StoreState | LoadState
"""A row of raw bits, one raw number, or the state of a stream."""


@dataclass(frozen=True)
class Case:
    """What an instruction finds: operands, memory, special registers, and the iterations of the
    loops around it, the outermost first."""

    values: tuple[Value, ...] = ()
    ub: bytes = b""
    gm: bytes = b""
    registers: dict[str, int] = field(default_factory=dict[str, int])
    counters: tuple[int, ...] = ()
    chip: dict[str, bytes] = field(default_factory=dict[str, bytes])
    """What else is on the chip: the matrix core's memories by name, and `SECOND_UB`."""


class Covered(NamedTuple):
    """UB that an instruction says it goes through."""

    writes: bool
    address: int
    length: int


class _ListeningCore(ReferenceCore):
    """Notes what an instruction says of itself."""

    def __init__(self, memory: Memory) -> None:
        super().__init__(memory, 0, 1)
        self.prints = self.said = Prints()
        self.covered: list[Covered] = []
        self.refused = False

    def refuse(self, *said: Any, **named: Any) -> None:
        self.refused = True
        super().refuse(*said, **named)
        self.refused = False

    def covers(self, site: Site, writes: bool, address: Lanes, length: Lanes) -> None:
        said = Covered(writes, int(_number(address)), int(_number(length)))
        self.covered += [said] if said.length else []


@dataclass
class Outcome:
    """What it leaves, or the code of its fault."""

    results: list[Value] = field(default_factory=list[Value])
    ub: bytes = b""
    gm: bytes = b""
    registers: dict[str, int] = field(default_factory=dict[str, int])
    fault: str = ""
    stated: Stated = SILENT
    """What a fault says of numbers."""
    given: frozenset[int] = frozenset()
    """The numbers that it may name."""
    covered: list[Covered] = field(default_factory=list["Covered"])
    printed: list[str] = field(default_factory=list[str])
    chip: dict[str, bytes] = field(default_factory=dict[str, bytes])

    def differs(self, expected: Outcome) -> str:
        """Where this is not what was expected; empty where it is."""
        if self.fault or expected.fault:
            found = self.fault or "no fault"
            wanted = expected.fault or "no fault"
            if found != wanted:
                return f"{found}, not {wanted}"
            return misstated(self.stated, expected.given)
        for i, wanted in enumerate(expected.results):
            said = _unlike(self.results[i], wanted)
            if said:
                return f"result {i}: {said}"
        memories = [("UB", self.ub, expected.ub), ("GM", self.gm, expected.gm)]
        memories += [(name, self.chip[name], data) for name, data in expected.chip.items()]
        for name, found, wanted in memories:
            if found != wanted:
                at = next(i for i, (f, w) in enumerate(zip(found, wanted, strict=True)) if f != w)
                return f"{name} byte {at}: {found[at]:#x}, not {wanted[at]:#x}"
        if self.printed != expected.printed:
            return f"it prints {self.printed}, not {expected.printed}"
        if self.covered != expected.covered:
            return f"it says that it covers {self.covered}, not {expected.covered}"
        for name, wanted in expected.registers.items():
            if self.registers[name] != wanted:
                return f"register {name}: {self.registers[name]}, not {wanted}"
        return ""


def _unlike(found: Value, wanted: Value) -> str:
    if found == wanted:
        return ""
    if not isinstance(found, list) or not isinstance(wanted, list):
        return f"{found!r}, not {wanted!r}"
    if len(found) != len(wanted):
        return f"{len(found)} lanes, not {len(wanted)}"
    lane = next(i for i, (f, w) in enumerate(zip(found, wanted, strict=True)) if f != w)
    return f"lane {lane}: {found[lane]:#x}, not {wanted[lane]:#x}"


def observe(site: Site, case: Case, registers: Sequence[str]) -> Outcome:
    """What the meaning of the site's record does with a case; `registers` are read afterwards."""
    ub = np.frombuffer(case.ub or bytes(UB_BYTES), np.uint8).copy()
    gm = np.frombuffer(case.gm or bytes(GM_BYTES), np.uint8).copy()
    chip = {name: np.frombuffer(data, np.uint8).copy() for name, data in case.chip.items()}
    own = [Region("UB", "ub", ub, I8), *(_on_chip(name, data) for name, data in chip.items())]
    memory = Memory({0: Region("x", "gm", gm, I8, gm_base(0))}, own)
    core = _ListeningCore(memory)
    core.counters.extend(case.counters)
    for name, number in case.registers.items():
        core.write_register(site, name, constant(I64, 1, number))
    lanes = [_given(v, t) for v, t in zip(case.values, site.operands, strict=True)]
    try:
        with quietly():
            made = site.record.meaning(site)(core, *lanes)
            core.pipes.drain()
    except Fault as fault:
        # Faults of accesses say what they found in words of their own.
        of_numbers = core.refused or fault.code == DMA_FIELD
        stated = Stated(fault.found, fault.expected) if of_numbers else SILENT
        return Outcome(fault=fault.code, stated=stated)
    rows = made if isinstance(made, tuple) else () if made is None else (made,)
    return Outcome(
        [_shown(row, t) for row, t in zip(rows, site.results, strict=True)],
        ub.tobytes(),
        gm.tobytes(),
        {n: int(_number(core.read_register(site, n, I64, 0))) for n in registers},
        covered=core.covered,
        printed=[one.text for one in core.said.kept()[0]],
        chip={name: data.tobytes() for name, data in chip.items()},
    )


def _on_chip(name: str, data: Any) -> Region:
    if name == SECOND_UB:
        return Region("UB of vector core 1", "ub", data, I8, number=1)
    return Region(MEMORIES[name].title, name, data, I8)


def _number(lanes: Any) -> Any:
    return lanes.a


def _given(value: Value, type: Type) -> Any:
    if isinstance(type, Align):
        assert isinstance(value, (StoreState, LoadState))
        return Stream(*value) if isinstance(value, StoreState) else LoadStream(*value)
    if isinstance(type, Mask):
        return NumpyLanes(np.array(value, dtype=bool), I1, 256)
    if isinstance(type, Ptr):
        assert isinstance(value, int)
        return constant(I64, 1, value + (gm_base(0) if type.space == "gm" else 0))
    if isinstance(type, VAddr):
        assert isinstance(value, int)
        return constant(UI32, 1, value)
    width = 8 * np.dtype(type.dtype.storage).itemsize
    row = np.array(value, dtype=f"uint{width}").view(type.dtype.storage)
    return NumpyLanes(row[()] if isinstance(type, Scalar) else row, type.dtype, row.size)


def _shown(lanes: Any, type: Type) -> Value:
    if isinstance(type, Align):
        if isinstance(lanes, LoadStream):
            return LoadState(lanes.low, lanes.high, lanes.block)
        return StoreState(lanes.pending, lanes.end, lanes.base, lanes.position)
    row = np.atleast_1d(lanes.a)
    raw = row.view(f"uint{8 * row.dtype.itemsize}").tolist()
    if isinstance(type, Ptr):
        return (raw[0] - (gm_base(0) if type.space == "gm" else 0)) % (1 << 64)
    return raw[0] if isinstance(type, (Scalar, VAddr)) else raw
