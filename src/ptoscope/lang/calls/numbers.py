"""What scalar type a number or a scalar becomes as an operand."""

from __future__ import annotations

from ptoscope.isa.dtypes import F32, I1, INDEX, DType, dtype
from ptoscope.isa.patterns import Bindings, OneOf, Pattern, ScalarFor, ScalarIn, ScalarVar
from ptoscope.isa.types import Scalar


def scalar_type(pattern: Pattern, known: Bindings) -> DType | None:
    """The type of the scalar that the bindings decide, or the one to write by default."""
    if isinstance(pattern, OneOf):
        found = (scalar_type(choice, known) for choice in pattern.choices)
        return next((kind for kind in found if kind is not None), None)
    decided = pattern.resolve(known)
    if isinstance(decided, Scalar):
        return decided.dtype
    return pattern.dtypes[0] if isinstance(pattern, ScalarIn) else None


def number_type(pattern: Pattern, known: Bindings, number: type) -> DType | None:
    """The type of the scalar that a number of Python becomes; None where nothing says it."""
    if isinstance(pattern, OneOf):
        found = (number_type(choice, known, number) for choice in pattern.choices)
        return next((kind for kind in found if kind is not None), None)
    decided = pattern.resolve(known)
    if isinstance(decided, Scalar):
        return decided.dtype
    match pattern:
        case ScalarIn():
            return _among(pattern.dtypes, number)
        case ScalarVar():
            default = F32 if number is float else INDEX
            return default if default in pattern.dtypes else _among(pattern.dtypes, number)
        case ScalarFor():
            return F32 if number is float else None
        case _:
            return None


def _among(dtypes: tuple[DType, ...], number: type) -> DType | None:
    """Of several types the first of the number's kind; a whole number where floats come first
    takes the widest."""
    if number is bool and I1 in dtypes:
        return I1
    if number is float:
        return next((d for d in dtypes if d.is_float), None)
    if dtypes[0].is_int:
        return dtypes[0]
    whole = [d for d in dtypes if d.is_int]
    return max(whole, key=lambda d: d.bits) if whole else dtypes[0]


def as_written(kind: DType) -> DType:
    """Scalars around instructions carry no sign."""
    return dtype(kind.name.lstrip("su")) if kind.is_int else kind


def goes(source: DType, to: DType) -> bool:
    """Whether a whole number is converted without being asked to: to and from an index, and to
    a wider one."""
    if not (source.is_int and to.is_int) or I1 in (source, to):
        return False
    return INDEX in (source, to) or source.bits < to.bits
