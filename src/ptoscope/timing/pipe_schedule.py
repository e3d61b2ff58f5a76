"""The pipes of the cores: what each does when.

The scalar unit of a core issues in program order. Each pipe takes what was issued to it in order; a
synchronisation holds its pipe (on PIPE_S the scalar unit itself) until what it depends on is
done, and `work` cycles more. Work keeps its pipe busy for `work` cycles, `head` more if the pipe
was idle, and is done `tail` cycles later. It begins `latency` cycles after it came to its pipe,
which pass meanwhile if the pipe is still at work. What is behind a synchronisation comes when that
one has what it waits for, even if earlier work goes on (assumed: no log has it).
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
    cores: int,
    pipes: int,
    core_at: Ints,
    issue: Ints,
    skipped: Ints,
    scalar: Ints,
    sync: Ints,
    work: Ints,
    head: Ints,
    tail: Ints,
    latency: Ints,
    dep_at: Ints,
    dep: Ints,
    list_at: Ints,
    lists: Ints,
    at: Ints,
    free: Ints,
    complete: Ints,
    came: Ints,
    previous: Ints,
    next_issued: Ints,
    clock: Ints,
    last_scalar: Ints,
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
    """Schedules all blocks, each from cycle 0 on, its cores side by side; 0, or 1 + the event at
    which nothing can go on.

    By event: the cycles of its `issue`, whether it is `skipped` (as if it were not in the
    program), whether the `scalar` unit executes it, whether it is a `sync`, its cycles, its
    dependencies. Unit u is core u mod `cores` of its block: its events are those from
    `core_at[u]` on, those of its pipe p are in `lists` from `list_at[u * pipes + p]` on. `at`,
    `free`, `complete`, `came` and `previous` are scratch of one number for each pipe of a block's
    cores, `next_issued`, `clock` and `last_scalar` of one for each core.

    Gives by event when it was `issued`, its `start`, when it is `done` (from -1), the cycles
    of its `wait`, what `decided` its start and which event that was (`by`); by unit and pipe
    the `busy` and `waiting` cycles; by unit when it `ends`.
    """
    for b in range(blocks):
        for c in range(cores):
            u = b * cores + c
            next_issued[c] = core_at[u]
            clock[c] = 0
            last_scalar[c] = -1
            for p in range(pipes):
                at[c * pipes + p] = list_at[u * pipes + p]
                free[c * pipes + p] = 0
                complete[c * pipes + p] = 0
                came[c * pipes + p] = 0
                previous[c * pipes + p] = -1
        moved = 1
        while moved:
            moved = 0
            for c in range(cores):
                u = b * cores + c
                s = next_issued[c]
                now = clock[c]
                while s < core_at[u + 1]:
                    if skipped[s]:
                        start[s] = now
                        issued[s] = now
                        done[s] = now
                    elif scalar[s]:
                        last = dependencies_done(s, dep_at, dep, done)
                        if last == -2:
                            break
                        decided[s] = BY_ISSUE
                        by[s] = last_scalar[c]
                        issued[s] = now
                        if last >= 0 and done[last] > now:
                            wait[s] = done[last] - now
                            waiting[u * pipes] += wait[s]
                            now = done[last]
                            decided[s] = BY_SYNC
                            by[s] = last
                        start[s] = now
                        now += issue[s]
                        busy[u * pipes] += issue[s]
                        done[s] = now
                        last_scalar[c] = s
                    else:
                        issued[s] = now
                        now += issue[s]
                        busy[u * pipes] += issue[s]
                    s += 1
                    moved = 1
                next_issued[c] = s
                clock[c] = now
                for p in range(1, pipes):
                    q = c * pipes + p
                    while at[q] < list_at[u * pipes + p + 1] and lists[at[q]] < s:
                        e = lists[at[q]]
                        if skipped[e]:
                            at[q] += 1
                            moved = 1
                            continue
                        first = issued[e] + issue[e]
                        decided[e] = BY_ISSUE
                        by[e] = e
                        if sync[e]:
                            last = dependencies_done(e, dep_at, dep, done)
                            if last == -2:
                                break
                            came[q] = max(came[q], first)
                            if last >= 0:
                                came[q] = max(came[q], done[last])
                            came[q] += work[e]
                            busy[u * pipes + p] += complete[q] - free[q]
                            free[q] = complete[q]
                            if free[q] > first:
                                first = free[q]
                                decided[e] = BY_ORDER
                                by[e] = previous[q]
                            if last >= 0 and done[last] > first:
                                wait[e] = done[last] - first
                                waiting[u * pipes + p] += wait[e]
                                first = done[last]
                                decided[e] = BY_SYNC
                                by[e] = last
                            start[e] = first
                            first += work[e]
                            busy[u * pipes + p] += work[e]
                            done[e] = first
                            free[q] = first
                            complete[q] = first
                        else:
                            begin = max(first, came[q]) + latency[e]
                            if free[q] > first:
                                first = free[q]
                                decided[e] = BY_ORDER
                                by[e] = previous[q]
                            start[e] = first
                            spent = work[e] + max(0, begin - first)
                            if first >= complete[q]:
                                spent += head[e]
                                complete[q] = first
                            free[q] = first + spent
                            busy[u * pipes + p] += spent
                            complete[q] = max(complete[q], free[q] + tail[e])
                            done[e] = complete[q]
                        previous[q] = e
                        ends[u] = max(ends[u], done[e])
                        at[q] += 1
                        moved = 1
        for c in range(cores):
            u = b * cores + c
            if next_issued[c] < core_at[u + 1]:
                return 1 + next_issued[c]
            for p in range(1, pipes):
                q = c * pipes + p
                if at[q] < list_at[u * pipes + p + 1]:
                    return 1 + lists[at[q]]
                busy[u * pipes + p] += complete[q] - free[q]
            ends[u] = max(ends[u], clock[c])
    return 0
