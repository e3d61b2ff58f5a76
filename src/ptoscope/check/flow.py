"""What the text says of the values of a function: who made them, which numbers they are."""

from __future__ import annotations

from ptoscope.dataflow import Dataflow
from ptoscope.isa.types import Ptr
from ptoscope.program import Op

_UNCHANGED = (
    "arith.index_cast",
    "arith.index_castui",
    "arith.extsi",
    "arith.trunci",
    "pto.castptr",
)


class Values(Dataflow):
    """What is known of each value, beyond where it comes from."""

    def makers(self, slot: int) -> set[str]:
        """The names of the operations that may have made a value."""
        made = (self.made(source) for source in self.sources(slot))
        return {op.name for op in made if op is not None}

    def origin(self, slot: int) -> int:
        """The value itself, or the only one that an argument of a block can be."""
        while self.made(slot) is None and len(self.joined(slot)) == 1:
            (slot,) = self.joined(slot)
        return slot

    def maker(self, slot: int) -> Op | None:
        """The operation that made a value, where it is always the same one."""
        slot = self.origin(slot)
        return None if self.joined(slot) else self.made(slot)

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
            root, offset = self.address(slot)
            return offset if root is None else None
        return None

    def address(self, slot: int) -> tuple[int | None, int]:
        """A pointer as another value plus a number of bytes; from no value, an address."""
        op = self.maker(slot)
        kind = self.function.types[slot]
        if op is not None and op.name == "pto.addptr" and isinstance(kind, Ptr):
            offset = self.constant(op.operands[1])
            if offset is not None:
                root, before = self.address(op.operands[0])
                return root, before + offset * kind.dtype.bytes
        elif op is not None:
            known = self.constant(slot)
            if known is not None:
                return None, known
        return self.origin(slot), 0
