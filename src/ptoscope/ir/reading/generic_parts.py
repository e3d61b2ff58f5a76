"""The parts of an operation in generic form."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Self

from ptoscope.ir.attributes import Attribute, Segments
from ptoscope.ir.module import Note
from ptoscope.ir.reading.attributes import dictionary
from ptoscope.ir.reading.findings import STRUCTURE, SYNTAX, WRONG_OPERANDS
from ptoscope.ir.reading.reader import Body, Reader
from ptoscope.ir.types import TextType
from ptoscope.isa.scalar import strict_vecscope
from ptoscope.isa.types import AttrValue
from ptoscope.program import Op

_ISOLATED = ("func.func", strict_vecscope.name)


@dataclass
class GenericParts:
    """What stands in the text of one operation. `places` are the tokens of its operands."""

    reader: Reader
    name: int
    word: str
    places: tuple[int, ...]
    properties: dict[str, Attribute]
    bodies: list[Body]
    attributes: dict[str, Attribute]
    results: list[TextType]
    head: int
    values: list[int]

    @classmethod
    def read(cls, reader: Reader, name: int, word: str) -> Self:
        """Reads `(%a) <{...}> ({...}) {...} : (T, ...) -> T` behind a name."""
        reader.expect("(")
        places = tuple(reader.value_list(")"))
        values = [reader.use(place) for place in places]
        if reader.text[reader.i] == "[":
            message = "successors are not supported: kernels have no branches"
            raise reader.findings.stop(STRUCTURE, reader.i, message, found="[")
        properties: dict[str, Attribute] = {}
        if reader.accept("<"):
            properties = dictionary(reader)
            reader.expect(">")
        bodies: list[Body] = []
        if reader.accept("("):
            while not bodies or reader.accept(","):
                bodies.append(reader.body(isolated=word in _ISOLATED, labelled=True))
            reader.expect(")")
        attributes = dictionary(reader) if reader.text[reader.i] == "{" else {}
        reader.expect(":")
        at = reader.i
        if reader.text[at] != "(":
            raise reader.findings.expected(at, "'('")
        listed = reader.type_list()
        reader.expect("->")
        results = reader.type_list()
        if len(listed) != len(places):
            message = f"{word} has {len(places)} operands, but {len(listed)} types"
            raise reader.findings.stop(
                WRONG_OPERANDS, at, message, found=str(len(listed)), expected=str(len(places))
            )
        for value, type in zip(values, listed, strict=True):
            reader.agree(value, type, at)
        head = bodies[0].braces[0] if bodies else reader.i - 1
        return cls(
            reader, name, word, places, properties, bodies, attributes, results, head, values
        )

    def wrong(self, what: str, found: int, wanted: int | str) -> Exception:
        """Collects a wrong number of something; the caller raises what this returns."""
        message = f"{self.word} takes {wanted} {what}, found {found}"
        return self.reader.findings.stop(
            WRONG_OPERANDS, self.name, message, found=str(found), expected=str(wanted)
        )

    def counts(self, operands: int | None, results: int | None) -> None:
        """Checks the numbers of operands and results; None is any."""
        if operands is not None and len(self.places) != operands:
            raise self.wrong("operands", len(self.places), operands)
        if results is not None and len(self.results) != results:
            raise self.wrong("results", len(self.results), results)

    def gather(self, known: Collection[str]) -> None:
        """Makes properties of the attributes of an instruction, by their own names."""
        aliases = self.reader.language.matcher(self.word).aliases
        for name in [n for n in self.attributes if n in known or n in aliases]:
            self.properties.setdefault(name, self.attributes.pop(name))
        for alias in [n for n in self.properties if n in aliases]:
            name = aliases[alias]
            if name in self.properties:
                message = f"attribute '{name}' is written twice"
                raise self.reader.findings.stop(SYNTAX, self.name, message, found=alias)
            self.properties[name] = self.properties.pop(alias)

    def make(
        self,
        note: Note,
        attrs: dict[str, AttrValue] | None = None,
        form: int = 0,
        segments: Segments = (),
    ) -> Op:
        """Makes the operation, which has no bodies."""
        return self.reader.make(
            self.name, self.word, self.values, self.results, note, attrs, (), form, segments
        )
