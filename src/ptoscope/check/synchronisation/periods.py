"""Which iterations of a loop to follow, so that what is left out changes nothing.

An iteration is known by what it does about order: the numbers of its synchronisations, the
conditions and the ends of loops on which they depend. Where these come back after a few
iterations, so do the signals that are given and not taken, and it is enough to follow as many
as end where the whole loop ends; the first and the last iterations may differ from those between.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

from ptoscope.budget import spend, spend_small
from ptoscope.check.analysis.expr import Expr, Symbol
from ptoscope.check.analysis.nodes import (
    BranchNode,
    CarriedNumber,
    Known,
    LoopNode,
    Node,
    Sync,
    children,
)

AT_LEAST = 3
"""So many iterations are followed: two buffers come round."""
LONGEST = 12
"""Periods of up to so many iterations are looked for."""
EDGE = 2
"""So many iterations at each end may differ from those between."""
LOOKED_AT = 2048
"""Loops of more iterations have to be alike in all of them, as far as the text says."""
_ENTRY_BYTES = 100
"""Bytes of an entry of the table of an iteration: roughly."""


class Followed(NamedTuple):
    """The iterations to follow in order, and whether what the loop carries is known after each
    gap, too: it comes back with the iterations."""

    iterations: list[int]
    carries_on: bool


def synchronises(nodes: list[Node]) -> bool:
    """Whether something in these nodes orders pipes."""
    return any(
        isinstance(node, Sync) or any(synchronises(body) for body in children(node))
        for node in nodes
    )


def followed(node: LoopNode, trips: int, known: Known) -> Followed | None:
    """The iterations to follow of a loop that synchronises; None where they do not come back."""
    watched = _watched(node.body)
    varying = {node.iteration, *(c.symbol for c in node.carried)}
    if not any(value.symbols & varying for value in watched):
        return Followed(_cut(trips, 1, 0, 0), not node.carried)
    if trips > LOOKED_AT:
        return None
    values = _Values(node, known)
    looks = [values.look(watched, i) for i in range(trips)]
    for head, tail in ((0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (0, 2), (EDGE, EDGE)):
        period = _period(looks[head : trips - tail])
        if period is not None:
            return Followed(_cut(trips, period, head, tail), values.come_back(period, head))
    return None


def _cut(trips: int, period: int, head: int, tail: int) -> list[int]:
    """Iterations with some left out between head and tail: a whole number of periods."""
    between = trips - head - tail
    kept = min(between, AT_LEAST + max(0, between - AT_LEAST) % period)
    return [*range(head + kept), *range(trips - tail, trips)]


def _period(looks: list[Hashable]) -> int | None:
    """After how many iterations all looks come back."""
    for period in range(1, LONGEST + 1):
        if all(a == b for a, b in zip(looks, looks[period:], strict=False)):
            return period
    return None


def _watched(nodes: list[Node]) -> list[Expr]:
    """What the order of pipes depends on in a body."""
    found: list[Expr] = []
    for node in nodes:
        match node:
            case Sync():
                found += node.numbers
            case BranchNode() if synchronises([node]):
                found += [node.condition, *_watched(node.yes), *_watched(node.no)]
            case LoopNode() if synchronises(node.body):
                inits = [c.first for c in node.carried]
                found += [node.trips, *inits, *_watched(node.body)]
            case _:
                pass
    return found


class _Values:
    """What a loop carries in each of its iterations."""

    def __init__(self, node: LoopNode, known: Known) -> None:
        self._node, self._known = node, known
        self._states: list[dict[Symbol, Expr]] = []

    def look(self, watched: list[Expr], iteration: int) -> Hashable:
        """What is watched, in an iteration."""
        now = self._at(iteration)
        return tuple(value.substitute(now) for value in watched)

    def come_back(self, period: int, head: int) -> bool:
        """Whether all that is carried comes back with the iterations."""
        states = [
            tuple(state[c.symbol] for c in self._node.carried) for state in self._states[head:]
        ]
        return all(a == b for a, b in zip(states, states[period:], strict=False))

    def _at(self, iteration: int) -> dict[Symbol, Expr]:
        carried: list[CarriedNumber] = self._node.carried
        while len(self._states) <= iteration:
            entries = len(self._known) + len(carried)
            spend(1 + len(carried), kept=_ENTRY_BYTES * entries)
            spend_small(entries)
            number = len(self._states)
            if number:
                before = self._states[-1]
                values = [c.next.substitute(before) for c in carried]
            else:
                values = [c.first.substitute(self._known) for c in carried]
            self._states.append(
                {
                    **self._known,
                    self._node.iteration: Expr(number),
                    **{c.symbol: value for c, value in zip(carried, values, strict=True)},
                }
            )
        return self._states[iteration]
