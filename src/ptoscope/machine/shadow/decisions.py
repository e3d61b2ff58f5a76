"""What a core decides by values: repetitions, faults, events, buffers, signals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ptoscope.isa.lanes import Lanes
from ptoscope.isa.order.ledger import Ticket
from ptoscope.isa.order.rules import OrderRule
from ptoscope.isa.parts import ALONE, CoreId
from ptoscope.isa.record import Site
from ptoscope.machine.cluster import Seat
from ptoscope.machine.core import ReferenceCore
from ptoscope.machine.lanes import NumpyLanes
from ptoscope.machine.memory import Memory
from ptoscope.machine.pipes import Pipes, Thunk
from ptoscope.machine.shadow.findings import REACHES_BRANCH, ShadowFindings
from ptoscope.machine.shadow.lanes import ShadowLanes
from ptoscope.machine.shadow.origins import Origins


class DecidingCore(ReferenceCore):
    """The reference core; an undefined value that decides what happens is a finding."""

    def __init__(
        self,
        memory: Memory,
        block: int,
        grid: int,
        max_steps: int | None,
        findings: ShadowFindings,
        book: Origins,
        seat: Seat | None = None,
        core: CoreId = ALONE,
    ) -> None:
        super().__init__(memory, block, grid, max_steps, None, seat, core)
        self.book = book
        book.iterations = self.iterations
        self.findings = findings
        self.pipes = _Pipes(book, seat)

    def shadowed(self, value: Any) -> Any:
        """A value with its shadow: a row that has none is defined."""
        if not isinstance(value, NumpyLanes) or isinstance(value, ShadowLanes):
            return value
        return ShadowLanes(value.a, value.dtype, value.count, self.book)

    def _decides(self, site: Site, what: str, *values: object) -> None:
        for value in values:
            self.findings.decided(REACHES_BRANCH, site, what, value)

    def repeat(self, count: Lanes, body: Callable[[Lanes], None]) -> None:
        if self.book.site is not None:
            self._decides(self.book.site, "the number of repetitions", count)
        super().repeat(count, lambda iteration: body(self.shadowed(iteration)))

    def refuse(
        self,
        site: Site,
        condition: Lanes,
        code: str,
        message: str,
        found: Lanes | None = None,
        expected: str = "",
    ) -> None:
        self._decides(site, "whether it is a fault", condition)
        super().refuse(site, condition, code, message, found, expected)

    def synchronise(
        self, site: Site, rule: OrderRule, src: str, dst: str, numbers: tuple[Lanes, ...]
    ) -> None:
        what = "signal" if rule.between_cores else rule.numbers[0][0] if rule.numbers else ""
        self._decides(site, f"the {what}", *numbers)
        super().synchronise(site, rule, src, dst, numbers)


class _Pipes(Pipes):
    """The same pipes; an instruction runs in the iterations of the loops that issued it, also when
    it had to wait."""

    def __init__(self, book: Origins, seat: Seat | None) -> None:
        super().__init__(None, book.iterations, seat)
        self._book = book

    def issue(
        self,
        pipe: str,
        site: Site,
        thunk: Thunk,
        ticket: Ticket[str] | None = None,
        swaps: bool = False,
    ) -> None:
        """As in Pipes."""
        book = self._book
        issued = (tuple(book.iterations), book.site, book.marks)

        def run() -> object:
            before = (tuple(book.iterations), book.site, book.marks)
            # In place: the loops that run keep hold of this list.
            book.iterations[:], book.site, book.marks = issued
            try:
                return thunk()
            finally:
                book.iterations[:], book.site, book.marks = before

        super().issue(pipe, site, run, ticket, swaps)
