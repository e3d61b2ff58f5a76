"""The vector core as the manual alone describes it: one instruction starts a cycle, in program
order, and one that needs a result starts when the latency of its producer is over."""

from __future__ import annotations

from ptoscope.native.subset import Ints, Ints32, compiled
from ptoscope.timing.vector_core import CAUSE_COUNT, DEPENDENCY, MEM_BAR, RETIRE
from ptoscope.timing.vector_queues import BARRIER


@compiled
def run_in_order(
    entries: int,
    kind: Ints,
    latency: Ints,
    entry_at: Ints,
    cls: Ints32,
    place: Ints32,
    dep_at: Ints32,
    dep: Ints32,
    start: Ints32,
    ready: Ints32,
    bound: Ints32,
    waited: Ints32,
    busy: Ints,
    stall: Ints,
    cycles: Ints,
) -> int:
    """Runs vecscopes one after the other; the arrays are those of `vector_core.run_scopes`.
    A mem_bar takes the cycle in which all before it is complete."""
    for e in range(entries):
        t = 0
        retired = 0
        last_place = -1
        for i in range(entry_at[e], entry_at[e + 1]):
            at = t
            for j in range(dep_at[i], dep_at[i + 1]):
                p = dep[j]
                if start[p] + latency[cls[p]] > at:
                    at = start[p] + latency[cls[p]]
                    bound[i] = p
            cause = DEPENDENCY
            if kind[cls[i]] == BARRIER:
                at = max(at, retired)
                cause = MEM_BAR
            else:
                waited[i] = at - t
            stall[place[i] * CAUSE_COUNT + cause] += at - t
            busy[place[i]] += 1
            ready[i] = at
            start[i] = at
            t = at + 1
            if at + latency[cls[i]] > retired:
                retired = at + latency[cls[i]]
                last_place = place[i]
        retired = max(retired, t)
        if last_place >= 0:
            stall[last_place * CAUSE_COUNT + RETIRE] += retired - t
        cycles[e] = retired
    return 0


@compiled
def ideal_starts(
    count: int, classes: int, cls: Ints32, dep_at: Ints32, dep: Ints32, forward: Ints, ideal: Ints32
) -> int:
    """When each instruction would start if it waited for results alone."""
    for i in range(count):
        for j in range(dep_at[i], dep_at[i + 1]):
            p = dep[j]
            ideal[i] = max(ideal[i], ideal[p] + forward[cls[p] * classes + cls[i]])
    return 0
