"""In which iterations of the loops of a vecscope two accesses touch the same bytes.

Two accesses that meet do so in some iterations only: a store to x[i + 5] and a load of x[i] in
those that are five apart. These are found from the places alone, so that just they have to be
followed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, product
from math import prod
from typing import NamedTuple, TypeVar

from ptoscope.budget import spend, spend_small
from ptoscope.check.analysis.expr import Expr, Symbol
from ptoscope.check.analysis.nodes import BranchNode, LoopNode, Node, ScopeNode, Touch, flat
from ptoscope.check.synchronisation.summaries import few, possible_trips
from ptoscope.isa.order.memory import ScopeAccess, needs_order

T = TypeVar("T")
MOST = 50_000
"""So many accesses of all iterations, or pairs of them, are looked at."""

At = tuple[int, ...]
"""Iterations of the loops around an access, outermost first."""


class TooManyError(Exception):
    """There are more accesses in all iterations than are looked at."""


class _Accesses(NamedTuple):
    """Accesses of one kind to the same places: those of all iterations of the loops around,
    each so many bytes further than in the iteration before."""

    base: Expr
    rows: tuple[tuple[int, int], ...]
    """In the first iterations, relative to the base."""
    loops: tuple[int, ...]
    """The loops' ids, outermost first."""
    trips: tuple[int, ...]
    steps: tuple[int, ...]
    kind: ScopeAccess

    def hull(self) -> tuple[int, int]:
        reach = [(t - 1) * s for t, s in zip(self.trips, self.steps, strict=True)]
        low = min(start for start, _ in self.rows) + sum(min(0, r) for r in reach)
        return low, max(end for _, end in self.rows) + sum(max(0, r) for r in reach)

    def apart(self) -> bool:
        """Whether no two iterations touch the same bytes."""
        length = max(e for _, e in self.rows) - min(s for s, _ in self.rows)
        for step, trips in sorted((abs(s), t) for s, t in zip(self.steps, self.trips, strict=True)):
            if trips > 1 and step < length:
                return False
            length += (trips - 1) * step
        return True


Meetings = Mapping[tuple[int, At], set[int]]
"""For a loop, by its id, in iterations of those around it: iterations to follow."""


def meeting(rows: Iterable[tuple[int, int, T]]) -> Iterator[tuple[T, T]]:
    """Every two of some rows that share bytes: of each the first byte, the one after the last,
    and whose it is."""
    near: list[tuple[int, int, T]] = []
    for row in sorted(rows, key=lambda row: row[0]):
        spend_small(len(near))
        near = [other for other in near if other[1] > row[0]]
        for _, _, whose in near:
            yield whose, row[2]
        near.append(row)


def meetings(scope: ScopeNode, known: Mapping[Symbol, Expr]) -> Meetings:
    """The iterations in which accesses of a vecscope meet: for each two that do, those nearest
    to each other. Raises TooManyError where that takes too long."""
    if not any(isinstance(node, LoopNode) for node in flat(scope.body)):
        return {}
    accesses = list(dict.fromkeys(_collect(scope.body, known, ())))
    found: dict[tuple[int, At], set[int]] = defaultdict(set)
    for one, two, at_one, at_two in _nearest(_suspects(accesses)):
        for access, at in ((one, at_one), (two, at_two)):
            for depth, loop in enumerate(access.loops):
                found[loop, at[:depth]].add(at[depth])
    return found


def _collect(
    nodes: list[Node], known: Mapping[Symbol, Expr], loops: tuple[tuple[LoopNode, int], ...]
) -> Iterator[_Accesses]:
    for node in nodes:
        match node:
            case Touch(space="ub", sure=sure) if sure is not None:
                touched = sure.instance(known)
                steps = [touched.start.terms.get((loop.iteration,), 0) for loop, _ in loops]
                around = {(loop.iteration,): s for (loop, _), s in zip(loops, steps, strict=True)}
                base = touched.start.variable - Expr(0, {t: s for t, s in around.items() if s})
                rows = tuple(touched.rows())
                if rows and not any(loop.iteration in base.symbols for loop, _ in loops):
                    yield _Accesses(
                        base,
                        rows,
                        tuple(id(loop) for loop, _ in loops),
                        tuple(trips for _, trips in loops),
                        tuple(steps),
                        ScopeAccess(node.writes, node.scalar),
                    )
            case LoopNode(counted=True):
                trips = possible_trips(node.trips.substitute(known))
                if trips > 0:
                    yield from _collect(node.body, known, (*loops, (node, trips)))
            case BranchNode():
                yield from _collect(node.yes, known, loops)
                yield from _collect(node.no, known, loops)
            case _:
                pass


def _suspects(accesses: list[_Accesses]) -> list[_Accesses]:
    """Those that could meet others, or themselves, in different iterations."""
    found: dict[_Accesses, None] = {}
    groups: dict[Expr, list[tuple[int, int, _Accesses]]] = defaultdict(list)
    for access in accesses:
        groups[access.base].append((*access.hull(), access))
        if access.kind.writes and not access.apart():
            found[access] = None
    for other, access in _few(chain.from_iterable(map(meeting, groups.values())), MOST):
        alike = other[:-1] == access[:-1] and access.apart()
        if not alike and needs_order(other.kind, access.kind, same_instruction=False):
            found[other] = found[access] = None
    return list(found)


def _few(pairs: Iterable[T], most: int) -> Iterator[T]:
    """All of them, if there are not too many."""
    for number, pair in enumerate(pairs):
        if number >= most:
            raise TooManyError
        yield pair


def _nearest(accesses: list[_Accesses]) -> Iterator[tuple[_Accesses, _Accesses, At, At]]:
    """For each two accesses, and either of them first, iterations in which they meet."""
    rows: dict[Expr, list[tuple[int, int, tuple[int, At]]]] = defaultdict(list)
    looked_at = 0
    for number, access in enumerate(accesses):
        places: dict[tuple[int, int], list[At]] = defaultdict(list)
        turns = [_turns(*loop) for loop in zip(access.trips, access.steps, strict=True)]
        # Before they are listed: a loop may have more iterations than memory has bytes.
        if looked_at + prod(map(len, turns)) * len(access.rows) > MOST:
            raise TooManyError
        spend(prod(map(len, turns)))
        for at in product(*turns):
            shift = sum(i * step for i, step in zip(at, access.steps, strict=True))
            for start, end in access.rows:
                same = places[start + shift, end + shift]
                same[2:] = [at]
                looked_at += 1
        rows[access.base] += [
            (*place, (number, at)) for place, them in places.items() for at in them
        ]
    best: dict[tuple[int, int, bool], tuple[list[int], At, At]] = {}
    pairs = chain.from_iterable(map(meeting, rows.values()))
    for one, two in _few(pairs, MOST - looked_at):
        _meet(best, accesses, one, two)
    for (one, two, _), (_, at_one, at_two) in best.items():
        yield accesses[one], accesses[two], at_one, at_two


def _turns(trips: int, step: int) -> Sequence[int]:
    """List the iterations of a loop that touch bytes of their own. Of those that touch the same
    bytes the first two and the last stand for all."""
    if not step:
        return few(trips)
    if trips > MOST:
        raise TooManyError
    return range(trips)


def _meet(
    best: dict[tuple[int, int, bool], tuple[list[int], At, At]],
    accesses: list[_Accesses],
    one: tuple[int, At],
    two: tuple[int, At],
) -> None:
    """Notes a meeting if it is nearer than the one known of the two."""
    spend()
    (a, at_a), (b, at_b) = sorted((one, two))
    if not needs_order(accesses[a].kind, accesses[b].kind, same_instruction=False):
        return
    pairs = zip(accesses[a].loops, accesses[b].loops, at_a, at_b, strict=False)
    distance = [y - x for loop, other, x, y in pairs if loop == other]
    first = next((d for d in distance if d), 0) > 0
    away = [abs(d) for d in distance]
    known = best.get((a, b, first))
    if known is None or away < known[0]:
        best[a, b, first] = away, at_a, at_b
