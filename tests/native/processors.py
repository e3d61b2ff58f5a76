"""Runs random programs with the features that `PTOSCOPE_CPU` leaves, and prints what they are and
where an engine differs from the reference engine: `python -m tests.native.processors FIRST LAST`.
"""

from __future__ import annotations

import sys

from ptoscope.native import jit
from tests.fuzz.clusters import any_program
from tests.fuzz.compare import difference


def main(first: int, last: int) -> None:
    """Programs by their seeds, the last one left out."""
    print(jit.host().cpu, jit.host().register_bytes, jit.host().lacks_floats)
    for seed in range(first, last):
        said = difference(any_program(seed), ("reference", "native"))
        if said is not None:
            print(said)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
