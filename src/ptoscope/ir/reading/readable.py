"""What could be read of a broken file, for the checks that look at one operation at a time."""

from __future__ import annotations

from dataclasses import replace

from ptoscope.ir.module import SourceNotes
from ptoscope.ir.reading.names import LOST
from ptoscope.ir.types import Placeholder
from ptoscope.isa.dtypes import INDEX
from ptoscope.isa.types import Scalar
from ptoscope.program import Block, Function, Op


def readable(function: Function, notes: SourceNotes) -> Function:
    """A function without the operations that depend on something unread (but with the blocks
    such a one holds), and without those about which the reader had something to say."""
    return _Readable(function, notes).function()


class _Readable:
    """One function. `defined` are the values that could be read."""

    def __init__(self, function: Function, notes: SourceNotes) -> None:
        self.whole = function
        self.notes = notes
        self.defined: set[int] = set()
        # A slot of its own for all values without a definition.
        self.lost = len(function.types)

    def function(self) -> Function:
        whole = self.whole
        self._define(whole.params)
        params = tuple(slot for slot in whole.params if slot in self.defined)
        body = self._block(whole.body)
        # No operation that is left, but for loops, branches and scopes, has values of a type
        # that is not known.
        types = [Scalar(INDEX) if isinstance(t, Placeholder) else t for t in whole.types]
        return replace(
            whole,
            params=params,
            body=replace(body, args=params),
            types=[*types, Scalar(INDEX)],
            names=[*whole.names, ""],
        )

    def _define(self, slots: tuple[int, ...]) -> None:
        types = self.whole.types
        self.defined.update(s for s in slots if not isinstance(types[s], Placeholder))

    def _block(self, block: Block) -> Block:
        self._define(block.args)
        return Block(block.args, [op for op in map(self._op, block.ops) if op is not None])

    def _op(self, op: Op) -> Op | None:
        if op.blocks:
            operands = tuple(self.lost if slot == LOST else slot for slot in op.operands)
            blocks = tuple(self._block(block) for block in op.blocks)
            self._define(op.results)
            return replace(op, operands=operands, blocks=blocks)
        note = self.notes.get(op)
        if note is not None and note.doubtful:
            # More about it would be the same mistake again; its results go on.
            self._define(op.results)
            return None
        types = self.whole.types
        if not self.defined.issuperset(op.operands) or any(
            isinstance(types[slot], Placeholder) for slot in op.results
        ):
            return None
        self._define(op.results)
        return op
