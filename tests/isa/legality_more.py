"""Which element types the register instructions beyond the first list take.

Where the documents list types (conversions apart, the reduction, unary and special function
pages do), theirs; where they only say that types have to match, every type that has the
operation.
"""

from __future__ import annotations

from tests.isa.elements import FLOATS, INTS, INTS16, INTS32, INTS64, NARROW
from tests.isa.legality import ALL_INTS, EVERYTHING

_FLOAT = ("f32", "f16")
_GROUPED = (*_FLOAT, *INTS16, *INTS32)
_SIGNED = ("i8", "si8", "i16", "si16", "i32", "si32")

MANUAL: dict[str, tuple[str, ...]] = {
    "vln": _FLOAT,
    "vsqrt": _FLOAT,
    "vrsqrt": _FLOAT,
    "vrec": _FLOAT,
    "vnot": ALL_INTS,
    "vbcnt": ALL_INTS,
    "vcls": ALL_INTS,
    "vmov": EVERYTHING,
    "vcgadd": _GROUPED,
    "vcgmax": _GROUPED,
    "vcgmin": _GROUPED,
    "vcpadd": _FLOAT,
    "vcmp": FLOATS + INTS + INTS64,
    "vcmps": FLOATS + INTS + INTS64,
    "vsel": EVERYTHING,
    "vselr": EVERYTHING,
    "vselrv2": EVERYTHING,
    "vintlv": EVERYTHING,
    "vdintlv": EVERYTHING,
    "vintlvv2": EVERYTHING,
    "vdintlvv2": EVERYTHING,
    "vslide": EVERYTHING,
    "vshift": EVERYTHING,
    "vsqz": EVERYTHING,
    "vusqz": _SIGNED,
    "vperm": EVERYTHING,
    "vpack": INTS16 + INTS32,
    "vsunpack": INTS,
    "vzunpack": INTS,
    "vprelu": _FLOAT,
    "vexpdif": _FLOAT,
    "vaxpy": _FLOAT,
    "vmull": INTS32,
    "vmula": FLOATS + INTS16 + INTS32,
    "vaddrelu": _FLOAT,
    "vsubrelu": _FLOAT,
    "vbitsort": _FLOAT,
    "vsort32": _FLOAT,
    "vmrgsort4": _FLOAT,
    "vtranspose": FLOATS + ALL_INTS + ("f8e4m3", "f8e5m2", "hif8"),
}
MICRO = MANUAL | {"vnot": ALL_INTS + FLOATS}
A5_ONLY = ("vselr", "vselrv2")


def targets(name: str) -> tuple[str, ...]:
    """Where an instruction exists."""
    return ("a5",) if name in A5_ONLY else ("cpu", "a2a3", "a5")


def legal(name: str, target: str = "a5", revision: str = "manual") -> list[str]:
    """The element types of an instruction, in a fixed order."""
    types = (MICRO if revision == "micro" else MANUAL)[name]
    return [t for t in types if target == "a5" or t not in NARROW]


def cases(*names: str) -> list[tuple[str, str, str]]:
    """Every (instruction, element type, revision)."""
    return [(n, t, r) for n in names for r in ("manual", "micro") for t in legal(n, revision=r)]
