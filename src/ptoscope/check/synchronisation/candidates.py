"""Changes that may put synchronisation right, the likeliest first."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, zip_longest

from ptoscope.check.analysis.nodes import Sync
from ptoscope.check.rule import Context
from ptoscope.check.synchronisation.changes import (
    Change,
    Delete,
    Insert,
    Rewrite,
    Written,
    flag,
    like,
    written,
)
from ptoscope.check.synchronisation.executions import Execution
from ptoscope.check.synchronisation.layout import Layout
from ptoscope.check.synchronisation.problems import (
    COPIES,
    KEPT,
    SHORT,
    STUCK,
    SURPLUS,
    UNHELD,
    Problems,
)
from ptoscope.check.synchronisation.races import StaticRace, anchor, touch_of
from ptoscope.isa.order.kinds import partner
from ptoscope.isa.order.rules import BARRIER, GET, RELEASE, SET, WAIT
from ptoscope.isa.parts import EVENTS, PIPE_ALL
from ptoscope.program import Block, Op

CANDIDATES = 40
"""So many changes are tried for one problem."""
_OPPOSITE = {SHORT: SURPLUS, SURPLUS: SHORT, UNHELD: KEPT, KEPT: UNHELD}
"""What is left over when the other side of a pair is."""


class Candidates:
    """Changes for the problems of one run. `events` are those that flags between pipes have in
    any run; None for one that is not known."""

    def __init__(
        self,
        context: Context,
        problems: Problems,
        events: dict[tuple[str, str], set[int | None]],
    ) -> None:
        self._context = context
        self._problems = problems
        self._events = events
        self._layout = context.once(Layout)

    def of(self, code: str, item: Execution | StaticRace) -> Iterator[Change]:
        """What may help against a problem."""
        if isinstance(item, StaticRace):
            yield from self._copies(item) if code == COPIES else self._race(item)
            return
        assert isinstance(item.node, Sync)
        if code == STUCK:
            yield from self._stuck()
        else:
            yield from self._orphan(code, item.node)

    # One side of a pair without the other.

    def _orphan(self, code: str, node: Sync) -> Iterator[Change]:
        yield from self._paired(code, node)
        op = node.op
        if self._repeats(self._layout.written(node)):
            yield (Delete(op),)
        yield from self._completed(node)
        yield (Delete(op),)

    def _forms(self, node: Sync) -> list[Sync]:
        """A synchronisation of a run as the text has it, and with the numbers of the run."""
        there = self._layout.written(node)
        return [there] if there.numbers == node.numbers else [there, node]

    def _paired(self, code: str, node: Sync) -> Iterator[Change]:
        """Made one with a synchronisation that lacks the other side."""
        others = [
            item.node
            for (kind, _), item in self._problems.found.items()
            if kind == _OPPOSITE[code]
            and isinstance(item, Execution)
            and isinstance(item.node, Sync)
            and item.node.rule is partner(node.rule)
        ]
        ranked = sorted(others, key=lambda o: (o.src, o.dst) != (node.src, node.dst))
        for other in ranked:
            for one, two in ((other, node), (node, other)):
                for sync in self._layout.same(self._layout.written(one)):
                    for form in self._forms(two):
                        yield from self._rewritten(sync, like(self._context, form, sync.rule))

    def _rewritten(self, sync: Sync, what: Written) -> Iterator[Change]:
        if self._layout.positions.sees(sync.op, False, what.uses):
            yield (Rewrite(sync.op, what),)

    def _repeats(self, sync: Sync) -> bool:
        """Whether the same stands right beside it."""
        ops = self._layout.siblings(self._layout.block(sync.op))
        at = next(i for i, op in enumerate(ops) if op is sync.op)
        near = {id(op) for op in ops[max(0, at - 1) : at + 2]} - {id(sync.op)}
        return any(id(s.op) in near for s in self._layout.same(sync))

    def _completed(self, node: Sync) -> Iterator[Change]:
        """The other side put where it fits: what gives behind work of its pipe, what takes
        before it."""
        layout = self._layout
        rule = partner(node.rule)
        forms = [like(self._context, form, rule) for form in self._forms(node)]
        pipe = rule.pipe(node.src, node.dst)
        gives, first = rule in (SET, RELEASE), rule in (SET, GET)
        ranks: list[tuple[tuple[int, ...], Change]] = []
        around = layout.positions.chain(node.op)
        for block, level in self._blocks(layout.written(node), forms[0].sync):
            inside = next((op for op in around if layout.block(op) is block), None)
            at = -1 if inside is None else layout.siblings(block).index(inside)
            for i, gap in enumerate(layout.gaps(block)):
                work = layout.pipes(gap.before if gives else gap.after)
                beyond = layout.pipes(gap.after if gives else gap.before)
                fits = 0 if pipe in work and pipe not in beyond else 1 if pipe in work else 2
                wrong = inside is not None and (i <= at) != first
                rank = level, int(wrong), fits, abs(2 * i - 2 * at - 1)
                op, after = gap.beside(late=not gives)
                seen = [w for w in forms if layout.positions.sees(op, after, w.uses)]
                ranks += [(rank, (Insert(what, op, after),)) for what in seen]
        yield from (change for _, change in sorted(ranks, key=lambda entry: entry[0]))

    def _blocks(self, sync: Sync, other: Sync) -> Iterator[tuple[Block, int]]:
        """The blocks around a synchronisation and its likes, and how far they are from it."""
        layout = self._layout
        found: dict[int, tuple[Block, int]] = {}
        for start in (sync, *layout.same(sync), *layout.same(other)):
            for level, block in enumerate(layout.blocks_around(start.op), start is not sync):
                if id(block) not in found or level < found[id(block)][1]:
                    found[id(block)] = block, level
        yield from found.values()

    # Pipes that wait for each other.

    def _stuck(self) -> Iterator[Change]:
        run, order = self._problems.run, self._problems.order
        nodes = [run.events[i].node for i in order.stuck]
        syncs = [
            self._layout.written(node)
            for node in nodes
            if isinstance(node, Sync) and node.rule is not BARRIER
        ]
        for sync in syncs:
            if sync.rule is not WAIT:
                continue
            loop = self._layout.positions.loop(sync.op)
            signal = like(self._context, sync, SET)
            wait = like(self._context, sync, WAIT)
            if loop is not None and self._layout.positions.sees(loop, False, signal.uses):
                yield Insert(signal, loop, False), Insert(wait, loop, True)
        moves = [self._moved(one) for one in islice(self._near(syncs), CANDIDATES)]
        # Each to its nearest places first.
        for changes in zip_longest(*moves):
            yield from (change for change in changes if change is not None)

    def _near(self, syncs: list[Sync]) -> Iterator[Sync]:
        """Those of the same pipes and numbers as any, each once."""
        seen: set[int] = set()
        for sync in syncs:
            for one in (*self._layout.same(sync), *self._partners(sync)):
                if id(one.op) not in seen:
                    seen.add(id(one.op))
                    yield one

    def _partners(self, sync: Sync) -> list[Sync]:
        other = like(self._context, sync, partner(sync.rule)).sync
        return self._layout.same(other)

    def _moved(self, sync: Sync) -> Iterator[Change]:
        """To another place of its block, near ones first."""
        layout = self._layout
        block = layout.block(sync.op)
        at = layout.siblings(block).index(sync.op)
        gaps = list(enumerate(layout.gaps(block)))
        for _, gap in sorted(gaps, key=lambda entry: abs(entry[0] - at)):
            if sync.op is not gap.before and sync.op is not gap.after:
                op, after = gap.beside(late=sync.rule in (WAIT, GET))
                yield from self._move(sync, op, after)

    def _move(self, sync: Sync, op: Op, after: bool) -> Iterator[Change]:
        what = like(self._context, sync, sync.rule)
        if self._layout.positions.sees(op, after, what.uses):
            yield Delete(sync.op), Insert(what, op, after)

    # Accesses without order.

    def _copies(self, item: StaticRace) -> Iterator[Change]:
        late = touch_of(item.late)
        yield (Insert(written(BARRIER, late.pipe, ""), late.op, False),)

    def _race(self, item: StaticRace) -> Iterator[Change]:
        met = self._layout.positions.meet(anchor(item.early), anchor(item.late))
        src, dst = touch_of(item.early).pipe, touch_of(item.late).pipe
        if met is not None:
            first, then = met
            yield from self._shifted(src, dst, first, then)
            last = self._last(item, first, then)
            for end in dict.fromkeys((id(last), id(first))):
                yield from self._flags(src, dst, last if end == id(last) else first, then)
        late = anchor(item.late)
        yield (Insert(written(BARRIER, PIPE_ALL, ""), late, False),)

    def _shifted(self, src: str, dst: str, first: Op, then: Op) -> Iterator[Change]:
        """What is there, moved to where it orders the two."""
        layout = self._layout
        given = [
            s
            for s in layout.syncs
            if (s.rule is SET and (s.src, s.dst) == (src, dst))
            or (s.rule is RELEASE and s.src == src)
        ]
        taken = [
            s
            for s in layout.syncs
            if (s.rule is WAIT and (s.src, s.dst) == (src, dst)) or (s.rule is GET and s.src == dst)
        ]
        for sync in given:
            if layout.block(sync.op) is layout.block(first) and sync.op is not first:
                yield from self._move(sync, first, True)
        for sync in taken:
            if layout.block(sync.op) is layout.block(then) and sync.op is not then:
                for one in given:
                    # What is waited for is given before it in the text, too.
                    behind = layout.block(one.op) is layout.block(then) and (
                        layout.index(first) < layout.index(then) < layout.index(one.op)
                    )
                    if behind and one.rule is partner(sync.rule):
                        yield from (
                            (*set_it, *wait_for_it)
                            for set_it in self._move(one, first, True)
                            for wait_for_it in self._move(sync, then, False)
                        )
                yield from self._move(sync, then, False)

    def _last(self, item: StaticRace, first: Op, then: Op) -> Op:
        """The last operation of the same pipe that the same one has to wait for."""
        layout = self._layout
        pipes = item.early.node.pipe, item.late.node.pipe
        last = first
        for other in self._problems.found.values():
            if not isinstance(other, StaticRace):
                continue
            met = layout.positions.meet(anchor(other.early), anchor(other.late))
            if met is None or (other.early.node.pipe, other.late.node.pipe) != pipes:
                continue
            back = layout.index(first) >= layout.index(then)
            is_back = layout.index(met[0]) >= layout.index(then)
            if met[1] is then and is_back == back and layout.index(met[0]) > layout.index(last):
                last = met[0]
        return last

    def _flags(self, src: str, dst: str, first: Op, then: Op) -> Iterator[Change]:
        """A flag of its own."""
        back, loop = self._layout.carried(first, then)
        if back and loop is None:
            return
        used = self._events.get((src, dst), set())
        numbers = range(len(EVENTS))
        free = [] if None in used else [n for n in numbers if n not in used]
        again = [] if None in used or free else list(numbers)
        for number in (free or again)[: 1 if free else len(EVENTS)]:
            yield flag(src, dst, number, first, then, loop)
