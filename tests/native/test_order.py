"""Random programs of all that synchronises, on the native engine, against the rulebook of order
executed plainly: the counters of generated code keep its rules."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import ptoscope
from ptoscope import PtoError
from ptoscope.isa.order.ledger import Ledger, Ticket
from ptoscope.isa.order.rules import BARRIER, GET, RELEASE, SET, WAIT, OrderRule
from ptoscope.isa.parts import PIPE_ALL, PIPES, VECTOR_CORE_PIPES

from ..check.pipes import G, copy_in, copy_out, kernel, load, scope, store

ROW = 64
SLOTS = "abcd"
ROWS = 4
DEADLOCK, MISUSE, OVERFLOW = "PTO0904", "PTO0905", "PTO0917"


class Step(NamedTuple):
    """A line of a kernel: work on slots of UB and rows of GM, or a synchronisation."""

    text: str
    pipe: str
    rule: OrderRule | None = None
    dst: str = ""
    numbers: tuple[int, ...] = ()
    source: str | int = ""
    target: str | int = ""


def _work() -> st.SearchStrategy[Step]:
    slots, rows = st.sampled_from(SLOTS), st.integers(0, ROWS - 1)
    return st.one_of(
        st.builds(lambda s: Step(copy_in(f"%{s}"), "PIPE_MTE2", target=s), slots),
        st.builds(
            lambda s, r: Step(copy_out(f"%{s}", to=f"%y{r}"), "PIPE_MTE3", source=s, target=r),
            slots,
            rows,
        ),
        st.builds(
            lambda s, d: Step(_doubled(s, d), "PIPE_V", source=s, target=d), slots, slots
        ),
    )  # fmt: skip


def _doubled(source: str, target: str) -> str:
    double = "%w = pto.vadd %v, %v, %m : " + ", ".join(["!pto.vreg<64xf32>"] * 2)
    double += ", !pto.mask<b32> -> !pto.vreg<64xf32>"
    return scope(load(at=f"%{source}"), double, store("%w", at=f"%{target}"))


def _flag(rule: OrderRule, src: str, dst: str, event: int) -> Step:
    text = f'pto.{rule.instruction}["{src}", "{dst}", "EVENT_ID{event}"]'
    return Step(text, src, rule, dst, (event,))


def _buffer(rule: OrderRule, pipe: str, number: int, mode: int) -> Step:
    text = f'pto.{rule.instruction} "{pipe}", {number}, {mode}'
    return Step(text, pipe, rule, "", (number, mode))


def _steps() -> st.SearchStrategy[list[list[Step]]]:
    """Groups of lines. Most belong together, so that some programs come to their end."""
    pipes = st.sampled_from(VECTOR_CORE_PIPES)
    two = st.permutations(VECTOR_CORE_PIPES).map(lambda order: order[:2])
    event, buffer, mode = st.integers(0, 1), st.integers(0, 1), st.integers(0, 1)
    pair = st.builds(
        lambda p, e, n: [_flag(SET, p[0], p[1], e)] * n + [_flag(WAIT, p[0], p[1], e)] * n,
        two,
        event,
        st.sampled_from((1, 1, 1, 2, 15, 16)),
    )
    held = st.builds(
        lambda p, b, m, n, work: [_buffer(GET, p, b, m), *work, _buffer(RELEASE, p, b, n)],
        pipes,
        buffer,
        mode,
        mode,
        st.lists(_work(), max_size=2),
    )
    shared = st.builds(
        lambda p, b, m, n: [
            *(_buffer(GET, pipe, b, m) for pipe in p),
            *(_buffer(RELEASE, pipe, b, n) for pipe in p),
        ],
        two,
        buffer,
        mode,
        mode,
    )
    alone = st.one_of(
        st.builds(lambda p, e: [_flag(SET, p[0], p[1], e)], two, event),
        st.builds(lambda p, e: [_flag(WAIT, p[0], p[1], e)], two, event),
        st.builds(lambda p, b, m: [_buffer(GET, p, b, m)], pipes, buffer, mode),
        st.builds(lambda p, b, m: [_buffer(RELEASE, p, b, m)], pipes, buffer, mode),
    )
    bar = st.sampled_from((*VECTOR_CORE_PIPES, PIPE_ALL)).map(
        lambda p: [Step(f"pto.barrier #pto.pipe<{p}>", p, BARRIER)]
    )
    work = _work().map(lambda step: [step])
    late = st.builds(
        _waiting, st.lists(st.one_of(work, held, shared, pair), max_size=4), two, event
    )
    mixed = st.builds(_merged, late, st.one_of(held, shared), st.lists(st.booleans(), max_size=20))
    usual = (work, work, pair, held, shared, bar, late, mixed)
    return st.lists(st.one_of(*usual, *usual, alone), max_size=16)


def _waiting(groups: list[list[Step]], pipes: list[str], event: int) -> list[Step]:
    """A pipe waits while others are given work: generated code has to ask the engine."""
    src, dst = pipes
    inner = [step for group in groups for step in group]
    return [_flag(WAIT, src, dst, event), *inner, _flag(SET, src, dst, event)]


def _merged(one: list[Step], two: list[Step], first: list[bool]) -> list[Step]:
    """Both in their own order."""
    one, two, merged = list(one), list(two), list[Step]()
    for take in first:
        source = one if take else two
        merged += [source.pop(0)] if source else []
    return [*merged, *one, *two]


END = [
    Step(f"pto.barrier #pto.pipe<{PIPE_ALL}>", PIPE_ALL, BARRIER),
    *(
        Step(copy_out(f"%{slot}", to=f"%y{row}"), "PIPE_MTE3", source=slot, target=row)
        for row, slot in enumerate(SLOTS)
    ),
]
"""What shows in the end what was in UB."""


class Plain:
    """The rulebook executed: each pipe takes what it was given in order, as soon as it can."""

    def __init__(self, x: np.ndarray) -> None:
        self.fault: tuple[str, int] | None = None
        self.y = np.zeros((ROWS, ROW), np.float32)
        self._x = x
        self._ub = {slot: np.zeros(ROW, np.float32) for slot in SLOTS}
        self._ledger = Ledger(PIPES, PIPE_ALL)
        self._given: dict[Any, int] = defaultdict(int)
        self._queues: dict[str, deque[tuple[int, Ticket[str] | None, Callable[[], None]]]] = {
            pipe: deque() for pipe in PIPES
        }

    def run(self, steps: list[Step]) -> None:
        for line, step in enumerate(steps):
            self._issue(line, step)
            if self.fault is not None:
                return
        self._drain()

    def left(self) -> int:
        """How many flags are set in the end, and how many buffers are held."""
        flags = sum(
            count > self._given[WAIT.name, key[0], (pipe, *key[1:])]
            for (what, pipe, key), count in list(self._given.items())
            if what == SET.name
        )
        return flags + sum(
            count > self._given[RELEASE.name, pipe, key]
            for (what, pipe, key), count in list(self._given.items())
            if what == GET.name
        )

    def _issue(self, line: int, step: Step) -> None:
        ticket = None
        pipe = step.pipe
        if step.rule is not None:
            ticket = step.rule.settle(self._ledger, pipe, step.dst, step.numbers)
            pipe = ticket.pipe
            if ticket.drains:
                self._drain()
                return
        self._queues[pipe].append((line, ticket, lambda: self._move(step)))
        self._advance()
        if pipe == "PIPE_S" and self._queues[pipe]:
            self._stuck()

    def _drain(self) -> None:
        self._advance()
        if any(self._queues.values()):
            self._stuck()

    def _stuck(self) -> None:
        self.fault = self.fault or (DEADLOCK, -1)

    def _advance(self) -> None:
        moved = True
        while moved and self.fault is None:
            moved = False
            for queue in self._queues.values():
                while queue and self.fault is None and self._execute(*queue[0]):
                    queue.popleft()
                    moved = True

    def _execute(self, line: int, ticket: Ticket[str] | None, act: Callable[[], None]) -> bool:
        if ticket is None:
            act()
            return True
        if ticket.unheld or ticket.again:
            self.fault = MISUSE, line
        elif ticket.room is not None and self._given[ticket.room[0]] < ticket.room[1]:
            self.fault = OVERFLOW, line
        if self.fault or any(self._given[chain] < number for chain, number in ticket.awaits):
            return False
        for other in ticket.behind:
            queue = self._queues[other]
            if queue and queue[0][0] < line:
                return False
        for token in (ticket.gives, ticket.takes, ticket.holds):
            if token is not None:
                self._given[token[0]] = token[1]
        return True

    def _move(self, step: Step) -> None:
        if step.source == "":
            self._ub[str(step.target)] = self._x.copy()
        elif isinstance(step.target, int):
            self.y[step.target] = self._ub[str(step.source)]
        else:
            self._ub[step.target] = self._ub[str(step.source)] * np.float32(2)


@settings(max_examples=150, deadline=None)
@given(_steps())
def test_generated_code_keeps_the_rules(groups: list[list[Step]]) -> None:
    steps = [*(step for group in groups for step in group), *END]
    rows = [
        f"%at{r} = arith.constant {r * ROW} : index\n%y{r} = pto.addptr %y, %at{r} : {G} -> {G}"
        for r in range(ROWS)
    ]
    text = kernel(*rows, *(step.text for step in steps), params="%n: index")
    x = np.arange(ROW, dtype=np.float32)
    plain = Plain(x)
    plain.run(steps)
    loaded = ptoscope.load(text, force=True)
    y = np.zeros((ROWS, ROW), np.float32)
    found: tuple[str, int] | None = None
    try:
        loaded(x, y, 1, engine="native")
    except PtoError as error:
        (said,) = error.diagnostics
        found = said.code, said.line
    if plain.fault is None:
        assert found is None
        assert y.tobytes() == plain.y.tobytes()
        assert len(loaded.warnings) == plain.left()
        return
    assert found is not None
    code, line = plain.fault
    assert found[0] == code
    if line >= 0:
        before = kernel(*rows, *(step.text for step in steps[:line]), params="%n: index")
        # Two lines end a kernel.
        assert found[1] == len(before.splitlines()) - 1
