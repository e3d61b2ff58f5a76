"""The pipes of a core: what each does when.

The scalar unit issues in program order. Each pipe takes what was issued to it in order; a
synchronisation holds its pipe (on PIPE_S the scalar unit itself) until what it depends on is
done. Work keeps its pipe busy for `work` cycles, `head` more if the pipe was idle, and is
done `tail` cycles later.
"""

from __future__ import annotations

from typing import Any

from ptoscope.native.subset import Ints, compiled

BY_ISSUE, BY_ORDER, BY_SYNC = range(3)
"""What decided when an event started: the scalar unit, the event before it on its pipe, or an
event it synchronises with."""


@compiled
def dependencies_done(e: int, dep_at: Ints, dep: Ints, done: Ints) -> int:
    """The event among the dependencies that is done last, -1 if there is none, -2 while one
    has not happened."""
    found = -1
    for j in range(dep_at[e], dep_at[e + 1]):
        d = dep[j]
        if done[d] < 0:
            return -2
        if found < 0 or done[d] > done[found]:
            found = d
    return found


@compiled
def run_pipes(
    blocks: int,
    pipes: int,
    issue_cost: int,
    block_at: Ints,
    skipped: Ints,
    scalar: Ints,
    sync: Ints,
    work: Ints,
    head: Ints,
    tail: Ints,
    dep_at: Ints,
    dep: Ints,
    list_at: Ints,
    lists: Ints,
    at: Ints,
    free: Ints,
    complete: Ints,
    previous: Ints,
    issued: Ints,
    start: Ints,
    done: Ints,
    wait: Ints,
    decided: Ints,
    by: Ints,
    busy: Ints,
    waiting: Ints,
    ends: Ints,
) -> Any:
    """Schedules all blocks, each from cycle 0 of its own core; 0, or 1 + the event at which
    nothing can go on.

    By event: whether it is `skipped` (as if it were not in the program), whether the `scalar`
    unit executes it, whether it is a `sync`, its cycles, its dependencies. `lists` holds the
    events of block b and pipe p at `list_at[b * pipes + p]`. `at`, `free`, `complete` and
    `previous` are scratch of one number per pipe.

    Gives by event when it was `issued`, its `start`, when it is `done` (from -1), the cycles
    of its `wait`, what `decided` its start and which event that was (`by`); by block and pipe
    the `busy` and `waiting` cycles; by block when it `ends`.
    """
    for b in range(blocks):
        s = block_at[b]
        end = block_at[b + 1]
        now = 0
        last_scalar = -1
        latest = 0
        for p in range(pipes):
            at[p] = list_at[b * pipes + p]
            free[p] = 0
            complete[p] = 0
            previous[p] = -1
        moved = 1
        while moved:
            moved = 0
            while s < end:
                if skipped[s]:
                    start[s] = now
                    issued[s] = now
                    done[s] = now
                elif scalar[s]:
                    last = dependencies_done(s, dep_at, dep, done)
                    if last == -2:
                        break
                    decided[s] = BY_ISSUE
                    by[s] = last_scalar
                    issued[s] = now
                    if last >= 0 and done[last] > now:
                        wait[s] = done[last] - now
                        waiting[b * pipes] += wait[s]
                        now = done[last]
                        decided[s] = BY_SYNC
                        by[s] = last
                    start[s] = now
                    now += issue_cost
                    busy[b * pipes] += issue_cost
                    done[s] = now
                    last_scalar = s
                else:
                    issued[s] = now
                    now += issue_cost
                    busy[b * pipes] += issue_cost
                s += 1
                moved = 1
            for p in range(1, pipes):
                while at[p] < list_at[b * pipes + p + 1] and lists[at[p]] < s:
                    e = lists[at[p]]
                    if skipped[e]:
                        at[p] += 1
                        moved = 1
                        continue
                    first = issued[e] + issue_cost
                    decided[e] = BY_ISSUE
                    by[e] = e
                    if sync[e]:
                        last = dependencies_done(e, dep_at, dep, done)
                        if last == -2:
                            break
                        busy[b * pipes + p] += complete[p] - free[p]
                        free[p] = complete[p]
                        if free[p] > first:
                            first = free[p]
                            decided[e] = BY_ORDER
                            by[e] = previous[p]
                        if last >= 0 and done[last] > first:
                            wait[e] = done[last] - first
                            waiting[b * pipes + p] += wait[e]
                            first = done[last]
                            decided[e] = BY_SYNC
                            by[e] = last
                        start[e] = first
                        done[e] = first
                        free[p] = first
                        complete[p] = first
                    else:
                        if free[p] > first:
                            first = free[p]
                            decided[e] = BY_ORDER
                            by[e] = previous[p]
                        start[e] = first
                        spent = work[e]
                        if first >= complete[p]:
                            spent += head[e]
                            complete[p] = first
                        free[p] = first + spent
                        busy[b * pipes + p] += spent
                        complete[p] = max(complete[p], free[p] + tail[e])
                        done[e] = complete[p]
                    previous[p] = e
                    latest = max(latest, done[e])
                    at[p] += 1
                    moved = 1
        if s < end:
            return 1 + s
        for p in range(1, pipes):
            if at[p] < list_at[b * pipes + p + 1]:
                return 1 + lists[at[p]]
            busy[b * pipes + p] += complete[p] - free[p]
        ends[b] = max(latest, now)
    return 0
