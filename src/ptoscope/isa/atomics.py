"""Atomic stores: what a copy to GM makes of what is there.

Two fields of the control register say so: an element type, or none, which is a plain store, and
an operation. A copy takes along at issue what it finds there, as one number, its mode: the type,
and above it the operation; 0 is a plain store.
"""

from __future__ import annotations

from ptoscope.isa.core import Core
from ptoscope.isa.dtypes import BF16, F16, F32, I64, SI8, SI16, SI32, DType
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.record import Site

TYPE, OPERATION = "CTRL[8:6]", "CTRL[10:9]"
"""The fields, each a special register of its own."""
TYPE_AT, OPERATION_AT = 6, 9
"""Their lowest bits in the control register."""
TYPES: dict[int, DType] = {1: F32, 2: F16, 3: SI16, 4: SI32, 5: SI8, 6: BF16}
OPERATIONS = ("add", "max", "min")
MODES = 32
"""Numbers below it are modes."""
_TYPES = 8


def suffix(dtype: DType) -> str:
    """A type as the names of instructions have it: `s32`."""
    return dtype.name if dtype.is_float else f"s{dtype.bits}"


def read_field(core: Core, site: Site, name: str) -> Lanes:
    """What a field holds; 0 at launch."""
    return core.read_register(site, name, I64, 0)


def mode(core: Core, site: Site) -> Lanes:
    """The mode that a copy to GM takes along."""
    kind, operation = read_field(core, site, TYPE), read_field(core, site, OPERATION)
    return kind.ne(0).select(kind + operation * _TYPES, kind)


def mode_of(dtype: DType, operation: str) -> int:
    """The mode of updates of a type by an operation."""
    number = next(number for number, known in TYPES.items() if known is dtype)
    return number + OPERATIONS.index(operation) * _TYPES


def element(mode: int) -> DType:
    """The type of what a mode updates."""
    return TYPES[mode % _TYPES]


def orders(mode: int) -> bool:
    """Whether updates of a mode compare, so that the sign of a type counts."""
    return OPERATIONS[mode // _TYPES] != "add"


def commutes(mode: int) -> bool:
    """Whether the bits that updates of a mode leave do not depend on their order: sums of floats
    are rounded, and of equal zeros, or NaNs, one is kept."""
    return mode == 0 or element(mode).is_int


def updated(mode: int, old: Lanes, new: Lanes) -> Lanes:
    """What is there after an update, of what was there and what is stored."""
    match OPERATIONS[mode // _TYPES]:
        case "add":
            return old + new
        case "max":
            return new.maximum(old)
        case _:
            return new.minimum(old)


def title(mode: int) -> str:
    """A mode for people: `atomic add of f32`."""
    return f"atomic {OPERATIONS[mode // _TYPES]} of {suffix(element(mode))}"
