"""Findings for exceptions that ended a command, or its work on one file of many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ptoscope.cli.output import MEMORY, USAGE
from ptoscope.diagnostics import Diagnostic, PtoError, UsageError, internal_error, one_line


def wrong_usage(message: str, hint: str = "", file: str = "") -> Diagnostic:
    """Returns the finding that says what cannot be asked for; it quotes words of a command line."""
    return Diagnostic(USAGE, one_line(message), file=file, hint=one_line(hint))


def failure(error: BaseException, file: str = "") -> Sequence[Diagnostic]:
    """Returns the findings that an exception stands for. An unexpected one is raised again where
    PTOSCOPE_TRACEBACK asks for its origin."""
    if isinstance(error, PtoError):
        return error.diagnostics
    if isinstance(error, UsageError):
        return (wrong_usage(str(error), file=file),)
    if isinstance(error, MemoryError):
        return (Diagnostic(MEMORY, "there is not enough memory", file=file),)
    return (replace(internal_error(error), file=file),)
