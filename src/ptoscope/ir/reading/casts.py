"""Reads `builtin.unrealized_conversion_cast`, which compilers leave between views of a value."""

from __future__ import annotations

from ptoscope.ir.module import Note
from ptoscope.ir.reading.findings import WRONG_TYPE
from ptoscope.ir.reading.reader import Reader
from ptoscope.ir.types import Placeholder, TextType
from ptoscope.isa.arith import bitcast
from ptoscope.isa.scalar import castptr
from ptoscope.isa.types import Ptr, Scalar
from ptoscope.program import Op

CAST = "builtin.unrealized_conversion_cast"


def cast(reader: Reader, name: int) -> Op:
    """Reads `%a : T to U`: of pointers the castptr, of scalars the bitcast that it stands for."""
    place = reader.i
    if reader.text[place][:1] != "%":
        raise reader.findings.expected(place, "a value")
    reader.i += 1
    reader.expect(":")
    at = reader.i
    source = reader.type()
    reader.expect("to")
    result = reader.type()
    value = reader.use(place)
    reader.agree(value, source, at)
    note = Note(0, 0, reader.i - 1, reader.i - 1, (place,))
    return reader.make(name, _meant(reader, at, source, result), [value], [result], note)


def _meant(reader: Reader, at: int, source: TextType, result: TextType) -> str:
    if _is_pointer(source) and _is_pointer(result):
        return castptr.name
    if isinstance(source, Scalar) and isinstance(result, Scalar):
        return bitcast.name
    raise reader.findings.stop(
        WRONG_TYPE,
        at,
        f"{CAST} from {source} to {result} is not supported",
        found=f"{source} to {result}",
        expected="two pointers, or two scalars of one width",
    )


def _is_pointer(type: TextType) -> bool:
    return isinstance(type, Ptr) or (isinstance(type, Placeholder) and type.kind in (Ptr, None))
