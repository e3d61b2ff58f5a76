"""A file as `check` sees it: the kernel, and what is wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ptoscope.cli.options import Request
from ptoscope.diagnostics import Diagnostic, PtoError

if TYPE_CHECKING:
    from ptoscope.kernel import Kernel


def examine(
    path: Path, request: Request, target: str | None = None
) -> tuple[Kernel | None, list[Diagnostic]]:
    """The kernel and its findings; no kernel where the file cannot be read as one. The
    target is the one given, else the request's, else the module's."""
    from ptoscope.kernel import read

    try:
        file, text = read(path)
    except PtoError as error:
        return None, list(error.diagnostics)
    revision = request.get("revision") or "manual"
    return examine_text(text, file, target or request.get("target"), revision)


def examine_text(
    text: str, file: str, target: str | None, revision: str
) -> tuple[Kernel | None, list[Diagnostic]]:
    """The same for a text; `file` is what it is called."""
    from ptoscope.kernel import Kernel, choose_revision, choose_target, parse

    try:
        program = parse(text, file, target, revision)
        chosen = choose_target(program, target)
    except PtoError as error:
        return None, list(error.diagnostics)
    kernel = Kernel(program, chosen, choose_revision(revision))
    return kernel, kernel.findings
