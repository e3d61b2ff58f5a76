"""`with pto.cube():` and `with pto.vector():`, the parts of a kernel that cores of a kind run."""

from __future__ import annotations

from typing import Any

from ptoscope.isa.parts import CoreKind
from ptoscope.lang.maker import current


class CoreSection:
    """What `pto.cube()` and `pto.vector()` give."""

    def __init__(self, core: CoreKind) -> None:
        self.core: CoreKind = core

    def __enter__(self) -> None:
        current().enter_section(self.core)

    def __exit__(self, *failure: Any) -> None:
        current().leave_section()


def cube() -> CoreSection:
    """The body is executed by the matrix core of a block. With `pto.vector()` in the same kernel
    a block is a cluster: one matrix core and two vector cores. What the body computes leaves it
    through memory."""
    return CoreSection("cube")


def vector() -> CoreSection:
    """The body is executed by both vector cores of a block, each with its own UB; their numbers
    are `pto.get_subblock_idx()`."""
    return CoreSection("vector")
