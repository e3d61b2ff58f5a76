"""The lane vocabulary as LLVM IR: each primitive appends instructions and names the result.

What is known while compiling stays a number (`uniform`), computed by the reference engine's
own lanes, so that folding cannot give other bits.
"""

from __future__ import annotations

from collections.abc import Callable

from ptoscope.isa.dtypes import BF16, F16, F32, F64, I1, I64, UI8, UI16, UI32, DType, unsigned
from ptoscope.isa.lanes import PREDICATE_BITS, Arith, Bitwise, Compare, Lanes
from ptoscope.machine.elements import QUIET_NAN, quietly
from ptoscope.machine.lanes import NumpyLanes, constant
from ptoscope.native import types
from ptoscope.native.llvm_text import Code, CodeRegion, Value
from ptoscope.native.nans import ARITHMETIC, CANONICAL, RAW, is_looked_for, made_canonical
from ptoscope.native.permutes import picked, picked_of_two, splatted, squeezed, taken
from ptoscope.native.ranges import Range, combined, either, exactly, within
from ptoscope.native.registers import can_compress, can_permute, compressed, permuted

_FLOAT_COMPARE = {"lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge", "eq": "oeq", "ne": "une"}


class NativeLanes(Lanes):
    """A row of lanes: a number known now, a value in the code, or one made where it is used."""

    __slots__ = (
        "_lanes",
        "_make",
        "_memo",
        "_region",
        "_value",
        "_viewed",
        "code",
        "nans",
        "paired",
        "range",
        "rounded",
        "scaled",
        "shuffled",
        "uniform",
        "wide",
    )

    def __init__(
        self,
        code: Code,
        dtype: DType,
        count: int,
        value: Value | None = None,
        *,
        make: Callable[[], Value] | None = None,
        uniform: NumpyLanes | None = None,
        nans: int = CANONICAL,
    ) -> None:
        self.code = code
        self.dtype = dtype
        self.count = count
        self.uniform = uniform
        self.nans = nans
        self.scaled: tuple[NativeLanes, int] | None = None
        """Of i64 lanes: the narrower integers they are a multiple of, where known."""
        self.rounded: NativeLanes | None = None
        """The row this one was rounded from, to whole numbers."""
        self.range: Range | None = None
        """Of an integer row of one: what is known of the number."""
        if uniform is not None and count == 1 and dtype.is_int:
            self.range = exactly(int(uniform.a))
        self._value = value
        self._region: CodeRegion = code.region
        self._make = make
        self._memo: dict[object, tuple[CodeRegion, NativeLanes]] | None = None
        self._lanes: NativeLanes | None = None
        """Of a predicate register: the lanes it was made of."""
        self.shuffled: tuple[NativeLanes, tuple[int, ...]] | None = None
        """The row this one was picked from."""
        self.paired: tuple[NativeLanes, NativeLanes, tuple[int, ...]] | None = None
        """The two rows this one was picked from."""
        self._viewed: NativeLanes | None = None
        """The row of other elements whose bits these are."""
        self.wide: NativeLanes | None = None
        """The wider row this one was rounded from."""

    # What it is.

    @property
    def type(self) -> str:
        return types.row(self.dtype, self.count)

    @property
    def value(self) -> Value:
        """The operand in the code; emits what it takes, if it is not there yet."""
        if self.uniform is not None:
            return Value(
                self.type, types.constant(self.dtype, self.count, types.raw_bits(self.uniform))
            )
        if self._make is not None and (self._value is None or not self.code.visible(self._region)):
            self._value, self._region = self._make(), self.code.region
        assert self._value is not None
        return self._value

    @property
    def number(self) -> int | None:
        """The integer it is known to be."""
        return None if self.uniform is None else int(self.uniform.a)

    @property
    def is_full(self) -> bool:
        """Of i1: known to be set in every lane."""
        return self.uniform is not None and bool(self.uniform.a)

    @property
    def is_empty(self) -> bool:
        """Of i1: known to be clear in every lane."""
        return self.uniform is not None and not bool(self.uniform.a)

    @property
    def gated(self) -> NativeLanes:
        """Of a predicate register: its lanes where it was made of lanes, else all its bits."""
        return self._lanes if self._lanes is not None else self

    def canonical(self) -> NativeLanes:
        """The same row, every NaN that arithmetic made the canonical one."""
        if self.nans != ARITHMETIC:
            return self
        return self._once("canonical", self._made_canonical)

    def _made_canonical(self) -> NativeLanes:
        if self.shuffled is not None and self.shuffled[0].count <= self.count:
            source, order = self.shuffled
            return source.canonical().shuffle(order)
        wide = self.wide
        if (
            self.dtype is F16
            and wide is not None
            and wide.nans == ARITHMETIC
            and self.count <= F32.lanes
        ):
            return wide.canonical().cast(F16)
        return self.like(made_canonical(self.code, self.dtype, self.count, self.value))

    def looks_for_nans(self) -> bool:
        """Whether making this row canonical takes looking through it."""
        plain = self.uniform is None and self.shuffled is None
        return plain and self.nans == ARITHMETIC and is_looked_for(self.dtype, self.count)

    def spilled(self) -> Value:
        """The row in stack memory, each lane a whole number of bytes."""
        value = self.canonical().value
        if self.dtype.bits == 1:
            bytes_type = types.row(UI8, self.count)
            value = self.code.emit(bytes_type, f"zext {value} to {bytes_type}")
        at = self.code.alloca(value.type)
        self.code.store(value, at, 64)
        return at

    # Helpers.

    def like(self, value: Value, nans: int = CANONICAL, count: int | None = None) -> NativeLanes:
        """A row of the same element, and as long unless it says how long."""
        size = self.count if count is None else count
        return NativeLanes(self.code, self.dtype, size, value, nans=nans)

    def _emit(self, instruction: str) -> Value:
        return self.code.emit(self.type, instruction)

    def _once(self, key: object, make: Callable[[], NativeLanes]) -> NativeLanes:
        """Remembered where it is visible."""
        if self._memo is None:
            self._memo = {}
        known = self._memo.get(key)
        if known is not None and self.code.visible(known[0]):
            return known[1]
        made = make()
        self._memo[key] = (self.code.region, made)
        return made

    def times(self, factor: int) -> NativeLanes:
        """Multiplied by a number; remembered, since addresses need it again and again."""

        def product() -> NativeLanes:
            return self.arith("mul", self.const(factor))

        return self._once(("times", factor), product)

    def _known(self, row: NumpyLanes, count: int) -> NativeLanes:
        return known(self.code, row, count)

    def _fold(
        self, operation: Callable[..., NumpyLanes], *others: NativeLanes
    ) -> NativeLanes | None:
        """The result where all operands are known now."""
        if self.uniform is None or any(o.uniform is None for o in others):
            return None
        with quietly():
            return self._known(operation(self.uniform, *(o.uniform for o in others)), self.count)

    # Primitives.

    def const(self, value: int | float) -> NativeLanes:
        return known(self.code, constant(self.dtype, 1, value), self.count)

    def arith(self, op: Arith, other: Lanes) -> NativeLanes:
        assert isinstance(other, NativeLanes)
        folded = self._fold(lambda a, b: a.arith(op, b), other)
        if folded is not None:
            return folded
        if self.dtype.is_float:
            return self.like(self._emit(f"f{op} {self.value}, {other.value.name}"), ARITHMETIC)
        if other.number is not None and other.number == (1 if op == "mul" else 0):
            return self
        if op != "sub" and self.number is not None and self.number == (1 if op == "mul" else 0):
            return other
        if op == "mul" and self.scaled is not None and other.number is not None:
            return self._scaled_by(other, other.number)
        result = self.like(self._emit(f"{op} {self.value}, {other.value.name}"))
        result.range = within(
            combined(op, self.range, other.range), self.dtype.bits, self.dtype.signed
        )
        return result

    def _scaled_by(self, factor: NativeLanes, number: int) -> NativeLanes:
        assert self.scaled is not None

        def product() -> Value:
            return self._emit(f"mul {self.value}, {factor.value.name}")

        result = NativeLanes(self.code, self.dtype, self.count, make=product)
        result.scaled = (self.scaled[0], self.scaled[1] * number)
        return result

    def bitwise(self, op: Bitwise, other: Lanes) -> NativeLanes:
        assert isinstance(other, NativeLanes)
        folded = self._fold(lambda a, b: a.bitwise(op, b), other)
        if folded is not None:
            return folded
        for one, two in ((self, other), (other, self)):
            if one.uniform is None:
                continue
            raw = types.raw_bits(one.uniform)
            width = 1 if self.dtype is I1 else 8 * self.dtype.bytes
            if raw == 0:
                return one if op == "and" else two
            if raw == (1 << width) - 1 and op != "xor":
                return two if op == "and" else one
        return self.like(self._emit(f"{op} {self.value}, {other.value.name}"))

    def shift(self, left: bool, amount: Lanes) -> NativeLanes:
        assert isinstance(amount, NativeLanes)
        folded = self._fold(lambda a, b: a.shift(left, b), amount)
        if folded is not None:
            return folded
        bits = self.dtype.bits
        signed = self.dtype.signed and not left
        word = "shl" if left else "ashr" if signed else "lshr"
        if amount.uniform is not None:
            by = types.raw_bits(amount.uniform)
            if by >= bits and not signed:
                return self.const(0)
            # An amount of the width or more is undefined in LLVM.
            number = types.constant(self.dtype, self.count, min(by, bits - 1))
            return self.like(self._emit(f"{word} {self.value}, {number}"))
        by_value = amount.value
        limit = types.constant(self.dtype, self.count, bits - 1)
        if signed:
            name = f"llvm.umin.{types.suffix(self.dtype, self.count)}"
            inside = self.code.call(self.type, name, by_value, Value(self.type, limit))
            return self.like(self._emit(f"ashr {self.value}, {inside.name}"))
        shifted = self._emit(f"{word} {self.value}, {by_value.name}")
        fits = self.code.emit(types.row(I1, self.count), f"icmp ule {by_value}, {limit}")
        zero = types.constant(self.dtype, self.count, 0)
        return self.like(self._emit(f"select {fits}, {shifted}, {self.type} {zero}"))

    def compare(self, op: Compare, other: Lanes) -> NativeLanes:
        assert isinstance(other, NativeLanes)
        folded = self._fold(lambda a, b: a.compare(op, b), other)
        if folded is not None:
            return folded
        if self.dtype.is_float:
            test = f"fcmp {_FLOAT_COMPARE[op]}"
        elif op in ("eq", "ne"):
            test = f"icmp {op}"
        else:
            test = f"icmp {'s' if self.dtype.signed else 'u'}{op}"
        made = self.code.emit(types.row(I1, self.count), f"{test} {self.value}, {other.value.name}")
        return NativeLanes(self.code, I1, self.count, made)

    def select(self, yes: Lanes, no: Lanes) -> NativeLanes:
        assert isinstance(yes, NativeLanes)
        assert isinstance(no, NativeLanes)
        if self.uniform is not None:
            return yes if self.uniform.a else no
        if yes is no:
            return yes
        if yes.count == PREDICATE_BITS and yes.dtype is I1:
            yes, no = yes.whole(), no.whole()
        yes, no = settled(yes, no)
        result = yes.like(self._selected(yes, no), max(yes.nans, no.nans))
        result.range = either(yes.range, no.range)
        return result

    def _selected(self, yes: NativeLanes, no: NativeLanes) -> Value:
        if not (types.is_native_float(yes.dtype) and self.code.features.maximum):
            return yes._emit(f"select {self.value}, {yes.value}, {no.value}")
        # As integers: LLVM would make one maximum of x > 0 ? x : 0, which gives a quiet NaN where
        # x is a signalling one, not 0.
        kind = types.row(unsigned(8 * yes.dtype.bytes), yes.count)
        one, two = (self.code.emit(kind, f"bitcast {v.value} to {kind}") for v in (yes, no))
        made = self.code.emit(kind, f"select {self.value}, {one}, {two}")
        return yes._emit(f"bitcast {made} to {yes.type}")

    def whole(self) -> NativeLanes:
        """Of a predicate register: all its bits as lanes of their own."""
        return self if self._lanes is None else NativeLanes(self.code, I1, self.count, self.value)

    def cast(self, dtype: DType) -> NativeLanes:
        if dtype is self.dtype:
            return self
        folded = self._fold(lambda a: a.cast(dtype))
        if folded is not None:
            return folded
        parts = self._viewed
        if parts is not None and parts.dtype.bytes == dtype.bytes < self.dtype.bytes:
            # The low part of each lane is a lane of what they were before.
            step = self.dtype.bytes // dtype.bytes
            return parts.shuffle(tuple(range(0, parts.count, step))).bits(dtype)
        result = self._once(dtype, lambda: converted(self, dtype))
        if self.range is not None and dtype.is_int and dtype is not I1:
            result.range = within(self.range, dtype.bits, dtype.signed)
        return result

    def bits(self, dtype: DType) -> NativeLanes:
        if dtype is self.dtype:
            return self
        count = self.count * self.dtype.bytes // dtype.bytes
        if self.uniform is not None and dtype.bytes == self.dtype.bytes:
            return self._known(self.uniform.bits(dtype), count)
        nan = RAW if types.tracks_nans(dtype) else CANONICAL
        target = types.row(dtype, count)
        if target == self.type:
            source = self.canonical().value
            result = NativeLanes(self.code, dtype, count, source, nans=nan)
            result.scaled, result._viewed = self.scaled, self._viewed
            result.range = within(self.range, 8 * dtype.bytes, dtype.signed)
            return result
        source = self.canonical()
        made = self.code.emit(target, f"bitcast {source.value} to {target}")
        result = NativeLanes(self.code, dtype, count, made, nans=nan)
        if count < self.count and dtype.is_int:
            result._viewed = source
        return result

    def _intrinsic(self, name: str) -> NativeLanes:
        full = f"llvm.{name}.{types.suffix(self.dtype, self.count)}"
        return self.like(self.code.call(self.type, full, self.value), ARITHMETIC)

    def rint(self) -> NativeLanes:
        folded = self._fold(lambda a: a.rint())
        if folded is not None:
            return folded
        result = self._intrinsic("roundeven")
        result.rounded = self
        return result

    def floor(self) -> NativeLanes:
        return self._fold(lambda a: a.floor()) or self._intrinsic("floor")

    def root(self) -> NativeLanes:
        return self._fold(lambda a: a.root()) or self._intrinsic("sqrt")

    def quotient(self, divisor: Lanes) -> NativeLanes:
        assert isinstance(divisor, NativeLanes)
        folded = self._fold(lambda a, b: a.quotient(b), divisor)
        if folded is not None:
            return folded
        if self.count > 1 and self.dtype.bits < 64:
            # Exact in a float with more bits than both operands together need.
            wide, whole = (F64, I64) if self.dtype.bits == 32 else (F32, UI32)
            a, b = self.cast(wide), divisor.cast(wide)
            ratio = a.arith("div", b)
            kind = types.row(whole, self.count)
            cut = self.code.emit(kind, f"fptosi {ratio.value} to {kind}")
            return self.like(self._emit(f"trunc {Value(kind, cut.name)} to {self.type}"))
        if not self.dtype.signed:
            return self.like(self._emit(f"udiv {self.value}, {divisor.value.name}"))
        # The most negative number by -1 is undefined in LLVM, and traps.
        minus = divisor.compare("eq", divisor.const(-1))
        safe = minus.select(divisor.const(1), divisor)
        cut = self.like(self._emit(f"sdiv {self.value}, {safe.value.name}"))
        return minus.select(self.const(0).arith("sub", self), cut)

    def fused(self, factor: Lanes, addend: Lanes) -> Lanes:
        assert isinstance(factor, NativeLanes)
        assert isinstance(addend, NativeLanes)
        if not self.code.features.fma:
            return super().fused(factor, addend)
        name = f"llvm.fma.{types.suffix(self.dtype, self.count)}"
        made = self.code.call(self.type, name, self.value, factor.value, addend.value)
        return self.like(made, ARITHMETIC)

    def fmod(self, divisor: Lanes) -> NativeLanes:
        assert isinstance(divisor, NativeLanes)
        assert self.count == 1
        folded = self._fold(lambda a, b: a.fmod(b), divisor)
        if folded is not None:
            return folded
        name = "fmodf" if self.dtype is F32 else "fmod"
        return self.like(self.code.call(self.type, name, self.value, divisor.value), ARITHMETIC)

    def shuffle(self, order: tuple[int, ...], other: Lanes | None = None) -> NativeLanes:
        assert other is None or isinstance(other, NativeLanes)
        if other is None and order == tuple(range(self.count)):
            return self
        if other is None and self.uniform is not None:
            if min(order) >= 0 or types.raw_bits(self.uniform) == 0:
                return self._known(self.uniform, len(order))
            if self.dtype is I1:
                active = types.listed(I1, (i >= 0 for i in order))
                return NativeLanes(
                    self.code, I1, len(order), Value(types.row(I1, len(order)), active)
                )
        if self.count == 1:
            return self.splat(2).shuffle(order)
        if other is None:
            if self.shuffled is not None:
                source, before = self.shuffled
                order = tuple(-1 if i < 0 else before[i] for i in order)
                return source.shuffle(order)
            if self.paired is not None:
                one, two, before = self.paired
                return one.shuffle(tuple(-1 if i < 0 else before[i] for i in order), two)
            made = picked(self.code, self.dtype, self.count, self.value, order)
            result = self.like(made, self.nans, len(order))
            result.shuffled = (self, order)
            return result
        one, two = settled(self, other)
        if len(order) == 1:
            is_second = order[0] >= one.count
            return two.shuffle((order[0] - one.count,)) if is_second else one.shuffle(order)
        made = picked_of_two(self.code, self.dtype, one.value, two.value, order)
        result = self.like(made, max(one.nans, two.nans), len(order))
        result.paired = (one, two, order)
        return result

    def take(self, index: Lanes) -> NativeLanes:
        assert isinstance(index, NativeLanes)
        if self.uniform is not None:
            return self._known(self.uniform, index.count)
        code, dtype, whole = self.code, self.dtype, self.canonical()
        if can_permute(code, dtype, self.count, index.count, index.dtype.bytes):
            made = permuted(code, dtype, whole.value, self.count, index.value, index.count)
        else:
            row, order, number = whole.spilled(), index.spilled(), types.element(index.dtype)
            made = taken(code, dtype, row, order, number, index.count)
        return self.like(made, whole.nans, index.count)

    def window(self, start: Lanes, count: int) -> NativeLanes:
        assert isinstance(start, NativeLanes)
        if start.number is not None:
            # A number that was refused before may be any; nobody gets as far as here with it.
            first = max(0, min(start.number, self.count - count))
            return self.shuffle(tuple(range(first, first + count)))
        at = self.code.offset(self.spilled(), start.cast(I64).value, types.element(self.dtype))
        made = self.code.load(types.row(self.dtype, count), at, self.dtype.bytes)
        return self.like(made, self.canonical().nans, count)

    def squeeze(self, active: Lanes) -> NativeLanes:
        assert isinstance(active, NativeLanes)
        if active.is_full:
            return self
        whole = self.canonical()
        if can_compress(self.code, self.dtype, self.count):
            made = compressed(self.code, self.dtype, whole.value, active.value, self.count)
        else:
            row, mask = whole.spilled(), active.spilled()
            made = squeezed(self.code, self.dtype, row, mask, self.count)
        return self.like(made, whole.nans)

    def population(self) -> NativeLanes:
        if self.uniform is not None:
            return known(self.code, constant(I64, 1, self.count * int(bool(self.uniform.a))), 1)
        word = f"i{self.count}"
        packed = self.value
        if self.count > 1:
            packed = self.code.emit(word, f"bitcast {self.value} to {word}")
            packed = self.code.call(word, f"llvm.ctpop.{word}", packed)
        if self.count != 64:
            how = "zext" if self.count < 64 else "trunc"
            packed = self.code.emit("i64", f"{how} {packed} to i64")
        return NativeLanes(self.code, I64, 1, packed)

    def splat(self, count: int) -> NativeLanes:
        if count == self.count:
            return self
        if self.uniform is not None:
            return self._known(self.uniform, count)

        def repeated() -> NativeLanes:
            made = splatted(self.code, self.dtype, self.value, count)
            return self.like(made, self.nans, count)

        return self._once(("splat", count), repeated)

    # Predicate registers: kept as the lanes they were made of.

    def image(self) -> NativeLanes:
        if self.count == PREDICATE_BITS:
            return self
        group = PREDICATE_BITS // self.count
        order = tuple(-1 if i % group else i // group for i in range(PREDICATE_BITS))
        register = NativeLanes(
            self.code, I1, PREDICATE_BITS, make=lambda: self.shuffle(order).value
        )
        register._lanes = self
        if self.is_empty:
            register.uniform = self.uniform
        return register

    def gate(self, count: int) -> NativeLanes:
        lanes = self.gated
        if lanes.count == count:
            return lanes
        return self._once(("gate", count), lambda: lanes._regrouped(count))

    def _regrouped(self, count: int) -> NativeLanes:
        """Lanes of a register that was made of these, seen as `count` lanes."""
        group, step = PREDICATE_BITS // self.count, PREDICATE_BITS // count
        bits = range(0, PREDICATE_BITS, step)
        return self.shuffle(tuple(-1 if b % group else b // group for b in bits))


def native(row: Lanes) -> NativeLanes:
    """The row, which is one of this engine's."""
    assert isinstance(row, NativeLanes)
    return row


def known(code: Code, row: NumpyLanes, count: int) -> NativeLanes:
    """A row whose lanes are one number, known now."""
    nan = CANONICAL
    if types.tracks_nans(row.dtype):
        raw = types.raw_bits(row)
        if types.is_nan(row.dtype, raw) and raw != QUIET_NAN[row.dtype]:
            nan = RAW
    return NativeLanes(code, row.dtype, count, uniform=row, nans=nan)


def settled(one: NativeLanes, two: NativeLanes) -> tuple[NativeLanes, NativeLanes]:
    """Two rows that become one: beside bits that are kept, NaN has to be canonical."""
    if RAW in (one.nans, two.nans):
        return one.canonical(), two.canonical()
    return one, two


# Casts, some of which LLVM would do lane by lane, or round twice.


def converted(x: NativeLanes, dtype: DType) -> NativeLanes:
    """Value conversion, as Lanes.cast says."""
    source = x.dtype
    if source is BF16:
        return _widen_bf16(x).cast(dtype)
    if dtype is BF16:
        return _narrow_bf16(_odd_f32(x) if source is F64 else _single(x))
    if source.is_float and dtype.is_float:
        return _between_floats(x, dtype)
    if source.is_float:
        return _to_integer(x, dtype)
    if dtype.is_float:
        return _from_integer(x, dtype)
    return _between_integers(x, dtype)


def _cast(x: NativeLanes, word: str, dtype: DType, nan: int = CANONICAL) -> NativeLanes:
    target, source = types.converted_row(dtype, x.count), x.value
    if x.dtype is F16:
        source = _viewed(x.code, types.converted_row(F16, x.count), source)
    made = x.code.emit(target, f"{word} {source} to {target}")
    if dtype is F16:
        made = _viewed(x.code, types.row(F16, x.count), made)
    return NativeLanes(x.code, dtype, x.count, made, nans=nan)


def _viewed(code: Code, kind: str, value: Value) -> Value:
    return code.emit(kind, f"bitcast {value} to {kind}")


def _between_integers(x: NativeLanes, dtype: DType) -> NativeLanes:
    if x.dtype is I1 and x.count > 1:
        # Not zext: with AVX-512 LLVM makes sums of it and differences of sext of each other, and
        # sometimes never ends.
        one, zero = (known(x.code, constant(dtype, x.count, n), x.count) for n in (1, 0))
        made = x.code.emit(one.type, f"select {x.value}, {one.value}, {zero.value}")
        return NativeLanes(x.code, dtype, x.count, made)
    if x.dtype is I1 or dtype.bytes > x.dtype.bytes:
        word = "sext" if x.dtype.signed else "zext"
        if x.count == 1 or x.dtype is I1 or dtype.bits != 64:
            return _cast(x, word, dtype)
        # Addresses of narrow indices: whoever uses them may do without the wide form.
        target = types.row(dtype, x.count)
        wide = NativeLanes(
            x.code,
            dtype,
            x.count,
            make=lambda: x.code.emit(target, f"{word} {x.value} to {target}"),
        )
        wide.scaled = (x, 1)
        return wide
    if dtype.bytes < x.dtype.bytes:
        return _cast(x, "trunc", dtype)
    return NativeLanes(x.code, dtype, x.count, x.value)


def _from_integer(x: NativeLanes, dtype: DType) -> NativeLanes:
    if dtype is F16:
        return _sticky(x).cast(F64).cast(F16) if x.dtype.bits == 64 else x.cast(F64).cast(F16)
    word = "sitofp" if x.dtype.signed else "uitofp"
    return _cast(x, word, dtype)


def _sticky(x: NativeLanes) -> NativeLanes:
    """64-bit integers that f64 can hold and that round to a narrower float as they would:
    of large ones the lowest bits are only remembered as being there."""
    low = 11
    large = (x.abs() if x.dtype.signed else x).as_unsigned() > (1 << 53)
    cut = x >> low
    rest = (x & ((1 << low) - 1)).ne(0).cast(x.dtype)
    row = large.select((cut | rest) << low, x)
    assert isinstance(row, NativeLanes)
    return row


def _to_integer(x: NativeLanes, dtype: DType) -> NativeLanes:
    if x.dtype is F16:
        return x.cast(F32).cast(dtype)
    if dtype.bits <= 32 and dtype is not UI32 and x.rounded is not None and x.dtype is F32:
        # Rounding and converting at once; generated code runs with rounding to nearest.
        kind, source = types.row(UI32, x.count), x.rounded
        name = f"llvm.lrint.{types.suffix(UI32, x.count)}.{types.suffix(F32, x.count)}"
        whole = NativeLanes(x.code, UI32, x.count, x.code.call(kind, name, source.value))
        return whole.bits(dtype) if dtype.bits == 32 else _cast(whole, "trunc", dtype)
    if dtype.bits < 32:
        # In range, so that the sign does not matter; LLVM has no vector form for narrow ones.
        whole = _cast(x, "fptosi", UI32)
        return _cast(whole, "trunc", dtype)
    return _cast(x, "fptosi" if dtype.signed else "fptoui", dtype)


def _between_floats(x: NativeLanes, dtype: DType) -> NativeLanes:
    if {x.dtype, dtype} == {F16, F64}:
        return x.cast(F32).cast(F64) if dtype is F64 else _odd_f32(x).cast(F16)
    # The processor keeps a payload; the canonical NaN stays canonical.
    nan = CANONICAL if x.nans == CANONICAL else ARITHMETIC
    if dtype.bits > x.dtype.bits:
        return _cast(x, "fpext", dtype, nan)
    narrow = _cast(x, "fptrunc", dtype, nan)
    narrow.wide = x
    return narrow


def _single(x: NativeLanes) -> NativeLanes:
    """An f32 that rounds to bf16 as the number itself."""
    if x.dtype in (F32, F16):
        return x.cast(F32)
    wide = _sticky(x).cast(F64) if x.dtype.bits == 64 else x.cast(F64)
    return _odd_f32(wide)


def _odd_f32(wide: NativeLanes) -> NativeLanes:
    """f64 to f32 rounded to odd, so that a second rounding cannot go wrong."""
    near = _cast(wide, "fptrunc", F32, ARITHMETIC)
    back = near.cast(F64)
    # The bits of a NaN do not matter here: whatever they are, it stays one.
    raw_type = types.row(UI32, wide.count)
    raw_value = wide.code.emit(raw_type, f"bitcast {near.value} to {raw_type}")
    raw = NativeLanes(wide.code, UI32, wide.count, raw_value)
    size, true_size = _size(back), _size(wide)
    inexact = back.compare("ne", wide) & ~back.isnan() & size.ne(float("inf"))
    cut = (inexact & (size > true_size)).select(raw - 1, raw)
    odd = inexact.select(cut | 1, cut)
    assert isinstance(odd, NativeLanes)
    made = wide.code.emit(near.type, f"bitcast {odd.value} to {near.type}")
    return NativeLanes(wide.code, F32, wide.count, made, nans=ARITHMETIC)


def _size(x: NativeLanes) -> NativeLanes:
    name = f"llvm.fabs.{types.suffix(x.dtype, x.count)}"
    return NativeLanes(
        x.code, x.dtype, x.count, x.code.call(x.type, name, x.value), nans=ARITHMETIC
    )


def _widen_bf16(x: NativeLanes) -> NativeLanes:
    wide = x.bits(UI16).cast(UI32) << 16
    assert isinstance(wide, NativeLanes)
    target = types.row(F32, x.count)
    made = x.code.emit(target, f"bitcast {wide.value} to {target}")
    return NativeLanes(x.code, F32, x.count, made, nans=ARITHMETIC)


def _narrow_bf16(single: NativeLanes) -> NativeLanes:
    """f32 to bf16 bits, nearest even, NaN canonical."""
    raw_type = types.row(UI32, single.count)
    raw_value = single.code.emit(raw_type, f"bitcast {single.value} to {raw_type}")
    raw = NativeLanes(single.code, UI32, single.count, raw_value)
    rounded = (raw + 0x7FFF + ((raw >> 16) & 1)) >> 16
    narrow = single.isnan().select(raw.const(0x7FC0), rounded).cast(UI16)
    assert isinstance(narrow, NativeLanes)
    return NativeLanes(single.code, BF16, single.count, Value(narrow.type, narrow.value.name))
