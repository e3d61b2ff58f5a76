"""Where the values of a function come from: through loops, branches and scopes."""

from __future__ import annotations

from ptoscope.isa.types import Ptr
from ptoscope.program import Block, Function, Op

_UNCHANGED = (
    "arith.index_cast",
    "arith.index_castui",
    "arith.extsi",
    "arith.trunci",
    "pto.castptr",
)


class Values:
    """What is known about each value of a function, by its slot."""

    def __init__(self, function: Function) -> None:
        self.types = function.types
        self.names = function.names
        self.made: dict[int, Op] = {}
        """The operation that a value is a result of."""
        self.joined: dict[int, list[int]] = {}
        """For an argument of a block or a result of control flow: the values it may be."""
        self.users: dict[int, list[Op]] = {}
        for op in function.ops():
            self.made.update(dict.fromkeys(op.results, op))
            for slot in op.operands:
                self.users.setdefault(slot, []).append(op)
            if op.blocks:
                self._flow(op)

    def _flow(self, op: Op) -> None:
        ends = [_end(block) for block in op.blocks]
        match op.name:
            case "scf.for":
                carried = op.operands[3:]
                self._join(op.blocks[0].args[1:], carried, ends[0])
                self._join(op.results, carried, ends[0])
            case "scf.if":
                self._join(op.results, *ends)
            case "scf.while":
                # The first block ends in scf.condition, whose first operand is the condition.
                self._join(op.blocks[0].args, op.operands, ends[1])
                self._join(op.blocks[1].args, ends[0][1:])
                self._join(op.results, ends[0][1:])
            case "pto.strict_vecscope":
                self._join(op.blocks[0].args, op.operands)
            case _:
                pass

    def _join(self, targets: tuple[int, ...], *sources: tuple[int, ...]) -> None:
        for values in sources:
            for target, value in zip(targets, values, strict=False):
                self.joined.setdefault(target, []).append(value)

    def sources(self, slot: int) -> set[int]:
        """The values that are not joined themselves and that a value may be."""
        found: set[int] = set()
        seen: set[int] = set()
        stack = [slot]
        while stack:
            value = stack.pop()
            if value in seen:
                continue
            seen.add(value)
            if value in self.joined:
                stack.extend(self.joined[value])
            else:
                found.add(value)
        return found

    def makers(self, slot: int) -> set[str]:
        """The names of the operations that may have made a value."""
        return {self.made[s].name for s in self.sources(slot) if s in self.made}

    def origin(self, slot: int) -> int:
        """The value itself, or the only one that an argument of a block can be."""
        while slot not in self.made and len(self.joined.get(slot, ())) == 1:
            (slot,) = self.joined[slot]
        return slot

    def maker(self, slot: int) -> Op | None:
        """The operation that made a value, where it is always the same one."""
        slot = self.origin(slot)
        return None if slot in self.joined else self.made.get(slot)

    def constant(self, slot: int) -> int | None:
        """The integer a value always is; of a pointer its address. None if not known."""
        op = self.maker(slot)
        if op is None:
            return None
        if op.name == "arith.constant":
            value = op.attrs.get("value")
            return int(value) if isinstance(value, int) else None
        if op.name in _UNCHANGED:
            return self.constant(op.operands[0])
        if op.name == "pto.addptr":
            root, offset = self.place(slot)
            return offset if root is None else None
        return None

    def place(self, slot: int) -> tuple[int | None, int]:
        """A pointer as another value plus a number of bytes; from no value, an address."""
        op = self.maker(slot)
        kind = self.types[slot]
        if op is not None and op.name == "pto.addptr" and isinstance(kind, Ptr):
            offset = self.constant(op.operands[1])
            if offset is not None:
                root, before = self.place(op.operands[0])
                return root, before + offset * kind.dtype.bytes
        elif op is not None:
            known = self.constant(slot)
            if known is not None:
                return None, known
        return self.origin(slot), 0


def _end(block: Block) -> tuple[int, ...]:
    return block.ops[-1].operands if block.ops else ()
