"""How an instruction is written in each of the three levels.

SSA form: `%d = pto.vadd %a, %b, %m : T, T, M -> T`. Destination form:
`pto.vadd ins(%a, %b, %m : T, T, M) outs(%d : T)`. Assembly form: `vadd %d, %a, %b, %m : T`,
with as few types as decide the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, get_args

from xdsl.dialects.builtin import IntegerAttr, StringAttr
from xdsl.ir import Attribute, SSAValue

from ptoscope.ir import forms, types
from ptoscope.ir.dialect import PREFIX, Instruction
from ptoscope.ir.literals import pipe_text
from ptoscope.ir.match import marks, matcher, separated
from ptoscope.ir.module import Note, name_of
from ptoscope.ir.readings import Line, choose, readings
from ptoscope.ir.shape import NO_ARROW, PACK, Shape
from ptoscope.ir.syntax import SHAPES, Item, Syntax, compiled
from ptoscope.isa.record import Form

Level = Literal["ssa", "dps", "asm"]
LEVELS: tuple[Level, ...] = get_args(Level)

Name = tuple[str, int]
"""A name on the left of an operation without `%`, and the count after its colon or 0."""


def use(value: SSAValue) -> str:
    """A value where it is used."""
    return f"%{name_of(value)}"


def named(names: Sequence[Name]) -> str:
    """The names of results where they are defined."""
    return ", ".join([f"%{name}:{size}" if size else f"%{name}" for name, size in names])


def instruction(
    op: Instruction, note: Note | None, level: Level, names: Sequence[Name]
) -> tuple[str, ...]:
    """The text of an instruction without a body, in parts before which a line may break."""
    spelling = _Spelling(op, note)
    if level == "dps":
        return spelling.destinations(names)
    if level == "asm":
        found = spelling.assembly(names)
        if found is not None:
            return found
    return spelling.ssa(names)


class _Spelling:
    """One instruction and the form it is written in."""

    def __init__(self, op: Instruction, note: Note | None) -> None:
        self.op = op
        if note is not None:
            self.index, self.segments = note.form, note.segments
        else:
            self.index, self.segments = forms.form_of(op) or (0, ())
        self.form: Form = op.record.forms[self.index]
        self.syntax = _syntax(self.form)
        operands = list(op.operands)
        self.values = dict(zip([o.name for o in self.form.operands], operands, strict=False))
        self.rest = operands[len(self.form.operands) :]
        self.items = [
            item
            for item in self.syntax.items
            if not item.optional or item.names[0] in op.properties
        ]

    def ssa(self, names: Sequence[Name]) -> tuple[str, ...]:
        left = f"{named(names)} = " if names else ""
        listed, returned = self._listed(), self._returned()
        return (
            f"{left}{self.op.name}{_spaced(self._text())}{self._entries()}",
            *self._clauses(),
            *([f" : {listed}"] if listed else ()),
            *([f" -> {returned}"] if returned else ()),
        )

    def destinations(self, names: Sequence[Name]) -> tuple[str, ...]:
        inside = [(self._text() + self._entries()).lstrip(), *self._clauses()]
        results = {r.name for r in self.form.results}
        listed = "" if results & set(self.syntax.listed) else self._listed()
        parts = [self.op.name]
        if any(inside):
            inside += [f" : {listed}"] if listed else []
            parts = [f"{self.op.name} ins({inside[0]}", *inside[1:]]
            parts[-1] += ")"
        if names:
            kinds = ", ".join(types.spelling(r.type) for r in self.op.results)
            parts.append(f" outs({named(names)} : {kinds})")
        return tuple(parts)

    def assembly(self, names: Sequence[Name]) -> tuple[str, ...] | None:
        """None where even all types would not tell this form from another."""
        found = matcher(self.op.record)
        letters = "".join(PACK * size if size else "v" for _, size in names)
        letters += "".join(SHAPES[item.kind] for item in self.items)
        entries = tuple(a.name for a in self.syntax.entries if a.name in self.op.properties)
        values = [self.values[n] for n in _operands(self.items)] + self.rest
        kinds = [value.type for value in values]
        results = [r.type for r in self.op.results]
        for listed, arrow in self._type_lists(kinds, results):
            count = NO_ARROW if arrow is None else len(arrow)
            shape = Shape(letters, self.segments, entries, (), len(listed), count)
            line = Line(shape, [None] * len(results) + kinds, listed, arrow, self._literals())
            chosen = choose(found, readings(found, shape), line)
            if chosen is None:
                continue
            reading, typing = chosen
            same = reading.form == self.index and reading.complete and typing.complete
            if same and list(typing.results) == results:
                return self._assembled(names, listed, arrow)
        return None

    def _assembled(
        self, names: Sequence[Name], listed: Sequence[Attribute], arrow: Sequence[Attribute] | None
    ) -> tuple[str, ...]:
        text = self._text()
        text = ", ".join([part for part in (named(names), text) if part])
        written = ", ".join(types.spelling(attr) for attr in listed)
        if arrow is not None and len(listed) > 1:
            written = f"({written})"
        parts = [f"{self.op.name.removeprefix(PREFIX)}{_spaced(text)}{self._entries()}"]
        parts += self._clauses()
        parts += [f" : {written}"] if listed else []
        if arrow:
            parts.append(f" -> {', '.join(types.spelling(attr) for attr in arrow)}")
        return tuple(parts)

    def _type_lists(
        self, operands: Sequence[Attribute], results: Sequence[Attribute]
    ) -> Iterator[tuple[Sequence[Attribute], Sequence[Attribute] | None]]:
        """Type lists that may be enough, the shortest first."""
        likely = [attr for attr in operands if isinstance(attr, types.PtrType)]
        likely += [a for a in (*results, *operands) if isinstance(a, types.VRegType)]
        if not results and not self.syntax.typed:
            yield [], None
        else:
            yield (*likely, *results, *operands)[:1], None
        if results:
            yield results, None
        yield operands, results

    def _text(self) -> str:
        """The items."""
        text = ""
        for before, item in zip(separated(self.items), self.items, strict=True):
            text += before + self._piece(item)
        return text

    def _piece(self, item: Item) -> str:
        match item.kind:
            case "operand":
                return use(self.values[item.names[0]])
            case "address":
                base, offset = (use(self.values[name]) for name in item.names)
                return f"{base}[{offset}]"
            case "token" | "integer":
                return forms.literal(self.op.properties[item.names[0]])
            case "pipe":
                return pipe_text(forms.literal(self.op.properties[item.names[0]]).strip('"'))
            case "open":
                return "["
            case "close":
                return "]"

    def _entries(self) -> str:
        """The attribute dictionary."""
        given = self.op.properties
        entries = [
            f"{a.name} = {forms.literal(given[a.name])}"
            for a in self.syntax.entries
            if a.name in given
        ]
        return f" {{{', '.join(entries)}}}" if entries else ""

    def _clauses(self) -> list[str]:
        parts: list[str] = []
        at = 0
        for keyword, count in self.segments:
            names = ", ".join(use(value) for value in self.rest[at : at + count])
            parts.append(f" {keyword}({names})")
            at += count
        return parts

    def _literals(self) -> list[str | int]:
        found: list[str | int] = []
        for item in self.items:
            if item.kind in ("token", "integer", "pipe"):
                attr = self.op.properties[item.names[0]]
                if isinstance(attr, StringAttr):
                    found.append(attr.data)
                elif isinstance(attr, IntegerAttr):
                    found.append(attr.value.data)
        return found

    def _listed(self) -> str:
        """The types between colon and arrow."""
        if not self.syntax.typed:
            return ""
        results = zip([r.name for r in self.form.results], self.op.results, strict=True)
        known = {**self.values, **dict(results)}
        listed = [types.spelling(known[name].type) for name in self.syntax.listed]
        before = len(listed)
        listed += [types.spelling(value.type) for value in self.rest]
        for keyword, at in marks(self.syntax, self.segments, before):
            listed[at] = f"{keyword} {listed[at]}"
        return ", ".join(listed)

    def _returned(self) -> str:
        """The types behind the arrow."""
        if not self.syntax.typed or not self.syntax.returned:
            return ""
        known = dict(zip([r.name for r in self.form.results], self.op.results, strict=True))
        return ", ".join(types.spelling(known[name].type) for name in self.syntax.returned)


def _spaced(text: str) -> str:
    # `set_flag["A", "B", "E"]` is written without a blank.
    return text if text[:1] in ("[", "") else f" {text}"


def _operands(items: Sequence[Item]) -> list[str]:
    return [n for item in items if item.kind in ("operand", "address") for n in item.names]


_syntaxes: dict[int, Syntax] = {}


def _syntax(form: Form) -> Syntax:
    # By identity: hashing a form walks all of its patterns.
    found = _syntaxes.get(id(form))
    if found is None:
        found = _syntaxes[id(form)] = compiled(form)
    return found
