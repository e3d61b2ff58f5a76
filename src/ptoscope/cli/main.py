"""The command `ptoscope`: reads the request, calls the command, reports what it says."""

from __future__ import annotations

import contextlib
import sys
import warnings
from importlib import import_module

from ptoscope import __version__
from ptoscope.cli.commands import COMMANDS
from ptoscope.cli.failures import failure, wrong_usage
from ptoscope.cli.options import BadUsage, Request, help_text, read
from ptoscope.cli.output import INTERRUPTED, Result, emit, quiet_stdout
from ptoscope.cli.terminal import careful_terminals
from ptoscope.diagnostics import UsageError, nearest


def main(argv: list[str] | None = None) -> int:
    """Runs one command line and returns its exit status; never raises for any input."""
    with careful_terminals():
        return _run(sys.argv[1:] if argv is None else argv)


def _run(argv: list[str]) -> int:
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            as_json, result = _answer(argv)
        return _emitted(result, as_json)
    except BrokenPipeError:
        # Nobody reads on: what is left to say is dropped.
        quiet_stdout()
        return 0
    except KeyboardInterrupt:
        quiet_stdout()
        return INTERRUPTED


def _show_warning(message: Warning | str, *where: object) -> None:
    """One line on stderr; where in this package it was said helps nobody."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            print(f"ptoscope: warning: {message}", file=sys.stderr)


def _answer(argv: list[str]) -> tuple[bool, Result]:
    try:
        request = read(argv)
    except BadUsage as error:
        hint = f"see `ptoscope {error.request.command} --help`".replace("  ", " ")
        if error.request.command not in COMMANDS:
            hint = "see `ptoscope --help`"
        finding = wrong_usage(str(error), hint)
        result = Result(error.request.command, exit=2, diagnostics=(finding,))
        return error.request.has("json"), result
    return request.has("json"), _guarded(request)


def _guarded(request: Request) -> Result:
    """The command's result, with every way it can fail."""
    try:
        return _dispatch(request)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return _failed(request.command, error)


def _emitted(result: Result, as_json: bool) -> int:
    """Writes a result, whose page may fail while it is made."""
    try:
        return emit(result, as_json)
    except BrokenPipeError:
        raise
    except Exception as error:
        return emit(_failed(result.command, error), as_json)


def _failed(name: str, error: BaseException) -> Result:
    """The result of a command that an exception ended."""
    exit = 2 if isinstance(error, UsageError) else 1
    return Result(name, exit=exit, diagnostics=failure(error))


def _dispatch(request: Request) -> Result:
    if request.has("version"):
        return Result("version", (f"ptoscope {__version__}",), {"release": __version__})
    if request.has("help") or request.command == "help":
        return _help(request)
    # Commands load what they need; a wrong option must not pay for it.
    command = import_module(f"ptoscope.cli.{request.command.replace('-', '_')}")
    return command.answer(request)


def _help(request: Request) -> Result:
    about = request.command
    if about == "help":
        about = request.args[0] if request.args else ""
    if about and about not in COMMANDS:
        hint = nearest(about, COMMANDS) or f"there are {', '.join(COMMANDS)}"
        raise UsageError(f"unknown command '{about}'; {hint}")
    text = help_text(about)
    return Result("help", (text,), {"text": text})


if __name__ == "__main__":
    sys.exit(main())
