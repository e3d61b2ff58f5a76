"""Small random programs, each run in every order that the pipes allow: what the detector says
of them against what can happen."""

from __future__ import annotations

import random
from collections import Counter
from typing import NamedTuple

import numpy as np

from ptoscope.isa.parts import PIPE_NUMBERS
from ptoscope.program import Block, Function, Op
from ptoscope.races.cells import cut
from ptoscope.races.last_accesses import Meeting
from ptoscope.races.pipes import meetings
from ptoscope.trace.trace import (
    NONE,
    SYNC_KINDS,
    UB,
    Accesses,
    Events,
    Iterations,
    Place,
    Syncs,
    Trace,
)

SET, WAIT, GET, RELEASE, BARRIER = map(
    SYNC_KINDS.index, ("set", "wait", "get", "release", "barrier")
)
PROGRAMS = 2000
ACCESS = NONE
DMA = ("PIPE_MTE2", "PIPE_MTE3")
ADD, MAX = 1, 9
"""Modes of updates."""


class Step(NamedTuple):
    """An instruction: an access to bytes of a space, or a synchronisation of pipes."""

    kind: int
    pipe: str
    other: str = ""
    number: int = 0
    mode: int = 0
    space: int = UB
    writes: bool = False
    start: int = 0
    stop: int = 0
    atomic: int = 0

    def meets(self, other: Step) -> bool:
        """Whether both touch a byte."""
        same = self.space == other.space
        return same and self.start < other.stop and other.start < self.stop

    def conflicts(self, other: Step) -> bool:
        return (
            self.kind == other.kind == ACCESS
            and (self.writes or other.writes)
            and (self.atomic != other.atomic or self.atomic == 0)
            and self.meets(other)
        )


def program(rng: random.Random) -> list[Step]:
    """Two or three pipes with up to six accesses, and synchronisation of all forms."""
    pipes = rng.sample(["PIPE_S", "PIPE_V", *DMA], rng.choice([2, 3]))
    steps: list[Step] = []
    accesses = 0
    length = rng.randint(4, 11)
    while len(steps) < length:
        pipe, other = rng.sample(pipes, 2)
        event = rng.randrange(2)
        draw = rng.random()
        if draw < 0.5 and accesses < 6:
            start = rng.randrange(3)
            space = rng.choice([UB, UB, 0])
            end = start + rng.randint(1, 2)
            writes = rng.random() < 0.6
            atomic = rng.choice([0, ADD, ADD, MAX]) if writes and space != UB else 0
            step = Step(ACCESS, pipe, space=space, writes=writes, start=start, stop=end)
            steps.append(step._replace(atomic=atomic))
            accesses += 1
        elif draw < 0.75:
            pair = [Step(SET, pipe, other, event), Step(WAIT, other, pipe, event)]
            if rng.random() < 0.25:
                pair.reverse()
            at = rng.randint(0, len(steps))
            # The set may come some steps before its wait, or the wait before its set.
            steps.insert(at, pair[0])
            steps.append(pair[1])
        elif draw < 0.82:
            at = rng.randint(0, len(steps))
            steps.insert(at, Step(RELEASE, pipe, number=event, mode=rng.choice([0, 1])))
            steps.append(Step(GET, other, number=event, mode=rng.choice([0, 0, 1])))
        elif draw < 0.92:
            # Two pipes hold a buffer when one of them releases it.
            for holder in rng.sample([pipe, other], 2):
                at = rng.randint(0, len(steps))
                steps.insert(at, Step(GET, holder, number=event, mode=rng.choice([0, 1])))
            steps.append(Step(RELEASE, pipe, number=event, mode=rng.choice([0, 1, 1])))
        else:
            steps.append(Step(BARRIER, rng.choice([pipe, pipe, "PIPE_ALL"])))
    return steps


def before(steps: list[Step], k: int, done: int) -> bool:
    """Whether an instruction may execute when those of the set `done` have."""
    step = steps[k]
    for i, other in enumerate(steps[:k]):
        if done >> i & 1:
            continue
        same = other.pipe == step.pipe
        if "PIPE_ALL" in (step.pipe, other.pipe) or other.pipe == "PIPE_S":
            # The scalar unit issues the rest only when it is done with this one.
            return False
        if same and step.pipe not in DMA:
            return False
        if same and (other.kind in (WAIT, GET, BARRIER) or step.kind in (SET, RELEASE, BARRIER)):
            return False
        if same and step.kind == other.kind == ACCESS and step.space == UB and step.meets(other):
            return False
        if other.pipe in awaited(steps, k):
            return False
        acquires = step.kind == GET and step.mode == 0
        if acquires and other.kind == RELEASE and other.number == step.number:
            return False
    if step.kind == WAIT:
        sets = count(steps, done, Step(SET, step.other, step.pipe, step.number))
        return count(steps, done, step) < sets
    return True


def awaited(steps: list[Step], k: int) -> set[str]:
    """The other pipes that a release in mode 1 waits for: those that have acquired the buffer
    more often than they have released it, in the order of the program."""
    step = steps[k]
    if step.kind != RELEASE or step.mode == 0:
        return set()
    held: Counter[str] = Counter()
    for other in steps[:k]:
        if other.number == step.number and other.kind == GET:
            held[other.pipe] += 1
        if other.number == step.number and other.kind == RELEASE and held[other.pipe]:
            held[other.pipe] -= 1
    return {pipe for pipe, times in held.items() if times} - {step.pipe}


def count(steps: list[Step], done: int, wanted: Step) -> int:
    return sum(step == wanted for i, step in enumerate(steps) if done >> i & 1)


def outcomes(steps: list[Step]) -> tuple[set[tuple[int, int]], set[object]] | None:
    """Over all orders: which access came before which, and the results. None if it hangs."""
    stack: list[tuple[int, tuple[int, ...]]] = [(0, ())]
    seen = set(stack)
    ends: set[tuple[int, ...]] = set()
    while stack:
        done, order = stack.pop()
        moved = False
        for k, step in enumerate(steps):
            if not done >> k & 1 and before(steps, k, done):
                moved = True
                after = (*order, k) if step.kind == ACCESS else order
                state = done | 1 << k, after
                if state not in seen:
                    seen.add(state)
                    stack.append(state)
        if not moved:
            if done != (1 << len(steps)) - 1:
                return None
            ends.add(order)
    orders = {(a, b) for order in ends for n, a in enumerate(order) for b in order[n + 1 :]}
    return orders, {result(steps, order) for order in ends}


def result(steps: list[Step], order: tuple[int, ...]) -> object:
    """What is in memory in the end, and what each access has read."""
    memory: dict[tuple[int, int], int] = {}
    read: dict[int, tuple[int, ...]] = {}
    for k in order:
        step = steps[k]
        bytes_ = [(step.space, at) for at in range(step.start, step.stop)]
        if step.atomic:
            for at in bytes_:
                old = memory.get(at, NONE)
                memory[at] = old + 10 + k if step.atomic == ADD else max(old, 10 + k)
        elif step.writes:
            memory.update(dict.fromkeys(bytes_, k))
        else:
            read[k] = tuple(memory.get(at, NONE) for at in bytes_)
    return frozenset(memory.items()), tuple(sorted(read.items()))


def recorded(steps: list[Step]) -> Trace:
    """The trace of a program: event k is step k."""
    places = [Place(k, Op(f"step {k}"), None, step.pipe) for k, step in enumerate(steps)]
    none = np.full(len(steps), NONE, dtype=np.int32)
    accesses = [(k, s) for k, s in enumerate(steps) if s.kind == ACCESS]
    syncs = [(k, s) for k, s in enumerate(steps) if s.kind != ACCESS]

    def pipes(step: Step) -> tuple[int, int]:
        ends = (step.other, step.pipe) if step.kind == WAIT else (step.pipe, step.other)
        return PIPE_NUMBERS[ends[0]], PIPE_NUMBERS[ends[1]] if ends[1] else NONE

    return Trace(
        Function("steps", (), Block(), [], []),
        1,
        places,
        Events(np.arange(len(steps)), np.zeros(len(steps), dtype=np.int32), none, none),
        Iterations(none[:0], none[:0], none[:0]),
        Accesses(
            np.array([k for k, _ in accesses], dtype=np.int32),
            np.array([s.space for _, s in accesses], dtype=np.int16),
            np.array([s.writes for _, s in accesses], dtype=bool),
            np.array([s.atomic for _, s in accesses], dtype=np.int8),
            np.array([s.start for _, s in accesses], dtype=np.int64),
            np.array([s.stop - s.start for _, s in accesses], dtype=np.int64),
            np.ones(len(accesses), dtype=np.int32),
            np.zeros(len(accesses), dtype=np.int64),
        ),
        Syncs(
            np.array([k for k, _ in syncs], dtype=np.int32),
            np.array([s.kind for _, s in syncs], dtype=np.int8),
            np.array([pipes(s)[0] for _, s in syncs], dtype=np.int8),
            np.array([pipes(s)[1] for _, s in syncs], dtype=np.int8),
            np.array([s.number for _, s in syncs], dtype=np.int16),
            np.array([s.mode for _, s in syncs], dtype=np.int8),
        ),
    )


def found(steps: list[Step]) -> list[Meeting]:
    trace = recorded(steps)
    reported: list[Meeting] = []
    meetings(trace, cut(trace), reported.append)
    return reported


def test_what_is_reported_is_what_can_happen() -> None:
    rng = random.Random(8)
    judged = racing = deferred = 0
    while judged < PROGRAMS:
        steps = program(rng)
        possible = outcomes(steps)
        if possible is None:
            continue
        judged += 1
        deferred += any(awaited(steps, k) for k in range(len(steps)))
        orders, results = possible
        reported = found(steps)
        racing += bool(reported)
        for race in reported:
            pair = race.early, race.late
            assert race.early < race.late
            assert pair in orders, (steps, race)
            assert pair[::-1] in orders, (steps, race)
            early, late = steps[race.early], steps[race.late]
            assert early.conflicts(late)
            assert (race.early_writes, race.late_writes) == (early.writes, late.writes)
        either = [(a, b) for a, b in orders if (b, a) in orders]
        assert bool(reported) == any(steps[a].conflicts(steps[b]) for a, b in either), steps
        assert reported or len(results) == 1, steps
    # The programs have to be of all kinds for this to mean anything.
    assert PROGRAMS // 5 < racing < PROGRAMS * 4 // 5
    assert deferred > PROGRAMS // 10
