"""What a core decides by values: repetitions, faults, events, buffers, signals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ptoscope.isa.lanes import Lanes
from ptoscope.isa.record import Site
from ptoscope.machine.core import ReferenceCore
from ptoscope.machine.lanes import NumpyLanes
from ptoscope.machine.memory import Memory
from ptoscope.machine.shadow.findings import REACHES_BRANCH, Findings
from ptoscope.machine.shadow.lanes import ShadowLanes
from ptoscope.machine.shadow.origins import Origins
from ptoscope.machine.shadow.pipes import ShadowPipes


class DecidingCore(ReferenceCore):
    """The reference core; an undefined value that decides what happens is a finding."""

    def __init__(
        self,
        memory: Memory,
        block: int,
        grid: int,
        max_steps: int | None,
        findings: Findings,
        book: Origins,
    ) -> None:
        super().__init__(memory, block, grid, max_steps)
        self.book = book
        book.turns = self.turns
        self.findings = findings
        self.pipes = ShadowPipes(book)

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
        super().repeat(count, lambda turn: body(self.shadowed(turn)))

    def refuse(self, site: Site, condition: Lanes, code: str, message: str) -> None:
        self._decides(site, "whether it is a fault", condition)
        super().refuse(site, condition, code, message)

    def signal(self, site: Site, kind: str, unit: Lanes, event: Lanes) -> None:
        self._decides(site, "the signal", unit, event)
        super().signal(site, kind, unit, event)

    def await_signal(self, site: Site, kind: str, unit: Lanes, event: Lanes) -> None:
        self._decides(site, "the signal", unit, event)
        super().await_signal(site, kind, unit, event)

    def set_flag(self, site: Site, src: str, dst: str, event: Lanes) -> None:
        self._decides(site, "the event", event)
        super().set_flag(site, src, dst, event)

    def wait_flag(self, site: Site, src: str, dst: str, event: Lanes) -> None:
        self._decides(site, "the event", event)
        super().wait_flag(site, src, dst, event)

    def get_buf(self, site: Site, pipe: str, buffer: Lanes, mode: Lanes) -> None:
        self._decides(site, "the buffer", buffer, mode)
        super().get_buf(site, pipe, buffer, mode)

    def rls_buf(self, site: Site, pipe: str, buffer: Lanes, mode: Lanes) -> None:
        self._decides(site, "the buffer", buffer, mode)
        super().rls_buf(site, pipe, buffer, mode)
