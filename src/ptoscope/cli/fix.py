"""`ptoscope check --fix` and `--diff`: suggested fixes applied, or shown."""

from __future__ import annotations

import codecs
import difflib
from pathlib import Path

from ptoscope.bounded_files import read_file
from ptoscope.check.apply import Fixed, fixed
from ptoscope.cli.conclude import concluded
from ptoscope.cli.examine import examine_text
from ptoscope.cli.files import STDIN, read_kernel
from ptoscope.cli.kernels import KernelWord, not_edited
from ptoscope.cli.options import Request, fails
from ptoscope.cli.output import Result
from ptoscope.cli.saving import write_file
from ptoscope.diagnostics import Diagnostic, PtoError, UsageError


def fix(words: list[KernelWord], request: Request) -> Result:
    """Fixes files as far as it goes, each written whole or not at all; with --diff nothing is
    written. What is still found afterwards is told."""
    writes = not request.has("diff")
    python = next((word for word in words if word.python is not None), None)
    if python is not None:
        raise not_edited(python, "--fix" if writes else "--diff")
    if writes and any(word.path == STDIN for word in words):
        raise UsageError("check cannot write to standard input; --diff shows the fixes")
    for word in words:
        if writes and not word.path.is_file():
            raise UsageError(f"check cannot write to {word.path}, a pipe; --diff shows the fixes")
    page: list[str] = []
    findings: list[Diagnostic] = []
    files: list[dict[str, object]] = []
    for word in words:
        name, path = word.name, word.path
        text, after = _fixed(path, request)
        diff = "".join(
            difflib.unified_diff(
                text.splitlines(keepends=True),
                after.text.splitlines(keepends=True),
                name,
                f"{name} (fixed)",
            )
        )
        if diff and writes:
            write_file(str(path), _encoded(after.text, bytes(read_file(path))))
        elif diff:
            page.append(diff)
        findings += after.left
        fixes = f"{after.applied} fix{'' if after.applied == 1 else 'es'}"
        page.append(f"{name}: {fixes} {'applied' if writes else 'to apply'}")
        right = not fails(after.left, request)
        files.append({"file": name, "ok": right, "fixes": after.applied, "diff": diff})
    return concluded([word.name for word in words], request, findings, files, tuple(page))


def _encoded(text: str, before: bytes) -> bytes:
    """The bytes of a text, with the byte order mark and the ends of lines that a file has."""
    if b"\r\n" in before:
        text = text.replace("\r\n", "\n").replace("\n", "\r\n")
    mark = codecs.BOM_UTF8 if before.startswith(codecs.BOM_UTF8) else b""
    return mark + text.encode()


def _fixed(path: Path, request: Request) -> tuple[str, Fixed]:
    try:
        file, text = read_kernel(path)
    except PtoError as error:
        return "", Fixed("", 0, list(error.diagnostics))
    target, revision = request.get("target"), request.get("revision")
    return text, fixed(text, lambda text: examine_text(text, file, target, revision)[1])
