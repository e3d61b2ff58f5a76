"""Type patterns: what an operand or result may be, with variables shared by one instruction.

A pattern answers four questions: does a type fit (and what does it tell about the
variables), which type follows once the variables are known, how to say what was expected,
and how to write it in a syntax line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ptoscope.isa.dtypes import INDEX, DType, signed
from ptoscope.isa.types import Align, Mask, Ptr, Scalar, Type, VAddr, VReg, granularity

Bindings = dict[str, DType | int | str]
"""Variables of one use of an instruction: `T` to an element type, `G` to mask bits,
`S` to a memory space."""


class Pattern:
    """Base of all type patterns."""

    def match(self, type: Type, known: Bindings) -> bool:
        """Whether `type` fits; binds the variables it decides."""
        raise NotImplementedError

    def resolve(self, known: Bindings) -> Type | None:
        """The type that follows from the bindings, or None if they do not decide it."""
        raise NotImplementedError

    def __str__(self) -> str:
        raise NotImplementedError

    def expected(self, known: Bindings) -> str:
        """What to print as expected."""
        decided = self.resolve(known)
        return str(decided) if decided is not None else str(self)


def _bind(known: Bindings, name: str, value: DType | int | str) -> bool:
    return known.setdefault(name, value) == value


def _dtype(known: Bindings, name: str) -> DType | None:
    value = known.get(name)
    return value if isinstance(value, DType) else None


@dataclass(frozen=True)
class Vec(Pattern):
    """A vector register of the element type `var`."""

    var: str = "T"

    def match(self, type: Type, known: Bindings) -> bool:
        return isinstance(type, VReg) and _bind(known, self.var, type.dtype)

    def resolve(self, known: Bindings) -> Type | None:
        dtype = _dtype(known, self.var)
        return VReg(dtype) if dtype else None

    def __str__(self) -> str:
        return f"!pto.vreg<Nx{self.var}>"


@dataclass(frozen=True)
class Counts(Vec):
    """A vector register of the element type `var`, or of signed integers as wide."""

    def match(self, type: Type, known: Bindings) -> bool:
        dtype = _dtype(known, self.var)
        if dtype is not None and isinstance(type, VReg) and dtype.is_int and type.dtype.is_int:
            return type.dtype in (dtype, signed(dtype.bits))
        return super().match(type, known)


@dataclass(frozen=True)
class Extended(Vec):
    """A vector register of the element type `var`, or of integers some times as wide, into
    which integers of that type are extended."""

    times: tuple[int, ...] = ()

    def match(self, type: Type, known: Bindings) -> bool:
        dtype = _dtype(known, self.var)
        if dtype is not None and isinstance(type, VReg) and dtype.is_int and type.dtype.is_int:
            wider = type.dtype.bits in [n * dtype.bits for n in self.times]
            return wider or super().match(type, known)
        return super().match(type, known)


@dataclass(frozen=True)
class VecOf(Pattern):
    """A vector register whose element type follows from that of `var`, `or_same` as that."""

    var: str
    rule: Callable[[DType], DType]
    text: str
    or_same: bool = False

    def match(self, type: Type, known: Bindings) -> bool:
        expected = self.resolve(known)
        if self.or_same and isinstance(type, VReg) and type.dtype is _dtype(known, self.var):
            return True
        return isinstance(type, VReg) and (expected is None or type == expected)

    def resolve(self, known: Bindings) -> Type | None:
        dtype = _dtype(known, self.var)
        return VReg(self.rule(dtype)) if dtype else None

    def __str__(self) -> str:
        return f"!pto.vreg of {self.text}"


@dataclass(frozen=True)
class IntVec(Pattern):
    """A vector register of integers `scale` times as wide as `var`, of any signedness; a pair
    of 4-bit floats counts as its byte."""

    var: str = "T"
    scale: int = 1

    def match(self, type: Type, known: Bindings) -> bool:
        dtype = _dtype(known, self.var)
        if not isinstance(type, VReg) or not type.dtype.is_int:
            return False
        return dtype is None or type.dtype.bits == self.scale * 8 * dtype.bytes

    def resolve(self, known: Bindings) -> Type | None:
        return None

    def expected(self, known: Bindings) -> str:
        dtype = _dtype(known, self.var)
        return f"a vector of {self.scale * 8 * dtype.bytes}-bit integers" if dtype else str(self)

    def __str__(self) -> str:
        return "!pto.vreg<NxI>" if self.scale == 1 else "!pto.vreg<MxI>"


@dataclass(frozen=True)
class VecIn(Pattern):
    """A vector register of one of the given element types."""

    dtypes: tuple[DType, ...]

    def match(self, type: Type, known: Bindings) -> bool:
        return isinstance(type, VReg) and type.dtype in self.dtypes

    def resolve(self, known: Bindings) -> Type | None:
        return VReg(self.dtypes[0]) if len(self.dtypes) == 1 else None

    def __str__(self) -> str:
        return " or ".join(str(VReg(d)) for d in self.dtypes)


@dataclass(frozen=True)
class MaskFor(Pattern):
    """A mask as wide as the lanes of the element type `var`."""

    var: str = "T"

    def match(self, type: Type, known: Bindings) -> bool:
        dtype = _dtype(known, self.var)
        return isinstance(type, Mask) and (dtype is None or type.bits == granularity(dtype.bits))

    def resolve(self, known: Bindings) -> Type | None:
        dtype = _dtype(known, self.var)
        return Mask(granularity(dtype.bits)) if dtype else None

    def __str__(self) -> str:
        return "!pto.mask<G>"


@dataclass(frozen=True)
class MaskBits(Pattern):
    """A mask of one fixed granularity."""

    bits: int

    def match(self, type: Type, known: Bindings) -> bool:
        return type == Mask(self.bits)

    def resolve(self, known: Bindings) -> Type | None:
        return Mask(self.bits)

    def __str__(self) -> str:
        return str(Mask(self.bits))


@dataclass(frozen=True)
class AnyMask(Pattern):
    """A mask of any granularity, the same wherever `var` stands."""

    var: str = "G"

    def match(self, type: Type, known: Bindings) -> bool:
        return isinstance(type, Mask) and _bind(known, self.var, type.bits)

    def resolve(self, known: Bindings) -> Type | None:
        bits = known.get(self.var)
        return Mask(bits) if isinstance(bits, int) else None

    def __str__(self) -> str:
        return f"!pto.mask<{self.var}>"


@dataclass(frozen=True)
class PtrTo(Pattern):
    """A pointer to elements of `var`, in one space or, with space "S", in any or one of the
    `spaces`; `only` lists the elements where not all of the variable are taken."""

    var: str = "T"
    space: str = "ub"
    only: tuple[DType, ...] = ()
    spaces: tuple[str, ...] = ()

    def match(self, type: Type, known: Bindings) -> bool:
        if not isinstance(type, Ptr):
            return False
        if self.only and type.dtype not in self.only:
            return False
        if self.spaces and type.space not in self.spaces:
            return False
        fits = type.space == self.space or (self.space == "S" and _bind(known, "S", type.space))
        return fits and _bind(known, self.var, type.dtype)

    def resolve(self, known: Bindings) -> Type | None:
        dtype = _dtype(known, self.var)
        if self.only and dtype not in self.only:
            return None
        space = known.get("S") if self.space == "S" else self.space
        return Ptr(dtype, space) if dtype is not None and isinstance(space, str) else None

    def __str__(self) -> str:
        space = " or ".join(self.spaces) or "space" if self.space == "S" else self.space
        return f"!pto.ptr<{self.var}, {space}>"


@dataclass(frozen=True)
class ScalarFor(Pattern):
    """A scalar of the element type `var`; a signless one serves a signed or unsigned vector."""

    var: str = "T"

    def match(self, type: Type, known: Bindings) -> bool:
        if not isinstance(type, Scalar):
            return False
        dtype = _dtype(known, self.var)
        if dtype is None:
            return _bind(known, self.var, type.dtype)
        same_width = type.dtype.is_int and dtype.is_int and type.dtype.bits == dtype.bits
        return type.dtype == dtype or (
            same_width and type.dtype.signless and type.dtype is not INDEX
        )

    def resolve(self, known: Bindings) -> Type | None:
        dtype = _dtype(known, self.var)
        return Scalar(dtype) if dtype else None

    def __str__(self) -> str:
        return self.var


@dataclass(frozen=True)
class ScalarAsWide(Pattern):
    """A scalar of the width of the element type `var`, whose bits are taken as they are."""

    var: str = "T"

    def match(self, type: Type, known: Bindings) -> bool:
        dtype = _dtype(known, self.var)
        return (
            isinstance(type, Scalar)
            and type.dtype is not INDEX
            and (dtype is None or type.dtype.bits == dtype.bits)
        )

    def resolve(self, known: Bindings) -> Type | None:
        dtype = _dtype(known, self.var)
        return Scalar(dtype) if dtype else None

    def __str__(self) -> str:
        return f"a scalar as wide as {self.var}"


@dataclass(frozen=True)
class ScalarIn(Pattern):
    """A scalar of one of the given types; the first is the one to write by default."""

    dtypes: tuple[DType, ...]

    def match(self, type: Type, known: Bindings) -> bool:
        return isinstance(type, Scalar) and type.dtype in self.dtypes

    def resolve(self, known: Bindings) -> Type | None:
        return Scalar(self.dtypes[0]) if len(self.dtypes) == 1 else None

    def __str__(self) -> str:
        return " or ".join(str(d) for d in self.dtypes)


@dataclass(frozen=True)
class ScalarVar(Pattern):
    """A scalar of one of the given types, the same wherever `var` stands."""

    dtypes: tuple[DType, ...]
    var: str = "T"

    def match(self, type: Type, known: Bindings) -> bool:
        return (
            isinstance(type, Scalar)
            and type.dtype in self.dtypes
            and _bind(known, self.var, type.dtype)
        )

    def resolve(self, known: Bindings) -> Type | None:
        dtype = _dtype(known, self.var)
        return Scalar(dtype) if dtype else None

    def __str__(self) -> str:
        return " or ".join(str(d) for d in self.dtypes)


@dataclass(frozen=True)
class AlignState(Pattern):
    """The state of an unaligned stream."""

    def match(self, type: Type, known: Bindings) -> bool:
        return isinstance(type, Align)

    def resolve(self, known: Bindings) -> Type | None:
        return Align()

    def __str__(self) -> str:
        return "!pto.align"


@dataclass(frozen=True)
class VectorAddress(Pattern):
    """A vector address, of the same granularity wherever `var` stands."""

    var: str = "A"

    def match(self, type: Type, known: Bindings) -> bool:
        return isinstance(type, VAddr) and _bind(known, self.var, type.bits)

    def resolve(self, known: Bindings) -> Type | None:
        bits = known.get(self.var)
        return VAddr(bits) if isinstance(bits, int) else None

    def __str__(self) -> str:
        return "!pto.vaddr<b8, b16 or b32>"


@dataclass(frozen=True)
class OneOf(Pattern):
    """Any of several patterns."""

    choices: tuple[Pattern, ...]

    def match(self, type: Type, known: Bindings) -> bool:
        return any(p.match(type, known) for p in self.choices)

    def resolve(self, known: Bindings) -> Type | None:
        return None

    def __str__(self) -> str:
        return " or ".join(str(p) for p in self.choices)


@dataclass(frozen=True)
class AnyType(Pattern):
    """Any type at all (arguments of a strict_vecscope)."""

    def match(self, type: Type, known: Bindings) -> bool:
        return True

    def resolve(self, known: Bindings) -> Type | None:
        return None

    def __str__(self) -> str:
        return "any type"
