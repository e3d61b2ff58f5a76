"""What a run printed, for people and for JSON."""

from __future__ import annotations

from ptoscope.machine.prints import MOST_VALUES, Printed
from ptoscope.tables import Table, counted


def printed(
    rows: list[Printed], left_out: int, file: str, grid: int
) -> tuple[list[str | Table], dict[str, object]]:
    """Lines and fields for what was printed and how many prints were not kept: nothing where
    nothing was printed."""
    if not rows and not left_out:
        return [], {}
    page: list[str | Table] = [f"{file}:{one.told(grid)}" for one in rows]
    if left_out:
        more = counted(left_out, "further print")
        page.append(f"{more} left out: a run shows its first {MOST_VALUES} values")
    return page, {"printed": [one.as_json() for one in rows], "prints_left_out": left_out}
