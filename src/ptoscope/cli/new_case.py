"""`ptoscope new-case`: a case directory for a kernel, to be filled in."""

from __future__ import annotations

import os
from pathlib import Path

from ptoscope.cli.kernels import kernel_word, prepared
from ptoscope.cli.options import Request, count
from ptoscope.cli.output import Result
from ptoscope.diagnostics import UsageError


def answer(request: Request) -> Result:
    """Writes the directory and says what to do next."""
    name, kernel_path = request.args
    grid = count("grid", request.get("grid") or "1")
    directory = Path(name)
    if not directory.name or directory.name.startswith("."):
        raise UsageError(f"'{name}' is no name for a case; it needs letters or digits")
    if os.path.lexists(directory):
        raise UsageError(f"{directory} exists already; choose another name or remove it")
    word = kernel_word(kernel_path)
    from ptoscope.cases.skeleton.write import write_case
    from ptoscope.ir.module import Module
    from ptoscope.ir.printing import print_module
    from ptoscope.sources import choose_entry, parse, read

    if word.python is not None:
        kernel = prepared(word, request)
        function, text = kernel.function, print_module(Module(kernel.program), locations=True)
    else:
        file, text = read(word.path)
        function = choose_entry(parse(text, file), request.get("entry"))
    files = write_case(directory, text, function, grid)
    page = (
        f"{directory}: {', '.join(files)} for @{function.name}",
        f"next: say in {directory / 'golden.py'} what the kernel computes, then "
        f"`ptoscope cases {directory}`",
    )
    fields = {"directory": str(directory), "entry": function.name, "files": files}
    return Result("new-case", page, fields)
