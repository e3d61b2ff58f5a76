"""The operations of a function that can execute."""

from __future__ import annotations

from ptoscope.isa import TABLE
from ptoscope.isa.parts import SCALAR_PIPE
from ptoscope.program import Block, Function, If, Loop, Op, Scope, Show, Terminator
from ptoscope.trace.trace import NONE, Place


class Outline:
    """The places of a function, and its segments: those that follow each other without
    control flow between them, and without an issue after which others may run first."""

    def __init__(self, function: Function) -> None:
        self.places = list_places(function)
        self.segments: list[list[int]] = []
        self._by_op = {id(place.op): place for place in self.places}
        self._first: dict[int, int] = {}
        self._divide(function.body)

    def _divide(self, block: Block) -> None:
        segment: list[int] | None = None
        for op in block.ops:
            place = self.place(op)
            if place is None:
                continue
            if isinstance(op, (Loop, If)):
                segment = None
            elif segment is None:
                segment = []
                self._first[id(op)] = len(self.segments)
                self.segments.append(segment)
            if segment is not None:
                segment.append(place.index)
            for inner in op.blocks:
                self._divide(inner)
            if issues(place):
                segment = None

    def place(self, op: Op) -> Place | None:
        """The place of an operation; a terminator has none, nor has what only shows values."""
        return self._by_op.get(id(op))

    def begins(self, op: Op) -> int | None:
        """The segment that begins with an operation."""
        return self._first.get(id(op))


def list_places(function: Function) -> list[Place]:
    """All of them, outer before inner, in the order of the text."""
    found: list[Place] = []

    def visit(block: Block, parent: int, side: int, scope: int, loops: tuple[int, ...]) -> None:
        for op in block.ops:
            record = TABLE.get(op.name)
            if isinstance(op, (Terminator, Show)) or (record is not None and record.shows):
                continue
            index = len(found)
            pipe = pipe_of(op, scope != NONE)
            found.append(Place(index, op, record, pipe, parent, side, scope, loops))
            inside = index if isinstance(op, Scope) else scope
            around = (*loops, index) if isinstance(op, Loop) else loops
            for number, inner in enumerate(op.blocks):
                visit(inner, index, number, inside, around)

    visit(function.body, NONE, 0, NONE, ())
    return found


def pipe_of(op: Op, in_scope: bool) -> str:
    """The pipe that executes an operation; empty for control flow."""
    if isinstance(op, (Loop, If)):
        return ""
    if in_scope:
        return "PIPE_V"
    pipe = TABLE[op.name].pipe
    return str(op.attrs.get(pipe[1:], SCALAR_PIPE)) if pipe.startswith("=") else pipe


def issues(place: Place) -> bool:
    """Whether a pipe, or another core, may come to other instructions when this one is issued."""
    record = place.record
    if record is None or place.scope != NONE:
        return False
    return record.pipe != SCALAR_PIPE or record.order is not None
