"""What a kernel says of itself: `pto.print`, with the rules of its format, and `pto.trap`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ptoscope.isa.core import Core
from ptoscope.isa.dtypes import BF16, F32, FLOATS, I1, INT_ELEMENTS, SCALARS, DType
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.patterns import AnyMask, OneOf, ScalarVar, Vec
from ptoscope.isa.record import Attr, Constraint, Evidence, Form, Operand, Record, Run, Site, Types
from ptoscope.isa.types import Mask, Scalar, Type, VReg

GROUP = "debugging"
TRAPPED = "PTO0918"

_CONVERSION = re.compile(r"%(?:%|([-+ #0]*)(\d*)(\.\d*)?(?:hh|ll|[hlLjzt])?([a-zA-Z]?))")
_INTEGERS, _FLOATS = "diouxXc", "eEfFgG"
_MOST_DIGITS = 200
"""The width or precision that a format may ask for at most."""


def text(format: str, dtype: DType, values: Sequence[int | float]) -> str:
    """The text of values of a type: what C's printf makes of the format, with the conversion
    done for every value, with blanks between them."""
    shown = format or ("%f" if dtype.is_float else "%d")

    def converted(match: re.Match[str]) -> str:
        flags, width, precision, kind = match.groups()
        if not kind:
            return "%"
        one = f"%{flags}{width}{precision or ''}{'d' if kind in 'iu' else kind}"
        return " ".join(one % _argument(kind, dtype, value) for value in values)

    return _CONVERSION.sub(converted, shown)


def _argument(kind: str, dtype: DType, value: int | float) -> int | float | str:
    if kind in _FLOATS:
        return value
    number = int(value)
    if kind == "c":
        return chr(number & 0xFF)
    return number if kind in "di" else number % (1 << max(8, dtype.bits))


def wrong_format(format: str, dtype: DType) -> str:
    """What is wrong with a format for values of a type; empty where nothing is."""
    found = [match for match in _CONVERSION.finditer(format) if match[0] != "%%"]
    for match in found:
        _, width, precision, kind = match.groups()
        if not kind or kind not in _INTEGERS + _FLOATS:
            return f"'{match[0]}' in the format"
        if kind not in (_FLOATS if dtype.is_float else _INTEGERS):
            return f"'{match[0]}' for {dtype}"
        if max(int(width or 0), int((precision or "")[1:] or 0)) > _MOST_DIGITS:
            return f"'{match[0]}': more than {_MOST_DIGITS} characters"
    return f"{len(found)} conversions" if len(found) > 1 else ""


def _shown(type: Type) -> DType:
    """The element type of what is printed."""
    if isinstance(type, Mask):
        return I1
    assert isinstance(type, (VReg, Scalar))
    return type.dtype


def _print(site: Site) -> Run:
    type = site.operands[0]

    def run(core: Core, value: Lanes) -> None:
        if isinstance(type, Mask):
            value = value.gate(type.lanes)
        core.print(site, value.cast(F32) if value.dtype is BF16 else value)

    return run


pto_print = Record(
    "pto.print",
    GROUP,
    "Prints a value, every lane of a vector or mask, as its format says.",
    (
        Form(
            (
                Operand(
                    "value",
                    OneOf((ScalarVar(SCALARS, "U"), Vec(), AnyMask())),
                    "what is printed",
                ),
            ),
            attrs=(
                Attr(
                    "format",
                    ("%f", "%d", "%x", "%g", ""),
                    doc="as for C's printf, with one conversion at most",
                    is_open=True,
                ),
            ),
            syntax='"format", value : value',
            in_destination_form=True,
        ),
    ),
    _print,
    {"U": Types(SCALARS), "T": Types((*FLOATS, *INT_ELEMENTS))},
    pipe="PIPE_S",
    where="anywhere",
    shows=True,
    constraints=(
        Constraint(
            "the format has at most one conversion, and it fits the type of the value",
            lambda site: wrong_format(str(site.attrs["format"]), _shown(site.operands[0])),
            hint="%d, %u, %x, %o or %c for integers and masks, %f, %e or %g for floats; "
            "%% is a percent sign",
        ),
    ),
    evidence=(
        Evidence("text", "micro", "What printf(format, value) writes; an empty format is %f."),
        Evidence("an empty format with an integer", "chosen", "%d: %f would misread its bits."),
        Evidence(
            "vectors and masks",
            "chosen",
            "Every lane by the same conversion: the compiler takes scalars alone, and what "
            "people want to see are vectors.",
        ),
        Evidence("cycles", "chosen", "None: who looks at a kernel changes nothing about it."),
    ),
    formula="printf(format, value)",
    cpp="cce::printf(format, value)",
)


def _trap(site: Site) -> Run:
    def run(core: Core) -> None:
        core.refuse(site, core.constant(I1, 1, 1), TRAPPED, "the kernel stops itself here")

    return run


trap = Record(
    "pto.trap",
    GROUP,
    "Stops the kernel: a fault at this line.",
    (Form(syntax="none"),),
    _trap,
    pipe="PIPE_S",
    where="anywhere",
    pure=False,
    stops=True,
    evidence=(Evidence("effect", "micro", "Ends the launch; nothing after it happens."),),
    formula="stop",
    cpp="trap()",
)

RECORDS = (pto_print, trap)
