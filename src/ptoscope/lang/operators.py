"""What Python's operators mean on vectors and masks: one instruction each."""

from __future__ import annotations

from functools import partial
from typing import Any

from ptoscope.lang import instructions
from ptoscope.lang.calls.names import BY_NAME
from ptoscope.lang.scalars import ScalarValue
from ptoscope.lang.values import OPERATORS, MaskValue, Misuse, Vector, described

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
_ALONE = {"neg": "vneg", "abs": "vabs", "~": "vnot"}
_TESTS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}


def _is_scalar(value: Any) -> bool:
    return isinstance(value, (ScalarValue, int, float))


def of_vectors(sign: str, lhs: Any, rhs: Any) -> Any:
    """A vector with a vector or a scalar."""
    both, scalar, commutes = _VECTORS[sign]
    if isinstance(lhs, Vector) and isinstance(rhs, Vector):
        return instructions.call(BY_NAME[both], lhs, rhs)
    if isinstance(lhs, Vector) and _is_scalar(rhs) and scalar:
        return instructions.call(BY_NAME[scalar], lhs, rhs)
    if isinstance(rhs, Vector) and _is_scalar(lhs) and scalar and commutes:
        return instructions.call(BY_NAME[scalar], rhs, lhs)
    if _is_scalar(lhs) or _is_scalar(rhs):
        scalar_side, dtype = (rhs, lhs.dtype) if _is_scalar(rhs) else (lhs, rhs.dtype)
        number = "..." if isinstance(scalar_side, ScalarValue) else repr(scalar_side)
        raise Misuse(
            f"no instruction is {described(lhs)} {sign} {described(rhs)}",
            hint=f"make a vector of the scalar: pto.vbr({number}, dtype=pto.{dtype})",
        )
    return NotImplemented


def compared(sign: str, lhs: Vector[Any], rhs: Any) -> Any:
    """A comparison of vectors, or of a vector with a scalar: a mask."""
    if isinstance(rhs, Vector):
        return instructions.call(BY_NAME["vcmp"], lhs, rhs, mode=_TESTS[sign])
    if _is_scalar(rhs):
        return instructions.call(BY_NAME["vcmps"], lhs, rhs, mode=_TESTS[sign])
    return NotImplemented


def of_masks(sign: str, lhs: MaskValue, rhs: Any) -> Any:
    """Two masks."""
    if not isinstance(rhs, MaskValue) or sign not in _MASKS:
        return NotImplemented
    return instructions.call(BY_NAME[_MASKS[sign]], lhs, rhs)


def _of_two(sign: str, lhs: Any, rhs: Any) -> Any:
    return (of_masks if isinstance(lhs, MaskValue) else of_vectors)(sign, lhs, rhs)


def _of_one(sign: str, value: Vector[Any] | MaskValue) -> Any:
    name = "pnot" if isinstance(value, MaskValue) else _ALONE[sign]
    return instructions.call(BY_NAME[name], value)


OPERATORS.update({sign: partial(_of_two, sign) for sign in _VECTORS})
OPERATORS.update({sign: partial(compared, sign) for sign in _TESTS})
OPERATORS.update({sign: partial(_of_one, sign) for sign in _ALONE})
