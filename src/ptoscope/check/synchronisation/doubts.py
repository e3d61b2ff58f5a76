"""Races in which the order of the text is itself in doubt: making it certain would not help."""

from __future__ import annotations

from ptoscope.check.analysis.nodes import Touch
from ptoscope.check.synchronisation.executions import Execution
from ptoscope.check.synchronisation.problems import ProblemKey, Problems
from ptoscope.check.synchronisation.races import StaticRace, overlap, touch_of
from ptoscope.isa.parts import MEMORIES
from ptoscope.isa.types import Space

IN_DOUBT = "; is line {0} meant to read what is written here? Then it has to come after it"
"""What to think about, by the line that reads."""


def doubtful(problems: Problems) -> dict[ProblemKey, StaticRace]:
    """Races of a read that comes before a write to memory of the core, where nothing has written
    before what is read, or nothing reads afterwards what is written: it may be this write that
    the read is for."""
    events = problems.run.events
    places = {id(event): at for at, event in enumerate(events)}
    found: dict[ProblemKey, StaticRace] = {}
    for key, item in problems.found.items():
        if not isinstance(item, StaticRace):
            continue
        early, late = touch_of(item.early), touch_of(item.late)
        if not isinstance(early, Touch) or not isinstance(late, Touch):
            continue
        if early.writes or not late.writes or not MEMORIES[late.space].on_core:
            continue
        before = reversed(events[: places[id(item.early)]])
        after = events[places[id(item.late)] + 1 :]
        filled = any(_meets(event, item, late.space, writes=True) for event in before)
        used = any(_meets(event, item, late.space, writes=False) for event in after)
        if not filled or not used:
            found[key] = item
    return found


def _meets(event: Execution, item: StaticRace, space: Space, writes: bool) -> bool:
    """Whether an access may be one of the bytes of a race."""
    node = event.node
    if not isinstance(node, Touch) or node.writes is not writes or node.space != space:
        return False
    if node.may.start.variable != item.base:
        return True
    return overlap(node.may.rows(), [(item.first, item.last + 1)]) is not None
