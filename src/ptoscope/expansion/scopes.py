"""Puts vecscopes around vector instructions that stand outside one.

A vecscope ends before what it cannot hold: copies, synchronisation, accesses of the scalar unit,
other scopes, and loops and branches with any of these. Between two such ends stand vector
instructions and scalar ones that only compute. A vecscope has no results, so it holds as many of
them as it can without a value of one of them being used behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ptoscope.isa import TABLE
from ptoscope.isa.parts import VECSCOPE
from ptoscope.isa.types import is_vector_state
from ptoscope.program import Block, Call, For, Function, If, Op, Scope, Terminator, operation

_VECTOR, _SCALAR, _END = "vector", "scalar", "end"


Remade = Callable[[Op, tuple[Block, ...]], Op]
"""Makes an operation with other blocks."""


def _remade(op: Op, blocks: tuple[Block, ...]) -> Op:
    return replace(op, blocks=blocks)


def with_scopes(function: Function, remade: Remade = _remade) -> Function:
    """The function with vecscopes around its vector instructions. One that takes or returns
    vectors is made to be called inside a vecscope, and stays as it is. So does what no vecscope
    can be put around; the rule about vecscopes finds it."""
    types = function.types
    if any(is_vector_state(types[slot]) for slot in (*function.params, *function.body.yields)):
        return function
    writer = _Scopes(function, remade)
    return replace(function, body=writer.block(function.body)) if writer.needed else function


def called_in_scopes(functions: Sequence[Function]) -> set[str]:
    """The functions that are called inside a vecscope, and those that they call."""
    known = {function.name: function for function in functions}
    found = {
        op.callee
        for function in functions
        for scope in function.ops()
        if isinstance(scope, Scope)
        for op in scope.body.walk()
        if isinstance(op, Call)
    }
    todo = list(found)
    while todo:
        inner = {op.callee for op in known[todo.pop()].ops() if isinstance(op, Call)} - found
        found |= inner
        todo += inner
    return found


class _Scopes:
    def __init__(self, function: Function, remade: Remade) -> None:
        self._function = function
        self._remade = remade
        self._kinds: dict[int, str] = {}
        self.needed = any(
            self._kind(op) == _VECTOR for block in _outside(function.body) for op in block.ops
        )

    def block(self, block: Block) -> Block:
        """A block that stands in no vecscope."""
        ops: list[Op] = []
        run: list[int] = []
        last = _last_uses(block)
        for i, op in enumerate(block.ops):
            if self._kind(op) != _END:
                run.append(i)
                continue
            ops += self._around(block, run, last)
            run = []
            ops.append(self._inside(op))
        return Block(block.args, ops + self._around(block, run, last))

    def _inside(self, op: Op) -> Op:
        if isinstance(op, Scope) or not op.blocks:
            return op
        return self._remade(op, tuple(map(self.block, op.blocks)))

    def _around(self, block: Block, run: Sequence[int], last: Sequence[int]) -> list[Op]:
        """Operations that a vecscope may hold, with vecscopes around the vector ones."""
        made: list[Op] = []
        begin = 0
        while begin < len(run):
            end = self._end(block, run, last, begin)
            if end == begin:
                made.append(self._inside(block.ops[run[begin]]))
                begin += 1
                continue
            body = [block.ops[i] for i in run[begin:end]]
            if not any(map(self._works, body)):
                # A mem_bar alone orders nothing: the rule about vecscopes finds it.
                made += map(self._inside, body)
                begin = end
                continue
            first = next(op for op in body if self._kind(op) == _VECTOR)
            made.append(operation(VECSCOPE, blocks=(Block((), body),), span=first.span))
            begin = end
        return made

    def _end(self, block: Block, run: Sequence[int], last: Sequence[int], begin: int) -> int:
        """Behind the last operation of the largest vecscope that can begin here; the beginning
        itself where there is none."""
        best, used, vector = begin, -1, False
        for end in range(begin, len(run)):
            i = run[end]
            used, vector = max(used, last[i]), vector or self._kind(block.ops[i]) == _VECTOR
            if used > run[-1]:
                break
            if vector and used <= i:
                best = end + 1
        return best

    def _works(self, op: Op) -> bool:
        """Returns True if an operation holds a vector instruction that is no barrier."""
        leaves = (each for each in Block((), [op]).walk() if not each.blocks)
        return any(
            self._kind(leaf) == _VECTOR and TABLE[leaf.name].cost_kind != "barrier"
            for leaf in leaves
        )

    def _kind(self, op: Op) -> str:
        known = self._kinds.get(id(op))
        if known is None:
            known = self._kinds[id(op)] = self._classified(op)
        return known

    def _classified(self, op: Op) -> str:
        if isinstance(op, (Scope, Terminator)):
            return _END
        if isinstance(op, (For, If)):
            inner = {
                self._kind(o) for b in op.blocks for o in b.ops if not isinstance(o, Terminator)
            }
            return _END if _END in inner or _VECTOR not in inner else _VECTOR
        record = TABLE.get(op.name)
        if record is None:
            return _END
        types = self._function.types
        if record.where == "vecscope" or any(
            is_vector_state(types[slot]) for slot in (*op.operands, *op.results)
        ):
            return _VECTOR
        return _SCALAR if record.where == "anywhere" and record.pure else _END


def _outside(block: Block) -> list[Block]:
    """A block and those inside it that stand in no vecscope."""
    found = [block]
    for each in found:
        found += [b for op in each.ops if not isinstance(op, Scope) for b in op.blocks]
    return found


def _last_uses(block: Block) -> list[int]:
    """For each operation of a block the last one that uses a result of it, or holds what does;
    -1 where none does."""
    makers = {slot: i for i, op in enumerate(block.ops) for slot in op.results}
    last = [-1] * len(block.ops)
    for i, op in enumerate(block.ops):
        for each in Block((), [op]).walk():
            for slot in each.operands:
                if slot in makers:
                    last[makers[slot]] = i
    return last
