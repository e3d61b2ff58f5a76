"""All kinds of synchronisation."""

from __future__ import annotations

from ptoscope.isa.order.cores import SET_CLUSTER, SET_CORE, WAIT_CLUSTER, WAIT_CORE
from ptoscope.isa.order.rules import BARRIER, GET, RELEASE, SET, WAIT, OrderRule
from ptoscope.isa.order.unit_flags import CLEAR, FREE, PUBLISH, READY

RULES = (
    SET,
    WAIT,
    GET,
    RELEASE,
    BARRIER,
    SET_CORE,
    WAIT_CORE,
    SET_CLUSTER,
    WAIT_CLUSTER,
    FREE,
    PUBLISH,
    READY,
    CLEAR,
)
"""By their numbers in a trace."""
GIVERS = {
    take.given_by: next(give for give in RULES if give.name == take.given_by)
    for take in RULES
    if take.given_by
}
"""Of those, what gives something that others await."""
SIGNALS = {name: rule for name, rule in GIVERS.items() if rule.by_pipes}
"""What one pipe gives another one, which uses it up."""


def partner(rule: OrderRule) -> OrderRule:
    """What takes the signals that a rule gives, or gives those that it takes."""
    return next(r for r in RULES if r.account == rule.account and r is not rule)


NUMBERS = {rule.name: number for number, rule in enumerate(RULES)}
