"""The types of results that operands do not decide alone."""

from __future__ import annotations

from ptoscope.isa.dtypes import DType, dtype, unsigned
from ptoscope.isa.patterns import AnyMask, Bindings, IntVec, OneOf, Pattern, PtrTo, VectorAddress
from ptoscope.isa.record import Record
from ptoscope.isa.types import Mask, Ptr, Scalar, Type, VAddr, VReg, granularity
from ptoscope.lang.calls.parameters import only


def said(pattern: Pattern, element: DType, known: Bindings) -> Type | None:
    """The type of a result with an element type that the caller says; None where it cannot be."""
    if isinstance(pattern, OneOf):
        # A pointer where there is a choice: an address as a number has no elements.
        ordered = sorted(pattern.choices, key=lambda choice: not isinstance(choice, PtrTo))
        found = (said(choice, element, known) for choice in ordered)
        return next((kind for kind in found if kind is not None), None)
    kinds: list[Type] = [VReg(element), Scalar(element)]
    if isinstance(pattern, PtrTo):
        space = known.get("S", "ub") if pattern.space == "S" else pattern.space
        kinds = [Ptr(element, str(space))]
    elif isinstance(pattern, AnyMask):
        kinds = [Mask(granularity(element.bits))]
    elif isinstance(pattern, VectorAddress):
        kinds = [VAddr(granularity(element.bits))]
    return next((kind for kind in kinds if pattern.match(kind, dict(known))), None)


def implied(record: Record, pattern: Pattern, known: Bindings) -> Type | None:
    """The type of a result that follows from the operands; None where nothing says it."""
    decided = pattern.resolve(known)
    if decided is not None:
        return decided
    element = known.get("T")
    match pattern:
        case OneOf():
            found = (implied(record, choice, known) for choice in pattern.choices)
            return next((kind for kind in found if kind is not None), None)
        case IntVec() if isinstance(element, DType):
            return VReg(_widened(element, pattern.scale * element.bits))
        case _:
            variable = getattr(pattern, "var", "")
            if not only(record, variable):
                return None
            return pattern.resolve({**known, variable: record.types[variable].manual[0]})


def _widened(element: DType, bits: int) -> DType:
    """An integer of so many bits, with the sign of the element."""
    kept = element.name.rstrip("0123456789") + str(bits)
    return dtype(kept) if element.is_int else unsigned(bits)
