"""Where a plain run is: it follows the bodies that the compiler has decided about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ptoscope.diagnostics import PtoError
from ptoscope.isa.parts import CoreKind
from ptoscope.isa.record import Site
from ptoscope.isa.types import Scalar
from ptoscope.lang.compile.bodies import DecidedBody, NewArray, OpenLoop
from ptoscope.lang.compile.function import BuiltKernel
from ptoscope.lang.eager.sections import SectionTurns
from ptoscope.lang.loops import CountedLoop
from ptoscope.lang.maker import ValueMaker
from ptoscope.lang.scalars import ScalarValue
from ptoscope.lang.values import wrapped
from ptoscope.machine.core import ReferenceCore
from ptoscope.machine.elements import storage
from ptoscope.machine.faults import LOOP_STEP, Fault
from ptoscope.machine.lanes import NumpyLanes, number
from ptoscope.program import For, site_of


class OpenBody:
    """A loop, branch or conditional expression that the run is in. `body` is None where Python
    decides it, as the compiler does: it has no body of its own. `value` is the first operand
    of `and` and `or`, `needed` whether the other one is."""

    def __init__(self, body: DecidedBody | None, value: Any = None, needed: bool = True) -> None:
        self.body, self.value, self.needed = body, value, needed
        self.iterations = 0
        self.restart()

    def restart(self) -> None:
        """An iteration begins."""
        self._inner = self._arrays = 0

    def inner(self, count: int = 1) -> list[DecidedBody]:
        """The next bodies inside: that of a loop, or both of a branch."""
        assert self.body is not None
        self._inner += count
        return self.body.inner[self._inner - count : self._inner]

    def array(self) -> NewArray:
        """The array that is allocated next."""
        assert self.body is not None
        self._arrays += 1
        return self.body.arrays[self._arrays - 1]


class FollowingMaker(ValueMaker):
    """A maker that runs the loops of a kernel and knows where it is."""

    def __init__(self, built: BuiltKernel, core: ReferenceCore, turns: SectionTurns) -> None:
        self.built, self.core = built, core
        self.function = built.program.functions[0]
        self.open = [OpenBody(built.whole)]
        self.stages: dict[OpenLoop, int] = {}
        """The copy of their arrays that pipelined loops use now."""
        self.turns = turns
        self._met = 0
        self.section: int | None = None
        """The number of the section that the run is in."""
        self.runs = True
        """Whether what stands here is for this core."""

    @property
    def here(self) -> OpenBody:
        """The innermost inside that has a body."""
        return next(e for e in reversed(self.open) if e.body is not None)

    def stopped(self, fault: Fault) -> PtoError:
        """The error that ends the run because of a fault."""
        if not fault.queued:
            iterations = ["".join(map(str, parts)) for parts in self.core.iterations]
            fault.iterations[:0] = iterations
        block, grid = (self.core.coordinates[which] for which in ("block_idx", "block_num"))
        return PtoError([fault.diagnostic(self.built.program, block, grid)])

    @contextmanager
    def stopping(self) -> Iterator[None]:
        """A fault inside becomes an error."""
        try:
            yield
        except Fault as fault:
            raise self.stopped(fault) from None

    def iterations(self, loop: CountedLoop) -> Iterator[Any]:  # type: ignore[override]
        hidden = loop.hidden()
        (body,) = self.here.inner()
        site = self._site(body)
        first, last, by = (number(bound.handle) for bound in loop.bounds)
        if by <= 0:
            wrong = "the loop's step is not positive"
            raise self.stopped(Fault(site, LOOP_STEP, wrong, str(by), "1 or more"))
        inside = OpenBody(body)
        self.open.append(inside)
        name, kind = self._index_name(body), loop.lower.type
        now, counters = self.core.iterations, self.core.counters
        now.append(())
        counters.append(0)
        for count, value in enumerate(range(first, last, by)):
            now[-1], counters[-1] = (name, value), count
            inside.restart()
            with self.stopping():
                self.core.iteration(site)
            index = wrapped(kind, _scalar(kind, value))
            assert isinstance(index, ScalarValue)
            target, hidden = loop.enter(index, hidden)
            yield target
        now.pop()
        counters.pop()

    def enter_section(self, core: CoreKind) -> None:
        (body,) = self.here.inner()
        self.open.append(OpenBody(body))
        self._met += 1
        self.section = self._met
        self.runs = self.turns.enter(self.core.seat, self.section, core)

    def leave_section(self) -> None:
        self.open.pop()
        if self.runs and self.section is not None:
            self.turns.leave(self.section)
        self.section, self.runs = None, True

    def while_begins(self) -> None:
        """A while loop begins."""
        (body,) = self.here.inner()
        self.open.append(OpenBody(body))
        self.core.iterations.append(())

    def while_goes_on(self) -> None:
        """An iteration of it begins, with its condition."""
        inside = self.open[-1]
        assert inside.body is not None
        inside.restart()
        self.core.iterations[-1] = ("iteration ", inside.iterations, " of scf.while")
        inside.iterations += 1
        with self.stopping():
            self.core.iteration(self._site(inside.body))

    def while_ends(self) -> None:
        """Its condition does not hold."""
        self.core.iterations.pop()

    def stage(self, stage: Any) -> None:
        body = self.open[-1].body
        assert body is not None
        assert body.loop is not None
        self.stages[body.loop] = number(stage.handle)

    def _site(self, body: DecidedBody) -> Site:
        assert body.loop is not None
        assert body.loop.op is not None
        return site_of(self.function, body.loop.op, self.target, self.revision)

    def _index_name(self, body: DecidedBody) -> str:
        assert body.loop is not None
        assert isinstance(body.loop.op, For)
        return f"%{self.function.names[body.loop.op.index]} = "


def _scalar(kind: Scalar, value: int) -> NumpyLanes:
    return NumpyLanes(storage(kind.dtype).type(value), kind.dtype, 1)
