"""Every witness: importing this fills the registry."""

from __future__ import annotations

from tests.witness import (
    arith,
    conversion,
    copies,
    lanewise,
    memory,
    order,
    predicates,
    rearrange,
    reduction,
    scalar,
    sorting,
    streams,
)

FAMILIES = (
    arith,
    conversion,
    copies,
    lanewise,
    memory,
    order,
    predicates,
    rearrange,
    reduction,
    scalar,
    sorting,
    streams,
)
