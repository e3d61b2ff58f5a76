"""How people name bytes of a memory: `ub:0x100..0x140:f32`, `%x:0..64`, `ub:256`."""

from __future__ import annotations

import re
from typing import NamedTuple

from ptoscope.diagnostics import UsageError, nearest
from ptoscope.isa.dtypes import ELEMENTS, DType, dtype

_FORM = re.compile(
    r"(%?[A-Za-z_][\w$.-]*|%\d+)(?::(0[xX][0-9a-fA-F]+|\d+)(\.\.(0[xX][0-9a-fA-F]+|\d+)?)?)?"
    r"(?::([A-Za-z]\w*))?",
    re.ASCII,
)
_MOST = 20
"""Characters of an address; no memory is larger than what they can say."""


class MemoryRange(NamedTuple):
    """Bytes of a memory from `begin` to before `end`, which is None for all from there on, as
    elements of a type, or as bytes where it is None. `space` is `ub`, or `%x` for the array of a
    parameter."""

    space: str
    begin: int = 0
    end: int | None = None
    dtype: DType | None = None

    def __str__(self) -> str:
        end = "" if self.end is None else hex(self.end)
        kind = f":{self.dtype}" if self.dtype else ""
        return f"{self.space}:{self.begin:#x}..{end}{kind}"

    def of(self, size: int) -> tuple[int, int]:
        """Its first byte and the one after its last, in a memory of this size. UsageError where
        it is outside, or no whole number of elements."""
        end = size if self.end is None else self.end
        if not 0 <= self.begin < end <= size:
            raise UsageError(f"{self}: {self.space} has bytes 0 to {size - 1}")
        width = self.dtype.bytes if self.dtype else 1
        if (end - self.begin) % width:
            held = f"{end - self.begin} bytes are no whole number of {self.dtype}"
            raise UsageError(f"{self}: {held}, of {width} bytes each")
        return self.begin, end


def parse_range(text: str) -> MemoryRange:
    """The bytes that a text names: a memory, where they begin, where they end, and the type of
    the elements, all but the memory left out at will. A begin alone is one element there.
    UsageError for anything else."""
    found = _FORM.fullmatch(text)
    if found is None or any(len(part or "") > _MOST for part in (found[2], found[4])):
        raise UsageError(f"'{text[:60]}' names no bytes; write ub:0x100..0x140:f32, or ub:256")
    space, begin, upto, end, kind = found.groups()
    element = _element(kind) if kind else None
    first = _address(begin or "0")
    if begin and not upto:
        return MemoryRange(space, first, first + (element.bytes if element else 1), element)
    last = None if end is None else _address(end)
    if last is not None and last <= first:
        raise UsageError(f"'{text[:60]}': it ends before it begins")
    return MemoryRange(space, first, last, element)


def _address(text: str) -> int:
    return int(text, 16 if text[:2].lower() == "0x" else 10)


def _element(name: str) -> DType:
    try:
        return dtype(name)
    except KeyError:
        names = [one.name for one in ELEMENTS]
        hint = nearest(name, names) or f"there are {', '.join(names)}"
        raise UsageError(f"'{name[:60]}' is no type of elements; {hint}") from None
