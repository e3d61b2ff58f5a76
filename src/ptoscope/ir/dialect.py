"""The operations of the text, generated from the instruction table."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import Builtin
from xdsl.dialects.func import Func
from xdsl.dialects.scf import Scf
from xdsl.ir import Attribute, Data, Dialect, Operation, OpTraits
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from ptoscope.ir.match import Matcher, matcher
from ptoscope.ir.types import PTO_TYPES
from ptoscope.isa.record import Record


class Instruction(Operation):
    """An operation of the table. Subclasses are generated, one per record."""

    record: ClassVar[Record]
    traits: ClassVar[OpTraits] = OpTraits(lambda: ())


class _WordAttr(Data[str]):
    """An attribute with one word, or none at all: `#pto.pipe`, `#pto.pipe<PIPE_V>`."""

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> str:
        if parser.parse_optional_punctuation("<") is None:
            return ""
        word = parser.parse_identifier()
        parser.parse_punctuation(">")
        return word

    def print_parameter(self, printer: Printer) -> None:
        if self.data:
            printer.print_string(f"<{self.data}>")


@irdl_attr_definition
class PipeAttr(_WordAttr):
    name = "pto.pipe"


@irdl_attr_definition
class KernelKindAttr(_WordAttr):
    name = "pto.kernel_kind"


PTO_ATTRIBUTES: list[type[Attribute]] = [*PTO_TYPES, PipeAttr, KernelKindAttr]

STRUCTURE = (
    "module",
    "func.func",
    "return",
    "func.return",
    "scf.for",
    "scf.if",
    "scf.while",
    "scf.yield",
    "scf.condition",
)
"""The operations that are no instructions."""


PREFIX = "pto."
"""What assembly form leaves out of a name."""


class Language:
    """All that can be written: the table's instructions and the structure around them."""

    def __init__(self, table: Mapping[str, Record]) -> None:
        upstream = {op.name: op for op in arith.Arith.operations}
        self.table = table
        self.classes: dict[str, type[Operation]] = {}
        self.matchers: dict[str, Matcher] = {}
        for name, record in table.items():
            self.classes[name] = upstream.get(name) or _generated(record)
            self.matchers[name] = matcher(record)
        self.mnemonics = frozenset(
            name.removeprefix(PREFIX)
            for name, known in self.matchers.items()
            if name.startswith(PREFIX) and not any(s.region for s in known.syntaxes)
        )
        """The instructions that may be written without their prefix."""

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Everything an operation may be called."""
        return (*self.table, *STRUCTURE)

    def spelled_like(self, word: str) -> tuple[str, ...]:
        """What a word that is no operation may be meant as."""
        if "." in word or PREFIX + word in self.table:
            return self.names
        return (*sorted(self.mnemonics), *STRUCTURE)

    @cached_property
    def context(self) -> Context:
        """An xDSL context in which xDSL's own parser reads the generic form."""
        context = Context()
        context.allow_unregistered = True
        for dialect in (Builtin, Func, Scf):
            context.load_dialect(dialect)
        for name in ("pto", "arith"):
            own = [c for n, c in self.classes.items() if n.startswith(f"{name}.")]
            attributes = PTO_ATTRIBUTES if name == "pto" else list(arith.Arith.attributes)
            context.load_dialect(Dialect(name, own, attributes))
        return context


def _generated(record: Record) -> type[Operation]:
    members: dict[str, Any] = {"name": record.name, "record": record, "__doc__": record.doc}
    return type(record.short, (Instruction,), members)
