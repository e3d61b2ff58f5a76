"""A file as `check` sees it: the program, its target, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from ptoscope.check import check
from ptoscope.check.revisions import ambiguous
from ptoscope.cli.files import read_kernel
from ptoscope.cli.options import Request
from ptoscope.diagnostics import Diagnostic, PtoError
from ptoscope.isa.targets import Target
from ptoscope.program import Program
from ptoscope.sources import choose_revision, choose_target, parse


class Examined(NamedTuple):
    """A file that could be read, and the target it was checked for."""

    program: Program
    target: Target


def examine(path: Path, request: Request) -> tuple[Examined | None, list[Diagnostic]]:
    """The program and its findings; no program where the file cannot be read as one. The
    target is the request's, else the module's."""
    try:
        file, text = read_kernel(path)
    except PtoError as error:
        return None, list(error.diagnostics)
    return examine_text(text, file, request.get("target"), request.get("revision"))


def compare(path: Path, request: Request, targets: Iterable[str]) -> dict[str, list[Diagnostic]]:
    """What is wrong with a file on each of several targets; it is read once."""
    try:
        file, text = read_kernel(path)
    except PtoError as error:
        return {target: list(error.diagnostics) for target in targets}
    revision = request.get("revision")
    return {target: examine_text(text, file, target, revision)[1] for target in targets}


def examine_text(
    text: str, file: str, target: str | None, revision: str | None
) -> tuple[Examined | None, list[Diagnostic]]:
    """The same for a text; `file` is what it is called."""
    try:
        program = parse(text, file, target, revision)
        chosen, meant = choose_target(program, target), choose_revision(program, revision)
    except PtoError as error:
        return None, list(error.diagnostics)
    found = check(program, chosen, meant)
    found += ambiguous(program, chosen) if revision is None else []
    return Examined(program, chosen), sorted(found, key=lambda d: (d.span, d.code))
