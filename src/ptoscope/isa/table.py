"""The table: every record by its name."""

from __future__ import annotations

from ptoscope.isa import (
    arith,
    binary,
    compare,
    convert,
    dma,
    indexed,
    load_store,
    materialize,
    predicate_algebra,
    predicate_memory,
    predicates,
    rearrange,
    reduction,
    scalar,
    sfu,
    sorting,
    streams,
    sync,
    unary,
    vector_scalar,
)
from ptoscope.isa.record import Record

TABLE: dict[str, Record] = {
    record.name: record
    for room in (
        load_store,
        indexed,
        streams,
        predicate_memory,
        predicates,
        predicate_algebra,
        materialize,
        unary,
        binary,
        vector_scalar,
        convert,
        reduction,
        compare,
        rearrange,
        sfu,
        sorting,
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
