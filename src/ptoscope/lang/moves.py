"""Copies, counted in elements; those between GM and UB are here."""

from __future__ import annotations

from typing import Any

from ptoscope.isa.copies import LENGTH_BITS
from ptoscope.isa.dtypes import I64
from ptoscope.isa.targets import BLOCK_BYTES
from ptoscope.lang import instructions, matrix_moves
from ptoscope.lang.buffers import ArrayPiece, GmArray, GmTile, RowsPiece, UbArray, dtype_of
from ptoscope.lang.maker import current
from ptoscope.lang.scalars import convert, minimum
from ptoscope.lang.values import Misuse, described

_LONGEST = (1 << LENGTH_BITS) - 1
"""Bytes of a row."""


def ub(element: Any, *shape: int, at: int | None = None) -> UbArray[Any]:
    """A new array in UB. Inside of a loop it belongs to the iteration. `at` is a byte address;
    without one, it lies where there is room."""
    size = 1
    for extent in shape:
        if not isinstance(extent, int) or extent <= 0:
            raise Misuse(
                f"{described(extent)} is no size of an array",
                expected="a number above 0 that is known when the kernel is compiled",
            )
        size *= extent
    if not shape:
        raise Misuse("an array needs a size", expected="as in pto.ub(pto.f32, 1024)")
    return UbArray(dtype_of(element), size, at)


def load(
    target: Any,
    source: Any = None,
    *,
    rows: Any = 1,
    pitch: Any = None,
    to_pitch: Any = None,
    limit: Any = None,
    to: str | None = None,
    core: Any = None,
) -> Any:
    """Copies a piece of GM to UB: `load(xs, x[t])`, or `xs = load(x[t])` into a new array. With
    `rows`, so many pieces, `pitch` elements apart in GM and `to_pitch` in UB; by default they
    are dense. `limit`: at most so many elements of each. `load(x.rows(width)[t], to_pitch=1024)`
    copies the rows of a tile, each to a pitch of its own.

    On the matrix core, `a1 = load(a.rows(width)[i, k], to="l1")` makes fractals of a part of a
    matrix, `load(a1, to="l0a")` and `load(b1, to="l0b")` are the factors of a product, of a part
    `a1[r, c]` or transposed, `a1.T`. Numbers in a row go from GM to L1, and from there `to="bt"`
    or `to="fb"`. `load(xs, a1, core=1)` brings rows from L1 to the UB of a vector core."""
    if to not in (None, "ub") or matrix_moves.is_of_matrix_core(target, source):
        _without("a copy of the matrix core", rows, pitch=pitch, to_pitch=to_pitch, limit=limit)
        given = (None, target) if source is None else (target, source)
        return matrix_moves.load_matrix(*given, to, core)
    _without("a copy from GM to UB", core=core)
    piece, most = _in_gm(target if source is None else source), rows
    if isinstance(piece, RowsPiece) and to_pitch is not None:
        pitch, rows, most, piece = piece.width, piece.rows, piece.most, piece.first
    array = _new(piece, most, to_pitch) if source is None else target
    there = _in_ub(array)
    length, burst = _burst(piece, _count(piece, there, limit), rows, pitch, to_pitch)
    instructions.call("pto.mte_gm_ub", piece.pointer, there.pointer, 0, length, nburst=burst)
    return array if isinstance(array, UbArray) else array.array


def _without(what: str, rows: Any = 1, **given: Any) -> None:
    """Misuse where a copy is given something that has no meaning for it."""
    named = {"rows": None if isinstance(rows, int) and rows == 1 else rows, **given}
    for name, value in named.items():
        if value is not None and value is not False:
            raise Misuse(f"{what} has no {name}", found=f"{name}={described(value)}")


def _new(piece: ArrayPiece[Any], rows: Any, pitch: Any) -> UbArray[Any]:
    """An array for a piece of GM, or for so many rows of it."""
    width = piece.size if pitch is None else pitch
    if rows is None or width is None:
        raise Misuse(
            "how many elements the piece has is not known when the kernel is compiled",
            hint="give the array to copy to: pto.load(xs, x[a:b])",
        )
    array = UbArray(piece.array.dtype, _fixed(rows) * _fixed(width))
    if rows == 1:
        array.count = piece.count
    return array


def store(
    target: Any,
    source: Any,
    *,
    rows: Any = 1,
    pitch: Any = None,
    from_pitch: Any = None,
    limit: Any = None,
    nz: bool = False,
    relu: Any = False,
    scale: Any = None,
    clip: Any = None,
    atomic: str | None = None,
    core: Any = None,
) -> None:
    """Copies an array in UB, or a piece of one, to a piece of GM. `rows`, `pitch` (in GM),
    `from_pitch` (in UB), `limit` and rows of a tile as of `load`.

    `store(a1[r, c], xs)` copies rows in UB to a matrix in L1; with `nz`, they are fractals.

    `store(y.rows(width)[i, j], c)` copies a product from L0C to GM, converted to its type; `c` may
    also go to a matrix in L1, or to UB, to that of one vector core (`core=0`) or half to each
    (`core="split_m"` or `"split_n"`), in rows of `pitch` elements. On the way it is multiplied by
    `scale`, negative numbers become 0 with `relu=True` or are multiplied by `relu`, and what is
    above `clip` becomes that; scales and factors of columns are arrays in FB. `atomic="add"`,
    `"max"` or `"min"` updates what is in GM."""
    if matrix_moves.is_of_matrix_core(target, source):
        _without("a copy of the matrix core", rows, from_pitch=from_pitch, limit=limit)
        changes = matrix_moves.Changes(relu, scale, clip, atomic)
        matrix_moves.store_matrix(target, source, nz, changes, core, pitch)
        return
    changed = {"relu": relu, "scale": scale, "clip": clip, "atomic": atomic}
    _without("a copy from UB to GM", nz=nz, core=core, **changed)
    piece, there = _in_gm(target), _in_ub(source)
    if isinstance(piece, RowsPiece) and from_pitch is not None:
        pitch, rows, piece = piece.width, piece.rows, piece.first
    length, burst = _burst(piece, _count(piece, there, limit), rows, from_pitch, pitch)
    instructions.call("pto.mte_ub_gm", there.pointer, piece.pointer, length, nburst=burst)


def _burst(
    piece: ArrayPiece[Any], count: Any, rows: Any, source_pitch: Any, target_pitch: Any
) -> tuple[Any, tuple[Any, Any, Any]]:
    """The bytes of a row, and how many rows there are with what strides in bytes. One that is
    longer than a row can be is cut into several."""
    size = piece.array.dtype.bytes
    length = _bytes(count, size)
    pitches = source_pitch, target_pitch
    longest = length if isinstance(length, int) else (piece.size or 0) * size
    if longest > _LONGEST:
        if not isinstance(length, int) or rows != 1 or pitches != (None, None):
            raise Misuse(
                f"a row of a copy has at most {_LONGEST} bytes",
                found=f"up to {longest} bytes",
                expected=f"at most {_LONGEST // size} elements",
                hint="take a smaller tile",
            )
        rows = next((n for n in range(2, longest // BLOCK_BYTES + 1) if _fits(longest, n)), None)
        if rows is None:
            raise Misuse(
                f"{longest} bytes cannot be cut into rows of whole {BLOCK_BYTES}-byte blocks",
                hint="copy in two pieces",
            )
        length = longest // rows
    first, second = (length if pitch is None else _bytes(pitch, size) for pitch in pitches)
    return length, (_as_i64(rows), first, second)


def _fits(total: int, rows: int) -> bool:
    length, rest = divmod(total, rows)
    return not rest and length % BLOCK_BYTES == 0 and length <= _LONGEST


def _fixed(value: Any) -> int:
    if not isinstance(value, int):
        raise Misuse(f"{described(value)} is not known when the kernel is compiled")
    return value


def _in_gm(value: Any) -> ArrayPiece[Any]:
    if isinstance(value, GmArray):
        return ArrayPiece(value, 0, None, None)
    if isinstance(value, ArrayPiece) and value.array.type.space == "gm":
        return value
    if isinstance(value, GmTile):
        raise Misuse(
            "a part of a matrix in GM is copied to L1, and from L0C",
            hint='write to="l1"; UB takes rows, as x.rows(width)[t]',
        )
    raise Misuse(
        f"{described(value)} is no piece of an array in GM", expected="as in x[t] or x[a:b]"
    )


def _in_ub(value: Any) -> ArrayPiece[Any]:
    if isinstance(value, UbArray):
        return ArrayPiece(value, 0, value.size, value.size)
    if isinstance(value, ArrayPiece) and value.array.type.space == "ub":
        return value
    raise Misuse(f"{described(value)} is no array in UB", expected="pto.ub(...), or a piece of it")


def _count(piece: ArrayPiece[Any], there: ArrayPiece[Any], limit: Any) -> Any:
    """How many elements are copied: what the piece of GM has, else that of UB."""
    if piece.array.dtype is not there.array.dtype:
        raise Misuse(
            "a copy does not convert its elements",
            found=f"{piece.array.dtype} in gm, {there.array.dtype} in ub",
            expected="arrays of one element type",
        )
    if piece.size is not None and there.size is not None and piece.size > there.size:
        raise Misuse(
            f"{piece.size} elements do not fit an array of {there.size}",
            found=str(piece.size),
            expected=f"at most {there.size}",
        )
    count = piece.count if piece.count is not None else there.count
    if count is None:
        raise Misuse("nothing says how many elements to copy", expected="as in x[a:b]")
    return count if limit is None else minimum(count, limit)


def _as_i64(value: Any) -> Any:
    return value if isinstance(value, int) else convert(value, I64)


def _bytes(count: Any, size: int) -> Any:
    """Elements as bytes, for an operand of a copy."""
    if isinstance(count, int):
        return count * size
    return current().named(convert(count, I64) * size, "bytes")
