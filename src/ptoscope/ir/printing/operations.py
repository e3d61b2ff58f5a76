"""How each operation is written, in custom and in generic form."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ptoscope.ir import attributes, types
from ptoscope.ir.attributes import FORM, UNIT, Attribute, dictionary
from ptoscope.ir.forms import arith as arith_forms
from ptoscope.ir.forms.choose import form_of
from ptoscope.ir.language import PREFIX, Language
from ptoscope.ir.module import NO_ATTRIBUTES, Note
from ptoscope.ir.numbers import constant_text
from ptoscope.ir.printing.instructions import Level, Name, PrintedValues, instruction, named
from ptoscope.isa.arith import constant
from ptoscope.isa.record import Record
from ptoscope.isa.types import AttrValue
from ptoscope.program import (
    Call,
    Condition,
    For,
    Function,
    If,
    Op,
    Program,
    Scope,
    Section,
    Terminator,
    While,
)


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


class Spelling:
    """The operations of one function. `level_of` says how an instruction is written, `new_name`
    gives the names of results that have none but need one."""

    def __init__(
        self,
        values: PrintedValues,
        language: Language,
        level_of: Callable[[Note | None], Level],
        new_name: Callable[[], str],
    ) -> None:
        self.values = values
        self.language = language
        self.level_of = level_of
        self.new_name = new_name

    # Custom form

    def custom(self, op: Op, note: Note | None) -> Spelled:
        """The custom form, instructions in the level chosen."""
        names = self._names(op, note)
        left = f"{named(names)} = " if names else ""
        used = [self.values.use(slot) for slot in op.operands]
        match op:
            case For():
                return self._for(left, op)
            case If():
                closings = ("} else {", "}") if op.otherwise.ops else ("}",)
                return Spelled((f"{left}scf.if {used[0]}{self._results(op)} {{",), closings)
            case While():
                pairs = zip(op.carried, op.inits, strict=True)
                inner = [f"{self.values.use(a)} = {self.values.use(b)}" for a, b in pairs]
                head = f"{left}scf.while ({', '.join(inner)})"
                ends = f" : ({self._types(op.operands)}) -> ({self._types(op.results)}) {{"
                return Spelled((head, ends), ("} do {", "}"), (False, True))
            case Scope():
                return self._scope(op)
            case Section():
                return Spelled((f"{op.name} {{",), ("}",))
            case Call():
                head = f"{left}func.call @{_symbol(op.callee)}({', '.join(used)})"
                ends = f" : ({self._types(op.operands)}) -> {self._returned(op.results)}"
                return Spelled((head, ends))
            case Condition():
                return Spelled((f"scf.condition({used[0]}){self._passed(op.values)}",))
            case Terminator():
                word = "return" if op.name == "func.return" else op.name
                return Spelled((word + self._passed(op.values),))
        if op.name.startswith("arith."):
            return Spelled((f"{left}{op.name} {self._arith(op, note, used)}",))
        level = self.level_of(note)
        if level != "ssa" and not names:
            names = [(self.values.names[r] or self.new_name(), 0) for r in op.results]
        record = self.language.table[op.name]
        given = _given(op, note, record)
        return Spelled(instruction(op, record, self.values, given, level, names))

    def _passed(self, slots: Sequence[int]) -> str:
        if not slots:
            return ""
        return f" {', '.join(map(self.values.use, slots))} : {self._types(slots)}"

    def _for(self, left: str, op: For) -> Spelled:
        use = self.values.use
        bounds = f"{use(op.lower)} to {use(op.upper)} step {use(op.step)}"
        head = f"{left}scf.for {use(op.index)} = {bounds}"
        kind = self.values.types[op.index]
        typed = "" if kind == types.INDEX else f" : {kind}"
        if not op.carried:
            return Spelled((f"{head}{typed} {{",), ("}",))
        pairs = zip(op.carried, op.inits, strict=True)
        listed = ", ".join(f"{use(a)} = {use(b)}" for a, b in pairs)
        return Spelled((head, f" iter_args({listed}){self._results(op)}{typed} {{"), ("}",))

    def _scope(self, op: Scope) -> Spelled:
        if not op.strict:
            return Spelled((f"{op.name} {{",), ("}",))
        names = ", ".join(map(self.values.use, op.inputs))
        closing = f"}} : ({self._types(op.inputs)}) -> ()" if op.inputs else "}"
        return Spelled((f"{op.name}({names}) {{",), (closing,), (True,))

    def _arith(self, op: Op, note: Note | None, used: Sequence[str]) -> str:
        """The text of an arith operation after its name."""
        said = note.attributes if note is not None else NO_ATTRIBUTES
        entries = f" {dictionary(said)}" if said else ""
        if op.name == constant.name:
            return f"{entries} {self._constant(op)}".lstrip()
        how = arith_forms.scheme(self.language.table[op.name])
        said = [str(op.attrs["predicate"])] if how.predicates else []
        before = ", ".join((*said, *used)) + _rounding_text(op) + _flags_text(note) + entries
        last = self.values.types[op.operands[-1]]
        if how.is_cast:
            return f"{before} : {last} to {self._types(op.results)}"
        return f"{before} : {self._types(op.results) if how.lists_results else last}"

    def _constant(self, op: Op) -> str:
        dtype = attributes.scalar(self.values.types[op.results[0]])
        return constant_text(_number(op.attrs["value"]), dtype)

    # Generic form

    def generic(self, op: Op, note: Note | None) -> Spelled:
        """The generic form."""
        names = self._names(op, note)
        left = f"{named(names)} = " if names else ""
        used = ", ".join(map(self.values.use, op.operands))
        properties = self._properties(op, note)
        said = dict(note.attributes) if note is not None else {}
        if op.name.startswith(PREFIX) and not op.blocks:
            record = self.language.table[op.name]
            kinds = [self.values.types[s] for s in op.operands]
            results = [self.values.types[s] for s in op.results]
            if form_of(record, kinds, results, _given(op, note, record), op.segments) != op.form:
                said[FORM] = attributes.number(op.form)
        ends = f"({self._types(op.operands)}) -> {self._returned(op.results)}"
        return generic_text(f'{left}"{op.name}"({used})', properties, len(op.blocks), said, ends)

    def _properties(self, op: Op, note: Note | None) -> dict[str, Attribute]:
        if op.name == constant.name:
            return {"value": Attribute(self._constant(op))}
        if op.name.startswith("arith."):
            flags = note.flags if note is not None else NO_ATTRIBUTES
            how = arith_forms.scheme(self.language.table[op.name])
            found = dict(flags)
            if how.predicates:
                number = how.predicates.index(str(op.attrs["predicate"]))
                found = {"predicate": attributes.number(number), **found}
            if arith_forms.ROUNDING in op.attrs:
                number = how.roundings.index(str(op.attrs[arith_forms.ROUNDING]))
                found[arith_forms.ROUNDING] = attributes.number(number, types.I32)
            return found
        if isinstance(op, Call):
            return {"callee": Attribute(f"@{_symbol(op.callee)}")}
        if not op.name.startswith(PREFIX) or op.blocks:
            return {}
        record = self.language.table[op.name]
        found = {
            name: attributes.of_instruction(record.forms[op.form].attr(name), value)
            for name, value in _given(op, note, record).items()
        }
        before = len(op.operands) - sum(count for _, count in op.segments)
        return {**found, **attributes.clauses(op.segments, before)}

    # Both

    def argument(self, slot: int) -> str:
        """A value where a body or a function takes it."""
        return f"{self.values.use(slot)}: {self.values.types[slot]}"

    def _names(self, op: Op, note: Note | None) -> list[Name]:
        """The names of the results, or none if one of them has none."""
        if not op.results:
            return []
        if note is not None and note.packs:
            return list(note.packs)
        return packed([self.values.names[r] for r in op.results])

    def _types(self, slots: Sequence[int]) -> str:
        return ", ".join(str(self.values.types[slot]) for slot in slots)

    def _returned(self, slots: Sequence[int]) -> str:
        return self._types(slots) if len(slots) == 1 else f"({self._types(slots)})"

    def _results(self, op: Op) -> str:
        return f" -> ({self._types(op.results)})" if op.results else ""


def _symbol(name: str) -> str:
    return name if attributes.is_word(name) else f'"{name}"'


def packed(names: Sequence[str]) -> list[Name]:
    """Names of results as they are written: `r#0` and `r#1` are `%r:2`. None if one has none."""
    found: list[Name] = []
    for name in names:
        base, numbered, _ = name.partition("#")
        if numbered and found and found[-1][0] == base:
            found[-1] = base, found[-1][1] + 1
        else:
            found.append((base, int(bool(numbered))))
    return found if all(names) else []


def _given(op: Op, note: Note | None, record: Record) -> dict[str, AttrValue]:
    """The attributes of an instruction to write: those of its text, or else those that differ
    from their default; all where there would be nothing but its name."""
    if note is not None:
        return {name: op.attrs[name] for name in note.given}
    defaults = {attr.name: attr.default for attr in record.forms[op.form].attrs}
    differing = {name: value for name, value in op.attrs.items() if value != defaults[name]}
    # A name alone would take what the next line begins with for its operand.
    return differing if differing or op.operands or op.results else dict(op.attrs)


def _number(value: AttrValue) -> int | float:
    assert isinstance(value, int | float)
    return value


def _rounding_text(op: Op) -> str:
    return f" {op.attrs[arith_forms.ROUNDING]}" if arith_forms.ROUNDING in op.attrs else ""


def _flags_text(note: Note | None) -> str:
    """The promises of an operation as they are written; nothing for those that say nothing."""
    flags = note.flags if note is not None else NO_ATTRIBUTES
    text = ""
    for word, name in arith_forms.PROMISES.items():
        attribute = flags.get(name or word)
        if attribute is None:
            continue
        if not name:
            text += f" {word}"
        elif isinstance(attribute.value, tuple) and attribute.value:
            listed = attribute.text.partition("<")[2][:-1].replace(",", ", ")
            text += f" {word}<{listed}>"
    return text


def generic_text(
    head: str,
    properties: Mapping[str, Attribute],
    bodies: int,
    said: Mapping[str, Attribute],
    ends: str,
) -> Spelled:
    """An operation in generic form: name and operands, properties, bodies, attributes, types."""
    if properties:
        head += f" <{dictionary(properties)}>"
    tail = f" {dictionary(said)}" if said else ""
    tail += f" : {ends}"
    if not bodies:
        return Spelled((head + tail,))
    closings = ("}, {",) * (bodies - 1) + ("})" + tail,)
    return Spelled((head + " ({",), closings, (True,) * len(closings))


def module(name: str, said: Mapping[str, Attribute], generic: bool) -> Spelled:
    """The module operation."""
    if generic:
        properties = {"sym_name": attributes.string(name)} if name else {}
        return generic_text('"builtin.module"()', properties, 1, said, "() -> ()")
    symbol = f" @{name}" if name else ""
    entries = f" attributes {dictionary(said)}" if said else ""
    return Spelled((f"module{symbol}", f"{entries} {{"), ("}",))


def function(
    function: Function,
    said: Mapping[str, Attribute],
    visibility: str,
    spelling: Spelling,
    generic: bool,
) -> Spelled:
    """A function."""
    kinds = function.types
    outputs = [kinds[slot] for slot in function.body.yields]
    if generic:
        properties = {
            "sym_name": attributes.string(function.name),
            "function_type": attributes.signature([kinds[p] for p in function.params], outputs),
        }
        if visibility:
            properties["sym_visibility"] = attributes.string(visibility)
        return generic_text('"func.func"()', properties, 1, said, "() -> ()")
    private = f"{visibility} " if visibility else ""
    symbol = _symbol(function.name)
    arguments = [spelling.argument(slot) for slot in function.params]
    returned = f" -> ({', '.join(map(str, outputs))})" if len(outputs) > 1 else ""
    if len(outputs) == 1:
        returned = f" -> {outputs[0]}"
    entries = f" attributes {dictionary(said)}" if said else ""
    ends = f"){returned}{entries} {{"
    head = f"func.func {private}@{symbol}("
    if not arguments:
        return Spelled((head + ends,), ("}",))
    first = [f"{a}, " for a in arguments[:-1]]
    return Spelled((head, *first, arguments[-1] + ends), ("}",), glue=True)


def module_attributes(program: Program) -> dict[str, Attribute]:
    """What a module that was not read from a text says of itself."""
    said: dict[str, Attribute] = {}
    if program.target_arch:
        said["pto.target_arch"] = attributes.string(program.target_arch)
    if program.revision:
        said["pto.revision"] = attributes.string(program.revision)
    if program.kernel_kind:
        said["pto.kernel_kind"] = Attribute(f"#pto.kernel_kind<{program.kernel_kind}>")
    return said


def function_attributes(function: Function) -> dict[str, Attribute]:
    """What a function that was not read from a text says of itself."""
    return {"pto.aicore": UNIT} if function.is_kernel else {}
