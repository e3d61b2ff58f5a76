"""`make bench`: measures all rows and prints one table; exits 1 if a row misses its target."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.table import Table

from bench import engine, start, text
from bench.measure import Row


def main() -> int:
    """Runs every benchmark, best of several."""
    table = Table(title="CPU time as a ratio, best of several runs in one process")
    for column in ("what", "against", "measured", "baseline", "ratio", "target"):
        table.add_column(column, justify="left" if column in ("what", "against") else "right")
    rows: list[Row] = [*text.rows(), *engine.rows(), *start.rows()]
    for row in rows:
        table.add_row(
            row.what,
            row.baseline_name,
            _time(row.measured),
            _time(row.baseline),
            f"[{'green' if row.holds else 'red'}]{row.ratio:.2f}[/]",
            f"<= {row.target:g}",
        )
    Console(width=None if sys.stdout.isatty() else 140).print(table)
    return 0 if all(row.holds for row in rows) else 1


def _time(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:.2f} us"
    return f"{seconds * 1e3:.1f} ms"


if __name__ == "__main__":
    sys.exit(main())
