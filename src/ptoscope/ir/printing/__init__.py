"""Program to text."""

from __future__ import annotations

from ptoscope.ir.printing.instructions import LEVELS, Level
from ptoscope.ir.printing.printer import print_module

__all__ = ["LEVELS", "Level", "print_module"]
