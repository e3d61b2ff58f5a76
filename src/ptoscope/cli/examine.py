"""A kernel as `check` sees it: the program, its target, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ptoscope.check.revisions import ambiguous, check_as
from ptoscope.cli.files import read_kernel
from ptoscope.cli.kernels import KernelWord
from ptoscope.cli.options import Request
from ptoscope.diagnostics import Diagnostic, PtoError
from ptoscope.isa.targets import DEFAULT_REVISION, Target
from ptoscope.lang.references import Reference
from ptoscope.program import Function
from ptoscope.sources import asked_revision, choose_target, parse


class Examined(NamedTuple):
    """What could be read of a file, and the target it was checked for."""

    functions: list[Function]
    target: Target


def examine(word: KernelWord, request: Request) -> tuple[Examined | None, list[Diagnostic]]:
    """The functions of a word and their findings; None where it cannot be read. The target is
    the request's, else the kernel's. Of a file of Python without a name all kernels are meant."""
    target, revision = request.get("target"), request.get("revision")
    if word.python is not None:
        return _examine_python(word.python, target, revision)
    try:
        file, text = read_kernel(word.path)
    except PtoError as error:
        return None, list(error.diagnostics)
    return examine_text(text, file, target, revision)


def compare(
    word: KernelWord, request: Request, targets: Iterable[str]
) -> dict[str, list[Diagnostic]]:
    """What is wrong with a kernel on each of several targets; its file is read once."""
    revision, python = request.get("revision"), word.python
    if python is not None:
        return {target: _examine_python(python, target, revision)[1] for target in targets}
    try:
        file, text = read_kernel(word.path)
    except PtoError as error:
        return {target: list(error.diagnostics) for target in targets}
    return {target: examine_text(text, file, target, revision)[1] for target in targets}


def examine_text(
    text: str, file: str, target: str | None, revision: str | None
) -> tuple[Examined | None, list[Diagnostic]]:
    """The same for a text; `file` is what it is called."""
    try:
        program = parse(text, file, target, revision)
        chosen, meant = choose_target(program, target), asked_revision(program, revision)
    except PtoError as error:
        return None, list(error.diagnostics)
    read_in, found = check_as(program, chosen, meant)
    found += ambiguous(program, chosen) if meant is None and read_in == DEFAULT_REVISION else []
    return Examined(program.functions, chosen), sorted(found, key=lambda d: (d.span, d.code))


def _examine_python(
    reference: Reference, target: str | None, revision: str | None
) -> tuple[Examined | None, list[Diagnostic]]:
    from ptoscope.lang.files import find_kernel, import_file, kernels, settings

    functions: list[Function] = []
    found: list[Diagnostic] = []
    chosen: Target | None = None
    try:
        own = kernels(import_file(reference.file))
        named = [find_kernel(reference)] if reference.name or not own else list(own.values())
    except PtoError as error:
        return None, list(error.diagnostics)
    for kernel in named:
        try:
            made = kernel.specialised(target, settings(kernel, reference), revision).kernel
        except PtoError as error:
            found += error.diagnostics
            continue
        functions.append(made.function)
        found += made.findings
        chosen = made.target
    return None if chosen is None else Examined(functions, chosen), found
