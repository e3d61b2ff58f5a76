"""How people read what is in a kernel: lanes, masks, streams, flags. One line each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

NOTHING = "none"
_REPEATED = 4
"""So many equal numbers in a row are written once, with how many they are."""


def numbers_text(numbers: NDArray[Any]) -> str:
    """Numbers with blanks between them, each as short as its type can tell it from others; a row
    of equal ones is one, as `0.5 x64`."""
    found: list[str] = []
    for text, group in groupby(str(number) for number in numbers):
        count = len(list(group))
        found += [f"{text} x{count}"] if count >= _REPEATED else [text] * count
    return " ".join(found)


def mask_text(active: NDArray[np.bool_], most: int | None = None) -> str:
    """Which lanes of a mask are active: `all 64`, `none of 64`, `0..15, 20 of 64`; where they are
    more than `most` pieces, how many lanes and from which to which."""
    total, count = len(active), int(active.sum())
    if count in (0, total):
        return f"{'all' if count else 'none of'} {total}"
    places = np.flatnonzero(np.diff(active.astype(np.int8), prepend=0, append=0))
    pieces = list(zip(places[::2].tolist(), (places[1::2] - 1).tolist(), strict=True))
    if most is not None and len(pieces) > most:
        return f"{count} of {total}, from {pieces[0][0]} to {pieces[-1][1]}"
    shown = ", ".join(f"{a}..{b}" if a < b else str(a) for a, b in pieces)
    return f"{shown} of {total}"


def stream_text(held: bytes, address: int | None) -> str:
    """The state of a stream of unaligned accesses: the bytes that it holds, and their address."""
    if address is None:
        return "a stream that has not begun"
    digits = held.hex(" ", 4)
    return f"{len(held)} bytes at {address:#x}{': ' if digits else ''}{digits}"


def signals_text(flags: Mapping[str, int], held: Mapping[str, int]) -> str:
    """Flags that are set and buffers that are held, by their names, and how often."""
    return f"set: {_counted(flags.items())}; held: {_counted(held.items())}"


def _counted(named: Iterable[tuple[str, int]]) -> str:
    listed = [name if count == 1 else f"{name} x{count}" for name, count in named]
    return ", ".join(listed) or NOTHING
