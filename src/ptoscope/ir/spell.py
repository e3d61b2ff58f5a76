"""How each operation is written, in custom and in generic form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from ptoscope.ir.literals import pipe_text
from ptoscope.ir.match import marks, separated
from ptoscope.ir.module import Note, name_of
from ptoscope.ir.syntax import Syntax, compiled
from ptoscope.isa.record import Form


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


def custom(op: Operation, note: Note | None) -> Spelled:
    """The custom form."""
    left = _left(op, note)
    if isinstance(op, ModuleOp):
        return _module(op)
    if isinstance(op, FuncOp):
        return _function(op)
    if isinstance(op, Instruction) and not op.name.startswith("arith."):
        return _scope(op) if op.regions else _instruction(left, op, note)
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


def use(value: SSAValue) -> str:
    """A value where it is used."""
    return f"%{name_of(value)}"


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
    if not op.results:
        return ""
    if note is not None and note.packs:
        named = [f"%{name}:{size}" if size else f"%{name}" for name, size in note.packs]
        return f"{', '.join(named)} = "
    named = [use(r) for r in op.results if name_of(r)]
    return f"{', '.join(named)} = " if len(named) == len(op.results) else ""


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


def _instruction(left: str, op: Instruction, note: Note | None) -> Spelled:
    if note is not None:
        index, segments = note.form, note.segments
    else:
        index, segments = forms.form_of(op) or (0, ())
    form = op.record.forms[index]
    syntax = _syntax(form)
    values = {o.name: v for o, v in zip(form.operands, op.operands, strict=False)}
    text = _items(op, syntax, values)
    entries = {a.name: op.properties[a.name] for a in syntax.entries if a.name in op.properties}
    if entries:
        text += " {" + ", ".join(f"{n} = {forms.literal(a)}" for n, a in entries.items()) + "}"
    parts = [f"{left}{op.name}{text}"]
    rest = list(op.operands)[len(form.operands) :]
    at = 0
    for keyword, count in segments:
        names = ", ".join(use(value) for value in rest[at : at + count])
        parts.append(f" {keyword}({names})")
        at += count
    return Spelled((*parts, *_type_parts(op, form, syntax, values, segments, rest)))


def _items(op: Instruction, syntax: Syntax, values: dict[str, SSAValue]) -> str:
    items = [i for i in syntax.items if not i.optional or i.names[0] in op.properties]
    text = ""
    for before, item in zip(separated(items), items, strict=True):
        match item.kind:
            case "operand":
                piece = use(values[item.names[0]])
            case "address":
                piece = f"{use(values[item.names[0]])}[{use(values[item.names[1]])}]"
            case "token" | "integer":
                piece = forms.literal(op.properties[item.names[0]])
            case "pipe":
                piece = pipe_text(forms.literal(op.properties[item.names[0]]).strip('"'))
            case "open":
                piece = "["
            case "close":
                piece = "]"
        text += before + piece
    # `set_flag["A", "B", "E"]` is written without a blank.
    return text if text[:1] in ("[", "") else f" {text}"


def _type_parts(
    op: Instruction,
    form: Form,
    syntax: Syntax,
    values: dict[str, SSAValue],
    segments: forms.Segments,
    rest: list[SSAValue],
) -> list[str]:
    if not syntax.typed:
        return []
    named = {**values, **{r.name: v for r, v in zip(form.results, op.results, strict=True)}}
    listed = [types.spelling(named[name].type) for name in syntax.listed]
    before = len(listed)
    listed += [types.spelling(value.type) for value in rest]
    for keyword, at in marks(syntax, segments, before):
        listed[at] = f"{keyword} {listed[at]}"
    parts = [f" : {', '.join(listed)}"] if listed else []
    if syntax.returned:
        parts.append(f" -> {', '.join(types.spelling(named[n].type) for n in syntax.returned)}")
    return parts


_syntaxes: dict[int, Syntax] = {}


def _syntax(form: Form) -> Syntax:
    # By identity: hashing a form walks all of its patterns.
    found = _syntaxes.get(id(form))
    if found is None:
        found = _syntaxes[id(form)] = compiled(form)
    return found
