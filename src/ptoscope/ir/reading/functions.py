"""Reads files, modules and functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from ptoscope.ir.attributes import Attribute
from ptoscope.ir.module import BodyItem, Enclosing, Note
from ptoscope.ir.reading.attributes import dictionary
from ptoscope.ir.reading.bodies import check_block, check_values, terminator
from ptoscope.ir.reading.calls import check_calls
from ptoscope.ir.reading.findings import STRUCTURE
from ptoscope.ir.reading.names import ReadValues
from ptoscope.ir.reading.reader import Body, Reader
from ptoscope.ir.types import TextType
from ptoscope.isa.types import Type
from ptoscope.program import Function, Op

KERNEL_MARKS = ("pto.aicore", "pto.kernel", "pto.entry")


def file(reader: Reader) -> tuple[list[Function], Enclosing | None]:
    """Reads a whole file: its functions, and the module operation around them, if any."""
    items: list[BodyItem] = []
    while True:
        items += reader.operations()[0]
        if reader.text[reader.i] == "":
            break
        reader.findings.expected(reader.i, "an operation")
        reader.i += 1
    modules = [item for item in items if isinstance(item, Enclosing)]
    if modules and len(items) > 1:
        other = next(item for item in items if item is not modules[0])
        message = "nothing may stand beside the module"
        at = other.note.name if isinstance(other, Enclosing) else reader.notes[other].name
        reader.findings.at(STRUCTURE, at, message, found=reader.text[at])
    outer = modules[0] if modules else None
    inside = list(_within(items))
    _check_functions(reader, inside)
    reader.bodies.append((reader.slots, [item for item in inside if isinstance(item, Op)]))
    found = [item for item in inside if isinstance(item, Function)]
    check_calls(reader, found)
    return found, outer


def _within(items: Sequence[BodyItem]) -> Iterator[Op | Function]:
    """All that stands in a file, whatever the modules around it."""
    for item in items:
        if isinstance(item, Enclosing):
            yield from _within(item.items)
        else:
            yield item


def check_module_place(reader: Reader, name: int) -> None:
    """A module stands in a file or in another module."""
    if reader.in_function:
        message = "a module cannot stand inside a function"
        raise reader.findings.stop(STRUCTURE, name, message, found=reader.text[name])


def module(reader: Reader, name: int) -> Enclosing:
    """Reads `module @name attributes {...} { ... }`."""
    check_module_place(reader, name)
    symbol = ""
    if reader.text[reader.i][:1] == "@":
        symbol = reader.text[reader.i][1:].strip('"')
        reader.i += 1
    attributes = _attributes(reader)
    head = reader.i
    body = reader.body()
    return make_module(reader, symbol, attributes, head, body)


def make_module(
    reader: Reader, symbol: str, attributes: Mapping[str, Attribute], head: int, body: Body
) -> Enclosing:
    """Makes the module operation."""
    note = Note(0, 0, head, reader.i - 1, braces=(body.braces,), attributes=attributes)
    return Enclosing(symbol, body.items, note)


def function(reader: Reader, name: int) -> Function:
    """Reads `func.func @name(%a: T, ...) -> (...) attributes {...} { ... }`."""
    if reader.in_function:
        message = "a function cannot stand inside another"
        raise reader.findings.stop(STRUCTURE, name, message, found=reader.text[name])
    visibility = ""
    if reader.text[reader.i] in ("private", "public", "nested"):
        visibility = reader.text[reader.i]
        reader.i += 1
    symbol = reader.text[reader.i]
    if symbol[:1] != "@" or len(symbol) < 2:
        raise reader.findings.expected(reader.i, "the function's @name")
    reader.i += 1
    reader.expect("(")
    arguments = _parameters(reader)
    outputs = reader.type_list() if reader.accept("->") else []
    attributes = _attributes(reader)
    head = reader.i
    if reader.text[head] != "{":
        if reader.text[head] in ("}", "", "func.func"):
            message = "a function needs a body"
            raise reader.findings.stop(STRUCTURE, name, message, found=symbol, expected="'{'")
        raise reader.findings.expected(head, "'{'")
    reader.ended.clear()
    outer, reader.slots = reader.slots, ReadValues()
    reader.in_function = True
    try:
        body = reader.body(arguments, isolated=True)
        symbol = symbol[1:].strip('"')
        return make_function(reader, name, symbol, visibility, outputs, attributes, head, body)
    finally:
        reader.in_function = False
        reader.slots = outer


def make_function(
    reader: Reader,
    name: int,
    symbol: str,
    visibility: str,
    outputs: Sequence[TextType],
    attributes: Mapping[str, Attribute],
    head: int,
    body: Body,
) -> Function:
    """Makes the function, which ends in a return of its result types."""
    check_block(reader, body, "func.return")
    end = body.block.end
    if end is not None and end.name == "func.return":
        check_values(reader, end, outputs, "the function")
    elif not body.broken:
        # Of a broken body, the return itself may be what could not be read.
        message = f"function @{symbol} does not end in return"
        reader.findings.at(STRUCTURE, body.braces[1], message, found="}", expected="return")
    made = Function(
        symbol,
        body.block.args,
        body.block,
        # Of a file without errors none is a placeholder in the end.
        cast("list[Type]", reader.slots.types),
        reader.slots.names,
        any(mark in attributes for mark in KERNEL_MARKS),
        reader.tokens.span(name),
    )
    note = Note(0, 0, head, reader.i - 1, braces=(body.braces,), attributes=attributes)
    reader.notes[made] = note
    reader.bodies.append((reader.slots, body.block.ops))
    if visibility:
        reader.visibility[symbol] = visibility
    return made


def _parameters(reader: Reader) -> list[tuple[int, TextType]]:
    arguments: list[tuple[int, TextType]] = []
    while not reader.accept(")"):
        place = reader.i
        if reader.text[place][:1] != "%":
            raise reader.findings.expected(place, "a parameter '%name: type'")
        reader.i += 1
        reader.expect(":")
        arguments.append((place, reader.type()))
        reader.location()
        if reader.text[reader.i] == "{":
            message = "attributes of parameters are not supported"
            raise reader.findings.stop(STRUCTURE, reader.i, message, found="{")
        if reader.text[reader.i] != ")" and not reader.accept(","):
            raise reader.findings.expected(reader.i, "',' or ')'")
    return arguments


def _attributes(reader: Reader) -> dict[str, Attribute]:
    if not reader.accept("attributes"):
        return {}
    if reader.text[reader.i] != "{":
        raise reader.findings.expected(reader.i, "'{'")
    return dictionary(reader)


def returned(reader: Reader, name: int) -> Op:
    """Reads `return %a, ... : T, ...`."""
    return terminator(reader, name, "func.return")


def _check_functions(reader: Reader, items: Sequence[Op | Function]) -> None:
    seen: dict[str, int] = {}
    outside = False
    for item in items:
        at = reader.notes[item].name
        if not isinstance(item, Function):
            if not outside:
                found = reader.text[at]
                message = f"{found} stands outside a function"
                hint = "put it into a func.func"
                reader.findings.at(STRUCTURE, at, message, found=found, hint=hint)
            outside = True
            continue
        name = item.name
        if name in seen:
            message = f"function @{name} is already defined in line {seen[name]}"
            reader.findings.at(STRUCTURE, at, message, found=f"@{name}", expected="a new name")
        seen.setdefault(name, reader.tokens.line(reader.tokens.start[at]))
    if not seen and not reader.findings:
        last = len(reader.text) - 1
        message = "the file defines no function"
        reader.findings.at(STRUCTURE, last, message, expected="func.func @name(...) { ... }")
