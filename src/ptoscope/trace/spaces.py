"""Arrays that share memory are one space."""

from __future__ import annotations

from ptoscope.arguments import Argument


def list_spaces(arguments: list[Argument]) -> dict[int, tuple[int, int]]:
    """The space of each array and where in it the array begins: that of the first one with
    which it shares memory, else its own."""
    found: dict[int, tuple[int, int]] = {}
    begun: list[tuple[int, int, int]] = []
    for argument in arguments:
        if argument.data is None:
            continue
        at = int(argument.data.__array_interface__["data"][0])
        end = at + argument.data.nbytes
        shared = [(space, low) for space, low, high in begun if at < high and low < end]
        space, low = shared[0] if shared else (argument.position, at)
        if not shared:
            begun.append((argument.position, at, end))
        found[argument.position] = (space, at - low)
    return found
