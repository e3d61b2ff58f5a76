"""The process that runs cases: everything is loaded once, each case is a fork of it.

Requests and answers are lines of JSON. A case gets a process group and a directory of its
own; when it ends, or its time is up, what is left of both is removed. The server has one
thread, since a fork takes no other with it.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import os
import resource
import runpy
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

import numpy as np

from ptoscope import demo
from ptoscope.cases.difference import compare_outputs
from ptoscope.cases.host.library import Library
from ptoscope.cases.options import Options
from ptoscope.cases.run.case import host_files, run_case, run_host
from ptoscope.cases.run.kernels import Kernels
from ptoscope.cases.run.script import MOST_FILES, end_with_parent
from ptoscope.cases.skeleton.write import case_files

_LARGEST_FILE = 1 << 32
"""What a script may write to one file: endless output must not fill the disk."""


@dataclass
class Running:
    """One case under way. `said` are the lines of its process so far."""

    number: int
    pid: int
    pipe: int
    scratch: Path
    started: float
    limit: float
    keep: str
    said: bytes = b""
    late: bool = False

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.said.split(b"\n")[:-1]]


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
        scratch = Path(tempfile.mkdtemp(prefix="case-", dir=self.root))
        for name in ("work", "tmp"):
            (scratch / name).mkdir()
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
        running.said += data
        if not data:
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
        lines = running.lines()
        answer = lines[-1] if lines and "verdict" in lines[-1] else None
        if answer is None:
            stage = lines[-1]["stage"] if lines else "it"
            ending = f"{stage} took longer than {running.limit:g} s"
            if not running.late:
                ending = f"{stage}: the process ended by {_spelled(status)}"
            answer = {"verdict": "error", "detail": ending}
        answer |= {"seconds": seconds, "number": running.number}
        if running.keep and answer["verdict"] not in ("pass", "unsupported"):
            answer["kept"] = running.keep
            try:
                shutil.copytree(running.scratch, running.keep, symlinks=True, dirs_exist_ok=True)
            except (shutil.Error, OSError) as error:
                answer["kept"] = f"{running.keep} (not all of it: {str(error)[:200]})"
        self._clear(running)
        line = json.dumps(answer).encode() + b"\n"
        while line:
            line = line[os.write(self.answers, line) :]

    def _end_processes(self, running: Running) -> int:
        # Before the process is collected: until then its number is not used again.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(running.pid, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            os.kill(running.pid, signal.SIGKILL)
        return os.waitpid(running.pid, 0)[1]

    def _clear(self, running: Running) -> None:
        if self.cases.pop(running.pipe, None) is None:
            return
        self.selector.unregister(running.pipe)
        os.close(running.pipe)
        with contextlib.suppress(ChildProcessError):
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
        # The answers above all: while a case holds them open, nobody sees the server end.
        os.closerange(3, writer)
        os.closerange(writer + 1, MOST_FILES)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.environ["TMPDIR"] = str(scratch / "tmp")
        os.environ["COMPARE_STRICT"] = "1"
        tempfile.tempdir = None
        _be_modest()

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
        os._exit(0)
    finally:
        os._exit(1)


def _be_modest() -> None:
    """If memory or disk run out, it is this case that is ended."""
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_FSIZE, (_LARGEST_FILE, _LARGEST_FILE))
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")


def _warm_up() -> None:
    """Does once what every case does, so that forks find it done: the demonstration's kernel as
    a case, and what scripts use of NumPy."""
    with tempfile.TemporaryDirectory() as scratch:
        case, work = Path(scratch), Path(scratch, "work")
        work.mkdir()
        kernel = case / demo.PATH.name
        kernel.write_bytes(demo.PATH.read_bytes())
        kernels = Kernels(kernel, Options())
        files = case_files(demo.PATH.read_text("utf-8"), kernels.entry(None).function)
        for name, text in files.items():
            (case / name).write_text(text, encoding="utf-8")
        values = np.random.default_rng(0).uniform(-1, 1, demo.COLUMNS).astype(np.float32)
        for name in ("v1", "v2", "golden_v2"):
            values.tofile(work / f"{name}.bin")
        np.int32(1).tofile(work / "v3.bin")
        library = Library(work)
        run_host(host_files(case), kernels, library)
        compare_outputs(work, library.written)
        np.allclose(np.fromfile(work / "v1.bin", np.float32), values, equal_nan=True)
        runpy.run_path(str(case / "compare.py"), run_name="compare")
    parser = argparse.ArgumentParser()
    parser.add_argument("--output-dir", type=Path)
    parser.parse_args([])


def main(root: str) -> None:
    """Serves on the standard streams, below a directory for scratch."""
    _warm_up()
    sys.dont_write_bytecode = True
    signal.signal(signal.SIGINT, signal.SIG_IGN)
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
