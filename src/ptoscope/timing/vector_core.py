"""The vector core of A5, cycle by cycle.

Instructions are dispatched in program order, as long as there is a register for each result and
room in a queue: loads have one of their own, all others share one. An instruction that computes
is bound to one of two execution ports when it is dispatched, those of one unit in turn. It leaves
the shared queue just before its operands are there, one for each port in a cycle, and starts as
soon as its port is free and can take its result in the cycle in which it will be there: a port
delivers one a cycle. A cycle takes two loads, or one load and one store; loads go first. A
register is taken at dispatch and given back some cycles after its last reader started.
"""

from __future__ import annotations

from ptoscope.native.subset import Ints, Ints32, compiled
from ptoscope.timing.vector_queues import (
    ANOTHER_LOOP,
    BARRIER,
    BARRIER_FROM,
    BUFFERED,
    COMPUTE,
    ENTRY,
    FIELDS,
    FIRST_STARTED,
    FREE_LOADS,
    FREE_MASKS,
    FREE_REGISTERS,
    FREE_SHARED,
    FREED,
    IN_BARRIERS,
    IN_LOADS,
    IN_PORTS,
    IN_SHARED,
    IN_STORES,
    KIND,
    LAST_RETIRED,
    LOAD,
    MASKS,
    MEMORY_FREE,
    NEXT_PORT,
    NO_PORT,
    PENDING,
    PORTS,
    REGISTERS,
    RETIRED,
    RING,
    SCALARS,
    STORE,
    UNIT,
    UNITS,
    WRITTEN,
    leave_shared_queue,
    oldest_waiting,
    pass_barrier,
    start_memory,
    start_on_ports,
)

(
    STARTUP, DRAIN, WIDTH, SHARED_ROOM, LOAD_ROOM, REGISTER_ROOM, MASK_ROOM, RELEASE, LOOP_ENTRY,
    LOOP_AGAIN, MOVES, TWO_LOADS, POINTER, LOAD_BACK, STORE_BACK,
) = range(15)  # fmt: skip
"""Positions in the array of the core's sizes and delays."""

(
    DEPENDENCY, PORT, MEMORY, SHARED, LOADS, VECTORS, PREDICATES, REENTRY, ADVANCE, MEM_BAR, RETIRE,
    ISSUE,
) = range(12)  # fmt: skip
CAUSES = (
    "dependency", "execution port", "load/store port", "shared queue full", "load queue full",
    "no free vector register", "no free predicate register", "loop re-entry",
    "pointer advanced once a cycle", "mem_bar", "retirement", "from dispatch to start",
)  # fmt: skip
"""Why no instruction started in a cycle, and why dispatch stopped. Startup and drain come on
top."""
CAUSE_COUNT = len(CAUSES)


@compiled
def run_scopes(
    entries: int,
    classes: int,
    core: Ints,
    table: Ints,
    forward: Ints,
    interval: Ints,
    entry_at: Ints,
    depth: Ints,
    moves: Ints,
    cls: Ints32,
    place: Ints32,
    gap: Ints32,
    looped: Ints32,
    dep_at: Ints32,
    dep: Ints32,
    uses: Ints32,
    moved: Ints32,
    state: Ints,
    queues: Ints,
    room: int,
    ring: Ints,
    buses: Ints,
    last_class: Ints,
    last_start: Ints,
    sent: Ints32,
    left: Ints32,
    start: Ints32,
    ready: Ints32,
    bound: Ints32,
    track: Ints32,
    waited: Ints32,
    busy: Ints,
    stall: Ints,
    held: Ints,
    cycles: Ints,
) -> int:
    """Runs vecscopes one after the other, each from cycle 0 of its own.

    `table` has the FIELDS of each class; by pair of classes, cycles from start to start:
    `forward` of producer and consumer, `interval` on one port. By entry: how many loops are
    nested around the first (`depth`, 0 without one), and how many scalar registers are set before
    it (`moves`). By instruction: `cls`, `place`, `gap` (of the first of a loop the least cycles
    since it began before, 1 if it is the entry's first, ANOTHER_LOOP behind another one; of the
    first of a further iteration -1; else 0), whether it is `looped`, producers
    `dep[dep_at[i]:dep_at[i + 1]]`, how many `uses` its result has (counted down), the one that
    `moved` its pointer, or -1. `state`, six `queues` of so much `room`, `ring` (of zeros), `buses`
    (of -1), `last_class` and `last_start` are scratch.

    Gives for each instruction the cycle in which it was `sent` into a queue, `left` the shared
    one, and of its `start` (from -1), where (`track`), the producer it was `bound` by (from -1),
    cycles it `waited` for that one with nothing else starting; by place the cycles that started
    something (`busy`) and that did not, by cause (`stall`), and those in which dispatch stopped
    there, by cause (`held`); and the `cycles` of each vecscope.
    """
    for e in range(entries):
        head = entry_at[e]
        end = entry_at[e + 1]
        t = core[STARTUP]
        state[FREE_SHARED] = core[SHARED_ROOM]
        state[FREE_LOADS] = core[LOAD_ROOM]
        state[FREE_REGISTERS] = core[REGISTER_ROOM]
        state[FREE_MASKS] = core[MASK_ROOM]
        state[IN_SHARED] = 0
        state[IN_PORTS] = 0
        state[IN_PORTS + 1] = 0
        state[IN_LOADS] = 0
        state[IN_STORES] = 0
        state[MEMORY_FREE] = 0
        state[RETIRED] = t
        state[LAST_RETIRED] = -1
        state[PENDING] = 0
        state[IN_BARRIERS] = 0
        state[BARRIER_FROM] = head
        state[BUFFERED] = 0
        state[ENTRY] = e << 32
        for u in range(UNITS):
            state[NEXT_PORT + u] = 1
        for u in range(2 * UNITS):
            last_class[u] = -1
        # What is set before the code: a loop is entered behind it.
        first = core[STARTUP] - 2 + core[MOVES] * moves[e]
        if depth[e] > 0:
            first = max(first + 2, core[STARTUP] + core[LOOP_ENTRY] + depth[e] - 1)
        loop_began = -1
        iteration_began = t
        begins = 0
        later = 0
        waiting = 0
        while head < end or waiting > 0:
            for k in range(FREED):
                at = t % RING * FREED + k
                state[k] += ring[at]
                state[PENDING] -= ring[at]
                ring[at] = 0

            # Dispatch.
            why = -1
            count = 0
            split = 0
            after_load = 0
            while head < end:
                c = cls[head] * FIELDS
                kind = table[c + KIND]
                if gap[head] > 0 and loop_began < 0 and t < first:
                    why = REENTRY
                    break
                if gap[head] > 1 and (
                    t < loop_began + gap[head] or t < iteration_began + core[LOOP_AGAIN]
                ):
                    why = REENTRY
                    break
                # The second iteration of another loop begins a cycle of its own.
                if gap[head] < 0 and later > 0 and count > 0:
                    why = REENTRY
                    break
                if depth[e] == 0 and t < first:
                    why = REENTRY
                    break
                if kind == BARRIER:
                    if state[IN_BARRIERS] == room:
                        why = MEM_BAR
                        break
                    queues[5 * room + state[IN_BARRIERS]] = head
                    state[IN_BARRIERS] += 1
                    sent[head] = t
                    ready[head] = t
                    track[head] = NO_PORT
                    waiting += 1
                    head += 1
                    continue
                # What also sets a scalar register is not counted: the points show nothing of it.
                counted = 1 - table[c + SCALARS]
                if count + counted > core[WIDTH]:
                    break
                if moved[head] >= 0 and t < sent[moved[head]] + core[POINTER]:
                    why = ADVANCE
                    break
                # With nothing on its way, no room would come free: enter all the same.
                if waiting > 0 or state[PENDING] > 0:
                    if kind == LOAD:
                        if state[FREE_LOADS] < 1 or (split > 0 and table[c + REGISTERS] > 1):
                            why = LOADS
                            break
                    elif state[FREE_SHARED] < 1 or (
                        state[FREE_SHARED] == 1 and after_load > 0 and kind == COMPUTE
                    ):
                        why = SHARED
                        break
                    if table[c + REGISTERS] > 0 and state[FREE_REGISTERS] < table[c + REGISTERS]:
                        why = VECTORS
                        break
                    if table[c + MASKS] > 0 and state[FREE_MASKS] < table[c + MASKS]:
                        why = PREDICATES
                        break
                if gap[head] > 0:
                    loop_began = t
                if gap[head] != 0:
                    begins = 1
                    later = gap[head] == ANOTHER_LOOP
                if begins and counted:
                    iteration_began = t
                    begins = 0
                state[FREE_REGISTERS] -= table[c + REGISTERS]
                state[FREE_MASKS] -= table[c + MASKS]
                after_load = 0
                if kind == LOAD:
                    after_load = 1
                    if table[c + REGISTERS] > 1:
                        split = 1
                    state[FREE_LOADS] -= 1
                    queues[3 * room + state[IN_LOADS]] = head
                    state[IN_LOADS] += 1
                else:
                    state[FREE_SHARED] -= 1
                    if kind == STORE:
                        queues[4 * room + state[IN_STORES]] = head
                        state[IN_STORES] += 1
                    else:
                        u = NEXT_PORT + table[c + UNIT]
                        track[head] = state[u]
                        if table[c + PORTS] == 3:
                            state[u] = 1 - state[u]
                        else:
                            track[head] = table[c + PORTS] >> 1
                        queues[state[IN_SHARED]] = head
                        state[IN_SHARED] += 1
                sent[head] = t
                ready[head] = -1
                waiting += 1
                count += counted
                head += 1
            if why >= 0:
                held[place[head] * CAUSE_COUNT + why] += 1

            # What starts, and what goes from the shared queue to a port.
            state[FIRST_STARTED] = -1
            for port in range(2):
                waiting -= start_on_ports(
                    port, t, classes, core[RELEASE], table, interval, cls, dep_at, dep, uses, state,
                    queues, room, ring, buses, last_class, last_start, left, start, ready
                )  # fmt: skip
            leave_shared_queue(
                t, classes, core[TWO_LOADS], table, forward, cls, looped, dep_at, dep, state,
                queues, room, ring, sent, left, start, ready, bound, track
            )  # fmt: skip
            waiting -= pass_barrier(t, table, cls, state, queues, room, start)
            waiting -= start_memory(
                t, classes, core[TWO_LOADS], core[RELEASE], core[LOAD_BACK], core[STORE_BACK],
                table, forward, cls, looped, dep_at, dep, uses, state, queues, room, ring, sent,
                start, ready, bound, track
            )  # fmt: skip

            # Whose cycle it was.
            i = state[FIRST_STARTED]
            if i >= 0:
                busy[place[i]] += 1
            elif waiting > 0:
                i = oldest_waiting(state, queues, room)
                kind = table[cls[i] * FIELDS + KIND]
                if kind != BARRIER and t < sent[i] + 3 - (kind == LOAD):
                    stall[place[i] * CAUSE_COUNT + ISSUE] += 1
                elif ready[i] < 0 or ready[i] > t:
                    waited[i] += 1
                    stall[place[i] * CAUSE_COUNT + DEPENDENCY] += 1
                elif state[IN_BARRIERS] > 0 and kind != COMPUTE:
                    stall[place[i] * CAUSE_COUNT + MEM_BAR] += 1
                elif kind == LOAD or kind == STORE:  # noqa: SIM109
                    stall[place[i] * CAUSE_COUNT + MEMORY] += 1
                else:
                    stall[place[i] * CAUSE_COUNT + PORT] += 1
            elif why >= 0:
                stall[place[head] * CAUSE_COUNT + why] += 1
            else:
                busy[place[max(entry_at[e], head - 1)]] += 1
            t += 1
        if state[BUFFERED] > 0:
            state[RETIRED] = max(state[RETIRED], t + state[BUFFERED] - 1 + WRITTEN)
        retired = max(state[RETIRED], t)
        if state[LAST_RETIRED] >= 0:
            stall[place[state[LAST_RETIRED]] * CAUSE_COUNT + RETIRE] += retired - t
        cycles[e] = retired + core[DRAIN]
        while state[PENDING] > 0:
            for k in range(FREED):
                state[PENDING] -= ring[t % RING * FREED + k]
                ring[t % RING * FREED + k] = 0
            t += 1
    return 0
