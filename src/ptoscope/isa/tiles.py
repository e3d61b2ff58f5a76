"""The contract of tiles: where the elements of a matrix lie in a memory, and how one moves.

The matrix unit works on fractals: blocks of 16 rows of 32 bytes. Each layout of the documents
(plain rows and columns, NZ, ZN, ZZ) is two axes that add up: `TileLayout` is the one map from
indices to addresses, which engines, checks, recorders, races and pages share. As for copies, only
what a number is differs: integers in a run, expressions before it (see `isa.copies.Numbers`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from ptoscope.isa.copies import BurstLoop, Numbers
from ptoscope.isa.dtypes import DType
from ptoscope.isa.footprint import Bursts
from ptoscope.isa.lanes import Lanes

FRACTAL_ROWS, FRACTAL_BYTES, BLOCK_BYTES = 16, 512, 32
RESULT_COLUMNS = 16
"""Columns of a block of a result, whatever its type."""

N = TypeVar("N")
M = TypeVar("M")


def block_columns(dtype: DType) -> int:
    """How many elements a row of a fractal has: 32 bytes of them (C0 in the documents)."""
    return BLOCK_BYTES // dtype.bytes


def blocks_of(count: Lanes, size: int) -> Lanes:
    """How many blocks of a size, a power of two, hold so many."""
    return (count + (size - 1)) >> (size.bit_length() - 1)


class Axis(NamedTuple, Generic[N]):
    """Where the indices of one dimension lie: index i at i div `width` blocks of `block` bytes
    and i mod `width` steps of `step` bytes."""

    width: int
    block: N
    step: N

    def map(self, number: Callable[[N], M]) -> Axis[M]:
        """The same in other numbers."""
        return Axis(self.width, number(self.block), number(self.step))


class TileLayout(NamedTuple, Generic[N]):
    """Where the elements of a matrix lie, from an address on: element (r, c) at the sum of where
    r and c lie."""

    rows: Axis[N]
    columns: Axis[N]

    @property
    def transposed(self) -> TileLayout[N]:
        """That of the matrix with rows and columns swapped, where it is."""
        return TileLayout(self.columns, self.rows)

    def map(self, number: Callable[[N], M]) -> TileLayout[M]:
        """The same in other numbers."""
        return TileLayout(self.rows.map(number), self.columns.map(number))


def plain(row: N, element: N) -> TileLayout[N]:
    """Row after row, so many bytes from a row to the next and from an element to the next."""
    return TileLayout(Axis(1, row, row), Axis(1, element, element))


def nz(dtype: DType, block: N, row: N, element: N, width: int | None = None) -> TileLayout[N]:
    """Blocks of 32 bytes of columns (or `width` columns), each with all its rows: `block` bytes
    from one block to the next, `row` from a row to the next, `element` inside a row."""
    columns = block_columns(dtype) if width is None else width
    return TileLayout(Axis(1, row, row), Axis(columns, block, element))


def zz(dtype: DType, band: N, fractal: N, row: N, element: N) -> TileLayout[N]:
    """Fractal after fractal along a band of 16 rows, then the next band."""
    return TileLayout(Axis(FRACTAL_ROWS, band, row), Axis(block_columns(dtype), fractal, element))


class ColumnParameters(NamedTuple, Generic[N]):
    """Parameters of the columns of a tile that moves: `dtype` elements from an address of a
    memory on, so many bytes apart."""

    memory: str
    address: N
    dtype: DType
    step: int

    def map(self, number: Callable[[N], M]) -> ColumnParameters[M]:
        """The same in other numbers."""
        return ColumnParameters(self.memory, number(self.address), self.dtype, self.step)


Convert = Callable[[Lanes, tuple[Lanes, ...]], Lanes]
"""What a row of elements becomes, with as many lanes of each of its column parameters and then of
its scalars. It uses no other values of a run."""


@dataclass(frozen=True)
class TileMove(Generic[N]):
    """One tile on its way from a memory to another: `rows` by `columns` elements, of which
    element (r, c) is read and written where the layouts say.

    `matrices` repeats it by (count, byte steps of source and destination). Columns from the last
    one up to `filled` are written as zeros. `convert` is applied on the way, to elements of the
    `source_type`; without it the bits move. `atomic` is the mode of an update of GM
    (`isa.atomics`). `core` is the vector core whose UB is read or written, where the core that
    moves it has none.
    """

    source: str
    target: str
    source_type: DType
    target_type: DType
    rows: N
    columns: N
    source_layout: TileLayout[N]
    target_layout: TileLayout[N]
    matrices: BurstLoop[N] | None = None
    filled: N | None = None
    convert: Convert | None = None
    parameters: tuple[ColumnParameters[N], ...] = ()
    atomic: N | None = None
    core: N | None = None
    alignment: tuple[int, int] = (1, 1)
    """What the addresses of source and destination are multiples of, in bytes."""
    scalars: tuple[Lanes, ...] = ()
    """Values of one lane, of any type, that `convert` needs."""

    def map(self, number: Callable[[N], M]) -> TileMove[M]:
        """The same move in other numbers."""

        def optional(value: N | None) -> M | None:
            return None if value is None else number(value)

        loop = self.matrices
        return TileMove(
            self.source,
            self.target,
            self.source_type,
            self.target_type,
            number(self.rows),
            number(self.columns),
            self.source_layout.map(number),
            self.target_layout.map(number),
            None
            if loop is None
            else BurstLoop(number(loop.count), number(loop.src_stride), number(loop.dst_stride)),
            optional(self.filled),
            self.convert,
            tuple(p.map(number) for p in self.parameters),
            optional(self.atomic),
            optional(self.core),
            self.alignment,
            self.scalars,
        )


@dataclass(frozen=True)
class TileProduct(Generic[N]):
    """One multiplication: result (m by n) = start + left (m by k) x right (k by n).

    Left is laid out as rows by k, right as columns by k (its rows are those of the transposed
    matrix), the result as rows by columns. Each element of the result is a sum in the order of
    k, beginning with the `start`: zero, what is there ("result"), or the bias of its column. In
    f32 every step is one fused multiply-add; integers wrap at 32 bits.

    `left_value` and `right_value` make a factor (f32, or i32 of integers) of a row of elements
    along k, with as many lanes of scales where there are; `result_value` is applied to the sums.
    """

    m: N
    n: N
    k: N
    left_type: DType
    right_type: DType
    result_type: DType
    left: TileLayout[N]
    right: TileLayout[N]
    result: TileLayout[N]
    start: str
    left_value: Callable[..., Lanes]
    right_value: Callable[..., Lanes]
    result_value: Callable[[Lanes], Lanes] | None = None
    bias: N | None = None
    left_scales: N | None = None
    """Where the scales of the left rows begin in their memory: one byte for 32 elements along k,
    row after row of k div 32."""
    right_scales: N | None = None

    def map(self, number: Callable[[N], M]) -> TileProduct[M]:
        """The same in other numbers."""

        def optional(value: N | None) -> M | None:
            return None if value is None else number(value)

        return TileProduct(
            number(self.m),
            number(self.n),
            number(self.k),
            self.left_type,
            self.right_type,
            self.result_type,
            self.left.map(number),
            self.right.map(number),
            self.result.map(number),
            self.start,
            self.left_value,
            self.right_value,
            self.result_value,
            optional(self.bias),
            optional(self.left_scales),
            optional(self.right_scales),
        )


SCALED = 32
"""Elements along k that share a scale."""


class TileAccess(NamedTuple, Generic[N]):
    """Bytes that a move or a product touches in a memory, from one of its addresses on: `base`
    is "source", "target", "left", "right" or "result", or the address itself."""

    memory: str
    writes: bool
    base: str | N
    bursts: Bursts[N]


TilePart = str | tuple[str, int]
"""A part of a move or a product: "source", "target", "left", "right" or "result", or a memory and
an address in it, since several memories may be read at the same one."""


def part_of(access: TileAccess[int]) -> TilePart:
    """The part that an access belongs to."""
    return access.base if isinstance(access.base, str) else (access.memory, access.base)


def tile_bursts(
    layout: TileLayout[N], rows: N, columns: N, size: int, numbers: Numbers[N]
) -> list[Bursts[N]]:
    """The bytes of a tile of elements of a size, as few bursts as possible. Where how many
    blocks there are is not known, whole blocks are counted as one of them of unknown length."""
    made: list[Bursts[N]] = []
    for row_start, row_loops in _pieces(layout.rows, rows, numbers):
        for column_start, column_loops in _pieces(layout.columns, columns, numbers):
            loops = [*column_loops, *row_loops]
            length, start = numbers.of(size), numbers.of(row_start + column_start)
            steps = [numbers.known(step) for _, step in loops]
            inner = steps.index(size) if size in steps else -1
            if inner >= 0:
                count = numbers.known(loops[inner][0])
                length = numbers.unknown() if count is None else numbers.of(count * size)
                del loops[inner]
            made.append(Bursts(start, length, tuple(loops)))
    return made


def _pieces(axis: Axis[N], count: N, numbers: Numbers[N]) -> list[tuple[int, list[tuple[N, N]]]]:
    """The loops over the indices of an axis, innermost first, and where they begin: whole blocks
    together, and what is left of the last one."""
    known, block = numbers.known(count), numbers.known(axis.block)
    if axis.width == 1:
        return [(0, [(count, axis.block)])]
    if known is not None and known <= axis.width:
        return [(0, [(count, axis.step)])]
    width = numbers.of(axis.width)
    if known is None or block is None:
        blocks = numbers.unknown() if known is None else numbers.of(-(-known // axis.width))
        return [(0, [(width, axis.step), (blocks, axis.block)])]
    whole, rest = divmod(known, axis.width)
    made = [(0, [(width, axis.step), (numbers.of(whole), axis.block)])]
    if rest:
        made.append((whole * block, [(numbers.of(rest), axis.step)]))
    return made


def move_accesses(move: TileMove[N], numbers: Numbers[N]) -> list[TileAccess[N]]:
    """All that a move reads and writes."""
    made: list[TileAccess[N]] = []
    loop = move.matrices
    for memory, writes, base, layout, size, columns, step in (
        (move.source, False, "source", move.source_layout, move.source_type.bytes, move.columns,
         loop and loop.src_stride),
        (move.target, True, "target", move.target_layout, move.target_type.bytes,
         move.columns if move.filled is None else move.filled, loop and loop.dst_stride),
    ):  # fmt: skip
        for bursts in tile_bursts(layout, move.rows, columns, size, numbers):
            if loop is not None and step is not None:
                bursts = Bursts(bursts.start, bursts.length, (*bursts.loops, (loop.count, step)))
            made.append(TileAccess(memory, writes, base, bursts))
    for p in move.parameters:
        count = move.columns
        known = numbers.known(count)
        if known is not None and p.step == p.dtype.bytes:
            bursts = Bursts(numbers.of(0), numbers.of(known * p.step))
        else:
            loops = ((count, numbers.of(p.step)),)
            bursts = Bursts(numbers.of(0), numbers.of(p.dtype.bytes), loops)
        made.append(TileAccess(p.memory, False, p.address, bursts))
    return made


def product_accesses(product: TileProduct[N], numbers: Numbers[N]) -> list[TileAccess[N]]:
    """All that a multiplication reads and writes; where it adds to what is there, both."""
    of = numbers.of
    parts = [
        ("l0a", False, "left", product.left, product.m, product.k, product.left_type),
        ("l0b", False, "right", product.right, product.n, product.k, product.right_type),
        ("l0c", True, "result", product.result, product.m, product.n, product.result_type),
    ]
    if product.start == "result":
        parts.insert(2, ("l0c", False, *parts[2][2:]))
    made = [
        TileAccess(memory, writes, base, bursts)
        for memory, writes, base, layout, rows, columns, dtype in parts
        for bursts in tile_bursts(layout, rows, columns, dtype.bytes, numbers)
    ]

    def dense(memory: str, address: N | None, counts: tuple[N, ...], size: int) -> None:
        if address is None:
            return
        known = [numbers.known(count) for count in counts]
        total = size
        for count in known:
            total = -1 if count is None or total < 0 else total * count
        length = numbers.unknown() if total < 0 else of(total)
        made.append(TileAccess(memory, False, address, Bursts(of(0), length)))

    groups = numbers.known(product.k)
    k = numbers.unknown() if groups is None else of(-(-groups // SCALED))
    dense("bt", product.bias, (product.n,), product.result_type.bytes)
    dense("l0a_scale", product.left_scales, (product.m, k), 1)
    dense("l0b_scale", product.right_scales, (product.n, k), 1)
    return made
