"""The vector core of A5, cycle by cycle.

A vecscope starts; its instructions are dispatched in program order into a queue and leave it
for an execution port or for the load/store unit as soon as their operands are there, the
oldest first. A cycle takes two loads, or one load and one store; loads go first. A register
is taken at dispatch and given back some cycles after its last reader started.
"""

from __future__ import annotations

from typing import Any

from ptoscope.native.subset import Ints, compiled

COMPUTE, LOAD, STORE, BARRIER, PREDICATE = range(5)
"""Kinds of instructions. Predicate instructions need no execution port and no room in the queue:
nobody states what they take, and the points show nothing of them."""

STARTUP, DRAIN, WIDTH, DEPTH, REGISTERS, RELEASE, SECOND_LOAD, LOOP, POINTER = range(9)
"""Positions in the array of the core's sizes and delays."""

DEPENDENCY, PORT, MEMORY, QUEUE, REENTRY, MEM_BAR, RETIRE = range(7)
CAUSES = ("dependency", "execution port", "load/store port", "queue", "loop re-entry", "mem_bar",
          "retirement")  # fmt: skip
"""Why no instruction started in a cycle. Startup and drain come on top."""
CAUSE_COUNT = len(CAUSES)

FIRST_PORT, SECOND_PORT, FIRST_LOAD, OTHER_LOAD, STORES, NO_PORT = range(6)
"""Where an instruction started."""

PREDICATES = 256
"""Predicate instructions that may wait beside the queue."""
RING = 4096
"""Releases of registers lie at most so many cycles ahead."""


@compiled
def operands_at(
    i: int,
    classes: int,
    cls: Ints,
    dep_at: Ints,
    dep: Ints,
    start: Ints,
    late: Ints,
    forward: Ints,
    bound: Ints,
) -> Any:
    """The cycle in which the operands of an instruction are there, -1 while a producer has not
    started. `bound` gets the producer that comes last."""
    when = 0
    for j in range(dep_at[i], dep_at[i + 1]):
        p = dep[j]
        if start[p] < 0:
            return -1
        at = start[p] + late[p] + forward[cls[p] * classes + cls[i]]
        if at > when:
            when = at
            bound[i] = p
    return when


@compiled
def port_free_at(
    port: int, c: int, classes: int, interval: Ints, port_class: Ints, port_start: Ints
) -> int:
    """The cycle from which a port takes an instruction of a class. Both units count: another
    instruction in between does not free one that is busy."""
    at = 0
    for u in range(2 * port, 2 * port + 2):
        if port_class[u] >= 0:
            at = max(at, port_start[u] + interval[port_class[u] * classes + c])
    return at


@compiled
def run_scopes(
    entries: int,
    classes: int,
    core: Ints,
    kind: Ints,
    ports: Ints,
    unit: Ints,
    latency: Ints,
    hold: Ints,
    registers: Ints,
    forward: Ints,
    interval: Ints,
    entry_at: Ints,
    cls: Ints,
    place: Ints,
    gap: Ints,
    dep_at: Ints,
    dep: Ints,
    uses: Ints,
    moved: Ints,
    sent_at: Ints,
    queue: Ints,
    ring: Ints,
    port_class: Ints,
    port_start: Ints,
    start: Ints,
    late: Ints,
    ready: Ints,
    bound: Ints,
    track: Ints,
    waited: Ints,
    busy: Ints,
    stall: Ints,
    cycles: Ints,
) -> int:
    """Runs vecscopes one after the other, each from cycle 0 of its own.

    Tables by class: `kind`, allowed `ports` as bits, `unit` (0 or 1), `latency`, cycles it
    `hold`s the load/store unit, `registers` it writes; by pair of classes, cycles from start
    to start: `forward` of producer and consumer, `interval` on one port. By instruction:
    `cls`, `place`, `gap` (of the first of a loop: least cycles since the loop before began; of
    the first of a further iteration -1; else 0), producers `dep[dep_at[i]:dep_at[i + 1]]`, how many
    `uses` its result has (counted down), the one that `moved` its pointer, or -1. `sent_at` (as
    many), `queue`, `ring` (of zeros), `port_class` and `port_start` (of 4) are scratch.

    Gives for each instruction the cycle of its `start` (from -1), where (`track`), the
    producer it was `bound` by (from -1), cycles it `waited` for that one with nothing else
    starting; by place the cycles that started something (`busy`) and that did not, by cause
    (`stall`); and the `cycles` of each vecscope.
    """
    for e in range(entries):
        head = entry_at[e]
        end = entry_at[e + 1]
        t = core[STARTUP]
        waiting = 0
        occupied = 0
        live = 0
        pending = 0
        loop_began = t - RING
        iteration_began = t - RING
        pair = -1
        memory_free = 0
        memory_done = 0
        memory_waiting = 0
        retired = t
        last_place = -1
        # The last instruction of each unit on each port: ALU 0, SFU 0, ALU 1, SFU 1.
        for u in range(4):
            port_class[u] = -1
        while head < end or waiting > 0:
            live -= ring[t % RING]
            pending -= ring[t % RING]
            ring[t % RING] = 0

            # Dispatch.
            why = QUEUE
            sent = 0
            while head < end and sent < core[WIDTH]:
                c = cls[head]
                if gap[head] > 0 and (
                    t < loop_began + gap[head] or t < iteration_began + core[LOOP]
                ):
                    why = REENTRY
                    break
                if moved[head] >= 0 and t < sent_at[moved[head]] + core[POINTER]:
                    why = DEPENDENCY
                    break
                if kind[c] == BARRIER:
                    if memory_waiting > 0 or t < memory_done:
                        why = MEM_BAR
                        break
                    start[head] = t
                    track[head] = NO_PORT
                    head += 1
                    sent += 1
                    continue
                # Two loads in a row enter together: they are issued in one cycle.
                room = 1
                wanted = registers[c]
                if (
                    kind[c] == LOAD
                    and pair != head
                    and head + 1 < end
                    and gap[head + 1] <= 0
                    and kind[cls[head + 1]] == LOAD
                ):
                    room = 2
                    wanted += registers[cls[head + 1]]
                if kind[c] == PREDICATE:
                    # The queue and its dispatch are for vectors.
                    room = 0
                    sent -= 1
                if waiting >= core[DEPTH] + PREDICATES:
                    break
                # With nothing on its way, no room would come free: enter all the same.
                if occupied > 0 or pending > 0:
                    if occupied + room > core[DEPTH]:
                        break
                    if wanted > 0 and live + wanted > core[REGISTERS]:
                        break
                if room == 2:
                    pair = head + 1
                if gap[head] > 0:
                    loop_began = t
                if gap[head] != 0:
                    iteration_began = t
                if kind[c] == LOAD or kind[c] == STORE:
                    memory_waiting += 1
                queue[waiting] = head
                waiting += 1
                if room > 0:
                    occupied += 1
                live += registers[c]
                sent_at[head] = t
                ready[head] = -1
                head += 1
                sent += 1

            # Issue, oldest first.
            loads = 0
            store = -1
            stores_seen = 0
            first = -1
            for q in range(waiting):
                i = queue[q]
                c = cls[i]
                if ready[i] < 0:
                    ready[i] = operands_at(
                        i, classes, cls, dep_at, dep, start, late, forward, bound
                    )
                if kind[c] == STORE:
                    # Stores keep their order: only the oldest may go.
                    if stores_seen == 0 and ready[i] >= 0 and ready[i] <= t:
                        store = i
                    stores_seen = 1
                    continue
                if ready[i] < 0 or ready[i] > t:
                    continue
                if kind[c] == LOAD:
                    if memory_free > t or loads == 2 or (loads > 0 and hold[c] > 1):
                        continue
                    track[i] = FIRST_LOAD + loads
                    if loads == 1:
                        late[i] = core[SECOND_LOAD]
                    loads += 1
                    if hold[c] > 1:
                        memory_free = t + hold[c]
                        loads = 2
                elif kind[c] == COMPUTE:
                    # Port 0 is the only one of some: others take port 1 if both are free.
                    port = 1
                    while port >= 0:
                        if ports[c] >> port & 1 and t >= port_free_at(
                            port, c, classes, interval, port_class, port_start
                        ):
                            break
                        port -= 1
                    if port < 0:
                        continue
                    track[i] = port
                    port_class[2 * port + unit[c]] = c
                    port_start[2 * port + unit[c]] = t
                else:
                    track[i] = NO_PORT
                start[i] = t
                if first < 0 or i < first:
                    first = i
            if store >= 0 and loads < 2 and memory_free <= t:
                track[store] = STORES
                start[store] = t
                if hold[cls[store]] > 1:
                    memory_free = t + hold[cls[store]]
                if first < 0 or store < first:
                    first = store

            # What started leaves the queue and gives back what it was the last to read.
            if first >= 0:
                busy[place[first]] += 1
                kept = 0
                for q in range(waiting):
                    i = queue[q]
                    if start[i] != t:
                        queue[kept] = i
                        kept += 1
                        continue
                    c = cls[i]
                    if kind[c] != PREDICATE:
                        occupied -= 1
                    done = t + late[i] + latency[c]
                    if done > retired:
                        retired = done
                        last_place = place[i]
                    if kind[c] == LOAD or kind[c] == STORE:
                        memory_waiting -= 1
                        memory_done = max(memory_done, done)
                    if uses[i] == 0 and registers[c] > 0:
                        ring[max(done, t + 1) % RING] += registers[c]
                        pending += registers[c]
                    for j in range(dep_at[i], dep_at[i + 1]):
                        p = dep[j]
                        uses[p] -= 1
                        if uses[p] == 0:
                            ring[(t + max(1, core[RELEASE])) % RING] += registers[cls[p]]
                            pending += registers[cls[p]]
                waiting = kept
            elif waiting > 0:
                i = queue[0]
                c = cls[i]
                if ready[i] > t:
                    waited[i] += 1
                    stall[place[i] * CAUSE_COUNT + DEPENDENCY] += 1
                elif kind[c] == LOAD or kind[c] == STORE:
                    stall[place[i] * CAUSE_COUNT + MEMORY] += 1
                else:
                    stall[place[i] * CAUSE_COUNT + PORT] += 1
            elif head == entry_at[e] or start[head - 1] != t:
                stall[place[head] * CAUSE_COUNT + why] += 1
            else:
                busy[place[head - 1]] += 1
            t += 1
        retired = max(retired, t)
        if last_place >= 0:
            stall[last_place * CAUSE_COUNT + RETIRE] += retired - t
        cycles[e] = retired + core[DRAIN]
        while pending > 0:
            pending -= ring[t % RING]
            ring[t % RING] = 0
            t += 1
    return 0
