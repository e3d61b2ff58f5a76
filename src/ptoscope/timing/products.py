"""Of which shape the products of a run were, as what they touched says."""

from __future__ import annotations

import numpy as np

from ptoscope.isa.dtypes import DType
from ptoscope.isa.tiles import FRACTAL_ROWS, block_columns
from ptoscope.isa.types import Ptr
from ptoscope.native.subset import Ints
from ptoscope.trace.trace import SPACE_NUMBERS, Place, Trace


def left_element(trace: Trace, place: Place) -> DType:
    """The type of what a product multiplies."""
    return _elements(trace, place)["l0a"]


def product_repeats(trace: Trace, place: Place, events: Ints) -> Ints:
    """How many repeats, 16 rows of 32 bytes from each side, the products of a place had."""
    m, n, k = product_shapes(trace, place, events).T
    columns = block_columns(left_element(trace, place))
    return -(-m // FRACTAL_ROWS) * -(-n // FRACTAL_ROWS) * -(-k // columns)


def product_shapes(trace: Trace, place: Place, events: Ints) -> Ints:
    """The m, n and k of products, in three columns: they read m x k and n x k elements, and write
    m x n sums."""
    accesses = trace.accesses
    size = (accesses.length * accesses.count).astype(np.float64)
    count = len(trace.events)
    counted: list[Ints] = []
    for space, dtype in _elements(trace, place).items():
        chosen = (accesses.space == SPACE_NUMBERS[space]) & (accesses.writes == (space == "l0c"))
        touched = np.bincount(accesses.event[chosen], weights=size[chosen], minlength=count)
        counted.append(touched[events] / dtype.bytes)
    some = np.all([column > 0 for column in counted], axis=0)
    left, right, sums = (np.where(some, column, 1) for column in counted)
    sides = np.sqrt((left * sums / right, right * sums / left, left * right / sums))
    return np.where(some, np.rint(sides), 0).astype(np.int64).T


def _elements(trace: Trace, place: Place) -> dict[str, DType]:
    """By memory, what both sides and the result are made of."""
    types = (trace.function.types[slot] for slot in place.op.operands)
    found = {str(kind.space): kind.dtype for kind in types if isinstance(kind, Ptr)}
    return {space: found[space] for space in ("l0a", "l0b", "l0c")}
