"""Buffers that overlap, of accesses that are known before a run."""

from __future__ import annotations

from ptoscope.check.analysis.nodes import RegisterTouch, Touch
from ptoscope.check.buffers import BufferAccess, Overlap, overlap_of
from ptoscope.check.rule import Context
from ptoscope.check.synchronisation.executions import Execution
from ptoscope.check.synchronisation.races import touch_of


def overlap_between(
    context: Context, early: Execution, late: Execution, within_scope: bool = False
) -> Overlap | None:
    """Whether two accesses that meet belong to two buffers."""
    one, two = touch_of(early), touch_of(late)
    if isinstance(one, RegisterTouch) or isinstance(two, RegisterTouch):
        return None
    return overlap_of(context.values, _access(one), _access(two), within_scope)


def _access(touch: Touch) -> BufferAccess:
    low, high = touch.may.bounds()
    exact = not touch.may.start.variable.terms
    return BufferAccess(touch.op, touch.writes, touch.space, low, high - 1, exact)
