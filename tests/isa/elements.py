"""Element types as the tests see them: written here, not read from the product."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

INTS8 = ("i8", "si8", "ui8")
INTS16 = ("i16", "si16", "ui16")
INTS32 = ("i32", "si32", "ui32")
INTS64 = ("i64", "si64", "ui64")
INTS = INTS8 + INTS16 + INTS32
FLOATS = ("f32", "f16", "bf16")
NARROW = ("f8e4m3", "f8e5m2", "hif8", "f4e1m2", "f4e2m1")

_PRECISION = {"f16": 11, "bf16": 8, "f32": 24, "f64": 53}
_MIN_EXPONENT = {"f16": -14, "bf16": -126, "f32": -126, "f64": -1022}
_UNPACK = {"f16": ("<H", "<e"), "f32": ("<I", "<f"), "f64": ("<Q", "<d")}


@dataclass(frozen=True)
class Element:
    """An element type by name, with its values as raw bits."""

    name: str

    @property
    def is_float(self) -> bool:
        return self.name in _PRECISION

    @cached_property
    def bits(self) -> int:
        if self.name in NARROW:
            return 8
        return int("".join(c for c in self.name if c.isdigit()))

    @cached_property
    def bytes(self) -> int:
        return self.bits // 8

    @property
    def lanes(self) -> int:
        return 256 // self.bytes

    @property
    def granularity(self) -> int:
        """Bits per lane of the mask: there is no b64."""
        return min(32, self.bits)

    @property
    def signed(self) -> bool:
        """A signless integer counts as signed."""
        return not self.name.startswith("ui")

    @cached_property
    def full(self) -> int:
        """All bits set."""
        return (1 << self.bits) - 1

    @cached_property
    def sign(self) -> int:
        """The sign bit."""
        return 1 << (self.bits - 1)

    @property
    def storage(self) -> str:
        """The NumPy dtype a caller's array has; bf16 and narrower travel as raw bits."""
        if self.name in ("f16", "f32", "f64"):
            return f"float{self.bits}"
        if self.is_float or self.name in NARROW:
            return f"uint{self.bits}"
        return f"{'' if self.signed else 'u'}int{self.bits}"

    @property
    def raw(self) -> str:
        return f"uint{self.bits}"

    # Integers.

    def number(self, raw: int) -> int:
        """The integer that raw bits stand for."""
        return raw - (1 << self.bits) if self.signed and raw & self.sign else raw

    def wrap(self, value: int) -> int:
        """The low bits of an exact result."""
        return value & self.full

    # Floats.

    @cached_property
    def precision(self) -> int:
        return _PRECISION[self.name]

    @cached_property
    def infinity(self) -> int:
        """The bits of +infinity."""
        return (self.sign - 1) >> (self.precision - 1) << (self.precision - 1)

    @cached_property
    def nan(self) -> int:
        """The canonical quiet NaN: 0x7e00, 0x7fc0, 0x7fc00000."""
        return self.infinity | (1 << (self.precision - 2))

    def is_nan(self, raw: int) -> bool:
        return raw & (self.sign - 1) > self.infinity

    def is_inf(self, raw: int) -> bool:
        return raw & (self.sign - 1) == self.infinity

    def value(self, raw: int) -> float:
        """The number that raw bits stand for; every type here fits a Python float."""
        if self.name == "bf16":
            return struct.unpack("<f", struct.pack("<I", raw << 16))[0]
        as_bits, as_float = _UNPACK[self.name]
        return struct.unpack(as_float, struct.pack(as_bits, raw))[0]

    def round(self, exact: Fraction, negative_zero: bool = False) -> int:
        """An exact number rounded once to nearest, ties to even."""
        if exact == 0:
            return self.sign if negative_zero else 0
        over, under = abs(exact.numerator), exact.denominator
        exponent = over.bit_length() - under.bit_length()
        if over << max(-exponent, 0) < under << max(exponent, 0):
            exponent -= 1
        exponent = max(exponent, _MIN_EXPONENT[self.name])
        # The last place. A subnormal has no hidden bit, and a mantissa that overflows carries
        # into the exponent by itself.
        last = exponent - (self.precision - 1)
        under <<= max(last, 0)
        mantissa, rest = divmod(over << max(-last, 0), under)
        mantissa += 2 * rest > under or (2 * rest == under and mantissa % 2)
        biased = exponent - _MIN_EXPONENT[self.name]
        raw = min((biased << (self.precision - 1)) + mantissa, self.infinity)
        return raw | (self.sign if exact < 0 else 0)
