"""`ptoscope check`: parse and verify, explain a code, compare targets."""

from __future__ import annotations

from ptoscope.cli.commands import TARGETS
from ptoscope.cli.conclude import concluded, count
from ptoscope.cli.examine import compare, examine
from ptoscope.cli.kernels import KernelWord, kernel_word
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
    words = [kernel_word(text) for text in request.args]
    if request.has("all-targets"):
        if request.has("fix") or request.has("diff"):
            raise UsageError("check takes --all-targets or fixes, not both")
        return _compare(words, request)
    if request.has("fix") or request.has("diff"):
        from ptoscope.cli.fix import fix

        return fix(words, request)
    findings: list[Diagnostic] = []
    files: list[dict[str, object]] = []
    for word in words:
        examined, found = examine(word, request)
        findings += found
        errors, warnings, notes = count(found)
        record: dict[str, object] = {"file": word.name, "ok": not fails(found, request)}
        if examined is not None:
            record["target"] = examined.target.name
            record["functions"] = [f.name for f in examined.functions]
        files.append({**record, "errors": errors, "warnings": warnings, "notes": notes})
    return concluded([word.name for word in words], request, findings, files)


def _compare(words: list[KernelWord], request: Request) -> Result:
    """The portability table: the lines that keep the kernels from a target."""
    from ptoscope.check.portability import obstacles

    if request.get("target"):
        raise UsageError("check takes --target or --all-targets, not both")
    rows: list[tuple[str, ...]] = []
    page: list[str | Table] = []
    files: list[dict[str, object]] = []
    for word in words:
        found = obstacles(compare(word, request, TARGETS), request.has("strict"))
        rows += [
            (f"{o.file}:{o.line}", o.message, *(o.codes(t) or "-" for t in TARGETS)) for o in found
        ]
        legal = [t for t in TARGETS if not any(o.errors[t] for o in found)]
        page.append(f"{word.name}: legal on {', '.join(legal) or 'no target'}")
        lines = [
            {
                "line": o.line,
                "source": o.source,
                "errors": {t: [d.as_json() for d in o.errors[t]] for t in TARGETS},
            }
            for o in found
        ]
        files.append({"file": word.name, "legal": legal, "lines": lines})
    if rows:
        page.insert(0, Table(("line", "what keeps it away", *TARGETS), rows))
    fields = {"targets": list(TARGETS), "files": files}
    return Result("check", page, fields, exit=1 if rows else 0)
