"""Who makes the values of a kernel: the compiler, or a run as plain Python.

Every instruction that a kernel names is given to the maker of the moment. The compiler writes it
down, and its handles are slots of the function; a plain run executes it, and its handles are
lanes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol

from ptoscope.diagnostics import UsageError
from ptoscope.isa.dtypes import DType
from ptoscope.isa.parts import CoreKind
from ptoscope.isa.record import Record
from ptoscope.isa.targets import Revision, Target
from ptoscope.isa.types import AttrValue, Ptr, Type


class LoopShape(Protocol):
    """A counted loop, as its maker sees it."""

    stages: int

    @property
    def bounds(self) -> tuple[Any, Any, Any]:
        """The lower bound, the upper bound and the step: scalars."""
        ...

    def hidden(self) -> list[Any]:
        """What it carries for itself, as it begins."""
        ...

    def enter(self, index: Any, hidden: list[Any]) -> tuple[Any, list[Any]]:
        """At the begin of an iteration: what the body's target is, and what is carried on."""
        ...


@dataclass(frozen=True)
class ChosenUse:
    """One use of an instruction, all decided: its form, the types of its results, its clauses."""

    record: Record
    results: tuple[Type, ...] = ()
    attrs: Mapping[str, AttrValue] | None = None
    form: int = 0
    segments: tuple[tuple[str, int], ...] = ()


class ValueMaker:
    """Makes values of handles, for one target and revision."""

    target: Target
    revision: Revision

    def make(self, use: ChosenUse, operands: Sequence[Any]) -> tuple[Any, ...]:
        """The handles of the results of an instruction, given the values of its operands."""
        raise NotImplementedError

    def constant(self, dtype: DType, number: int | float) -> Any:
        """The handle of a scalar constant."""
        raise NotImplementedError

    def all_lanes(self, bits: int) -> Any:
        """The handle of the mask with every lane active, of a granularity."""
        raise NotImplementedError

    def allocate(self, kind: Ptr, count: int, at: int | None) -> Any:
        """The handle of the pointer to a new array of `count` elements in its memory; at a
        byte address if one is given."""
        raise NotImplementedError

    def named(self, value: Any, name: str) -> Any:
        """The value, under a name for people, unless the kernel gives it one."""
        return value

    def stage(self, stage: Any) -> None:
        """Says which copy of its arrays the iteration of a pipelined loop uses."""
        raise NotImplementedError

    def elements(self, kind: Ptr, handle: Any, count: int | None) -> Any:
        """The elements in memory from a pointer on, so many or all, as an array of NumPy; None
        where they are not known: before a run."""
        return None

    def iterations(self, loop: LoopShape) -> Iterator[Any]:
        """What the target of a loop is in each iteration; in a plain run only."""
        raise NotImplementedError

    def enter_scope(self) -> None:
        """A vecscope begins; in a plain run only."""
        raise NotImplementedError

    def leave_scope(self, failed: bool) -> None:
        """A vecscope ends; in a plain run only."""
        raise NotImplementedError

    def enter_section(self, core: CoreKind) -> None:
        """What the cores of a kind run begins; in a plain run only."""
        raise NotImplementedError

    def leave_section(self) -> None:
        """It ends; in a plain run only."""
        raise NotImplementedError

    def called(self, helper: Any, given: Any, named: Any) -> Any:
        """What a helper function (a `Template`) returns; in a plain run only."""
        raise NotImplementedError


_current: ContextVar[ValueMaker | None] = ContextVar("maker", default=None)


def current() -> ValueMaker:
    """The maker of the moment; UsageError outside of a kernel."""
    maker = _current.get()
    if maker is None:
        raise UsageError("instructions belong into a kernel: a function under @pto.kernel")
    return maker


def running() -> ValueMaker | None:
    """The maker of the moment, if there is one."""
    return _current.get()


@contextmanager
def making(maker: ValueMaker) -> Iterator[None]:
    """Values are made by this maker until the end of the block."""
    token = _current.set(maker)
    try:
        yield
    finally:
        _current.reset(token)
