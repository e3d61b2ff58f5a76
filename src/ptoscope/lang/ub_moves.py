"""Copies between L1 and UB: fractals on one side, rows on the other."""

from __future__ import annotations

from typing import Any

from ptoscope.isa.tiles import BLOCK_BYTES, block_columns
from ptoscope.lang import instructions
from ptoscope.lang.buffers import ArrayPiece
from ptoscope.lang.matrices import MatrixView, units
from ptoscope.lang.scalars import known
from ptoscope.lang.values import Misuse


def _bursts(view: MatrixView[Any]) -> tuple[int, Any, list[Any]]:
    """Of a matrix in L1: how many blocks of columns it has, the blocks from one of them to the
    next, and the pointers to each."""
    if view.swapped:
        raise Misuse("rows and columns are swapped on the way to L0A and L0B only")
    block = block_columns(view.matrix.dtype)
    columns, row = view.columns.size, view.rows.start
    if columns is None or columns % block:
        raise Misuse(
            f"rows of a matrix are copied in blocks of {block} {view.matrix.dtype}",
            found=f"{columns} columns",
        )
    pitch = view.matrix.pitch
    first = view.columns.start * pitch + row * block
    starts = [first + number * block * pitch for number in range(columns // block)]
    found = [
        view.matrix if known(start) == 0 else instructions.call("pto.addptr", view.matrix, start)
        for start in starts
    ]
    return columns // block, pitch, found


def _ub_block(piece: ArrayPiece[Any], number: int) -> Any:
    start = piece.start + number * block_columns(piece.array.dtype)
    return ArrayPiece(piece.array, start, None, None).pointer


def l1_to_ub(source: Any, target: ArrayPiece[Any], core: Any) -> None:
    """Fractals become rows in the UB of a vector core."""
    if isinstance(source, ArrayPiece):
        length = units(source.count * source.array.dtype.bytes, BLOCK_BYTES)
        _to_ub(source.pointer, target.pointer, core, length, (1, 0, 0))
        return
    blocks, _, pointers = _bursts(source)
    for number, pointer in enumerate(pointers):
        _to_ub(pointer, _ub_block(target, number), core, 1, (source.rows.count, 0, blocks - 1))


def _to_ub(source: Any, target: Any, core: Any, length: Any, burst: tuple[Any, Any, Any]) -> None:
    if core is None or known(core) == 0:
        instructions.call("pto.mte_l1_ub", source, target, length, nburst=burst)
        return
    rows, *gaps = burst
    instructions.call("pto.copy_cbuf_to_ubuf", source, target, core, rows, length, *gaps)


def ub_to_l1(source: Any, target: Any, nz: bool) -> None:
    """Rows in UB become fractals, block of columns by block; what is in fractals there moves at
    once."""
    if isinstance(target, ArrayPiece):
        length = units(source.count * source.array.dtype.bytes, BLOCK_BYTES)
        instructions.call("pto.mte_ub_l1", source.pointer, target.pointer, length, nburst=(1, 0, 0))
        return
    rows = target.rows.count
    blocks, pitch, pointers = _bursts(target)
    if nz:
        instructions.call(
            "pto.mte_ub_l1", source.pointer, pointers[0], rows, nburst=(blocks, 0, pitch - rows)
        )
        return
    for number, pointer in enumerate(pointers):
        burst = rows, blocks - 1, 0
        instructions.call("pto.mte_ub_l1", _ub_block(source, number), pointer, 1, nburst=burst)
