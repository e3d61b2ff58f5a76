"""`ptoscope fmt`: the canonical text."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ptoscope.cli.commands import LEVELS
from ptoscope.cli.files import STDIN, read_kernel
from ptoscope.cli.kernels import kernel_word, not_edited, prepared
from ptoscope.cli.listing import TEXT
from ptoscope.cli.many import FileReport, Tally, over_files
from ptoscope.cli.options import Request
from ptoscope.cli.output import Result
from ptoscope.cli.saving import write_file
from ptoscope.diagnostics import UsageError, one_line

if TYPE_CHECKING:
    from ptoscope.cli.kernels import KernelWord
    from ptoscope.ir.module import Module
    from ptoscope.program import Block, Op


class _Formatted(NamedTuple):
    """The canonical text of a file, and whether the file has another."""

    file: str
    text: str
    changed: bool


def answer(request: Request) -> Result:
    """Prints one file; compares or rewrites many."""
    checks, rewrites = request.has("check"), request.has("in-place")
    if checks and rewrites:
        raise UsageError("fmt takes --check or -i, not both")
    if request.has("form") and request.has("generic"):
        raise UsageError("fmt takes --form or --generic, not both")
    if checks or rewrites:
        return _each(request)
    text, *others = request.args
    if others:
        raise UsageError(f"fmt prints one kernel, not also '{others[0]}'; --check takes many")
    word = kernel_word(text)
    if word.python is not None:
        return _print_python(word, request)
    made = _formatted(word, request)
    return Result("fmt", (made.text,), made._asdict())


def _each(request: Request) -> Result:
    """Compares or rewrites files. Of many, those are told that change."""
    checks = request.has("check")
    change, same = ("would change", "ok") if checks else ("rewritten", "unchanged")
    changed: list[str] = []

    def look(word: KernelWord) -> FileReport:
        if word.python is not None:
            raise not_edited(word, "--check" if checks else "-i")
        if word.path == STDIN and not checks:
            raise UsageError("fmt -i needs a file, not standard input")
        if not checks and not word.path.is_file():
            raise UsageError(f"fmt -i needs a file, and {word.path} is a pipe")
        made = _formatted(word, request)
        if not made.changed:
            return FileReport(made._asdict())
        if not checks:
            write_file(str(word.path), made.text.encode())
        changed.append(made.file)
        return FileReport(
            made._asdict(), page=(f"{one_line(made.file)}: {change}",), is_wrong=checks
        )

    def conclude(tally: Tally) -> tuple[str, ...]:
        if len(tally.names) == 1 and not tally.is_interrupted:
            return () if changed else (f"{tally.what}: {same}",)
        failed = sum(not f["ok"] for f in tally.files) - (len(changed) if checks else 0)
        told = [f"{len(changed)} {change}"]
        told += [f"{failed} could not be formatted"] if failed else []
        return (f"{tally.what}: {', '.join(told)}",)

    return over_files(request, (TEXT,), look, conclude, is_flat=True)


def _formatted(word: KernelWord, request: Request) -> _Formatted:
    from ptoscope import ir

    file, source = read_kernel(word.path)
    module = ir.parse(source, file)
    if request.has("explicit"):
        _make_scopes_explicit(module)
    generic, form = request.has("generic"), request.get("form")
    # What stays in a file stays in its form.
    stays = not generic and (request.has("check") or request.has("in-place"))
    level = None if stays else "ssa"
    level = ir.LEVELS[LEVELS.index(form)] if form else level
    text = ir.print_module(module, generic=generic, level=level)
    return _Formatted(file, text, text != source)


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
