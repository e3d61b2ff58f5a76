"""Arrays that share memory are one space."""

from __future__ import annotations

from typing import NamedTuple

from ptoscope.arguments import Argument, sharing


class Extent(NamedTuple):
    """Where an array is: its space, the byte in it at which it begins, how many it has."""

    space: int
    begin: int
    size: int


def list_spaces(arguments: list[Argument]) -> dict[int, Extent]:
    """Of each array, by position. A space has the position of the first argument in it, and
    begins at the lowest address."""
    found: dict[int, Extent] = {}
    for group in sharing(arguments):
        space = min(a.position for a in group)
        low = group[0].data.ctypes.data
        for a in group:
            found[a.position] = Extent(space, a.data.ctypes.data - low, a.data.nbytes)
    return found
