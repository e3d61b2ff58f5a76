"""Commands that look at many files: each on its own, and told as soon as it has been looked at.

A file that cannot be read, or on which ptoscope itself fails, is a finding among the others. Where
there is one file only, its failure or interrupt is that of the command.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ptoscope.cli.failures import failure
from ptoscope.cli.kernels import KernelWord, kernel_word
from ptoscope.cli.listing import Listed, listed
from ptoscope.cli.options import Request, fails
from ptoscope.cli.output import INTERRUPTED, Result, quiet_stdout, tell
from ptoscope.diagnostics import Diagnostic, UsageError, one_line
from ptoscope.tables import Table, counted


class FileReport(NamedTuple):
    """The result for one file: fields for JSON, findings, lines of the page. `is_wrong` means that
    the file fails for another reason than its findings, `is_refused` that it could not be read or
    written."""

    fields: Mapping[str, object]
    findings: Sequence[Diagnostic] = ()
    page: Sequence[str] = ()
    is_wrong: bool = False
    is_refused: bool = False


@dataclass
class Tally:
    """Counts of the files that have been looked at, and their results."""

    names: list[str] = field(default_factory=list)
    """The names of all files, those to come included."""
    files: list[dict[str, object]] = field(default_factory=list)
    """Records of those that were looked at."""
    findings: list[Diagnostic] = field(default_factory=list)
    wrong: int = 0
    refused: int = 0
    is_interrupted: bool = False

    @property
    def exit(self) -> int:
        """The exit status of the command."""
        if self.is_interrupted:
            return INTERRUPTED
        return 2 if self.refused else 1 if self.wrong else 0

    @property
    def what(self) -> str:
        """The subject of the summary: a file by its name, many by their number."""
        many = counted(len(self.names), "file")
        if self.is_interrupted:
            return f"interrupted: {len(self.files)} of {many}"
        return one_line(self.names[0]) if len(self.names) == 1 else many

    def __str__(self) -> str:
        """The line that sums findings up."""
        errors, warnings, notes = count(self.findings)
        line = (
            f"{self.what}: {'wrong' if self.wrong else 'ok'}, {counted(errors, 'error')}, "
            f"{counted(warnings, 'warning')}" + (f", {counted(notes, 'note')}" if notes else "")
        )
        if len(self.names) > 1 and self.wrong:
            line += f"; {counted(self.wrong, 'file')} wrong"
            line += f", {self.refused} not read or written" if self.refused else ""
        return line


Look = Callable[[KernelWord], FileReport]
Conclude = Callable[[Tally], Sequence[str | Table]]


def over_files(
    request: Request,
    suffixes: tuple[str, ...],
    look: Look,
    conclude: Conclude = lambda tally: (str(tally),),
    *,
    is_flat: bool = False,
) -> Result:
    """Looks at every file that the words of a request mean. Findings and pages are written file
    by file; JSON is one object at the end, with the fields of one file alone at its top, too,
    where it `is_flat`. An interrupt of several ends them, and is told with what was found until
    then."""
    tally = Tally()
    as_json = request.has("json")
    try:
        items = listed(request.args, suffixes)
        tally.names = [item.name for item in items]
        is_alone = len(items) == 1
        for item in items:
            report = _look_at(item, look) if is_alone else _report(item, look)
            is_wrong = report.is_wrong or fails(report.findings, request)
            tally.files.append({"file": item.name, "ok": not is_wrong, **report.fields})
            tally.findings += report.findings
            tally.wrong += is_wrong
            tally.refused += report.is_refused
            if not as_json:
                tell(report.page, report.findings)
    except KeyboardInterrupt:
        if len(tally.names) < 2:
            raise
        tally.is_interrupted = True
    except BrokenPipeError:
        # Nobody reads on: the status is that of what was told.
        quiet_stdout()
        return Result(request.command, exit=tally.exit)
    fields: dict[str, object] = {"files": tally.files}
    if is_flat and len(tally.files) == 1:
        fields = {**tally.files[0], **fields}
    if tally.is_interrupted:
        fields["interrupted"] = True
    findings = tally.findings if as_json else ()
    return Result(request.command, conclude(tally), fields, findings, tally.exit)


def _look_at(item: Listed, look: Look) -> FileReport:
    if item.problem:
        raise UsageError(item.problem)
    return look(kernel_word(item.text))


def _report(item: Listed, look: Look) -> FileReport:
    """Returns the result for a file; an exception becomes its findings."""
    try:
        return _look_at(item, look)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        findings = failure(error, item.name)
        return FileReport(counts(findings), findings, is_refused=isinstance(error, UsageError))


def count(findings: Sequence[Diagnostic]) -> tuple[int, ...]:
    """Returns how many findings are errors, warnings and notes."""
    return tuple(sum(d.severity == s for d in findings) for s in ("error", "warning", "note"))


def counts(findings: Sequence[Diagnostic]) -> dict[str, object]:
    """Returns the same for JSON."""
    return dict(zip(("errors", "warnings", "notes"), count(findings), strict=True))
