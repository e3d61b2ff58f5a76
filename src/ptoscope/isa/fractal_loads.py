"""Loads of fractals from L1 into L0A and L0B, and of the scales of their blocks."""

from __future__ import annotations

from typing import NamedTuple

from ptoscope.isa.bursts import element, number, pointers
from ptoscope.isa.copies import CopyPath
from ptoscope.isa.core import Core
from ptoscope.isa.dtypes import ELEMENTS, F8E4M3, F8E5M2
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.matrix_copies import GROUP
from ptoscope.isa.record import Attr, Evidence, Form, Record, Run, Site, Types
from ptoscope.isa.tiles import (
    BLOCK_BYTES,
    FRACTAL_BYTES,
    FRACTAL_ROWS,
    SCALED,
    Axis,
    TileLayout,
    TileMove,
    block_columns,
    blocks_of,
    nz,
    plain,
    zz,
)

_TYPES = {"T": Types(tuple(d for d in ELEMENTS if d.bits in (8, 16, 32)))}
_L1_L0A, _L1_L0B = CopyPath("l1", "l0a"), CopyPath("l1", "l0b")
_TRANSPOSED = 32
"""Rows and columns of a block of 8-bit elements that is transposed."""

_WHOLE = Evidence(
    "whole fractals",
    "micro",
    "Rows are rounded up to 16, columns to 32 bytes: what lies there in L1 moves along.",
)
_TRANSPOSE = Evidence(
    "transpose",
    "suite",
    "L1 holds the tile with rows and columns swapped, each rounded up to 16, and it is swapped "
    "back on the way.",
)
_BYTES = Evidence(
    "transpose of 8-bit types",
    "chosen",
    "Integers: in blocks of 32 x 32, and a tile of other sizes is a fault, as the text asks for a "
    "shape that suits the type. Floats: no effect, since the public MX kernels transpose 64 x 16 "
    "and have no more than that in L1.",
)
_ALIGNMENT = Evidence(
    "alignment", "chosen", "32 bytes in L1, a fractal in L0A and L0B; the text names no number."
)
_TRANSPOSE_ATTR = Attr(
    "transpose", (), 0, "whether rows and columns are swapped on the way", high=1, is_flag=True
)


class _Control(NamedTuple):
    """What is loaded, in fractals: where it begins in L1, how many rows and columns of them, and
    how many there are from a column of them to the next, in L1 and in the destination."""

    row: Lanes
    column: Lanes
    rows: Lanes
    columns: Lanes
    src_stride: Lanes
    dst_stride: Lanes


def _swaps(site: Site) -> bool:
    """Whether rows and columns are swapped."""
    dtype = element(site)
    return bool(site.attrs["transpose"]) and not (dtype.is_float and dtype.bits == 8)


def _load(core: Core, site: Site, src: Lanes, dst: Lanes, control: _Control) -> None:
    """Moves fractals. In L0A of A2/A3 they lie row by row (ZZ), elsewhere column by column."""
    dtype, swaps = element(site), _swaps(site)
    space = "l0a" if site.record.short.endswith("a") else "l0b"
    for name, value, bits in (
        ("first row", control.row, 16),
        ("first column", control.column, 16),
        ("number of rows of fractals", control.rows, 8),
        ("number of columns of fractals", control.columns, 8),
        ("stride in L1", control.src_stride, 16),
        ("stride of the destination", control.dst_stride, 16),
    ):
        core.fits_field(site, name, value, bits)
    row, size = src.const(BLOCK_BYTES), src.const(dtype.bytes)
    band = control.dst_stride * FRACTAL_BYTES
    target: TileLayout[Lanes] = nz(dtype, band, row, size)
    if space == "l0a" and site.target.name == "a2a3":
        swapped = blocks_of(control.rows * FRACTAL_ROWS, block_columns(dtype))
        along = swapped if swaps else control.columns
        target = zz(dtype, along * FRACTAL_BYTES, src.const(FRACTAL_BYTES), row, size)
    move = TileMove(
        "l1",
        space,
        dtype,
        dtype,
        control.rows * FRACTAL_ROWS,
        control.columns * block_columns(dtype),
        nz(dtype, control.src_stride * FRACTAL_BYTES, row, size),
        target.transposed if swaps else target,
        alignment=(BLOCK_BYTES, FRACTAL_BYTES),
    )
    first = control.column * control.src_stride + control.row
    core.move_tile(site, core.address(src, first, FRACTAL_BYTES), dst, move)


def _whole_blocks(core: Core, site: Site, *sizes: Lanes) -> None:
    """A fault where a tile of 8-bit integers is not transposed in whole blocks."""
    if _swaps(site) and element(site).bits == 8:
        for size in sizes:
            crooked = (size & (_TRANSPOSED - 1)).ne(0)
            said = f"8-bit tiles are transposed in blocks of {_TRANSPOSED} x {_TRANSPOSED}"
            core.refuse(site, crooked, "PTO0910", said, size, f"a multiple of {_TRANSPOSED}")


def _of_shape(site: Site) -> Run:
    """The meaning of `src, dst, m, k` of L0A and `src, dst, k, n` of L0B, perhaps with where it
    begins: both L0A and the transposed L0B have rows of k."""
    dtype, swaps = element(site), _swaps(site)
    right = site.record.short.endswith("b")

    def run(core: Core, src: Lanes, dst: Lanes, first: Lanes, second: Lanes, *at: Lanes) -> None:
        k, other = (first, second) if right else (second, first)
        for size in (k, other):
            core.fits_field(site, "size", size, 16)
        _whole_blocks(core, site, k, other)
        row, column = at or (k.const(0), k.const(0))
        if swaps:
            # Both sizes become columns somewhere, and are whole fractals there.
            least = max(FRACTAL_ROWS, block_columns(dtype))
            tall, wide = blocks_of(k, least), blocks_of(other, least)
            rows, columns = tall * (least // FRACTAL_ROWS), wide * (least // block_columns(dtype))
            strides = rows, wide * (least // FRACTAL_ROWS)
        else:
            rows, columns = blocks_of(other, FRACTAL_ROWS), blocks_of(k, block_columns(dtype))
            strides = rows, rows
        _load(core, site, src, dst, _Control(row, column, rows, columns, *strides))

    return run


def _load_record(path: CopyPath, sizes: tuple[str, str]) -> Record:
    operands = (
        *pointers(path),
        *(number(size, f"{size} of the product") for size in sizes),
    )
    at = (
        number("start_row", "first row of fractals in L1"),
        number("start_col", "first column of fractals in L1"),
    )
    listed, several = (", ".join(o.name for o in given) for given in (operands, (*operands, *at)))
    return Record(
        f"pto.mte_{path.source}_{path.target}",
        GROUP,
        f"Loads a tile of {' x '.join(sizes)} elements from L1 into {path.target.upper()}.",
        (
            Form(operands, attrs=(_TRANSPOSE_ATTR,), syntax=f"{listed} {{transpose}} : all"),
            Form(
                (*operands, *at),
                attrs=(_TRANSPOSE_ATTR,),
                syntax=f"{several} {{transpose}} : all",
            ),
        ),
        _of_shape,
        _TYPES,
        pipe="PIPE_MTE1",
        path=path,
        where="outside",
        evidence=(
            *(
                (
                    Evidence(
                        "order of fractals",
                        "micro",
                        "NZ on A5 and CPU, as in L1; on A2/A3 ZZ, row by row.",
                    ),
                )
                if path is _L1_L0A
                else (
                    Evidence(
                        "order of fractals",
                        "suite",
                        "Rows are those of n and columns those of k, in NZ; without transpose "
                        "they are so in L1, too.",
                    ),
                )
            ),
            _WHOLE,
            _TRANSPOSE,
            _BYTES,
            _ALIGNMENT,
            Evidence(
                "start_row and start_col",
                "chosen",
                "Newer pages have them: rows of 16 and columns of 32 bytes, the unit in which "
                "compilers pass them on. The older edition and the suite do without.",
            ),
        ),
        formula=f"{path.target.upper()}[r, c] = L1[r, c] of NZ tiles; transposed: L1[c, r]",
        cpp=f"load_cbuf_to_c{path.target[-1]}(dst, src, ...)",
    )


def _of_fractals(site: Site) -> Run:
    def run(core: Core, src: Lanes, dst: Lanes, *numbers: Lanes) -> None:
        control = _Control(*numbers)
        _whole_blocks(core, site, control.rows * FRACTAL_ROWS)
        _load(core, site, src, dst, control)

    return run


def _raw_record(path: CopyPath) -> Record:
    operands = (
        *pointers(path),
        number("m_start", "first row of fractals in L1"),
        number("k_start", "first column of fractals in L1"),
        number("m_step", "rows of fractals"),
        number("k_step", "columns of fractals"),
        number("src_stride", "fractals from column to column in L1"),
        number("dst_stride", f"fractals from column to column in {path.target.upper()}"),
    )
    listed = ", ".join(o.name for o in operands)
    return Record(
        f"pto.load_cbuf_to_c{path.target[-1]}",
        GROUP,
        f"Loads fractals from L1 into {path.target.upper()}; the older spelling.",
        (Form(operands, attrs=(_TRANSPOSE_ATTR,), syntax=f"{listed} {{transpose}} : all"),),
        _of_fractals,
        _TYPES,
        pipe="PIPE_MTE1",
        path=path,
        where="outside",
        targets=("cpu", "a5"),
        evidence=(
            Evidence("unit", "suite", "Fractals of 512 bytes, which lie column by column."),
            Evidence(
                "fields", "micro", "16 bits for where it begins and strides, 8 for both steps."
            ),
            _TRANSPOSE,
            _BYTES,
            _ALIGNMENT,
        ),
        formula=f"{path.target.upper()}[r, c] = L1[r, c] of NZ tiles; transposed: L1[c, r]",
        cpp=f"load_cbuf_to_c{path.target[-1]}(dst, src, ...)",
    )


def _scales(site: Site) -> Run:
    """The scales of a tile: fragments of 16 rows by 2 groups of k, row by row in L1."""
    right = site.record.short.endswith("b_mx")
    space = "l0b_scale" if right else "l0a_scale"

    def run(core: Core, src: Lanes, dst: Lanes, first: Lanes, second: Lanes, *at: Lanes) -> None:
        k, other = (first, second) if right else (second, first)
        for size in (k, other):
            core.fits_field(site, "size", size, 16)
        crooked, said = (dst & 15).ne(0), "the address is not a multiple of 16"
        core.refuse(site, crooked, "PTO0903", said, dst, "a multiple of 16")
        row, column = at or (k.const(0), k.const(0))
        groups = blocks_of(k, SCALED)
        across = blocks_of(k, 2 * SCALED)
        one, two = src.const(1), src.const(2)
        source = TileLayout(
            Axis(FRACTAL_ROWS, across * BLOCK_BYTES, two), Axis(2, src.const(BLOCK_BYTES), one)
        )
        move = TileMove(
            "l1",
            space,
            F8E4M3,
            F8E4M3,
            blocks_of(other, FRACTAL_ROWS) * FRACTAL_ROWS,
            groups,
            source,
            plain(groups, one),
            alignment=(BLOCK_BYTES, 1),
        )
        begin = core.address(src, row * across + column, BLOCK_BYTES)
        core.move_tile(site, begin, dst >> 4, move)

    return run


def _scale_record(path: CopyPath, sizes: tuple[str, str]) -> Record:
    operands = (
        *pointers(path),
        *(number(size, f"{size} of the product") for size in sizes),
    )
    at = (
        number("start_row", "first row of fragments in L1"),
        number("start_col", "first column of fragments in L1"),
    )
    name = path.target.upper()
    return Record(
        f"pto.mte_{path.source}_{path.target}_mx",
        GROUP,
        f"Loads the scales of a tile in {name}: a byte for 32 elements along k.",
        (Form(operands), Form((*operands, *at))),
        _scales,
        {"T": Types((F8E4M3, F8E5M2))},
        pipe="PIPE_MTE1",
        path=path,
        where="outside",
        targets=("a5",),
        evidence=(
            Evidence(
                "fragments",
                "micro",
                "32 bytes: 16 rows by 2 scales. Newer pages have them lie row by row, with rows "
                "of n for L0B.",
            ),
            Evidence("where they go", "chosen", f"To the address in {name} divided by 16."),
            Evidence(
                "the other operands",
                "chosen",
                "Newer pages can say the traversal in fragments instead (x_start and others): not "
                "modelled, since no document says how scales lie in the destination.",
            ),
        ),
        formula=f"scale of {name}[r, 32*g to 32*g + 31] = L1[fragment(r, g)]",
        cpp=f"load_cbuf_to_c{path.target[-1]}_mx(dst, src, ...)",
    )


mte_l1_l0a, mte_l1_l0b = _load_record(_L1_L0A, ("m", "k")), _load_record(_L1_L0B, ("k", "n"))
RECORDS = (
    mte_l1_l0a,
    mte_l1_l0b,
    _raw_record(_L1_L0A),
    _raw_record(_L1_L0B),
    _scale_record(_L1_L0A, ("m", "k")),
    _scale_record(_L1_L0B, ("k", "n")),
)
