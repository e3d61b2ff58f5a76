"""One run of a function, by clocks: which dependences it has not in order.

The rules are those of `isa.order`. Nothing is executed. In a cluster all cores run, each what its
sections have.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ptoscope.check.analysis.expr import Expr, Symbol
from ptoscope.check.analysis.nodes import LoopNode, Sync
from ptoscope.isa.order.clocks import COUNT, Clock, Clocks
from ptoscope.isa.order.cores import of_all_others
from ptoscope.isa.order.ledger import Ledger, Number, Ticket
from ptoscope.isa.order.pipes import CarryingPipes
from ptoscope.isa.order.rules import OrderRule
from ptoscope.isa.parts import PIPE_ALL, PIPE_NUMBERS, SCALAR
from ptoscope.lang.sync.dependences import Dependence
from ptoscope.lang.sync.kinds import SectionKinds
from ptoscope.lang.sync.placing import PlacedSync
from ptoscope.lang.sync.steps import PipeStep
from ptoscope.program import Op

_EVERY = -1
"""Stands for all pipes of a core."""


@dataclass(slots=True)
class RunPart:
    """An operation that takes part in a run: a step, a synchronisation of the text, or a loop or
    branch with such inside."""

    op: Op
    step: PipeStep | None = None
    sync: Sync | None = None
    loop: LoopNode | None = None
    bodies: list[list[RunPart]] = field(default_factory=list[list["RunPart"]])


StepsBefore = dict[int, list[tuple[int, Dependence, int]]]
"""By the id of a step, what comes before it: dependences with their numbers and depths."""


class RunChoice(NamedTuple):
    """How one run goes: by the ids of operations, how often loops run and which sides branches
    take; `turns` says that branches go to the other side every other time."""

    trips: Mapping[int, int]
    sides: Mapping[int, int]
    turns: bool = False


class StepRun:
    """One run, and the dependences that it has not in order."""

    def __init__(
        self,
        before: StepsBefore,
        around: Mapping[tuple[int, bool], list[PlacedSync]],
        choice: RunChoice,
        kinds: SectionKinds,
    ) -> None:
        self._before, self._around, self._choice = before, around, choice
        self._taken: dict[int, int] = defaultdict(int)
        self._kinds = kinds
        self._ledgers = [
            Ledger(range(core * COUNT, (core + 1) * COUNT), _EVERY, core=name)
            for core, name in enumerate(kinds.cores)
        ]
        scalars = (core * COUNT + SCALAR for core in range(len(kinds.cores)))
        clocks = Clocks(0, self._access, len(kinds.cores), is_store_complete=False)
        self._pipes = CarryingPipes(clocks, *scalars)
        self._item = 0
        self._stuck: set[int] = set()
        """The cores whose scalar units wait for what nobody signals."""
        self._iterations: tuple[int, ...] = ()
        self._stages: dict[int, int] = {}
        """By the id of a loop, its iteration."""
        self._executed: dict[tuple[int, int], list[tuple[int, tuple[int, ...]]]] = defaultdict(list)
        """By the id of a step and its core, the items that it was, and the iterations of the loops
        around."""
        self._needs: dict[int, list[tuple[int, int, int]]] = {}
        """By item: pipes, the items on them that have to be complete, and for what."""
        self.lacking: set[int] = set()

    def whole(self, parts: list[RunPart]) -> None:
        """The run from its beginning to its end."""
        self._follow(parts, {})
        # Pipes that wait for what nobody signals execute nothing.
        for needs in self._needs.values():
            self.lacking.update(number for _, _, number in needs)

    def _follow(self, parts: list[RunPart], known: Mapping[Symbol, Expr]) -> None:
        around = self._around
        for part in parts:
            key = id(part.op)
            for one in around.get((key, False), ()):
                self._place(one)
            if part.step is not None:
                self._step(part.step)
            if part.sync is not None:
                self._sync(part.sync, known)
            elif part.loop is not None:
                self._loop(part, part.loop, known)
            elif part.bodies:
                self._branch(part, known)
            for one in around.get((key, True), ()):
                self._place(one)

    def _loop(self, part: RunPart, loop: LoopNode, known: Mapping[Symbol, Expr]) -> None:
        outer, key = self._iterations, id(part.op)
        values = [c.first.substitute(known) for c in loop.carried]
        for iteration in range(self._choice.trips[key]):
            now = {**known, loop.iteration: Expr(iteration)}
            now.update({c.symbol: v for c, v in zip(loop.carried, values, strict=True)})
            self._iterations = (*outer, iteration)
            self._stages[key] = iteration
            for body in part.bodies:
                self._follow(body, now)
            values = [c.next.substitute(now) for c in loop.carried]
        self._iterations = outer

    def _branch(self, part: RunPart, known: Mapping[Symbol, Expr]) -> None:
        key = id(part.op)
        side = self._choice.sides.get(key)
        if side is None:
            # Nothing is ordered inside, or only one side can be taken.
            for body in part.bodies:
                self._follow(body, known)
            return
        if self._choice.turns:
            side = (side + self._taken[key]) % 2
            self._taken[key] += 1
        self._follow(part.bodies[side], known)

    def _step(self, step: PipeStep) -> None:
        for core in self._kinds.numbers(step.core):
            self._step_of(step, core)

    def _step_of(self, step: PipeStep, core: int) -> None:
        self._item += 1
        item, now = self._item, self._iterations
        needs: list[tuple[int, int, int]] = []
        for number, dependence, depth in self._before.get(id(step), ()):
            early = dependence.early
            for other in self._kinds.numbers(early.core) if dependence.crosses else (core,):
                last = self._last(dependence, other, depth, now)
                if last is not None:
                    needs.append((other * COUNT + early.number, last, number))
        if core in self._stuck:
            self.lacking.update(number for _, _, number in needs)
            return
        self._needs[item] = needs
        self._executed[id(step), core].append((item, now))
        self._issue(core, core * COUNT + step.number, None)

    def _last(
        self, dependence: Dependence, core: int, depth: int, now: tuple[int, ...]
    ) -> int | None:
        """The last execution of the earlier step by a core that has to be complete."""
        turns = self._turns(dependence)
        for item, then in reversed(self._executed.get((id(dependence.early), core), ())):
            if then[:depth] == now[:depth] and (
                dependence.loop is None or then[depth] <= now[depth] - dependence.distance
            ):
                if turns is not None:
                    at, copies = turns
                    if (then[at] - now[at]) % copies:
                        # Of another copy.
                        continue
                return item
        return None

    @staticmethod
    def _turns(dependence: Dependence) -> tuple[int, int] | None:
        """In which of the loops around the two take turns with so many copies."""
        buffer = dependence.inner
        if buffer is None:
            return None
        at = next(n for n, loop in enumerate(dependence.late.loops) if loop.op is buffer.loop)
        return at, buffer.copies

    def _access(self, item: int, pipe: int, clock: Clock) -> None:
        """A step is executed when so much is known to be complete."""
        for early, last, number in self._needs.pop(item, ()):
            if clock[early] <= last:
                self.lacking.add(number)

    def _sync(self, sync: Sync, known: Mapping[Symbol, Expr]) -> None:
        numbers = tuple(number.substitute(known) for number in sync.numbers)
        resolved = tuple(e if e.number is None else e.number for e in numbers)
        for core in self._kinds.numbers(self._kinds.of(sync.op)):
            self._synchronise(core, sync.rule, sync.src, sync.dst, resolved)

    def _place(self, one: PlacedSync) -> None:
        for core in self._kinds.numbers(one.core):
            if one.event is None:
                self._synchronise(core, one.rule, one.src, one.dst, ())
                continue
            number = one.event
            if one.buffer is not None:
                number += self._stages[id(one.buffer.loop)] % one.buffer.copies
            named = (number,)
            if one.rule.between_cores:
                named = of_all_others(one.rule, self._kinds.cores[core].kind, number)
            for each in named:
                self._synchronise(core, one.rule, one.src, one.dst, (each,))

    def _synchronise(
        self, core: int, rule: OrderRule, src: str, dst: str, numbers: tuple[Number, ...]
    ) -> None:
        self._item += 1
        source = _EVERY if src == PIPE_ALL else core * COUNT + PIPE_NUMBERS[src]
        target = core * COUNT + PIPE_NUMBERS[dst] if dst else None
        ticket = rule.settle(self._ledgers[core], source, target, numbers)
        self._issue(core, ticket.pipe, ticket)

    def _issue(self, core: int, pipe: int, ticket: Ticket[int] | None) -> None:
        if core not in self._stuck and not self._pipes.issue(self._item, pipe, ticket):
            self._stuck.add(core)
