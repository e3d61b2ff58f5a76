"""Lanes that know which of their bits are undefined, and where those come from."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ptoscope.isa.dtypes import I1, DType
from ptoscope.isa.lanes import PREDICATE_BITS, Arith, Bitwise, Compare, Lanes
from ptoscope.machine.elements import storage
from ptoscope.machine.lanes import NumpyLanes, number
from ptoscope.machine.shadow import rules
from ptoscope.machine.shadow.origins import Ids, Origin, Origins
from ptoscope.machine.shadow.rules import BitWords, earliest, full, whole, word

Tail = Literal["", "pattern", "count"]
"""Made by a number of elements: none, one in the text, one that only the run knows."""


class ShadowLanes(NumpyLanes):
    """The same lanes with the same values.

    `v` has a 1 for each undefined bit, as a row of unsigned words, or is None where there is
    none. `o` is the origin of each lane; it says something only where the lane's `v` does.
    `tail` says of a mask how a number of elements made it.
    """

    __slots__ = ("book", "o", "tail", "v")

    def __init__(
        self,
        a: Any,
        dtype: DType,
        count: int,
        book: Origins,
        v: BitWords | None = None,
        o: Ids | None = None,
    ) -> None:
        super().__init__(a, dtype, count)
        self.book = book
        self.tail: Tail = ""
        self.v, self.o = (v, o) if v is not None and v.any() else (None, None)

    def raw(self) -> BitWords:
        """The bits of the lanes, as a row of unsigned words."""
        return np.atleast_1d(self.a).view(word(self.dtype))

    def undefined(self) -> BitWords:
        """The undefined bits, zeros where there are none."""
        return np.zeros(self.count, word(self.dtype)) if self.v is None else self.v

    def origins(self) -> Ids:
        """The origins, zeros where there are none."""
        return np.zeros(self.count, np.int64) if self.o is None else self.o

    def _of(
        self, plain: NumpyLanes, v: BitWords | None = None, o: Ids | None = None
    ) -> ShadowLanes:
        return ShadowLanes(plain.a, plain.dtype, plain.count, self.book, v, o)

    def _joined(self, plain: NumpyLanes, v: BitWords, *others: ShadowLanes) -> ShadowLanes:
        """A result whose undefined lanes come from what was left undefined first."""
        origins = self.origins()
        seen = self.undefined() != 0
        for other in others:
            origins = earliest(origins, seen, other.origins(), other.undefined())
            seen = seen | (other.undefined() != 0)
        return self._of(plain, v, origins)

    def _lanewise(self, plain: NumpyLanes, *others: ShadowLanes) -> ShadowLanes:
        """A result whose lanes depend on the operands' lanes as a whole."""
        if self.v is None and all(other.v is None for other in others):
            return self._of(plain)
        v = whole(plain.dtype, self.undefined(), *(other.undefined() for other in others))
        return self._joined(plain, v, *others)

    def const(self, value: int | float) -> ShadowLanes:
        return self._of(super().const(value))

    def arith(self, op: Arith, other: Lanes) -> ShadowLanes:
        other = _shadow(other)
        plain = super().arith(op, other)
        # A number less itself is zero whatever it is.
        cancels = op == "sub" and other is self and self.dtype.is_int
        if cancels or (self.v is None and other.v is None):
            return self._of(plain)
        v = rules.arith(
            op, self.dtype, self.raw(), other.raw(), self.undefined(), other.undefined()
        )
        return self._joined(plain, v, other)

    def bitwise(self, op: Bitwise, other: Lanes) -> ShadowLanes:
        other = _shadow(other)
        plain = super().bitwise(op, other)
        cancels = op == "xor" and other is self
        if cancels or (self.v is None and other.v is None):
            result = self._of(plain)
        else:
            v, w = rules.bitwise(op, self.raw(), other.raw(), self.undefined(), other.undefined())
            result = self._of(plain, v | w, earliest(self.origins(), v, other.origins(), w))
        tail = self.tail or other.tail
        if tail and op == "and" and all(x.tail or x.is_full() for x in (self, other)):
            result.tail = tail
        return result

    def shift(self, left: bool, amount: Lanes) -> ShadowLanes:
        amount = _shadow(amount)
        plain = super().shift(left, amount)
        if self.v is None and amount.v is None:
            return self._of(plain)
        # The undefined bits move with the others; an undefined sign bit fills what it fills.
        bits = NumpyLanes(self.undefined().view(storage(self.dtype)), self.dtype, self.count)
        by = NumpyLanes(np.atleast_1d(amount.a), amount.dtype, self.count)
        moved = np.atleast_1d(NumpyLanes.shift(bits, left, by).a).view(word(self.dtype))
        zero = (self.raw() == 0) & (self.undefined() == 0)
        v = np.where((amount.undefined() != 0) & ~zero, full(self.dtype), moved)
        return self._joined(plain, v, amount)

    def compare(self, op: Compare, other: Lanes) -> ShadowLanes:
        other = _shadow(other)
        plain = super().compare(op, other)
        if self.v is None and other.v is None:
            return self._of(plain)
        v = rules.compare(
            op, self.dtype, self.raw(), other.raw(), self.undefined(), other.undefined()
        )
        return self._joined(plain, v, other)

    def select(self, yes: Lanes, no: Lanes) -> ShadowLanes:
        yes, no = _shadow(yes), _shadow(no)
        plain = super().select(yes, no)
        if self.v is None and yes.v is None and no.v is None:
            return self._of(plain)
        chosen, open_ = np.atleast_1d(self.a), self.undefined()
        v = rules.select(chosen, open_, yes.raw(), no.raw(), yes.undefined(), no.undefined())
        sides = np.where(chosen, yes.origins(), no.origins())
        bad = np.where(chosen, yes.undefined(), no.undefined())
        return self._of(plain, v, earliest(self.origins(), open_, sides, bad))

    def masked(self, active: Lanes) -> ShadowLanes:
        """As derived; where inactive lanes are not to be relied on, they are undefined."""
        active = _shadow(active)
        if not self.book.marks or active.is_full():
            plain = super().masked(active)
            if self.v is None and active.v is None:
                return self._of(plain)
            return active.select(self, self.const(0))
        off = ~np.atleast_1d(active.a)
        plain = super().masked(active)
        row = np.atleast_1d(plain.a)
        if self.book.garbage is not None:
            noise = self.book.garbage.bytes(row.nbytes)
            row = np.where(off, np.frombuffer(noise, row.dtype), row)
        result = active.select(self, self.const(0))
        v = np.where(off, full(self.dtype), result.undefined())
        o = np.where(off, active.inactive() | np.arange(self.count), result.origins())
        return ShadowLanes(row, self.dtype, self.count, self.book, v, o)

    def inactive(self) -> int:
        """Of a mask: notes that the running instruction leaves its other lanes undefined."""
        kind, note = "inactive lane", "an inactive lane"
        if self.tail and is_prefix(self.a):
            kind = "beyond a tail"
            on = np.count_nonzero(self.a)
            note = f"beyond the tail of its mask, of which {on} lanes are active"
        site, where = self.book.site, self.book.iteration()
        return self.book.event(Origin(kind, site=site, iteration=where, note=note))

    def cast(self, dtype: DType) -> ShadowLanes:
        if dtype is self.dtype:
            return self
        plain = super().cast(dtype)
        if self.v is None:
            return self._of(plain)
        if self.dtype.is_float or dtype.is_float:
            return self._lanewise(plain)
        if dtype is I1:
            v = ((self.v != 0) & ((self.raw() & ~self.v) == 0)).astype(np.uint8)
        else:
            # Cut or extended as the number itself, an undefined sign bit too.
            source = np.dtype(bool) if self.dtype is I1 else storage(self.dtype)
            v = self.v.view(source).astype(storage(dtype)).view(word(dtype))
        return self._of(plain, v, self.o)

    def bits(self, dtype: DType) -> ShadowLanes:
        if dtype is self.dtype:
            return self
        plain = super().bits(dtype)
        if self.v is None or self.o is None:
            return self._of(plain)
        v = np.ascontiguousarray(self.v).view(word(dtype))
        if len(v) > self.count:
            return self._of(plain, v, np.repeat(self.o, len(v) // self.count))
        parts = self.v.reshape(len(v), -1) != 0
        first = parts.argmax(axis=1)
        return self._of(plain, v, self.o.reshape(parts.shape)[np.arange(len(v)), first])

    def rint(self) -> ShadowLanes:
        return self._lanewise(super().rint())

    def floor(self) -> ShadowLanes:
        return self._lanewise(super().floor())

    def root(self) -> ShadowLanes:
        return self._lanewise(super().root())

    def quotient(self, divisor: Lanes) -> ShadowLanes:
        divisor = _shadow(divisor)
        return self._lanewise(super().quotient(divisor), divisor)

    def fmod(self, divisor: Lanes) -> ShadowLanes:
        divisor = _shadow(divisor)
        return self._lanewise(super().fmod(divisor), divisor)

    def shuffle(self, order: tuple[int, ...], other: Lanes | None = None) -> ShadowLanes:
        plain = super().shuffle(order, other)
        v, o = self.undefined(), self.origins()
        if other is not None:
            other = _shadow(other)
            v = np.concatenate((v, other.undefined()))
            o = np.concatenate((o, other.origins()))
        if not v.any():
            result = self._of(plain)
        else:
            index = np.array(order)
            bits = np.where(index < 0, v.dtype.type(0), v[index])
            result = self._of(plain, bits, o[index])
        result.tail = self.tail
        return result

    def take(self, index: Lanes) -> ShadowLanes:
        index = _shadow(index)
        plain = super().take(index)
        if self.v is None and index.v is None:
            return self._of(plain)
        lanes = np.atleast_1d(index.a)
        lost = index.undefined() != 0
        v = np.where(lost, full(self.dtype), self.undefined()[lanes])
        return self._of(plain, v, np.where(lost, index.origins(), self.origins()[lanes]))

    def window(self, start: Lanes, count: int) -> ShadowLanes:
        start = _shadow(start)
        plain = super().window(start, count)
        if start.v is not None:
            lost = np.full(count, full(self.dtype), self.undefined().dtype)
            return self._of(plain, lost, np.repeat(start.origins(), count))
        if self.v is None:
            return self._of(plain)
        lanes = slice(number(start), number(start) + count)
        return self._of(plain, self.undefined()[lanes], self.origins()[lanes])

    def squeeze(self, active: Lanes) -> ShadowLanes:
        active = _shadow(active)
        plain = super().squeeze(active)
        if self.v is None and active.v is None:
            return self._of(plain)
        kept = active.active()
        v, o = np.zeros_like(self.undefined()), np.zeros_like(self.origins())
        v[: len(kept)], o[: len(kept)] = self.undefined()[kept], self.origins()[kept]
        if active.v is not None:
            # From the first lane on that may be there or not, places are undefined.
            unsure = int(np.flatnonzero(active.v)[0])
            start = int(np.count_nonzero(active.a[:unsure]))
            v[start:], o[start:] = full(self.dtype), active.origins()[unsure]
        return self._of(plain, v, o)

    def population(self) -> ShadowLanes:
        plain = super().population()
        if self.v is None:
            return self._of(plain)
        unsure = int(np.flatnonzero(self.v)[0])
        v = np.array([(1 << self.count.bit_length()) - 1], np.uint64)
        return self._of(plain, v, self.origins()[[unsure]])

    def splat(self, count: int) -> ShadowLanes:
        plain = super().splat(count)
        if self.v is None or self.o is None:
            return self._of(plain)
        return self._of(plain, np.repeat(self.v, count), np.repeat(self.o, count))

    def image(self) -> ShadowLanes:
        plain = super().image()
        group = PREDICATE_BITS // self.count
        v, o = np.zeros(PREDICATE_BITS, np.uint8), np.zeros(PREDICATE_BITS, np.int64)
        v[::group], o[::group] = self.undefined(), self.origins()
        register = self._of(plain, v, o)
        register._gated = {self.count: self}
        register.tail = self.tail
        return register

    def gate(self, count: int) -> ShadowLanes:
        if self._gated is None:
            self._gated = {}
        lanes = self._gated.get(count)
        if lanes is None:
            group = PREDICATE_BITS // count
            v, o = self.undefined()[::group], self.origins()[::group]
            lanes = ShadowLanes(self.a[::group], I1, count, self.book, v, o)
            lanes.tail = self.tail
            self._gated[count] = lanes
        return _shadow(lanes)


def is_prefix(lanes: Any) -> bool:
    """Whether no true lane follows one that is not."""
    return not lanes[np.count_nonzero(lanes) :].any()


def _shadow(lanes: Lanes) -> ShadowLanes:
    assert isinstance(lanes, ShadowLanes)
    return lanes
