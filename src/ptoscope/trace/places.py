"""The operations of a function that can execute."""

from __future__ import annotations

from ptoscope.isa import TABLE
from ptoscope.program import Block, Function, Op
from ptoscope.trace.trace import NONE, Place

LOOPS = ("scf.for", "scf.while")
CONTROL = (*LOOPS, "scf.if")
SCOPES = ("pto.vecscope", "pto.strict_vecscope")
TERMINATORS = ("scf.yield", "scf.condition", "func.return")


def list_places(function: Function) -> list[Place]:
    """All of them, outer before inner, in the order of the text."""
    found: list[Place] = []

    def visit(block: Block, parent: int, side: int, scope: int, loops: tuple[int, ...]) -> None:
        for op in block.ops:
            if op.name in TERMINATORS:
                continue
            record = None if op.name in CONTROL else TABLE[op.name]
            index = len(found)
            pipe = _pipe(op, scope)
            found.append(Place(index, op, record, pipe, parent, side, scope, loops))
            inside = index if op.name in SCOPES else scope
            around = (*loops, index) if op.name in LOOPS else loops
            for number, inner in enumerate(op.blocks):
                visit(inner, index, number, inside, around)

    visit(function.body, NONE, 0, NONE, ())
    return found


def _pipe(op: Op, scope: int) -> str:
    if op.name in CONTROL:
        return ""
    if scope != NONE:
        return "PIPE_V"
    pipe = TABLE[op.name].pipe
    return str(op.attrs[pipe[1:]]) if pipe.startswith("=") else pipe


def issues(place: Place) -> bool:
    """Whether a pipe may come to other instructions when this one is issued."""
    return place.record is not None and place.scope == NONE and place.record.pipe != "PIPE_S"
