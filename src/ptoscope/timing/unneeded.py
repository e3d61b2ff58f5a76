"""A kernel without some of its synchronisations: whether it would still be right.

That one run is in order without them is not enough. What loops hand from one iteration to the next
looks superfluous in a run of a single iteration, and is not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace

from ptoscope.check import check
from ptoscope.diagnostics import Diagnostic
from ptoscope.isa.targets import TARGETS
from ptoscope.program import Block, Function, Op
from ptoscope.timing.run import TimedRun

_RUNNABLE = ("PTO05", "PTO06")
"""Codes of what addresses and synchronisation do wrong, which can be run all the same."""


def is_right_without(timing: TimedRun, places: Collection[int]) -> bool:
    """Whether `check` finds nothing in the kernel without the operations at some places that it
    does not find in the kernel as it is. Nobody can say of a kernel with operations that are
    wrong: then `check` does not look at its order."""
    function = timing.trace.function
    known = _findings(timing, function)
    if any(finding.severity == "error" and finding.code[:5] not in _RUNNABLE for finding in known):
        return False
    gone = {id(timing.trace.places[place].op) for place in places}
    changed = replace(function, body=_less(function.body, gone))
    return _codes(_findings(timing, changed)) <= _codes(known)


def _findings(timing: TimedRun, function: Function) -> list[Diagnostic]:
    program = replace(timing.program, functions=[function])
    return check(program, TARGETS[timing.model.target], timing.revision)


def _codes(findings: list[Diagnostic]) -> Counter[str]:
    return Counter(finding.code for finding in findings)


def _less(block: Block, gone: set[int]) -> Block:
    return Block(block.args, [_inside(op, gone) for op in block.ops if id(op) not in gone])


def _inside(op: Op, gone: set[int]) -> Op:
    return replace(op, blocks=tuple(_less(b, gone) for b in op.blocks)) if op.blocks else op
