"""`ptoscope check`: parse and verify."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ptoscope.cli.files import readable
from ptoscope.cli.options import Request
from ptoscope.cli.output import Result, counted
from ptoscope.diagnostics import Diagnostic, PtoError

if TYPE_CHECKING:
    from ptoscope.kernel import Kernel


def answer(request: Request) -> Result:
    """Checks every file; all findings of all files."""
    paths = [readable(path) for path in request.args]
    findings: list[Diagnostic] = []
    files: list[dict[str, object]] = []
    for path in paths:
        examined, found = examine(path, request)
        findings += found
        errors = count_errors(found)
        record: dict[str, object] = {"file": str(path), "ok": errors == 0}
        if examined is not None:
            record["target"] = examined.target.name
            record["functions"] = [f.name for f in examined.program.functions]
        files.append({**record, "errors": errors, "warnings": len(found) - errors})
    errors = count_errors(findings)
    what = str(paths[0]) if len(paths) == 1 else counted(len(paths), "file")
    summary = (
        f"{what}: {'ok' if not errors else 'wrong'}, {counted(errors, 'error')}, "
        f"{counted(len(findings) - errors, 'warning')}"
    )
    return Result("check", (summary,), {"files": files}, findings, exit=1 if errors else 0)


def examine(path: Path, request: Request) -> tuple[Kernel | None, list[Diagnostic]]:
    """The kernel and its findings; no kernel where the file cannot be read as one."""
    from ptoscope.kernel import Kernel, choose_revision, choose_target, parse, read

    revision = choose_revision(request.get("revision") or "manual")
    try:
        file, text = read(path)
        program = parse(text, file, request.get("target"), revision)
        kernel = Kernel(program, choose_target(program, request.get("target")), revision)
    except PtoError as error:
        return None, list(error.diagnostics)
    return kernel, kernel.findings


def count_errors(findings: list[Diagnostic]) -> int:
    """How many findings are errors."""
    return sum(d.severity == "error" for d in findings)
