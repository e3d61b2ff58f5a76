"""What synchronisation costs the pipe that executes it, apart from waiting, by target."""

from __future__ import annotations

from collections.abc import Mapping

from ptoscope.isa.cost import Figure
from ptoscope.isa.order.rules import BARRIER, SET, WAIT, OrderRule
from ptoscope.isa.targets import TargetName

_PUBLIC = "a constant of the public cost model of A2/A3"

SYNC: Mapping[TargetName, Mapping[str, Figure]] = {
    "a5": {
        "set": Figure(0, "cycle model", "set_flag: from the end of the work before it, one log"),
        "wait": Figure(
            1, "cycle model", "wait_flag: from the signal to the pipe going on, one log"
        ),
        "barrier": Figure(1, "assumed", f"barrier of a pipe: {_PUBLIC}"),
        "give": Figure(0, "assumed", "as set_flag"),
        "take": Figure(1, "assumed", "as wait_flag"),
        "launch": Figure(
            2,
            "assumed",
            "every launch of a vecscope as the one behind a wait_flag of a log",
            ends=(0, 2),
        ),
    },
    "a2a3": {
        "set": Figure(1, "assumed", f"set_flag: {_PUBLIC}"),
        "wait": Figure(1, "assumed", f"wait_flag: {_PUBLIC}"),
        "barrier": Figure(1, "assumed", f"barrier of a pipe: {_PUBLIC}"),
        "give": Figure(1, "assumed", "as set_flag"),
        "take": Figure(1, "assumed", "as wait_flag"),
        "launch": Figure(
            0, "assumed", "none but the heads of instructions; at most as on A5", ends=(0, 2)
        ),
    },
}
"""`give` and `take` are all other signals: buffers, and those between cores."""
NOT_COUNTED: Mapping[TargetName, tuple[str, ...]] = {
    "a5": (
        "492 cycles from the start of a core to its first instruction",
        "3 from the last transfer to the end of the kernel",
        "what blocks take from each other's bandwidth of GM",
    ),
    "a2a3": (
        "the start of a core and the end of the kernel",
        "what blocks take from each other's bandwidth of GM",
    ),
}
"""What no total has, in words; the cycles are those of one log."""


def sync_figure(rule: OrderRule) -> str:
    """Which of these a kind of synchronisation costs."""
    if rule in (SET, WAIT, BARRIER):
        return rule.name
    return "take" if rule.given_by else "give"
