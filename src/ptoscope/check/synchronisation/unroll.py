"""A function as one run of it: loops by some of their iterations, branches by one side.

Every run made here is one that a launch can have, as far as can be seen: a loop whose end is
a launch scalar gets the scalar that gives it three iterations, which is enough for two buffers in
turn to come round. Of loops that synchronise as many iterations are followed as it takes to end
where the whole loop ends (`periods`), or all where these are few; the accesses of other loops are
those of all their iterations (`summaries`). What cannot be followed is noted, so that nothing is
concluded from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ptoscope.budget import reach, spend, spend_small
from ptoscope.check.analysis.expr import ONE, Expr, Symbol, single
from ptoscope.check.analysis.nodes import (
    BranchNode,
    EmptyCopy,
    FieldNode,
    Known,
    LoopNode,
    MemoryBarrier,
    Node,
    RefusalNode,
    RegisterTouch,
    ScopeNode,
    Sync,
    Touch,
    flat,
)
from ptoscope.check.synchronisation.executions import (
    Conditions,
    Execution,
    FirstEntry,
    GivenUp,
    UnrolledRun,
)
from ptoscope.check.synchronisation.meetings import Meetings, TooManyError, meetings
from ptoscope.check.synchronisation.periods import AT_LEAST, followed, synchronises
from ptoscope.check.synchronisation.scalars import chosen_scalar
from ptoscope.check.synchronisation.summaries import (
    Repeat,
    alike,
    at_start,
    few,
    possible_trips,
    same_barriers,
    summarised,
)
from ptoscope.program import Op

WHOLE = 12
"""Loops of so many iterations are followed to the end where there is room for it."""
ROOM = 3000
"""So many events leave room for it."""
MOST = 12_000
"""Runs of more events are cut off."""
_EVENT_BYTES = 500
"""Bytes of an event: roughly."""
_NOTHING: Known = {}


def unroll(
    nodes: list[Node], sides: Mapping[Expr, bool], otherwise: bool = True, given: Known = _NOTHING
) -> UnrolledRun:
    """The run in which each condition goes to the side given; `otherwise` is that of others.
    `given` are launch scalars that are chosen already."""
    solved: dict[Symbol, Expr] = dict(given)
    generous = True
    while True:
        unroller = _Unroller(sides, solved, ROOM if generous else MOST, otherwise, generous)
        unroller.whole(nodes, dict(solved))
        if len(unroller.solved) != len(solved):
            # With a scalar chosen, all that was made before it has to be made anew.
            solved = unroller.solved
        elif generous and unroller.full:
            generous = False
        else:
            unroller.run.solved = solved
            return unroller.run


def unroll_together(
    cores: Sequence[list[Node]], sides: Mapping[Expr, bool], otherwise: bool = True
) -> list[UnrolledRun]:
    """The runs of all cores of one block: launched with the same scalars."""
    solved: dict[Symbol, Expr] = {}
    while True:
        runs: list[UnrolledRun] = []
        before = len(solved)
        for nodes in cores:
            runs.append(unroll(nodes, sides, otherwise, solved))
            solved = runs[-1].solved
        if len(solved) == before:
            return runs


def unroll_scope(entry: FirstEntry) -> UnrolledRun:
    """The accesses and barriers of a vecscope, iteration by iteration: the first two, the last,
    and those in which accesses meet."""
    try:
        unroller = _Unroller({}, {}, MOST, meet=meetings(entry.scope, entry.known))
    except TooManyError:
        unroller = _Unroller({}, {}, MOST, meet={})
        unroller.give_up(
            entry.scope.op,
            "of its loops only the first two iterations and the last are followed",
        )
    unroller.whole([entry.scope], dict(entry.known))
    return unroller.run


class _FullError(Exception):
    """There is no room for more events."""


class _Unroller:
    """`generous` follows loops of a few iterations to the end. With `meet`, the accesses of
    loops that do not synchronise are shown iteration by iteration, those among them."""

    def __init__(
        self,
        sides: Mapping[Expr, bool],
        solved: Known,
        most: int,
        otherwise: bool = True,
        generous: bool = True,
        meet: Meetings | None = None,
    ) -> None:
        self.run = UnrolledRun()
        self.solved: dict[Symbol, Expr] = dict(solved)
        self.full = False
        self._sides, self._otherwise, self._most = sides, otherwise, most
        self._generous, self._meet = generous, meet
        self._scope: ScopeNode | None = None
        self._entry = 0
        self._iterations: tuple[int, ...] = ()
        self._given: Conditions = frozenset()
        self._repeats: tuple[Repeat, ...] = ()
        """The loops around that are summarised, innermost first."""
        self._loops: list[LoopNode] = []
        self._followed = 0
        """How many iterations were followed."""
        self._synchronises: dict[int, bool] = {}

    def whole(self, nodes: list[Node], known: dict[Symbol, Expr]) -> None:
        """Follows a body as far as there is room."""
        try:
            self._follow(nodes, known, True)
        except _FullError:
            self.full = True
            op = self._loops[0].op if self._loops else self.run.events[-1].node.op
            why = f"there are more than {self._most} events or iterations to follow"
            self.give_up(op, why, ends=True)

    def give_up(self, op: Op, why: str, ends: bool = False) -> None:
        """Notes what is not followed."""
        if self.run.given_up is None or (self.run.given_up.ends and not ends):
            self.run.given_up = GivenUp(op, why, ends)

    def _follow(self, nodes: list[Node], known: dict[Symbol, Expr], sure: bool) -> None:
        """Appends the events of a body. `known` grows by what its loops leave behind."""
        for node in nodes:
            match node:
                case ScopeNode():
                    self.run.scopes.setdefault(id(node), FirstEntry(node, dict(known)))
                    self._scope = node
                    self._entry += 1
                    self._follow(node.body, known, sure)
                    self._scope = None
                case BranchNode():
                    self._branch(node, known, sure)
                case LoopNode():
                    self._loop(node, known, sure)
                case Touch():
                    # What may be touched or not proves nothing.
                    touch = node.surely(known) if sure else None
                    if touch is not None:
                        self._touch(touch)
                case RegisterTouch():
                    if sure:
                        self._event(node)
                case FieldNode() | RefusalNode() | EmptyCopy():
                    pass
                case _:
                    self._event(node.instance(known))

    def _touch(self, touch: Touch) -> None:
        if not self._repeats:
            self._event(touch)
            return
        whole = summarised(touch.may, self._repeats)
        if whole is not None:
            self._event(touch.over(whole))
            return
        # The innermost loop by iterations that stand for all, the others by their first.
        (iteration, trips), *others = self._repeats
        first = at_start(touch.may, others)
        for number in few(trips):
            self._event(touch.over(first.instance({iteration: Expr(number)})))

    def _event(self, node: Touch | RegisterTouch | Sync | MemoryBarrier) -> None:
        if len(self.run.events) >= self._most:
            raise _FullError
        spend(kept=_EVENT_BYTES)
        self.run.events.append(
            Execution(node, self._scope, self._entry, self._iterations, self._given)
        )

    def _orders(self, node: BranchNode | LoopNode) -> bool:
        known = self._synchronises.get(id(node))
        if known is None:
            known = self._synchronises[id(node)] = synchronises([node])
        return known

    def _branch(self, node: BranchNode, known: dict[Symbol, Expr], sure: bool) -> None:
        condition = node.condition.substitute(known)
        if condition.number is not None:
            self._follow(node.yes if condition.number else node.no, known, sure)
            return
        flipped = single(condition) is None and single(ONE - condition) is not None
        key = ONE - condition if flipped else condition
        if not self._orders(node):
            outer = self._given
            for holds in (True, False):
                if (key, not holds) not in outer:
                    self._given = outer | {(key, holds)}
                    self._follow(node.yes if holds != flipped else node.no, dict(known), sure)
            self._given = outer
        else:
            holds = self._sides.get(key, self._otherwise)
            side = holds != flipped
            self.run.taken[key] = (node, side)
            self._follow(node.yes if side else node.no, known, sure)

    def _loop(self, node: LoopNode, known: dict[Symbol, Expr], sure: bool) -> None:
        reach(node.op)
        self._loops.append(node)
        if self._scope is not None or not self._orders(node):
            self._inner_loop(node, known, sure)
        else:
            self._outer_loop(node, known, sure)
        self._loops.pop()

    def _inner_loop(self, node: LoopNode, known: dict[Symbol, Expr], sure: bool) -> None:
        """One that does not synchronise."""
        count = node.trips.substitute(known)
        trips = possible_trips(count)
        sure = sure and node.counted
        if trips <= 0:
            return
        if self._meet is not None or not alike(node):
            chosen = self._chosen(node, trips)
            # `len` of a range refuses what 64 bits do not hold.
            whole = isinstance(chosen, range) or len(chosen) == trips
            self._iterate(node, chosen, known, sure, whole and count.number is not None)
            return
        outer = self._repeats
        self._repeats = (Repeat(node.iteration, trips), *outer)
        self._follow(node.body, known, sure)
        self._repeats = outer

    def _chosen(self, node: LoopNode, trips: int) -> Sequence[int]:
        """The iterations that are followed of a loop that does not synchronise."""
        if self._meet is None:
            return few(trips)
        if not same_barriers(node):
            return range(trips)
        met = self._meet.get((id(node), self._iterations), set[int]())
        return sorted({*few(trips), *(number for number in met if number < trips)})

    def _outer_loop(self, node: LoopNode, known: dict[Symbol, Expr], sure: bool) -> None:
        """One that synchronises."""
        count = node.trips.substitute(known)
        if not node.counted:
            self.give_up(node.op, "how often it runs is not known, and it synchronises")
            sure = False
        elif count.number is None:
            self.solved.update(chosen_scalar(node, known, range(AT_LEAST, WHOLE + 1)))
            count = node.trips.substitute({**known, **self.solved})
        trips = count.number
        if trips is None:
            some = list(range(min(count.bounds()[1], AT_LEAST)))
            self._shorten(node, count, len(some))
            self._iterate(node, some, known, sure, True)
            return
        if trips <= (WHOLE if self._generous else AT_LEAST):
            self._iterate(node, list(range(trips)), known, sure, True)
            return
        chosen = followed(node, trips, known)
        if chosen is None:
            self.give_up(
                node.op, f"what its {trips} iterations wait for or set does not come back in turn"
            )
            return
        self._shorten(node, count, len(chosen.iterations))
        self._iterate(node, chosen.iterations, known, sure, chosen.carries_on)

    def _shorten(self, node: LoopNode, count: Expr, followed: int) -> None:
        """Notes a loop of which only some iterations are followed, where others see it."""
        if any(isinstance(inner, Sync) and inner.rule.between_cores for inner in flat(node.body)):
            self.run.shortened.append((count, followed))

    def _iterate(
        self,
        node: LoopNode,
        iterations: Sequence[int],
        known: dict[Symbol, Expr],
        sure: bool,
        carries_on: bool,
    ) -> None:
        """Follows some iterations of a loop. What it carries is known after a gap and in the
        end where it `carries_on`."""
        values = [c.first.substitute(known) for c in node.carried]
        outer = self._iterations
        last = -1
        for iteration in iterations:
            self._followed += 1
            if self._followed > self._most:
                # Iterations without events have to end, too.
                raise _FullError
            spend_small(len(known))
            now = {**known, node.iteration: Expr(iteration)}
            if iteration == last + 1 or carries_on:
                now.update({c.symbol: v for c, v in zip(node.carried, values, strict=True)})
            self._iterations = (*outer, iteration)
            self._follow(node.body, now, sure)
            values = [c.next.substitute(now) for c in node.carried]
            last = iteration
        self._iterations = outer
        if carries_on:
            known.update({c.after: v for c, v in zip(node.carried, values, strict=True)})
