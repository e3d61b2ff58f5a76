"""Names of pipes, devices, sockets and endless files, where a command reads or writes a file."""

from __future__ import annotations

import io
import os
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import ptoscope
from ptoscope import UsageError, bounded_files
from ptoscope.cli import words
from tests.cli import python_kernels

from .conftest import Cli, copy, store

KERNEL = store("f32")
COMMANDS = (
    ("run", "k.pto", "x.npy", "1"),
    ("run", "k.pto", "x.bin", "1"),
    ("run", "k.pto", "zeros:1", "1", "--expect", "0=x.npy"),
    ("run", "x.pto", "zeros:1"),
    ("fmt", "x.pto"),
    ("run", "x.py:axpy"),
    ("calibrate", "x.csv"),
    ("time", "k.pto", "zeros:1", "1", "--calibration", "x.csv"),
    ("run", "k.pto", "zeros:1", "1", "--against", "x.py"),
)


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str], None]]:
    """Makes files of a kind at a name; no pipe is waited for long."""
    monkeypatch.setattr(bounded_files, "PATIENCE", 0.1)
    open_sockets: list[socket.socket] = []

    def make(kind: str, name: str) -> None:
        if kind == "pipe":
            os.mkfifo(tmp_path / name)
        elif kind == "directory":
            (tmp_path / name).mkdir()
        elif kind == "device":
            (tmp_path / name).symlink_to("/dev/zero")
        else:
            open_sockets.append(socket.socket(socket.AF_UNIX))
            open_sockets[-1].bind(name)

    yield make
    for one in open_sockets:
        one.close()


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("pipe", "nothing writes to the pipe (waited 0.1 s)"),
        ("directory", "it is a directory"),
        ("device", "it is a device"),
        ("socket", "it is a socket"),
    ],
)
@pytest.mark.parametrize("argv", COMMANDS, ids=" ".join)
def test_what_is_no_file_is_not_read(
    cli: Cli,
    write: Callable[[str, str], str],
    made: Callable[[str, str], None],
    kind: str,
    reason: str,
    argv: tuple[str, ...],
) -> None:
    write("k.pto", KERNEL)
    name = next(n for n in ("x.npy", "x.bin", "x.pto", "x.csv", "x.py") if n in " ".join(argv))
    made(kind, name)
    outcome = cli(*argv)
    assert outcome.code == 2, outcome.err
    assert name in outcome.err
    assert reason in outcome.err


def test_a_pipe_is_read_when_its_writer_comes(
    cli: Cli, write: Callable[[str, str], str], tmp_path: Path
) -> None:
    write("k.pto", copy("f32"))
    array = io.BytesIO()
    np.save(array, np.array([3, 0], np.float32))
    for name, data in (("x.npy", array.getvalue()), ("x.bin", bytes(8))):
        os.mkfifo(tmp_path / name)
        (tmp_path / "data").write_bytes(data)
        with subprocess.Popen(["sh", "-c", f"sleep 0.2; cat data > {name}"], cwd=tmp_path):
            assert cli("run", "k.pto", name).code == 0


def test_an_endless_pipe_is_an_error(
    cli: Cli,
    write: Callable[[str, str], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(words, "free_memory", lambda: 1 << 22)
    write("k.pto", KERNEL)
    for name in ("x.npy", "x.bin", "x.pto"):
        os.mkfifo(tmp_path / name)
        argv = ("check", name) if name == "x.pto" else ("run", "k.pto", name, "1")
        with subprocess.Popen(["sh", "-c", f"exec cat /dev/zero > {name}"], cwd=tmp_path):
            outcome = cli(*argv)
        assert outcome.code == 2
        assert "can be read" in outcome.err


def test_endless_standard_input_is_an_error(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    with open("/dev/zero", encoding="ascii") as endless:
        monkeypatch.setattr("sys.stdin", endless)
        for argv in (("check", "-"), ("calibrate", "-")):
            outcome = cli(*argv)
            assert outcome.code == 2
            assert "can be read" in outcome.err


@pytest.mark.parametrize("name", ["x.npy", "x.bin"])
def test_a_file_larger_than_memory(
    cli: Cli, write: Callable[[str, str], str], tmp_path: Path, name: str
) -> None:
    """The file takes no room on the disk: all of it is a hole."""
    write("k.pto", KERNEL)
    with open(tmp_path / name, "wb") as file:
        np.lib.format.write_array_header_1_0(
            file, {"descr": "<f4", "fortran_order": False, "shape": (1 << 40,)}
        )
        file.truncate(1 << 42)
    outcome = cli("run", "k.pto", name, "1")
    assert outcome.code == 2
    assert f"it has {1 << 42} bytes" in outcome.err


def test_a_kernel_of_64_mib_and_a_byte(cli: Cli, tmp_path: Path) -> None:
    with open(tmp_path / "k.pto", "wb") as file:
        file.truncate((64 << 20) + 1)
    outcome = cli("check", "k.pto")
    assert outcome.code == 2
    assert "at most 67108864 can be read" in outcome.err
    with pytest.raises(UsageError, match="at most 67108864"):
        ptoscope.load(tmp_path / "k.pto")


HEADERS = {
    "cut in its first word": b"\x93NUM",
    "cut in its header": b"\x93NUMPY\x01\x00v\x00{'descr': '<f4'",
    "without its data": b"\x93NUMPY\x01\x00\x3a\x00{'descr': '<f4', 'fortran_order': False, "
    b"'shape': (9,)}\n",
    "with objects": b"\x93NUMPY\x01\x00\x3a\x00{'descr': '|O', 'fortran_order': False, "
    b"'shape': (2,)} \n",
    "with fields": b"\x93NUMPY\x01\x00\x45\x00{'descr': [('a', '<f4')], 'fortran_order': False, "
    b"'shape': (2,)}\n\n\n" + bytes(8),
    "with a negative length": b"\x93NUMPY\x01\x00\x3b\x00{'descr': '<f4', 'fortran_order': False, "
    b"'shape': (-9,)}\n" + bytes(8),
    "of more than 2**63 elements": b"\x93NUMPY\x01\x00\x50\x00{'descr': '<f4', "
    b"'fortran_order': False, 'shape': (99999999999999999999999,)} \n" + bytes(8),
}


@pytest.mark.parametrize("data", HEADERS.values(), ids=HEADERS)
def test_an_array_with_a_damaged_header(
    cli: Cli, write: Callable[[str, str], str], tmp_path: Path, data: bytes
) -> None:
    write("k.pto", KERNEL)
    (tmp_path / "x.npy").write_bytes(data)
    outcome = cli("run", "k.pto", "x.npy", "1")
    assert outcome.code == 1
    assert "error[PTO080" in outcome.err
    assert "PTO0801" not in outcome.err


def test_a_file_without_permission(
    cli: Cli, write: Callable[[str, str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write("k.pto", KERNEL)
    write("x.npy", "")
    monkeypatch.setattr(os, "access", lambda *arguments: False)  # root may read everything
    assert "no permission" in cli("run", "k.pto", "x.npy", "1").err


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("pipe", "nothing reads from the pipe (waited 0.1 s)"),
        ("directory", "it is a directory"),
        ("socket", "it is a socket"),
    ],
)
@pytest.mark.parametrize(
    "argv",
    [
        ("view", "k.pto", "zeros:1", "1", "-o", "out"),
        ("time", "k.pto", "zeros:1", "1", "--trace", "out"),
    ],
    ids=" ".join,
)
def test_what_is_no_file_is_not_written(
    cli: Cli,
    write: Callable[[str, str], str],
    made: Callable[[str, str], None],
    kind: str,
    reason: str,
    argv: tuple[str, ...],
) -> None:
    write("k.pto", KERNEL)
    made(kind, "out")
    outcome = cli(*argv)
    assert outcome.code == 2
    assert f"cannot write out: {reason}" in outcome.err


def test_a_pipe_is_written_when_its_reader_comes(
    cli: Cli, write: Callable[[str, str], str], tmp_path: Path
) -> None:
    write("k.pto", KERNEL)
    os.mkfifo(tmp_path / "out")
    command = ["sh", "-c", "sleep 0.2; exec cat out"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE) as reader:
        assert cli("view", "k.pto", "zeros:1", "1", "-o", "out").code == 0
        assert reader.stdout is not None
        assert b"</html>" in reader.stdout.read()


def test_a_full_device_is_an_error(cli: Cli, write: Callable[[str, str], str]) -> None:
    write("k.pto", KERNEL)
    outcome = cli("view", "k.pto", "zeros:1", "1", "-o", "/dev/full")
    assert outcome.code == 2
    assert "cannot write /dev/full: No space left on device" in outcome.err


def test_a_pipe_is_not_rewritten(cli: Cli, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "k.pto")
    assert cli("fmt", "-i", "k.pto").code == 2
    assert cli("check", "--fix", "k.pto").code == 2


def test_results_that_are_saved_over_a_pipe(
    cli: Cli, write: Callable[[str, str], str], tmp_path: Path
) -> None:
    """The results take its place, as that of any file."""
    write("k.pto", KERNEL)
    (tmp_path / "out").mkdir()
    os.mkfifo(tmp_path / "out" / "arg0.npy")
    assert cli("run", "k.pto", "zeros:1", "3", "--save", "out").code == 0
    assert np.load(tmp_path / "out" / "arg0.npy").tolist() == [3]


def test_an_array_that_is_made_larger_than_memory(
    cli: Cli, write: Callable[[str, str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`randn:N` and `arange:N` fill their memory, `zeros:N` does not."""
    monkeypatch.setattr(words, "free_memory", lambda: 1 << 20)
    write("k.pto", KERNEL)
    for word, code in (("randn:1000000", 1), ("arange:1000000", 1), ("zeros:1000000", 0)):
        outcome = cli("run", "k.pto", word, "1")
        assert outcome.code == code
        assert ("PTO0807" in outcome.err) == (code == 1)


def test_a_kernel_in_python_through_a_pipe(cli: Cli, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "k.py")
    (tmp_path / "data").write_text(python_kernels.AXPY)
    with subprocess.Popen(["sh", "-c", "cat data > k.py"], cwd=tmp_path):
        assert cli("check", "k.py").code == 0
