"""Arguments of `run` as they are written: files, arrays that are made, numbers."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from ptoscope.bounded_files import free_memory
from ptoscope.cli.options import LONGEST_NUMBER, number
from ptoscope.diagnostics import UsageError

if TYPE_CHECKING:
    from ptoscope.isa.dtypes import DType

MadeArray = Literal["zeros", "undefined", "randn", "arange"]
"""Arrays that no file holds: zeros; zeros that count as undefined; standard normal numbers, the
same in every run; 0, 1, 2 and so on."""
ARRAYS = "a .npy or .bin file, zeros:N, undefined:N, randn:N or arange:N"


_PIECE = 1 << 16


class Word(NamedTuple):
    """An argument as written on the command line; `shape` belongs to an array that is made,
    `value` to a number."""

    text: str
    kind: Literal["npy", "bin", "number"] | MadeArray
    shape: tuple[int, ...] = ()
    value: int | float | bool = 0


def parse_word(text: str) -> Word:
    """An argument's form; UsageError for what is none."""
    made, colon, size = text.partition(":")
    for kind in get_args(MadeArray):
        if colon and made == kind:
            return Word(text, kind, shape=_shape(text, kind, size))
    with contextlib.suppress(ValueError):
        return Word(text, "number", value=number(text))
    suffix = os.path.splitext(text)[1].lower()
    if suffix not in (".npy", ".bin"):
        raise UsageError(f"cannot read the argument '{text}'; an argument is {ARRAYS}, or a number")
    return Word(text, "npy" if suffix == ".npy" else "bin")


def _shape(text: str, kind: str, size: str) -> tuple[int, ...]:
    sizes = size.split("x")
    if not all(n.isascii() and n.isdigit() and len(n) <= LONGEST_NUMBER for n in sizes):
        wanted = f"{kind}:N needs a number of elements, such as {kind}:64 or {kind}:20x300"
        raise UsageError(f"'{text}': {wanted}")
    return tuple(map(int, sizes))


def is_made(word: Word) -> bool:
    """Whether no file holds the array."""
    return word.kind in get_args(MadeArray)


def made(word: Word, element: DType, seed: int) -> Any:
    """The array that a word stands for; integers of `arange` wrap. `randn` is for floats:
    TypeError for others."""
    import numpy as np

    from ptoscope.arguments import array_dtype

    array = np.zeros(word.shape, element.storage)
    if word.kind in ("zeros", "undefined"):
        return array
    if array.nbytes > most_data():
        raise MemoryError
    if word.kind == "randn" and not element.is_float:
        raise TypeError(f"{word.text} is floating-point, {element} is not")
    random = np.random.default_rng(seed)
    for piece in pieces(array.size):
        if word.kind == "arange":
            row = np.arange(piece.start, piece.stop)
        else:
            row = random.standard_normal(piece.stop - piece.start)
        with np.errstate(all="ignore"):
            array.reshape(-1)[piece] = row.astype(array_dtype(element)).view(element.storage)
    return array


def most_data() -> int:
    """Returns the most bytes of an array that is filled: a run keeps what it holds before."""
    return free_memory() // 2


def pieces(size: int) -> Iterator[slice]:
    """Slices of an array of so many elements, one after the other: what is computed of one
    takes little memory."""
    for first in range(0, size, _PIECE):
        yield slice(first, min(first + _PIECE, size))
