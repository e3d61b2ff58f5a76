"""What a command says: a result, as text for people or as one JSON object."""

from __future__ import annotations

import contextlib
import json
import math
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TextIO

from ptoscope.cli.terminal import for_own_codes, spelled
from ptoscope.diagnostics import Diagnostic, UsageError, visible
from ptoscope.tables import Table

SCHEMA = 2
USAGE = "PTO0000"
MEMORY = "PTO0807"
INTERRUPTED = 130
"""The exit status of a command that was interrupted."""


@dataclass(frozen=True)
class Result:
    """The answer of a command: `page` for people, `fields` for JSON, findings for both. A page
    may be made while it is written."""

    command: str
    page: Iterable[str | Table] = ()
    fields: Mapping[str, object] = field(default_factory=dict)
    diagnostics: Sequence[Diagnostic] = ()
    exit: int = 0


def emit(result: Result, as_json: bool) -> int:
    """Writes a result and returns its exit status. A reader that went away changes nothing
    about it; output that cannot be written is wrong usage."""
    try:
        if as_json:
            _write(sys.stdout, json_text(result))
        else:
            _write_all(result.page, result.diagnostics)
    except BrokenPipeError:
        quiet_stdout()
    except OSError as error:
        quiet_stdout()
        with contextlib.suppress(OSError):
            _write(sys.stderr, f"ptoscope: cannot write the output: {error.strerror}\n")
        return 2
    return result.exit


def tell(page: Iterable[str | Table], findings: Sequence[Diagnostic]) -> None:
    """Writes a part of what a command says, before its result is known. UsageError where it
    cannot be written; a reader that went away is a BrokenPipeError."""
    try:
        _write_all(page, findings)
    except BrokenPipeError:
        raise
    except OSError as error:
        quiet_stdout()
        raise UsageError(f"cannot write the output: {error.strerror}") from None


def _write_all(page: Iterable[str | Table], findings: Sequence[Diagnostic]) -> None:
    for part in page:
        _write_part(sys.stdout, part)
    _write(sys.stderr, "".join(_painted(d, sys.stderr) for d in findings), own_codes=True)


def json_text(result: Result) -> str:
    """The JSON object of a result. JSON has no infinities and no NaN: they are the strings
    "inf", "-inf" and "nan"."""
    record = {
        "version": SCHEMA,
        "command": result.command,
        "ok": result.exit == 0,
        "diagnostics": [d.as_json() for d in result.diagnostics],
        **result.fields,
    }
    return json.dumps(_strict(record), indent=2, allow_nan=False) + "\n"


def _write_part(stream: TextIO | None, part: str | Table) -> None:
    """Writes a part of a page, with colours and fitted columns if the stream is a terminal."""
    text = part if isinstance(part, str) else _table_text(part, stream)
    own_codes = isinstance(part, Table)
    _write(stream, text if text.endswith("\n") else f"{text}\n", own_codes=own_codes)


def quiet_stdout() -> None:
    """Sends what is still buffered to nowhere, so that the interpreter ends quietly."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write(stream: TextIO | None, text: str, own_codes: bool = False) -> None:
    if stream is None or not text:
        return
    if own_codes:
        stream = for_own_codes(stream)
    stream.write(spelled(text, stream))
    stream.flush()


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def _is_coloured(stream: TextIO | None) -> bool:
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return _is_terminal(stream) and not plain


def _table_text(table: Table, stream: TextIO | None) -> str:
    if not _is_terminal(stream):
        # For a file or a pipe, without a library that takes time to load.
        return str(table)
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable

    coloured = _is_coloured(stream)
    console = Console(
        file=None,
        force_terminal=coloured,
        color_system="standard" if coloured else None,
        markup=False,
        highlight=False,
        emoji=False,
    )
    shown = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    for column in table.columns:
        shown.add_column(visible(column), overflow="fold")
    for row in table.rows:
        shown.add_row(*map(visible, row))
    with console.capture() as capture:
        console.print(shown)
    return "\n".join(line.rstrip() for line in capture.get().split("\n"))


def _painted(diagnostic: Diagnostic, stream: TextIO | None) -> str:
    text = f"{diagnostic}\n"
    if not _is_coloured(stream):
        return text
    colour = {"warning": "33", "note": "36"}.get(diagnostic.severity, "31")
    label = f"{diagnostic.severity}[{diagnostic.code}]"
    return text.replace(label, f"\033[1;{colour}m{label}\033[0m", 1)


def _strict(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {str(k): _strict(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_strict(v) for v in value]
    return value
