"""Random programs over the pipes: schedules do what is legal, and enough of it."""

from __future__ import annotations

from functools import cache

import pytest

from ptoscope.machine.schedule import schedules
from ptoscope.machine.try_schedules import try_schedules
from tests.machine.harness import prepared
from tests.machine.interleavings import (
    Op,
    acquires_again,
    arguments,
    draw,
    holders,
    outcome,
    outcomes,
    text,
)
from tests.machine.runs import ORDERS, fault_as, run_as

PROGRAMS = 200
TRIED = 40


@cache
def _program(seed: int) -> tuple[list[Op], frozenset[tuple[float, ...]]]:
    ops = draw(seed)
    return ops, frozenset(outcomes(ops))


@pytest.mark.parametrize("first", range(0, PROGRAMS, 10))
def test_every_result_is_legal_and_a_race_shows(first: int) -> None:
    """Under no schedule does anything happen that the rules forbid; where the rules leave
    the result open, the schedules give more than one; where nothing can go on, all stop."""
    for seed in range(first, first + 10):
        ops, legal = _program(seed)
        kernel = prepared(text(ops))
        if not legal:
            for schedule in ORDERS:
                said = fault_as(kernel, schedule, arguments())
                assert said.code == "PTO0904", (seed, schedule)
            continue
        given = arguments()
        difference = try_schedules(kernel, given, count=TRIED)
        assert (difference is None) == (len(legal) == 1), (seed, ops)
        assert given[1].tobytes() == arguments()[1].tobytes()
        for schedule in schedules(12):
            x, y, n = arguments()
            run_as(kernel, str(schedule), (x, y, n))
            assert outcome(y) in legal, (seed, schedule, ops)


def test_the_programs_are_of_all_kinds() -> None:
    """Otherwise the test above would show little."""
    legal = [len(_program(seed)[1]) for seed in range(PROGRAMS)]
    assert legal.count(0) >= 5
    assert legal.count(1) >= 50
    assert sum(n > 1 for n in legal) >= 50
    deferred = 0
    for seed in range(PROGRAMS):
        ops = _program(seed)[0]
        late = [n for n, op in enumerate(ops) if op.kind == "rls" and op.b == 1]
        deferred += any(holders(ops, n) for n in late)
    assert deferred >= 30
    assert 10 <= sum(acquires_again(_program(seed)[0]) for seed in range(PROGRAMS)) <= 100
    overtaken = sum(_may_overtake(_program(seed)[0]) for seed in range(PROGRAMS))
    assert overtaken >= 15
    kinds = {op.kind for seed in range(PROGRAMS) for op in _program(seed)[0]}
    assert kinds == {"in", "out", "again", "add", "set", "wait", "get", "rls", "all", "fence"}


def _may_overtake(ops: list[Op]) -> bool:
    """Whether two copies to one cell have only signals between them on their pipe, and one."""
    mine = [op for op in ops if op.pipe == "MTE3" or op.kind == "all"]
    for i, first in enumerate(mine):
        for k, second in enumerate(mine[i + 1 :], i + 1):
            copies = first.kind == second.kind == "out" and first.b == second.b
            between = {op.kind for op in mine[i + 1 : k]}
            if copies and first.a != second.a and between and between <= {"set", "rls"}:
                return True
    return False
