"""What a kernel handles: vectors, masks, pointers and states. Scalars are in `scalars`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from ptoscope.isa.dtypes import DType
from ptoscope.isa.types import Align, Mask, Ptr, Type, VAddr, VReg
from ptoscope.lang.contents import contents
from ptoscope.lang.maker import ChosenUse, current, running

T = TypeVar("T")


class Misuse(Exception):
    """A value is used as it cannot be; becomes an error at the line of the kernel."""

    def __init__(self, message: str, found: str = "", expected: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.message, self.found, self.expected, self.hint = message, found, expected, hint


class KernelValue:
    """A value of a kernel: its type, and the handle by which its maker knows it."""

    type: Any
    """A type of the table: subclasses say which kind."""
    handle: Any

    def __init__(self, type: Type, handle: Any) -> None:
        self.type, self.handle = type, handle

    # NumPy's operators leave a value to its own.
    __array_ufunc__ = None

    def contents(self) -> Any:
        """What it holds, as NumPy has it; None where that is not known, as when the kernel is
        compiled."""
        return contents(self.type, self.handle)

    def numpy(self) -> Any:
        """What it holds in a plain run, as an array of NumPy."""
        found = self.contents()
        if found is None:
            raise TypeError(f"what {described(self)} holds is known in a plain run only")
        return np.asarray(found)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self.numpy(), dtype)

    def __repr__(self) -> str:
        found = self.contents()
        return f"<{self.type}>" if found is None else repr(found)

    def __str__(self) -> str:
        found = self.contents()
        return f"<{self.type}>" if found is None else str(found)

    def __format__(self, spec: str) -> str:
        return str(self)

    def __bool__(self) -> bool:
        raise Misuse(
            f"{described(self)} is neither true nor false",
            found=str(self.type),
            expected="a comparison of scalars, or a number that is known when it is compiled",
        )


OPERATORS: dict[str, Callable[..., Any]] = {}
"""What operators make of vectors and masks, which `operators` says: each is an instruction."""


class Vector(KernelValue, Generic[T]):
    """A vector register. `+ - * /` with a vector or a scalar, `< <= > >= == !=`, `-`, `abs` and,
    for integers, `& | ^ ~ << >>` are one instruction each, on all lanes."""

    type: VReg

    @property
    def dtype(self) -> DType:
        """The type of its elements."""
        return self.type.dtype

    def __hash__(self) -> int:
        return id(self)

    def __add__(self, other: Any) -> Any:
        return OPERATORS["+"](self, other)

    def __radd__(self, other: Any) -> Any:
        return OPERATORS["+"](other, self)

    def __sub__(self, other: Any) -> Any:
        return OPERATORS["-"](self, other)

    def __rsub__(self, other: Any) -> Any:
        return OPERATORS["-"](other, self)

    def __mul__(self, other: Any) -> Any:
        return OPERATORS["*"](self, other)

    def __rmul__(self, other: Any) -> Any:
        return OPERATORS["*"](other, self)

    def __truediv__(self, other: Any) -> Any:
        return OPERATORS["/"](self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return OPERATORS["/"](other, self)

    def __and__(self, other: Any) -> Any:
        return OPERATORS["&"](self, other)

    def __rand__(self, other: Any) -> Any:
        return OPERATORS["&"](other, self)

    def __or__(self, other: Any) -> Any:
        return OPERATORS["|"](self, other)

    def __ror__(self, other: Any) -> Any:
        return OPERATORS["|"](other, self)

    def __xor__(self, other: Any) -> Any:
        return OPERATORS["^"](self, other)

    def __rxor__(self, other: Any) -> Any:
        return OPERATORS["^"](other, self)

    def __lshift__(self, other: Any) -> Any:
        return OPERATORS["<<"](self, other)

    def __rlshift__(self, other: Any) -> Any:
        return OPERATORS["<<"](other, self)

    def __rshift__(self, other: Any) -> Any:
        return OPERATORS[">>"](self, other)

    def __rrshift__(self, other: Any) -> Any:
        return OPERATORS[">>"](other, self)

    def __lt__(self, other: Any) -> Any:
        return OPERATORS["<"](self, other)

    def __le__(self, other: Any) -> Any:
        return OPERATORS["<="](self, other)

    def __gt__(self, other: Any) -> Any:
        return OPERATORS[">"](self, other)

    def __ge__(self, other: Any) -> Any:
        return OPERATORS[">="](self, other)

    def __eq__(self, other: Any) -> Any:
        return OPERATORS["=="](self, other)

    def __ne__(self, other: Any) -> Any:
        return OPERATORS["!="](self, other)

    def __neg__(self) -> Any:
        return OPERATORS["neg"](self)

    def __abs__(self) -> Any:
        return OPERATORS["abs"](self)

    def __invert__(self) -> Any:
        return OPERATORS["~"](self)


class MaskValue(KernelValue):
    """A mask. `& | ^ ~` are one instruction each."""

    type: Mask

    def __and__(self, other: Any) -> Any:
        return OPERATORS["&"](self, other)

    def __or__(self, other: Any) -> Any:
        return OPERATORS["|"](self, other)

    def __xor__(self, other: Any) -> Any:
        return OPERATORS["^"](self, other)

    def __invert__(self) -> Any:
        return OPERATORS["~"](self)


class AlignValue(KernelValue):
    """The state of an unaligned stream."""

    type: Align


class AddressValue(KernelValue):
    """A vector address."""

    type: VAddr


class PointerValue(KernelValue, Generic[T]):
    """A pointer to elements in GM or UB."""

    type: Ptr

    @property
    def dtype(self) -> DType:
        """The type of what it points to."""
        return self.type.dtype

    def contents(self) -> Any:
        return self.elements(None)

    def elements(self, count: int | None) -> Any:
        """So many elements from there on, or all that are there, as NumPy has them; None where
        that is not known."""
        maker = running()
        return None if maker is None else maker.elements(self.type, self.handle, count)


SCALAR_CLASSES: dict[DType, Any] = {}
"""The class of each scalar type, which `scalars` defines."""


def described(value: object) -> str:
    """What a value is, for messages."""
    match value:
        case Vector():
            return f"a vector of {value.dtype}"
        case MaskValue():
            return "a mask"
        case PointerValue():
            return f"a pointer to {value.dtype} in {value.type.space}"
        case KernelValue():
            return f"a value of type {value.type}"
        case _:
            return f"{type(value).__name__} {value!r}"


def wrapped(kind: Type, handle: Any) -> KernelValue:
    """The value of a type that a handle stands for."""
    match kind:
        case VReg():
            return Vector(kind, handle)
        case Mask():
            return MaskValue(kind, handle)
        case Ptr():
            return PointerValue(kind, handle)
        case Align():
            return AlignValue(kind, handle)
        case VAddr():
            return AddressValue(kind, handle)
        case _:
            return SCALAR_CLASSES[kind.dtype].of(handle)


def made(use: ChosenUse, operands: Sequence[KernelValue]) -> tuple[KernelValue, ...]:
    """The results of an instruction, made now."""
    handles = current().make(use, operands)
    return tuple(wrapped(kind, handle) for kind, handle in zip(use.results, handles, strict=True))
