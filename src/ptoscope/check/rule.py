"""What a rule is, and what it sees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count
from typing import Any, NamedTuple, TypeVar

from ptoscope.budget import analysis_budget
from ptoscope.check.analysis import Analysis, analyse
from ptoscope.check.flow import Values
from ptoscope.check.positions import Positions
from ptoscope.check.text import Text
from ptoscope.diagnostics import Diagnostic, Edit, Span
from ptoscope.isa.parts import ALONE, CoreId
from ptoscope.isa.record import Site
from ptoscope.isa.targets import Revision, Target
from ptoscope.isa.types import Type
from ptoscope.program import Function, Op, Program, site_of

T = TypeVar("T")


@dataclass(frozen=True)
class Finding:
    """Something wrong at a place; the rule adds its code."""

    span: Span
    message: str
    found: str = ""
    expected: str = ""
    hint: str = ""
    fix: tuple[Edit, ...] = ()
    """Applied together, they make this finding go away and no other one appear."""
    severity: str = ""
    """Where it is not that of the rule."""


@dataclass(frozen=True)
class Context:
    """One function under check, as one core runs it."""

    program: Program
    function: Function
    target: Target
    revision: Revision
    core: CoreId = ALONE
    """The core of a block whose memory and pipes are looked at."""
    block: list[Context] = field(default_factory=list["Context"], compare=False, repr=False)
    """The same function as every core of a block runs it, where there are several."""
    whole_text: Text | None = field(default=None, compare=False, repr=False)
    """That of the program, where its functions share it."""
    _made: dict[Any, Any] = field(default_factory=dict[Any, Any], compare=False, repr=False)

    @property
    def others(self) -> list[Context]:
        """The function as the other cores of the block run it."""
        return [context for context in self.block if context is not self]

    @property
    def leads(self) -> bool:
        """Whether it is the first core of a block of several: what is about all is said there."""
        return bool(self.block) and self.block[0] is self

    @cached_property
    def values(self) -> Values:
        """Where the values of the function come from."""
        return Values(self.function)

    @property
    def analysis(self) -> Analysis:
        """What the function does to memory and to its pipes."""
        return self.once(_analysis)

    @cached_property
    def positions(self) -> Positions:
        """Where its operations stand among each other."""
        return Positions(self.function)

    @cached_property
    def text(self) -> Text:
        """Where the operations stand in the text."""
        return self.whole_text or Text(self.program)

    @cached_property
    def _names(self) -> set[str]:
        return {name.partition("#")[0] for name in self.function.names}

    @cached_property
    def _numbers(self) -> dict[str, Iterator[int]]:
        """Of names that were taken the numbers that are not."""
        return {}

    def once(self, make: Callable[[Context], T]) -> T:
        """`make(self)`, called once, with a budget of its own: for what several rules ask for. An
        exception of it is raised for each of them."""
        if make not in self._made:
            try:
                with analysis_budget():
                    self._made[make] = make(self)
            except Exception as error:
                self._made[make] = _Failed(error)
        made = self._made[make]
        if isinstance(made, _Failed):
            raise made.error
        return made

    def types(self, slots: tuple[int, ...]) -> tuple[Type, ...]:
        """The types of values."""
        return tuple(self.function.types[slot] for slot in slots)

    def site(self, op: Op) -> Site:
        """One use as its record sees it."""
        return site_of(self.function, op, self.target, self.revision)

    def operand_span(self, op: Op, index: int) -> Span:
        """Where an operand is written; the operation itself where that is not known."""
        return op.operand_spans[index] if index < len(op.operand_spans) else op.span

    def name(self, slot: int) -> str:
        """A value as the text names it."""
        return f"%{self.function.names[slot]}"

    def new_name(self, wanted: str) -> str:
        """A name for a new value that neither the function nor another fix of it has."""
        name, numbers = wanted, self._numbers.setdefault(wanted, count(1))
        while name in self._names:
            name = f"{wanted}_{next(numbers)}"
        self._names.add(name)
        return f"%{name}"


class _Failed(NamedTuple):
    """What is there instead of an analysis that raised an exception."""

    error: Exception


def _analysis(context: Context) -> Analysis:
    return analyse(context.function, context.target, context.revision, core=context.core)


def list_contexts(program: Program, target: Target, revision: Revision) -> list[Context]:
    """Of every function of a program."""
    text = Text(program)
    return [Context(program, f, target, revision, whole_text=text) for f in program.functions]


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
            diagnostic = context.program.diagnostic(
                self.code,
                finding.span,
                finding.message,
                severity=finding.severity or self.severity,
                found=finding.found,
                expected=finding.expected,
                hint=finding.hint,
            )
            yield replace(diagnostic, fix=finding.fix) if finding.fix else diagnostic
