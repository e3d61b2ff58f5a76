"""`ptoscope fmt`: the canonical text."""

from __future__ import annotations

from ptoscope.cli.commands import LEVELS
from ptoscope.cli.files import readable, replace_text
from ptoscope.cli.options import Request
from ptoscope.cli.output import Result
from ptoscope.diagnostics import UsageError


def answer(request: Request) -> Result:
    """Prints, compares or rewrites one file."""
    checks, rewrites = request.has("check"), request.has("in-place")
    if checks and rewrites:
        raise UsageError("fmt takes --check or -i, not both")
    form = request.get("form")
    if form and request.has("generic"):
        raise UsageError("fmt takes --form or --generic, not both")
    path = readable(request.args[0])
    from ptoscope import ir
    from ptoscope.sources import read

    file, source = read(path)
    module = ir.parse(source, file)
    level: ir.Level = ir.LEVELS[LEVELS.index(form)] if form else "ssa"
    text = ir.print_module(module, generic=request.has("generic"), level=level)
    changed = text != source
    fields = {"file": file, "text": text, "changed": changed}
    if checks:
        page = (f"{file}: {'would change' if changed else 'ok'}",)
        return Result("fmt", page, fields, exit=1 if changed else 0)
    if rewrites:
        if changed:
            replace_text(path, text)
        return Result("fmt", (f"{file}: {'rewritten' if changed else 'unchanged'}",), fields)
    return Result("fmt", (text,), fields)
