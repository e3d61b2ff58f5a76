"""Lanes in an order known only when running, by instructions that work on registers of 64 bytes
(AVX-512). What a register has to do with memory is left out: to load what several stores wrote a
moment before takes longer than all of this."""

from __future__ import annotations

from itertools import chain

from ptoscope.isa.dtypes import I1, DType, unsigned
from ptoscope.native import types
from ptoscope.native.llvm_text import Code, Value

REGISTER = 64
_PERMUTE = {1: "qi", 2: "hi", 4: "d", 8: "q"}


def can_permute(code: Code, dtype: DType, count: int, indices: int, width: int) -> bool:
    """Whether `permuted` picks so many lanes out of a row of `count`, by numbers of a width."""
    fits = dtype.bytes == width >= code.features.permute
    return fits and count * width == 4 * REGISTER and indices * width % REGISTER == 0


def can_compress(code: Code, dtype: DType, count: int) -> bool:
    """Whether `compressed` packs a row."""
    least = max(code.features.compress, code.features.permute)
    return dtype.bytes >= least and count * dtype.bytes == 4 * REGISTER


class _Registers:
    """Writes instructions on registers of elements of one width, as integers."""

    def __init__(self, code: Code, dtype: DType) -> None:
        self.code = code
        self.dtype = unsigned(8 * dtype.bytes)
        self.lanes = REGISTER // dtype.bytes
        self.kind = types.row(self.dtype, self.lanes)
        self.flags = types.row(I1, self.lanes)
        self.zero = Value(self.kind, "zeroinitializer")

    def parts(self, row: Value, count: int) -> list[Value]:
        """A row, or a mask, as registers."""
        code, flags = self.code, row.type == types.row(I1, count)
        kind = row.type if flags else types.row(self.dtype, count)
        whole = row if row.type == kind else code.emit(kind, f"bitcast {row} to {kind}")
        made = []
        for start in range(0, count, self.lanes):
            order = types.indices(tuple(range(start, start + self.lanes)))
            source = f"{whole}, {kind} poison, {order}"
            made.append(code.emit(self.flags if flags else self.kind, f"shufflevector {source}"))
        return made

    def joined(self, parts: list[Value], dtype: DType) -> Value:
        """Registers as a row of a type."""
        code, lanes = self.code, self.lanes
        while len(parts) > 1:
            lanes *= 2
            order, kind = types.indices(tuple(range(lanes))), types.row(self.dtype, lanes)
            pairs = zip(parts[::2], parts[1::2], strict=True)
            parts = [code.emit(kind, f"shufflevector {a}, {b}, {order}") for a, b in pairs]
        kind = types.row(dtype, lanes)
        return (
            parts[0] if kind == parts[0].type else code.emit(kind, f"bitcast {parts[0]} to {kind}")
        )

    def numbers(self, first: int) -> Value:
        """Lane i holds first + i."""
        return Value(self.kind, types.listed(self.dtype, range(first, first + self.lanes)))

    def splat(self, number: Value) -> Value:
        """The low part of a word in every lane."""
        code, kind = self.code, self.kind
        lane = types.element(self.dtype)
        low = number if lane == "i64" else code.emit(lane, f"trunc {number} to {lane}")
        first = code.emit(kind, f"insertelement {kind} poison, {low}, i64 0")
        zeros = f"<{self.lanes} x i32> zeroinitializer"
        return code.emit(kind, f"shufflevector {first}, {kind} poison, {zeros}")

    def pick(self, one: Value, two: Value, index: Value) -> Value:
        """Lane i is that of two registers whose number the low bits of index[i] are."""
        name = f"llvm.x86.avx512.vpermi2var.{_PERMUTE[self.dtype.bytes]}.512"
        return self.code.call(self.kind, name, one, index, two)

    def less(self, one: Value, two: Value) -> Value:
        return self.code.emit(self.flags, f"icmp ult {one}, {two.name}")

    def select(self, flags: Value, yes: Value, no: Value) -> Value:
        return self.code.emit(self.kind, f"select {flags}, {yes}, {no}")

    def population(self, flags: Value) -> Value:
        word = f"i{self.lanes}"
        packed = self.code.emit(word, f"bitcast {flags} to {word}")
        count = self.code.call(word, f"llvm.ctpop.{word}", packed)
        return count if word == "i64" else self.code.emit("i64", f"zext {count} to i64")


def permuted(code: Code, dtype: DType, row: Value, count: int, order: Value, indices: int) -> Value:
    """Lane i is lane order[i] of a row."""
    make = _Registers(code, dtype)
    a, b, c, d = make.parts(row, count)
    half = Value(make.kind, types.constant(make.dtype, make.lanes, count // 2))
    found = []
    for index in make.parts(order, indices):
        lower = make.less(index, half)
        found.append(make.select(lower, make.pick(a, b, index), make.pick(c, d, index)))
    return make.joined(found, dtype)


def compressed(code: Code, dtype: DType, row: Value, active: Value, count: int) -> Value:
    """The active lanes of a row in order, then zeros."""
    make = _Registers(code, dtype)
    name = f"llvm.experimental.vector.compress.{types.suffix(make.dtype, make.lanes)}"
    masks = make.parts(active, count)
    packed = [
        [code.call(make.kind, name, part, mask, make.zero)]
        for part, mask in zip(make.parts(row, count), masks, strict=True)
    ]
    kept = [make.population(mask) for mask in masks]
    while len(packed) > 1:
        pairs = zip(packed[::2], packed[1::2], kept[::2], strict=True)
        packed = [_appended(make, one, two, size) for one, two, size in pairs]
        pairs = zip(kept[::2], kept[1::2], strict=True)
        kept = [code.emit("i64", f"add {one}, {two.name}") for one, two in pairs]
    return make.joined(packed[0], dtype)


def _appended(make: _Registers, one: list[Value], two: list[Value], size: Value) -> list[Value]:
    """As many lanes of `one` as `size` says, then those of `two`, which is as long; after their
    lanes both hold zeros. `two` is turned around by so many lanes: what of it is not behind `one`
    in a register belongs as far behind as it is long."""
    limit = make.splat(size)
    lower, upper = [], []
    for number, part in enumerate(one):
        place = make.numbers(number * make.lanes)
        index = make.code.emit(make.kind, f"sub {place}, {limit.name}")
        turned = make.pick(two[0], two[-1], index)
        own = make.less(place, limit)
        lower.append(make.select(own, part, turned))
        upper.append(make.select(own, turned, make.zero))
    return list(chain(lower, upper))
