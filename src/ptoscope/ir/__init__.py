"""Text to program and back.

`parse` reads a file: its program, and how it was written. `print_module` writes the canonical
text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ptoscope.ir.module import Module
from ptoscope.ir.reading.parse import Unread, parse

if TYPE_CHECKING:
    from ptoscope.ir.printing import LEVELS, Level, print_module

__all__ = ["LEVELS", "Level", "Module", "Unread", "parse", "print_module"]


def __getattr__(name: str) -> object:
    # Most who read a file do not print it.
    if name in __all__:
        from ptoscope.ir import printing

        return getattr(printing, name)
    raise AttributeError(f"module 'ptoscope.ir' has no attribute '{name}'")
