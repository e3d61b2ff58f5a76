"""Text to IR and back: the only room that knows xDSL.

`parse` reads a file, `print_module` writes the canonical text, `lower` makes the Program.
"""

from __future__ import annotations

from ptoscope.ir.levels import LEVELS, Level
from ptoscope.ir.lower import lower
from ptoscope.ir.module import Module
from ptoscope.ir.parse import Unread, parse
from ptoscope.ir.printer import print_module

__all__ = ["LEVELS", "Level", "Module", "Unread", "lower", "parse", "print_module"]
