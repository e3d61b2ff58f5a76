"""Runs a Python script in a process of its own that starts ready: a fork of this one."""

from __future__ import annotations

import atexit
import contextlib
import gc
import json
import os
import runpy
import signal
import sys
import threading
import traceback
from dataclasses import dataclass
from io import BufferedWriter, TextIOWrapper
from pathlib import Path
from typing import Any

from ptoscope.cases.run.processes import end_with_parent

MOST_FILES = 1024
"""Descriptors up to here are closed in a new process."""

_TAIL = 2000
"""How much of a script's output is kept to show."""


@dataclass(frozen=True)
class Ending:
    """How a script ended: by `status`, or by an uncaught exception, or by a signal."""

    status: int
    raised: str = ""
    is_assertion: bool = False
    signal: str = ""
    output: str = ""

    @property
    def ok(self) -> bool:
        return not self.signal and not self.raised and self.status == 0

    @property
    def crashed(self) -> bool:
        """Whether it ended in a way no script means to."""
        return bool(self.signal) or (bool(self.raised) and not self.is_assertion)

    def __str__(self) -> str:
        if self.signal:
            return f"ended by {self.signal}"
        if self.raised:
            return f"raised {self.raised}"
        last = self.output.strip().split("\n")[-1].strip()
        return f"exit status {self.status}" + (f": {last[:200]}" if last else "")


def run_script(path: Path, directory: Path, log: Path) -> Ending:
    """Runs a script in a directory, its output in `log`. The time limit is the caller's."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _run_child(path, directory, log, writer)
    os.close(writer)
    try:
        _, status = os.waitpid(child, 0)
        # What the script left running may hold the pipe open: no waiting for its end.
        os.set_blocking(reader, False)
        try:
            said = os.read(reader, 1 << 16)
        except BlockingIOError:
            said = b""
    finally:
        os.close(reader)
    output = _tail(log)
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        return Ending(code, signal=signal.Signals(-code).name, output=output)
    try:
        raised, is_assertion = json.loads(said)
    except ValueError:
        raised, is_assertion = "", False
    return Ending(code, str(raised), bool(is_assertion), output=output)


def _tail(log: Path) -> str:
    try:
        with open(log, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL))
            text = file.read(_TAIL).decode("utf-8", "replace")
    except OSError:
        return ""
    return "".join(c if c.isprintable() or c == "\n" else "?" for c in text)


def _run_child(path: Path, directory: Path, log: Path, writer: int) -> None:
    """What the new process does; never returns."""
    status, raised, is_assertion = 1, "", False
    # A script may have put anything in their place.
    leave, tell, spell = os._exit, os.write, json.dumps
    try:
        end_with_parent()
        _detach(log, writer)
        atexit._clear()
        os.chdir(directory)
        sys.argv = [str(path)]
        sys.path.insert(0, str(path.parent))
        status, raised, is_assertion = _run(path)
        for thread in threading.enumerate():
            if thread is not threading.current_thread() and not thread.daemon:
                thread.join()
        atexit._run_exitfuncs()
        _flush_files()
    except BaseException as error:
        status, raised = 1, raised or type(error).__name__
    finally:
        try:
            tell(3, spell([raised[:4000], is_assertion]).encode())
        finally:
            # The system keeps 8 bits of it; 256 is no success all the same.
            leave(status & 0xFF or int(status != 0))


def _flush_files() -> None:
    """Writes what is in the buffers of open files, as the end of an interpreter does."""
    kinds = (BufferedWriter, TextIOWrapper)
    open_files: list[Any] = [f for f in gc.get_objects() if type(f) in kinds]
    # Text first: it goes through the others.
    open_files.sort(key=lambda f: type(f) is BufferedWriter)
    for file in (sys.stdout, sys.stderr, *open_files):
        with contextlib.suppress(ValueError, OSError):
            file.flush()


def _detach(log: Path, writer: int) -> None:
    """Input from nowhere, output to the log, the pipe as 3, nothing else open."""
    os.dup2(writer, 3)
    os.set_inheritable(3, False)
    nothing = os.open(os.devnull, os.O_RDONLY)
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(nothing, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.closerange(4, MOST_FILES)


def _run(path: Path) -> tuple[int, str, bool]:
    try:
        runpy.run_path(str(path), run_name="__main__")
    except SystemExit as ended:
        if ended.code is None or isinstance(ended.code, int):
            return ended.code or 0, "", False
        print(ended.code, file=sys.stderr)
        return 1, "", False
    except BaseException as error:
        traceback.print_exc()
        text = str(error).strip().split("\n")[0][:300]
        name = type(error).__name__
        return 1, f"{name}: {text}" if text else name, isinstance(error, AssertionError)
    return 0, "", False
