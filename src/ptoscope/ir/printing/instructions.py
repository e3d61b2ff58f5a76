"""How an instruction is written in each of the three levels.

SSA form: `%d = pto.vadd %a, %b, %m : T, T, M -> T`. Destination form:
`pto.vadd ins(%a, %b, %m : T, T, M) outs(%d : T)`. Assembly form: `vadd %d, %a, %b, %m : T`,
with as few types as decide the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, get_args

from ptoscope.ir.attributes import Segments, quoted
from ptoscope.ir.forms.clauses import clause_texts, with_clauses, word_of
from ptoscope.ir.forms.match import marks, matcher, separated
from ptoscope.ir.forms.outline import NO_ARROW, PACK, LineOutline
from ptoscope.ir.forms.readings import AssemblyLine, choose, readings
from ptoscope.ir.forms.syntax import LETTERS, Item, Syntax, compiled
from ptoscope.ir.language import PREFIX
from ptoscope.isa.record import Attr, Form, Record
from ptoscope.isa.types import AttrValue, Ptr, Type, VReg
from ptoscope.program import Op

Level = Literal["ssa", "dps", "asm"]
LEVELS: tuple[Level, ...] = get_args(Level)

Name = tuple[str, int]
"""A name on the left of an operation without `%`, and the count after its colon or 0."""


class PrintedValues(NamedTuple):
    """The values of a function by slot."""

    types: Sequence[Type]
    names: Sequence[str]

    def use(self, slot: int) -> str:
        """A value where it is used."""
        return f"%{self.names[slot]}"


def named(names: Sequence[Name]) -> str:
    """The names of results where they are defined."""
    return ", ".join([f"%{name}:{size}" if size else f"%{name}" for name, size in names])


def instruction(
    op: Op,
    record: Record,
    values: PrintedValues,
    given: Mapping[str, AttrValue],
    level: Level,
    names: Sequence[Name],
) -> tuple[str, ...]:
    """The text of an instruction without a body, in parts before which a line may break.
    `given` are the attributes to write where they may be left out."""
    spelling = _Spelling(op, record, values, given)
    if level == "dps" or (level == "ssa" and spelling.form.in_destination_form):
        return spelling.destinations(names)
    if level == "asm":
        found = spelling.assembly(names)
        if found is not None:
            return found
    return spelling.ssa(names)


class _Spelling:
    """One instruction and the form it is written in."""

    def __init__(
        self, op: Op, record: Record, values: PrintedValues, given: Mapping[str, AttrValue]
    ) -> None:
        self.op = op
        self.record = record
        self.given = given
        self.form: Form = record.forms[op.form]
        self.syntax = _syntax(self.form)
        self.use = values.use
        self.types = values.types
        self.values = dict(zip([o.name for o in self.form.operands], op.operands, strict=False))
        self.rest = op.operands[len(self.form.operands) :]
        self.items = [
            item for item in self.syntax.items if not item.optional or item.names[0] in given
        ]

    def ssa(self, names: Sequence[Name]) -> tuple[str, ...]:
        left = f"{named(names)} = " if names else ""
        listed, returned = self._listed(), self._returned()
        return (
            *self._with_clauses(f"{left}{self.op.name}{_spaced(self._text())}{self._entries()}"),
            *([f" : {listed}"] if listed else ()),
            *([f" -> {returned}"] if returned else ()),
        )

    def destinations(self, names: Sequence[Name]) -> tuple[str, ...]:
        inside = self._with_clauses((self._text() + self._entries()).lstrip())
        results = {r.name for r in self.form.results}
        listed = "" if results & set(self.syntax.listed) else self._listed()
        parts = [self.op.name]
        if any(inside):
            inside += [f" : {listed}"] if listed else []
            parts = [f"{self.op.name} ins({inside[0]}", *inside[1:]]
            parts[-1] += ")"
        if names:
            kinds = ", ".join(str(self.types[r]) for r in self.op.results)
            parts.append(f" outs({named(names)} : {kinds})")
        return tuple(parts)

    def assembly(self, names: Sequence[Name]) -> tuple[str, ...] | None:
        """None where even all types would not tell this form from another."""
        found = matcher(self.record)
        letters = "".join(PACK * size if size else "v" for _, size in names)
        letters += "".join(LETTERS[item.kind] for item in self.items)
        entries = tuple(
            a.name
            for a in self.syntax.entries
            if (word_of(a, self.op.attrs[a.name]) if a.clause else a.name in self.given)
        )
        slots = [*(self.values[n] for n in _operands(self.items)), *self.rest]
        kinds = [self.types[slot] for slot in slots]
        results = [self.types[r] for r in self.op.results]
        for listed, arrow in self._type_lists(kinds, results):
            count = NO_ARROW if arrow is None else len(arrow)
            outline = LineOutline(letters, self.op.segments, entries, (), len(listed), count)
            line = AssemblyLine(
                outline, [None] * len(results) + kinds, listed, arrow, self._literals()
            )
            chosen = choose(found, readings(found, outline), line)
            if chosen is None:
                continue
            reading, typing = chosen
            same = reading.form == self.op.form and reading.complete and typing.complete
            if same and list(typing.results) == results:
                return self._assembled(names, listed, arrow)
        return None

    def _assembled(
        self, names: Sequence[Name], listed: Sequence[Type], arrow: Sequence[Type] | None
    ) -> tuple[str, ...]:
        text = self._text()
        text = ", ".join([part for part in (named(names), text) if part])
        kinds = ", ".join(map(str, listed))
        if arrow is not None and len(listed) > 1:
            kinds = f"({kinds})"
        head = f"{self.op.name.removeprefix(PREFIX)}{_spaced(text)}{self._entries()}"
        parts = self._with_clauses(head)
        parts += [f" : {kinds}"] if listed else []
        if arrow:
            parts.append(f" -> {', '.join(map(str, arrow))}")
        return tuple(parts)

    def _type_lists(
        self, operands: Sequence[Type], results: Sequence[Type]
    ) -> Iterator[tuple[Sequence[Type], Sequence[Type] | None]]:
        """Type lists that may be enough, the shortest first."""
        likely: list[Type] = [t for t in operands if isinstance(t, Ptr)]
        likely += [t for t in (*results, *operands) if isinstance(t, VReg)]
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
                return self.use(self.values[item.names[0]])
            case "address":
                base, offset = (self.use(self.values[name]) for name in item.names)
                return f"{base}[{offset}]"
            case "token" | "integer":
                return literal(self.op.attrs[item.names[0]])
            case "word":
                return str(self.op.attrs[item.names[0]])
            case "pipe":
                return f"#pto.pipe<{self.op.attrs[item.names[0]]}>"
            case "open":
                return "["
            case "close":
                return "]"

    def _entries(self) -> str:
        """The attribute dictionary."""
        given = self.given
        entries = [
            a.name if a.is_unit and given[a.name] else f"{a.name} = {entry(a, given[a.name])}"
            for a in self.syntax.entries
            if a.name in given and not a.clause
        ]
        return f" {{{', '.join(entries)}}}" if entries else ""

    def _with_clauses(self, head: str) -> list[str]:
        """The parts of a line from its head to its last clause."""
        clauses: list[tuple[str, list[str]]] = []
        at = 0
        for keyword, count in self.op.segments:
            clauses.append((keyword, [self.use(slot) for slot in self.rest[at : at + count]]))
            at += count
        return with_clauses(self.form, head, clause_texts(self.form, self.op.attrs, clauses))

    def _literals(self) -> list[AttrValue]:
        kinds = ("token", "word", "integer", "pipe")
        return [self.op.attrs[item.names[0]] for item in self.items if item.kind in kinds]

    def _listed(self) -> str:
        """The types between colon and arrow."""
        if not self.syntax.typed:
            return ""
        results = zip([r.name for r in self.form.results], self.op.results, strict=True)
        known = {**self.values, **dict(results)}
        listed = [str(self.types[known[name]]) for name in self.syntax.listed]
        word = str(self.op.attrs[self.syntax.repeated]) if self.syntax.repeated else ""
        rest = [str(self.types[slot]) for slot in self.rest]
        return type_list(self.syntax, listed, word, self.op.segments, rest)

    def _returned(self) -> str:
        """The types behind the arrow."""
        if not self.syntax.typed or not self.syntax.returned:
            return ""
        known = dict(zip([r.name for r in self.form.results], self.op.results, strict=True))
        return ", ".join(str(self.types[known[name]]) for name in self.syntax.returned)


def type_list(
    syntax: Syntax, listed: Sequence[str], word: str, segments: Segments, rest: Sequence[str]
) -> str:
    """The types before the arrow: those of the operands, a word that is repeated, and those of the
    clauses."""
    named = {keyword for keyword, _ in marks(syntax, segments, 0)}
    bracketed = {group.keyword for group in syntax.groups if group.bracketed}
    parts = [*listed, *([word] if word else ())]
    at = 0
    for keyword, count in segments:
        kinds = ", ".join(rest[at : at + count])
        at += count
        if keyword in bracketed:
            kinds = f"({kinds})"
        if keyword in named:
            kinds = f"{keyword}{'' if keyword in bracketed else ' '}{kinds}"
        parts += [kinds] if count else []
    return ", ".join(parts)


def entry(attr: Attr, value: AttrValue) -> str:
    """The value of an entry of the dictionary; one of a set with a name as compilers read it."""
    if attr.is_flag:
        return "true" if value else "false"
    return f"#pto<{attr.kind} {value}>" if attr.kind else literal(value)


def literal(value: AttrValue) -> str:
    """The value of an instruction's attribute as text, strings quoted."""
    return quoted(value) if isinstance(value, str) else str(value)


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
