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


def mask_text(active: NDArray[np.bool_]) -> str:
    """The active lanes of a mask: `lanes 0..31, 40 of 64`."""
    lanes = np.flatnonzero(active).tolist()
    if len(lanes) == len(active):
        return f"all {len(active)} lanes"
    if not lanes:
        return f"no lane of {len(active)}"
    runs: list[list[int]] = []
    for lane in lanes:
        if runs and runs[-1][-1] == lane - 1:
            runs[-1].append(lane)
        else:
            runs.append([lane])
    listed = (str(run[0]) if len(run) == 1 else f"{run[0]}..{run[-1]}" for run in runs)
    word = "lane" if len(lanes) == 1 else "lanes"
    return f"{word} {', '.join(listed)} of {len(active)}"


def stream_text(held: bytes, address: int | None) -> str:
    """The bytes that an unaligned stream holds: how many, from where in UB, and which."""
    if not held:
        return "no bytes" + ("" if address is None else f", goes on at ub:{address:#x}")
    where = "" if address is None else f" of ub:{address:#x}"
    word = "byte" if len(held) == 1 else "bytes"
    return f"{len(held)} {word}{where}: {held.hex(' ')}"


def signals_text(flags: Mapping[str, int], held: Mapping[str, int]) -> str:
    """Flags that are set and buffers that are held, by their names, and how often."""
    return f"set: {_counted(flags.items())}; held: {_counted(held.items())}"


def _counted(named: Iterable[tuple[str, int]]) -> str:
    listed = [name if count == 1 else f"{name} x{count}" for name, count in named]
    return ", ".join(listed) or NOTHING
