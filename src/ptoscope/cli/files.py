"""Files in and out: kernels and arguments read, results written whole or not at all."""

from __future__ import annotations

import os
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ptoscope.bounded_files import open_to_read, read_all, read_file, unreadable
from ptoscope.cli.output import MEMORY
from ptoscope.cli.words import Word, is_made, made, most_data, parse_word
from ptoscope.diagnostics import UsageError

if TYPE_CHECKING:
    from ptoscope.isa.dtypes import DType

NOT_DIVISIBLE = "PTO0805"
BROKEN_FILE = "PTO0806"


class BadData(Exception):
    """The data of an argument is wrong."""

    def __init__(
        self, code: str, message: str, found: str = "", expected: str = "", hint: str = ""
    ) -> None:
        super().__init__(message)
        self.code, self.message, self.found = code, message, found
        self.expected, self.hint = expected, hint


@dataclass
class ArrayFile:
    """An array argument.

    `given` is the array with its own shape and type, native and dense; `seen` the same
    memory as elements of the pointer. `dtype` is the type to save it in, which may have
    another byte order.
    """

    given: Any
    seen: Any
    dtype: Any


STDIN = Path("-")
"""The name of the kernel that comes from standard input."""


def read_kernel(path: Path) -> tuple[str, str]:
    """The name and the text of a kernel, as `sources.read`; `-` is standard input."""
    from ptoscope.sources import decoded, read

    if path != STDIN:
        return read(path)
    if sys.stdin is None:
        raise UsageError("cannot read standard input: there is none")
    name = kernel_name(path)
    try:
        return name, decoded(bytes(read_all(sys.stdin.buffer)), name)
    except OSError as error:
        raise UsageError(f"cannot read standard input: {error.strerror}") from None


def kernel_name(path: Path) -> str:
    """What a kernel is called in messages."""
    return "<stdin>" if path == STDIN else str(path)


def readable(path: str) -> Path:
    """The path; UsageError if it is no file that can be read. A pipe is not opened: what is
    in it can be read only once."""
    if path == "-":
        return STDIN
    try:
        reason = unreadable(os.stat(path))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"cannot read {path}: {reason}") from None
    if reason or not os.access(path, os.R_OK):
        raise UsageError(f"cannot read {path}: {reason or 'no permission'}")
    return Path(path)


def read_word(text: str) -> Word:
    """An argument's form, and that its file is there; UsageError otherwise."""
    word = parse_word(text)
    if word.kind in ("npy", "bin"):
        readable(text)
    return word


def read_buffer(word: Word, element: DType, seed: int = 0) -> ArrayFile:
    """The memory of a pointer argument; BadData if its contents do not fit. `seed` tells the
    random arrays of one command line apart."""
    import numpy as np

    from ptoscope.arguments import WRONG_DTYPE, array_dtype

    try:
        if is_made(word):
            given = made(word, element, seed)
        elif word.kind == "npy":
            given = _read_npy(word.text)
        else:
            raw = read_file(word.text, most_data())
            _check_size(len(raw), element)
            given = np.frombuffer(raw, element.storage)
    except OSError as error:
        raise UsageError(f"cannot read {word.text}: {error.strerror}") from None
    except TypeError as error:
        wanted = "a floating-point pointer, or arange:N"
        raise BadData(WRONG_DTYPE, str(error), expected=wanted) from None
    except (MemoryError, OverflowError, ValueError):
        raise BadData(MEMORY, "there is not enough memory for it") from None
    if word.kind == "npy":
        _check_type(given, element)
    # order="C": the kernel sees the elements in the order of their indices.
    native = np.array(given, dtype=given.dtype.newbyteorder("="), order="C", copy=None)
    memory = native.reshape(-1).view(np.uint8) if native.nbytes else np.empty(0, np.uint8)
    return ArrayFile(native, memory.view(array_dtype(element)), given.dtype)


def _check_type(given: Any, element: DType) -> None:
    """As from Python; the other byte order is no other type, the file says which it has."""
    from ptoscope.arguments import WRONG_DTYPE, array_dtype, fits

    if not fits(given.dtype.newbyteorder("="), element):
        raise BadData(
            WRONG_DTYPE,
            "the array has other elements than the pointer",
            found=f"{given.dtype} array of shape {given.shape}",
            expected=f"{array_dtype(element)} elements for {element}",
            hint=f"save it with .astype({array_dtype(element)}), or its bytes to a .bin file",
        )


def _check_size(size: int, element: DType) -> None:
    if size % element.bytes:
        raise BadData(
            NOT_DIVISIBLE,
            f"the file does not hold a whole number of {element} elements",
            found=f"{size} bytes",
            expected=f"a multiple of {element.bytes} bytes",
        )


def _read_npy(path: str) -> Any:
    with open_to_read(path, most_data()) as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _npy_array(file)


def _npy_array(file: BinaryIO) -> Any:
    import numpy as np

    try:
        # read_array and not np.load, which also opens archives and pickles.
        return np.lib.format.read_array(file, allow_pickle=False)
    except MemoryError:
        raise
    except Exception as error:
        reason = str(error).split("\n")[0] or type(error).__name__
        if "allow_pickle" in reason:
            reason = "it holds Python objects"
        raise BadData(BROKEN_FILE, "the file is not a readable .npy array", reason) from None
