"""What people are shown of a value, of memory or of the pipes: a text and the numbers in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ptoscope.isa.dtypes import BF16, F32, UI8, DType
from ptoscope.isa.formats import FORMATS
from ptoscope.isa.types import Mask, Ptr, Type
from ptoscope.machine.elements import storage
from ptoscope.machine.lanes import NumpyLanes
from ptoscope.machine.memory import Memory, gm_base, gm_position
from ptoscope.machine.pipes import Pipes
from ptoscope.machine.stream import LoadStream, Stream
from ptoscope.ranges import MemoryRange
from ptoscope.readable import mask_text, numbers_text, signals_text, stream_text


class Shown(NamedTuple):
    """A text, and the numbers that it is about."""

    text: str
    values: tuple[int | float, ...] = ()


def shown_value(kind: Type, value: object, memory: Memory) -> Shown:
    """A value of a type: a mask, given as its lanes, as those that are active; a pointer as the
    place in memory."""
    if isinstance(value, (Stream, LoadStream)):
        held, address = held_bytes(value)
        return Shown(stream_text(held, address), tuple(held))
    assert isinstance(value, NumpyLanes)
    lanes = elements(value.dtype, np.atleast_1d(value.a))
    match kind:
        case Mask():
            text = mask_text(lanes)
        case Ptr():
            arrays = {position: f"%{array.name}" for position, array in memory.regions.items()}
            text = pointer_text(kind, int(lanes[0]), arrays)
        case _:
            text = numbers_text(lanes)
    return Shown(text, tuple(map(_number, lanes)))


def pointer_text(kind: Ptr, address: int, parameters: Mapping[int, str]) -> str:
    """A pointer as the bytes it points to are named; `parameters` are names by position."""
    if kind.space != "gm":
        return f"{kind.space}:{address:#x}"
    position = gm_position(address)
    if position not in parameters:
        return hex(address)
    return f"{parameters[position]}:{address - gm_base(position):#x}"


def shown_memory(memory: Memory, asked: MemoryRange) -> Shown:
    """Bytes of a memory, as elements of their type."""
    regions = {f"%{region.name}": region for region in memory.regions.values()}
    region = (regions | memory.own)[asked.space]
    begin, end = asked.of(region.size)
    dtype = asked.dtype or UI8
    lanes = elements(dtype, region.data[begin:end].copy().view(storage(dtype)))
    return Shown(numbers_text(lanes), tuple(map(_number, lanes)))


def shown_signals(pipes: Pipes) -> Shown:
    """Flags that are set and buffers that are held."""
    return Shown(signals_text(*signals(pipes)))


def signals(pipes: Pipes) -> tuple[dict[str, int], dict[str, int]]:
    """Flags that are set and buffers that are held, by their names, and how often."""
    flags = {str(flag): count for flag, count in pipes.left_set().items()}
    held = {f"{pipe} buffer {number}": count for (pipe, number), count in pipes.held().items()}
    # In the order of names: engines come to know of them in orders of their own.
    return dict(sorted(flags.items())), dict(sorted(held.items()))


def held_bytes(stream: Stream | LoadStream) -> tuple[bytes, int | None]:
    """The bytes that a stream holds, and the address of the first; None of one that has not
    begun."""
    if isinstance(stream, LoadStream):
        return stream.block, stream.low
    start = None if stream.end is None else stream.end - len(stream.pending)
    return stream.pending, start


def elements(dtype: DType, lanes: Any) -> Any:
    """Lanes as numbers of a type that NumPy has; a byte of 4-bit floats as two."""
    if dtype is BF16:
        return NumpyLanes(lanes, dtype, len(lanes)).cast(F32).a
    if not dtype.is_float or storage(dtype).kind == "f":
        return lanes
    if dtype.bits < 8:
        # The first of two is in the low half of their byte.
        lanes = np.stack((lanes & 0xF, lanes >> 4), axis=1).reshape(-1)
    decoded = FORMATS[dtype].decode(NumpyLanes(lanes, UI8, len(lanes)))
    assert isinstance(decoded, NumpyLanes)
    return decoded.a


def _number(lane: Any) -> int | float:
    return lane.item() if lane.dtype.kind == "f" else int(lane)
