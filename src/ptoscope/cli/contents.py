"""What became of the arguments of a run. Arrays are looked at piece by piece: beside themselves
and what they held before, it takes no memory that grows with them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ptoscope.cli.files import ArrayFile
from ptoscope.cli.words import Word, pieces


def kept(argument: Any, word: Word) -> Any:
    """What an array holds, for `contents`; None for zeros and for a number."""
    if not isinstance(argument, ArrayFile) or word.kind in ("zeros", "undefined"):
        return None
    return argument.seen.copy()


def contents(argument: Any, before: Any) -> dict[str, Any]:
    """An argument after a run, next to what was kept of it."""
    if not isinstance(argument, ArrayFile):
        return {"value": argument}
    changed = sum(_changed(argument.seen, before))
    return {
        "shape": list(argument.given.shape),
        "dtype": str(argument.dtype),
        **_range(argument),
        "changed": changed > 0,
        "changed_elements": changed,
    }


def _changed(after: Any, before: Any) -> Iterator[int]:
    """How many elements of each piece are others."""
    import numpy as np

    # Compared as bits: a NaN that stays the same has not changed.
    bits = np.dtype(f"u{after.itemsize}")
    for piece in pieces(after.size):
        old = 0 if before is None else before[piece].view(bits)
        yield int(np.count_nonzero(after[piece].view(bits) != old))


def _range(argument: ArrayFile) -> dict[str, Any]:
    """Least and greatest element, as the kernel sees them, and how many are NaN."""
    import numpy as np

    values, given = argument.seen, argument.given.reshape(-1)
    # A signless element is read with the sign of the array it came from.
    if values.dtype.kind in "iu" and given.dtype.kind in "iu" and given.itemsize == values.itemsize:
        values = given
    extremes: list[Any] = []
    count = 0
    for piece in pieces(values.size):
        part = values[piece]
        if part.dtype.kind not in "iu":
            with np.errstate(all="ignore"):
                part = part.astype(np.float64)
            part = part[~np.isnan(part)]
        count += part.size
        extremes += [part.min().item(), part.max().item()] if part.size else []
    low, high = (min(extremes), max(extremes)) if extremes else (None, None)
    return {"min": low, "max": high, "nan": int(values.size - count)}
