"""Numbers of the text: which fit a scalar type, what they are in it, how they are written."""

from __future__ import annotations

import math
import struct

from ptoscope.isa.dtypes import BF16, F16, F32, I1, DType

_FLOATS = {F16.name: "<e", F32.name: "<f", "f64": "<d"}


def integer_range(dtype: DType) -> tuple[int, int]:
    """The least and the greatest number that may be written for a type: a signless one takes
    those of both signs."""
    bits = dtype.bits
    low = -(1 << (bits - 1)) if dtype.signless or dtype.signed else 0
    signed = dtype.signed and not dtype.signless
    return low, (1 << (bits - signed)) - 1


def normalized(value: int, dtype: DType) -> int:
    """A signless number as the signed one with its bits, a truth value as 0 or 1."""
    if not dtype.signless:
        return value
    if dtype is I1:
        return value & 1
    value &= (1 << dtype.bits) - 1
    return value - (1 << dtype.bits) if value >> (dtype.bits - 1) else value


def constant_value(value: int | float, dtype: DType) -> int | float | bool:
    """The number as a constant of the type has it."""
    if dtype.is_float:
        return float_of(float_bits(value, dtype), dtype)
    number = normalized(int(value), dtype)
    return bool(number) if dtype is I1 else number


def float_bits(value: float, dtype: DType) -> int:
    """The bits of a number rounded to a float type; OverflowError where it is too large for
    any but bf16, which rounds to infinity."""
    if dtype is BF16:
        return _bf16_bits(value)
    return int.from_bytes(struct.pack(_FLOATS[dtype.name], value), "little")


def float_of(bits: int, dtype: DType) -> float:
    """The number that bits of a float type stand for."""
    if dtype is BF16:
        bits, dtype = bits << 16, F32
    return struct.unpack(_FLOATS[dtype.name], bits.to_bytes(dtype.bytes, "little"))[0]


def _bf16_bits(value: float) -> int:
    if math.isfinite(value):
        # Eight significant bits, but none below those of the smallest normal number.
        unit = max(math.frexp(value)[1] - 8, -133)
        steps = round(math.ldexp(abs(value), -unit))
        value = math.copysign(math.ldexp(steps, unit), value)
    try:
        bits = int.from_bytes(struct.pack("<f", value), "little") >> 16
    except OverflowError:
        bits = 0xFF80 if value < 0 else 0x7F80
    return bits | 0x40 if math.isnan(value) else bits


def float_text(value: float, dtype: DType) -> str:
    """The shortest decimal that reads back as the same bits; bits where there is none."""
    bits = float_bits(value, dtype)

    def same(text: str) -> bool:
        try:
            return float_bits(float(text), dtype) == bits
        except OverflowError:
            return False

    for digits in range(1, 18):
        text = f"{value:.{digits}e}"
        if not text[-1].isdigit():
            break
        if same(text):
            mantissa, _, exponent = text.partition("e")
            plain = f"{value:.{max(1, digits - int(exponent))}f}"
            if -4 <= int(exponent) <= 8 and same(plain):
                return _trimmed(plain)
            return f"{_trimmed(mantissa)}e{int(exponent):+03d}"
    return f"0x{bits:0{dtype.bits // 4}X}"


def _trimmed(text: str) -> str:
    whole, _, part = text.partition(".")
    return f"{whole}.{part.rstrip('0') or '0'}"


def constant_text(value: int | float | bool, dtype: DType) -> str:
    """How a constant is written, with its type."""
    if dtype.is_float:
        return f"{float_text(float(value), dtype)} : {dtype}"
    number = constant_value(value, dtype)
    return str(number).lower() if isinstance(number, bool) else f"{number} : {dtype}"
