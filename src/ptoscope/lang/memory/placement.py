"""A buffer that has its place."""

from __future__ import annotations

from dataclasses import dataclass

from ptoscope.lang.memory.allocation import Allocation
from ptoscope.lang.memory.lifetimes import Lifetime


@dataclass(frozen=True, slots=True)
class Placement:
    """A buffer and its address, that of its first copy. What it holds is needed from the line
    `first_line` to `last_line`: 0 where no line is known."""

    allocation: Allocation
    address: int
    first_line: int
    last_line: int
    life: Lifetime

    @property
    def name(self) -> str:
        return self.allocation.name

    @property
    def memory(self) -> str:
        """The memory that it is in."""
        return self.allocation.memory

    @property
    def end(self) -> int:
        """The address behind its last byte, that of the last copy."""
        return self.address + self.allocation.reserved

    @property
    def type(self) -> str:
        """Its elements, as `f32[1024]`."""
        return f"{self.allocation.dtype}[{', '.join(map(str, self.allocation.shape))}]"

    @property
    def lines(self) -> str:
        """When it is live, as `line 12` or `lines 12 to 15`."""
        if self.first_line == self.last_line:
            return f"line {self.first_line}" if self.first_line else ""
        return f"lines {self.first_line} to {self.last_line}"

    def shares(self, other: Placement) -> bool:
        """Whether there are bytes that belong to both."""
        same = self.allocation.memory == other.allocation.memory
        return same and self.address < other.end and other.address < self.end
