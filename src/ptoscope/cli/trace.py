"""`ptoscope trace`: the instructions of a run in the order of execution, with what they made."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ptoscope.cli.options import Request, count
from ptoscope.cli.output import Result
from ptoscope.cli.recorded import recorded
from ptoscope.tables import counted

if TYPE_CHECKING:
    from ptoscope.replay.lines import LineForm
    from ptoscope.replay.run import RecordedRun

MOST_LINES = 10_000
"""Moments that are shown, unless another number is asked for."""


def answer(request: Request) -> Result:
    """Records a run and shows its moments."""
    limit = count("limit", request.get("limit") or str(MOST_LINES))
    from ptoscope.replay import selection
    from ptoscope.replay.lines import ALL_KINDS, LineForm, moment_record, parse_kinds

    lines, pipes, watched, until, show = (
        request.get(name) for name in ("line", "pipe", "watch", "until", "show")
    )
    wanted = selection.Selection(
        selection.parse_lines(lines) if lines else (),
        selection.parse_pipes(pipes) if pipes else (),
        selection.parse_watched(watched) if watched else (),
        until or "",
    )
    selection.check_until(wanted.until)
    form = LineForm(parse_kinds(show) if show else ALL_KINDS, terminal_width())
    found = recorded(request)
    run = found.run
    if run is None:
        return Result("trace", diagnostics=found.findings, exit=1)
    indices = selection.selected(run, wanted).tolist()
    kept, more = indices[:limit], len(indices) - limit
    fields: dict[str, object] = {"entry": found.kernel.name, "recorded": len(run)}
    if request.has("json"):
        fields["moments"] = [moment_record(run[index], form.kinds) for index in kept]
    fields |= {"left_out": max(more, 0), "not_recorded": run.left_out}
    notices: list[str] = []
    if more > 0:
        notices.append(f"{counted(more, 'further moment')} left out: --limit shows more")
    if run.left_out:
        notices.append(f"{counted(run.left_out, 'later execution')} not recorded")
    page = _page(run, kept, form, notices)
    return Result("trace", page, fields, found.diagnostics, exit=0 if run.error is None else 1)


def _page(
    run: RecordedRun, indices: list[int], form: LineForm, notices: list[str]
) -> Iterator[str]:
    from ptoscope.replay.lines import moment_line

    for index in indices:
        yield moment_line(run[index], form)
    yield from notices


def terminal_width() -> int:
    """The columns of the terminal that is written to; 0 if it is none."""
    if sys.stdout is None or not sys.stdout.isatty():
        return 0
    return max(40, shutil.get_terminal_size().columns)
