"""A schedule for people and machines: lines of the source with their cycles, and JSON."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ptoscope.isa.order.kinds import RULES
from ptoscope.program import Scope
from ptoscope.tables import Table
from ptoscope.timing.critical import parts_of
from ptoscope.timing.reasons import Reasons
from ptoscope.timing.run import TimedRun
from ptoscope.timing.stalls import waited_for
from ptoscope.timing.vector_core import CAUSE_COUNT, CAUSES, DEPENDENCY

_WAITS = {rule.stall for rule in RULES}


@dataclass(frozen=True)
class Line:
    """One source line: how often it executed, its cycles (of its pipe; inside a vecscope those
    in which it was the oldest to start or to be held up), how many of them it was held up,
    mostly why, and whether its figures are assumed. All blocks together. `others` has the
    cycles by the target's other models."""

    line: int
    text: str
    times: int
    cycles: int
    stalled: int
    why: str
    assumed: bool
    others: dict[str, int]


@dataclass(frozen=True)
class ModelCycles:
    """The cycles of a run by a model, in all and of each line."""

    total_cycles: int
    by_line: dict[int, int]

    @staticmethod
    def of(timing: TimedRun) -> ModelCycles:
        """Those of a run."""
        return ModelCycles(timing.total_cycles, cycles_by_line(timing))


class Lines(list[Line]):
    """Lines of a source. As text, a table; `*` marks cycles that rest on assumed figures."""

    def __str__(self) -> str:
        return str(self.table())

    def table(self) -> Table:
        """Columns and rows of text."""
        names = tuple(dict.fromkeys(name for line in self for name in line.others))
        columns = ("line", "times", "cycles", *names, "held up", "mostly by", "source")
        return Table(columns, [_row(line, names) for line in self])


def _row(line: Line, names: tuple[str, ...]) -> tuple[str, ...]:
    mark = "*" if line.assumed else ""
    others = (str(line.others[name]) for name in names)
    held = str(line.stalled) if line.stalled else ""
    return (
        str(line.line),
        str(line.times),
        f"{line.cycles}{mark}",
        *others,
        held,
        line.why,
        shortened(line.text),
    )


def shortened(text: str) -> str:
    """A line of a source as tables show it."""
    return text if len(text) <= 56 else f"{text[:53]}..."


def lines(timing: TimedRun, reasons: Reasons, models: Mapping[str, ModelCycles]) -> Lines:
    """The lines that took cycles, in order of the source; `models` as in `as_json`."""
    cycles = cycles_by_line(timing)
    others = {name: other.by_line for name, other in models.items()}
    why = _why(timing, reasons)
    executed = np.bincount(timing.trace.events.place, minlength=len(timing.trace.places))
    times: dict[int, int] = defaultdict(int)
    assumed: set[int] = set()
    for place in timing.trace.places:
        times[place.span.line] = max(times[place.span.line], int(executed[place.index]))
        used = timing.model.used.get(place.index)
        if used is not None and used.assumed and executed[place.index]:
            assumed.add(place.span.line)
    text = timing.program.text.split("\n")
    found = Lines()
    for number in sorted({*cycles, *(n for o in others.values() for n in o)}):
        stalled = sum(c for c, _ in why[number])
        most = max(why[number], default=(0, ""))[1]
        shown = text[number - 1].strip() if 0 < number <= len(text) else ""
        found.append(
            Line(
                number,
                shown,
                times[number],
                cycles.get(number, 0),
                stalled,
                most,
                number in assumed,
                {name: other.get(number, 0) for name, other in others.items()},
            )
        )
    return found


def cycles_by_line(timing: TimedRun) -> dict[int, int]:
    """Cycles of each line over all blocks: inside a vecscope those of the vector core, of the
    vecscope itself startup and drain, of a transfer its pipe's, of a wait the waiting."""
    found: dict[int, int] = defaultdict(int)
    stall = timing.scopes.stall.reshape(-1, CAUSE_COUNT).sum(axis=1)
    times, events = timing.schedule, timing.events
    size = len(timing.trace.places)
    outside, entries = np.zeros((2, size), dtype=np.int64)
    for rows in parts_of(len(events)):
        spent = times.done[rows] - times.start[rows] + times.wait[rows]
        # Of the scalar unit only what an instruction takes beyond its issue.
        issued = (events.scalar[rows] & events.issues[rows]).astype(np.int64)
        spent -= issued * timing.model.issue.cycles
        np.add.at(outside, events.place[rows], spent)
        entries += np.bincount(events.place[rows], minlength=size)
    for place in timing.trace.places:
        if isinstance(place.op, Scope):
            each = timing.scopes.startup + timing.scopes.drain
            cycles = int(entries[place.index]) * each
        elif place.scope >= 0:
            cycles = int(timing.scopes.busy[place.index] + stall[place.index])
        else:
            cycles = int(outside[place.index])
        if cycles:
            found[place.span.line] += cycles
    return dict(found)


def _why(timing: TimedRun, reasons: Reasons) -> dict[int, list[tuple[int, str]]]:
    found: dict[int, list[tuple[int, str]]] = defaultdict(list)
    places = timing.trace.places
    stall = timing.scopes.stall.reshape(-1, CAUSE_COUNT)
    for place, cause in np.argwhere(stall):
        if cause != DEPENDENCY:
            where = places[int(place)].span.line
            found[where].append((int(stall[place, cause]), CAUSES[cause]))
    for (who, on), cycles in waited_for(timing).items():
        where = places[who].span.line
        found[where].append((cycles, f"line {places[on].span.line}"))
    for item in reasons.stalls:
        if item.cause in _WAITS:
            found[item.line].append((item.cycles, f"{item.cause}, for line {item.on}"))
    return found


def vecscopes(timing: TimedRun) -> list[dict[str, int]]:
    """Of each vecscope its line, entries and cycles over all blocks."""
    found: list[dict[str, int]] = []
    for place in timing.trace.places:
        if isinstance(place.op, Scope):
            mine = timing.events.event[timing.events.place == place.index]
            cycles = int(timing.scopes.cycles[timing.trace.events.entry[mine]].sum())
            found.append({"line": place.span.line, "entries": len(mine), "cycles": cycles})
    return found


def as_json(
    timing: TimedRun, reasons: Reasons, models: Mapping[str, ModelCycles]
) -> dict[str, Any]:
    """All that is known, as plain values; `models` is the run by the other models."""
    total = timing.total_cycles
    share = reasons.assumed_cycles / total if total else 0.0
    return {
        "target": timing.model.target,
        "model": timing.model.name,
        "total_cycles": total,
        "other_models": {name: other.total_cycles for name, other in models.items()},
        "blocks": timing.block_cycles,
        "pipes": [asdict(pipe) for pipe in reasons.pipes],
        "vecscopes": vecscopes(timing),
        "stalls": [asdict(stall) for stall in reasons.stalls],
        "holds": [asdict(hold) for hold in reasons.holds],
        "critical_path": [asdict(step) for step in reasons.path],
        "chain": [asdict(step) for step in reasons.chain],
        "loops": [asdict(loop) for loop in reasons.loops],
        "waits": [asdict(wait) for wait in reasons.waits],
        "advised": reasons.advised,
        "double_buffers": [asdict(one) for one in reasons.double_buffers],
        "assumed_share": round(share, 4),
        "assumed": [
            {
                "name": title,
                "figure": name,
                "set": setting,
                "value": figure.value,
                "note": figure.note,
            }
            for setting, (title, name, figure) in reasons.assumed.items()
        ],
        "figures": _figures(timing),
        "lines": [asdict(line) for line in lines(timing, reasons, models)],
    }


def _figures(timing: TimedRun) -> list[dict[str, Any]]:
    """Every figure the total rests on, with its source."""
    return [
        {
            "name": title,
            "figure": name,
            "set": setting,
            "value": figure.value,
            "source": figure.source,
            "document": figure.name,
            "note": figure.note,
        }
        for setting, (title, name, figure) in timing.figures.items()
    ]
