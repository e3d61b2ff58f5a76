"""A random program's text, line by line, and what other spellings of it need to know."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ptoscope import ir
from ptoscope.isa.types import Type
from tests.fuzz.text import MARK

NAME = re.compile(r"%\w+")
_STRING = re.compile(r'("[^"]*")')
_CONSTANT = re.compile(r"(%\w+) = arith\.constant (-?[\w.]+) : \w+")
_OPERATION = re.compile(r"(?:(?P<left>%[^=]*) = )?(?P<name>[\w.]+)(?P<rest>.*)")
_DECIDING = ("pto.vlds ", "pto.vsts ", "pto.mte_", "pto.copy_")
_STRUCTURE = ("module", "func.", "scf.", "return", "}", "^", '"scf.', '"func.', '"builtin.')


@dataclass(frozen=True)
class Line:
    """A line: its blanks, its operation or part of one, and the mark of a fault."""

    indent: str
    code: str
    mark: str = ""

    @classmethod
    def of(cls, text: str) -> Line:
        code = text.lstrip()
        mark = MARK if code.endswith(MARK) else ""
        return cls(text[: len(text) - len(code)], code.removesuffix(mark), mark)

    def __str__(self) -> str:
        return f"{self.indent}{self.code}{self.mark}"

    @property
    def is_leaf(self) -> bool:
        """Whether it is an operation without a body, and none that ends one."""
        name = self.code.partition(" = ")[2] if self.code.startswith("%") else self.code
        return bool(name) and not name.startswith(_STRUCTURE) and not name.endswith("{")

    def parts(self) -> tuple[str, str, str]:
        """Results, name and the rest of an operation in SSA form."""
        match = _OPERATION.fullmatch(self.code)
        assert match is not None, self.code
        return match["left"] or "", match["name"], match["rest"]


def lines(text: str) -> list[Line]:
    return [Line.of(row) for row in text.rstrip("\n").split("\n")]


def names(code: str) -> list[str]:
    """The values that a line names; formats have percent signs that begin no name."""
    return NAME.findall(_STRING.sub("", code))


class Facts:
    """A text that can be read, and a source of random choices."""

    def __init__(self, text: str, rng: random.Random) -> None:
        self.text = text
        self.rng = rng
        self.lines = lines(text)
        self._levels: dict[tuple[ir.Level, bool], list[str]] = {}

    @cached_property
    def module(self) -> ir.Module:
        return ir.parse(self.text)

    @cached_property
    def constants(self) -> dict[str, str]:
        """The numbers that are written, by the values that they define."""
        found = (_CONSTANT.fullmatch(line.code) for line in self.lines)
        return {match[1]: match[2] for match in found if match}

    @cached_property
    def types(self) -> dict[str, Type]:
        """The types of values. In a random program a name has one type wherever it stands."""
        return {
            f"%{name}": type
            for function in self.module.program.functions
            for name, type in zip(function.names, function.types, strict=True)
        }

    @cached_property
    def decided(self) -> frozenset[str]:
        """Values that instructions use which tell the memory of their pointers."""
        deciding = (line.code for line in self.lines if any(d in line.code for d in _DECIDING))
        return frozenset(name for code in deciding for name in names(code))

    def level(self, level: ir.Level, generic: bool) -> list[str]:
        """How the printer writes each operation that has no body, in the order of the text."""
        key = level, generic
        if key not in self._levels:
            printed = _joined(lines(ir.print_module(self.module, generic=generic, level=level)))
            found = [line.code for line in printed if line.is_leaf]
            self._levels[key] = [x for x in found if x.split(" = ")[0] not in self.implied]
        return self._levels[key]

    @cached_property
    def implied(self) -> frozenset[str]:
        """The values that stand in the text as numbers."""
        return frozenset(
            f"%{function.names[slot]}"
            for function in self.module.program.functions
            for op in function.ops()
            if (note := self.module.notes.get(op)) is not None and note.implied
            for slot in op.results
        )


def _joined(rows: Sequence[Line]) -> Iterator[Line]:
    """Whole operations: what goes on in the next line is indented by four more."""
    whole: Line | None = None
    for row in rows:
        if whole is not None and len(row.indent) >= len(whole.indent) + 4:
            whole = Line(whole.indent, f"{whole.code} {row.code}", whole.mark or row.mark)
            continue
        if whole is not None:
            yield whole
        whole = row
    if whole is not None:
        yield whole
