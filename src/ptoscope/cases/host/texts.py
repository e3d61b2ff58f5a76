"""Text in the memory of a host program: strings that end with a zero, and what printf makes."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ptoscope.cases.host.tokens import Unreadable
from ptoscope.cases.host.values import Pointer

_PIECE = re.compile(
    r"%(?P<flags>[-+ 0#]*\d{0,3})(?P<length>hh|h|ll|l|j|z|t)?(?P<kind>[a-zA-Z%])|%.{0,8}"
)
_BITS = {"hh": 8, "h": 16, None: 32}


def text_of(value: Any) -> Any:
    """The string that a pointer to characters points to; any other value as it is."""
    if not isinstance(value, Pointer) or value.element is None or value.element.size != 1:
        return value
    data = value.memory.data[value.offset : value.memory.size].tobytes()
    return data[: data.index(0)].decode("utf-8", "replace") if 0 in data else value


def put_text(target: Pointer, size: int, text: str, where: str) -> int:
    """Stores as much of a text as fits with its zero; its whole length."""
    data = text.encode()
    if size:
        stored = data[: size - 1] + b"\0"
        target.bytes(len(stored), where)[:] = np.frombuffer(stored, np.uint8)
    return len(data)


def formatted(pattern: Any, values: list[Any], where: str) -> str:
    """What printf makes of integers and strings; Unreadable for any other conversion."""
    left = iter(values)

    def put(piece: re.Match[str]) -> str:
        kind = piece["kind"]
        if kind == "%":
            return "%"
        value = text_of(next(left, None)) if kind else None
        if kind == "s" and isinstance(value, str):
            return f"%{piece['flags']}s" % value
        if isinstance(value, int) and kind in "diuxX":
            bits = _BITS.get(piece["length"], 64)
            value %= 1 << bits
            if kind in "di" and value >> (bits - 1):
                value -= 1 << bits
            return f"%{piece['flags']}{kind}" % value
        raise Unreadable(f"{where}: cannot format {piece.group()}")

    if not isinstance(pattern, str):
        raise Unreadable(f"{where}: cannot tell what the format is")
    return _PIECE.sub(put, pattern)
