"""`ptoscope check --fix` and `--diff`: suggested fixes applied, or shown."""

from __future__ import annotations

import codecs
import difflib
from functools import cache
from pathlib import Path

from ptoscope.bounded_files import read_file
from ptoscope.check.apply import Fixed, fixed
from ptoscope.cli.examine import examine_text
from ptoscope.cli.files import STDIN, read_kernel
from ptoscope.cli.kernels import KernelWord, not_edited
from ptoscope.cli.listing import TEXT
from ptoscope.cli.many import FileReport, count, over_files
from ptoscope.cli.options import Request
from ptoscope.cli.output import Result
from ptoscope.cli.saving import write_file
from ptoscope.diagnostics import Diagnostic, PtoError, UsageError, one_line
from ptoscope.tables import counted


def fix(request: Request) -> Result:
    """Fixes files as far as it goes, each written whole or not at all; what is still found
    afterwards is told. With --diff nothing is written, and the findings are those of the files
    as they are."""
    return over_files(request, (TEXT,), lambda word: _fix(word, request))


def _fix(word: KernelWord, request: Request) -> FileReport:
    name, path, writes = word.name, word.path, not request.has("diff")
    if word.python is not None:
        raise not_edited(word, "--fix" if writes else "--diff")
    if writes and path == STDIN:
        raise UsageError("check cannot write to standard input; --diff shows the fixes")
    if writes and not path.is_file():
        raise UsageError(f"check cannot write to {path}, a pipe; --diff shows the fixes")
    text, before, after = _fixed(path, request)
    diff = _diff(text, after.text, name)
    if diff and writes:
        write_file(str(path), _encoded(after.text, bytes(read_file(path))))
    fixes = counted(after.applied, "fix", "fixes")
    line = f"{one_line(name)}: {fixes} {'applied' if writes else 'to apply'}"
    errors = count(after.left)[0]
    if errors and not writes:
        line += f", which leave {counted(errors, 'error')}"
    return FileReport(
        {"fixes": after.applied, "diff": diff, "left": errors},
        after.left if writes else before,
        (line,) if writes or not diff else (diff, line),
    )


def _diff(before: str, after: str, name: str) -> str:
    """Returns what changed, as `patch` reads it: lines end at line feeds alone."""
    old, new = _lines(before), _lines(after)
    return "".join(difflib.unified_diff(old, new, one_line(name), f"{one_line(name)} (fixed)"))


def _lines(text: str) -> list[str]:
    *lines, last = text.split("\n")
    unended = [f"{last}\n\\ No newline at end of file\n"] if last else []
    return [*(f"{line}\n" for line in lines), *unended]


def _encoded(text: str, before: bytes) -> bytes:
    """The bytes of a text, with the byte order mark and the ends of lines that a file has."""
    if b"\r\n" in before:
        text = text.replace("\r\n", "\n").replace("\n", "\r\n")
    mark = codecs.BOM_UTF8 if before.startswith(codecs.BOM_UTF8) else b""
    return mark + text.encode()


def _fixed(path: Path, request: Request) -> tuple[str, list[Diagnostic], Fixed]:
    """Returns the text of a file, its findings, and the text after fixes."""
    try:
        file, text = read_kernel(path)
    except PtoError as error:
        found = list(error.diagnostics)
        return "", found, Fixed("", 0, found)
    target, revision = request.get("target"), request.get("revision")
    examine = cache(lambda text: examine_text(text, file, target, revision)[1])
    return text, examine(text), fixed(text, examine)
