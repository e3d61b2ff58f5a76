"""Lanes that pass every word on, but for the one that a plan changes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ptoscope.isa.dtypes import I1, DType, signed, unsigned
from ptoscope.isa.lanes import Arith, Bitwise, Compare, Lanes
from ptoscope.isa.record import Site
from tests.witness.plan import Plan

_ARITH = {"add": ("sub",), "sub": ("add", "swapped"), "mul": ("add",), "div": ("mul", "swapped")}
_BITWISE = {"and": "or", "or": "and", "xor": "or"}
_COMPARE = {
    "lt": ("le", "gt"),
    "le": ("lt", "ge"),
    "gt": ("ge", "lt"),
    "ge": ("gt", "le"),
    "eq": ("ne",),
    "ne": ("eq",),
}


def constant_changes(dtype: DType, value: float) -> tuple[str, ...]:
    """Other constants in place of one."""
    if dtype is I1:
        return ("flipped",)
    return ("+1", "-1") if math.isfinite(value) else ("0",)


def another_constant(value: float, change: str) -> float:
    """The constant that a change makes of one."""
    if change == "flipped":
        return 1 - int(value)
    return {"+1": value + 1, "-1": value - 1, "0": 0.0}[change]


class ChangedLanes(Lanes):
    """Lanes around those of the reference engine."""

    __slots__ = ("inner", "plan")

    def __init__(self, inner: Any, plan: Plan) -> None:
        self.inner = inner
        self.plan = plan
        self.dtype = inner.dtype
        self.count = inner.count

    def _made(self, inner: Any) -> ChangedLanes:
        return ChangedLanes(inner, self.plan)

    def const(self, value: int | float) -> Lanes:
        change = self.plan.step("const", value, lambda: constant_changes(self.dtype, value))
        if change:
            value = another_constant(value, change)
            value = int(value) if self.dtype.is_int else value
        return self._made(self.inner.const(value))

    def arith(self, op: Arith, other: Lanes) -> Lanes:
        change = self.plan.step(f"arith {op}", self.dtype, lambda: _ARITH[op])
        a, b = self.inner, bare(other)
        if change == "swapped":
            a, b = b, a
        return self._made(a.arith(change if change in _ARITH else op, b))

    def bitwise(self, op: Bitwise, other: Lanes) -> Lanes:
        change = self.plan.step(f"bitwise {op}", self.dtype, lambda: (_BITWISE[op],))
        return self._made(self.inner.bitwise(change or op, bare(other)))

    def shift(self, left: bool, amount: Lanes) -> Lanes:
        word = "shift left" if left else "shift right"
        changes = ("right",) if left else ("left", "other sign")
        change = self.plan.step(word, self.dtype, lambda: changes)
        if change in ("left", "right"):
            left = not left
        if change == "other sign":
            return self._made(_other_sign(self.inner).shift(left, bare(amount)).bits(self.dtype))
        return self._made(self.inner.shift(left, bare(amount)))

    def compare(self, op: Compare, other: Lanes) -> Lanes:
        change = self.plan.step(f"compare {op}", self.dtype, lambda: _COMPARE[op])
        return self._made(self.inner.compare(change or op, bare(other)))

    def select(self, yes: Lanes, no: Lanes) -> Lanes:
        changes = ("swapped", "always", "never")
        change = self.plan.step("select", yes.dtype, lambda: changes)
        y, n = bare(yes), bare(no)
        if change == "swapped":
            y, n = n, y
        if change in ("always", "never"):
            return self._made(y if change == "always" else n)
        return self._made(self.inner.select(y, n))

    def cast(self, dtype: DType) -> Lanes:
        def changes() -> tuple[str, ...]:
            if self.dtype.is_int and self.dtype is not I1 and dtype.bits > self.dtype.bits:
                return ("other sign",)
            if self.dtype.is_float and dtype.is_float and dtype.bits < self.dtype.bits:
                return ("cut",)
            return ()

        change = self.plan.step("cast", f"{self.dtype} to {dtype}", changes)
        if change == "other sign":
            return self._made(_other_sign(self.inner).cast(dtype))
        made = self.inner.cast(dtype)
        if change == "cut":
            # Toward zero: one step back where rounding went away from it.
            back = made.cast(self.dtype)
            away = back.abs().compare("gt", self.inner.abs())
            raw = made.bits(unsigned(dtype.bits))
            made = away.select(raw.arith("sub", raw.const(1)), raw).bits(dtype)
        return self._made(made)

    def bits(self, dtype: DType) -> Lanes:
        return self._made(self.inner.bits(dtype))

    def rint(self) -> Lanes:
        change = self.plan.step("rint", self.dtype, lambda: ("floor",))
        return self._made(self.inner.floor() if change else self.inner.rint())

    def floor(self) -> Lanes:
        change = self.plan.step("floor", self.dtype, lambda: ("rint",))
        return self._made(self.inner.rint() if change else self.inner.floor())

    def root(self) -> Lanes:
        change = self.plan.step("root", self.dtype, lambda: ("left out",))
        return self._made(self.inner if change else self.inner.root())

    def quotient(self, divisor: Lanes) -> Lanes:
        change = self.plan.step("quotient", self.dtype, lambda: ("product",))
        by = bare(divisor)
        return self._made(self.inner.arith("mul", by) if change else self.inner.quotient(by))

    def fmod(self, divisor: Lanes) -> Lanes:
        change = self.plan.step("fmod", self.dtype, lambda: ("swapped",))
        a, b = self.inner, bare(divisor)
        return self._made(b.fmod(a) if change else a.fmod(b))

    def shuffle(self, order: tuple[int, ...], other: Lanes | None = None) -> Lanes:
        def changes() -> list[str]:
            names = ["rotated"] if len(set(order)) > 1 else ["next lane"]
            names += ["not cleared"] if -1 in order else []
            return names + (["sources swapped"] if other is not None else [])

        change = self.plan.step("shuffle", f"{len(order)} of {self.count}", changes)
        a, b = self.inner, bare(other)
        size = self.count + (0 if b is None else b.count)
        if change == "rotated":
            order = (*order[1:], order[0])
        elif change == "next lane":
            order = tuple((o + 1) % size for o in order)
        elif change == "not cleared":
            order = tuple(i % size if o < 0 else o for i, o in enumerate(order))
        elif change == "sources swapped" and b is not None:
            return self._made(b.shuffle(order, a))
        return self._made(a.shuffle(order, b))

    def take(self, index: Lanes) -> Lanes:
        change = self.plan.step("take", self.dtype, lambda: ("rotated",))
        made = self.inner.take(bare(index))
        if change:
            made = made.shuffle((*range(1, made.count), 0))
        return self._made(made)

    def window(self, start: Lanes, count: int) -> Lanes:
        change = self.plan.step("window", self.dtype, lambda: ("rotated",))
        made = self.inner.window(bare(start), count)
        if change:
            made = made.shuffle((*range(1, made.count), 0))
        return self._made(made)

    def squeeze(self, active: Lanes) -> Lanes:
        change = self.plan.step("squeeze", self.dtype, lambda: ("inverted", "left out"))
        gate = bare(active)
        if change == "left out":
            return self
        if change == "inverted":
            gate = gate.bitwise("xor", gate.const(1))
        return self._made(self.inner.squeeze(gate))

    def population(self) -> Lanes:
        change = self.plan.step("population", self.count, lambda: ("of the others",))
        row = self.inner.bitwise("xor", self.inner.const(1)) if change else self.inner
        return self._made(row.population())

    def splat(self, count: int) -> Lanes:
        return self._made(self.inner.splat(count))

    def fused(self, factor: Lanes, addend: Lanes) -> Lanes:
        changes = ("rounded twice", "factor and addend swapped")
        change = self.plan.step("fused", self.dtype, lambda: changes)
        a, b, c = self.inner, bare(factor), bare(addend)
        if change == "rounded twice":
            return self._made(a.arith("mul", b).arith("add", c))
        if change:
            b, c = c, b
        return self._made(a.fused(b, c))


def _other_sign(lanes: Any) -> Any:
    """The same bits, as signed where they were not, and the reverse."""
    bits = lanes.dtype.bits
    return lanes.bits(unsigned(bits) if lanes.dtype.signed else signed(bits))


def like(value: tuple[Any, ...], parts: Iterable[Any]) -> Any:
    """A tuple of the same class, with or without names, and other parts."""
    return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)


def heard(value: Any, plan: Plan) -> Any:
    """A value of the engine as a meaning under this plan sees it."""
    if isinstance(value, tuple):
        return like(value, [heard(v, plan) for v in value])
    return ChangedLanes(value, plan) if isinstance(value, Lanes) else value


def bare(value: Any) -> Any:
    """A value without its wrapping, also where it stands inside another."""
    if isinstance(value, ChangedLanes):
        return value.inner
    if isinstance(value, tuple):
        return like(value, [bare(v) for v in value])
    if isinstance(value, list):
        return [bare(v) for v in value]
    if hasattr(value, "__dataclass_fields__") and not isinstance(value, (Site, type)):
        parts = {n: getattr(value, n) for n, f in value.__dataclass_fields__.items() if f.init}
        plain = {n: bare(v) for n, v in parts.items()}
        if any(plain[n] is not parts[n] for n in parts):
            return replace(value, **plain)
    return value
