"""How often each align state is used, on the path where it is used least and most."""

from __future__ import annotations

from ptoscope.budget import spend, spend_small
from ptoscope.check.rule import Context
from ptoscope.isa.types import Align
from ptoscope.program import Block, If, Loop, Op

Times = tuple[int, int]
"""The fewest and the most uses on one path; 2 stands for any number from 2 on."""
_MANY = 2


class Uses:
    """The align states of a function. `owners` maps each to the operation that gives it: what
    it is a result of, or whose body it is an argument of. `homes` maps each operation, by its
    identity, to the block it stands in."""

    def __init__(self, context: Context) -> None:
        self.types = context.function.types
        self.owners: dict[int, Op] = {}
        self.homes: dict[int, Block] = {}
        self._times: dict[int, Times] = {}
        self._count(context.function.body, None)

    def times(self, slot: int) -> Times:
        """How often a state is used."""
        return self._times[slot]

    def _count(self, block: Block, owner: Op | None) -> dict[int, Times]:
        """The uses in a block of states that are defined outside it."""
        found: dict[int, Times] = {}
        defined = [(slot, owner) for slot in block.args]
        for op in block.ops:
            spend()
            self.homes[id(op)] = block
            for slot in op.operands:
                if isinstance(self.types[slot], Align):
                    _add(found, slot, (1, 1))
            if op.blocks:
                for slot, times in _combined(op, [self._count(b, op) for b in op.blocks]).items():
                    _add(found, slot, times)
            defined += [(slot, op) for slot in op.results]
        for slot, source in defined:
            if isinstance(self.types[slot], Align) and source is not None:
                self.owners[slot] = source
                self._times[slot] = found.pop(slot, (0, 0))
        return found


def _add(found: dict[int, Times], slot: int, times: Times) -> None:
    fewest, most = found.get(slot, (0, 0))
    found[slot] = fewest + times[0], min(_MANY, most + times[1])


def _combined(op: Op, parts: list[dict[int, Times]]) -> dict[int, Times]:
    """What the bodies of an operation do to states from outside, on all of their paths."""
    slots = {slot for part in parts for slot in part}
    spend_small(len(slots))
    if isinstance(op, Loop):
        # No iteration at all, or several.
        return {slot: (0, _MANY) for slot in slots}
    if isinstance(op, If):
        both = {slot: [part.get(slot, (0, 0)) for part in parts] for slot in slots}
        return {s: (min(a[0], b[0]), max(a[1], b[1])) for s, (a, b) in both.items()}
    return parts[0]
