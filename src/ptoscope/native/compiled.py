"""A compiled kernel as it is kept: machine code, and what a launch has to know of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ptoscope.isa.parts import CoreKind
    from ptoscope.native.side_exits import SideExit


@dataclass
class Compiled:
    """Machine code of a kernel and what it takes to launch it."""

    object_files: tuple[bytes, ...]
    """One or more, which are linked."""
    registers: tuple[int, ...]
    uses_stamps: bool
    frame_bytes: int
    ub_top: int
    """How many bytes of UB, from its first on, its own stores can reach."""
    cores: tuple[CoreKind, ...] = ("vector",)
    """Those of a block."""
    uses_matrix: bool = False
    """Whether it uses the memories of a matrix core."""
    side_exits: tuple[SideExit, ...] | None = None
    """Where it may ask the engine; None where nobody has looked yet."""

    def packed(self, about: dict[str, Any]) -> bytes:
        """As one piece, with facts about the kernel, for the cache."""
        facts = {**about, "registers": self.registers, "stamps": self.uses_stamps}
        facts |= {
            "frame": self.frame_bytes,
            "top": self.ub_top,
            "cores": self.cores,
            "matrix": self.uses_matrix,
            "sizes": [len(one) for one in self.object_files],
        }
        head = json.dumps(facts).encode()
        return len(head).to_bytes(8, "little") + head + b"".join(self.object_files)

    @staticmethod
    def unpacked(data: bytes) -> tuple[Compiled, dict[str, Any]]:
        """The reverse."""
        start = 8 + int.from_bytes(data[:8], "little")
        facts = json.loads(data[8:start])
        names = ("registers", "stamps", "frame", "top")
        registers, stamps, frame, top = (facts[name] for name in names)
        cores, matrix = tuple(facts["cores"]), facts["matrix"]
        files: list[bytes] = []
        for size in facts["sizes"]:
            files.append(data[start : start + size])
            start += size
        return Compiled(tuple(files), tuple(registers), stamps, frame, top, cores, matrix), facts
