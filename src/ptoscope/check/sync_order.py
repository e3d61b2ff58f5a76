"""What is ordered in a run: the pipes, what they wait for, and what is done before what.

Each pipe takes its instructions in program order; one that has to wait holds up those behind
it. For every access, `before` tells which others are certainly complete when it begins, as
bits of their positions in the run.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque

from ptoscope.check.analysis.expr import Expr
from ptoscope.check.analysis.nodes import Barrier, Buffer, Flag, Touch
from ptoscope.check.sync_unroll import Run
from ptoscope.isa.pipes import COPY_PIPES, PIPE_ALL

Key = tuple[str, str, Expr]


def key_of(flag: Flag) -> Key:
    """What makes a set and a wait belong together."""
    return flag.src, flag.dst, flag.event


class Order:
    """A run, executed as far as it goes."""

    def __init__(self, run: Run) -> None:
        self.events = run.events
        self.before: list[int | None] = [None] * len(run.events)
        self.short: list[int] = []
        """Waits for which there are not enough sets."""
        self.left: list[int] = []
        """Sets that nobody waits for."""
        self.stuck: list[int] = []
        """Where pipes are when none of them can go on."""
        self.unheld: list[int] = []
        """Releases of a buffer that the pipe does not hold."""
        self.kept: list[int] = []
        """Acquisitions of a buffer that is not released."""
        self._queues: dict[str, deque[tuple[int, int, frozenset[int]]]] = defaultdict(deque)
        self._known: dict[str, int] = defaultdict(int)
        self._issued: dict[str, int] = defaultdict(int)
        self._tokens: dict[Key, deque[int]] = defaultdict(deque)
        self._released: dict[int, int] = {}
        self._holders: dict[tuple[str, Expr], list[int]] = defaultdict(list)
        self._announced: dict[Expr, list[int]] = defaultdict(list)
        self._claims: dict[Expr, Counter[str]] = defaultdict(Counter)
        """How often each pipe has acquired a buffer and not released it, as issued."""
        self._others: dict[int, list[str]] = {}
        """The pipes that a release in mode 1 waits for."""
        self._balance()
        self._go()

    # Counting: a wait and a set belong together by pipes and event.

    def _balance(self) -> None:
        sets: dict[Key, list[int]] = defaultdict(list)
        waits: dict[Key, list[int]] = defaultdict(list)
        doubtful: set[tuple[str, str]] = set()
        for i, event in enumerate(self.events):
            if isinstance(event.node, Flag):
                (sets if event.node.sets else waits)[key_of(event.node)].append(i)
        for key in {**sets, **waits}:
            if len(sets[key]) != len(waits[key]) and key[2].number is None:
                # Another event of these pipes may be the same one.
                doubtful.add(key[:2])
        self._free: set[int] = set()
        """Waits that are let through."""
        for key in {**sets, **waits}:
            there, wanted = sets[key], waits[key]
            surplus = wanted[len(there) :]
            self._free.update(surplus)
            if key[:2] not in doubtful:
                self.short += surplus
                self.left += there[len(wanted) :]

    # Going through the run.

    def _go(self) -> None:
        for i, event in enumerate(self.events):
            node = event.node
            awaited: frozenset[int] = frozenset()
            if isinstance(node, Barrier):
                if node.memory:
                    continue
                if node.pipe == PIPE_ALL:
                    self._advance()
                    if any(self._queues.values()):
                        break
                    self._known["PIPE_S"] |= self._all()
                    continue
            if isinstance(node, Buffer):
                claims = self._claims[node.id]
                if node.gets:
                    awaited = frozenset(self._announced[node.id])
                    claims[node.pipe] += 1
                else:
                    self._announced[node.id].append(i)
                    claims[node.pipe] = max(0, claims[node.pipe] - 1)
                    if node.mode.number == 1 and all(e.number is not None for e in self._claims):
                        self._others[i] = [p for p, n in claims.items() if n and p != node.pipe]
            queue = self._queues[node.pipe]
            # The scalar unit issues: what it knows holds for all that comes after.
            waiting = (i, self._known["PIPE_S"], awaited)
            if not queue and self._execute(*waiting):
                if any(self._queues.values()):
                    self._advance()
                continue
            queue.append(waiting)
            if node.pipe == "PIPE_S":
                break
        self._advance()
        self.stuck = [queue[0][0] for queue in self._queues.values() if queue]
        if not self.stuck:
            self.kept = [i for held in self._holders.values() for i in held]

    def _advance(self) -> None:
        moved = True
        while moved:
            moved = False
            for queue in list(self._queues.values()):
                while queue and self._execute(*queue[0]):
                    queue.popleft()
                    moved = True

    def _all(self) -> int:
        total = 0
        for done in self._issued.values():
            total |= done
        return total

    def _execute(self, i: int, issued_after: int, awaited: frozenset[int]) -> bool:
        node = self.events[i].node
        pipe = node.pipe
        self._known[pipe] |= issued_after
        match node:
            case Touch():
                known = self._known[pipe]
                self.before[i] = known
                done = known | 1 << i
                self._issued[pipe] |= done
                if pipe not in COPY_PIPES:
                    self._known[pipe] = done
            case Flag(sets=True):
                self._tokens[key_of(node)].append(self._known[pipe] | self._issued[pipe])
            case Flag():
                if i in self._free:
                    # Nothing is concluded from a wait that has no set: it orders all.
                    self._known[pipe] |= self._issued[node.src] | self._known[node.src]
                    return True
                tokens = self._tokens[key_of(node)]
                if not tokens:
                    return False
                self._known[pipe] |= tokens.popleft()
            case Buffer():
                return self._buffer(i, node, awaited)
            case Barrier():
                self._known[pipe] |= self._issued[pipe]
        return True

    def _buffer(self, i: int, node: Buffer, awaited: frozenset[int]) -> bool:
        holders = self._holders[node.pipe, node.id]
        if node.gets:
            if node.mode.number == 0 and any(r not in self._released for r in awaited):
                return False
            for release in awaited:
                self._known[node.pipe] |= self._released.get(release, 0)
            holders.append(i)
            return True
        others = self._others.get(i, [])
        if any(self._queues[p] and self._queues[p][0][0] < i for p in others):
            return False
        if holders:
            holders.pop()
        elif node.id.number is not None and self._certain_ids(node.pipe):
            self.unheld.append(i)
        done = self._issued[node.pipe] | self._known[node.pipe]
        if node.mode.number != 0 and i not in self._others:
            # It may wait for any pipe.
            done |= self._all()
        for other in others:
            done |= (self._issued[other] | self._known[other]) & (1 << i) - 1
        self._released[i] = done
        if node.mode.number != 0:
            self._issued[node.pipe] |= done
            if node.pipe not in COPY_PIPES:
                self._known[node.pipe] |= done
        return True

    def _certain_ids(self, pipe: str) -> bool:
        return all(id.number is not None for p, id in self._holders if p == pipe)
