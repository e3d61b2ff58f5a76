"""Memory by name: arrays in GM and UB, and the pieces of them that copies move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from ptoscope.isa.dtypes import INDEX, DType
from ptoscope.isa.types import Ptr
from ptoscope.lang import instructions
from ptoscope.lang.maker import current
from ptoscope.lang.scalars import ScalarValue, convert, distance, known, minimum
from ptoscope.lang.values import SCALAR_CLASSES, MaskValue, Misuse, PointerValue, Vector, described

T = TypeVar("T")


def dtype_of(element: Any) -> DType:
    """The element type that `pto.f32` names."""
    dtype = getattr(element, "dtype", None)
    if not isinstance(dtype, DType):
        raise Misuse(
            f"{element!r} is no element type", expected="one of pto.f32, pto.f16, pto.i32, ..."
        )
    return dtype


class Tile(SCALAR_CLASSES[INDEX]):
    """The index of a loop over pieces: a scalar, the place of its first element; `count` are the
    elements from there that exist, at most `size`; `stage` is which of the copies of its arrays
    the iteration has, for synchronisation that the kernel writes itself."""

    count: Any
    size: int
    stage: Any = 0

    @classmethod
    def at(cls, start: ScalarValue, end: Any, size: int) -> Tile:
        """The tile that begins at an index, of data that ends at another; without that, all of
        it is there."""
        tile = cls.of(start.handle)
        assert isinstance(tile, Tile)
        tile.size = tile.count = size
        if end is not None:
            count = minimum(convert(end, INDEX) - start, size)
            tile.count = current().named(count, "count")
        return tile


@dataclass(frozen=True)
class ArrayPiece(Generic[T]):
    """A run of elements of an array: where it starts, and how many there are (`size` at most,
    None where that is not known before a run)."""

    array: PointerValue[T]
    start: Any
    count: Any
    size: int | None

    @property
    def pointer(self) -> PointerValue[T]:
        """The pointer to its first element."""
        if known(self.start) == 0:
            return self.array
        return instructions.call("pto.addptr", self.array, self.start)


class IndexRange(NamedTuple):
    """Indices along one dimension: where they start, and how many there are (`size` at most, None
    where that is not known before a run)."""

    start: Any
    count: Any
    size: int | None


def extent(key: Any, whole: int | None = None, part: str = "an array") -> IndexRange:
    """The indices that a tile or a slice takes of so many."""
    if isinstance(key, Tile):
        return IndexRange(key, key.count, key.size)
    if not isinstance(key, slice):
        raise Misuse(f"{described(key)} is no piece of {part}", expected="a tile or a slice")
    if key.step is not None:
        raise Misuse("a slice has no step here", hint="give the rows of a copy a pitch")
    start = 0 if key.start is None else key.start
    if key.stop is None:
        left = None if whole is None or known(start) is None else whole - int(known(start) or 0)
        return IndexRange(start, left, left)
    apart = distance(start, key.stop)
    size = apart if isinstance(apart, int) else None
    if isinstance(start, Tile):
        # What begins at a tile ends where the data does.
        short = size is None or size < start.size
        return IndexRange(start, minimum(start.count, apart) if short else start.count, size)
    return IndexRange(start, apart, size)


def _piece(array: PointerValue[T], key: Any, whole: int | None = None) -> ArrayPiece[T]:
    return ArrayPiece(array, *extent(key, whole))


class GmArray(PointerValue[T]):
    """An array in GM: `x[t]` and `x[a:b]` are what copies move, `x[i]` is one element."""

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, (slice, Tile)):
            return _piece(self, key)
        return instructions.call("pto.load_scalar", self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, (slice, Tile)):
            raise Misuse("a piece of GM is written by a copy", hint="write pto.store(piece, array)")
        instructions.call("pto.store_scalar", value, self, key)

    def rows(self, width: Any) -> GmRows[T]:
        """The array as rows of so many elements: `x.rows(128)[t]` are the rows of a tile."""
        return GmRows(self, width)


@dataclass(frozen=True)
class RowsPiece(ArrayPiece[T]):
    """Rows of an array, one behind the other: `rows` of them, `most` at most (None where that is
    not known before a run), each of `width` elements."""

    rows: Any
    most: int | None
    width: Any

    @property
    def first(self) -> ArrayPiece[T]:
        """The first of them."""
        return ArrayPiece(self.array, self.start, self.width, known(self.width))


@dataclass(frozen=True)
class GmTile(Generic[T]):
    """A part of a matrix in GM whose rows of `width` elements lie one behind the other: these
    rows, and these columns of them."""

    array: PointerValue[T]
    rows: IndexRange
    columns: IndexRange
    width: Any

    @property
    def pointer(self) -> PointerValue[T]:
        """The pointer to its first element."""
        row, column = self.rows.start, self.columns.start
        start = column if known(row) == 0 else row * self.width
        if start is not column and known(column) != 0:
            start = start + column
        return ArrayPiece(self.array, start, None, None).pointer


@dataclass(frozen=True)
class GmRows(Generic[T]):
    """An array in GM whose rows lie one behind the other; tiles and slices count rows, and behind
    a comma columns."""

    array: GmArray[T]
    width: Any

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple):
            return self._tile(key)
        found, width = _piece(self.array, key), self.width
        if found.count is None:
            raise Misuse("where the rows end is not said", expected="a tile, or as in [a:b]")
        size = found.size * width if found.size is not None and isinstance(width, int) else None
        return RowsPiece(
            self.array,
            found.start * width,
            found.count * width,
            size,
            found.count,
            found.size,
            width,
        )

    def _tile(self, key: tuple[Any, ...]) -> GmTile[T]:
        if len(key) != 2:
            raise Misuse(f"a matrix has rows and columns, found {len(key)} indices")
        rows, columns = extent(key[0]), extent(key[1], known(self.width))
        if rows.count is None:
            raise Misuse("where the rows end is not said", expected="a tile, or as in [a:b, c]")
        if columns.count is None:
            left = distance(columns.start, self.width)
            columns = IndexRange(columns.start, left, None)
        return GmTile(self.array, rows, columns, self.width)


class ChipArray(PointerValue[T]):
    """An array in a memory of the chip, of `size` elements; at a byte address if one is given."""

    size: int

    def __init__(self, memory: str, dtype: DType, size: int, at: int | None = None) -> None:
        self.type, self.size = Ptr(dtype, memory), size
        self.handle = current().allocate(self.type, size, at)

    def __len__(self) -> int:
        return self.size

    def contents(self) -> Any:
        return self.elements(self.size)


class UbArray(ChipArray[T]):
    """An array in UB. `xs[i]` loads a vector from element i on, `xs[i] = v` and `xs[i, mask] = v`
    store one; a distribution may follow: `xs[i, "BRC_B32"]`. `xs[a:b]` is what copies move."""

    count: Any
    """How many elements of it hold data, where a copy that allocated it says so."""

    def __init__(self, dtype: DType, size: int, at: int | None = None) -> None:
        super().__init__("ub", dtype, size, at)
        self.count = size

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, (slice, Tile)):
            return _piece(self, key, self.size)
        place, mask, dist = _parts(key)
        if mask is not None:
            raise Misuse("a load takes no mask", hint="the mask goes with what uses the vector")
        return instructions.call("pto.vlds", self, place, **dist)

    def __setitem__(self, key: Any, value: Any) -> None:
        place, mask, dist = _parts(key)
        if not isinstance(value, Vector):
            raise Misuse(
                f"{described(value)} is no vector",
                found=described(value),
                expected=f"a vector of {self.dtype}",
                hint="a scalar is stored by pto.store_scalar, or as a vector by pto.vbr",
            )
        instructions.call("pto.vsts", value, self, place, mask, **dist)


def _parts(key: Any) -> tuple[Any, MaskValue | None, dict[str, str]]:
    """The place, the mask and the distribution of an access."""
    place, *rest = key if isinstance(key, tuple) else (key,)
    mask, dist = None, {}
    for part in rest:
        if isinstance(part, MaskValue):
            mask = part
        elif isinstance(part, str):
            dist = {"dist": part}
        else:
            raise Misuse(
                f"{described(part)} cannot stand here",
                expected="a mask, or the name of a distribution",
            )
    return place, mask, dist
