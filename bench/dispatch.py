"""One vecscope instruction by instruction, against the log of the vendor's cycle model of A5."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

from bench.cases import KERNELS
from ptoscope.kernel import load
from ptoscope.timing import time_kernel

LOG = Path(__file__).parent / "data" / "a5_dispatch.csv"
WHOLE = 713
"""Cycles of the vecscope in the log."""
_ELSEWHERE = {"smov", "smovi", "smovk", "vag", "vloop"}
"""Of the log, what scalar code and loops are there, which a kernel does not write."""


@dataclass(frozen=True)
class Moment:
    """An instruction of the log: cycles of its dispatch and its start, there and modelled; `port`
    is its execution port, where the log tells (else -1)."""

    index: int
    name: str
    dispatch: int
    start: int
    modelled_dispatch: int
    modelled_start: int
    port: int
    modelled_port: int


def moments() -> tuple[list[Moment], int]:
    """Those that the log gives, and the modelled cycles of the whole."""
    timing = time_kernel(load(KERNELS / "dispatch.pto", revision="micro"), [2.0, 0.0])
    scopes = timing.scopes
    assert scopes.sent is not None
    assert scopes.start is not None
    assert scopes.track is not None
    rows = list(csv.DictReader(LOG.read_text("utf-8").splitlines()))
    known = {int(row["index"]): row for row in rows if row["index"]}
    # The log numbers what is executed; scalar instructions stand before and between the loops.
    counted = [i for i in range(270 + 128 * 7) if not _is_elsewhere(known.get(i))]
    found = [
        Moment(
            index,
            known[index]["mnemonic"],
            int(known[index]["dispatch"]),
            int(known[index]["start"]),
            int(scopes.sent[number]),
            int(scopes.start[number]),
            # Of two that start in a cycle the log has the first port first.
            int(known[index]["ex_order"] or 0) - 1,
            int(scopes.track[number]),
        )
        for number, index in enumerate(counted)
        if index in known
    ]
    return found, int(scopes.cycles[0])


def _is_elsewhere(row: dict[str, str] | None) -> bool:
    return row is not None and row["mnemonic"] in _ELSEWHERE
