"""Reads the two vector scopes, and sections."""

from __future__ import annotations

from ptoscope.ir import types
from ptoscope.ir.module import Note
from ptoscope.ir.reading.bodies import check_block, listed_types
from ptoscope.ir.reading.findings import SYNTAX, WRONG_OPERANDS, WRONG_TYPE
from ptoscope.ir.reading.reader import Body, Reader
from ptoscope.program import Op


def scope(reader: Reader, name: int) -> Op:
    """Reads `pto.vecscope { ... }`."""
    _only_spelling(reader, name)
    head = reader.i
    body = reader.body()
    return make_scope(reader, name, (), head, body)


def section(reader: Reader, name: int) -> Op:
    """Reads `pto.section.vector { ... }`, or of another kind of core."""
    _only_spelling(reader, name)
    head = reader.i
    return make_section(reader, name, head, reader.body())


def make_section(reader: Reader, name: int, head: int, body: Body) -> Op:
    """Makes the section."""
    check_block(reader, body, "")
    note = Note(0, 0, head, reader.i - 1, braces=(body.braces,))
    word = reader.text[name].strip('"')
    return reader.make(name, word, (), (), note, blocks=(body.block,))


def strict_scope(reader: Reader, name: int) -> Op:
    """Reads `pto.strict_vecscope(%a, ...) { ^bb0(%x: T, ...): ... } : (T, ...) -> ()`."""
    _only_spelling(reader, name)
    reader.expect("(")
    places = reader.value_list(")")
    values = [reader.use(place) for place in places]
    head = reader.i
    body = reader.body(isolated=True, labelled=True)
    if reader.accept(":"):
        message = "strict_vecscope passes {0} values but lists {1} types"
        listed_types(reader, values, message)
        if reader.accept("->"):
            reader.expect("(")
            reader.expect(")")
    elif places:
        raise reader.findings.expected(reader.i, "':' and the types of the arguments")
    return make_scope(reader, name, tuple(places), head, body)


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


def make_scope(reader: Reader, name: int, places: tuple[int, ...], head: int, body: Body) -> Op:
    """Makes the scope. The arguments of its body must be the values passed to it."""
    check_block(reader, body, "")
    values = [reader.use(place) for place in places]
    arguments = body.block.args
    if len(arguments) != len(values):
        message = f"{len(values)} values are passed, but the body takes {len(arguments)}"
        raise reader.findings.stop(
            WRONG_OPERANDS, name, message, found=str(len(arguments)), expected=str(len(values))
        )
    for value, argument in zip(values, arguments, strict=True):
        own, inner = reader.type_of(value), reader.type_of(argument)
        if types.compatible(own, inner):
            continue
        reader.findings.at(
            WRONG_TYPE,
            reader.where.get(reader.shown(argument), name),
            f"the value passed is {own}, not {inner}",
            found=str(inner),
            expected=str(own),
        )
    word = reader.text[name].strip('"')
    note = Note(0, 0, head, reader.i - 1, places, braces=(body.braces,))
    return reader.make(name, word, values, (), note, blocks=(body.block,))
