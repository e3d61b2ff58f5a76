"""`ptoscope debug`: a prompt over a recorded run."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ptoscope.cli.expect import Expectations, expectations, golden
from ptoscope.cli.files import STDIN
from ptoscope.cli.kernels import kernel_word
from ptoscope.cli.options import Request
from ptoscope.cli.output import Result
from ptoscope.cli.recorded import recorded
from ptoscope.cli.trace import terminal_width
from ptoscope.diagnostics import UsageError

if TYPE_CHECKING:
    from ptoscope.kernel import Kernel
    from ptoscope.replay.prompt.session import ExpectedArrays, Session

PROMPT = "(pto) "


def answer(request: Request) -> Result:
    """Records a run and carries out the commands that come from standard input."""
    if kernel_word(request.args[0]).path == STDIN:
        raise UsageError(
            "debug reads its commands from standard input: the kernel has to be a file"
        )
    if sys.stdin is None:
        raise UsageError("debug reads its commands from standard input: there is none")
    wanted = expectations(request)
    found = recorded(request)
    run = found.run
    if run is None:
        return Result("debug", diagnostics=found.findings, exit=1)
    from ptoscope.replay.contents import WIDTH
    from ptoscope.replay.prompt.session import Session

    session = Session(run, terminal_width() or WIDTH, _expected(found.kernel, wanted))
    fields: dict[str, object] = {"entry": found.kernel.name, "recorded": len(run)}
    page: Iterator[str] = _page(session, request.has("json"))
    if request.has("json"):
        fields["said"] = _said(session)
    diagnostics = found.diagnostics if request.has("json") else found.findings
    return Result("debug", page, fields, diagnostics, exit=0 if run.error is None else 1)


def _expected(kernel: Kernel, wanted: Expectations) -> ExpectedArrays | None:
    """What the request says that arguments should hold."""
    if not wanted.all:
        return None
    from ptoscope.replay.prompt.session import ExpectedArrays

    return ExpectedArrays(golden(kernel, wanted), wanted.rtol, wanted.atol)


def _page(session: Session, silent: bool) -> Iterator[str]:
    """What is said, line by line, as commands come in."""
    if silent:
        return
    from ptoscope.replay.prompt.commands import perform

    interactive = sys.stdin.isatty() and sys.stdout is not None and sys.stdout.isatty()
    if interactive:
        yield f"{session.run!r}; `help` lists the commands"
    yield from session.where()
    for line in _typed(session) if interactive else _read():
        yield from perform(session, line)
        if session.done:
            return


def _said(session: Session) -> list[dict[str, object]]:
    """The same for JSON: each command, where it led and what it said."""
    from ptoscope.replay.prompt.commands import perform

    found: list[dict[str, object]] = []
    for line in _read():
        lines = perform(session, line)
        found.append({"command": line.strip(), "moment": session.index, "lines": lines})
        if session.done:
            break
    return found


def _read() -> Iterator[str]:
    """The lines of standard input, whatever bytes they are."""
    for line in sys.stdin.buffer:
        yield line.decode("utf-8", "replace")


def _typed(session: Session) -> Iterator[str]:
    """Lines that are typed at a prompt, up to the end of the file or an interrupt."""
    _prepare_keyboard(session)
    with contextlib.suppress(EOFError, KeyboardInterrupt):
        while True:
            yield input(PROMPT)
    # The shell's prompt begins a line of its own.
    print()


def _prepare_keyboard(session: Session) -> None:
    """History and completion, where there is a readline; any bytes are some text."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    try:
        import readline
    except ImportError:
        return
    from ptoscope.replay.prompt.commands import completions

    def complete(begin: str, state: int) -> str | None:
        found = completions(session, readline.get_line_buffer(), begin)
        return f"{found[state]} " if state < len(found) else None

    readline.set_completer(complete)
    readline.set_completer_delims(" \t\n")
    readline.parse_and_bind("tab: complete")
