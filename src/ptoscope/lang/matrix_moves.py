"""Copies into, between and out of the memories of the matrix core, by what they move from where to
where. Each is one instruction, or one for each block of columns."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from ptoscope.isa.tiles import BLOCK_BYTES, FRACTAL_ROWS, block_columns
from ptoscope.lang import instructions
from ptoscope.lang.buffers import (
    ArrayPiece,
    ChipArray,
    GmArray,
    GmTile,
    IndexRange,
    RowsPiece,
    UbArray,
)
from ptoscope.lang.matrices import FlatArray, MatrixArray, MatrixView, new, units, whole
from ptoscope.lang.results import Changes, store_result
from ptoscope.lang.scalars import known
from ptoscope.lang.ub_moves import l1_to_ub, ub_to_l1
from ptoscope.lang.values import Misuse, described

_FB_UNIT = 64
"""Bytes that copies to FB count in."""


def is_of_matrix_core(*values: Any) -> bool:
    """Whether one of the ends of a copy is in a memory of the matrix core."""
    return any(_space(value) not in ("", "gm", "ub") for value in values)


def load_matrix(target: Any, source: Any, to: str | None, core: Any) -> Any:
    """Copies towards the matrix unit, and from L1 to UB; into a new array in the memory `to` where
    there is no target."""
    origin = _ends(source)
    if target is None:
        assert to is not None
        target = _new(origin, to)
    there = _ends(target)
    spaces = _space(source), _space(target)
    move = _LOADS.get((*spaces, _is_flat(there)))
    if move is None:
        raise _no_way(source, target, "load")
    _alike(origin, there)
    move(origin, there, core)
    return target if isinstance(target, ChipArray) else _array(there)


def store_matrix(
    target: Any, source: Any, nz: bool, changes: Changes, core: Any, pitch: Any
) -> None:
    """Copies from UB to L1, and from L0C to GM, L1 and UB."""
    there, origin = _ends(target), _ends(source)
    spaces = _space(source), _space(target)
    if spaces[0] == "l0c" and spaces[1] in ("gm", "l1", "ub"):
        if not isinstance(origin, MatrixView) or (spaces[1] == "gm" and _is_flat(there)):
            raise Misuse("a matrix in GM has rows", hint="write y.rows(width)[i, j]")
        if nz or (pitch is not None and spaces[1] != "ub"):
            raise Misuse(f"a copy from L0C to {spaces[1].upper()} has no {'nz' if nz else 'pitch'}")
        store_result(origin, there, changes, core, pitch)
        return
    if spaces != ("ub", "l1"):
        raise _no_way(source, target, "store")
    if changes != Changes() or core is not None or pitch is not None:
        raise Misuse("a copy from UB to L1 changes nothing, and takes no option but nz")
    _alike(origin, there)
    ub_to_l1(origin, there, nz)


_End = GmTile[Any] | ArrayPiece[Any] | MatrixView[Any]


def _ends(value: Any) -> _End:
    """What a copy moves, or where to."""
    match value:
        case RowsPiece():
            start = value.start
            rows = IndexRange(0, value.rows, value.most)
            first = ArrayPiece(value.array, start, None, None).pointer
            return GmTile(first, rows, IndexRange(0, value.width, known(value.width)), value.width)
        case GmTile() | ArrayPiece() | MatrixView():
            return value
        case MatrixArray():
            return value.view
        case UbArray() | FlatArray():
            return ArrayPiece(value, 0, value.count, value.size)
        case GmArray():
            return ArrayPiece(value, 0, None, None)
        case _:
            raise Misuse(
                f"{described(value)} is nothing that a copy moves",
                expected="an array, or a piece of one",
            )


def _array(end: _End) -> Any:
    return end.matrix if isinstance(end, MatrixView) else end.array


def _space(value: Any) -> str:
    array = getattr(value, "array", getattr(value, "matrix", value))
    kind = getattr(array, "type", None)
    return str(getattr(kind, "space", ""))


def _is_flat(end: _End) -> bool:
    return isinstance(end, ArrayPiece)


def _alike(source: _End, target: _End) -> None:
    """Misuse where a copy would have to convert, or the target is too small."""
    one, two = _array(source).dtype, _array(target).dtype
    if one is not two and _space(target) != "bt":
        raise Misuse(
            "this copy does not convert its elements",
            found=f"{one} in {_space(source)}, {two} in {_space(target)}",
            expected="arrays of one element type",
        )
    sizes, rooms = _sizes(source), _sizes(target)
    if len(sizes) != len(rooms):
        sizes, rooms = ((_total(of),) for of in (sizes, rooms))
    for have, room in zip(sizes, rooms, strict=True):
        if have is not None and room is not None and have > room:
            raise Misuse(
                f"{' x '.join(map(str, _sizes(source)))} elements do not fit "
                f"{' x '.join(map(str, _sizes(target)))}",
                found=str(have),
                expected=f"at most {room}",
            )


def _extents(end: _End) -> tuple[IndexRange, ...]:
    """What it has along each dimension."""
    if isinstance(end, ArrayPiece):
        return (IndexRange(end.start, end.count, end.size),)
    return end.extents if isinstance(end, MatrixView) else (end.rows, end.columns)


def _total(sizes: tuple[int | None, ...]) -> int | None:
    known_sizes = [size for size in sizes if size is not None]
    return prod(known_sizes) if len(known_sizes) == len(sizes) else None


def _sizes(end: _End) -> tuple[int | None, ...]:
    return tuple(extent.size for extent in _extents(end))


def _new(source: _End, to: str) -> Any:
    """An array for what a copy brings, in a memory."""
    sizes = _sizes(source)
    if None in sizes:
        raise Misuse(
            "how many elements the piece has is not known when the kernel is compiled",
            hint="give the array to copy to: pto.load(a, x[i, k])",
        )
    dtype = _array(source).dtype
    array = new(to, dtype, sizes)
    counts = tuple(extent.count for extent in _extents(source))
    if isinstance(array, MatrixArray):
        array.counts = counts
    else:
        (array.count,) = counts
    return array


def _no_way(source: Any, target: Any, word: str) -> Misuse:
    return Misuse(
        f"there is no {word} of this kind from {_space(source) or described(source)} to "
        f"{_space(target) or described(target)}",
        expected="gm to l1; l1 to l0a, l0b, bt, fb, ub; ub to l1; l0c to gm, l1, ub",
    )


def _gm_to_l1(source: Any, target: Any, core: Any) -> None:
    """Rows of a matrix become fractals."""
    size, width = source.array.dtype.bytes, source.width
    rows, columns = source.rows.count, source.columns.count
    _whole_matrix(target)
    target.matrix.counts = rows, columns
    instructions.call(
        "pto.mte_gm_l1_frac",
        source.pointer,
        target.matrix,
        mode="nd2nz",
        shape=(rows, columns),
        src_layout=width * size,
        dst_group=(1, 1, target.matrix.pitch, 0),
        ctrl=(0, False),
    )


def _whole_matrix(view: MatrixView[Any]) -> None:
    if not view.is_whole:
        raise Misuse("a matrix in L1 is loaded as a whole", hint="allocate one for each part")


def _flat_to_l1(source: Any, target: Any, core: Any) -> None:
    count = source.count if source.count is not None else target.count
    length = count * source.array.dtype.bytes
    pointers = source.pointer, target.pointer
    instructions.call("pto.mte_gm_l1", *pointers, length, nburst=(1, length, length))


def _to_factor(name: str, raw: str, keeps: bool) -> Callable[[Any, Any, Any], None]:
    """A load from L1 into L0A, or L0B, which has rows and columns swapped (`keeps` is False)."""

    def move(source: MatrixView[Any], target: MatrixView[Any], core: Any) -> None:
        _whole_matrix(target)
        rows, columns = source.extents
        transposes = source.swapped is keeps
        target.matrix.counts = rows.count, columns.count
        sizes = rows.count, columns.count
        if source.takes_all_rows:
            at = _block(source, source.columns.start, source.matrix.pitch)
            instructions.call(name, at, target.matrix, *sizes, transpose=transposes)
        else:
            strides = _fractals(source, transposes)
            instructions.call(raw, source.matrix, target.matrix, *strides, transpose=transposes)

    return move


def _block(view: MatrixView[Any], column: Any, pitch: Any) -> Any:
    """The pointer to a block of columns."""
    if known(column) == 0:
        return view.matrix
    # A block has as many elements as rows have columns of it.
    return instructions.call("pto.addptr", view.matrix, column * pitch)


def _fractals(source: MatrixView[Any], transposes: bool) -> tuple[Any, ...]:
    """Where a part of a matrix begins in L1, its size and strides, all in fractals."""
    block = block_columns(source.matrix.dtype)
    least = max(FRACTAL_ROWS, block) if transposes else 1
    rows, columns = source.rows, source.columns
    high = units(whole(rows.count, least), FRACTAL_ROWS)
    wide = units(whole(columns.count, least), block)
    across = units(whole(columns.count, least), FRACTAL_ROWS)
    return (
        rows.start // FRACTAL_ROWS,
        columns.start // block,
        high,
        wide,
        source.matrix.pitch // FRACTAL_ROWS,
        across if transposes else high,
    )


def _l1_to_table(name: str, unit: int) -> Callable[[Any, Any, Any], None]:
    def move(source: Any, target: Any, core: Any) -> None:
        length = units(source.count * source.array.dtype.bytes, unit)
        instructions.call(name, source.pointer, target.pointer, length, nburst=(1, 0, 0))

    return move


_LOADS: dict[tuple[str, str, bool], Callable[[Any, Any, Any], None]] = {
    ("gm", "l1", False): _gm_to_l1,
    ("gm", "l1", True): _flat_to_l1,
    ("l1", "l0a", False): _to_factor("pto.mte_l1_l0a", "pto.load_cbuf_to_ca", True),
    ("l1", "l0b", False): _to_factor("pto.mte_l1_l0b", "pto.load_cbuf_to_cb", False),
    ("l1", "bt", True): _l1_to_table("pto.mte_l1_bt", BLOCK_BYTES),
    ("l1", "fb", True): _l1_to_table("pto.mte_l1_fb", _FB_UNIT),
    ("l1", "ub", True): l1_to_ub,
}
