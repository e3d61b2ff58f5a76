"""Files of measured points, as `ptoscope calibrate` reads them: every row a run with its cycles."""

from __future__ import annotations

import csv
import math
import os
import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ptoscope.bounded_files import read_all, read_file
from ptoscope.cli.files import STDIN, ArrayFile, kernel_name, read_word, readable
from ptoscope.cli.kernels import kernel_word, prepared_for
from ptoscope.cli.options import Request, count
from ptoscope.diagnostics import Diagnostic, PtoError, Span, UsageError, nearest

if TYPE_CHECKING:
    from ptoscope.timing.calibrate import Point

BAD_POINT = "PTO0810"
KERNEL_COLUMNS = ("kernel", "args", "grid", "entry", "cycles")
BODY_COLUMNS = ("body", "dtype", "rows", "vregs_per_row", "addressing", "cycles")
_COLUMNS = tuple(dict.fromkeys((*KERNEL_COLUMNS, *BODY_COLUMNS)))
_MOST_ITERATIONS = 1_000_000


class Row(NamedTuple):
    """A row of the file: its line, its text, its cells by column."""

    line: int
    text: str
    cells: dict[str, str]


class PointsFile(NamedTuple):
    """What a file is called, where it is, and its rows."""

    name: str
    directory: Path
    rows: list[Row]


@dataclass(frozen=True)
class BadRow(Exception):
    """What is wrong with a row: in which cell, what was found and expected."""

    message: str
    column: str = ""
    expected: str = ""
    hint: str = ""


def read_points(
    file: PointsFile, request: Request, figures: Mapping[str, float], told: Callable[[str], None]
) -> list[Point]:
    """The points of a file, each run timed once, by the request's target and model with other
    `figures`; `told` hears of each row. PtoError with all that is wrong with the rows."""
    reader = _Reader(file.directory, request, figures)
    points: list[Point] = []
    wrong: list[Diagnostic] = []
    for row in file.rows:
        told(f"line {row.line}")
        try:
            points.append(reader.point(row))
        except BadRow as error:
            wrong.append(_diagnostic(file.name, row, error))
        except PtoError as error:
            message = "the run of this row cannot be timed"
            wrong += [*error.diagnostics, _diagnostic(file.name, row, BadRow(message, "kernel"))]
    if wrong:
        raise PtoError(wrong)
    return points


def read_rows(path: str) -> PointsFile:
    """The rows of a file. UsageError if it cannot be read, PtoError for columns that mean
    nothing."""
    at = readable(path)
    name = kernel_name(at)
    try:
        data = read_all(sys.stdin.buffer) if at == STDIN else read_file(at)
        lines = data.decode("utf-8-sig").splitlines()
        reader = csv.reader(lines, strict=True)
        records = [(reader.line_num, cells) for cells in reader if any(c.strip() for c in cells)]
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"cannot read {path}: byte {error.start} is not UTF-8 text") from None
    except csv.Error as error:
        raise UsageError(f"cannot read {path}: it is no CSV file: {error}") from None
    if not records:
        raise PtoError([Diagnostic(BAD_POINT, "the file has no points", file=name,
                                   expected=_expected_columns())])  # fmt: skip
    (first, header), *rest = records
    columns = [cell.strip() for cell in header]
    problem = _wrong_columns(columns, bool(rest))
    if problem is not None:
        raise PtoError([_diagnostic(name, Row(first, lines[first - 1], {}), problem)])
    found: list[Row] = []
    wrong: list[Diagnostic] = []
    for line, cells in rest:
        texts = [cell.strip() for cell in cells]
        row = Row(line, lines[line - 1], dict(zip(columns, texts, strict=False)))
        if len(texts) > len(columns):
            message = f"the row has {len(texts)} cells, the first line names {len(columns)} columns"
            wrong.append(_diagnostic(name, row, BadRow(message, hint="quote cells with commas")))
        found.append(row)
    if wrong:
        raise PtoError(wrong)
    return PointsFile(name, Path() if at == STDIN else at.parent, found)


def _wrong_columns(columns: list[str], has_rows: bool) -> BadRow | None:
    unknown = [column for column in columns if column not in _COLUMNS]
    if unknown:
        hint = nearest(unknown[0], _COLUMNS)
        return BadRow(f"unknown column '{unknown[0]}'", unknown[0], _expected_columns(), hint)
    if len(set(columns)) < len(columns):
        twice = next(column for column in columns if columns.count(column) > 1)
        return BadRow(f"the column '{twice}' is named twice", twice)
    if "cycles" not in columns or not {"kernel", "body"} & set(columns):
        return BadRow("columns are missing", expected=_expected_columns())
    return None if has_rows else BadRow("the file has no points")


def _expected_columns() -> str:
    return f"columns {', '.join(KERNEL_COLUMNS)}, or {', '.join(BODY_COLUMNS)}"


def _diagnostic(file: str, row: Row, problem: BadRow) -> Diagnostic:
    found = row.cells.get(problem.column, problem.column)
    at = row.text.find(found) if found else -1
    return Diagnostic(
        BAD_POINT,
        problem.message,
        file=file,
        span=Span(row.line, max(at, 0) + 1, len(found) if at >= 0 else max(1, len(row.text))),
        found=f"{problem.column}: '{found}'" if problem.column in row.cells else "",
        expected=problem.expected,
        hint=problem.hint,
        source_line=row.text,
    )


class _Reader:
    def __init__(self, beside: Path, request: Request, figures: Mapping[str, float]) -> None:
        self.beside, self.request = beside, request
        limit = request.get("max-steps")
        self.options: dict[str, Any] = {
            "overrides": figures,
            "model": request.get("model"),
            "max_steps": count("max-steps", limit) if limit else None,
        }
        self.timed: dict[tuple[str, ...], Any] = {}
        """Runs that several rows have measured."""
        self.target = ""

    def point(self, row: Row) -> Point:
        from ptoscope.timing.calibrate import Point

        cycles = _cycles(row)
        kernel, body = row.cells.get("kernel", ""), row.cells.get("body", "")
        if bool(kernel) == bool(body):
            found = "both a kernel and a body" if kernel else "neither a kernel nor a body"
            raise BadRow(f"the row has {found}", expected="one of them")
        others = BODY_COLUMNS if kernel else KERNEL_COLUMNS
        for column in others[:-1]:
            if row.cells.get(column):
                kind = "kernel" if kernel else "body"
                raise BadRow(f"'{column}' means nothing to a row with a {kind}", column)
        key = tuple(row.cells.get(column, "") for column in _COLUMNS if column != "cycles")
        if key not in self.timed:
            self.timed[key] = self._kernel(row) if kernel else self._body(row)
        timing = self.timed[key]
        if self.target and timing.model.target != self.target:
            raise BadRow(
                f"this run is of {timing.model.target}, those before of {self.target}",
                "kernel",
                hint="--target chooses one for all",
            )
        self.target = timing.model.target
        if kernel:
            entry, grid = row.cells.get("entry", ""), row.cells.get("grid", "")
            shown = [kernel, row.cells.get("args", ""), f"--entry {entry}" if entry else ""]
            shown.append(f"--grid {grid}" if grid else "")
            title = " ".join(part for part in shown if part)
            return Point(timing, cycles, title, f"{kernel} {entry}".strip())
        family = " ".join(part for part in (body, row.cells.get("dtype", "")) if part)
        shape = f"{row.cells.get('rows') or 1}x{row.cells.get('vregs_per_row') or 1}"
        title = " ".join(part for part in (family, shape, row.cells.get("addressing")) if part)
        return Point(timing, cycles, title, family, scope=True)

    def _kernel(self, row: Row) -> Any:
        from ptoscope.cli.run import read_arguments
        from ptoscope.kernel import sound
        from ptoscope.machine.prints import Prints
        from ptoscope.timing import time_kernel

        text = row.cells["kernel"]
        try:
            texts = shlex.split(row.cells.get("args", ""))
        except ValueError as error:
            message = f"the arguments cannot be taken apart: {str(error).lower()}"
            raise BadRow(message, "args", "words as on a command line") from None
        grid = _whole(row, "grid", 1)
        try:
            word = kernel_word(str(self.beside / text))
        except UsageError as error:
            raise BadRow(str(error), "kernel", "a KERNEL beside the file of points") from None
        try:
            words = [read_word(self._placed(one)) for one in texts]
        except UsageError as error:
            raise BadRow(str(error), "args") from None
        try:
            target, revision = self.request.get("target"), self.request.get("revision")
            kernel = sound(prepared_for(word, target, revision, row.cells.get("entry") or None))
            passed = [
                a.seen if isinstance(a, ArrayFile) else a for a in read_arguments(kernel, words)
            ]
            # What it prints is no part of the answer.
            return time_kernel(kernel, passed, grid, prints=Prints(), **self.options)
        except UsageError as error:
            raise BadRow(str(error), "kernel") from None

    def _placed(self, text: str) -> str:
        """Files of arguments are beside the file of points, too."""
        is_file = os.path.splitext(text)[1].lower() in (".npy", ".bin")
        return str(self.beside / text) if is_file else text

    def _body(self, row: Row) -> Any:
        from ptoscope.kernel import load
        from ptoscope.timing import time_kernel
        from ptoscope.timing.bodies import NO_POST_UPDATE, BodyError, kernel_text

        rows, vregs = _whole(row, "rows", 1), _whole(row, "vregs_per_row", 1)
        if rows * vregs > _MOST_ITERATIONS:
            raise BadRow(
                f"{rows} rows of {vregs} registers are too many to be timed",
                "rows",
                f"{_MOST_ITERATIONS} registers at most",
            )
        body, dtype = row.cells["body"], row.cells.get("dtype") or "f32"
        addressing = row.cells.get("addressing") or NO_POST_UPDATE
        target = self.request.get("target") or "a5"
        try:
            text = kernel_text(body, rows, vregs, dtype, addressing, target)
            return time_kernel(load(text, target), [], **self.options)
        except (BodyError, UsageError) as error:
            raise BadRow(str(error), "body") from None
        except PtoError as error:
            # Its places are in a text that nobody wrote.
            said = error.diagnostics[0].message
            raise BadRow(f"the body makes no kernel that runs: {said}", "body") from None


def _cycles(row: Row) -> float:
    text = row.cells.get("cycles", "")
    try:
        cycles = float(text)
    except ValueError:
        cycles = math.nan
    if not 0 < cycles < 1e15:
        raise BadRow("the measured cycles are no number above 0", "cycles", "such as 1369")
    return cycles


def _whole(row: Row, column: str, otherwise: int) -> int:
    text = row.cells.get(column, "")
    if not text:
        return otherwise
    try:
        return count(column, text)
    except UsageError:
        raise BadRow(f"'{column}' is no whole number above 0", column) from None
