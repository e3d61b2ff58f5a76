"""Targets, revisions and sizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ptoscope.isa.dtypes import NARROW_FLOATS, DType
from ptoscope.isa.parts import MEMORIES

Revision = Literal["manual", "micro"]
REVISIONS: tuple[Revision, ...] = ("manual", "micro")
DEFAULT_REVISION: Revision = "manual"
"""What holds of a text that is legal in all of them, where nobody names one."""
OTHER_REVISIONS = REVISIONS[1:]
AUTO = "auto"
"""In the place of a revision: the module names it, else its text decides."""

TargetName = Literal["cpu", "a2a3", "a5"]

Accumulate = Literal["sequential", "exact"]
ACCUMULATE: tuple[Accumulate, ...] = ("sequential", "exact")
"""How the matrix unit adds the products of floats, which no document says: in the order of k, each
step rounded once to f32 as a fused multiply-add; or exactly, the whole sum rounded once."""


@dataclass(frozen=True)
class Target:
    """One machine that runs PTO kernels.

    `norm_alignment` is what a NORM load or store address must be a multiple of, in bytes;
    0 stands for the element size. `most_blocks` is how many blocks a launch may have.
    `accumulate` is how its matrix unit adds.
    """

    name: TargetName
    title: str
    norm_alignment: int
    narrow_floats: bool
    ordered_aliases: bool
    most_blocks: int
    accumulate: Accumulate = "sequential"

    def bytes_of(self, space: str) -> int:
        """How large one of a core's own memories is."""
        return MEMORIES[space].sizes[self.name]

    @property
    def ub_bytes(self) -> int:
        return self.bytes_of("ub")

    def has(self, dtype: DType) -> bool:
        """Whether this target has registers of that element type at all."""
        return self.narrow_floats or dtype not in NARROW_FLOATS


_BLOCK_DIM = 65535
"""The greatest blockDim of Ascend devices; `pto.get_block_num` has the evidence."""

TARGETS: dict[str, Target] = {
    t.name: t
    for t in (
        Target("cpu", "CPU simulation", 0, False, True, (1 << 63) - 1),
        Target("a2a3", "Ascend A2/A3", 32, False, False, _BLOCK_DIM),
        Target("a5", "Ascend A5 (Ascend 950)", 32, True, True, _BLOCK_DIM),
    )
}
DEFAULT_TARGET = "a5"

BLOCK_BYTES = 32
