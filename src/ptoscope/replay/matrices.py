"""The tiles of an instruction as matrices: which element lies where in which memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ptoscope.isa.dtypes import UI8, DType
from ptoscope.isa.tiles import SCALED, TileLayout, TileMove, TileProduct, plain
from ptoscope.replay.history import History
from ptoscope.trace.recording import TileStep
from ptoscope.trace.trace import Column

MOST_MATRICES = 16
"""Of an instruction that moves several matrices, how many are looked at."""


class ShownMatrix(NamedTuple):
    """One matrix in a memory. `role` is what it is to its instruction: source and target of a
    move, left, right, bias and result of a product. The right one is k by n, though it lies
    transposed."""

    role: str
    space: int
    begin: int
    rows: int
    columns: int
    dtype: DType
    layout: TileLayout[int]
    writes: bool

    def byte(self, row: int, column: int) -> int:
        """Where an element lies in its memory."""
        down, along = self.layout
        at = sum(
            index // axis.width * axis.block + index % axis.width * axis.step
            for axis, index in ((down, row), (along, column))
        )
        return self.begin + at

    def bytes(self, rows: range, columns: range) -> Column:
        """Where some of its elements lie, row by row."""
        sides: list[Column] = []
        for axis, indices in zip(self.layout, (rows, columns), strict=True):
            index = np.array(indices, dtype=np.int64)
            sides.append(index // axis.width * axis.block + index % axis.width * axis.step)
        return self.begin + sides[0][:, None] + sides[1][None, :]

    @property
    def layout_name(self) -> str:
        """How it lies, in words."""
        down, along = self.layout
        if down.width == along.width == 1:
            return "by columns" if 0 < down.step < along.step else "by rows"
        if down.width == 1:
            return f"NZ: blocks of {along.width} columns"
        if along.width == 1:
            return f"transposed NZ: blocks of {down.width} rows"
        return f"fractals of {down.width} x {along.width}"


def matrices_at(run: History, index: int) -> list[ShownMatrix]:
    """The matrices of the instruction of a moment, what it writes first; none where it works on
    no tiles."""
    return of_steps(run.recording.tiles.get(index, []))


def elements(
    run: History, index: int, matrix: ShownMatrix, rows: range, columns: range
) -> tuple[NDArray[np.generic], NDArray[np.bool_]]:
    """Some elements of a matrix after a moment, row by row, as they are held; and which have
    undefined bits."""
    size = matrix.dtype.bytes
    at = matrix.bytes(rows, columns)[..., None] + np.arange(size)
    data, undefined = run.memories.at(matrix.space, index)
    held = np.ascontiguousarray(data[at]).view(matrix.dtype.storage)[..., 0]
    return held, (undefined[at] != 0).any(axis=-1)


def of_steps(steps: Sequence[TileStep]) -> list[ShownMatrix]:
    """The matrices of all that an instruction did to tiles; where it did something twice, as for
    two vector cores, they are numbered."""
    if len(steps) < 2:
        return [matrix for step in steps for matrix in matrices_of(step)]
    return [
        matrix._replace(role=f"{matrix.role} {number}")
        for number, step in enumerate(steps[:MOST_MATRICES])
        for matrix in matrices_of(step)
    ]


def matrices_of(step: TileStep) -> list[ShownMatrix]:
    """Those of one move or product."""
    tile = step.tile
    return _moved(tile, step) if isinstance(tile, TileMove) else _multiplied(tile, step)


def _moved(move: TileMove[int], step: TileStep) -> list[ShownMatrix]:
    loop = move.matrices
    count = 1 if loop is None else min(loop.count, MOST_MATRICES)
    strides = (0, 0) if loop is None else (loop.src_stride, loop.dst_stride)
    wide = move.columns if move.filled is None else move.filled
    (source, read), (target, written) = step.begins["source"], step.begins["target"]
    found: list[ShownMatrix] = []
    for number in range(count):
        which = "" if count == 1 else f" {number}"
        read_at, written_at = read + number * strides[0], written + number * strides[1]
        found += [
            ShownMatrix(
                f"target{which}",
                target,
                written_at,
                move.rows,
                wide,
                move.target_type,
                move.target_layout,
                True,
            ),
            ShownMatrix(
                f"source{which}",
                source,
                read_at,
                move.rows,
                move.columns,
                move.source_type,
                move.source_layout,
                False,
            ),
        ]
    return found


def _multiplied(product: TileProduct[int], step: TileStep) -> list[ShownMatrix]:
    m, n, k = product.m, product.n, product.k
    parts = [
        ("result", m, n, product.result_type, product.result),
        ("left", m, k, product.left_type, product.left),
        ("right", k, n, product.right_type, product.right.transposed),
    ]
    found = [
        ShownMatrix(base, *step.begins[base], rows, columns, dtype, layout, base == "result")
        for base, rows, columns, dtype, layout in parts
    ]
    groups = -(-k // SCALED)
    size = product.result_type.bytes
    for role, memory, at, rows, columns, dtype, layout in (
        ("bias", "bt", product.bias, 1, n, product.result_type, plain(n * size, size)),
        ("left scales", "l0a_scale", product.left_scales, m, groups, UI8, plain(groups, 1)),
        (
            "right scales",
            "l0b_scale",
            product.right_scales,
            groups,
            n,
            UI8,
            plain(groups, 1).transposed,
        ),
    ):
        if at is not None:
            place = step.begins[memory, at]
            found.append(ShownMatrix(role, *place, rows, columns, dtype, layout, False))
    return found
