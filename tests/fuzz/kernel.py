"""The function that all blocks of a random kernel share: parameters, constants, room in UB."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import count

from ptoscope.isa.dtypes import I1, I8, I32, I64, INDEX, DType
from ptoscope.isa.parts import BUFFERS
from ptoscope.isa.targets import Revision, Target
from ptoscope.isa.types import Align, Mask, Ptr, Scalar, Type, VAddr, VReg
from tests.fuzz import data
from tests.fuzz.data import Array, Fill, Number

RESULT_BYTES = 56 * 1024
SOURCE_BYTES = 112 * 1024
"""How much of UB results, from its start, and sources, from its end, may take."""

HIDDEN = 256
"""Numbers that each parameter holds from which those come that only the run tells."""

_PREFIXES: dict[type, str] = {
    VReg: "v",
    Mask: "m",
    Scalar: "s",
    Ptr: "p",
    Align: "a",
    VAddr: "e",
}


class Full(Exception):
    """There is no room in UB for another area."""


@dataclass(frozen=True)
class Value:
    """An SSA value."""

    name: str
    type: Type


@dataclass(frozen=True)
class Source:
    """An area of UB that a copy fills, and what it holds."""

    address: int
    dtype: DType
    fill: Fill
    limit: int
    patch: tuple[tuple[int, int], ...] = ()


class Kernel:
    """The whole function: what its blocks share."""

    def __init__(self, rng: random.Random, target: Target, revision: Revision, grid: int) -> None:
        self.rng = rng
        self.target = target
        self.revision: Revision = revision
        self.grid = grid
        self.parameters: list[Array | Number] = []
        self.head: list[str] = []
        self.used: set[str] = set()
        self.types: dict[str, Type] = {}
        self.results_end = 0
        self.sources_start = target.ub_bytes
        self.fault_code = ""
        self.apart = rng.randrange(BUFFERS)
        """A buffer id that no stage holds."""
        self._hidden_at: dict[DType, Iterator[int]] = {}
        self._names: dict[str, int] = {}
        self._shared: dict[tuple[object, ...], Value] = {}

    def fresh(self, kind: Type, prefix: str = "") -> Value:
        """A value with a name of its own."""
        prefix = prefix or _PREFIXES[type(kind)]
        number = self._names.get(prefix, 0)
        self._names[prefix] = number + 1
        value = Value(f"%{prefix}{number}", kind)
        self.types[value.name] = kind
        return value

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def _once(self, key: tuple[object, ...], make: Callable[[], Value]) -> Value:
        if key not in self._shared:
            self._shared[key] = make()
        return self._shared[key]

    def constant(self, value: int, dtype: DType) -> Value:
        """An integer; of a float its bits."""

        def make() -> Value:
            result = self.fresh(Scalar(dtype), "c")
            if dtype is I1:
                text = "true" if value else "false"
            elif dtype.is_float:
                text = f"0x{value % (1 << dtype.bits):0{dtype.bits // 4}X} : {dtype}"
            else:
                text = f"{data.number(dtype, value % (1 << dtype.bits))} : {dtype}"
            self.head.append(f"{result.name} = arith.constant {text}")
            return result

        return self._once(("constant", value, dtype), make)

    def scalar(self, value: int, dtype: DType) -> Value:
        """A run-time argument with this value; of a float its bits."""
        result = self.fresh(Scalar(dtype), "n")
        given = data.number(dtype, value % (1 << dtype.bits))
        self.parameters.append(Number(result.name[1:], dtype, given))
        return result

    def known(self, value: int, dtype: DType) -> Value:
        """A number the generator relies on: a constant, or sometimes one from memory, so that
        nothing but the run tells."""
        return self.constant(value, dtype) if self.chance(0.8) else self.hidden(value, dtype)

    def hidden(self, value: int, dtype: DType) -> Value:
        """A number from memory."""
        return self._once(("hidden", value, dtype), lambda: self._hidden(value, dtype))

    def limited(self, value: int, limit: int, dtype: DType) -> Value:
        """A number from memory, and visibly not above a limit."""
        number, most = self.hidden(value, dtype), self.constant(limit, dtype)
        result = self.fresh(Scalar(dtype), "k")
        self.head.append(f"{result.name} = arith.minsi {number.name}, {most.name} : {dtype}")
        return result

    def _hidden(self, value: int, dtype: DType) -> Value:
        stored = {INDEX: I64, I1: I8}.get(dtype, dtype)
        base = self._once(("hidden", stored), lambda: self.array(stored, HIDDEN, "k"))
        at = self._hidden_at.setdefault(stored, count())
        number = next(at)
        parameter = self.parameters[self._position(base)]
        assert isinstance(parameter, Array)
        self.change(base, patch=(*parameter.patch, (number, value)))
        result = self.fresh(Scalar(stored), "k")
        index = self.constant(number, INDEX)
        text = f"{result.name} = pto.load_scalar {base.name}[{index.name}] : {base.type}"
        self.head.append(f"{text} -> {stored}")
        if stored is dtype:
            return result
        narrow, cast = self.fresh(Scalar(dtype), "k"), "index_cast" if dtype is INDEX else "trunci"
        self.head.append(f"{narrow.name} = arith.{cast} {result.name} : {stored} to {dtype}")
        return narrow

    def array(self, dtype: DType, count: int, prefix: str, fill: Fill = "values") -> Value:
        """A pointer parameter."""
        result = self.fresh(Ptr(dtype, "gm"), prefix)
        self.parameters.append(Array(result.name[1:], dtype, count, fill))
        return result

    def change(self, pointer: Value, **changes: object) -> None:
        """Changes what is passed for a pointer parameter."""
        at = self._position(pointer)
        self.parameters[at] = replace(self.parameters[at], **changes)  # type: ignore[arg-type]

    def _position(self, value: Value) -> int:
        return next(at for at, p in enumerate(self.parameters) if p.name == value.name[1:])

    def shared_input(self, dtype: DType) -> Value:
        """A parameter of 64 elements from which scalars are loaded."""
        return self._once(("input", dtype), lambda: self.array(dtype, 64, "in"))

    # UB.

    def pointer(self, address: int, dtype: DType) -> Value:
        """A pointer to UB, made at the head of the kernel."""

        def make() -> Value:
            result = self.fresh(Ptr(dtype, "ub"))
            kind = self.rng.choice((I64, I64, I32, INDEX))
            source = self.constant(address, kind)
            self.head.append(f"{result.name} = pto.castptr {source.name} : {kind} -> {result.type}")
            return result

        return self._once(("pointer", address, dtype), make)

    def reserve(self, size: int) -> int:
        """The address of so many bytes for results."""
        start = self.results_end
        if start + size > RESULT_BYTES:
            raise Full
        self.results_end = start + -(-size // 32) * 32
        return start

    def reserve_source(self, size: int) -> int:
        """The address of so many bytes that a copy fills."""
        if self.target.ub_bytes - (self.sources_start - size) > SOURCE_BYTES:
            raise Full
        self.sources_start -= size
        return self.sources_start
