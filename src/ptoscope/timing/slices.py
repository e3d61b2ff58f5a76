"""A schedule as slices: what was going on where, from when on and for how long, in columns.

A track is one of a block's pipes, or a place in the vector core where instructions start. The
export for Perfetto and the page are made of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ptoscope.isa.order.kinds import RULES
from ptoscope.isa.parts import PIPES
from ptoscope.timing.critical import awaited, path_pieces
from ptoscope.timing.run import TimedRun
from ptoscope.trace.trace import Column

WORK, WAIT, ISSUE, INSTRUCTION = range(4)
KINDS = ("work", "wait", "issue", "instruction")
"""What a slice is: work of a pipe, its waiting, the scalar unit's issue, an instruction of a
vecscope."""
CORE_TRACKS = 100
"""The tracks of the vector core come after those of the pipes, from this number on."""

NO_STALL, RESULT, ROOM = 0, 1, 2
STALLS = (
    "",
    "waits for a result",
    "finds no room",
    *dict.fromkeys(rule.stall for rule in RULES if rule.stall),
)
"""Why something started later than it was its turn. The first is none."""


@dataclass(frozen=True, eq=False)
class Slices:
    """One row for each slice. `core` is the core of its block. `start` and `length` are cycles of
    the block; `event` is the row of the trace, `place` its place. `stall` says why it
    came late (into STALLS), `stalled` by how many cycles, `on` the place it was for, or -1.
    `critical` marks the critical path. `row` is the event's number among those of the pipes, or
    among the instructions of vecscopes."""

    block: Column
    core: Column
    track: Column
    start: Column
    length: Column
    kind: Column
    event: Column
    place: Column
    stall: Column
    stalled: Column
    on: Column
    critical: Column
    row: Column
    arrows: Column
    """Two columns: the slice that an arrow leaves, and the slice of the wait that it leads to."""
    left_out: int = 0
    """How many were left out, those that start last."""

    def __len__(self) -> int:
        return len(self.start)


def track_name(timing: TimedRun, track: int) -> str:
    """The name of a track."""
    return timing.model.tracks[track - CORE_TRACKS] if track >= CORE_TRACKS else PIPES[track]


def slices(timing: TimedRun, limit: int) -> Slices:
    """The slices of a run; with more than the limit, those that start first."""
    parts = [*_pipes(timing), *_core(timing)]
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    size = len(joined["start"])
    order = np.argsort(joined["start"], kind="stable")[:limit]
    kept = np.sort(order)
    columns = {name: column[kept] for name, column in joined.items()}
    found = Slices(**columns, arrows=np.zeros((0, 2), np.int64), left_out=size - len(kept))
    return replace(found, arrows=_arrows(timing, found))


def _part(
    timing: TimedRun, rows: Column, kind: int, track: Column, **columns: Column
) -> dict[str, Column]:
    """One kind of slices, of some events of the pipes."""
    events = timing.events
    none = np.zeros(len(rows), dtype=np.int64)
    return {
        "block": events.block[rows],
        "core": events.unit[rows] % events.cores,
        "track": track,
        "kind": np.full(len(rows), kind),
        "event": events.event[rows],
        "place": events.place[rows],
        "stall": none,
        "stalled": none,
        "on": none - 1,
        "critical": none,
        "row": rows,
        **columns,
    }


def _pipes(timing: TimedRun) -> list[dict[str, Column]]:
    """What the pipes did, and the scalar unit's issue of it."""
    events, times = timing.events, timing.schedule
    size, cost = len(events), timing.work.issue
    start, wait = times.start[:size], times.wait[:size]
    critical = np.zeros(size, dtype=np.int64)
    on_path = path_pieces(timing).event
    critical[on_path[on_path >= 0]] = 1
    waited = np.flatnonzero(wait)
    found = [
        _part(
            timing,
            waited,
            WAIT,
            events.pipe[waited],
            start=(start - wait)[waited],
            length=wait[waited],
            stall=_stall_numbers()[events.kind[waited]],
            stalled=wait[waited],
            on=events.place[awaited(timing, waited)],
        )
    ]
    if cost.any():
        issued = np.where(events.pipe == 0, start, times.issued[:size])
        for kind in (WORK, ISSUE):
            mine = (events.pipe == 0) == (kind == WORK)
            rows = np.flatnonzero(mine & (events.issues == 1))
            zero = np.zeros(len(rows), dtype=np.int64)
            found.append(
                _part(
                    timing,
                    rows,
                    kind,
                    zero,
                    start=issued[rows],
                    length=cost[rows],
                    critical=critical[rows] * (kind == WORK),
                )
            )
    ends = _ends(timing)
    works = np.flatnonzero((events.pipe != 0) & (events.sync == 0) & (ends > start))
    found.append(
        _part(
            timing,
            works,
            WORK,
            events.pipe[works],
            start=start[works],
            length=(ends - start)[works],
            critical=critical[works],
        )
    )
    return found


def _stall_numbers() -> Column:
    """By the kind of a synchronisation, the number of its stall."""
    return np.array([STALLS.index(rule.stall) for rule in RULES])


def _ends(timing: TimedRun) -> Column:
    """When each event leaves its pipe: done, or before the next one on the pipe starts."""
    events, times = timing.events, timing.schedule
    ends = times.done[: len(events)].copy()
    begin = times.start[: len(events)] - times.wait[: len(events)]
    group = events.unit * len(PIPES) + events.pipe
    order = np.argsort(group, kind="stable")
    following = order[1:]
    same = group[order[:-1]] == group[following]
    first = order[:-1][same]
    ends[first] = np.minimum(ends[first], begin[following[same]])
    return ends


def _core(timing: TimedRun) -> list[dict[str, Column]]:
    """The instructions of vecscopes."""
    scopes, code, events = timing.scopes, timing.code, timing.events
    if scopes.start is None or scopes.track is None or not len(code):
        return []
    assert scopes.latency is not None
    began = np.zeros(len(code.entry_at), dtype=np.int64)
    unit_of = np.zeros(len(code.entry_at), dtype=np.int64)
    entry = timing.trace.events.entry[events.event]
    launched = np.flatnonzero(entry >= 0)
    began[entry[launched]] = timing.schedule.start[launched]
    unit_of[entry[launched]] = events.unit[launched]
    mine = code.entry
    count = len(code)
    at = began[mine] + scopes.start[:count]
    track = CORE_TRACKS + scopes.track[:count]
    order = np.lexsort((np.arange(count), at, track, unit_of[mine]))
    unit = unit_of[mine][order]
    begin, length = _side_by_side(
        unit * 1000 + track[order], at[order], scopes.latency[code.place[order]]
    )
    stall, stalled, on = (column[order] for column in _core_stalls(timing))
    none = np.zeros(count, dtype=np.int64)
    return [
        {
            "block": unit // events.cores,
            "core": unit % events.cores,
            "track": track[order],
            "start": begin,
            "length": length,
            "kind": none + INSTRUCTION,
            "event": code.event[order],
            "place": code.place[order],
            "stall": stall,
            "stalled": stalled,
            "on": on,
            "critical": none,
            "row": order,
        }
    ]


def _core_stalls(timing: TimedRun) -> tuple[Column, Column, Column]:
    """Of each instruction why it started late, by how many cycles, and the place it was for."""
    scopes, code = timing.scopes, timing.code
    count = len(code)
    stall, stalled = np.zeros((2, count), dtype=np.int64)
    on = np.full(count, -1)
    if scopes.ready is not None and scopes.start is not None:
        late = scopes.start[:count] - scopes.ready[:count]
        stall, stalled = np.where(late > 0, ROOM, stall), np.maximum(late, 0)
    if scopes.waited is not None and scopes.bound is not None:
        waited = scopes.waited[:count]
        stall = np.where(waited > 0, RESULT, stall)
        stalled = np.where(waited > 0, waited, stalled)
        on = np.where(waited > 0, code.place[np.maximum(scopes.bound[:count], 0)], on)
    return stall, stalled, on


def _side_by_side(group: Column, start: Column, latency: Column) -> tuple[Column, Column]:
    """Begins and lengths of slices on tracks, sorted: up to the next one; several that start in
    one cycle share it."""
    fresh = np.ones(len(start), dtype=bool)
    fresh[1:] = (group[1:] != group[:-1]) | (start[1:] != start[:-1])
    first = np.flatnonzero(fresh)
    sizes = np.diff(np.append(first, len(start)))
    rank = np.arange(len(start)) - np.repeat(first, sizes)
    room = np.full(len(first), np.iinfo(np.int64).max)
    room[:-1] = np.where(group[first[1:]] == group[first[:-1]], np.diff(start[first]), room[:-1])
    whole = np.minimum(np.maximum(latency, 1), np.repeat(room, sizes))
    share = np.repeat(sizes, sizes)
    return (
        start + np.where(share > 1, rank / share, 0),
        np.where(share > 1, 1 / share, whole),
    )


def _arrows(timing: TimedRun, found: Slices) -> Column:
    """An arrow for each wait, from the slice that stands for what it was for."""
    size = len(timing.events)
    best = np.full(size + 1, -1, dtype=np.int64)
    for kind in (ISSUE, WAIT, WORK):
        mine = np.flatnonzero(found.kind == kind)
        best[found.row[mine]] = mine
    waits = np.flatnonzero(found.kind == WAIT)
    source = best[awaited(timing, found.row[waits])]
    return np.stack((source, waits), axis=1)[source >= 0]
