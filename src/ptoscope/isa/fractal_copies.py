"""Copies of matrices from GM that put them into fractals of L1 on the way."""

from __future__ import annotations

from ptoscope.isa.bursts import element, number, pointers
from ptoscope.isa.copies import BurstLoop, CopyPath
from ptoscope.isa.core import Core
from ptoscope.isa.dtypes import ELEMENTS, I1
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.matrix_copies import GROUP
from ptoscope.isa.patterns import ScalarIn
from ptoscope.isa.record import Attr, Evidence, Form, Group, Operand, Record, Run, Site, Types
from ptoscope.isa.tiles import BLOCK_BYTES, TileMove, block_columns, blocks_of, nz, plain

_GM_L1 = CopyPath("gm", "l1")
_COUNT_BITS, _COLUMN_BITS, _STRIDE_BITS = 16, 21, 40
_SMALL_COLUMNS = 4


def _into_fractals(site: Site) -> Run:
    """Matrices of n by d: rows of them (nd2nz) or columns of them (dn2nz) lie together in GM."""
    dtype = element(site)
    swapped = site.attrs["mode"] == "dn2nz"
    with_outer = dict(site.segments)["src_layout"] == 2

    def run(core: Core, src: Lanes, dst: Lanes, rows: Lanes, columns: Lanes, *rest: Lanes) -> None:
        inner, *others = rest
        outer = others.pop(0) if with_outer else inner.const(0)
        groups, row_step, block_step, group_step, _, small = others
        said = f"small C0 takes at most {_SMALL_COLUMNS} columns"
        wide = small & (columns > _SMALL_COLUMNS)
        core.refuse(site, wide, "PTO0910", said, columns, f"1 to {_SMALL_COLUMNS}")
        core.refuse(
            site, small, "PTO0914", "no document says where small C0 puts rows: not modelled"
        )
        core.refuse(site, groups.eq(0), "PTO0910", "group_count is 0", groups, "1 or more")
        for name, value, bits in (
            ("n_value", rows, _COUNT_BITS),
            ("d_value", columns, _COLUMN_BITS),
            ("src_inner_stride", inner, _STRIDE_BITS),
            ("src_outer_stride", outer, _STRIDE_BITS),
            ("group_count", groups, _COUNT_BITS),
            ("dst_loop2_stride", row_step, _COUNT_BITS),
            ("dst_loop3_stride", block_step, _COUNT_BITS),
            ("dst_loop4_stride", group_step, _COUNT_BITS),
        ):
            core.fits_field(site, name, value, bits)
        size, block = inner.const(dtype.bytes), block_columns(dtype)
        source = plain(inner, size)
        move = TileMove(
            "gm",
            "l1",
            dtype,
            dtype,
            rows,
            columns,
            source.transposed if swapped else source,
            nz(dtype, block_step * BLOCK_BYTES, row_step * BLOCK_BYTES, size),
            BurstLoop(groups, outer, group_step * BLOCK_BYTES),
            filled=blocks_of(columns, block) * block,
            alignment=(1, BLOCK_BYTES),
        )
        core.move_tile(site, src, dst, move)

    return run


_MODE = Attr(
    "mode",
    ("nd2nz", "dn2nz"),
    None,
    "whether rows or columns of a matrix lie together in GM",
    kind="cube_load_frac_mode",
    clause="*",
)


def _numbers(keyword: str, *named: tuple[str, str, int], required: int = 0) -> Group:
    operands = tuple(
        Operand(name, number(name, doc).type, doc, example) for name, doc, example in named
    )
    return Group(keyword, operands, required=required, named=True, bracketed=bool(required))


_SHAPE = _numbers("shape", ("n_value", "rows", 16), ("d_value", "columns", 16))
_SRC_LAYOUT = _numbers(
    "src_layout",
    ("src_inner_stride", "bytes from a row to the next in GM, with dn2nz from a column", 64),
    ("src_outer_stride", "bytes from a matrix to the next in GM; 0 if it is left out", 1024),
    required=1,
)
_DST_GROUP = _numbers(
    "dst_group",
    ("group_count", "matrices", 1),
    ("dst_loop2_stride", "blocks of 32 bytes from a row to the next in L1", 1),
    ("dst_loop3_stride", "blocks from a block of columns to the next", 16),
    ("dst_loop4_stride", "blocks from a matrix to the next", 64),
)
_CTRL = Group(
    "ctrl",
    (
        number("l2_cache_ctrl", "L2 allocation hint, without effect on values"),
        Operand("smallc0_en", ScalarIn((I1,)), "whether rows of 4 are packed: not modelled"),
    ),
    named=True,
)
_GROUPS = (_SHAPE, _SRC_LAYOUT, _DST_GROUP, _CTRL)

mte_gm_l1_frac = Record(
    "pto.mte_gm_l1_frac",
    GROUP,
    "Copies matrices from GM into fractals of L1, zeros behind the last column.",
    (
        Form(
            pointers(_GM_L1),
            attrs=(_MODE,),
            groups=_GROUPS,
            syntax="src, dst, groups {mode} : src, dst, 'mode'",
            clauses=(*_MODE.values, *(group.keyword for group in _GROUPS)),
        ),
    ),
    _into_fractals,
    {"T": Types(tuple(d for d in ELEMENTS if d.bits in (8, 16, 32)))},
    pipe="PIPE_MTE2",
    path=_GM_L1,
    rows_apart=True,
    where="outside",
    evidence=(
        Evidence(
            "rows that overlap in L1", "micro", "Illegal: destination regions must not overlap."
        ),
        Evidence("strides", "micro", "Bytes in GM, blocks of 32 bytes in L1."),
        Evidence(
            "nd2nz", "suite", "Rows of blocks; zeros up to the end of the last block of a row."
        ),
        Evidence(
            "dn2nz",
            "micro",
            "The same matrix from columns in GM. No public kernel that is launched has it.",
        ),
        Evidence(
            "small C0",
            "chosen",
            "An error: the text has rows of 4 elements, but not where they lie in L1.",
        ),
        Evidence("columns of small C0", "micro", "At most 4: d_value > 4 is rejected there."),
        Evidence(
            "fields",
            "micro",
            "As compilers pass them on: 16 bits for rows, matrices and strides in L1, 21 for "
            "columns, 40 for strides in GM.",
        ),
        Evidence("alignment", "chosen", "32 bytes in L1; the text names no number."),
        Evidence(
            "targets",
            "chosen",
            "All: A2/A3 has such a copy of its own, of which no document gives this spelling.",
        ),
    ),
    formula="for each g, n, d: L1[dst + 32*(g*loop4 + n*loop2 + d/C0*loop3) + d%C0*size] = "
    "GM[src + g*outer + n*inner + d*size]",
    cpp="copy_gm_to_cbuf_multi_nd2nz(dst, src, ...)",
)

RECORDS = (mte_gm_l1_frac,)
