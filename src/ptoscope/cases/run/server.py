"""The process that runs cases: everything is loaded once, each case is a fork of it.

Requests and answers are lines of JSON. A case gets a process group and a directory of its
own; when it has answered, or its time is up, every process it has started is ended and the
directory is removed. The server has one thread, since a fork takes no other with it.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import selectors
import shutil
import signal
import stat
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ptoscope.cases.options import Options
from ptoscope.cases.outcome import PASSED
from ptoscope.cases.run.case import run_case
from ptoscope.cases.run.processes import (
    adopt_orphans,
    children,
    end_descendants,
    end_with_parent,
    limit_resources,
    send_signal,
)
from ptoscope.cases.run.script import MOST_FILES
from ptoscope.cases.run.warm_up import warm_up

_LONGEST_ANSWER = 1 << 26
"""What a case may say: its scripts can get at its pipe if they want to."""
_ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""The server ends when its requests do; the process that sends them gets these signals too."""


@dataclass
class Running:
    """One case under way: what it is busy with, and its answer once it has said one."""

    number: int
    pid: int
    pipe: int
    scratch: Path
    started: float
    limit: float
    keep: str
    stage: str = "it"
    answer: dict[str, Any] | None = None
    unread: bytes = b""
    late: bool = False
    collected: bool = False

    def hear(self, data: bytes) -> None:
        """Reads on in the lines that its process says."""
        *lines, self.unread = (self.unread + data).split(b"\n")
        if len(self.unread) > _LONGEST_ANSWER:
            self.answer = {"verdict": "error", "detail": f"{self.stage}: it says too much"}
        for line in lines:
            with contextlib.suppress(ValueError, TypeError, KeyError):
                record = json.loads(line)
                if "verdict" in record:
                    self.answer = {**record, "detail": str(record["detail"])}
                else:
                    self.stage = str(record["stage"])


@dataclass
class Server:
    """Reads requests from one descriptor, writes answers to another."""

    requests: int
    answers: int
    root: Path
    cases: dict[int, Running] = field(default_factory=dict[int, Running])
    selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)

    def serve(self) -> None:
        """Runs until the requests end, then ends what is still running."""
        self.selector.register(self.requests, selectors.EVENT_READ)
        unread = b""
        try:
            while True:
                for key, _ in self.selector.select(self._patience()):
                    if key.fd != self.requests:
                        self._listen(self.cases[key.fd])
                        continue
                    data = os.read(self.requests, 1 << 16)
                    if not data:
                        return
                    *lines, unread = (unread + data).split(b"\n")
                    for line in lines:
                        self._start(json.loads(line))
                self._end_late_ones()
        finally:
            for running in list(self.cases.values()):
                self._clear(running)

    def _patience(self) -> float | None:
        """Seconds until the next time limit."""
        if not self.cases:
            return None
        return max(0.0, min(r.started + r.limit for r in self.cases.values()) - time.monotonic())

    def _start(self, request: dict[str, Any]) -> None:
        try:
            scratch = Path(tempfile.mkdtemp(prefix="case-", dir=self.root))
            for name in ("work", "tmp"):
                (scratch / name).mkdir()
        except OSError as error:
            detail = f"cannot make a directory in {self.root}: {error.strerror}"
            answer = {"verdict": "error", "detail": detail, "seconds": 0.0}
            self._tell(answer | {"number": request["number"]})
            return
        reader, writer = os.pipe()
        started = time.monotonic()
        pid = os.fork()
        if pid == 0:
            _run_child(request, scratch, writer)
        os.close(writer)
        # Both sides do it, so that the group is there whoever comes first.
        with contextlib.suppress(OSError):
            os.setpgid(pid, pid)
        running = Running(
            request["number"], pid, reader, scratch, started, request["limit"], request["keep"]
        )
        self.cases[reader] = running
        self.selector.register(reader, selectors.EVENT_READ)

    def _listen(self, running: Running) -> None:
        data = os.read(running.pipe, 1 << 16)
        running.hear(data)
        if not data or running.answer is not None:
            self._finish(running)

    def _end_late_ones(self) -> None:
        now = time.monotonic()
        for running in list(self.cases.values()):
            if now >= running.started + running.limit:
                running.late = True
                self._finish(running)

    def _finish(self, running: Running) -> None:
        """Answers a case that has ended or whose time is up."""
        seconds = time.monotonic() - running.started
        status = self._end_processes(running)
        answer = running.answer
        if answer is None:
            ending = f"{running.stage} took longer than {running.limit:g} s"
            if not running.late:
                ending = f"{running.stage}: the process ended by {_spelled(status)}"
            answer = {"verdict": "error", "detail": ending}
        answer |= {"seconds": seconds, "number": running.number}
        if running.keep and answer["verdict"] not in (*PASSED, "unsupported"):
            answer["kept"] = running.keep
            try:
                shutil.copytree(running.scratch, running.keep, symlinks=True, dirs_exist_ok=True)
            except (shutil.Error, OSError) as error:
                answer["kept"] = f"{running.keep} (not all of it: {str(error)[:200]})"
        self._clear(running)
        self._tell(answer)

    def _tell(self, answer: dict[str, Any]) -> None:
        line = json.dumps(answer).encode() + b"\n"
        while line:
            line = line[os.write(self.answers, line) :]

    def _end_processes(self, running: Running) -> int:
        # Before the process is collected: until then its number is not used again.
        send_signal(running.pid, signal.SIGSTOP)
        others = end_descendants(running.pid)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(running.pid, signal.SIGKILL)
        send_signal(running.pid, signal.SIGKILL)
        status = os.waitpid(running.pid, 0)[1]
        running.collected = True
        if others or running.answer is None:
            self._end_strays()
        return status

    def _end_strays(self) -> None:
        """Ends and collects what came here because the process of its case is gone."""
        known = {other.pid for other in self.cases.values()}
        end_descendants(os.getpid(), known)
        for pid in children(known):
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)

    def _clear(self, running: Running) -> None:
        if self.cases.pop(running.pipe, None) is None:
            return
        self.selector.unregister(running.pipe)
        os.close(running.pipe)
        if not running.collected:
            self._end_processes(running)
        remove_tree(running.scratch)


def remove_tree(path: Path) -> None:
    """Removes a directory with all in it, also what a script made read-only."""

    def again(function: Any, failed: str, error: Any) -> None:
        with contextlib.suppress(OSError):
            os.chmod(os.path.dirname(failed), stat.S_IRWXU)
            os.chmod(failed, stat.S_IRWXU)
            if os.path.isdir(failed) and not os.path.islink(failed):
                shutil.rmtree(failed, ignore_errors=True)
            else:
                os.unlink(failed)

    if sys.version_info >= (3, 12):
        shutil.rmtree(path, onexc=again)
    else:
        shutil.rmtree(path, onerror=again)


def _spelled(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    return signal.Signals(-code).name if code < 0 else f"exit status {code}"


def _run_child(request: dict[str, Any], scratch: Path, writer: int) -> None:
    """What the process of a case does; never returns."""
    try:
        os.setpgid(0, 0)
        end_with_parent()
        adopt_orphans()
        # The answers above all: while a case holds them open, nobody sees the server end.
        os.closerange(3, writer)
        os.closerange(writer + 1, MOST_FILES)
        for number in _ENDING_SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        os.environ["TMPDIR"] = str(scratch / "tmp")
        os.environ["COMPARE_STRICT"] = "1"
        tempfile.tempdir = None
        limit_resources()

        def say(record: dict[str, Any]) -> None:
            line = json.dumps(record).encode() + b"\n"
            while line:
                line = line[os.write(writer, line) :]

        def stage(name: str) -> None:
            say({"stage": name})

        try:
            options = Options(*request["options"])
            answer = run_case(Path(request["path"]), scratch, options, stage)
        except Exception as error:
            message = f"internal error: {type(error).__name__}: {error}"
            answer = {"verdict": "error", "detail": message}
        say(answer)
        # What the scripts left running is found below this process as long as it lives.
        while True:
            signal.pause()
    finally:
        os._exit(1)


def main(root: str) -> None:
    """Serves on the standard streams, below a directory for scratch."""
    parent = os.getppid()
    for number in _ENDING_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    adopt_orphans()
    warm_up()
    sys.dont_write_bytecode = True
    answers = os.dup(1)
    requests = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.close(nothing)
    # What is loaded stays: collecting it would copy its pages in every fork.
    gc.collect()
    gc.freeze()
    with contextlib.suppress(BrokenPipeError):
        Server(requests, answers, Path(root)).serve()
    if os.getppid() != parent:
        # Whoever made the directory is gone.
        remove_tree(Path(root))
