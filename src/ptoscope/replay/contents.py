"""What values and bytes look like in a terminal: in a few words, or every lane in a grid."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ptoscope import readable
from ptoscope.isa.dtypes import UI8, DType
from ptoscope.isa.types import Mask, Ptr, Type
from ptoscope.machine.shown import pointer_text
from ptoscope.replay.elements import ElementForm, element_texts
from ptoscope.trace.recording import Content, LaneContent, StreamContent

WIDTH = 100
"""Characters of a line, where nobody says how many there are."""
ENDS = 3
"""Lanes that are shown of each end of a vector."""


def lanes_of(kind: Type, content: LaneContent) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """The lanes of a value, of a mask one for each lane of its type, and whether each has
    undefined bits."""
    lanes = np.asarray(content.lanes)
    undefined = np.zeros(len(lanes), bool) if content.undefined is None else content.undefined != 0
    step = max(1, len(lanes) // kind.lanes) if isinstance(kind, Mask) else 1
    return lanes[::step], undefined[::step]


def in_words(kind: Type, content: Content, parameters: Sequence[str] = ()) -> str:
    """A value in a few words: a number, the first and last lanes, which lanes of a mask are
    active. Undefined lanes have a question mark. `parameters` are the names of a kernel's, for
    pointers into their arrays."""
    if isinstance(content, StreamContent):
        return stream_text(content)
    lanes, undefined = lanes_of(kind, content)
    if isinstance(kind, Ptr):
        text = pointer_text(kind, int(lanes[0]), dict(enumerate(parameters)))
        return text + "?" * bool(undefined[0])
    if isinstance(kind, Mask):
        doubt = f", {int(undefined.sum())} undefined" if undefined.any() else ""
        return f"{active_text(lanes)}{doubt}"
    if len(lanes) == 1:
        return _marked(element_texts(content.dtype, lanes), undefined)[0]
    return ends_text(content.dtype, lanes, undefined)


def ends_text(
    dtype: DType, lanes: NDArray[Any], undefined: NDArray[np.bool_], form: ElementForm = "value"
) -> str:
    """The first and last of many elements, or the one that all are."""
    # As bits: a NaN is no other than itself, and -0 another than 0.
    raw = np.ascontiguousarray(lanes).view(f"u{lanes.itemsize}")
    is_one = undefined.all() if undefined.any() else (raw == raw[0]).all()
    if is_one and len(lanes) > 1:
        return f"{len(lanes)} x {_marked(element_texts(dtype, lanes[:1], form), undefined[:1])[0]}"
    if len(lanes) <= 2 * ENDS:
        return f"[{' '.join(_marked(element_texts(dtype, lanes, form), undefined))}]"
    ends = np.r_[:ENDS, len(lanes) - ENDS : len(lanes)]
    texts = _marked(element_texts(dtype, lanes[ends], form), undefined[ends])
    inside = int(undefined[ENDS:-ENDS].sum())
    doubt = f" ({inside} more undefined)" if inside else ""
    return f"[{' '.join(texts[:ENDS])} .. {' '.join(texts[ENDS:])}]{doubt}"


def _marked(texts: list[str], undefined: NDArray[np.bool_]) -> list[str]:
    return [text + "?" * bool(bad) for text, bad in zip(texts, undefined, strict=True)]


def stream_text(content: StreamContent) -> str:
    """The state of a stream of unaligned accesses."""
    return readable.stream_text(*content)


def active_text(lanes: NDArray[np.bool_]) -> str:
    """Which lanes of a mask are active; of a mask with many pieces how many."""
    return readable.mask_text(lanes, ENDS)


def lane_grid(
    kind: Type,
    content: LaneContent,
    active: NDArray[np.bool_] | None = None,
    form: ElementForm = "value",
    width: int = WIDTH,
) -> list[str]:
    """Every lane: rows of lanes behind the number of their first. Lanes that are not `active`
    are in parentheses, those with undefined bits have a question mark."""
    lanes, undefined = lanes_of(kind, content)
    if isinstance(kind, Mask):
        texts = ["1" if lane else "." for lane in lanes.tolist()]
    else:
        texts = element_texts(content.dtype, lanes, form)
    texts = _marked(texts, undefined)
    if active is not None and len(active) == len(texts):
        texts = [t if on else f"({t})" for t, on in zip(texts, active.tolist(), strict=True)]
    return grid(texts, range(len(texts)), width)


def grid(texts: Sequence[str], labels: Sequence[int | str], width: int = WIDTH) -> list[str]:
    """Texts in rows of 4, 8 or more, as many as fit, each row behind the label of its first."""
    cell, label = max(map(len, texts), default=1), max(len(str(one)) for one in (*labels, ""))
    room = max(1, (width - label - 1) // (cell + 1))
    row = 1 << min(room.bit_length() - 1, 5)
    return [
        f"{labels[at]!s:>{label}} " + " ".join(f"{one:>{cell}}" for one in texts[at : at + row])
        for at in range(0, len(texts), row)
    ]


def memory_grid(
    data: NDArray[np.uint8],
    undefined: NDArray[np.bool_],
    begin: int,
    dtype: DType | None,
    width: int = WIDTH,
) -> list[str]:
    """Bytes from an address on: as hexadecimal digits, and beside them as elements of a type or
    as characters. What is undefined has a question mark, of bytes it is `??`."""
    size = 1 if dtype is None else dtype.bytes
    digits = ["??" if bad else f"{byte:02x}" for byte, bad in zip(data, undefined, strict=True)]
    if dtype is None:
        beside = [chr(byte) if 32 <= byte < 127 else "." for byte in data.tolist()]
    else:
        texts = element_texts(dtype, data.view(dtype.storage))
        beside = _marked(texts, undefined.reshape(-1, size).max(axis=1, initial=False))
    cell = max(map(len, beside), default=1)
    address = len(f"{begin + len(data):#x}")
    # An element takes its digits, a blank after every four bytes, and its text.
    row = min(64, max(size, 4, 1 << (len(data) - 1).bit_length()))
    while row > max(size, 4) and address + 2 + row * 9 // 4 + row // size * (cell + 1) > width:
        row //= 2
    lines: list[str] = []
    for at in range(0, len(data), row):
        upto = min(at + row, len(data))
        words = [range(a, min(b, upto)) for a, b in pairwise(range(at, upto + 4, 4))]
        shown = " ".join("".join(digits[n] for n in word) for word in words)
        part = beside[at // size : upto // size]
        text = "".join(part) if dtype is None else " ".join(f"{one:>{cell}}" for one in part)
        lines.append(f"{begin + at:#0{address}x} {shown:<{row * 9 // 4 - 1}}  {text}".rstrip())
    return lines


def byte_text(data: NDArray[np.uint8], undefined: NDArray[np.uint8], dtype: DType | None) -> str:
    """Bytes, and which of their bits are undefined, in a few words: as elements of a type."""
    element = dtype or UI8
    lanes = np.ascontiguousarray(data).view(element.storage)
    bad = (undefined.reshape(-1, lanes.itemsize) != 0).any(axis=1)
    return ends_text(element, lanes, bad, "value" if dtype else "hex")
