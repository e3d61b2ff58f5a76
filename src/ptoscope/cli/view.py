"""`ptoscope view`: a page that shows a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ptoscope.cli.expect import expectations, golden
from ptoscope.cli.files import ArrayFile, read_word, readable
from ptoscope.cli.options import Request, count
from ptoscope.cli.output import Result
from ptoscope.cli.run import prepared, read_arguments
from ptoscope.cli.saving import check_file, write_file
from ptoscope.diagnostics import Diagnostic, PtoError
from ptoscope.tables import counted


def answer(request: Request) -> Result:
    """Runs a kernel, or two on the same arguments, and writes their page."""
    first, *rest = request.args
    paths = [first, rest.pop(0)] if rest and rest[0].endswith(".pto") else [first]
    grid = count("grid", request.get("grid") or "1")
    limit = request.get("max-steps")
    name = "kernel" if first == "-" else Path(first).stem
    output = request.get("output") or f"{name or 'kernel'}.html"
    check_file(output)
    wanted = expectations(request)
    kernels, words = [readable(path) for path in paths], [read_word(text) for text in rest]
    from ptoscope.kernel import stops
    from ptoscope.view.page import page
    from ptoscope.view.run import view_run

    findings: list[Diagnostic] = []
    runs: list[dict[str, Any]] = []
    try:
        for path in kernels:
            kernel = prepared(path, request)
            findings += kernel.findings
            if any(stops(d, request.has("force")) for d in kernel.findings):
                return Result("view", diagnostics=findings, exit=1)
            passed = [
                a.seen if isinstance(a, ArrayFile) else a for a in read_arguments(kernel, words)
            ]
            steps = count("max-steps", limit) if limit else None
            runs.append(
                view_run(
                    kernel,
                    kernel.revision,
                    kernel.findings,
                    passed,
                    grid,
                    steps,
                    request.get("model"),
                    path.stem,
                    golden(kernel, wanted),
                    wanted.rtol,
                    wanted.atol,
                )
            )
    except PtoError as error:
        return Result("view", diagnostics=[*findings, *error.diagnostics], exit=1)
    text = page(runs).encode()
    write_file(output, text)
    seen = sum(len(run["findings"]) for run in runs)
    said = [f"page in {output}: {len(text) / 1e6:.1f} MB, {counted(seen, 'finding')}"]
    for run in runs:
        left = run["run"]["left_out"]
        if left:
            said.append(
                f"values of the last {counted(left, 'execution')} of @{run['kernel']} are left out"
            )
    fields = {
        "output": output,
        "bytes": len(text),
        "findings": seen,
        "kernels": [r["kernel"] for r in runs],
    }
    return Result("view", said, fields, findings)
