"""A program as it was written becomes one that is checked and run."""

from __future__ import annotations

from dataclasses import replace

from ptoscope.expansion.calls import without_calls
from ptoscope.expansion.scopes import called_in_scopes, with_scopes
from ptoscope.expansion.sections import with_sections, without_sections
from ptoscope.program import Program

__all__ = ["called_in_scopes", "expanded", "with_scopes", "with_sections"]


def expanded(program: Program) -> Program:
    """The program without calls and sections: in the place of each stands what it means; vector
    instructions outside a vecscope have got one. Of the functions those are left that can be
    launched, or that nothing calls. Raises PtoError with what cannot be expanded."""
    opened = replace(program, functions=without_sections(program))
    inlined = replace(program, functions=without_calls(opened))
    functions = [with_scopes(f) for f in inlined.functions]
    if list(map(id, functions)) == list(map(id, program.functions)):
        return program
    there = {op.span[:3] for f in functions for op in f.ops()}
    gone = (op.span for f in program.functions for op in f.ops() if op.span[:3] not in there)
    return replace(program, functions=functions, opened=tuple(gone))
