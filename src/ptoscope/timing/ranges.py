"""Between which cycles a total lies, where what is published leaves figures open.

Figures of one kind go to their ends together: a log that has one size says what bandwidth and
start-up are in sum, so that the more the one takes the less is left to the other. Issue by the
scalar unit and launches of vecscopes, which are assumed, go to theirs. The run is scheduled with
each kind at the first of its ends and at the second; what happens inside vecscopes is not done
again, none of these figures is in it.
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
        copies = [r for r in self.reasons if r.set.startswith(_COPIES)]
        others = sorted(r.set for r in self.reasons if r not in copies)
        said: list[str] = []
        if copies:
            named = ", ".join(dict.fromkeys(r.set.rpartition(".")[0] for r in copies))
            bases = " and ".join(dict.fromkeys(r.note.split(": ")[1] for r in copies))
            said.append(f"start-up and bandwidth of {named} rest on {bases}")
        if others:
            verb = "are" if len(others) > 1 else "is"
            said.append(f"{' and '.join(others)} {verb} assumed")
        return f"{self.low} to {self.high} cycles: {'; '.join(said)}"


_COPIES = "dma."


def find(timing: TimedRun) -> CycleRange | None:
    """The range of a run; None where no figure that it used is open."""
    reasons = [
        OpenFigure(name, list(figure.ends), figure.note)
        for name, (_, _, figure) in timing.figures.items()
        if figure.ends is not None
    ]
    if not reasons:
        return None
    copies = any(reason.set.startswith(_COPIES) for reason in reasons)
    others = any(not reason.set.startswith(_COPIES) for reason in reasons)
    ends = [
        (copy, scalar)
        for copy in ((0, 1) if copies else (0,))
        for scalar in ((0, 1) if others else (0,))
    ]
    totals = timing.meanwhile(lambda: [_at(timing, *each) for each in ends])
    totals.append(timing.total_cycles)
    return CycleRange(min(totals), max(totals), reasons)


def _at(timing: TimedRun, copies: int, scalar: int) -> int:
    """The total with the open figures of copies at one end, and those of the scalar unit and of
    launches at one of theirs."""
    model = type(timing.model)(timing.model.overrides)
    model.end = copies
    model.take_scalar_end(scalar)
    return schedule(timing.events, pipe_work(model, timing.events, timing.scopes)).total
