"""What Python's operators mean on vectors and masks: one instruction each."""

from __future__ import annotations

from typing import Any

from ptoscope.lang import instructions
from ptoscope.lang.scalars import ScalarValue
from ptoscope.lang.values import MaskValue, Misuse, Vector, described

_VECTORS = {
    "+": ("vadd", "vadds", True),
    "-": ("vsub", "vsubs", False),
    "*": ("vmul", "vmuls", True),
    "/": ("vdiv", "", False),
    "&": ("vand", "vands", True),
    "|": ("vor", "vors", True),
    "^": ("vxor", "vxors", True),
    "<<": ("vshl", "vshls", False),
    ">>": ("vshr", "vshrs", False),
}
"""The instruction of two vectors, that of a vector and a scalar, and whether they commute."""
_MASKS = {"&": "pand", "|": "por", "^": "pxor"}
_TESTS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


def _is_scalar(value: Any) -> bool:
    return isinstance(value, (ScalarValue, int, float))


def vector(sign: str, lhs: Any, rhs: Any) -> Any:
    """A vector with a vector or a scalar."""
    both, scalar, commutes = _VECTORS[sign]
    if isinstance(lhs, Vector) and isinstance(rhs, Vector):
        return instructions.function(both)(lhs, rhs)
    if isinstance(lhs, Vector) and _is_scalar(rhs) and scalar:
        return instructions.function(scalar)(lhs, rhs)
    if isinstance(rhs, Vector) and _is_scalar(lhs) and scalar and commutes:
        return instructions.function(scalar)(rhs, lhs)
    if _is_scalar(lhs) or _is_scalar(rhs):
        scalar_side, dtype = (rhs, lhs.dtype) if _is_scalar(rhs) else (lhs, rhs.dtype)
        number = "..." if isinstance(scalar_side, ScalarValue) else repr(scalar_side)
        raise Misuse(
            f"no instruction is {described(lhs)} {sign} {described(rhs)}",
            hint=f"make a vector of the scalar: pto.vbr({number}, dtype=pto.{dtype})",
        )
    return NotImplemented


def test(sign: str, lhs: Vector[Any], rhs: Any) -> Any:
    """A comparison of vectors, or of a vector with a scalar: a mask."""
    if isinstance(rhs, Vector):
        return instructions.function("vcmp")(lhs, rhs, mode=_TESTS[sign])
    if _is_scalar(rhs):
        return instructions.function("vcmps")(lhs, rhs, mode=_TESTS[sign])
    return NotImplemented


def masks(sign: str, lhs: Any, rhs: Any) -> Any:
    """Two masks."""
    if not isinstance(rhs, MaskValue):
        return NotImplemented
    return instructions.function(_MASKS[sign])(lhs, rhs)


def _install() -> None:
    """Gives the classes their operators."""
    names = {
        "+": "add",
        "-": "sub",
        "*": "mul",
        "/": "truediv",
        "&": "and",
        "|": "or",
        "^": "xor",
        "<<": "lshift",
        ">>": "rshift",
    }
    for sign, name in names.items():
        setattr(Vector, f"__{name}__", lambda a, b, sign=sign: vector(sign, a, b))
        setattr(Vector, f"__r{name}__", lambda a, b, sign=sign: vector(sign, b, a))
    for sign, name in _TESTS.items():
        setattr(Vector, f"__{name}__", lambda a, b, sign=sign: test(sign, a, b))
    for sign in _MASKS:
        setattr(MaskValue, f"__{names[sign]}__", lambda a, b, sign=sign: masks(sign, a, b))
    for cls, opposite in ((Vector, "vnot"), (MaskValue, "pnot")):
        cls.__invert__ = lambda a, name=opposite: instructions.function(name)(a)
    Vector.__neg__ = lambda a: instructions.function("vneg")(a)
    Vector.__abs__ = lambda a: instructions.function("vabs")(a)
    Vector.__hash__ = lambda a: id(a)


_install()
