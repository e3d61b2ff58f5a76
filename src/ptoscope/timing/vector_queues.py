"""The queues, ports and buses of A5's vector core: what leaves and what starts in one cycle."""

from __future__ import annotations

from typing import Any

from ptoscope.native.subset import Ints, Ints32, compiled

COMPUTE, LOAD, STORE, BARRIER, PREDICATE = range(5)
"""Kinds of instructions."""
ALU, MULTIPLIER, SFU, PERMUTE, PREDICATE_UNIT = range(5)
UNITS = 5
"""Units of the execution ports. An instruction of the SFU or of the permute unit goes from the
shared queue to its port a cycle earlier than others."""

KIND, PORTS, LATENCY, UNIT, HOLD, REGISTERS, MASKS, SCALARS = range(8)
FIELDS = 8
"""What the table has of each class: its kind, the allowed ports as bits (of a barrier what it holds
up: loads 1, stores 2), latency (of a barrier from its issue to an access behind it), unit, cycles
it holds the load/store unit, registers of each kind that it writes: vectors, predicates, and of one
that computes a predicate scalars."""

FREE_SHARED, FREE_LOADS, FREE_REGISTERS, FREE_MASKS = range(4)
FREED = 4
"""What is given back; the ring has so many numbers for each cycle."""
(
    IN_SHARED, IN_PORTS, _, IN_LOADS, IN_STORES, MEMORY_FREE, FIRST_STARTED, RETIRED, LAST_RETIRED,
    PENDING, IN_BARRIERS, BARRIER_FROM, ENTRY, BUFFERED, NEXT_PORT,
) = range(4, 19)  # fmt: skip
STATE = NEXT_PORT + UNITS
"""Positions in the state: what is free, how many are in which queue, until when the load/store
unit is held, the oldest that started in this cycle, when all that started retires and whose
retirement that is, what is still to be given back, how many barriers have not been passed and the
first instruction that the next one waits for, a number that no other entry has, stores that wait
for memory, and by unit the port of its next instruction."""

FIRST_PORT, SECOND_PORT, FIRST_LOAD, OTHER_LOAD, STORES, NO_PORT = range(6)
"""Where an instruction started."""

ANOTHER_LOOP = 2
"""The gap of the first instruction of a loop that comes behind another one."""

RING = 4096
"""What is given back comes back at most so many cycles later."""

STORE_BUFFER, WRITTEN = 2, 7
"""Stores that have started may wait for memory, so many; one is complete so long after its slot."""

_AFTER_STORE, _AFTER_LOAD, _AFTER_OTHERS = 4, 3, 1
"""From the start of a store, the start of a load, the completion of others to a barrier's issue."""


@compiled
def operands_at(
    i: int,
    classes: int,
    two_loads: int,
    table: Ints,
    forward: Ints,
    cls: Ints32,
    looped: Ints32,
    dep_at: Ints32,
    dep: Ints32,
    start: Ints32,
    bound: Ints32,
) -> Any:
    """The cycle in which the operands of an instruction are there, -1 while a producer has not
    started. `bound` gets the producer that comes last."""
    when = 0
    loaded = -1
    for j in range(dep_at[i], dep_at[i + 1]):
        p = dep[j]
        if start[p] < 0:
            return -1
        at = start[p] + forward[cls[p] * classes + cls[i]]
        if looped[i] and table[cls[p] * FIELDS + KIND] == LOAD:
            if loaded == start[p]:
                at += two_loads
            loaded = start[p]
        if at > when:
            when = at
            bound[i] = p
    return when


@compiled
def lead(unit: int) -> int:
    """Cycles from the shared queue to the start."""
    return 2 if unit == SFU or unit == PERMUTE else 1  # noqa: SIM109


@compiled
def give_back(when: int, t: int, what: int, count: int, state: Ints, ring: Ints) -> int:
    """What is free again from a cycle on."""
    if count > 0:
        ring[max(when, t + 1) % RING * FREED + what] += count
        state[PENDING] += count
    return 0


@compiled
def begin(
    i: int,
    t: int,
    release: int,
    table: Ints,
    cls: Ints32,
    dep_at: Ints32,
    dep: Ints32,
    uses: Ints32,
    state: Ints,
    ring: Ints,
    start: Ints32,
) -> int:
    """Starts an instruction, and gives back what it is the last to read."""
    c = cls[i] * FIELDS
    start[i] = t
    done = t + table[c + LATENCY]
    if done > state[RETIRED]:
        state[RETIRED] = done
        state[LAST_RETIRED] = i
    if state[FIRST_STARTED] < 0 or i < state[FIRST_STARTED]:
        state[FIRST_STARTED] = i
    if uses[i] == 0:
        give_back(done, t, FREE_REGISTERS, table[c + REGISTERS], state, ring)
        give_back(done, t, FREE_MASKS, table[c + MASKS], state, ring)
    for j in range(dep_at[i], dep_at[i + 1]):
        p = dep[j]
        uses[p] -= 1
        if uses[p] == 0:
            b = cls[p] * FIELDS
            give_back(t + release, t, FREE_REGISTERS, table[b + REGISTERS], state, ring)
            give_back(t + release, t, FREE_MASKS, table[b + MASKS], state, ring)
    return 0


@compiled
def removed(queue: int, at: int, counter: int, state: Ints, queues: Ints) -> int:
    """Takes one out of a queue that begins at `queue`; the others keep their order."""
    state[counter] -= 1
    for q in range(at, state[counter]):
        queues[queue + q] = queues[queue + q + 1]
    return 0


@compiled
def start_on_ports(
    port: int,
    t: int,
    classes: int,
    release: int,
    table: Ints,
    interval: Ints,
    cls: Ints32,
    dep_at: Ints32,
    dep: Ints32,
    uses: Ints32,
    state: Ints,
    queues: Ints,
    room: int,
    ring: Ints,
    buses: Ints,
    last_class: Ints,
    last_start: Ints,
    left: Ints32,
    start: Ints32,
    ready: Ints32,
) -> Any:
    """Starts the instruction that came to a port first and can start; how many started."""
    queue = (1 + port) * room
    for q in range(state[IN_PORTS + port]):
        i = queues[queue + q]
        c = cls[i] * FIELDS
        unit = table[c + UNIT]
        if ready[i] > t or left[i] + lead(unit) > t:
            continue
        free = 0
        for u in range(UNITS * port, UNITS * port + UNITS):
            if last_class[u] >= 0:
                free = max(free, last_start[u] + interval[last_class[u] * classes + cls[i]])
        # Results of vectors and of predicates go different ways.
        done = t + table[c + LATENCY]
        bus = (2 * port + (table[c + REGISTERS] == 0)) * RING + done % RING
        if free > t or buses[bus] == state[ENTRY] + done:
            continue
        buses[bus] = state[ENTRY] + done
        last_class[UNITS * port + unit] = cls[i]
        last_start[UNITS * port + unit] = t
        begin(i, t, release, table, cls, dep_at, dep, uses, state, ring, start)
        removed(queue, q, IN_PORTS + port, state, queues)
        return 1
    return 0


@compiled
def leave_shared_queue(
    t: int,
    classes: int,
    two_loads: int,
    table: Ints,
    forward: Ints,
    cls: Ints32,
    looped: Ints32,
    dep_at: Ints32,
    dep: Ints32,
    state: Ints,
    queues: Ints,
    room: int,
    ring: Ints,
    sent: Ints32,
    left: Ints32,
    start: Ints32,
    ready: Ints32,
    bound: Ints32,
    track: Ints32,
) -> int:
    """Of those whose operands are about to be there, the oldest for each port goes there."""
    full = 0
    kept = 0
    for q in range(state[IN_SHARED]):
        i = queues[q]
        goes = 0
        if full != 3 and not full >> track[i] & 1 and sent[i] + 2 <= t:
            if ready[i] < 0:
                ready[i] = operands_at(
                    i, classes, two_loads, table, forward, cls, looped, dep_at, dep, start, bound
                )
            unit = table[cls[i] * FIELDS + UNIT]
            if ready[i] >= 0 and ready[i] - lead(unit) <= t:
                goes = 1
        if goes:
            port = track[i]
            full = full | 1 << port
            left[i] = t
            queues[(1 + port) * room + state[IN_PORTS + port]] = i
            state[IN_PORTS + port] += 1
            give_back(t + 2, t, FREE_SHARED, 1, state, ring)
        else:
            queues[kept] = i
            kept += 1
    state[IN_SHARED] = kept
    return 0


@compiled
def start_memory(
    t: int,
    classes: int,
    two_loads: int,
    release: int,
    load_back: int,
    store_back: int,
    table: Ints,
    forward: Ints,
    cls: Ints32,
    looped: Ints32,
    dep_at: Ints32,
    dep: Ints32,
    uses: Ints32,
    state: Ints,
    queues: Ints,
    room: int,
    ring: Ints,
    sent: Ints32,
    start: Ints32,
    ready: Ints32,
    bound: Ints32,
    track: Ints32,
) -> Any:
    """Starts up to two loads. What slot they leave is that of a store: of one that has started and
    waits for it, else of the oldest that can start; how many started."""
    slots = 2 if state[MEMORY_FREE] <= t else 0
    begun = 0
    q = 0
    while q < state[IN_LOADS] and slots > 0:
        i = queues[3 * room + q]
        c = cls[i] * FIELDS
        q += 1
        if sent[i] + 2 > t:
            break
        if ready[i] < 0:
            ready[i] = operands_at(
                i, classes, two_loads, table, forward, cls, looped, dep_at, dep, start, bound
            )
        if ready[i] < 0 or ready[i] > t or behind_barrier(i, 1, table, cls, state, queues, room):
            continue
        # One that has two results, or that holds the unit, needs both slots.
        taken = 2 if table[c + REGISTERS] > 1 or table[c + HOLD] > 1 else 1
        if taken > slots:
            break
        track[i] = FIRST_LOAD + 2 - slots
        slots -= taken
        if table[c + HOLD] > 1:
            state[MEMORY_FREE] = t + table[c + HOLD]
        begin(i, t, release, table, cls, dep_at, dep, uses, state, ring, start)
        give_back(t + load_back, t, FREE_LOADS, 1, state, ring)
        q -= 1
        removed(3 * room, q, IN_LOADS, state, queues)
        begun += 1
    waits = state[BUFFERED] > 0
    if waits and slots > 0:
        state[BUFFERED] -= 1
        state[RETIRED] = max(state[RETIRED], t + WRITTEN)
        slots = 0
    if state[IN_STORES] > 0:
        # Stores keep their order: only the oldest may go.
        i = queues[4 * room]
        c = cls[i] * FIELDS
        if ready[i] < 0:
            ready[i] = operands_at(
                i, classes, two_loads, table, forward, cls, looped, dep_at, dep, start, bound
            )
        direct = slots > 0
        if (
            (direct or (state[BUFFERED] < STORE_BUFFER and state[MEMORY_FREE] <= t))
            and sent[i] + 3 <= t
            and ready[i] >= 0
            and ready[i] <= t
            and not behind_barrier(i, 2, table, cls, state, queues, room)
        ):
            track[i] = STORES
            if not direct:
                state[BUFFERED] += 1
            if table[c + HOLD] > 1:
                state[MEMORY_FREE] = t + table[c + HOLD]
            begin(i, t, release, table, cls, dep_at, dep, uses, state, ring, start)
            give_back(t + store_back, t, FREE_SHARED, 1, state, ring)
            removed(4 * room, 0, IN_STORES, state, queues)
            begun += 1
    return begun


@compiled
def behind_barrier(
    i: int, kind: int, table: Ints, cls: Ints32, state: Ints, queues: Ints, room: int
) -> Any:
    """Whether a barrier before an access of a kind, as its bits are, has not been passed."""
    for q in range(state[IN_BARRIERS]):
        b = queues[5 * room + q]
        if b < i and table[cls[b] * FIELDS + PORTS] & kind:
            return 1
    return 0


@compiled
def pass_barrier(
    t: int, table: Ints, cls: Ints32, state: Ints, queues: Ints, room: int, start: Ints32
) -> Any:
    """Issues the oldest barrier when all before it has come far enough, and takes it away when
    accesses behind it may start; how many were taken."""
    if state[IN_BARRIERS] == 0:
        return 0
    b = queues[5 * room]
    if start[b] >= 0:
        if t < start[b] + table[cls[b] * FIELDS + LATENCY]:
            return 0
        removed(5 * room, 0, IN_BARRIERS, state, queues)
        return 1
    for i in range(state[BARRIER_FROM], b):
        c = cls[i] * FIELDS
        after = table[c + LATENCY] + _AFTER_OTHERS
        if table[c + KIND] == STORE:
            after = _AFTER_STORE
        elif table[c + KIND] == LOAD:
            after = _AFTER_LOAD
        if start[i] < 0 or t < start[i] + after:
            return 0
    state[BARRIER_FROM] = b + 1
    start[b] = t
    return 0


@compiled
def oldest_waiting(state: Ints, queues: Ints, room: int) -> Any:
    """The oldest instruction in any queue, a barrier if there are only those."""
    oldest = -1
    if state[IN_SHARED] > 0:
        oldest = queues[0]
    for k in range(4):
        queue = k + 1
        count = state[IN_PORTS + k]
        if count > 0 and (oldest < 0 or queues[queue * room] < oldest):
            oldest = queues[queue * room]
    if oldest < 0:
        oldest = queues[5 * room]
    return oldest
