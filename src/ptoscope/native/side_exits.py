"""Side exits: where generated code leaves its own way and asks the engine.

A side exit hands over the values of one instruction. The engine runs that instruction again on
the reference engine's core, over the same memory: it faults there, with the full report, or
is queued behind a pipe that waits, or simply does its work.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ptoscope.isa.dtypes import I1, DType
from ptoscope.isa.record import Site
from ptoscope.native.lanes import NativeLanes
from ptoscope.native.llvm_text import Code, Value

_ARGS = Value("ptr", "%args")

Act = Callable[..., object]
"""`act(core, *rows)`: the instruction on a reference core."""


@dataclass(frozen=True)
class LoopAround:
    """A loop around a place: how its iteration is called, and its number in the code."""

    name: str
    iteration: Value
    is_kept: bool = False
    """Whether each iteration is stored where side exits have it, so that they need not do so."""

    @staticmethod
    def text(name: str, number: int) -> str:
        """An iteration as people read it."""
        return f"iteration {number} of scf.while" if name == "iteration" else f"{name} = {number}"


@dataclass(frozen=True)
class SideExit:
    """What the engine knows of one: the instruction, its values, the loops around it. One that
    only `looks` at values and memory neither needs nor changes flags and buffers. One that
    `awaits` a signal of another core, on a pipe, has its number as the first of its values."""

    site: Site
    act: Act
    rows: tuple[tuple[DType, int], ...]
    iterations: tuple[str, ...]
    looks: bool = False
    awaits: bool = False


class SideExits:
    """Collects the side exits of a module while its code is written."""

    def __init__(self, code: Code) -> None:
        self._code = code
        self.all: list[SideExit] = []
        self.loops: list[LoopAround] = []
        self.outer: list[LoopAround] = []
        """The loops around the body that is written, where it is a function of its own."""
        self.is_in_body = False
        """Whether what is written is what a pipe executes, where iterations may be short."""
        self.needs: set[str] = {"rt_service"}

    def enter(self, name: str, iteration: Value) -> None:
        """An iteration of a loop begins."""
        function = self._code.function
        is_kept = function.keeps_iterations and not self.is_in_body
        self.loops.append(LoopAround(name, iteration, is_kept))
        function.depth = max(function.depth, len(self.loops))
        function.is_hot = True
        if is_kept:
            self._note(len(self.loops) - 1)

    def leave(self) -> None:
        """An iteration of a loop ends."""
        self.loops.pop()

    def _note(self, depth: int) -> None:
        at = self._code.function.argument(-8 * (depth + 1))
        self._code.store(self.loops[depth].iteration, at, 8)

    def pack(self, rows: Sequence[NativeLanes]) -> None:
        """Puts iterations and values into the function's memory for them."""
        code = self._code
        for depth, loop in enumerate(self.loops):
            if not loop.is_kept:
                self._note(depth)
        # Word by word: what is stored as it is loaded need not reach the cache in between.
        at = 0
        for row in rows:
            self._put(row, at)
            at += _bytes(row.dtype, row.count)
        code.function.argument_bytes = max(code.function.argument_bytes, at)

    def _put(self, row: NativeLanes, at: int) -> None:
        code = self._code
        value = row.canonical().value
        if row.dtype is I1 and row.count == 1:
            value = code.emit("i8", f"zext {value} to i8")
        elif row.dtype is I1:
            value = code.emit(f"i{row.count}", f"bitcast {value} to i{row.count}")
        code.store(value, code.function.argument(at), 1)

    def add(
        self,
        site: Site,
        act: Act,
        rows: Sequence[NativeLanes] = (),
        looks: bool = False,
        awaits: bool = False,
    ) -> int:
        """A new side exit; its number."""
        layout = tuple((r.dtype, r.count) for r in rows)
        around = tuple(loop.name for loop in self.loops)
        self.all.append(SideExit(site, act, layout, around, looks, awaits))
        return len(self.all) - 1

    def ask(self, site: Site, act: Act, rows: Sequence[NativeLanes] = ()) -> Value:
        """Asks the engine here; the status."""
        self.pack(rows)
        return self.call("rt_service", self.add(site, act, rows))

    def call(self, name: str, number: int, *more: Value) -> Value:
        """Calls a runtime function with a side exit and the memory for its values."""
        self.needs.add(name)
        listed = "".join(f", {value}" for value in more)
        return self._code.emit(
            "i64", f"call i64 @{name}(ptr %state, i64 {number}, {_ARGS}{listed})"
        )

    def hand(
        self,
        name: str,
        site: Site,
        act: Act,
        rows: Sequence[NativeLanes],
        *more: Value,
        awaits: bool = False,
    ) -> None:
        """Calls a runtime function with the values in memory; leaves if it says so."""
        self.pack(rows)
        number = self.add(site, act, rows, awaits=awaits)
        self.leave_if_failed(self.call(name, number, *more))

    def look(self, site: Site, act: Act, rows: Sequence[NativeLanes]) -> None:
        """Asks the engine to look at values and memory alone."""
        self.pack(rows)
        self.leave_if_failed(self.call("rt_service", self.add(site, act, rows, looks=True)))

    def leave_if_failed(self, status: Value) -> None:
        """Ends the function where a status is not 0."""
        code = self._code
        failed = code.emit("i1", f"icmp ne {status}, 0")
        on = code.label("on")
        code.branch(failed, "leave", on, unlikely=True)
        code.place(on)

    def when(
        self,
        wrong: Value,
        site: Site,
        act: Act,
        rows: Sequence[NativeLanes] = (),
        resume: str | bool = False,
        iterations: bool = False,
    ) -> None:
        """Asks the engine if a condition holds. The code goes on here if it does not; where
        the engine does the work itself, at `resume` (True: here). `iterations` marks the question
        of a loop whether it may go on."""
        code = self._code
        cold, on = code.label("cold"), code.label("on")
        code.branch(wrong, cold, on, unlikely=True)
        with code.aside(cold):
            if iterations:
                self.pack(())
                status = self.call("rt_service", -2 - self.add(site, act))
            else:
                status = self.ask(site, act, rows)
            if resume:
                failed = code.emit("i1", f"icmp ne {status}, 0")
                code.branch(failed, "leave", on if resume is True else str(resume))
            else:
                code.jump("leave")
        code.place(on)


def size(dtype: DType, count: int) -> int:
    """Bytes of a row as it is handed over: lanes of one bit are packed."""
    return -(-count // 8) if dtype is I1 else count * dtype.bytes


def _bytes(dtype: DType, count: int) -> int:
    """Room for a row, in whole words."""
    return -(-size(dtype, count) // 8) * 8
