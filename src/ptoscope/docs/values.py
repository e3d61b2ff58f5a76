"""What the operands of an example are: types, numbers and attribute values that are legal.

Chosen by the pattern and the name of an operand, which say what it is for, whatever the
instruction.
"""

from __future__ import annotations

from ptoscope.isa.distributions import suffix_bits
from ptoscope.isa.dtypes import UI8, UI32, DType, dtype, unsigned
from ptoscope.isa.parts import ALL_PIPES
from ptoscope.isa.patterns import (
    AnyMask,
    Bindings,
    IntVec,
    MaskBits,
    MaskFor,
    OneOf,
    Pattern,
    PtrTo,
    ScalarFor,
    ScalarIn,
    Vec,
    VecIn,
    VecOf,
    VectorAddress,
)
from ptoscope.isa.record import Attr, AttrValue, Form, Operand, Record
from ptoscope.isa.targets import Revision, Target
from ptoscope.isa.types import Mask, Scalar, Type, VAddr, VReg, granularity

VECTORS = (Vec, VecOf, VecIn, IntVec)
MASKS = (MaskFor, MaskBits, AnyMask)
SHIFT = 16
"""Bytes by which the address of an unaligned stream misses a 32-byte boundary."""

NUMBERS: dict[str, int] = {
    "active_lanes": 8,
    "amount": 2,
    "block_stride": 1,
    "control": 1 << 16,
    "dst_stride": 32,
    "len_burst": 32,
    "loop1_count": 2,
    "loop2_count": 1,
    "n_burst": 2,
    "part": 1,
    "position": 3,
    "repeat_times": 1,
    "scalar": 8,
    "src_stride": 64,
    "value": 5,
}
"""Scalar operands by name; any other is 0. A burst of 32 fits its area in bytes and in blocks."""


class NoExample(Exception):
    """No example can be written with this element type."""


def elements(record: Record, form: Form, target: Target, revision: Revision) -> list[Bindings]:
    """Legal choices of the type variables, the one to show first."""
    if record.pairs:
        pairs = [p for p in record.pairs if target.has(p[0]) and target.has(p[1])]
        pairs.sort(key=lambda p: p[0].bits != p[1].bits)
        return [{"T": t, "U": u} for t, u in pairs]
    if "T" not in record.types:
        return [{}]
    legal = list(record.types["T"].legal(target, revision))
    patterns = [o.type for o in (*form.operands, *form.results)]
    if any(isinstance(p, MASKS) for p in patterns) and not any(
        isinstance(p, VECTORS) for p in patterns
    ):
        # Memory that holds masks is shown as bytes.
        legal.sort(key=lambda d: d is not UI8)
    others = record.types["U"].legal(target, revision) if "U" in record.types else ()
    return [{"T": t, **_other(t, others)} for t in legal]


def _other(element: DType, others: tuple[DType, ...]) -> Bindings:
    """Another type of the same width, so that a conversion shows."""
    same = [d for d in others if d.bits == element.bits and d is not element]
    return {"U": (same or list(others))[0]} if others else {}


def concrete(pattern: Pattern, known: Bindings, *, result: bool = False) -> Type:
    """A type that fits; binds the variables that were still open."""
    decided = pattern.resolve(known)
    if decided is not None:
        return decided
    element = known.get("T")
    match pattern:
        case OneOf():
            # A result of several kinds is a pointer only where it can be made in UB.
            known.setdefault("S", "ub" if result else "gm")
            return concrete(pattern.choices[0], known, result=result)
        case IntVec() if isinstance(element, DType):
            width = pattern.scale * element.bits
            # Indices have no sign; what is widened keeps its own.
            kept = element.name.rstrip("0123456789") + str(width)
            return VReg(dtype(kept) if result and element.is_int else unsigned(width))
        case VecIn() | ScalarIn():
            chosen = pattern.dtypes[0]
            return VReg(chosen) if isinstance(pattern, VecIn) else Scalar(chosen)
        case AnyMask():
            bits = granularity(element.bits) if isinstance(element, DType) else 32
            known[pattern.var] = bits
            return Mask(bits)
        case VectorAddress():
            bits = granularity(element.bits) if isinstance(element, DType) else 32
            known[pattern.var] = bits
            return VAddr(bits)
        case PtrTo():
            known.setdefault(pattern.var, UI32)
            known.setdefault("S", "gm")
            found = pattern.resolve(known)
            if found is None:
                raise NoExample(f"no element of {pattern}")
            return found
        case _:
            raise NoExample(f"no type for {pattern}")


def signless(element: DType) -> DType:
    """The type a constant has: integers of the surrounding code carry no sign."""
    return dtype(element.name.lstrip("su")) if element.is_int else element


def number(operand: Operand, pattern: Pattern, element: DType | None) -> int:
    """The value of a scalar operand."""
    given = operand.example
    if given is not None:
        return given if isinstance(given, int) else given(element or UI8)
    if isinstance(pattern, ScalarFor):
        return 2
    return NUMBERS.get(operand.name, 0)


def attributes(
    record: Record, form: Form, known: Bindings, target: Target, revision: Revision
) -> dict[str, AttrValue]:
    """A legal value for each attribute that means something here."""
    element = known.get("T")
    pair = record.pairs.get((known["T"], known["U"])) if record.pairs else None  # type: ignore[index]
    chosen: dict[str, AttrValue] = {}
    for attr in form.attrs:
        if pair is not None and attr.name not in pair:
            continue
        allowed = pair[attr.name] if pair is not None else attr.values
        missing = record.absent.get(target.name, {}).get(attr.name, ())
        chosen[attr.name] = _attribute(
            attr, tuple(v for v in allowed if v not in missing), element, revision
        )
    return chosen


_PIPES: dict[str, str] = {"src": "PIPE_MTE2", "dst": "PIPE_V"}
"""The pipes of a hand-off; the first of the list would signal itself."""


_OF_ONE_CORE = {pipe.name for pipe in ALL_PIPES if len(pipe.cores) == 1}


def _attribute(
    attr: Attr, allowed: tuple[str, ...], element: object, revision: Revision
) -> AttrValue:
    if not attr.values:
        return attr.low if attr.default is None else attr.default
    if _PIPES.get(attr.name) in allowed:
        return _PIPES[attr.name]
    if attr.default in allowed and attr.default is not None:
        return attr.default
    # Pipes that both kinds of cores have come first: examples run on either.
    for value in sorted(allowed, key=lambda v: v in _OF_ONE_CORE):
        bits = suffix_bits(value) if attr.name in ("dist", "stride") else 0
        width = 8 * element.bytes if isinstance(element, DType) else 0
        if bits in (0, width) or revision == "micro":
            return value
    raise NoExample(f"no value of {attr.name} suits {element}")
