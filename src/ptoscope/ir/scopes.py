"""Reads the two vector scopes."""

from __future__ import annotations

from xdsl.ir import Region, SSAValue

from ptoscope.ir import types
from ptoscope.ir.bodies import check_block
from ptoscope.ir.dialect import Instruction
from ptoscope.ir.errors import SYNTAX, WRONG_OPERANDS, WRONG_TYPE
from ptoscope.ir.module import Note, name_of
from ptoscope.ir.reader import Reader


def scope(reader: Reader, name: int) -> Instruction:
    """Reads `pto.vecscope { ... }`."""
    _only_spelling(reader, name)
    head = reader.i
    region = reader.body()
    return _scope(reader, name, head, (), region)


def strict_scope(reader: Reader, name: int) -> Instruction:
    """Reads `pto.strict_vecscope(%a, ...) { ^bb0(%x: T, ...): ... } : (T, ...) -> ()`."""
    _only_spelling(reader, name)
    reader.expect("(")
    places = reader.value_list(")")
    values = [reader.use(place) for place in places]
    head = reader.i
    region = reader.body(isolated=True, labelled=True)
    if reader.accept(":"):
        at = reader.i
        listed = reader.type_list()
        if reader.accept("->"):
            reader.expect("(")
            reader.expect(")")
        if len(listed) != len(values):
            message = f"strict_vecscope passes {len(values)} values but lists {len(listed)} types"
            raise reader.findings.stop(
                WRONG_OPERANDS, at, message, found=str(len(listed)), expected=str(len(values))
            )
        for value, type in zip(values, listed, strict=True):
            reader.agree(value, type, at)
    elif places:
        raise reader.findings.expected(reader.i, "':' and the types of the arguments")
    return _scope(reader, name, head, tuple(places), region)


def _only_spelling(reader: Reader, name: int) -> None:
    if reader.text[reader.i] in ("ins", "outs"):
        message = f"{reader.text[name]} has a body and is written in one way only"
        raise reader.findings.stop(
            SYNTAX,
            reader.i,
            message,
            found=reader.text[reader.i],
            expected="(%a, ...) {" if "strict" in reader.text[name] else "{",
        )


def _scope(
    reader: Reader, name: int, head: int, places: tuple[int, ...], region: Region
) -> Instruction:
    word = reader.text[name].strip('"')
    values = [reader.use(place) for place in places]
    check_scope(reader, name, values, region)
    op = reader.language.classes[word].create(operands=values, regions=[region])
    assert isinstance(op, Instruction)
    reader.notes[op] = Note(0, 0, head, reader.i - 1, places)
    return op


def check_scope(reader: Reader, name: int, values: list[SSAValue], region: Region) -> None:
    """The arguments of a scope's body must be the values passed to it."""
    check_block(reader, region, None)
    arguments = region.block.args
    if len(arguments) != len(values):
        message = f"{len(values)} values are passed, but the body takes {len(arguments)}"
        raise reader.findings.stop(
            WRONG_OPERANDS, name, message, found=str(len(arguments)), expected=str(len(values))
        )
    for value, argument in zip(values, arguments, strict=True):
        own, inner = value.type, argument.type
        if types.compatible(own, inner):
            continue
        reader.findings.at(
            WRONG_TYPE,
            reader.where.get(f"%{name_of(argument)}", name),
            f"the value passed is {types.spelling(own)}, not {types.spelling(inner)}",
            found=types.spelling(inner),
            expected=types.spelling(own),
        )
