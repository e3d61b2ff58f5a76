"""`make bench`: measures all rows and prints them; exits 1 if a row misses its target.

`python -m bench NAME...` runs only the named parts: text, engine, start, native,
timing, races.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from bench import engine, native, races, start, text, timing
from bench.measure import Job, Remark, Row

_TITLE = "CPU time as a ratio, best of several runs in one process"
_PARTS: dict[str, tuple[str, Callable[[], list[Job]]]] = {
    "text": (_TITLE, lambda: [Job("text", text.rows)]),
    "engine": (_TITLE, lambda: [Job("reference engine", engine.rows)]),
    "start": (_TITLE, lambda: [Job("start", start.rows)]),
    "native": (native.TITLE, native.jobs),
    "timing": (timing.TITLE, timing.jobs),
    "races": (races.TITLE, races.jobs),
}


def main(names: list[str]) -> int:
    """Runs the named parts, or all; one table for each title."""
    unknown = [name for name in names if name not in _PARTS]
    if unknown:
        print(f"unknown: {', '.join(unknown)}; there are {', '.join(_PARTS)}", file=sys.stderr)
        return 2
    console = Console(width=None if sys.stdout.isatty() else 140)
    parts = [
        (title, jobs()) for name, (title, jobs) in _PARTS.items() if name in names or not names
    ]
    found: dict[str, list[Row | Remark]] = {}
    with _progress(console) as progress:
        task = progress and progress.add_task("", total=sum(len(jobs) for _, jobs in parts))
        for title, jobs in parts:
            for job in jobs:
                if progress:
                    progress.update(task, description=job.name)
                found.setdefault(title, []).extend(_items(job))
                if progress:
                    progress.advance(task)
    for title, items in found.items():
        _print(console, title, items)
    items = [item for some in found.values() for item in some]
    return 0 if all(i.holds if isinstance(i, Row) else not i.failed for i in items) else 1


def _progress(console: Console) -> Any:
    """A bar on a terminal, nothing elsewhere."""
    if not console.is_terminal:
        return nullcontext()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    return Progress(*columns, TimeElapsedColumn(), console=console, transient=True)


def _items(job: Job) -> list[Row | Remark]:
    """What a job measured; that it broke is a failure of its own, and the others go on."""
    items: list[Row | Remark] = []
    try:
        items.extend(job.run())
    except Exception as error:
        items.append(Remark(f"{job.name}: {_reason(error)}", failed=True))
    return items


def _reason(error: Exception) -> str:
    if not isinstance(error, subprocess.CalledProcessError):
        return f"{type(error).__name__}: {error}"
    # The last line of a traceback says what happened; the command is in the source.
    said = error.stderr or b""
    lines = said.decode(errors="replace") if isinstance(said, bytes) else said
    last = lines.strip().rpartition("\n")[2]
    return f"a process failed with status {error.returncode}: {last}"


def _print(console: Console, title: str, items: list[Row | Remark]) -> None:
    rows = [item for item in items if isinstance(item, Row)]
    table = Table(title=title)
    for column in ("what", "against", "measured", "baseline", "ratio", "target", "note"):
        table.add_column(column, justify="left" if column in ("what", "against") else "right")
    for row in rows:
        table.add_row(
            row.what,
            row.baseline_name,
            _amount(row, row.measured),
            _amount(row, row.baseline),
            f"{row.ratio:.2f}" if row.target is None else _coloured(row),
            "" if row.target is None else f"{'>=' if row.speed else '<='} {row.target:g}",
            row.note,
        )
    if rows:
        console.print(table)
    for item in items:
        if isinstance(item, Remark):
            said = escape(item.text)
            console.print(f"[red]{said}[/]" if item.failed else said, highlight=False)


def _coloured(row: Row) -> str:
    return f"[{'green' if row.holds else 'red'}]{row.ratio:.2f}[/]"


def _amount(row: Row, value: float) -> str:
    if row.unit == "B":
        return f"{value / 1e6:.1f} MB"
    return f"{value * 1e6:.2f} us" if value < 1e-3 else f"{value * 1e3:.1f} ms"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
