"""Kernels as witnesses: run on the reference engine, in several legal orders of the pipes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np

from ptoscope import PtoError
from ptoscope.isa import TABLE
from ptoscope.isa.record import Record
from ptoscope.kernel import Kernel
from tests.machine.harness import prepared
from tests.machine.runs import run_as
from tests.witness.registry import Trial

ORDERS = ("program", "lazy", "eager", "seed:0", "seed:1", "seed:2", "seed:3")
_loaded = cache(prepared)


@contextmanager
def table_with(record: Record) -> Iterator[None]:
    """The table with this record in the place of the one of its name."""
    before = TABLE[record.name]
    TABLE[record.name] = record
    try:
        yield
    finally:
        TABLE[record.name] = before


def outcome(
    record: Record, text: str, arguments: Sequence[Any], order: str = "program", **options: Any
) -> str | list[bytes]:
    """The bytes of the arrays after a run of a kernel in which the record has its meaning, or
    the code of its fault, or the `whole` of it: what it found and expected, too."""
    given = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    grid, whole = options.pop("grid", 1), options.pop("whole", False)
    kernel: Kernel = _loaded(text, **options)
    with table_with(record):
        try:
            run_as(kernel, order, given, grid)
        except PtoError as error:
            first = error.diagnostics[0]
            return f"{first.code}: {first.found}, not {first.expected}" if whole else first.code
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    return [a.tobytes() for a in given if isinstance(a, np.ndarray)]


def always(
    label: str,
    text: str,
    arguments: Sequence[Any],
    expected: str | list[bytes],
    orders: Sequence[str] = ORDERS,
    **options: Any,
) -> Trial:
    """A kernel that does the same in every order. A fault is expected as its code, perhaps with
    what it says: "PTO0910: 2, not 0 or 1"."""
    options["whole"] = ":" in expected

    def run(record: Record) -> str:
        for order in orders:
            found = outcome(record, text, arguments, order, **options)
            if found != expected:
                return f"in order {order}: {_short(found)}, not {_short(expected)}"
        return ""

    return Trial(label, run)


def sometimes(label: str, text: str, arguments: Sequence[Any], expected: list[bytes]) -> Trial:
    """A kernel whose result is left to chance: this in one order, something else in another."""

    def run(record: Record) -> str:
        found = [outcome(record, text, arguments, order) for order in ORDERS]
        same = [result == expected for result in found]
        if any(isinstance(result, str) for result in found):
            return f"a fault: {found}"
        return "" if any(same) and not all(same) else "the same result in every order"

    return Trial(label, run)


def _short(found: str | list[bytes]) -> str:
    if isinstance(found, str):
        return found
    return " | ".join(data[:16].hex() for data in found)


Trials = Callable[[Record], Iterator[Trial]]
