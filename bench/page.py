"""docs/performance.md: what a run of the benchmark measured, as tables."""

from __future__ import annotations

import importlib
import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from bench import c_side, native
from bench.measure import Goal, Row
from bench.parts import PARTS

PATH = Path(__file__).parents[1] / "docs" / "performance.md"
_KERNELS = {
    native.STAGED: "C, same staging",
    native.UNSTAGED: "C, unstaged",
    native.NUMPY: "NumPy",
    native.MEMCPY: "of memcpy's bandwidth",
}
"""What kernels are measured against, and the column of the first table."""
_HEAD = """\
# How fast it is

Kernels run as native code, and every access is checked. This page says how fast that is next to C
and NumPy on the same processor, and what launches, compiling and commands cost. It is written by
`python -m bench --write docs/performance.md`; `make bench` measures the same and fails if a goal is
missed.

Measured on {date} on {processor} with {cores} processors, Python {python}, NumPy {numpy}. C is
`{compiler}` with `{flags}`.

Every figure is a ratio of two times of one run: both sides take turns in one process on one
thread, and the best time of each counts, since what else runs on a machine can only make a side
slower. Times are the processor's, those of launches the clock's. A row that misses its goal is
measured again up to three times, and the best of both sides over all attempts counts. Before a
kernel is measured its results are compared with those of C, bit for bit.
"""
_ABOUT_KERNELS = """\
Speeds as multiples of the other's: 1.2 is a fifth faster. *C, same staging* copies tiles to a
buffer, computes there and copies the results back, as the kernel does with UB; *unstaged* is a
plain loop over the arrays. NumPy has the whole arrays at once. The last column is the fraction of
the bandwidth of `memcpy` on 64 MiB that the bytes between GM and UB reach, where they are more than
32 MiB.
"""
_ABOUT_OTHERS = """\
With ≥ the ratio is a speed as a multiple of the other's, with ≤ a time or an amount of memory as a
multiple of what is named.
"""


def text(rows: Sequence[Row]) -> str:
    """The page of a run; what it could not measure is empty."""
    measured = {row.goal: row for row in rows}
    sections = [_HEAD.format(**_machine())]
    for name, part in PARTS.items():
        goals = [goal for job in part.jobs() for goal in job.goals]
        if name == "native":
            sections += [f"## {part.title}\n", _ABOUT_KERNELS, _kernels(goals, measured)]
            sections += ["## Everything else\n", _ABOUT_OTHERS]
        else:
            sections += [f"### {part.title}\n", _others(goals, measured)]
    return "\n".join(sections)


def goals_of(page: str) -> set[tuple[str, str, str]]:
    """What the tables of a page say: (what, against, goal) of each row, the goal empty if it has
    none."""
    columns = {column: against for against, column in _KERNELS.items()}
    found: set[tuple[str, str, str]] = set()
    names: list[str] = []
    for line in page.splitlines():
        if not line.startswith("|"):
            names = []
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not names:
            names = cells
        elif set(line) <= set("|-: "):
            continue
        elif names[0] == "kernel":
            for column, cell in zip(names[1:], cells[1:], strict=True):
                if cell:
                    goal = cell.partition(" (")[2].rstrip(")")
                    found.add((cells[0], columns[column], goal))
        else:
            found.add((cells[0], cells[1], cells[names.index("goal")]))
    return found


def shown(goal: Goal) -> str:
    """A target as the page has it."""
    return str(goal).replace(">=", "≥").replace("<=", "≤")


def _kernels(goals: Sequence[Goal], measured: dict[Goal, Row]) -> str:
    by_kernel: dict[str, dict[str, Goal]] = {}
    for goal in goals:
        by_kernel.setdefault(goal.what, {})[goal.against] = goal
    lines = ["| kernel |" + "".join(f" {column} |" for column in _KERNELS.values())]
    lines.append("|---|" + "---:|" * len(_KERNELS))
    for what, against in by_kernel.items():
        cells = [_cell(against[other], measured) if other in against else "" for other in _KERNELS]
        lines.append(f"| {what} |" + "".join(f" {cell} |" for cell in cells))
    return "\n".join(lines) + "\n"


def _cell(goal: Goal, measured: dict[Goal, Row]) -> str:
    if goal.against == native.MEMCPY:
        return f"{measured[goal].ratio:.0%}" if goal in measured else "?"
    return f"{_ratio(goal, measured)} ({shown(goal)})" if str(goal) else _ratio(goal, measured)


def _others(goals: Sequence[Goal], measured: dict[Goal, Row]) -> str:
    lines = ["| what | against | measured | ratio | goal |", "|---|---|---:|---:|---:|"]
    for goal in goals:
        amount = goal.amount(measured[goal].measured) if goal in measured else ""
        ratio = _ratio(goal, measured)
        lines.append(f"| {goal.what} | {goal.against} | {amount} | {ratio} | {shown(goal)} |")
    return "\n".join(lines) + "\n"


def _ratio(goal: Goal, measured: dict[Goal, Row]) -> str:
    """Bold if it misses its goal."""
    if goal not in measured:
        return "?"
    row = measured[goal]
    return f"{row.ratio:.2f}" if row.holds else f"**{row.ratio:.2f}**"


def _machine() -> dict[str, str]:
    llvm: Any = importlib.import_module("llvmlite.binding")
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": f"{_model()} (LLVM: {llvm.get_host_cpu_name()})",
        "cores": str(len(os.sched_getaffinity(0))),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "compiler": c_side.compiler(),
        "flags": " ".join(c_side.FLAGS),
    }


def _model() -> str:
    """The processor as the system names it."""
    told = Path("/proc/cpuinfo")
    lines = told.read_text().splitlines() if told.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
