"""Runs cases on a server process and hands out what became of them."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ptoscope.cases.find import Case
from ptoscope.cases.options import LIMIT, Options
from ptoscope.cases.outcome import Outcome, make_outcome
from ptoscope.cases.run.processes import adopt_orphans, children, end_descendants
from ptoscope.diagnostics import UsageError

_START = "import sys; sys.path[:] = {path!r}; from ptoscope.cases.run import server; {call}"


def run_cases(
    cases: Sequence[Case],
    options: Options,
    jobs: int = 1,
    limit: float = LIMIT,
    keep: str | None = None,
    done: Callable[[Outcome], None] = lambda outcome: None,
) -> list[Outcome]:
    """Runs cases, `jobs` at a time, and calls `done` as each ends; the outcomes in order.

    The data of cases that fail is copied to `keep`, one directory each. A signal that asks this
    process to end does so when all that was started has ended and all scratch is removed.
    """
    if not hasattr(os, "fork"):
        raise UsageError("cases needs a system with fork (Linux, macOS)")
    kept = _keep_paths(cases, keep)
    outcomes: dict[int, Outcome] = {}

    def end(number: int, answer: dict[str, Any]) -> None:
        outcomes[number] = make_outcome(cases[number], options, answer)
        done(outcomes[number])

    # On the real path: TMPDIR may be relative, and scripts run elsewhere.
    with _orderly_end(), _scratch() as directory:
        root = Path(directory).resolve()
        requests = {
            number: {
                "number": number,
                "path": case.path,
                "limit": limit,
                "keep": kept[number],
                "options": list(options),
            }
            for number, case in enumerate(cases)
        }
        waiting = list(requests)
        width = max(1, jobs)
        while waiting:
            unfinished, reason = _serve(root, [requests[n] for n in waiting], width, end)
            # If several were under way when the server ended, each of them again, alone.
            for number in sorted(unfinished):
                again = len(unfinished) > 1
                if again:
                    left, reason = _serve(root, [requests[number]], 1, end)
                    again = not left
                if not again:
                    detail = f"the process that runs cases ended: {reason}"
                    end(number, {"verdict": "error", "detail": detail, "seconds": 0.0})
            waiting = [n for n in waiting if n not in outcomes]
    return [outcomes[number] for number in range(len(cases))]


def _serve(
    root: Path, requests: list[dict[str, Any]], width: int, end: Callable[[int, Any], None]
) -> tuple[set[int], str]:
    """Runs cases on a new server; which were under way when it ended, and its last words."""
    queue: Iterator[dict[str, Any]] = iter(requests)
    started: set[int] = set()
    with (
        open(root / "server.log", "w+b") as log,
        _no_orphans(started),
        _process(root, log) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        stdin, stdout = process.stdin, process.stdout

        def send_one() -> None:
            request = next(queue, None)
            if request is not None:
                started.add(request["number"])
                stdin.write(json.dumps(request).encode() + b"\n")
                stdin.flush()

        try:
            with contextlib.suppress(BrokenPipeError):
                for _ in range(width):
                    send_one()
            for line in stdout:
                answer = json.loads(line)
                started.discard(answer["number"])
                end(answer["number"], answer)
                with contextlib.suppress(BrokenPipeError):
                    send_one()
                if not started:
                    break
        finally:
            with contextlib.suppress(BrokenPipeError):
                stdin.close()
            process.wait()
        log.seek(0)
        said = log.read().decode("utf-8", "replace").strip().split("\n")[-1]
        return started, said or f"exit status {process.returncode}"


def _scratch() -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(prefix="ptoscope-cases-", ignore_cleanup_errors=True)
    except OSError as error:
        # Without any directory for such files there is no name to give.
        where = error.filename or "any temporary directory"
        raise UsageError(f"cannot make a directory in {where}: {error.strerror}") from None


@contextlib.contextmanager
def _no_orphans(unfinished: set[int]) -> Iterator[None]:
    """Ends what is left of cases whose server could not do it: those still unfinished."""
    own = children()
    adopt_orphans()
    try:
        yield
    finally:
        if unfinished:
            end_descendants(os.getpid(), own)
            for pid in children(own):
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)
        adopt_orphans(False)


class _Signalled(BaseException):
    """A signal asks this process to end."""


@contextlib.contextmanager
def _orderly_end() -> Iterator[None]:
    """Turns SIGTERM and SIGHUP, where they would end this process at once, into an end of the
    block first."""
    numbers: list[signal.Signals] = []
    came: list[int] = []

    def arrive(number: int, frame: object) -> None:
        came.append(number)
        for other in numbers:
            signal.signal(other, signal.SIG_IGN)
        raise _Signalled

    if threading.current_thread() is threading.main_thread():
        wanted = (signal.SIGTERM, signal.SIGHUP)
        numbers += [n for n in wanted if signal.getsignal(n) is signal.SIG_DFL]
    try:
        for number in numbers:
            signal.signal(number, arrive)
        yield
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)
        if came:
            os.kill(os.getpid(), came[0])


def _process(root: Path, log: Any) -> subprocess.Popen[bytes]:
    code = _START.format(path=sys.path, call=f"server.main({str(root)!r})")
    # One thread each: the cases themselves run side by side, and forks need it.
    threads = {f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "OMP", "MKL")}
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        env={**os.environ, **threads},
    )


def _keep_paths(cases: Sequence[Case], keep: str | None) -> list[str]:
    """Where the data of each case goes; cases of one name are numbered."""
    paths: list[str] = []
    for case in cases:
        path = os.path.join(os.path.abspath(keep), case.family, case.name) if keep else ""
        number = 1
        while path and path in paths:
            number += 1
            path = os.path.join(os.path.abspath(keep or ""), case.family, f"{case.name}-{number}")
        paths.append(path)
    return paths
