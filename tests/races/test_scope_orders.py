"""Random bodies of a vecscope: what is reported against an order that is closed by hand."""

from __future__ import annotations

import random
from itertools import product

import numpy as np

from ptoscope.races.cells import cut
from ptoscope.races.intervals import Intervals, contains, union
from ptoscope.races.scopes import hazards

from .scope_programs import Access, Runner, Writer

BODIES = 3000
FIRST = {"V": ("VLD", "VST"), "S": ("LD", "ST")}


def sides(token: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    early, late = token.split("_")
    if late == "ALL":
        return FIRST[early[0]], FIRST[early[1]]
    return (early,), (late,)


def closed(relation: np.ndarray) -> np.ndarray:
    for k in range(len(relation)):
        relation = relation | np.outer(relation[:, k], relation[k])
    return relation


def ordered(run: Runner) -> np.ndarray:
    """By barriers, by data that was loaded, and through others."""
    size = len(run.accesses)
    found = np.zeros((size, size), dtype=bool)
    for i, j in product(range(size), repeat=2):
        a, b = run.accesses[i], run.accesses[j]
        if i < j:
            bars = (sides(bar) for bar in run.bars[a.bars : b.bars])
            passed = any(a.kind in first and b.kind in then for first, then in bars)
            found[i, j] = i in b.used or passed
    return closed(found)


def same(a: Access, b: Access) -> bool:
    """One value stored twice to the same bytes is the same in any order."""
    return a.op.name == b.op.name and a.token == b.token and a.bytes == b.bytes


def expected(run: Runner) -> set[tuple[int, int]]:
    """The places that meet without order: byte by byte, since what one place writes to a byte
    it writes in its order."""
    before = ordered(run)
    found: set[tuple[int, int]] = set()
    for byte in {b for access in run.accesses for b in access.bytes}:
        here = [i for i, access in enumerate(run.accesses) if byte in access.bytes]
        relation = before[np.ix_(here, here)]
        mine = [run.accesses[i] for i in here]
        pairs = [(i, j) for i, j in product(range(len(mine)), repeat=2) if i < j]
        for i, j in pairs:
            relation[i, j] |= mine[i].op is mine[j].op and mine[i].writes
        relation = closed(relation)
        for i, j in pairs:
            a, b = mine[i], mine[j]
            if a.op is b.op or not (a.writes or b.writes) or relation[i, j]:
                continue
            scalar = not a.kind.startswith("V") and not b.kind.startswith("V")
            # What the same place writes later, with the same value, makes up for it.
            later = [c for c in mine[i:j] if c.op is a.op] if a.writes and b.writes else [a]
            if not scalar and not (b.writes and same(later[-1], b)):
                found.add((run.place(a.op), run.place(b.op)))
    return found


def test_what_is_reported_is_what_nothing_orders() -> None:
    rng = random.Random(11)
    racing = carried = 0
    for number in range(BODIES):
        run = Runner(Writer(rng).body(), rng)
        if not run.accesses:
            continue
        trace = run.trace()
        runs = cut(trace)
        found = {
            tuple(int(trace.events.place[runs.event[row]]) for row in (h.early, h.late))
            for h in hazards(trace, runs)
        }
        assert found == expected(run), number
        racing += bool(found)
        carried += any(len(op.operands) > 3 for op in trace.function.ops() if op.name == "scf.for")
    # The bodies have to be of both kinds for this to mean anything.
    assert BODIES // 5 < racing < BODIES * 4 // 5
    assert carried > BODIES // 10


def intervals(numbers: set[int]) -> Intervals:
    edges = [n for n in range(14) if (n in numbers) != (n - 1 in numbers)]
    return tuple(edges)


def test_intervals() -> None:
    rng = random.Random(3)
    for _ in range(2000):
        a, b = ({rng.randrange(12) for _ in range(rng.randrange(8))} for _ in range(2))
        assert union(intervals(a), intervals(b)) == intervals(a | b)
        assert {n for n in range(-1, 14) if contains(intervals(a), n)} == a
