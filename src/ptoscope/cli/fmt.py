"""`ptoscope fmt`: the canonical text."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ptoscope.cli.commands import LEVELS
from ptoscope.cli.files import STDIN, read_kernel
from ptoscope.cli.kernels import kernel_word, not_edited, prepared
from ptoscope.cli.options import Request
from ptoscope.cli.output import Result
from ptoscope.cli.saving import write_file
from ptoscope.diagnostics import UsageError

if TYPE_CHECKING:
    from ptoscope.cli.kernels import KernelWord
    from ptoscope.ir.module import Module
    from ptoscope.program import Block, Op


def answer(request: Request) -> Result:
    """Prints, compares or rewrites one file."""
    checks, rewrites = request.has("check"), request.has("in-place")
    if checks and rewrites:
        raise UsageError("fmt takes --check or -i, not both")
    form = request.get("form")
    if form and request.has("generic"):
        raise UsageError("fmt takes --form or --generic, not both")
    word = kernel_word(request.args[0])
    path = word.path
    if word.python is not None:
        if checks or rewrites:
            raise not_edited(word, "--check" if checks else "-i")
        return _print_python(word, request)
    if rewrites and path == STDIN:
        raise UsageError("fmt -i needs a file, not standard input")
    if rewrites and not path.is_file():
        raise UsageError(f"fmt -i needs a file, and {path} is a pipe")
    from ptoscope import ir

    file, source = read_kernel(path)
    module = ir.parse(source, file)
    if request.has("explicit"):
        _make_scopes_explicit(module)
    # What stays in a file stays in its form.
    as_written = (checks or rewrites) and not request.has("generic")
    level = None if as_written else "ssa"
    level = ir.LEVELS[LEVELS.index(form)] if form else level
    text = ir.print_module(module, generic=request.has("generic"), level=level)
    changed = text != source
    fields = {"file": file, "text": text, "changed": changed}
    if checks:
        page = (f"{file}: {'would change' if changed else 'ok'}",)
        return Result("fmt", page, fields, exit=1 if changed else 0)
    if rewrites:
        if changed:
            write_file(str(path), text.encode())
        return Result("fmt", (f"{file}: {'rewritten' if changed else 'unchanged'}",), fields)
    return Result("fmt", (text,), fields)


def _print_python(word: KernelWord, request: Request) -> Result:
    """What a kernel in Python is compiled to; each operation says which line it comes from."""
    from ptoscope import ir

    kernel, form = prepared(word, request), request.get("form")
    level = ir.LEVELS[LEVELS.index(form)] if form else "ssa"
    module = ir.Module(kernel.program)
    text = ir.print_module(module, request.has("generic"), level, locations=True)
    fields = {"file": str(word.path), "entry": kernel.name, "text": text}
    return Result("fmt", (text,), fields, kernel.findings)


def _make_scopes_explicit(module: Module) -> None:
    """Puts into the functions of a module the vecscopes that its text leaves out."""
    from ptoscope.expansion import called_in_scopes, with_scopes

    def remade(op: Op, blocks: tuple[Block, ...]) -> Op:
        made = replace(op, blocks=blocks)
        note = module.notes.get(op)
        if note is not None:
            module.notes[made] = note
        return made

    inside = called_in_scopes(module.program.functions)
    for function in module.program.functions:
        if function.name not in inside:
            function.body = with_scopes(function, remade).body
