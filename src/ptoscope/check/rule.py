"""What a rule is, and what it sees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ptoscope.diagnostics import Diagnostic, Span
from ptoscope.isa.targets import Revision, Target
from ptoscope.isa.types import Type
from ptoscope.program import Function, Op, Program


@dataclass(frozen=True)
class Finding:
    """Something wrong at a place; the rule adds its code."""

    span: Span
    message: str
    found: str = ""
    expected: str = ""
    hint: str = ""


@dataclass(frozen=True)
class Context:
    """One function under check."""

    program: Program
    function: Function
    target: Target
    revision: Revision

    def types(self, slots: tuple[int, ...]) -> tuple[Type, ...]:
        """The types of values."""
        return tuple(self.function.types[slot] for slot in slots)

    def operand_span(self, op: Op, index: int) -> Span:
        """Where an operand is written; the operation itself where that is not known."""
        return op.operand_spans[index] if index < len(op.operand_spans) else op.span


Finder = Callable[[Context], Iterator[Finding]]


@dataclass(frozen=True)
class Rule:
    """One rule: a stable code, what it says in general, and how to find violations."""

    code: str
    title: str
    find: Finder
    severity: str = "error"

    def diagnostics(self, context: Context) -> Iterator[Diagnostic]:
        """The findings of this rule in one function."""
        for finding in self.find(context):
            yield context.program.diagnostic(
                self.code,
                finding.span,
                finding.message,
                severity=self.severity,
                found=finding.found,
                expected=finding.expected,
                hint=finding.hint,
            )
