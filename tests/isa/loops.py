"""The documents' loops, one lane at a time, on raw bits.

`result = LOOPS[name](element, a, b)` for two operands, `UNARY[name](element, a)` for one. Of
vmax and vmin the later pages say over the loop what a NaN gives.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.isa import ieee
from tests.isa.elements import Element

Lane = Callable[[Element, int, int], int]


def _add(e: Element, a: int, b: int) -> int:
    return ieee.add(e, a, b) if e.is_float else e.wrap(a + b)


def _sub(e: Element, a: int, b: int) -> int:
    return ieee.sub(e, a, b) if e.is_float else e.wrap(a - b)


def _mul(e: Element, a: int, b: int) -> int:
    return ieee.mul(e, a, b) if e.is_float else e.wrap(a * b)


def _div(e: Element, a: int, b: int) -> int:
    """Integers are cut toward zero; by zero they give 0."""
    if e.is_float:
        return ieee.div(e, a, b)
    x, y = e.number(a), e.number(b)
    if y == 0:
        return 0
    return e.wrap(abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1))


def greater(e: Element, a: int, b: int) -> bool:
    """a > b as C compares: false on NaN, signless integers signed."""
    return e.value(a) > e.value(b) if e.is_float else e.number(a) > e.number(b)


def _nan(e: Element, a: int, b: int) -> bool:
    return e.is_float and (e.is_nan(a) or e.is_nan(b))


def _max(e: Element, a: int, b: int) -> int:
    return e.nan if _nan(e, a, b) else a if greater(e, a, b) else b


def _min(e: Element, a: int, b: int) -> int:
    return e.nan if _nan(e, a, b) else a if greater(e, b, a) else b


def _shl(e: Element, a: int, b: int) -> int:
    """The amount is read as unsigned; from the width on, everything is shifted out."""
    return e.wrap(a << b) if b < e.bits else 0


def _shr(e: Element, a: int, b: int) -> int:
    """Arithmetic for signed and signless, logical for unsigned."""
    return e.wrap(e.number(a) >> min(b, e.bits))


def _lrelu(e: Element, a: int, b: int) -> int:
    return a if e.value(a) >= 0 else ieee.mul(e, b, a)


LOOPS: dict[str, Lane] = {
    "vadd": _add,
    "vsub": _sub,
    "vmul": _mul,
    "vdiv": _div,
    "vmax": _max,
    "vmin": _min,
    "vand": lambda e, a, b: a & b,
    "vor": lambda e, a, b: a | b,
    "vxor": lambda e, a, b: a ^ b,
    "vshl": _shl,
    "vshr": _shr,
}
BINARY = tuple(LOOPS)
SCALAR = (*(f"{n}s" for n in BINARY if n != "vdiv"), "vlrelu")
LOOPS |= {f"{n}s": LOOPS[n] for n in BINARY if n != "vdiv"}
LOOPS["vlrelu"] = _lrelu


def _abs(e: Element, a: int) -> int:
    if e.is_float:
        return a & ~e.sign
    return e.wrap(-e.number(a)) if e.number(a) < 0 else a


def _neg(e: Element, a: int) -> int:
    return a ^ e.sign if e.is_float else e.wrap(-a)


def _relu(e: Element, a: int) -> int:
    positive = e.value(a) > 0 if e.is_float else e.number(a) > 0
    return a if positive else 0


UNARY: dict[str, Callable[[Element, int], int]] = {"vabs": _abs, "vneg": _neg, "vrelu": _relu}
