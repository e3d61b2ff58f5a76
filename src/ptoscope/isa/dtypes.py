"""Element types: every one of the overview, and the scalar types of the surrounding code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ElementKind = Literal["float", "int"]

VREG_BYTES = 256


@dataclass(frozen=True, eq=False)
class DType:
    """An element type; there is one object per type, so types compare by identity.

    `storage` is the NumPy dtype that holds its bits: the type itself where NumPy has it,
    otherwise an unsigned integer of the same width. `array` is the dtype a caller's array
    has (an ml_dtypes name where NumPy lacks the type). A signless integer counts as signed
    where sign matters.
    """

    name: str
    bits: int
    kind: ElementKind
    storage: str
    array: str = ""
    signed: bool = True
    signless: bool = False

    @property
    def bytes(self) -> int:
        """Bytes of one element; a 4-bit float shares its byte with a neighbour."""
        return max(1, self.bits // 8)

    @property
    def lanes(self) -> int:
        """Elements of one vector register (a 4-bit register is seen as its 256 bytes)."""
        return VREG_BYTES // self.bytes

    @property
    def is_float(self) -> bool:
        return self.kind == "float"

    @property
    def is_int(self) -> bool:
        return self.kind == "int"

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[object, tuple[str]]:
        # One object per type, also after unpickling.
        return dtype, (self.name,)


def _int(width: int, prefix: str) -> DType:
    unsigned = prefix == "ui"
    storage = f"{'u' if unsigned else ''}int{width}"
    return DType(f"{prefix}{width}", width, "int", storage, storage, not unsigned, prefix == "i")


F32 = DType("f32", 32, "float", "float32", "float32")
F16 = DType("f16", 16, "float", "float16", "float16")
BF16 = DType("bf16", 16, "float", "uint16", "bfloat16")
F64 = DType("f64", 64, "float", "float64", "float64")
F8E4M3 = DType("f8e4m3", 8, "float", "uint8", "float8_e4m3fn")
F8E5M2 = DType("f8e5m2", 8, "float", "uint8", "float8_e5m2")
HIF8 = DType("hif8", 8, "float", "uint8", "uint8")
F4E1M2 = DType("f4e1m2", 4, "float", "uint8", "uint8")
F4E2M1 = DType("f4e2m1", 4, "float", "uint8", "float4_e2m1fn")
I1 = DType("i1", 1, "int", "bool", "bool", signed=False, signless=True)
INDEX = DType("index", 64, "int", "int64", "int64", signless=True)

I8, I16, I32, I64 = (_int(width, "i") for width in (8, 16, 32, 64))
SI8, SI16, SI32, SI64 = (_int(width, "si") for width in (8, 16, 32, 64))
UI8, UI16, UI32, UI64 = (_int(width, "ui") for width in (8, 16, 32, 64))

NARROW_FLOATS = (F8E4M3, F8E5M2, HIF8, F4E1M2, F4E2M1)
FLOATS = (F32, F16, BF16)
INTS8, INTS16, INTS32, INTS64 = (
    (I8, SI8, UI8),
    (I16, SI16, UI16),
    (I32, SI32, UI32),
    (I64, SI64, UI64),
)
INTS = INTS8 + INTS16 + INTS32
ELEMENTS = FLOATS + INTS + INTS64 + NARROW_FLOATS
"""What a vector register or a pointer may hold."""
FLOAT_ELEMENTS = FLOATS + NARROW_FLOATS
INT_ELEMENTS = INTS + INTS64
UNSIGNED = tuple(d for d in INT_ELEMENTS if not d.signed)
SIGNLESS = tuple(d for d in INT_ELEMENTS if d.signless)

SCALARS = (*FLOATS, F64, *INTS, *INTS64, I1, INDEX)

_BY_NAME = {d.name: d for d in (*ELEMENTS, F64, I1, INDEX)}
ALIASES = {
    "u8": "ui8",
    "u16": "ui16",
    "u32": "ui32",
    "u64": "ui64",
    "f8E4M3FN": "f8e4m3",
    "f8E4M3": "f8e4m3",
    "f8E5M2": "f8e5m2",
    "hifloat8_t": "hif8",
    "hifloat8": "hif8",
    "!pto.hif8": "hif8",
    "float4_e1m2": "f4e1m2",
    "float4_e1m2x2": "f4e1m2",
    "!pto.f4E1M2x2": "f4e1m2",
    "float4_e2m1": "f4e2m1",
    "float4_e2m1x2": "f4e2m1",
    "f4E2M1FN": "f4e2m1",
    "!pto.f4E2M1x2": "f4e2m1",
}
"""Other spellings of the same types, always accepted and never printed."""


def dtype(name: str) -> DType:
    """The type of that name or alias; KeyError otherwise."""
    return _BY_NAME[ALIASES.get(name, name)]


def widened(element: DType) -> DType:
    """The type a sum of this type has: 8- and 16-bit integers double their width."""
    if element.is_int and element.bits < 32:
        return dtype(element.name.replace(str(element.bits), str(2 * element.bits)))
    return element


def unsigned(width: int) -> DType:
    """The unsigned integer of a width."""
    return _BY_NAME[f"ui{width}"]


def signed(width: int) -> DType:
    """The signed integer of a width."""
    return _BY_NAME[f"si{width}"]
