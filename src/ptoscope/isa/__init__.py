"""What the machine is: one record per instruction, and the tables they stand on."""

from __future__ import annotations

from ptoscope.isa import (
    arith,
    binary,
    dma,
    load_store,
    materialize,
    predicates,
    reduction,
    scalar,
    sync,
    unary,
    vector_scalar,
)
from ptoscope.isa.record import Record

TABLE: dict[str, Record] = {
    record.name: record
    for room in (
        load_store,
        predicates,
        materialize,
        unary,
        binary,
        vector_scalar,
        reduction,
        dma,
        sync,
        scalar,
        arith,
    )
    for record in room.RECORDS
}
"""Every operation a kernel may contain, by its full name, in the order of the documents."""

INSTRUCTIONS: dict[str, Record] = {n: r for n, r in TABLE.items() if n.startswith("pto.")}
"""The PTO instructions alone."""
