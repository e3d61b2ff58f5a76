"""A schedule as a Chrome trace, the JSON that Perfetto and chrome://tracing open.

One process for each block, one track for each of its pipes and for each place in the vector
core where instructions start. A cycle is shown as a microsecond. An arrow leads from the work
that a wait was for to the wait.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ptoscope.isa.parts import PIPES
from ptoscope.timing.pipe_schedule import BY_ORDER
from ptoscope.timing.run import TimedRun

LIMIT = 200_000
"""Slices of a file, unless another number is asked for."""
_FIRST_CORE_TRACK = 100


def chrome_text(timing: TimedRun, limit: int = LIMIT) -> tuple[str, str]:
    """What the file says, and the notice about what was left out, or an empty string."""
    document = chrome_trace(timing, limit)
    text = json.dumps(document, separators=(",", ":"))
    return text, str(document["otherData"].get("notice", ""))


def chrome_trace(timing: TimedRun, limit: int = LIMIT) -> dict[str, Any]:
    """The document. With more slices than the limit, those that start first are in it, and
    `otherData` has a notice."""
    writer = _Writer(timing, limit)
    writer.pipes()
    writer.core()
    slices = writer.slices
    kept = sorted(range(len(slices)), key=lambda i: slices[i].start)[:limit]
    events = [*writer.names(), *(_slice(slices[i]) for i in kept), *writer.arrows(set(kept))]
    model = timing.model
    other: dict[str, Any] = {
        "target": model.target,
        "model": model.name,
        "total_cycles": timing.total_cycles,
        "unit": "one microsecond stands for one cycle",
    }
    if len(kept) < len(slices) or writer.cut:
        last = slices[kept[-1]].start if kept else 0
        other["notice"] = (
            f"only the first {len(kept)} slices are shown, "
            f"up to cycle {last:g} of {timing.total_cycles}"
        )
    return {"traceEvents": events, "displayTimeUnit": "ns", "otherData": other}


@dataclass
class _Slice:
    block: int
    track: int
    start: float
    length: float
    name: str
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])


def _slice(one: _Slice) -> dict[str, Any]:
    return {
        "ph": "X",
        "name": one.name,
        "cat": "cycles",
        "pid": one.block,
        "tid": one.track,
        "ts": one.start,
        "dur": one.length,
        "args": one.arguments,
    }


class _Writer:
    def __init__(self, timing: TimedRun, limit: int) -> None:
        self._timing = timing
        self._limit = limit
        self.cut = False
        """Whether some were left out."""
        self.slices: list[_Slice] = []
        self._work: dict[int, int] = {}
        """The slice of an event's work; of one without work, that of its issue."""
        self._wait: dict[int, int] = {}
        self._issue: dict[int, int] = {}
        self._iterations: dict[int, str] = {}
        self._used: set[tuple[int, int]] = set()

    def _add(self, block: int, track: int, start: float, length: float, place: int,
             name: str = "", **arguments: Any) -> int:  # fmt: skip
        where = self._timing.trace.places[place]
        self._used.add((block, track))
        shown = {"line": where.span.line, **arguments}
        self.slices.append(_Slice(block, track, start, length, name or where.name, shown))
        return len(self.slices) - 1

    def _iteration(self, iteration: int) -> str:
        if iteration not in self._iterations:
            values = self._timing.trace.iteration(iteration)
            self._iterations[iteration] = ", ".join(f"{name} = {value}" for name, value in values)
        return self._iterations[iteration]

    def pipes(self) -> None:
        """What the pipes did, and the scalar unit's issue of it."""
        timing = self._timing
        events, times, work = timing.events, timing.schedule, timing.work
        cost = timing.model.issue.cycles
        iterations = timing.trace.events.iteration[events.event]
        ends = self._ends()
        for e in self._earliest(times.start[: len(events)]):
            block, place, pipe = (int(c[e]) for c in (events.block, events.place, events.pipe))
            more = {"at": self._iteration(int(iterations[e]))} if iterations[e] >= 0 else {}
            start, wait = int(times.start[e]), int(times.wait[e])
            if wait:
                name = f"{timing.trace.places[place].name} waits"
                self._wait[e] = self._add(block, pipe, start - wait, wait, place, name, **more)
            if pipe == 0:
                if cost:
                    self._issue[e] = self._add(block, 0, start, cost, place, **more)
                continue
            if cost:
                self._issue[e] = self._add(
                    block, 0, int(times.issued[e]), cost, place, "issue", **more
                )
            if not events.sync[e] and ends[e] > start:
                spent = int(work.work[e])
                self._work[e] = self._add(
                    block, pipe, start, int(ends[e]) - start, place, cycles=spent, **more
                )

    def _earliest(self, start: np.ndarray) -> np.ndarray:
        """As many as the limit allows, the earliest of them, in their order."""
        if len(start) <= self._limit:
            return np.arange(len(start))
        self.cut = True
        return np.sort(np.argpartition(start, self._limit)[: self._limit])

    def _ends(self) -> np.ndarray:
        """When each event leaves its pipe: done, or before the next one on the pipe starts."""
        events, times = self._timing.events, self._timing.schedule
        ends = times.done[: len(events)].copy()
        begin = times.start[: len(events)] - times.wait[: len(events)]
        group = events.block * len(PIPES) + events.pipe
        order = np.argsort(group, kind="stable")
        following = order[1:]
        same = group[order[:-1]] == group[following]
        first = order[:-1][same]
        ends[first] = np.minimum(ends[first], begin[following[same]])
        return ends

    def core(self) -> None:
        """The instructions of vecscopes."""
        timing = self._timing
        scopes, code, events = timing.scopes, timing.code, timing.events
        if scopes.start is None or scopes.track is None or not len(code):
            return
        assert scopes.latency is not None
        began = np.zeros(len(code.entry_at), dtype=np.int64)
        block_of = np.zeros(len(code.entry_at), dtype=np.int64)
        entry = timing.trace.events.entry[events.event]
        launched = np.flatnonzero(entry >= 0)
        began[entry[launched]] = timing.schedule.start[launched]
        block_of[entry[launched]] = events.block[launched]
        chosen = self._earliest(began[code.entry] + scopes.start)
        mine = code.entry[chosen]
        start = began[mine] + scopes.start[chosen]
        block, track = block_of[mine], scopes.track[chosen]
        order = np.lexsort((chosen, start, track, block))
        chosen, start, block, track = (c[order] for c in (chosen, start, block, track))
        # Several may start in one cycle where there is no port: they share it.
        group = block * 16 + track
        fresh = np.ones(len(chosen), dtype=bool)
        fresh[1:] = (group[1:] != group[:-1]) | (start[1:] != start[:-1])
        first = np.flatnonzero(fresh)
        sizes = np.diff(np.append(first, len(chosen)))
        rank = np.arange(len(chosen)) - np.repeat(first, sizes)
        room = np.full(len(first), np.iinfo(np.int64).max)
        room[:-1] = np.where(
            group[first[1:]] == group[first[:-1]], np.diff(start[first]), room[:-1]
        )
        latency = scopes.latency[chosen]
        whole = np.minimum(np.maximum(latency, 1), np.repeat(room, sizes))
        share = np.repeat(sizes, sizes)
        length = np.where(share > 1, 1 / share, whole)
        begin = start + np.where(share > 1, rank / share, 0)
        for k, i in enumerate(chosen):
            iteration = int(code.iteration[i])
            more = {"at": self._iteration(iteration)} if iteration >= 0 else {}
            self._add(
                int(block[k]),
                _FIRST_CORE_TRACK + int(track[k]),
                float(begin[k]),
                float(length[k]),
                int(code.place[i]),
                latency=int(latency[k]),
                **more,
            )

    def names(self) -> list[dict[str, Any]]:
        """Names of the processes and tracks that have slices."""
        found: list[dict[str, Any]] = []
        for block in sorted({block for block, _ in self._used}):
            found.append(_name("process_name", block, 0, f"block {block}"))
        for block, track in sorted(self._used):
            core = track - _FIRST_CORE_TRACK
            name = self._timing.model.tracks[core] if core >= 0 else PIPES[track]
            found.append(_name("thread_name", block, track, name))
            order = _name("thread_sort_index", block, track, "")
            found.append({**order, "args": {"sort_index": track}})
        return found

    def arrows(self, kept: set[int]) -> list[dict[str, Any]]:
        """An arrow for each wait that waited, between slices that are in the file."""
        found: list[dict[str, Any]] = []
        for event, target in self._wait.items():
            source = self._source(int(self._timing.schedule.by[event]))
            if source in kept and target in kept:
                number = len(found) // 2 + 1
                name = self._timing.trace.places[int(self._timing.events.place[event])].name
                found.append(_arrow("s", number, name, self.slices[source]))
                found.append(_arrow("f", number, name, self.slices[target]))
        return found

    def _source(self, event: int) -> int:
        """The slice that stands for what a wait was for."""
        times, events = self._timing.schedule, self._timing.events
        at = event
        while at not in self._work and at not in self._wait:
            if not events.sync[at] or times.decided[at] != BY_ORDER or times.by[at] < 0:
                break
            at = int(times.by[at])
        return self._work.get(at, self._wait.get(at, self._issue.get(at, -1)))


def _name(kind: str, block: int, track: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": kind, "pid": block, "tid": track, "args": {"name": name}}


def _arrow(phase: str, number: int, name: str, one: _Slice) -> dict[str, Any]:
    # Inside the slice, near its end: what waited goes on when what it waited for is over.
    at = one.start + one.length - min(0.5, one.length / 2)
    found = {"ph": phase, "id": number, "name": name, "cat": "sync", "pid": one.block,
             "tid": one.track, "ts": at}  # fmt: skip
    return found if phase == "s" else {**found, "bp": "e"}
