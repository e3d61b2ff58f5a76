"""Random command lines on random files.

Whatever is asked, a command ends with status 0, 1 or 2, never with an internal error, says no
line of a megabyte, gives one JSON object where that is asked for, and writes nothing but what it
was told to.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import tempfile
from pathlib import Path
from unittest.mock import patch

from ptoscope.cli.commands import COMMANDS, COMMON
from ptoscope.cli.main import main
from tests.cli import python_kernels

SECONDS = 120

_EXAMPLES = Path(__file__).parents[2] / "examples"
_PYTHON = [python_kernels.AXPY, python_kernels.TWO, python_kernels.WITHOUT_WAIT]
_KERNELS = [path.read_text(encoding="utf-8") for path in sorted(_EXAMPLES.glob("*.pto"))]
_LONGEST = 100_000
_WORDS = (
    *("", "-", "--", "-1", "0", "1", "2", "64", "999999999", "1e9", "nan", "-inf", "0x10", "1_0"),
    *("zeros:64", "zeros:0", "zeros:-1", "zeros:8x8", "undefined:64", "arange:64", "randn:64"),
    *(
        "zeros:99999999999999999999",
        "true",
        "é",
        "\udcff",
        "x" * 300,
        "a=b",
        "vadd",
        "vc*",
        "PTO0101",
    ),
    *("seed:1", "lazy", "all", "a5", "a2a3", "cpu", "manual", "micro", "native", "reference"),
    *("vadd.f32.latency=3", "1=a.npy", "@row_softmax", "k.pto", "a.npy", "b.bin", "missing.pto"),
    *("folder", "/dev/null", "out", "k.pto/below"),
    *("k.py", "k.py:axpy", "k.py:first:n=2", "k.py:axpy:tile=64", "k.py:axpy:tile=(", "k.py:é"),
    *("k.py:pto", "k.py:plain", "k.py:", "a.npy:axpy", "missing.py:axpy", "folder.py"),
)
# Nothing here may take long by what it is asked for.
_BOUNDED = ("--max-steps", "2000")


def attempt(rng: random.Random) -> None:
    """One command line in a directory of its own."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        _fill(directory, rng)
        before = _listing(directory)
        argv = _line(rng)
        out, err = _Text(), _Text()
        here = os.getcwd()
        os.chdir(directory)
        try:
            with (
                contextlib.redirect_stdout(out),
                contextlib.redirect_stderr(err),
                patch("sys.stdin", io.TextIOWrapper(io.BytesIO(_file(rng)), "utf-8")),
            ):
                status = main(argv)
        finally:
            os.chdir(here)
        _judge(argv, status, out.getvalue(), err.getvalue())
        after = _listing(directory)
        changed = {path for path in before | after if before.get(path) != after.get(path)}
        told = {Path(word).parts[0] for word in argv if word.strip("/")}
        if "view" in argv:
            # Without --output the page has the name of its kernel.
            told |= {
                "kernel.html",
                "axpy.html",
                "first.html",
                *(f"{Path(word).stem}.html" for word in argv),
            }
        assert {Path(path).parts[0] for path in changed} <= told, (argv, changed)


class _Text(io.StringIO):
    encoding = "utf-8"


def _judge(argv: list[str], status: int, out: str, err: str) -> None:
    assert status in (0, 1, 2), (argv, status)
    assert "internal error: " not in out + err, (argv, out[-2000:], err[-2000:])
    assert "Traceback" not in err, (argv, err[-2000:])
    longest = max(len(line) for line in (out + err).split("\n"))
    assert longest < _LONGEST, (argv, longest)
    if "--json" in argv[: argv.index("--") if "--" in argv else None]:
        record = json.loads(out)
        assert record["ok"] == (status == 0), argv


def _line(rng: random.Random) -> list[str]:
    """A command with its options and words, some of them of other commands."""
    name = rng.choice([c for c in COMMANDS if c != "cases"])
    command = COMMANDS[name]
    words = [name]
    words += [
        rng.choice(("k.pto", "k.py", rng.choice(_WORDS)))
        for _ in range(rng.choice((0, 1, 1, 1, 2)))
    ]
    words += [rng.choice(_WORDS) for _ in range(rng.choice((0, 0, 1, 3, 4)))]
    options = rng.choices((*command.options, *COMMON), k=rng.choice((0, 0, 1, 2, 4)))
    for option in options:
        words.append(f"--{option.name}")
        if option.name in ("save", "trace", "keep", "junit"):
            words.append("out")
        elif option.value:
            words.append(rng.choice(option.choices or _WORDS))
    if rng.random() < 0.1:
        rng.shuffle(words)
    if rng.random() < 0.3:
        words.append("--json")
    if name in ("run", "time"):
        words += _BOUNDED
    return words


def _fill(directory: Path, rng: random.Random) -> None:
    for name in ("k.pto", "a.npy", "b.bin"):
        (directory / name).write_bytes(_file(rng))
    (directory / "k.py").write_bytes(_python(rng))
    (directory / "folder").mkdir()


def _python(rng: random.Random) -> bytes:
    """A file of kernels in Python, often damaged; sometimes another file under its name."""
    if rng.random() < 0.2:
        return _file(rng)
    return _damaged(rng.choice(_PYTHON).encode(), rng)


def _file(rng: random.Random) -> bytes:
    """A kernel, an array, or neither; often damaged."""
    kind = rng.choice(("kernel", "kernel", "kernel", "array", "bytes"))
    if kind == "bytes":
        return rng.randbytes(rng.choice((0, 1, 256, 5000)))
    if kind == "array":
        head = "{'descr': '<f4', 'fortran_order': False, 'shape': (64,), }"
        data = b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + bytes(256)
    else:
        data = rng.choice(_KERNELS).encode()
    return _damaged(data, rng)


def _damaged(data: bytes, rng: random.Random) -> bytes:
    """Data with some pieces gone, doubled or changed."""
    for _ in range(rng.choice((0, 0, 1, 1, 3, 20))):
        at = rng.randrange(len(data) + 1)
        piece = data[at : at + rng.choice((0, 1, 8, 100))]
        new = rng.choice((b"", piece * 2, rng.randbytes(2), b"(" * 300, b"%", b"\n", b"9" * 400))
        data = data[:at] + new + data[at + len(piece) :]
    return data


def _listing(directory: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(directory)): path.read_bytes() if path.is_file() else b""
        for path in directory.rglob("*")
    }
