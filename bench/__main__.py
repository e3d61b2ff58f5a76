"""`make bench`: measures all rows and prints them; exits 1 if a row misses its target.

`python -m bench NAME...` runs only the named parts (`bench/parts.py`); `--write FILE` runs all of
them and writes docs/performance.md.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from bench import page
from bench.measure import Job, Remark, Row, attempts
from bench.parts import PARTS

_LEGEND = (
    "With >= the ratio is the speed as a fraction of the other's, with <= the time or the memory as"
    " a multiple; the best of several runs in turns counts."
)


def main(arguments: list[str]) -> int:
    """Runs the named parts, or all; one table for each."""
    parser = argparse.ArgumentParser(prog="python -m bench")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PARTS))
    parser.add_argument("--write", type=Path, metavar="FILE", help="writes the page")
    asked = parser.parse_args(arguments)
    unknown = [name for name in asked.names if name not in PARTS]
    if unknown:
        print(f"unknown: {', '.join(unknown)}; there are {', '.join(PARTS)}", file=sys.stderr)
        return 2
    if asked.names and asked.write:
        print("a page has all parts: --write takes no names", file=sys.stderr)
        return 2
    console = Console(width=None if sys.stdout.isatty() else 140)
    found = _measure(console, asked.names or list(PARTS))
    for name, items in found.items():
        _print(console, PARTS[name].title, items)
    console.print(_LEGEND, highlight=False)
    items = [item for some in found.values() for item in some]
    if asked.write:
        asked.write.write_text(page.text([item for item in items if isinstance(item, Row)]))
    return _judge(console, items)


def _measure(console: Console, names: list[str]) -> dict[str, list[Row | Remark]]:
    """What the jobs of each part give."""
    jobs = {name: PARTS[name].jobs() for name in names}
    found: dict[str, list[Row | Remark]] = {}
    with _progress(console) as progress:
        task = progress and progress.add_task("", total=sum(map(len, jobs.values())))
        for name, some in jobs.items():
            for job in some:
                if progress:
                    progress.update(task, description=job.name)
                found.setdefault(name, []).extend(_items(job))
                if progress:
                    progress.advance(task)
    return found


def _progress(console: Console) -> Any:
    """A bar on a terminal, nothing elsewhere."""
    if not console.is_terminal:
        return nullcontext()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    return Progress(*columns, TimeElapsedColumn(), console=console, transient=True)


def _items(job: Job) -> list[Row | Remark]:
    """What a job measured, again while a row misses its goal or is missing; that it broke is a
    failure of its own, and the others go on."""
    items: list[Row | Remark] = []
    for _ in attempts():
        items = []
        try:
            for item in job.run():
                items.append(item)
        except Exception as error:
            return [*items, Remark(f"{job.name}: {_reason(error)}", failed=True)]
        rows = [item for item in items if isinstance(item, Row)]
        if all(row.holds for row in rows) and (rows or not job.goals):
            break
    given = [item.goal for item in items if isinstance(item, Row)]
    if job.goals and given and given != list(job.goals):
        items.append(Remark(f"{job.name}: its rows are not those it announces", failed=True))
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
        goal = row.goal
        amounts = (goal.amount(row.measured), goal.amount(row.baseline))
        table.add_row(goal.what, goal.against, *amounts, _coloured(row), str(goal), row.note)
    if rows:
        console.print(table)
    for item in items:
        if isinstance(item, Remark):
            said = escape(item.text)
            console.print(f"[red]{said}[/]" if item.failed else said, highlight=False)


def _coloured(row: Row) -> str:
    if row.goal.target is None:
        return f"{row.ratio:.2f}"
    return f"[{'green' if row.holds else 'red'}]{row.ratio:.2f}[/]"


def _judge(console: Console, items: list[Row | Remark]) -> int:
    """Names what fails, a line each; the exit status."""
    failing: list[str] = []
    for item in items:
        if isinstance(item, Remark):
            failing += [item.text] if item.failed else []
        elif not item.holds:
            goal = item.goal
            failing.append(f"{goal.what}, against {goal.against}: {item.ratio:.2f}, goal {goal}")
    for line in failing:
        console.print(f"[red]fails:[/] {escape(line)}", highlight=False, soft_wrap=True)
    goals = sum(isinstance(item, Row) and item.goal.target is not None for item in items)
    if not failing:
        console.print(f"All {goals} goals are met.", highlight=False)
    return 1 if failing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
