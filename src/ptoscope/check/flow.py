"""What the text says of the values of a function: who made them, which numbers they are."""

from __future__ import annotations

from functools import cached_property

from ptoscope.check.analysis.values import limits
from ptoscope.dataflow import Dataflow, InOrder
from ptoscope.isa import TABLE
from ptoscope.isa.record import Record
from ptoscope.isa.roles import Gives
from ptoscope.isa.types import Ptr, Scalar
from ptoscope.program import Op


def gives(op: Op | None, *kinds: Gives) -> bool:
    """Whether the record of an operation says that its first result is one of these."""
    record = None if op is None else TABLE.get(op.name)
    return record is not None and record.gives in kinds


class Values(Dataflow):
    """What is known of each value, beyond where it comes from."""

    def makers(self, slot: int) -> list[Op]:
        """The operations that may have made a value."""
        made = (self.made(source) for source in self.sources(slot))
        return [op for op in made if op is not None]

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
        record = None if op is None else TABLE.get(op.name)
        if op is None or record is None:
            return None
        match record.gives:
            case "constant":
                value = op.attrs.get("value")
                return int(value) if isinstance(value, int) else None
            case "number":
                return self._converted(op, record, slot)
            case "address":
                root, offset = self.address(slot)
                return offset if root is None else None
            case _:
                return None

    def _converted(self, op: Op, record: Record, slot: int) -> int | None:
        """The number of the operand, where the conversion leaves it as it is."""
        value = self.constant(op.operands[0])
        kind = self.function.types[slot]
        if value is None or not isinstance(kind, Scalar):
            return value
        low, high = limits(kind.dtype)
        unsigned = record.resize is not None and record.resize.fill == "zeros"
        return value if max(low, 0 if unsigned else low) <= value <= high else None

    def address(self, slot: int) -> tuple[int | None, int]:
        """A pointer as another value plus a number of bytes; from no value, an address."""
        return self._addresses(slot)

    @cached_property
    def _addresses(self) -> InOrder[tuple[int | None, int]]:
        return InOrder(self._address, lambda slot: isinstance(self.function.types[slot], Ptr))

    def _address(self, slot: int) -> tuple[int | None, int]:
        op = self.maker(slot)
        kind = self.function.types[slot]
        if op is not None and gives(op, "address") and isinstance(kind, Ptr):
            offset = self.constant(op.operands[1])
            if offset is not None:
                root, before = self.address(op.operands[0])
                return root, before + offset * kind.dtype.bytes
        elif op is not None:
            known = self.constant(slot)
            if known is not None:
                return None, known
        return self.origin(slot), 0
