"""What is wrong with the synchronisation of one run, by code and place."""

from __future__ import annotations

from ptoscope.check.synchronisation.executions import Execution, UnrolledRun
from ptoscope.check.synchronisation.order import PipeOrder
from ptoscope.check.synchronisation.races import StaticRace
from ptoscope.diagnostics import Span

SHORT, STUCK, SURPLUS = "PTO0601", "PTO0602", "PTO0603"
UNHELD, KEPT = "PTO0605", "PTO0606"
RACE, COPIES, UNFLAGGED = "PTO0607", "PTO0608", "PTO0615"

ProblemKey = tuple[str, tuple[Span, ...]]
"""A code, and the places that it is about."""


class Problems:
    """The order of a run; `found` has the event, or the two of a race, of each problem."""

    def __init__(self, run: UnrolledRun) -> None:
        self.run = run
        self.order = order = PipeOrder(run)
        self.found: dict[ProblemKey, Execution | StaticRace] = {}
        self._add(SHORT, order.short)
        if not order.short:
            self._add(STUCK, order.stuck[:1])
        self._add(SURPLUS, order.left)
        self._add(UNHELD, order.unheld + order.again)
        self._add(KEPT, order.kept)
        for item in order.races:
            one_pipe = item.early.node.pipe == item.late.node.pipe
            spans = item.early.node.op.span, item.late.node.op.span
            self.found.setdefault((COPIES if one_pipe else RACE, spans), item)
        for item in order.unflagged:
            spans = item.early.node.op.span, item.late.node.op.span
            self.found.setdefault((UNFLAGGED, spans), item)

    def _add(self, code: str, indices: list[int]) -> None:
        for i in indices:
            event = self.run.events[i]
            self.found.setdefault((code, (event.node.op.span,)), event)
