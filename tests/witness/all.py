"""Every witness: the registry, with all families in it."""

from __future__ import annotations

from tests.witness import (
    addresses,
    arith,
    atomics,
    conversion,
    copies,
    cores,
    debugging,
    drains,
    fractal_copies,
    fractal_loads,
    lanewise,
    matrix_copies,
    memory,
    order,
    predicates,
    products,
    rearrange,
    reduction,
    scalar,
    scalar_math,
    sorting,
    streams,
)
from tests.witness.registry import WITNESSES, judged, without_witness

FAMILIES = (
    addresses,
    arith,
    atomics,
    conversion,
    copies,
    cores,
    debugging,
    drains,
    fractal_copies,
    fractal_loads,
    lanewise,
    matrix_copies,
    memory,
    order,
    predicates,
    products,
    rearrange,
    reduction,
    scalar,
    scalar_math,
    sorting,
    streams,
)
__all__ = ["FAMILIES", "WITNESSES", "judged", "without_witness"]
