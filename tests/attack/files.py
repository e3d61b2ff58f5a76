"""Names of pipes, devices, sockets, folders and damaged files, wherever a command takes a file.

Whatever a name stands for, a command ends soon with status 0, 1 or 2, without an internal error,
and within a limit of memory.
"""

from __future__ import annotations

import os
import random
import resource
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

SECONDS = 60

_MEMORY = 6_000_000 << 10
_KERNEL = """func.func @store(%p: !pto.ptr<f32, gm>, %v: f32) {
  %c0 = arith.constant 0 : index
  pto.store_scalar %v, %p[%c0] : !pto.ptr<f32, gm>, f32
  return
}
"""
_DEVICES = ("/dev/zero", "/dev/full", "/dev/null", "/dev/random", "/dev/tty", "/dev/stdin")
_HEADER = b"\x93NUMPY\x01\x00\x3a\x00{'descr': '<f4', 'fortran_order': False, 'shape': (9,)}\n"
_KINDS = ("pipe", "device", "socket", "folder", "hole", "damaged", "loop", "missing", "kernel")
_NAMES = ("x.npy", "x.bin", "x.pto", "x.py", "x.csv", "out")
_COMMANDS = (
    *("run k.pto x.npy 1", "run k.pto x.bin 1", "run k.pto zeros:1 1 --expect 0=x.npy"),
    *("check x.pto", "check --fix x.pto", "fmt -i x.pto", "fmt x.pto", "run x.py:k"),
    *("check - k.pto", "run - zeros:1 1", "calibrate x.csv", "calibrate - --output out"),
    *("run k.pto zeros:1 1 --save out", "view k.pto zeros:1 1 -o out", "time k.pto x.bin 1"),
    *("time k.pto zeros:1 1 --trace out", "time k.pto zeros:1 1 --calibration x.csv"),
    *("run k.pto zeros:1 1 --against x.py", "run k.pto zeros:1 1 --against x.pto"),
    *("new-case out k.pto", "cases out", "cases out --junit x.csv", "debug x.pto zeros:1 1"),
    *("run k.pto randn:9999999999 1", "run k.pto zeros:1 1e999"),
    "run k.pto zeros:1 1 --grid 65536",
)
# Nothing opens the other end of a pipe: a test need not wait for it as long as people do.
_SCRIPT = """
import sys
from ptoscope import bounded_files
from ptoscope.cli.main import main
bounded_files.PATIENCE = 0.1
sys.exit(main())
"""


def attempt(rng: random.Random) -> None:
    """One command among files of random kinds."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        (directory / "k.pto").write_text(_KERNEL)
        kinds = {file: rng.choice(_KINDS) for file in _NAMES}
        kept = [_make(directory / file, kind, rng) for file, kind in kinds.items()]
        argv = rng.choice(_COMMANDS).split()
        with open(rng.choice(("/dev/zero", "/dev/null"))) as stdin:
            ran = subprocess.run(
                [sys.executable, "-c", _SCRIPT, *argv],
                cwd=directory,
                stdin=stdin,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=SECONDS,
                preexec_fn=_limited,
            )
        del kept
    said = f"{argv} with {kinds}: exit status {ran.returncode}\n{ran.stderr[-2000:]}"
    assert ran.returncode in (0, 1, 2), said
    assert "internal error" not in ran.stderr, said
    assert "Traceback" not in ran.stderr, said


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


def _make(path: Path, kind: str, rng: random.Random) -> object:
    """Makes a file of a kind; what is returned has to live as long as it."""
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to(rng.choice(_DEVICES))
    elif kind == "socket":
        bound = socket.socket(socket.AF_UNIX)
        bound.bind(str(path))
        return bound
    elif kind == "folder":
        path.mkdir()
    elif kind == "hole":
        with open(path, "wb") as file:
            file.write(_HEADER)
            file.truncate(rng.choice((1 << 20, 1 << 33, 1 << 42)))
    elif kind == "damaged":
        data = bytearray(_HEADER + bytes(36))
        for _ in range(rng.randrange(4)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(data[: rng.randrange(len(data) + 1)])
    elif kind == "loop":
        path.symlink_to(path.name)
    elif kind == "kernel":
        path.write_text(_KERNEL)
    return None
