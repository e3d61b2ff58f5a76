"""What a run printed, for people and for JSON."""

from __future__ import annotations

from collections.abc import Sequence

from ptoscope.machine.prints import MOST_VALUES, Printed
from ptoscope.tables import Table, counted


def printed(
    rows: list[Printed], left_out: int, file: str, grid: int, asked: Sequence[str] = ()
) -> tuple[list[str | Table], dict[str, object]]:
    """Lines and fields for what was printed and how many prints were not kept, and which of the
    requests the run never came to: nothing where nothing was printed or asked for."""
    if not rows and not left_out and not asked:
        return [], {}
    page: list[str | Table] = [f"{file}:{one.told(grid)}" for one in rows]
    if left_out:
        more = counted(left_out, "further print")
        page.append(f"{more} left out: a run shows its first {MOST_VALUES} values")
    else:
        seen = {one.asked for one in rows}
        page += [
            f"print {request}: the run never came to it" for request in asked if request not in seen
        ]
    return page, {"printed": [one.as_json() for one in rows], "prints_left_out": left_out}
