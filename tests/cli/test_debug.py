"""`ptoscope debug` as a process: typed at a terminal, and as a script on standard input."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from tests.replay.softmax import SOFTMAX, line_of

from .conftest import MISMASKED, store

ARGUMENTS = (str(SOFTMAX), "arange:384", "zeros:384", "3")
MAX = line_of("%max = pto.vdup")
DEBUG = [sys.executable, "-m", "ptoscope", "debug"]


def scripted(
    script: str | bytes, *argv: str, arguments: tuple[str, ...] = ARGUMENTS
) -> subprocess.CompletedProcess[bytes]:
    """A run of the command with a script on standard input."""
    given = script if isinstance(script, bytes) else script.encode()
    return subprocess.run(
        [*DEBUG, *arguments, *argv], input=given, capture_output=True, check=False, timeout=60
    )


class Terminal:
    """The command at the other end of a pseudo-terminal."""

    def __init__(self, *arguments: str) -> None:
        self.here, there = pty.openpty()
        environment = {**os.environ, "TERM": "dumb", "COLUMNS": "100", "INPUTRC": "/dev/null"}
        self.process = subprocess.Popen(
            [*DEBUG, *arguments],
            stdin=there,
            stdout=there,
            stderr=there,
            env=environment,
            start_new_session=True,
            # Who runs the tests in the background has interrupts ignored, and so would the command.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        os.close(there)
        self.shown = ""

    def until(self, done: Callable[[str], bool]) -> str:
        """What is shown until something is there, or the other end is closed."""
        shown, deadline = "", time.monotonic() + 60
        while not done(shown):
            ready, _, _ = select.select([self.here], [], [], deadline - time.monotonic())
            assert ready, shown
            try:
                chunk = os.read(self.here, 4096)
            except OSError:
                break
            if not chunk:
                break
            shown += chunk.decode(errors="replace")
        return shown.replace("\r", "")

    def interrupt(self) -> None:
        """Interrupts until it has an effect: between the prompt and the wait for a line, readline
        does not notice."""
        for _ in range(10):
            os.kill(self.process.pid, signal.SIGINT)
            if select.select([self.here], [], [], 6)[0]:
                return

    def prompt(self) -> str:
        """What is shown up to the next prompt."""
        return self.until(lambda shown: shown.endswith("(pto) "))

    def type(self, text: str) -> None:
        os.write(self.here, text.encode())

    def answer(self, line: str) -> str:
        """What a command says, without its echo and the prompt."""
        self.type(f"{line}\n")
        return self.prompt().partition("\n")[2].removesuffix("(pto) ")

    def end(self) -> tuple[int, str]:
        """The exit status, and what is shown last."""
        shown = self.until(lambda _: False)
        os.close(self.here)
        return self.process.wait(60), shown


@pytest.fixture
def terminal():
    opened: list[Terminal] = []

    def open_one(*arguments: str) -> Terminal:
        opened.append(Terminal(*(arguments or ARGUMENTS)))
        return opened[-1]

    yield open_one
    for one in opened:
        one.process.kill()
        one.process.wait()


def test_typed_at_a_terminal(terminal) -> None:
    debug = terminal()
    begin = debug.prompt()
    assert "<RecordedRun of @row_softmax: 91 moments, 1 block>; `help` lists" in begin
    assert "moment 0 of 91: line 17, PIPE_S" in begin
    assert debug.answer("s").startswith("moment 1 of 91: line 18")
    # An empty line repeats it.
    assert debug.answer("").startswith("moment 2 of 91: line 19")
    assert debug.answer("back 2").startswith("moment 0 of 91")
    assert f"line {MAX}, PIPE_V, %row = 0, %lo = 128" in debug.answer(f"goto {MAX} 1")
    # The greatest of 128, 129 and so on up to 255.
    assert debug.answer("p %max").split()[2:] == [
        word for row in range(0, 64, 16) for word in (str(row), *["255"] * 16)
    ]
    assert "moment 27 of 91" in debug.answer("writer ub:0x200")
    assert debug.answer("nonsense") == "there is no command 'nonsense'; `help` lists them\n"
    assert "the end of the run" in debug.answer("end")
    debug.type("quit\n")
    assert debug.end()[0] == 0


def test_completion_by_tab(terminal) -> None:
    debug = terminal()
    debug.prompt()
    debug.answer(f"goto {MAX}")
    debug.type("pri\t%ma\t\n")
    assert "%max: !pto.vreg<64xf32>" in debug.prompt()


@pytest.mark.parametrize("key", ["\x04", "\x03"])
def test_the_end_of_the_file_and_an_interrupt_end_it(terminal, key: str) -> None:
    debug = terminal()
    debug.prompt()
    if key == "\x03":
        # The terminal is not the session's own: the signal is sent as it would.
        debug.interrupt()
    else:
        debug.type(key)
    code, shown = debug.end()
    assert code == 0
    assert "Traceback" not in shown


def test_any_bytes_at_a_terminal(terminal) -> None:
    debug = terminal()
    debug.prompt()
    os.write(debug.here, b"\xc3(\xff\n")
    assert "there is no command" in debug.prompt()


def test_a_script_says_nothing_but_results() -> None:
    done = scripted(f"goto {MAX} 2\n\n  \nprint %lo\nq\nprint %lo\n")
    lines = done.stdout.decode().splitlines()
    assert (done.returncode, done.stderr) == (0, b"")
    assert lines[0] == "moment 0 of 91: line 17, PIPE_S"
    assert lines[-1] == "%lo: index = 256"
    assert lines.count("%lo: index = 256") == 1
    assert not any("(pto)" in line or "goto" in line for line in lines)


def test_a_script_may_end_without_quit_and_hold_any_bytes() -> None:
    done = scripted(b"\xff\xfe\x00\nstep")
    assert (done.returncode, done.stderr) == (0, b"")
    assert "line 18" in done.stdout.decode()
    assert scripted("").returncode == 0


def test_a_script_in_json() -> None:
    found = json.loads(scripted(f"g {MAX}\nnonsense\n", "--json").stdout)
    assert (found["ok"], found["recorded"]) == (True, 91)
    first, second = found["said"]
    assert (first["command"], first["moment"]) == (f"g {MAX}", 38)
    assert second["lines"] == ["there is no command 'nonsense'; `help` lists them"]


def test_a_fault_is_shown_and_is_the_exit_status() -> None:
    done = scripted("end\n", arguments=(str(SOFTMAX), "zeros:384", "zeros:10", "3"))
    assert done.returncode == 1
    assert b"error[PTO0902]" in done.stdout


def test_what_cannot_be_recorded(tmp_path) -> None:
    bad, good = tmp_path / "bad.pto", tmp_path / "good.pto"
    bad.write_text(MISMASKED)
    good.write_text(store("f32"))
    done = scripted("", arguments=(str(bad),))
    assert (done.returncode, b"error[PTO" in done.stderr) == (1, True)
    done = scripted("", arguments=(str(good), "zeros:1"))
    assert (done.returncode, done.stdout) == (1, b"")
    done = scripted(store("f32"), arguments=("-", "zeros:1", "1"))
    assert done.returncode == 2
    assert b"the kernel has to be a file" in done.stderr


def test_the_first_difference_from_what_is_expected() -> None:
    # The copy of the only tile wrote what is not 0.
    done = scripted("difference\n", "--expect", "1=zeros:384", "--atol", "0.5")
    said = done.stdout.decode()
    assert (done.returncode, done.stderr) == (0, b"")
    assert "element 127 of %y (argument 1) is 0.632" in said
    assert "line 101, PIPE_MTE3" in said
    done = scripted("", "--expect", "2=zeros:3")
    assert (done.returncode, b"is no pointer" in done.stderr) == (2, True)
