"""What a run printed, in the order of blocks, and within one in that of execution: what `pto.print`
says, and what somebody asked to see."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from threading import Lock

MOST_VALUES = 100_000
"""Values that are kept of a launch: those of its first blocks. Chosen: it bounds its memory."""


@dataclass(frozen=True)
class Printed:
    """One print: its text without a line break at the end, the values, and where it happened.
    `iterations` are those of the loops around it, `calls` the lines that call the helper it
    stands in, both the outermost first. `asked` is the request, if it was one; `core` the core
    that prints, where a block has several."""

    text: str
    values: tuple[int | float, ...]
    line: int
    block: int
    iterations: tuple[str, ...] = ()
    calls: tuple[int, ...] = ()
    asked: str = ""
    core: str = ""

    @property
    def size(self) -> int:
        """How many values it counts as."""
        return max(1, len(self.values))

    def where(self, grid: int) -> str:
        """Block, calls and iterations, as faults name them; empty where there is nothing to say."""
        blocks = [f"block {self.block} of {grid}"] if grid > 1 else []
        calls = [f"called from line {line}" for line in self.calls]
        cores = [self.core] if self.core else []
        return ", ".join((*blocks, *cores, *calls, *self.iterations))

    def told(self, grid: int) -> str:
        """Its line, where it happened and its text."""
        where = self.where(grid)
        return f"{self.line}{f' (at {where})' if where else ''}: {self.text}"

    def as_json(self) -> dict[str, object]:
        """The stable JSON form."""
        return asdict(self)


class Prints:
    """The prints of a launch. Blocks may run at once, and what is kept does not depend on how."""

    def __init__(self) -> None:
        self._blocks: dict[int, list[Printed]] = {}
        self._added: dict[int, int] = {}
        self._values = 0
        self._lock = Lock()

    def add(self, one: Printed) -> None:
        """A block prints."""
        with self._lock:
            self._blocks.setdefault(one.block, []).append(one)
            self._added[one.block] = self._added.get(one.block, 0) + 1
            self._values += one.size
            if self._values > 2 * MOST_VALUES:
                # What is cut has enough before it never to be among the first ones.
                self._cut()

    def _cut(self) -> None:
        self._values = 0
        for block in sorted(self._blocks):
            rows = self._blocks[block]
            for place, row in enumerate(rows):
                if self._values + row.size > MOST_VALUES:
                    del rows[place:]
                    break
                self._values += row.size

    def end_at(self, block: int) -> None:
        """A block has failed: later ones count as if none had begun."""
        with self._lock:
            for later in [b for b in self._blocks if b > block]:
                del self._blocks[later], self._added[later]

    def kept(self) -> tuple[list[Printed], int]:
        """Those that were kept, and how many were not."""
        if not self._blocks:
            return [], 0
        with self._lock:
            self._cut()
            rows = [row for block in sorted(self._blocks) for row in self._blocks[block]]
            return rows, sum(self._added.values()) - len(rows)
