"""How each operation is written, in custom and in generic form."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from io import StringIO
from typing import NamedTuple

from xdsl.dialects.builtin import (
    FloatAttr,
    FunctionType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    UnitAttr,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.printer import Printer

from ptoscope.ir import arith, forms, types
from ptoscope.ir.dialect import Instruction
from ptoscope.ir.levels import Level, Name, instruction, named, use
from ptoscope.ir.module import Note, name_of

NewName = Callable[[], str]


class Spelled(NamedTuple):
    """The text of an operation.

    A line that is too long breaks before `parts`; with `glue`, as many parts as fit share
    a line. `closings` are the lines that end its bodies; `labels` says which of the bodies
    write their arguments themselves.
    """

    parts: tuple[str, ...]
    closings: tuple[str, ...] = ()
    labels: tuple[bool, ...] = ()
    glue: bool = False


def custom(
    op: Operation, note: Note | None, level: Level = "ssa", new_name: NewName | None = None
) -> Spelled:
    """The custom form, instructions in one of the three levels. `new_name` gives the names
    of results that have none but need one."""
    left = _left(op, note)
    if isinstance(op, ModuleOp):
        return _module(op)
    if isinstance(op, FuncOp):
        return _function(op)
    if isinstance(op, Instruction) and not op.name.startswith("arith."):
        if op.regions:
            return _scope(op)
        names = _names(op, note)
        if level != "ssa" and new_name is not None and not names:
            names = [(name_of(r) or new_name(), 0) for r in op.results]
        return Spelled(instruction(op, note, level, names))
    names = [use(value) for value in op.operands]
    match op.name:
        case "scf.for":
            return _for(left, op, names)
        case "scf.if":
            results = _results(op)
            two = len([r for r in op.regions if r.blocks]) == 2
            closings = ("} else {", "}") if two else ("}",)
            return Spelled((f"{left}scf.if {names[0]}{results} {{",), closings)
        case "scf.while":
            inner = [f"%{name_of(a)} = {n}" for a, n in _pairs(op, names)]
            head = f"{left}scf.while ({', '.join(inner)})"
            ends = f" : ({_types(op.operands)}) -> ({_types(op.results)}) {{"
            return Spelled((head, ends), ("} do {", "}"), (False, True))
        case "scf.condition":
            rest = f" {', '.join(names[1:])} : {_types(op.operands[1:])}" if names[1:] else ""
            return Spelled((f"scf.condition({names[0]}){rest}",))
        case "scf.yield" | "func.return":
            word = "return" if op.name == "func.return" else op.name
            rest = f" {', '.join(names)} : {_types(op.operands)}" if names else ""
            return Spelled((word + rest,))
    body = arith.written(op, names)
    if op.attributes:
        entries = dictionary(op.attributes)
        if op.name == "arith.constant":
            body = f"{entries} {body}"
        else:
            before, _, after = body.partition(" : ")
            body = f"{before} {entries} : {after}"
    return Spelled((f"{left}{op.name} {body}",))


def generic(op: Operation, note: Note | None) -> Spelled:
    """The generic form, which xDSL's own parser reads."""
    names = ", ".join(use(value) for value in op.operands)
    head = f'{_left(op, note)}"{op.name}"({names})'
    if op.properties:
        head += f" <{dictionary(op.properties)}>"
    attributes = dict(op.attributes)
    if isinstance(op, Instruction) and not op.regions and note is not None:
        derived = forms.form_of(op)
        if derived is not None and derived[0] != note.form:
            attributes[forms.FORM] = IntegerAttr(note.form, i64)
    tail = f" {dictionary(attributes)}" if attributes else ""
    tail += f" : ({_types(op.operands)}) -> {_returned(op.results)}"
    if not op.regions:
        return Spelled((head + tail,))
    closings = ("}, {",) * (len(op.regions) - 1) + ("})" + tail,)
    return Spelled((head + " ({",), closings, (True,) * len(closings))


def argument(value: SSAValue) -> str:
    """A value where a body or a function takes it."""
    return f"{use(value)}: {types.spelling(value.type)}"


def dictionary(attributes: Mapping[str, Attribute]) -> str:
    """An attribute dictionary."""
    entries: list[str] = []
    for name, attr in attributes.items():
        plain = name.replace(".", "a").replace("$", "a").isidentifier()
        key = name if plain else f'"{name}"'
        entries.append(key if isinstance(attr, UnitAttr) else f"{key} = {attribute(attr)}")
    return f"{{{', '.join(entries)}}}"


def attribute(attr: Attribute) -> str:
    """An attribute; constants of floats in the spelling that reads back exactly."""
    if isinstance(attr, StringAttr) and '"' not in attr.data and "\\" not in attr.data:
        return f'"{attr.data}"'
    if isinstance(attr, FunctionType):
        return types.spelling(attr)
    if isinstance(attr, FloatAttr | IntegerAttr):
        return arith.literal(attr)
    out = StringIO()
    Printer(out).print_attribute(attr)
    return out.getvalue()


def _left(op: Operation, note: Note | None) -> str:
    names = _names(op, note)
    return f"{named(names)} = " if names else ""


def _names(op: Operation, note: Note | None) -> list[Name]:
    """The names of the results, or none if one of them has none."""
    if not op.results:
        return []
    if note is not None and note.packs:
        return list(note.packs)
    found = [(name_of(r), 0) for r in op.results]
    return found if all(name for name, _ in found) else []


def _types(values: Sequence[SSAValue]) -> str:
    return ", ".join(types.spelling(value.type) for value in values)


def _returned(values: Sequence[SSAValue]) -> str:
    return _types(values) if len(values) == 1 else f"({_types(values)})"


def _results(op: Operation) -> str:
    return f" -> ({_types(op.results)})" if op.results else ""


def _pairs(op: Operation, names: list[str]) -> list[tuple[SSAValue, str]]:
    return list(zip(op.regions[0].block.args, names, strict=True))


def _module(op: ModuleOp) -> Spelled:
    symbol = op.properties.get("sym_name")
    name = f" @{symbol.data}" if isinstance(symbol, StringAttr) else ""
    entries = f" attributes {dictionary(op.attributes)}" if op.attributes else ""
    return Spelled((f"module{name}", f"{entries} {{"), ("}",))


def _function(op: FuncOp) -> Spelled:
    visibility = op.properties.get("sym_visibility")
    private = f"{visibility.data} " if isinstance(visibility, StringAttr) else ""
    name = op.sym_name.data
    symbol = name if name.replace(".", "a").replace("$", "a").isidentifier() else f'"{name}"'
    arguments = [argument(a) for a in op.body.block.args]
    outputs = [types.spelling(t) for t in op.function_type.outputs]
    returned = f" -> ({', '.join(outputs)})" if len(outputs) > 1 else ""
    if len(outputs) == 1:
        returned = f" -> {outputs[0]}"
    entries = f" attributes {dictionary(op.attributes)}" if op.attributes else ""
    ends = f"){returned}{entries} {{"
    head = f"func.func {private}@{symbol}("
    if not arguments:
        return Spelled((head + ends,), ("}",))
    first = [f"{a}, " for a in arguments[:-1]]
    return Spelled((head, *first, arguments[-1] + ends), ("}",), glue=True)


def _for(left: str, op: Operation, names: list[str]) -> Spelled:
    induction, *carried = op.regions[0].block.args
    head = f"{left}scf.for {use(induction)} = {names[0]} to {names[1]} step {names[2]}"
    kind = "" if induction.type is types.INDEX else f" : {types.spelling(induction.type)}"
    if not carried:
        return Spelled((f"{head}{kind} {{",), ("}",))
    pairs = ", ".join(f"{use(a)} = {n}" for a, n in zip(carried, names[3:], strict=True))
    return Spelled((head, f" iter_args({pairs}){_results(op)}{kind} {{"), ("}",))


def _scope(op: Instruction) -> Spelled:
    if op.name == "pto.vecscope":
        return Spelled((f"{op.name} {{",), ("}",))
    names = ", ".join(use(value) for value in op.operands)
    closing = f"}} : ({_types(op.operands)}) -> ()" if op.operands else "}"
    return Spelled((f"{op.name}({names}) {{",), (closing,), (True,))
