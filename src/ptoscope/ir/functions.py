"""Reads files, modules and functions."""

from __future__ import annotations

from xdsl.dialects.builtin import FunctionType, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation

from ptoscope.ir.bodies import check_block, check_values, terminator
from ptoscope.ir.errors import STRUCTURE
from ptoscope.ir.module import Note
from ptoscope.ir.reader import Reader


def program(reader: Reader) -> tuple[ModuleOp, bool]:
    """Reads a whole file; the flag says that it has no module operation of its own."""
    block = Block()
    while True:
        reader.operations(block)
        if reader.text[reader.i] == "":
            break
        reader.findings.expected(reader.i, "an operation")
        reader.i += 1
    ops = list(block.ops)
    modules = [op for op in ops if isinstance(op, ModuleOp)]
    if modules and len(ops) > 1:
        other = next(op for op in ops if op is not modules[0])
        message = "nothing may stand beside the module"
        at = reader.notes[other].name
        reader.findings.at(STRUCTURE, at, message, found=reader.text[at])
    if modules:
        result, implicit = modules[0], False
        result.detach()
    else:
        for op in ops:
            op.detach()
        result, implicit = ModuleOp(ops), True
    _check_functions(reader, result)
    return result, implicit


def module(reader: Reader, name: int) -> ModuleOp:
    """Reads `module @name attributes {...} { ... }`."""
    if reader.depth:
        message = "a module stands at the top of its file only"
        raise reader.findings.stop(STRUCTURE, name, message, found=reader.text[name])
    symbol = None
    if reader.text[reader.i][:1] == "@":
        symbol = StringAttr(reader.text[reader.i][1:].strip('"'))
        reader.i += 1
    attributes: dict[str, Attribute] = {}
    if reader.accept("attributes"):
        attributes = _attributes(reader)
    head = reader.i
    region = reader.body()
    op = ModuleOp.create(attributes=attributes, regions=[region])
    if symbol is not None:
        op.properties["sym_name"] = symbol
    reader.notes[op] = Note(0, 0, head, reader.i - 1)
    return op


def function(reader: Reader, name: int) -> FuncOp:
    """Reads `func.func @name(%a: T, ...) -> (...) attributes {...} { ... }`."""
    if reader.in_function:
        message = "a function cannot stand inside another"
        raise reader.findings.stop(STRUCTURE, name, message, found=reader.text[name])
    visibility = None
    if reader.text[reader.i] in ("private", "public", "nested"):
        visibility = StringAttr(reader.text[reader.i])
        reader.i += 1
    symbol = reader.text[reader.i]
    if symbol[:1] != "@" or len(symbol) < 2:
        raise reader.findings.expected(reader.i, "the function's @name")
    reader.i += 1
    reader.expect("(")
    arguments = _parameters(reader)
    outputs = reader.type_list() if reader.accept("->") else []
    attributes: dict[str, Attribute] = {}
    if reader.accept("attributes"):
        attributes = _attributes(reader)
    head = reader.i
    if reader.text[head] != "{":
        if reader.text[head] in ("}", "", "func.func"):
            message = "a function needs a body"
            raise reader.findings.stop(STRUCTURE, name, message, found=symbol, expected="'{'")
        raise reader.findings.expected(head, "'{'")
    reader.in_function = True
    reader.ended.clear()
    try:
        region = reader.body(arguments, isolated=True)
    finally:
        reader.in_function = False
    properties: dict[str, Attribute] = {
        "sym_name": StringAttr(symbol[1:].strip('"')),
        "function_type": FunctionType.from_lists([t for _, t in arguments], outputs),
    }
    if visibility is not None:
        properties["sym_visibility"] = visibility
    op = FuncOp.create(properties=properties, attributes=attributes, regions=[region])
    reader.notes[op] = Note(0, 0, head, reader.i - 1)
    check_function(reader, name, op)
    return op


def _parameters(reader: Reader) -> list[tuple[int, Attribute]]:
    arguments: list[tuple[int, Attribute]] = []
    while not reader.accept(")"):
        place = reader.i
        if reader.text[place][:1] != "%":
            raise reader.findings.expected(place, "a parameter '%name: type'")
        reader.i += 1
        reader.expect(":")
        arguments.append((place, reader.type()))
        if reader.text[reader.i] == "{":
            message = "attributes of parameters are not supported"
            raise reader.findings.stop(STRUCTURE, reader.i, message, found="{")
        if reader.text[reader.i] != ")" and not reader.accept(","):
            raise reader.findings.expected(reader.i, "',' or ')'")
    return arguments


def _attributes(reader: Reader) -> dict[str, Attribute]:
    if reader.text[reader.i] != "{":
        raise reader.findings.expected(reader.i, "'{'")
    return reader.dictionary()


def check_function(reader: Reader, name: int, op: FuncOp) -> None:
    """A function ends in a return of its result types."""
    last = op.body.block.last_op
    closing = reader.braces[op.body][1]
    outputs = list(op.function_type.outputs)
    check_block(reader, op.body, ReturnOp)
    if not isinstance(last, ReturnOp):
        # The return itself may be what could not be read.
        if op.body.block not in reader.broken:
            message = f"function @{op.sym_name.data} does not end in return"
            reader.findings.at(STRUCTURE, closing, message, found="}", expected="return")
        return
    check_values(reader, last, last.operands, outputs, "the function")


def returned(reader: Reader, name: int) -> Operation:
    """Reads `return %a, ... : T, ...`."""
    return terminator(reader, name, ReturnOp)


def _check_functions(reader: Reader, module: ModuleOp) -> None:
    seen: dict[str, int] = {}
    outside = False
    for op in module.body.block.ops:
        note = reader.notes[op]
        if isinstance(op, ModuleOp):
            continue
        if not isinstance(op, FuncOp):
            if not outside:
                message = f"{reader.text[note.name]} stands outside a function"
                hint = "put it into a func.func"
                found = reader.text[note.name]
                reader.findings.at(STRUCTURE, note.name, message, found=found, hint=hint)
            outside = True
            continue
        name = op.sym_name.data
        line = reader.tokens.line(reader.tokens.start[note.name])
        if name in seen:
            message = f"function @{name} is already defined in line {seen[name]}"
            reader.findings.at(
                STRUCTURE, note.name, message, found=f"@{name}", expected="a new name"
            )
        seen.setdefault(name, line)
    if not seen and not reader.findings:
        last = len(reader.text) - 1
        message = "the file defines no function"
        reader.findings.at(STRUCTURE, last, message, expected="func.func @name(...) { ... }")
