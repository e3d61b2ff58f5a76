"""The types of the text: xDSL attributes for those of the product, and their spelling.

Every type exists once per process, so the reader compares with `is`.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    FunctionType,
    IndexType,
    IntegerType,
    Signedness,
)
from xdsl.ir import Attribute, Data, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.mlir_lexer import MLIRTokenKind

from ptoscope.diagnostics import nearest
from ptoscope.isa.dtypes import ALIASES, ELEMENTS, SCALARS, DType, dtype
from ptoscope.isa.types import SPACES, Align, Mask, Ptr, Scalar, Type, VReg

OTHER_SPACES = ("l1", "l0a", "l0b", "l0c", "bt", "fb", "cbuf", "ca", "cb", "cc")


@dataclass(frozen=True)
class Hole:
    """A placeholder: a mask or a pointer whose parameters the uses decide."""

    kind: str

    def __str__(self) -> str:
        return "!pto.mask<G>" if self.kind == "mask" else "!pto.ptr"


class BadType(Exception):
    """A text that is no type of the product."""

    def __init__(self, message: str, found: str, expected: str, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.found, self.expected, self.hint = message, found, expected, hint


class _PtoType(Data[Type | Hole], TypeAttribute):
    """Base of the dialect's types: each wraps the product's own description of the type."""

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Type | Hole:
        body = ""
        if parser._current_token.kind == MLIRTokenKind.LESS:  # pyright: ignore[reportPrivateUsage]
            body = f"<{parser._parse_dialect_symbol_body()}>"  # pyright: ignore[reportPrivateUsage]
        try:
            return _described(f"!{cls.name}{body}")
        except BadType as error:
            parser.raise_error(error.message)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(str(self.data)[len(self.name) + 1 :])


@irdl_attr_definition
class VRegType(_PtoType):
    name = "pto.vreg"


@irdl_attr_definition
class MaskType(_PtoType):
    name = "pto.mask"


@irdl_attr_definition
class PtrType(_PtoType):
    name = "pto.ptr"


@irdl_attr_definition
class AlignType(_PtoType):
    name = "pto.align"


@irdl_attr_definition
class PoisonType(_PtoType):
    """The type of a value whose definition is in error: it fits everywhere."""

    name = "pto.poison"


VECTOR_TYPES = (VRegType, MaskType, AlignType)
"""Of values that live in a vecscope."""
PTO_TYPES: list[type[Attribute]] = [VRegType, MaskType, PtrType, AlignType]


def _builtin(scalar: DType) -> Attribute:
    floats = {"f32": Float32Type, "f16": Float16Type, "bf16": BFloat16Type, "f64": Float64Type}
    if scalar.name in floats:
        return floats[scalar.name]()
    if scalar.name == "index":
        return IndexType()
    if scalar.signless:
        return IntegerType(scalar.bits)
    return IntegerType(scalar.bits, Signedness.SIGNED if scalar.signed else Signedness.UNSIGNED)


_SCALARS = {d.name: _builtin(d) for d in SCALARS}
_DESCRIPTION: dict[Attribute, Type] = {_SCALARS[d.name]: Scalar(d) for d in SCALARS}
_ATTRIBUTE: dict[Type | Hole, Attribute] = {t: a for a, t in _DESCRIPTION.items()}
_BY_TEXT: dict[str, Attribute] = {
    **_SCALARS,
    **{alias: _SCALARS[name] for alias, name in ALIASES.items() if name in _SCALARS},
}

MASK_HOLE = MaskType(Hole("mask"))
PTR_HOLE = PtrType(Hole("ptr"))
POISON = PoisonType(Hole("poison"))
_ATTRIBUTE[MASK_HOLE.data] = MASK_HOLE
_ATTRIBUTE[PTR_HOLE.data] = PTR_HOLE

I1 = _SCALARS["i1"]
INDEX = _SCALARS["index"]


def is_hole(attr: Attribute) -> bool:
    """Whether a type is a placeholder."""
    return attr is MASK_HOLE or attr is PTR_HOLE


def compatible(one: Attribute, other: Attribute) -> bool:
    """Whether two types may turn out to be the same."""
    if one is other or one is POISON or other is POISON:
        return True
    return type(one) is type(other) and (is_hole(one) or is_hole(other))


def attribute(type: Type | Hole) -> Attribute:
    """The one xDSL attribute of a type."""
    found = _ATTRIBUTE.get(type)
    if found is None:
        match type:
            case VReg():
                found = VRegType(type)
            case Mask():
                found = MaskType(type)
            case Ptr():
                found = PtrType(type)
            case Align():
                found = AlignType(type)
            case _:
                raise BadType(f"'{type}' is not a type of kernels", str(type), "a kernel type")
        _ATTRIBUTE[type] = found
    return found


def description(attr: Attribute) -> Type | None:
    """The product's type of an xDSL attribute; None for placeholders and foreign types."""
    if isinstance(attr, _PtoType):
        return None if isinstance(attr.data, Hole) else attr.data
    return _DESCRIPTION.get(attr)


def intern(attr: Attribute) -> Attribute:
    """The one attribute equal to `attr`; BadType if it is no type of the product."""
    if isinstance(attr, _PtoType):
        return attribute(attr.data)
    if attr in _DESCRIPTION:
        return attribute(_DESCRIPTION[attr])
    raise BadType(f"type '{attr}' is not supported", str(attr), _KNOWN)


def spelling(attr: Attribute) -> str:
    """How a type is written."""
    if isinstance(attr, _PtoType):
        return str(attr.data)
    if isinstance(attr, FunctionType):
        ends = (", ".join(spelling(t) for t in side) for side in (attr.inputs, attr.outputs))
        return "({}) -> ({})".format(*ends)
    return str(attr)


def read(text: str) -> Attribute:
    """The type written as `text` (one word, or `!pto...`); BadType if it is none."""
    found = _BY_TEXT.get(text)
    if found is None:
        found = _BY_TEXT[text] = attribute(_described(text))
    return found


_KNOWN = "!pto.vreg, !pto.mask, !pto.ptr, !pto.align, index, an integer or a float type"
_NAMES = ("!pto.vreg", "!pto.mask", "!pto.ptr", "!pto.align")


def _described(text: str) -> Type | Hole:
    head, bracket, rest = text.partition("<")
    body = rest.rstrip()[:-1].strip() if bracket else ""
    match head:
        case "!pto.vreg":
            return _vreg(text, body)
        case "!pto.mask":
            return _mask(text, body)
        case "!pto.ptr" | "":
            return _ptr(text, body) if bracket else Hole("ptr")
        case "!pto.align" if not bracket:
            return Align()
    hint = nearest(head, _NAMES) if head.startswith("!") else nearest(head, _SCALARS)
    raise BadType(f"'{text}' is not a type of kernels", text, _KNOWN, hint)


def _element(text: str, name: str) -> DType:
    try:
        found = dtype(name)
    except KeyError:
        names = ", ".join(d.name for d in ELEMENTS)
        hint = nearest(name, [d.name for d in ELEMENTS])
        raise BadType(f"unknown element type '{name}' in {text}", name, names, hint) from None
    if found not in ELEMENTS:
        names = ", ".join(d.name for d in ELEMENTS)
        raise BadType(f"'{name}' is not an element type", name, names)
    return found


def _vreg(text: str, body: str) -> Type:
    if "," in body:
        name, _, count = (part.strip() for part in body.partition(","))
    else:
        count, x, name = (part.strip() for part in body.partition("x"))
        if not x:
            raise BadType(f"'{text}' is not a vector register", text, "!pto.vreg<64xf32>")
    element = _element(text, name)
    # A count of many digits would not convert, and can only be wrong.
    if not (count.isascii() and count.isdigit()) or len(count) > 4 or int(count) != element.lanes:
        right = f"!pto.vreg<{element.lanes}x{element}>"
        raise BadType(
            f"a vector register holds {element.lanes} lanes of {element} (256 bytes)",
            text,
            right,
            f"write {right}",
        )
    return VReg(element)


def _mask(text: str, body: str) -> Type | Hole:
    if body in ("b8", "b16", "b32"):
        return Mask(int(body[1:]))
    if len(body) == 1 and "A" <= body <= "Z":
        return Hole("mask")
    raise BadType(f"'{text}' is not a mask", text, "!pto.mask<b8>, !pto.mask<b16>, !pto.mask<b32>")


def _ptr(text: str, body: str) -> Type:
    name, comma, space = (part.strip() for part in body.partition(","))
    element = _element(text, name)
    if not comma:
        hint = f"write !pto.ptr<{element}, gm> or !pto.ptr<{element}, ub>"
        raise BadType(f"'{text}' names no memory space", text, "gm or ub", hint)
    for known in SPACES:
        if space == known:
            return Ptr(element, known)
    if space in OTHER_SPACES:
        hint = "memory of the matrix unit is not modelled"
        raise BadType(f"memory space '{space}' is not supported", space, "gm or ub", hint)
    raise BadType(f"unknown memory space '{space}'", space, "gm or ub", nearest(space, SPACES))
