"""Where the operations of a function stand among each other."""

from __future__ import annotations

from typing import NamedTuple

from ptoscope.program import Block, Function, If, Loop, Op, Scope


class Home(NamedTuple):
    """The block of an operation, its place in it, and the operation that the block belongs to."""

    block: Block
    place: int
    owner: Op | None


def place_name(op: Op) -> str:
    """How a hint names the place of an operation."""
    match op:
        case Loop():
            kind = "the loop of "
        case If():
            kind = "the branch of "
        case Scope():
            kind = "the vecscope of "
        case _:
            kind = ""
    return f"{kind}line {op.span.line}"


class Positions:
    """The operations of one function, by their identity."""

    def __init__(self, function: Function) -> None:
        self._homes: dict[int, Home] = {}
        self._defined: dict[int, tuple[Block, int]] = {}
        """Of each value the block, and the index from which on it can be used."""
        self._enter(function.body, None)
        for slot in function.params:
            self._defined[slot] = function.body, 0

    def _enter(self, block: Block, owner: Op | None) -> None:
        for slot in block.args:
            self._defined[slot] = block, 0
        for index, op in enumerate(block.ops):
            self._homes[id(op)] = Home(block, index, owner)
            for slot in op.results:
                self._defined[slot] = block, index + 1
            for inner in op.blocks:
                self._enter(inner, op)

    def home(self, op: Op) -> Home:
        """Where an operation stands."""
        return self._homes[id(op)]

    def chain(self, op: Op) -> list[Op]:
        """The operation and those around it, outermost first."""
        around = [op]
        while (owner := self.home(around[-1]).owner) is not None:
            around.append(owner)
        return around[::-1]

    def meet(self, early: Op, late: Op) -> tuple[Op, Op] | None:
        """The two operations of one block that these are, or are in. None where no such place
        is passed as often by each: in two blocks of one loop, or inside one operation."""
        for first, then in zip(self.chain(early), self.chain(late), strict=False):
            if self.home(first).block is not self.home(then).block:
                return None
            if first is not then:
                return first, then
        return (early, late) if early is late and not isinstance(early, Loop) else None

    def loop(self, op: Op) -> Loop | None:
        """The innermost loop around."""
        around = [outer for outer in self.chain(op)[:-1] if isinstance(outer, Loop)]
        return around[-1] if around else None

    def sees(self, op: Op, after: bool, slots: tuple[int, ...]) -> bool:
        """Whether values can be used before or behind an operation."""
        around = {id(self.home(o).block): self.home(o).place for o in self.chain(op)}
        around[id(self.home(op).block)] += after
        defined = (self._defined[slot] for slot in slots)
        return all(around.get(id(block), -1) >= index for block, index in defined)
