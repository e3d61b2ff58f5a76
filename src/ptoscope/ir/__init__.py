"""Text to program and back.

`parse` reads a file: its program, and how it was written. `print_module` writes the canonical
text.
"""

from __future__ import annotations

from ptoscope.ir.module import Module
from ptoscope.ir.printing.instructions import LEVELS, Level
from ptoscope.ir.printing.printer import print_module
from ptoscope.ir.reading.parse import Unread, parse

__all__ = ["LEVELS", "Level", "Module", "Unread", "parse", "print_module"]
