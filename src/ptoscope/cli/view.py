"""`ptoscope view`: a page that shows a run."""

from __future__ import annotations

from typing import Any

from ptoscope.cli.expect import expectations, golden
from ptoscope.cli.files import STDIN, read_word
from ptoscope.cli.kernels import kernel_word, names_kernel
from ptoscope.cli.options import Request
from ptoscope.cli.output import Result
from ptoscope.cli.recorded import record
from ptoscope.cli.saving import check_file, write_file
from ptoscope.diagnostics import Diagnostic, PtoError, one_line
from ptoscope.tables import counted


def answer(request: Request) -> Result:
    """Runs a kernel, or two on the same arguments, and writes their page."""
    first, *rest = request.args
    paths = [first, rest.pop(0)] if rest and names_kernel(rest[0]) else [first]
    asked = request.get("output")
    if asked:
        check_file(asked)
    wanted = expectations(request)
    kernels, words = [kernel_word(path) for path in paths], [read_word(text) for text in rest]
    name = "kernel" if kernels[0].path == STDIN else kernels[0].title
    output = asked or f"{name or 'kernel'}.html"
    check_file(output)
    from ptoscope.view.page import page
    from ptoscope.view.run import view_run

    findings: list[Diagnostic] = []
    runs: list[dict[str, Any]] = []
    try:
        for given in kernels:
            kernel, found, _, run = record(given, words, request)
            findings += found
            if run is None:
                return Result("view", diagnostics=findings, exit=1)
            expect, model = golden(kernel, wanted), request.get("model")
            tolerances = wanted.rtol, wanted.atol
            runs.append(view_run(kernel, run, found, model, given.title, expect, *tolerances))
    except PtoError as error:
        return Result("view", diagnostics=[*findings, *error.diagnostics], exit=1)
    text = page(runs).encode()
    write_file(output, text)
    seen = sum(len(data["findings"]) for data in runs)
    said = [f"page in {one_line(output)}: {len(text) / 1e6:.1f} MB, {counted(seen, 'finding')}"]
    for data in runs:
        left = counted(data["run"]["left_out"], "execution")
        if data["run"]["left_out"]:
            said.append(f"values of the last {left} of @{data['kernel']} are left out")
    fields = {
        "output": output,
        "bytes": len(text),
        "findings": seen,
        "kernels": [data["kernel"] for data in runs],
    }
    return Result("view", said, fields, findings)
