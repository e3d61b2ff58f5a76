"""Reads instructions: one grammar of items for all of them, then the record's forms decide."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, StringAttr
from xdsl.ir import Attribute, SSAValue

from ptoscope.ir.dialect import Instruction
from ptoscope.ir.errors import SYNTAX, WRONG_OPERANDS, Stop
from ptoscope.ir.literals import (
    implied_results,
    integer,
    keep_clauses,
    number,
    python_literal,
    string,
    types_fit,
)
from ptoscope.ir.match import NO_ARROW, Plan, Shape
from ptoscope.ir.module import Note
from ptoscope.ir.reader import Reader
from ptoscope.isa.record import Attr, Form
from ptoscope.isa.targets import PIPE_ALL


def instruction(reader: Reader, name: int) -> Instruction:
    """Reads an instruction of the table."""
    return _Written(reader, name).read()


class _Written:
    """What stands in the text after the name of an instruction."""

    def __init__(self, reader: Reader, name: int) -> None:
        self.reader = reader
        self.name = name
        self.matcher = reader.language.matchers[reader.text[name]]
        self.values: list[int] = []
        self.literals: list[int] = []
        self.items: list[int] = []
        self.entries: dict[str, tuple[Attribute, int]] = {}
        self.listed: list[Attribute] = []
        self.listed_at: list[int] = []
        self.results: list[Attribute] = []
        self.results_at: list[int] = []

    def read(self) -> Instruction:
        reader = self.reader
        text = reader.text
        shape = self._positional()
        clauses: tuple[tuple[str, int], ...] = ()
        if text[reader.i + 1] == "(" and (text[reader.i][:1].isalpha()) and text[reader.i] != "loc":
            clauses = self._clauses()
        if text[reader.i] == "{":
            self._dictionary()
        marks: tuple[tuple[str, int], ...] = ()
        if text[reader.i] == ":":
            reader.i += 1
            if text[reader.i] != "->":
                marks = self._types()
        count = NO_ARROW
        if text[reader.i] == "->":
            reader.i += 1
            self.results_at.append(reader.i)
            self.results = reader.type_list()
            count = len(self.results)
        entries = tuple(self.entries) if self.entries else ()
        return self._build(Shape(shape, clauses, entries, marks, len(self.listed), count))

    def _positional(self) -> str:
        """Items up to the clauses, dictionary or colon; gives their shape."""
        reader = self.reader
        text = reader.text
        i = reader.i
        shape = ""
        bracket = 0
        if self.matcher.bare and text[i][:1] == "%" and self._defines(i):
            return shape
        while True:
            token = text[i]
            first = token[:1]
            self.items.append(i)
            if first == "%":
                self.values.append(i)
                if text[i + 1] == "[":
                    if text[i + 2][:1] != "%":
                        raise reader.findings.expected(i + 2, "a value as offset")
                    if text[i + 3] != "]":
                        raise reader.findings.expected(i + 3, "']'")
                    self.values.append(i + 2)
                    shape += "a"
                    i += 4
                else:
                    shape += "v"
                    i += 1
            elif first == '"':
                if len(token) < 2:
                    raise reader.findings.expected(i, "a closed string")
                self.literals.append(i)
                shape += "s"
                i += 1
            elif first == "[":
                shape += "["
                bracket += 1
                i += 1
                continue
            elif first == "#":
                self.literals.append(i)
                shape += "h"
                i += 1
            elif first.isdecimal() or (first == "-" and token != "->"):
                self.literals.append(i)
                shape += "i"
                i += 1
            else:
                self.items.pop()
                if shape or token == ",":
                    # Reached behind a comma or an opening bracket otherwise.
                    raise reader.findings.expected(i, "an operand")
                break
            while bracket and text[i] == "]":
                self.items.append(i)
                shape += "]"
                bracket -= 1
                i += 1
            if text[i] != ",":
                break
            i += 1
        if bracket:
            raise reader.findings.expected(i, "',' or ']'")
        reader.i = i
        return shape

    def _defines(self, i: int) -> bool:
        """Whether the values from here on are the results of the next operation."""
        text = self.reader.text
        while text[i][:1] == "%" or text[i] in (",", ":") or text[i].isdecimal():
            i += 1
        return text[i] == "="

    def _clauses(self) -> tuple[tuple[str, int], ...]:
        reader = self.reader
        found: list[tuple[str, int]] = []
        while reader.text[reader.i + 1] == "(" and reader.text[reader.i][:1].isalpha():
            keyword = reader.text[reader.i]
            self.items.append(reader.i)
            reader.i += 2
            places = reader.value_list(")")
            self.values += places
            found.append((keyword, len(places)))
        return tuple(found)

    def _dictionary(self) -> None:
        """Entries of the kinds that instructions have; xDSL reads any other dictionary."""
        reader = self.reader
        text = reader.text
        opened = i = reader.i
        i += 1
        while text[i] != "}":
            key = text[i]
            value = text[i + 2]
            simple = text[i + 1] == "=" and (value[:1] == '"' or value.lstrip("-").isdecimal())
            if not simple or not (key[:1].isalpha() or key[:1] == "_"):
                reader.i = opened
                for name, attr in reader.dictionary().items():
                    self.entries[name] = attr, opened
                return
            if key in self.entries:
                message = f"attribute '{key}' is written twice"
                raise reader.findings.stop(SYNTAX, i, message, found=key)
            if value[0] == '"':
                self.entries[key] = self._string(i + 2), i + 2
            else:
                self.entries[key] = integer(int(value)), i + 2
            i += 3
            if text[i] == ":" and value[0] != '"':
                i += 2
            if text[i] == ",":
                i += 1
            elif text[i] != "}":
                raise reader.findings.expected(i, "',' or '}'")
        reader.i = i + 1

    def _types(self) -> tuple[tuple[str, int], ...]:
        """The types before the arrow, with the clause keywords among them."""
        reader = self.reader
        text = reader.text
        listed = self.listed
        marks: list[tuple[str, int]] = []
        inside = text[reader.i] == "("
        if inside:
            reader.i += 1
            if reader.accept(")"):
                return ()
        while True:
            word = text[reader.i]
            if word in self.matcher.keywords:
                marks.append((word, len(listed)))
                reader.i += 1
            self.listed_at.append(reader.i)
            listed.append(reader.type())
            if text[reader.i] != ",":
                break
            reader.i += 1
        if inside and not reader.accept(")"):
            raise reader.findings.expected(reader.i, "',' or ')'")
        return tuple(marks)

    def _build(self, shape: Shape) -> Instruction:
        reader = self.reader
        plans = self.matcher.plans(shape)
        if not plans:
            # What the operands are called is still worth checking.
            for place in self.values:
                reader.use(place)
            raise self._misfit(shape)
        values = [reader.use(place) for place in self.values]
        plan = plans[0] if len(plans) == 1 else self._choose(plans, values)
        for at, listed in enumerate(self.listed):
            if plan.results != "listed":
                value = values[plan.typed[at]]
                if value.type is not listed:
                    reader.agree(value, listed, self.listed_at[at])
        form = self.matcher.record.forms[plan.form]
        properties = self._properties(plan, form)
        if plan.results == "arrow":
            results = self.results
        elif plan.results == "listed":
            results = self.listed
        else:
            results = implied_results(form)
        if shape.clauses:
            keep_clauses(properties, len(form.operands), shape.clauses)
        op = reader.language.classes[self.matcher.record.name].create(
            operands=[values[p] for p in plan.operands],
            result_types=results,
            properties=properties,
        )
        assert isinstance(op, Instruction)
        last = reader.i - 1
        places = tuple([self.values[p] for p in plan.operands])
        reader.notes[op] = Note(0, 0, last, last, places, (), plan.form, shape.clauses)
        return op

    def _choose(self, plans: tuple[Plan, ...], values: list[SSAValue]) -> Plan:
        """The plan that the types fit best; the first of several equals."""

        def fit(plan: Plan) -> tuple[int, int, int]:
            form = self.matcher.record.forms[plan.form]
            listed = 0
            if plan.results == "arrow":
                pairs = zip(plan.typed, self.listed, strict=True)
                listed = sum(values[at].type is type for at, type in pairs)
            operands = [values[p].type for p in plan.operands]
            literals = sum(
                form.attr(name).allows(python_literal(self.reader.text[self.literals[at]]))
                for name, at in plan.attrs
            )
            return types_fit(form, operands, self.results or self.listed), listed, literals

        return max(plans, key=fit)

    def _properties(self, plan: Plan, form: Form) -> dict[str, Attribute]:
        properties: dict[str, Attribute] = {}
        text = self.reader.text
        for name, literal in plan.attrs:
            place = self.literals[literal]
            token = text[place]
            if token[0] == '"':
                properties[name] = self._string(place)
            elif token[0] == "#":
                properties[name] = self._pipe(place)
            else:
                properties[name] = integer(number(token)) if "." not in token else self._no(place)
        for name, (attr, place) in self.entries.items():
            self._check_kind(form.attr(name), attr, place)
            properties[name] = attr
        return properties

    def _no(self, place: int) -> Attribute:
        raise self.reader.findings.expected(place, "an integer")

    def _check_kind(self, attr: Attr, value: Attribute, place: int) -> None:
        kind = StringAttr if attr.values else IntegerAttr
        if not isinstance(value, kind):
            expected = f'a string such as "{attr.values[0]}"' if attr.values else "an integer"
            raise self.reader.findings.stop(
                WRONG_OPERANDS,
                place,
                f"attribute '{attr.name}' takes {expected}",
                found=str(value),
                expected=expected,
            )

    def _string(self, place: int) -> StringAttr:
        token = self.reader.text[place]
        if len(token) < 2:
            raise self.reader.findings.expected(place, "a closed string")
        if "\\" in token:
            raise self.reader.findings.expected(place, "a string without escapes")
        return string(token[1:-1])

    def _pipe(self, place: int) -> StringAttr:
        token = self.reader.text[place]
        head, _, rest = token.partition("<")
        if head != "#pto.pipe":
            raise self.reader.findings.expected(place, "#pto.pipe<...>")
        return string(rest[:-1].strip() if rest else PIPE_ALL)

    def _misfit(self, shape: Shape) -> Stop:
        wrong = self.matcher.mismatch(shape)
        place = self.items[wrong.item] if 0 <= wrong.item < len(self.items) else self.name
        return self.reader.findings.stop(
            WRONG_OPERANDS,
            place,
            wrong.message,
            found=wrong.found,
            expected=wrong.expected,
            hint=wrong.hint,
        )
