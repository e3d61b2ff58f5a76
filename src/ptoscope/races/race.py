"""What is known about a race."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from ptoscope.diagnostics import Edit
from ptoscope.trace.trace import REGISTERS, SPACE_NAMES, Place, Trace

PIPES_RACE = "PTO0701"
COPIES_RACE = "PTO0702"
SCOPE_RACE = "PTO0703"
BLOCKS_RACE = "PTO0704"
CORES_RACE = "PTO0706"

_SPACES = {**SPACE_NAMES, REGISTERS: "register"}

RaceKind = Literal["RAW", "WAR", "WAW"]


@dataclass(frozen=True)
class Side:
    """One of the two accesses: the execution of an instruction. `anchor` is what stands among
    the synchronisation: the instruction, or the vecscope around it."""

    event: int
    place: Place
    anchor: Place
    pipe: str
    block: int
    iteration: tuple[tuple[str, int], ...]
    writes: bool
    core: int = 0
    """Which core of its block."""
    core_title: str = ""
    """As messages write it, where there are several."""

    @property
    def line(self) -> int:
        return self.place.span.line

    @property
    def verb(self) -> str:
        return "writes" if self.writes else "reads"


class Remedy(NamedTuple):
    """A sentence for the hint, and the edits that do it; none where the text cannot be changed
    safely."""

    text: str
    fix: tuple[Edit, ...] = ()


@dataclass(frozen=True)
class Race:
    """Two accesses to the bytes `first` to `last` (inclusive) of a space (of `trace`: a core's own
    memory, -2 special registers, else the position of an argument) that nothing orders, `early`
    before `late` in program order; of two cores, which have none, in any order. They meet in so
    many `runs` of bytes; in one run it is every byte from `first` to `last`.

    `count` is how often the two places meet so; the sides are those of the first time.
    `remedies` are changes that should order them, the smallest first.
    """

    code: str
    early: Side
    late: Side
    space: int
    first: int
    last: int
    runs: int
    count: int
    remedies: tuple[Remedy, ...] = ()

    @property
    def remedy(self) -> str:
        """What to do, in words."""
        return self.remedies[0].text if self.remedies else ""

    @property
    def fix(self) -> tuple[Edit, ...]:
        """The same as a change of the text; empty where there is none."""
        return self.remedies[0].fix if self.remedies else ()

    @property
    def kind(self) -> RaceKind:
        if self.early.writes:
            return "WAW" if self.late.writes else "RAW"
        return "WAR"

    def as_json(self) -> dict[str, object]:
        """The stable JSON form."""
        return {
            "code": self.code,
            "kind": self.kind,
            "space": _SPACES.get(self.space, f"argument {self.space}"),
            "first_byte": self.first,
            "last_byte": self.last,
            "runs": self.runs,
            "count": self.count,
            "early": _side(self.early),
            "late": _side(self.late),
            "remedy": self.remedy,
        }


def _side(side: Side) -> dict[str, object]:
    return {
        "line": side.line,
        "instruction": side.place.name,
        "pipe": side.pipe,
        "block": side.block,
        "core": side.core_title,
        "iteration": [{"loop": name, "value": value} for name, value in side.iteration],
        "writes": side.writes,
    }


def side(trace: Trace, event: int, writes: bool) -> Side:
    """The access of an event."""
    place = trace.places[int(trace.events.place[event])]
    anchor = place if place.scope < 0 else trace.places[place.scope]
    iteration = int(trace.events.iteration[event])
    return Side(
        event,
        place,
        anchor,
        place.pipe,
        int(trace.events.block[event]),
        tuple(trace.iteration(iteration)),
        writes,
        int(trace.events.core[event]),
        trace.core_title(event),
    )
