"""What code of the matrix core calls besides: a module of its own, which others do without."""

from __future__ import annotations

from ptoscope.native.runtime.products import rt_multiply
from ptoscope.native.runtime.tiles import rt_move_tile
from ptoscope.native.subset.compiled import CompiledFunction, module_text

FUNCTIONS: dict[str, CompiledFunction] = {
    function.name: function for function in (rt_move_tile, rt_multiply)
}


def text() -> str:
    """The whole module."""
    return module_text(FUNCTIONS.values())
