"""Every copy of the matrix core, with all of its numbers and addresses as arguments.

The kernel is the example of its reference page, which fills what it reads and shows what it
writes; the numbers of the instruction itself are those that are attacked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import ptoscope
from ptoscope import PtoError
from ptoscope.docs.example import Example, example
from ptoscope.docs.matrix_example import is_of_matrix
from ptoscope.isa import TABLE
from ptoscope.kernel import Kernel
from tests.attack.guard import GuardedArray, guard_ub

_FILL = 0x3C
_STATEMENT = re.compile(r"(?<=// The instruction\.\n)(.*?)(?=\n *pto\.barrier)", re.DOTALL)
_NUMBER = re.compile(r"%c(-?\d+)_i64\b")
_POINTER = re.compile(r"(%\w+) = pto\.castptr %c(\d+)_i64 : i64 -> (\S+, \w+>)")
_PARAMETERS = re.compile(r"func\.func @example\((.*?)\) attributes", re.DOTALL)

NAMES = tuple(
    name.removeprefix("pto.")
    for name, record in TABLE.items()
    if record.path is not None and is_of_matrix(record)
)


@dataclass(frozen=True)
class MatrixCopy:
    """A kernel that takes the numbers of a copy after its arrays, and those that are legal."""

    example: Example
    text: str
    numbers: dict[str, int]


@cache
def matrix_copy(name: str) -> MatrixCopy:
    """The copy of that name."""
    shown = example(TABLE[f"pto.{name}"], "a5")
    statement = _STATEMENT.search(shown.text)
    assert statement is not None
    numbers: dict[str, int] = {}

    def argument(match: re.Match[str]) -> str:
        numbers[f"n{len(numbers)}"] = int(match[1])
        return f"%n{len(numbers) - 1}"

    rewritten = _NUMBER.sub(argument, statement[0])
    for pointer, address, kind in _POINTER.findall(shown.text):
        if re.search(rf"{pointer}\b", rewritten):
            at = f"at{len(numbers)}"
            numbers[at] = int(address)
            rewritten = re.sub(rf"{pointer}\b", f"%p_{at}", rewritten)
            rewritten = f"%p_{at} = pto.castptr %{at} : i64 -> {kind}\n{rewritten}"
    text = shown.text.replace(statement[0], rewritten)
    more = "".join(f", %{number}: i64" for number in numbers)
    text = _PARAMETERS.sub(lambda m: m[0].replace(m[1], m[1] + more), text)
    return MatrixCopy(shown, text, numbers)


@cache
def _kernel(name: str) -> Kernel:
    return ptoscope.load(matrix_copy(name).text, force=True)


@cache
def _arrays(name: str) -> list[GuardedArray]:
    guard_ub()
    return [GuardedArray(buffer.array().nbytes) for buffer in matrix_copy(name).example.buffers]


def run_matrix_copy(name: str, numbers: dict[str, int], engine: str) -> tuple[str, bytes]:
    """The fault, or the bytes of all arrays."""
    arrays = _arrays(name)
    given: list[Any] = []
    for array, buffer in zip(arrays, matrix_copy(name).example.buffers, strict=True):
        content = buffer.array()
        array.fill(_FILL)
        array.bytes[:] = content.view("uint8")
        given.append(array.bytes.view(content.dtype))
    try:
        _kernel(name)(*given, *numbers.values(), engine=engine)
        said = ""
    except PtoError as error:
        said = str(error.diagnostics[0])
    around = all(array.untouched_around(_FILL) for array in arrays)
    assert around, f"{name}: bytes around an array have changed"
    return said, b"" if said else b"".join(array.tobytes() for array in given)
