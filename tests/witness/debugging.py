"""Witness of `pto.print`: what C's printf writes, worked out from the digits of a value."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ptoscope.isa.types import Mask
from tests.isa.elements import Element
from tests.witness.inputs import mask, plain
from tests.witness.machine import Case
from tests.witness.registry import State, witness
from tests.witness.use import Use


def _inputs(use: Use) -> Iterator[Case]:
    if isinstance(use.site.operands[0], Mask):
        yield from (Case((mask(kind, 256 // use.operands[0].bytes),)) for kind in range(5))
    else:
        yield from plain(use)


def _fixed(value: Fraction) -> str:
    """`%f`: six digits, ties to even."""
    digits = str(round(abs(value) * 10**6)).rjust(7, "0")
    return f"{digits[:-6]}.{digits[-6:]}"


def _general(value: Fraction) -> str:
    """`%g`: six significant digits, no zeros at the end."""
    size, power = abs(value), 0
    while size and size >= 10 ** (power + 1):
        power += 1
    while size and size < Fraction(10) ** power:
        power -= 1
    digits = str(round(size / Fraction(10) ** (power - 5)))
    if len(digits) == 7:
        digits, power = digits[:-1], power + 1
    if -4 <= power < 0:
        return f"0.{'0' * (-1 - power)}{digits.rstrip('0')}"
    if 0 <= power < 6:
        digits = digits.ljust(6, "0")
        return f"{digits[: power + 1]}.{digits[power + 1 :]}".rstrip("0").rstrip(".")
    point = f".{digits[1:]}".rstrip("0").rstrip(".")
    return f"{digits[0]}{point}e{'-' if power < 0 else '+'}{abs(power):02d}"


def _text(format: str, e: Element, bits: int) -> str:
    if e.is_float:
        sign = "-" if bits & e.sign else ""
        if e.is_nan(bits):
            return "nan"
        if e.is_inf(bits):
            return f"{sign}inf"
        value = Fraction(e.value(bits))
        return sign + (_general if format == "%g" else _fixed)(value)
    if format == "%x":
        return f"{bits:x}"
    return str(bits if e.bits == 1 else e.number(bits))


@witness("pto.print", inputs=_inputs)
def _print(state: State) -> None:
    """Every lane by the same conversion; a mask has a digit for each of its lanes."""
    format, e = state.use.attr("format"), state.use.operands[0]
    if isinstance(state.use.site.operands[0], Mask):
        row = state.row(0)[:: e.bytes]
        state.printed.append(" ".join(map(str, row)))
        return
    value = state.values[0]
    row = value if isinstance(value, list) else [state.number(0)]
    state.printed.append(" ".join(_text(format, e, bits) for bits in row))
