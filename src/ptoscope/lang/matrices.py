"""Matrices in the memories of the matrix core, and numbers that lie there one behind the other.

A matrix lies in fractals (NZ): blocks of 32 bytes of columns (16 columns in L0C), each with all its
rows, of which there are whole sixteens.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ptoscope.isa.dtypes import DType
from ptoscope.isa.tiles import FRACTAL_ROWS, RESULT_COLUMNS, block_columns
from ptoscope.lang.buffers import ArrayPiece, ChipArray, IndexRange, dtype_of, extent
from ptoscope.lang.scalars import known
from ptoscope.lang.values import Misuse, described

T = TypeVar("T")


def units(count: Any, size: int) -> Any:
    """How many units of a size hold so many."""
    return count if size == 1 else (count + (size - 1)) // size


def whole(count: Any, size: int) -> Any:
    """So many, rounded up to a multiple of a size."""
    return units(count, size) * size if size > 1 else count


class FlatArray(ChipArray[T]):
    """Numbers one behind the other in L1, BT or FB: `bias[a:b]` is what copies move. `count` is how
    many elements hold data, where a copy that allocated it says so."""

    count: Any

    def __init__(self, memory: str, dtype: DType, size: int, at: int | None = None) -> None:
        super().__init__(memory, dtype, size, at)
        self.count = size

    def __getitem__(self, key: Any) -> ArrayPiece[T]:
        return ArrayPiece(self, *extent(key, self.size))


class MatrixArray(ChipArray[T]):
    """A matrix of `shape` (rows, columns) in L1, L0A, L0B or L0C. `a[r, c]` are these rows and
    columns of it, by tiles or slices, and `a.T` it is with rows and columns swapped: loads from
    L1 take both. `counts` are how many rows and columns hold data, where a copy that allocated
    it says so. L0B holds its columns as rows."""

    shape: tuple[int, int]
    counts: tuple[Any, Any]

    def __init__(
        self,
        memory: str,
        dtype: DType,
        shape: tuple[int, int],
        at: int | None = None,
        counts: tuple[Any, Any] | None = None,
    ) -> None:
        block = RESULT_COLUMNS if memory == "l0c" else block_columns(dtype)
        rows, columns = (whole(extent, max(FRACTAL_ROWS, block)) for extent in shape)
        super().__init__(memory, dtype, rows * columns, at)
        self.shape, self.counts = shape, shape if counts is None else counts

    @property
    def view(self) -> MatrixView[T]:
        """All of it."""
        rows, columns = (
            IndexRange(0, count, size) for count, size in zip(self.counts, self.shape, strict=True)
        )
        return MatrixView(self, rows, columns)

    @property
    def T(self) -> MatrixView[T]:
        """With rows and columns swapped."""
        return self.view.T

    def __getitem__(self, key: Any) -> MatrixView[T]:
        if not isinstance(key, tuple) or len(key) != 2:
            raise Misuse(
                f"{described(key)} is no part of a matrix",
                expected="rows and columns, as in a[r, c]",
            )
        rows, columns = (
            IndexRange(0, count, size)
            if isinstance(one, slice) and one == slice(None)
            else extent(one, size, "a matrix")
            for one, count, size in zip(key, self.counts, self.shape, strict=True)
        )
        return MatrixView(self, rows, columns)

    @property
    def pitch(self) -> Any:
        """The rows from one block of columns to the next."""
        return whole(self.counts[0], FRACTAL_ROWS)


@dataclass(frozen=True)
class MatrixView(Generic[T]):
    """Rows and columns of a matrix; `swapped` as its columns and rows."""

    matrix: MatrixArray[T]
    rows: IndexRange
    columns: IndexRange
    swapped: bool = False

    @property
    def T(self) -> MatrixView[T]:
        """With rows and columns swapped."""
        return MatrixView(self.matrix, self.rows, self.columns, not self.swapped)

    @property
    def extents(self) -> tuple[IndexRange, IndexRange]:
        """Those of rows and columns, swapped where they are."""
        return (self.columns, self.rows) if self.swapped else (self.rows, self.columns)

    @property
    def takes_all_rows(self) -> bool:
        """Whether it has all rows of the matrix, so that its blocks lie as those of a matrix of
        its own."""
        return _is_all(self.rows, self.matrix.counts[0], self.matrix.shape[0])

    @property
    def is_whole(self) -> bool:
        """Whether it is the matrix as it is."""
        columns = _is_all(self.columns, self.matrix.counts[1], self.matrix.shape[1])
        return columns and self.takes_all_rows and not self.swapped


def _is_all(taken: IndexRange, count: Any, size: int) -> bool:
    """Whether indices are all that there are."""
    alike = taken.count is count or (
        known(count) is not None and known(count) == known(taken.count)
    )
    return known(taken.start) == 0 and taken.size == size and alike


def new(
    memory: str,
    element: DType,
    shape: tuple[Any, ...],
    at: int | None = None,
    counts: tuple[Any, Any] | None = None,
) -> Any:
    """An array of a shape in a memory of the matrix core; of a matrix `counts` are how many rows
    and columns hold data."""
    for size in shape:
        if isinstance(size, bool) or known(size) is None or not isinstance(size, int) or size <= 0:
            raise Misuse(
                f"{described(size)} is no size of an array",
                expected="a number above 0 that is known when the kernel is compiled",
            )
    match shape:
        case (size,):
            return FlatArray(memory, element, size, at)
        case (rows, columns):
            return MatrixArray(memory, element, (rows, columns), at, counts)
        case _:
            raise Misuse(
                f"an array in {memory} has one size or rows and columns, found {len(shape)}",
                expected=f"as in pto.{memory}(pto.f16, 64, 64)",
            )


def _flat(memory: str, element: Any, size: Any, at: int | None) -> FlatArray[Any]:
    return new(memory, dtype_of(element), (size,), at)


def l1(
    element: Any, *shape: int, at: int | None = None, counts: tuple[Any, Any] | None = None
) -> Any:
    """A new matrix in L1, in fractals, of so many rows and columns; with one size, so many numbers
    one behind the other. `counts` are how many rows and columns hold data, where a run decides
    it. `at` as of `pto.ub`."""
    return new("l1", dtype_of(element), shape, at, counts)


def l0a(element: Any, m: int, k: int, at: int | None = None) -> MatrixArray[Any]:
    """A new matrix in L0A: the left factor of a product. `at` as of `pto.ub`."""
    return new("l0a", dtype_of(element), (m, k), at)


def l0b(element: Any, k: int, n: int, at: int | None = None) -> MatrixArray[Any]:
    """A new matrix in L0B: the right factor of a product. `at` as of `pto.ub`."""
    return new("l0b", dtype_of(element), (k, n), at)


def l0c(element: Any, m: int, n: int, at: int | None = None) -> MatrixArray[Any]:
    """A new matrix in L0C: a product. `at` as of `pto.ub`."""
    return new("l0c", dtype_of(element), (m, n), at)


def bt(element: Any, size: int, at: int | None = None) -> FlatArray[Any]:
    """New biases in BT, one for each column of a product. `at` as of `pto.ub`."""
    return _flat("bt", element, size, at)


def fb(element: Any, size: int, at: int | None = None) -> FlatArray[Any]:
    """New parameters in FB, which products are scaled with on their way out. `at` as of
    `pto.ub`."""
    return _flat("fb", element, size, at)
