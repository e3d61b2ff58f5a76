"""Elements of a tile in memory, as matrices: read and written where its layout says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ptoscope.isa.tiles import Axis, TileLayout
from ptoscope.machine.memory import Bytes

Matrix = Any
"""An ndarray of two axes: rows, columns."""


def read_tile(
    data: Bytes, at: int, layout: TileLayout[int], shape: tuple[int, int], kind: np.dtype[Any]
) -> Matrix:
    """The elements of a tile that begins at a byte; all of them are in memory."""
    made = np.empty(shape, kind)
    for part, view in _views(data, at, layout, shape, kind):
        made[part] = view.reshape(made[part].shape)
    return made


def write_tile(data: Bytes, at: int, layout: TileLayout[int], values: Matrix) -> None:
    """Writes the elements of a tile. Where some lie on others, they are written row after row,
    each row from its first column on."""
    shape, size = values.shape, values.dtype.itemsize
    if are_apart(layout, shape, size):
        for part, view in _views(data, at, layout, shape, values.dtype):
            view[...] = values[part].reshape(view.shape)
        return
    columns = offsets(layout.columns, shape[1])[:, None] + np.arange(size)
    for start, row in zip(at + offsets(layout.rows, shape[0]), values, strict=True):
        # Of equal places NumPy keeps what is assigned last.
        data[start + columns] = np.ascontiguousarray(row).view(np.uint8).reshape(-1, size)


def offsets(axis: Axis[int], count: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Where each index of an axis lies, in bytes."""
    index = np.arange(count, dtype=np.int64)
    return index // axis.width * axis.block + index % axis.width * axis.step


def are_apart(layout: TileLayout[int], shape: tuple[int, int], size: int) -> bool:
    """Whether it is certain that no two elements of a size share a byte: each step of the layout
    goes beyond all that the smaller ones reach."""
    loops = [
        loop
        for axis, count in zip(layout, shape, strict=True)
        for loop in (
            (min(count, axis.width), abs(axis.step)),
            (-(-count // axis.width), abs(axis.block)),
        )
        if loop[0] > 1
    ]
    reach = size
    for count, step in sorted(loops, key=lambda loop: loop[1]):
        if step < reach:
            return False
        reach += (count - 1) * step
    return True


class _Piece(NamedTuple):
    """Some indices of an axis that are whole blocks, or what is left of the last one."""

    indices: slice
    offset: int
    shape: tuple[int, int]
    strides: tuple[int, int]


def _pieces(axis: Axis[int], count: int) -> Iterator[_Piece]:
    whole, rest = divmod(count, axis.width)
    strides = axis.block, axis.step
    if whole:
        yield _Piece(slice(0, whole * axis.width), 0, (whole, axis.width), strides)
    if rest:
        yield _Piece(slice(whole * axis.width, count), whole * axis.block, (1, rest), strides)


def _views(
    data: Bytes, at: int, layout: TileLayout[int], shape: tuple[int, int], kind: np.dtype[Any]
) -> Iterator[tuple[tuple[slice, slice], Any]]:
    """Parts of the matrix, and each as a view of memory: blocks and rows, blocks and columns."""
    for rows in _pieces(layout.rows, shape[0]):
        for columns in _pieces(layout.columns, shape[1]):
            start = at + rows.offset + columns.offset
            view = np.ndarray(
                rows.shape + columns.shape, kind, data, start, rows.strides + columns.strides
            )
            yield (rows.indices, columns.indices), view
