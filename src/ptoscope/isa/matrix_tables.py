"""Loads of the biases of a result from L1 into BT."""

from __future__ import annotations

from ptoscope.isa.bursts import element, gaps, number, pointers
from ptoscope.isa.copies import GAP_BITS, LENGTH_BITS, CopyPath
from ptoscope.isa.core import Core
from ptoscope.isa.dtypes import BF16, F16, F32, INTS32
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.matrix_copies import GROUP
from ptoscope.isa.record import Evidence, Form, Record, Run, Site, Types
from ptoscope.isa.tiles import BLOCK_BYTES, TileMove, block_columns, plain

_L1_BT = CopyPath("l1", "bt", BLOCK_BYTES)
_PAIRS = ((F32, F32), (F16, F32), (BF16, F32), *((d, d) for d in INTS32))


def _widened(x: Lanes, parameters: tuple[Lanes, ...]) -> Lanes:
    return x.cast(F32)


def _biases(site: Site) -> Run:
    source, target = element(site), element(site, 1)
    each = block_columns(source)

    def run(core: Core, src: Lanes, dst: Lanes, length: Lanes, *burst: Lanes) -> None:
        rows, src_gap, dst_gap = burst
        core.fits_field(site, "burst length", length, LENGTH_BITS)
        core.fits_field(site, "number of bursts", rows, GAP_BITS)
        core.fits_field(site, "gap", src_gap, GAP_BITS)
        core.fits_field(site, "gap", dst_gap, GAP_BITS)
        move = TileMove(
            "l1",
            "bt",
            source,
            target,
            rows,
            length * each,
            plain((length + src_gap) * BLOCK_BYTES, src.const(source.bytes)),
            plain((length + dst_gap) * (each * target.bytes), src.const(target.bytes)),
            convert=None if source is target else _widened,
            alignment=(BLOCK_BYTES, BLOCK_BYTES),
        )
        core.move_tile(site, src, dst, move)

    return run


mte_l1_bt = Record(
    "pto.mte_l1_bt",
    GROUP,
    "Loads biases from L1 into BT; f16 and bf16 become f32.",
    (
        Form(
            (*pointers(_L1_BT, "U"), number("len_burst", "blocks of 32 bytes per burst, in L1")),
            groups=(gaps("blocks"),),
            syntax="src, dst, len_burst groups : all",
        ),
    ),
    _biases,
    {"T": Types((F32, F16, BF16, *INTS32)), "U": Types((F32, *INTS32))},
    {pair: {} for pair in _PAIRS},
    pipe="PIPE_MTE1",
    path=_L1_BT,
    where="outside",
    evidence=(
        Evidence("types", "micro", "f32 and 32-bit integers as they are, f16 and bf16 as f32."),
        Evidence("unit", "micro", "32 bytes of L1, as in the text's example."),
        Evidence(
            "gaps in BT",
            "chosen",
            "In units of what 32 bytes of L1 become: 64 bytes where they are widened.",
        ),
        Evidence("pipe", "suite", "PIPE_MTE1, for which public kernels let the matrix unit wait."),
    ),
    formula="for each burst: BT[dst + steps] = f32(L1[src + steps]), 32*len_burst bytes of L1",
    cpp="copy_cbuf_to_bt(dst, src, ...)",
)

RECORDS = (mte_l1_bt,)
