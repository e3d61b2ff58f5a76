"""How cases are run."""

from __future__ import annotations

from typing import NamedTuple

LIMIT = 60.0
"""Seconds a case may take, unless told otherwise."""


class Options(NamedTuple):
    """How kernels are read and run."""

    target: str | None = None
    revision: str | None = None
    engine: str | None = None
    check: str | None = None
    """"all": races, undefined data, other orders and writes outside of arrays are looked for."""
    strict: bool = False
    """Whether a warning fails a case."""
    accumulate: str | None = None
    """How the matrix unit adds (see `isa.targets.ACCUMULATE`)."""
