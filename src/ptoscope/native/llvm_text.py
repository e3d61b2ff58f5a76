"""LLVM IR as text: functions, blocks and names.

Text, because writing it is several times faster than building objects for each
instruction, and it is what llvmlite reads anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import NamedTuple

from ptoscope.native.cpu import CpuFeatures

CodeRegion = tuple[int, ...]


class Value(NamedTuple):
    """A typed operand: an LLVM type and a name or literal."""

    type: str
    name: str

    def __str__(self) -> str:
        return f"{self.type} {self.name}"


@cache
def _bytes(vector: str) -> int:
    """The bytes of a vector type."""
    count, _, lane = vector[1:-1].partition(" x ")
    return int(count) * _LANE_BYTES.get(lane, 8)


_LANE_BYTES = {"i1": 1, "i8": 1, "i16": 2, "i32": 4, "float": 4}


class LlvmFunction:
    """One LLVM function under construction."""

    def __init__(self, head: str) -> None:
        self.head = head
        self.allocas: list[str] = []
        self.value_bytes = 0
        """The bytes of all its vectors: more than it can have in its frame at once."""
        self._opening: dict[tuple[str, ...], None] = {}
        self._temporaries: dict[tuple[str, int], list[Value]] = {}
        self._taken: dict[tuple[str, int], int] = {}
        self.lines: list[str] = []
        self.cold: list[str] = []
        self.label = "start"
        self.argument_bytes = 8
        """Room for the values of the largest side exit."""
        self.depth = 0
        """The most loops around a side exit: their iterations stand before the values."""
        self.keeps_iterations = False
        """Whether loops store each iteration, so that side exits need not."""
        self.only_computes = False
        """Whether it has no side exits: it may return anything."""
        self.is_hot = False
        """Whether it may run for long: then it is worth optimising."""
        self.is_busy = False
        """Whether its loops do small work themselves, besides giving it to others."""
        self.calls: list[LlvmFunction] = []
        """Those that it calls for its own work; they call nobody."""
        self._places: dict[int, Value] = {0: Value("ptr", "%args")}

    def argument(self, at: int) -> Value:
        """A place in the memory for values of side exits."""
        place = self._places.get(at)
        if place is None:
            name = f"%arg{at}" if at >= 0 else f"%iteration{-at}"
            place = self._places[at] = Value("ptr", name)
        return place

    def temporary(self, type: str, align: int, name: str) -> Value:
        """Memory that nobody has until `release`; of the name, if there has to be more."""
        kind = type, align
        places = self._temporaries.setdefault(kind, [])
        taken = self._taken.get(kind, 0)
        self._taken[kind] = taken + 1
        if taken == len(places):
            places.append(Value("ptr", name))
            self.allocas.append(f"  {name} = alloca {type}, align {align}")
        return places[taken]

    def begins_with(self, *lines: str) -> None:
        """Has these lines at its begin, once however often that is asked for."""
        self._opening[lines] = None

    def release(self) -> None:
        """An instruction is written: the next one may use its temporaries."""
        self._taken.clear()

    def text(self) -> str:
        """The whole function."""
        memory: list[str] = []
        if not self.only_computes:
            before = -(-8 * self.depth // 64) * 64
            memory.append(f"  %frame = alloca [{before + self.argument_bytes} x i8], align 64")
            for at, place in self._places.items():
                memory.append(f"  {place.name} = getelementptr i8, ptr %frame, i64 {before + at}")
        leave = () if self.only_computes else ("leave:", "  ret i32 1")
        opening = [f"  {line}" for lines in self._opening for line in lines]
        parts = (*memory, *self.allocas, *opening, "  br label %start", "start:", *self.lines)
        body = "\n".join((*parts, *self.cold, *leave))
        return f"{self.head} {{\nentry:\n{body}\n}}\n"


class Code:
    """Functions of one module, and the one being written.

    A region is a path of numbers: loop bodies, branches and functions open one. A value
    made in a region may be used in that region and in those inside it.
    """

    def __init__(self, features: CpuFeatures) -> None:
        self.features = features
        self.functions: list[LlvmFunction] = []
        """Those that are written."""
        self.globals: list[str] = []
        self.declared: set[str] = set()
        self.kinds: dict[str, str] = {}
        """The type of every value by its name."""
        self.region: CodeRegion = ()
        self._next = 0
        self._function: LlvmFunction | None = None

    @property
    def function(self) -> LlvmFunction:
        assert self._function is not None
        return self._function

    def fresh(self) -> int:
        """A number used nowhere else."""
        self._next += 1
        return self._next

    def emit(self, type: str, instruction: str) -> Value:
        """Appends an instruction that makes a value of the type."""
        name = f"%v{self.fresh()}"
        function = self.function
        function.lines.append(f"  {name} = {instruction}")
        if type[0] == "<":
            function.value_bytes += _bytes(type)
        self.kinds[name] = type
        return Value(type, name)

    def promised(self, type: str) -> Value:
        """A value that is used before the line that makes it is written."""
        name = f"%v{self.fresh()}"
        self.kinds[name] = type
        return Value(type, name)

    def do(self, instruction: str) -> None:
        """Appends an instruction without a result."""
        self.function.lines.append(f"  {instruction}")

    def label(self, hint: str = "b") -> str:
        """A new label, not placed yet."""
        return f"{hint}{self.fresh()}"

    def is_short(self, most: int) -> bool:
        """Whether the block that is written has at most so many instructions."""
        return any(line.endswith(":") for line in self.function.lines[-1 - most :])

    def place(self, label: str) -> None:
        """Starts a block; the one before has to have ended."""
        self.function.lines.append(f"{label}:")
        self.function.label = label

    def jump(self, label: str) -> None:
        """Ends a block."""
        self.do(f"br label %{label}")

    def branch(self, condition: Value, yes: str, no: str, unlikely: bool = False) -> None:
        """Ends a block; `unlikely` says that `yes` is a cold path."""
        weights = ", !prof !0" if unlikely else ""
        self.do(f"br i1 {condition.name}, label %{yes}, label %{no}{weights}")

    def alloca(self, type: str, align: int = 64) -> Value:
        """Stack memory for as long as the instruction that is being written."""
        return self.function.temporary(type, align, f"%v{self.fresh()}")

    def load(self, type: str, at: Value, align: int) -> Value:
        """A load from memory."""
        return self.emit(type, f"load {type}, {at}, align {align}")

    def store(self, value: Value, at: Value, align: int) -> None:
        """A store to memory."""
        self.do(f"store {value}, {at}, align {align}")

    def store_past_cache(self, value: Value, at: Value) -> None:
        """A store to memory on a multiple of its bytes that does not bring it into the cache."""
        self.do(f"store {value}, {at}, align {_bytes(value.type)}, !nontemporal !1")

    def offset(self, at: Value, by: Value | int, unit: str = "i8") -> Value:
        """A pointer some units further on."""
        step = f"i64 {by}" if isinstance(by, int) else str(by)
        return self.emit("ptr", f"getelementptr {unit}, {at}, {step}")

    def call(self, type: str, name: str, *arguments: Value) -> Value:
        """A call of a function outside this text, declared on first use."""
        if name not in self.declared:
            self.declared.add(name)
            kinds = ", ".join(a.type for a in arguments)
            self.globals.append(f"declare {type} @{name}({kinds})")
        listed = ", ".join(map(str, arguments))
        if type == "void":
            self.do(f"call void @{name}({listed})")
            return Value("void", "")
        return self.emit(type, f"call {type} @{name}({listed})")

    def phi(self, type: str, *incoming: tuple[Value, str]) -> Value:
        """A value that depends on the block it was reached from."""
        pairs = ", ".join(f"[ {value.name}, %{label} ]" for value, label in incoming)
        return self.emit(type, f"phi {type} {pairs}")

    @contextmanager
    def inside(self) -> Iterator[None]:
        """A region inside the current one."""
        before = self.region
        self.region = (*before, self.fresh())
        try:
            yield
        finally:
            self.region = before

    def visible(self, region: CodeRegion) -> bool:
        """Whether a value made in a region may be used here."""
        return self.region[: len(region)] == region

    @contextmanager
    def outlined(self, head: str) -> Iterator[LlvmFunction]:
        """Writes another function; what is around it is not visible inside. The caller
        finishes it."""
        around, region = self._function, self.region
        self._function, self.region = LlvmFunction(head), (self.fresh(),)
        try:
            yield self._function
        finally:
            self._function, self.region = around, region

    @contextmanager
    def aside(self, label: str) -> Iterator[None]:
        """Writes a block that is rarely reached, after all others."""
        function, region, before = self.function, self.region, self.function.label
        hot, function.lines = function.lines, function.cold
        self.region = (*region, self.fresh())
        self.place(label)
        try:
            yield
        finally:
            function.lines = hot
            function.label, self.region = before, region

    def finish(self, function: LlvmFunction) -> None:
        """A function is written."""
        self.functions.append(function)

    def is_written(self, function: LlvmFunction) -> bool:
        """Whether a function is written, and has not been taken back."""
        return function in self.functions

    @property
    def frame_bytes(self) -> int:
        """More than the vectors of all functions together take on the stack: a vector may be
        kept twice, once as it is and once in the parts that a processor has."""
        return 2 * sum(function.value_bytes for function in self.functions)

    def attempt(self, write: Callable[[], bool]) -> bool:
        """Writes, and takes it back where `write` says False."""
        function = self.function
        lines, functions, label = len(function.lines), len(self.functions), function.label
        cold = len(function.cold)
        # In a region of its own: what is remembered of a text taken back is never used.
        with self.inside():
            if write():
                return True
        del function.lines[lines:]
        del function.cold[cold:]
        del self.functions[functions:]
        function.label = label
        return False

    def modules(self, declared: str) -> tuple[str, str]:
        """The texts of two modules that are linked: what is worth optimising, and the rest.
        Empty where there is none."""
        for function in self.functions:
            for called in function.calls if function.is_hot else ():
                called.is_hot = True
        hot = [function for function in self.functions if function.is_hot]
        cold = [function for function in self.functions if not function.is_hot]
        return self._module(declared, hot, cold), self._module(declared, cold, hot)

    def _module(
        self, declared: str, functions: list[LlvmFunction], others: list[LlvmFunction]
    ) -> str:
        if not functions:
            return ""
        known = [other.head.replace("define", "declare", 1) for other in others]
        texts = [function.text() for function in functions]
        return "\n".join((declared, *self.globals, *known, *texts, _METADATA, ""))


_METADATA = """!0 = !{!"branch_weights", i32 1, i32 1048576}
!1 = !{i32 1}"""
