"""The C side: compiles bench/c into a temporary directory and calls its functions."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

SOURCES = Path(__file__).with_name("c")
# No result depends on the last two: they promise that nobody reads errno or the exception
# flags of floats, without which gcc leaves the exponential scalar. Contraction would change
# results, so it is off; -ffast-math is not used.
FLAGS = ("-O3", "-march=native", "-ffp-contract=off", "-fno-trapping-math", "-fno-math-errno")


class NoCompiler(Exception):
    """There is no C compiler, or it refuses a source; says which."""


def function(name: str, source: str | None = None) -> Callable[[Sequence[Any]], None]:
    """The C function of this name, as a call with a kernel's arguments: arrays become
    pointers, Python floats float, and ints int32_t. `source` is its file, if named otherwise."""
    symbol = getattr(library(source or name), name)
    symbol.restype = None

    def call(arguments: Sequence[Any]) -> None:
        symbol(*map(_argument, arguments))

    return call


def compiler() -> str:
    """The first line of the compiler's version."""
    cc = shutil.which("cc")
    if cc is None:
        raise NoCompiler("there is no `cc`; install a C compiler")
    shown = subprocess.run((cc, "--version"), check=True, capture_output=True, text=True)
    return shown.stdout.splitlines()[0]


def _argument(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return ctypes.c_void_p(value.ctypes.data)
    return ctypes.c_float(value) if isinstance(value, float) else ctypes.c_int32(value)


@cache
def library(name: str) -> ctypes.CDLL:
    """A source of this name, compiled."""
    compiler()
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, f"{name}.so")
        source = SOURCES / f"{name}.c"
        command = (
            "cc",
            *FLAGS,
            "-shared",
            "-fPIC",
            "-pthread",
            "-o",
            str(path),
            str(source),
            "-lm",
        )
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise NoCompiler(f"{' '.join(command)}: {done.stderr.strip()}")
        # A loaded library outlives its file.
        return ctypes.CDLL(str(path))
