"""What the machine is: one record per instruction, and the tables they stand on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ptoscope.isa.table import INSTRUCTIONS, TABLE

__all__ = ["INSTRUCTIONS", "TABLE"]


def __getattr__(name: str) -> object:
    # Types and targets are needed by commands that never look at an instruction.
    if name in __all__:
        from ptoscope.isa import table

        return getattr(table, name)
    raise AttributeError(f"module 'ptoscope.isa' has no attribute '{name}'")
