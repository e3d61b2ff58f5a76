"""Between which cycles a total lies, where what is published leaves figures open.

Figures of one kind go to their ends together: a log that has one size says what bandwidth and
start-up are in sum, so that the more the one takes the less is left to the other. The run is
scheduled with all open figures at the first of their ends and at the second; what happens inside
vecscopes is not done again, none of these figures is in it.
"""

from __future__ import annotations

from dataclasses import dataclass

from ptoscope.timing.pipe_work import pipe_work
from ptoscope.timing.pipes import schedule
from ptoscope.timing.run import TimedRun


@dataclass(frozen=True)
class OpenFigure:
    """A figure that is open: the name by which it is given, its ends, and why. The note begins
    with what the figure is of and what it rests on."""

    set: str
    ends: list[float]
    note: str


@dataclass(frozen=True)
class CycleRange:
    """The least and the most cycles of the total, and the figures that leave it open."""

    low: int
    high: int
    reasons: list[OpenFigure]

    def __str__(self) -> str:
        named = ", ".join(dict.fromkeys(reason.set.rpartition(".")[0] for reason in self.reasons))
        bases = " and ".join(dict.fromkeys(r.note.split(": ")[1] for r in self.reasons))
        return (
            f"{self.low} to {self.high} cycles: start-up and bandwidth of {named} rest on {bases}"
        )


def find(timing: TimedRun) -> CycleRange | None:
    """The range of a run; None where no figure that it used is open."""
    reasons = [
        OpenFigure(name, list(figure.ends), figure.note)
        for name, (_, _, figure) in timing.figures.items()
        if figure.ends is not None
    ]
    if not reasons:
        return None
    totals = [timing.total_cycles, *timing.meanwhile(lambda: [_at(timing, e) for e in (0, 1)])]
    return CycleRange(min(totals), max(totals), reasons)


def _at(timing: TimedRun, end: int) -> int:
    """The total with all open figures at one end."""
    model = type(timing.model)(timing.model.overrides)
    model.end = end
    return schedule(timing.events, pipe_work(model, timing.events, timing.scopes)).total
