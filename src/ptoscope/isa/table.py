"""The table: every record by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import ModuleType

from ptoscope.isa import (
    address_streams,
    arith,
    binary,
    compare,
    control,
    convert,
    core_signals,
    debugging,
    dma,
    drains,
    fractal_copies,
    fractal_loads,
    indexed,
    load_store,
    load_streams,
    materialize,
    matrix_copies,
    matrix_tables,
    occurrences,
    predicate_algebra,
    predicate_memory,
    predicates,
    products,
    rearrange,
    reduction,
    scalar,
    scalar_math,
    sfu,
    sorting,
    spr_stores,
    stream_flushes,
    streams,
    sync,
    unary,
    vector_addresses,
    vector_scalar,
)
from ptoscope.isa.record import Record


def by_name(rooms: Iterable[ModuleType]) -> dict[str, Record]:
    """The records of modules by their full names; ValueError where two have the same one."""
    table: dict[str, Record] = {}
    places: dict[str, str] = {}
    for room in rooms:
        records: tuple[Record, ...] = room.RECORDS
        for record in records:
            if record.name in table:
                found = f"{places[record.name]} and {room.__name__}"
                raise ValueError(f"{record.name} has two records, in {found}")
            table[record.name] = record
            places[record.name] = room.__name__
    return table


TABLE = by_name(
    (
        load_store,
        indexed,
        load_streams,
        streams,
        stream_flushes,
        spr_stores,
        predicate_memory,
        vector_addresses,
        address_streams,
        predicates,
        predicate_algebra,
        materialize,
        unary,
        binary,
        vector_scalar,
        convert,
        reduction,
        occurrences,
        compare,
        rearrange,
        sfu,
        sorting,
        dma,
        matrix_copies,
        fractal_copies,
        fractal_loads,
        matrix_tables,
        products,
        drains,
        control,
        sync,
        core_signals,
        scalar,
        scalar_math,
        debugging,
        arith,
    )
)
"""Every operation a kernel may contain, by its full name, in the order of the documents."""


def names(wanted: Callable[[Record], bool]) -> str:
    """The instructions that are wanted, for a message: `pto.vsta, pto.vstas or pto.vstar`."""
    *others, last = [record.name for record in TABLE.values() if wanted(record)]
    return f"{', '.join(others)} or {last}" if others else last


INSTRUCTIONS: dict[str, Record] = {n: r for n, r in TABLE.items() if n.startswith("pto.")}
"""The PTO instructions alone."""
