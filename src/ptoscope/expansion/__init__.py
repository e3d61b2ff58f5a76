"""A program as it was written becomes one that is checked and run."""

from __future__ import annotations

from dataclasses import replace

from ptoscope.expansion.calls import without_calls
from ptoscope.expansion.sections import without_sections
from ptoscope.program import Program

__all__ = ["expanded"]


def expanded(program: Program) -> Program:
    """The program without calls and sections: in the place of each stands what it means. Of the
    functions those are left that can be launched, or that nothing calls. Raises PtoError with
    what cannot be expanded."""
    opened = replace(program, functions=without_sections(program))
    return replace(program, functions=without_calls(opened))
