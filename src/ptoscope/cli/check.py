"""`ptoscope check`: parse and verify, explain a code, compare targets."""

from __future__ import annotations

from dataclasses import replace

from ptoscope.cli.commands import TARGETS
from ptoscope.cli.examine import compare, examine
from ptoscope.cli.kernels import KernelWord
from ptoscope.cli.listing import PYTHON, TEXT
from ptoscope.cli.many import FileReport, Tally, counts, over_files
from ptoscope.cli.options import Request
from ptoscope.cli.output import Result
from ptoscope.diagnostics import UsageError, one_line
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
    if request.has("all-targets"):
        if request.has("fix") or request.has("diff"):
            raise UsageError("check takes --all-targets or fixes, not both")
        return _compare(request)
    if request.has("fix") or request.has("diff"):
        from ptoscope.cli.fix import fix

        return fix(request)
    return over_files(request, (TEXT, PYTHON), lambda word: _check(word, request))


def _check(word: KernelWord, request: Request) -> FileReport:
    examined, found = examine(word, request)
    fields: dict[str, object] = {}
    if examined is not None:
        fields["target"] = examined.target.name
        fields["functions"] = [f.name for f in examined.functions]
    return FileReport({**fields, **counts(found)}, found)


def _compare(request: Request) -> Result:
    """The portability table: the lines that keep the kernels from a target."""
    from ptoscope.check.portability import obstacles

    if request.get("target"):
        raise UsageError("check takes --target or --all-targets, not both")
    rows: list[tuple[str, ...]] = []
    page: list[str | Table] = []

    def look(word: KernelWord) -> FileReport:
        found = obstacles(compare(word, request, TARGETS), request.has("strict"))
        rows.extend(
            (f"{one_line(o.file)}:{o.line}", o.message, *(o.codes(t) or "-" for t in TARGETS))
            for o in found
        )
        legal = [t for t in TARGETS if not any(o.errors[t] for o in found)]
        page.append(f"{one_line(word.name)}: legal on {', '.join(legal) or 'no target'}")
        lines = [
            {
                "line": o.line,
                "source": o.source,
                "errors": {t: [d.as_json() for d in o.errors[t]] for t in TARGETS},
            }
            for o in found
        ]
        return FileReport({"legal": legal, "lines": lines}, is_wrong=bool(found))

    def conclude(tally: Tally) -> list[str | Table]:
        table = [Table(("line", "what keeps it away", *TARGETS), rows)] if rows else []
        return [*table, *page, *([str(tally)] if tally.is_interrupted else [])]

    result = over_files(request, (TEXT, PYTHON), look, conclude)
    return replace(result, fields={"targets": list(TARGETS), **result.fields})
