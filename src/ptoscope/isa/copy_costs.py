"""What a copy costs on each target: the figures of its path.

`a5_bandwidth.csv` rests on one log of the vendor's cycle model, with one size in each direction:
what is start-up and what is bandwidth is assumed, and its columns `quick` and `slow` have the ends
between which the log leaves it. `a2a3_bandwidth.csv` has rows of the manual, and of measurements;
where two published fits disagree, one is each end.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import NamedTuple

from ptoscope.isa.cost import COPY_PATH, Figure, FigureSource
from ptoscope.isa.cost_tables import table
from ptoscope.isa.table import TABLE
from ptoscope.isa.targets import TargetName


class CopyFigures(NamedTuple):
    """Bytes a cycle; cycles until the first byte of a transfer; cycles of each burst (0: bursts
    cost nothing by themselves); cycles from what a transfer waited for to its issue."""

    bytes_per_cycle: Figure
    startup: Figure
    per_burst: Figure
    issue: Figure


HIDDEN_STARTUP = {"a5": True, "a2a3": False}
"""Whether a transfer starts while the one before it on its pipe still moves bytes. A5: 256 bytes
issued right behind 16 KiB ended 2 cycles after them. A2/A3: 8 and 32 transfers one behind the other
took exactly 8 and 32 times as long as one."""
ISSUE: dict[TargetName, Figure] = {
    "a5": Figure(1, "cycle model", "from a wait_flag to the issue of a transfer, one log"),
    "a2a3": Figure(0, "assumed", "a transfer is issued at once"),
}


def paths() -> tuple[str, ...]:
    """The paths of all copies."""
    return tuple(dict.fromkeys(r.path.name for r in TABLE.values() if r.path is not None))


def transfer(path: str, target: TargetName, manual: bool) -> CopyFigures:
    """The figures of a path; where it has none, those of GM to UB, marked as assumed."""
    known = _rows(target, manual and target == "a2a3")
    found = known.get(path)
    if found is None:
        whose = "the manual's GM to UB" if manual else COPY_PATH
        stand_in = (
            replace(f, source="assumed", note=f"{path}: as {whose}", name="")
            for f in known[COPY_PATH]
        )
        found = CopyFigures(*stand_in)
    return found


@cache
def _rows(target: TargetName, manual: bool) -> dict[str, CopyFigures]:
    found: dict[str, CopyFigures] = {}
    for row in table(f"{target}_bandwidth.csv"):
        if target == "a2a3" and (row["basis"] == "manual") != manual:
            continue
        source: FigureSource = "manual" if manual else "assumed" if target == "a5" else "measured"
        note = "" if manual else f"{row['path']}: {row.get('basis') or row['note']}"
        rate = Figure(
            float(row["bytes_per_cycle"]), source, note, row.get("name", ""), _ends(row, "rate")
        )
        startup, per_burst = (
            Figure(float(row[key]), source, note or "none in the formula")
            for key in ("startup", "per_burst")
        )
        startup = replace(startup, ends=_ends(row, "startup"))
        issue = ISSUE[target]
        if target == "a5" and startup.ends is None:
            issue = replace(issue, source="assumed", note=f"{row['path']}: as GM to UB")
        found[row["path"]] = CopyFigures(rate, startup, per_burst, issue)
    return found


def _ends(row: dict[str, str], key: str) -> tuple[float, float] | None:
    quick, slow = row[f"quick_{key}"], row[f"slow_{key}"]
    return (float(quick), float(slow)) if quick else None
