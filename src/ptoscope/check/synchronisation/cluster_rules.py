"""The cores of a block: their signals in balance, nothing left to chance between them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ptoscope.check.rule import Context, Finding, Rule
from ptoscope.check.synchronisation import cluster_messages as messages
from ptoscope.check.synchronisation.clusters import ClusterOrder, comparable
from ptoscope.check.synchronisation.executions import UnrolledRun
from ptoscope.check.synchronisation.order import PipeOrder
from ptoscope.check.synchronisation.problems import ProblemKey
from ptoscope.check.synchronisation.unroll import unroll_together
from ptoscope.check.synchronisation.ways import Sides, Taken, Ways, certain, ways

SHORT, SURPLUS, STUCK, RACE = "PTO0611", "PTO0612", "PTO0613", "PTO0614"


class _Together(NamedTuple):
    """One way through the function, on all cores."""

    runs: list[UnrolledRun]
    found: dict[ProblemKey, Finding]

    @property
    def taken(self) -> Taken:
        return {condition: side for run in self.runs for condition, side in run.taken.items()}


def _paths(context: Context) -> Ways[_Together]:
    return ways(lambda sides, otherwise: _path(context, sides, otherwise))


def _path(context: Context, sides: Sides, otherwise: bool) -> _Together:
    runs = unroll_together([core.analysis.nodes for core in context.block], sides, otherwise)
    if any(run.given_up is not None for run in runs) or not comparable(runs):
        return _Together(runs, {})
    return _Together(runs, _findings(context, runs))


def _findings(context: Context, runs: list[UnrolledRun]) -> dict[ProblemKey, Finding]:
    order = ClusterOrder(runs, [core.core for core in context.block])
    found: dict[ProblemKey, Finding] = {}
    for signal in order.short:
        key = SHORT, (signal.at.event.node.op.span,)
        found.setdefault(key, messages.short(order, signal))
    # A signal too many may be the one that another core lacks.
    for signal in [] if order.short else order.left:
        key = SURPLUS, (signal.at.event.node.op.span,)
        found.setdefault(key, messages.left(order, signal))
    if order.stuck:
        if not any(PipeOrder(run).stuck for run in runs):
            key = STUCK, (order.stuck[0].event.node.op.span,)
            found[key] = messages.stuck(order)
        return found
    for item in order.races:
        if item.early != item.late:
            early, late = item.race.early.node, item.race.late.node
            key = RACE, (early.op.span, late.op.span)
            found.setdefault(key, messages.race(context, order, item))
    return found


def _rule(code: str, title: str, severity: str = "error") -> Rule:
    def find(context: Context) -> Iterator[Finding]:
        if context.leads:
            yield from certain(code, context.once(_paths).paths)

    return Rule(code, title, find, severity)


RULES = (
    _rule(SHORT, "what a core waits for another one signals, on every path and as often"),
    _rule(SURPLUS, "no semaphore is left raised", "warning"),
    _rule(STUCK, "cores do not wait for each other in a circle"),
    # Cores may also agree by what they read of GM, which is not followed.
    _rule(RACE, "accesses of two cores to the same bytes are ordered", "warning"),
)
