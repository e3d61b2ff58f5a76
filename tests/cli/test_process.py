"""Real processes: what starts with them, how they end, what they print where."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ptoscope import __version__

from .conftest import store

HEAVY = ("numpy", "xdsl", "rich", "ml_dtypes")
PTOSCOPE = [sys.executable, "-m", "ptoscope"]


def ptoscope(*argv: str, **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PTOSCOPE, *argv], capture_output=True, text=True, check=False, timeout=60, **options
    )


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (["--version"], 0),
        (["--help"], 0),
        (["run", "--help"], 0),
        (["--bogus", "--json"], 2),
        (["check", "missing.pto"], 2),
        (["run", "missing.pto", "--grid", "0"], 2),
        (["isa", "--target", "a7"], 2),
        (["isa", "vaddd"], 2),
    ],
)
def test_what_needs_no_kernel_loads_nothing_heavy(argv: list[str], code: int):
    assert loads_nothing_heavy(argv) == code


@pytest.mark.parametrize("command", ["check", "fmt"])
def test_reading_a_kernel_loads_nothing_heavy(tmp_path: Path, command: str):
    kernel = tmp_path / "k.pto"
    kernel.write_text(store("f32"))
    assert loads_nothing_heavy([command, str(kernel)]) == 0


def loads_nothing_heavy(argv: list[str]) -> int:
    """The exit status of a command; 100 if it loaded one of the heavy packages."""
    script = (
        "import sys; from ptoscope.cli.main import main; code = main(sys.argv[1:]);"
        f"heavy = [m for m in {HEAVY} if m in sys.modules]; sys.exit(100 if heavy else code)"
    )
    done = subprocess.run([sys.executable, "-c", script, *argv], capture_output=True, check=False)
    return done.returncode


def test_it_starts_fast():
    def seconds(*command: str) -> float:
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        return time.perf_counter() - start

    # The least of several: the rest is what else the computer did.
    numpy = min(seconds(sys.executable, "-c", "import numpy") for _ in range(5))
    version = min(seconds(*PTOSCOPE, "--version") for _ in range(5))
    assert version <= 1.5 * numpy


def test_the_installed_command():
    command = Path(sys.executable).with_name("ptoscope")
    done = subprocess.run([command, "--version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        f"ptoscope {__version__}\n",
        "",
    )


@pytest.mark.parametrize("argv", [["isa"], ["isa", "--json"], ["--help"]])
def test_a_closed_pipe_ends_quietly(argv: list[str]):
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [*PTOSCOPE, *argv], stdout=writer, stderr=subprocess.PIPE, check=False, timeout=60
        )
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_full_disk_is_reported(tmp_path: Path):
    """A limit on the size of files stands for the disk."""
    script = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0));"
        "from ptoscope.cli.main import main; sys.exit(main())"
    )
    with open(tmp_path / "full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-B", "-c", script, "isa"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert "cannot write the output" in done.stderr
    assert "Traceback" not in done.stderr


def test_ctrl_c_ends_quietly(tmp_path: Path):
    endless = """module {
  func.func @endless(%p: !pto.ptr<i32, gm>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %end = arith.constant 1000000000000 : index
    %v = arith.constant 1 : i32
    scf.for %i = %c0 to %end step %c1 {
      pto.store_scalar %v, %p[%c0] : !pto.ptr<i32, gm>, i32
    }
    return
  }
}
"""
    # A kernel in a pipe: it is read when the command is well under way.
    os.mkfifo(tmp_path / "k.pto")
    # A test run in the background may hand down an ignored interrupt.
    script = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "from ptoscope.cli.main import main; sys.exit(main())"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script, "run", "k.pto", "zeros:1", "--save", "out"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    (tmp_path / "k.pto").write_text(endless)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, b"", b"")
    assert not (tmp_path / "out").exists()


def on_a_terminal(argv: list[str], **environment: str) -> str:
    """Gives what a command sends to a terminal, out and err."""
    master, slave = pty.openpty()
    env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", **environment}
    process = subprocess.Popen([*PTOSCOPE, *argv], stdout=slave, stderr=slave, env=env)
    os.close(slave)
    output = b""
    while True:
        try:
            chunk = os.read(master, 4096)
        except OSError:  # the other side is closed
            break
        if not chunk:
            break
        output += chunk
    os.close(master)
    process.wait(timeout=30)
    return output.decode()


def test_colours_onlyon_a_terminal(tmp_path: Path):
    (tmp_path / "k.pto").write_text("module {")
    argv = ["check", str(tmp_path / "k.pto")]
    clean = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    assert "\033[" not in ptoscope(*argv, env=clean).stderr
    assert "\033[" in on_a_terminal(argv, NO_COLOR="")
    assert "\033[" not in on_a_terminal(argv, NO_COLOR="1")


def test_tables_fit_a_terminal_and_are_whole_elsewhere():
    shown = on_a_terminal(["isa"], NO_COLOR="1")
    assert max(len(line.rstrip()) for line in shown.splitlines()) <= 100
    plain = ptoscope("isa", env={**os.environ, "COLUMNS": "40"}).stdout
    assert "…" not in plain
    assert "Loads a vector from UB, distributed over the lanes by a mode." in plain
    assert all(line == line.rstrip() for line in plain.splitlines())


def test_names_that_are_not_utf8(tmp_path: Path):
    name = os.fsdecode(b"k\xff.pto")
    (tmp_path / name).write_text(store("f32"))
    done = ptoscope("check", name, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    done = ptoscope("check", "é\udcff.pto", cwd=tmp_path, env={**os.environ, "LC_ALL": "C"})
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_a_pipe_can_be_a_kernel(tmp_path: Path):
    done = ptoscope("check", "/dev/stdin", input=store("f32"))
    assert (done.returncode, done.stdout) == (0, "/dev/stdin: ok, 0 errors, 0 warnings\n")
