"""Random bodies of a vecscope: what is reported against an order that is closed by hand."""

from __future__ import annotations

import random
from itertools import product
from typing import NamedTuple

import numpy as np

from ptoscope.isa import TABLE
from ptoscope.isa.sync import MEMORY_BARRIERS
from ptoscope.program import Block, Function, Op
from ptoscope.races.cells import cut
from ptoscope.races.scopes import hazards
from ptoscope.trace.trace import (
    MEM_BAR,
    NONE,
    UB,
    Accesses,
    Events,
    Place,
    Syncs,
    Trace,
    Turns,
)

BODIES = 1500
NAMES = {"VLD": "pto.vlds", "VST": "pto.vsts", "LD": "pto.load_scalar", "ST": "pto.store_scalar"}
FIRST = {"V": ("VLD", "VST"), "S": ("LD", "ST")}


class Access(NamedTuple):
    """An instruction of a body: its kind, the value it makes or takes, and its bytes, which
    move on by `step` with every turn."""

    kind: str
    value: int
    start: int
    stop: int
    step: int

    @property
    def writes(self) -> bool:
        return self.kind.endswith("ST")


Body = list[Access | str]


def body(rng: random.Random) -> Body:
    """Up to six accesses, and barriers (by their type) between them."""
    made: Body = []
    values = 0
    for _ in range(rng.randint(2, 6)):
        if rng.random() < 0.35:
            made.append(rng.choice(MEMORY_BARRIERS))
        kind = rng.choice(["VLD", "VST", "VLD", "VST", "LD", "ST"])
        start = rng.randrange(3)
        if kind.endswith("LD"):
            value, values = values, values + 1
        else:
            # Of a value that was loaded, or of one from elsewhere.
            value = rng.randrange(values + 1) if values and rng.random() < 0.5 else 100 + len(made)
        made.append(Access(kind, value, start, start + rng.randint(1, 2), rng.choice([0, 0, 1])))
    if rng.random() < 0.3:
        made.append(rng.choice(MEMORY_BARRIERS))
    return made


def sides(token: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    early, late = token.split("_")
    if late == "ALL":
        return FIRST[early[0]], FIRST[early[1]]
    return (early,), (late,)


def expected(lines: Body, turns: int) -> set[tuple[int, int]]:
    """The lines that meet without order, from the closure of what orders two accesses."""
    run = [(n, turn) for turn in range(turns) for n in range(len(lines))]
    size = len(run)
    ordered = np.zeros((size, size), dtype=bool)
    for i, j in product(range(size), repeat=2):
        a, b = lines[run[i][0]], lines[run[j][0]]
        if i >= j or isinstance(a, str) or isinstance(b, str):
            continue
        ordered[i, j] = b.writes and not a.writes and a.value == b.value
        for k in range(i + 1, j):
            bar = lines[run[k][0]]
            if isinstance(bar, str):
                first, then = sides(bar)
                ordered[i, j] |= a.kind in first and b.kind in then
    for k in range(size):
        ordered |= np.outer(ordered[:, k], ordered[k])
    found: set[tuple[int, int]] = set()
    for i, j in product(range(size), repeat=2):
        (n, turn), (m, later) = run[i], run[j]
        a, b = lines[n], lines[m]
        if i >= j or isinstance(a, str) or isinstance(b, str) or n == m:
            continue
        scalar = not a.kind.startswith("V") and not b.kind.startswith("V")
        low, high = a.step * turn, b.step * later
        meet = a.start + low < b.stop + high and b.start + high < a.stop + low
        # One value stored twice to the same bytes is the same in any order.
        twice = a.writes and b.writes and (a.kind, a.value) == (b.kind, b.value)
        if twice and (a.start + low, a.stop + low) == (b.start + high, b.stop + high):
            continue
        if meet and (a.writes or b.writes) and not scalar and not ordered[i, j]:
            found.add((n, m))
    return found


def recorded(lines: Body, turns: int) -> Trace:
    """Place 0 is the vecscope, place n + 1 is line n."""
    ops: list[Op] = []
    for line in lines:
        if isinstance(line, str):
            ops.append(Op("pto.mem_bar", attrs={"type": line}))
        elif line.writes:
            ops.append(Op(NAMES[line.kind], operands=(line.value,)))
        else:
            ops.append(Op(NAMES[line.kind], results=(line.value,)))
    scope = Op("pto.vecscope", blocks=(Block(ops=ops),))
    places = [Place(0, scope, TABLE[scope.name], "PIPE_V")]
    places += [Place(n, op, TABLE[op.name], "PIPE_V", 0, 0, 0) for n, op in enumerate(ops, 1)]
    run = [(n, turn) for turn in range(turns) for n in range(len(lines))]
    count = len(run) + 1
    rows: list[tuple[int, bool, int, int]] = []
    bars: list[tuple[int, int]] = []
    for event, (n, turn) in enumerate(run, 1):
        line = lines[n]
        if isinstance(line, str):
            bars.append((event, MEMORY_BARRIERS.index(line)))
        else:
            start = line.start + line.step * turn
            rows.append((event, line.writes, start, line.stop - line.start))
    event, writes, start, length = (np.array([row[i] for row in rows]) for i in range(4))
    at, mode = (np.array([bar[i] for bar in bars], dtype=np.int64) for i in range(2))
    none, zeros = np.full(count, NONE), np.zeros(count, dtype=np.int64)
    return Trace(
        Function("scope", (), Block(ops=[scope]), [], []),
        1,
        places,
        Events(np.array([0, *(n + 1 for n, _ in run)]), zeros, none, zeros),
        Turns(none[:0], none[:0], none[:0]),
        Accesses(event, np.full(len(rows), UB), writes, start, length, event * 0 + 1, event * 0),
        Syncs(at, at * 0 + MEM_BAR, at * 0 - 1, at * 0 - 1, at * 0 - 1, mode),
    )


def test_what_is_reported_is_what_nothing_orders() -> None:
    rng = random.Random(11)
    racing = 0
    for _ in range(BODIES):
        lines, turns = body(rng), rng.choice([1, 1, 2, 3])
        trace = recorded(lines, turns)
        runs = cut(trace)
        found = {
            tuple(int(trace.events.place[runs.event[row]]) - 1 for row in (h.early, h.late))
            for h in hazards(trace, runs)
        }
        assert found == expected(lines, turns), (lines, turns)
        racing += bool(found)
    # The bodies have to be of both kinds for this to mean anything.
    assert BODIES // 5 < racing < BODIES * 4 // 5
