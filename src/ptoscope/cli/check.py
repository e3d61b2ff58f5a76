"""`ptoscope check`: parse and verify, explain a code, compare targets."""

from __future__ import annotations

from pathlib import Path

from ptoscope.cli.commands import TARGETS
from ptoscope.cli.conclude import concluded, count
from ptoscope.cli.examine import compare, examine
from ptoscope.cli.files import kernel_name, readable
from ptoscope.cli.options import Request, fails
from ptoscope.cli.output import Result
from ptoscope.diagnostics import Diagnostic, UsageError
from ptoscope.tables import Table


def answer(request: Request) -> Result:
    """Checks every file; all findings of all files."""
    code = request.get("explain")
    if code is not None:
        from ptoscope.cli.explain import explain

        if request.args:
            raise UsageError("check takes --explain or kernels, not both")
        return explain(code)
    if not request.args:
        raise UsageError("check needs KERNEL...; see `ptoscope check --help`")
    paths = [readable(path) for path in request.args]
    if request.has("all-targets"):
        if request.has("fix") or request.has("diff"):
            raise UsageError("check takes --all-targets or fixes, not both")
        return _compare(paths, request)
    if request.has("fix") or request.has("diff"):
        from ptoscope.cli.fix import fix

        return fix(paths, request)
    findings: list[Diagnostic] = []
    files: list[dict[str, object]] = []
    for path in paths:
        examined, found = examine(path, request)
        findings += found
        errors, warnings, notes = count(found)
        record: dict[str, object] = {"file": kernel_name(path), "ok": not fails(found, request)}
        if examined is not None:
            record["target"] = examined.target.name
            record["functions"] = [f.name for f in examined.program.functions]
        files.append({**record, "errors": errors, "warnings": warnings, "notes": notes})
    return concluded(paths, request, findings, files)


def _compare(paths: list[Path], request: Request) -> Result:
    """The portability table: the lines that keep the kernels from a target."""
    from ptoscope.check.portability import obstacles

    if request.get("target"):
        raise UsageError("check takes --target or --all-targets, not both")
    rows: list[tuple[str, ...]] = []
    page: list[str | Table] = []
    files: list[dict[str, object]] = []
    for path in paths:
        found = obstacles(compare(path, request, TARGETS), request.has("strict"))
        rows += [
            (f"{o.file}:{o.line}", o.message, *(o.codes(t) or "-" for t in TARGETS)) for o in found
        ]
        legal = [t for t in TARGETS if not any(o.errors[t] for o in found)]
        page.append(f"{kernel_name(path)}: legal on {', '.join(legal) or 'no target'}")
        lines = [
            {
                "line": o.line,
                "source": o.source,
                "errors": {t: [d.as_json() for d in o.errors[t]] for t in TARGETS},
            }
            for o in found
        ]
        files.append({"file": kernel_name(path), "legal": legal, "lines": lines})
    if rows:
        page.insert(0, Table(("line", "what keeps it away", *TARGETS), rows))
    fields = {"targets": list(TARGETS), "files": files}
    return Result("check", page, fields, exit=1 if rows else 0)
