"""Types and attributes of the `pto` dialect, and which type of a program each one is."""

from __future__ import annotations

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    Signedness,
)
from xdsl.ir import Attribute, Data, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.mlir_lexer import MLIRTokenKind

from ptoscope.ir import types
from ptoscope.isa.dtypes import SCALARS, DType
from ptoscope.isa.types import Align, Mask, Ptr, Scalar, Type, VAddr, VReg


class _PtoType(Data[Type], TypeAttribute):
    """Base of the dialect's types: each holds the type of the program, and is written like it."""

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Type:
        body = ""
        if parser._current_token.kind == MLIRTokenKind.LESS:  # pyright: ignore[reportPrivateUsage]
            body = f"<{parser._parse_dialect_symbol_body()}>"  # pyright: ignore[reportPrivateUsage]
        text = f"!{cls.name}{body}"
        found = None
        try:
            found = types.known(types.read(text))
        except types.BadType as error:
            parser.raise_error(error.message)
        return found or parser.raise_error(f"{text} leaves open what it is")

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
class VAddrType(_PtoType):
    name = "pto.vaddr"


class _WordAttr(Data[str]):
    """An attribute with one word, or none at all: `#pto.pipe`, `#pto.pipe<PIPE_V>`."""

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> str:
        if parser.parse_optional_punctuation("<") is None:
            return ""
        word = parser.parse_identifier()
        parser.parse_punctuation(">")
        return word

    def print_parameter(self, printer: Printer) -> None:
        if self.data:
            printer.print_string(f"<{self.data}>")


@irdl_attr_definition
class PipeAttr(_WordAttr):
    name = "pto.pipe"


@irdl_attr_definition
class KernelKindAttr(_WordAttr):
    name = "pto.kernel_kind"


ATTRIBUTES: list[type[Attribute]] = [
    VRegType,
    MaskType,
    PtrType,
    AlignType,
    VAddrType,
    PipeAttr,
    KernelKindAttr,
]


def _builtin(scalar: DType) -> Attribute:
    floats = {"f32": Float32Type, "f16": Float16Type, "bf16": BFloat16Type, "f64": Float64Type}
    if scalar.name in floats:
        return floats[scalar.name]()
    if scalar.name == "index":
        return IndexType()
    if scalar.signless:
        return IntegerType(scalar.bits)
    return IntegerType(scalar.bits, Signedness.SIGNED if scalar.signed else Signedness.UNSIGNED)


_SCALARS: dict[DType, Attribute] = {d: _builtin(d) for d in SCALARS}
_TYPES: dict[Attribute, Type] = {attr: Scalar(d) for d, attr in _SCALARS.items()}


def to_attribute(type: Type) -> Attribute:
    """A type of a program as xDSL has it."""
    match type:
        case Scalar():
            return _SCALARS[type.dtype]
        case VReg():
            return VRegType(type)
        case Mask():
            return MaskType(type)
        case Ptr():
            return PtrType(type)
        case Align():
            return AlignType(type)
        case VAddr():
            return VAddrType(type)


def to_type(attr: Attribute) -> Type | None:
    """The type of a program that an attribute is; None for one that programs do not have."""
    return attr.data if isinstance(attr, _PtoType) else _TYPES.get(attr)
