"""What `check` says of all files together."""

from __future__ import annotations

from ptoscope.cli.options import Request, fails
from ptoscope.cli.output import Result
from ptoscope.diagnostics import Diagnostic
from ptoscope.tables import counted


def concluded(
    names: list[str],
    request: Request,
    findings: list[Diagnostic],
    files: list[dict[str, object]],
    page: tuple[str, ...] = (),
) -> Result:
    """The answer about all files: a page, and a line that sums it up."""
    errors, warnings, notes = count(findings)
    what = names[0] if len(names) == 1 else counted(len(names), "file")
    wrong = fails(findings, request)
    summary = (
        f"{what}: {'wrong' if wrong else 'ok'}, {counted(errors, 'error')}, "
        f"{counted(warnings, 'warning')}" + (f", {counted(notes, 'note')}" if notes else "")
    )
    return Result("check", (*page, summary), {"files": files}, findings, exit=1 if wrong else 0)


def count(findings: list[Diagnostic]) -> tuple[int, ...]:
    """How many findings are errors, warnings and notes."""
    return tuple(sum(d.severity == s for d in findings) for s in ("error", "warning", "note"))
