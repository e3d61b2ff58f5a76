"""Copies of rows of bytes that begin or end in L1, the first buffer of the matrix core."""

from __future__ import annotations

from ptoscope.isa.bursts import (
    BLOCK_UNIT,
    GAPS,
    LOOP,
    LOOPS_EVIDENCE,
    NBURST,
    ORDER_EVIDENCE,
    clauses,
    element,
    gaps,
    grouped,
    in_units,
    number,
    path_of,
    pointers,
    stream_operands,
    units_after_stream,
    units_in_clause,
)
from ptoscope.isa.copies import BurstLoop, CopyPath, Padding, Transfer
from ptoscope.isa.core import Core
from ptoscope.isa.dtypes import ELEMENTS, FLOATS, I32, I64, INTS64, unsigned
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.parts import MEMORIES, VECTOR_CORES
from ptoscope.isa.patterns import PtrTo, ScalarIn
from ptoscope.isa.record import Attr, Constraint, Evidence, Form, Operand, Record, Run, Site, Types
from ptoscope.isa.tiles import BLOCK_BYTES

GROUP = "matrix copies"
_TYPES = {"T": Types(ELEMENTS)}
_GM_L1 = CopyPath("gm", "l1")
_L1_UB, _UB_L1 = CopyPath("l1", "ub", BLOCK_BYTES), CopyPath("ub", "l1", BLOCK_BYTES)
_L1_FB, _IN_L1 = CopyPath("l1", "fb", 64), CopyPath("l1", "l1")

_UNITS = Evidence(
    "unit",
    "suite",
    "Lengths and gaps of nburst count 32-byte blocks, a gap begins where a burst ends. The text "
    "has bytes from start to start, with which the public kernels would copy one row only.",
)
_ON_A5 = Evidence(
    "targets",
    "micro",
    "The way between UB and L1 is A5's; on A2/A3 data goes through GM. The CPU has no signals "
    "between cores, without which nobody could use it.",
)
_OWN_UB = Evidence("which UB", "chosen", "That of the vector core which executes it.")
_FIELDS = Evidence(
    "field widths", "chosen", "As those of copies between GM and UB: no document has others."
)

mte_gm_l1 = Record(
    "pto.mte_gm_l1",
    GROUP,
    "Copies rows from GM to L1, with loops around them.",
    (
        Form(
            (*pointers(_GM_L1), number("len_burst", "bytes per row")),
            groups=(NBURST, LOOP),
            syntax="src, dst, len_burst groups : all",
        ),
    ),
    grouped(3),
    _TYPES,
    pipe="PIPE_MTE2",
    path=_GM_L1,
    where="outside",
    evidence=(
        Evidence("unit", "micro", "Bytes; strides go from the start of a row to the next."),
        Evidence(
            "the rest of the last block of a row", "chosen", "Stays as it is, as in copies to UB."
        ),
        _FIELDS,
        LOOPS_EVIDENCE,
        ORDER_EVIDENCE,
    ),
    formula="for each loop and row: L1[dst + steps] = GM[src + steps], len_burst bytes",
    cpp="copy_gm_to_cbuf_align_v2(dst, src, ...)",
)


def _rows(site: Site) -> Run:
    def run(
        core: Core, src: Lanes, dst: Lanes, n_burst: Lanes, len_burst: Lanes, *strides: Lanes
    ) -> None:
        loop = BurstLoop(n_burst, *strides)
        core.transfer(site, src, dst, Transfer(path_of(site), element(site), len_burst, (loop,)))

    return run


copy_gm_to_cbuf = Record(
    "pto.copy_gm_to_cbuf",
    GROUP,
    "Copies rows from GM to L1; the older spelling.",
    (
        Form(
            (
                *pointers(_GM_L1),
                number("n_burst", "rows"),
                number("len_burst", "bytes per row"),
                number("src_stride", "bytes from row to row in GM"),
                number("dst_stride", "bytes from row to row in L1"),
            ),
        ),
    ),
    _rows,
    _TYPES,
    pipe="PIPE_MTE2",
    path=_GM_L1,
    where="outside",
    evidence=(
        Evidence("unit", "chosen", "Bytes, as of pto.mte_gm_l1, which compilers make this of."),
        Evidence("loops around it", "chosen", "None: what sets them up is not modelled."),
        _FIELDS,
        ORDER_EVIDENCE,
    ),
    formula="for each row: L1[dst + steps] = GM[src + steps], len_burst bytes",
    cpp="copy_gm_to_cbuf(dst, src, ...)",
)


def _to_ub(site: Site) -> Run:
    """nburst in blocks with gaps, loops of bytes around it, to the UB of vector core 0."""

    def run(core: Core, src: Lanes, dst: Lanes, length: Lanes, *values: Lanes) -> None:
        (_, burst), *around = clauses(site, values)
        rows, src_gap, dst_gap = burst
        loops = tuple(BurstLoop(*loop) for _, loop in around)
        first = core.constant(I64, 1, 0)
        in_units(core, site, src, dst, (length, rows, src_gap, dst_gap), loops, first)

    return run


mte_l1_ub = Record(
    "pto.mte_l1_ub",
    GROUP,
    "Copies bursts of 32-byte blocks from L1 to the UB of vector core 0.",
    (
        Form(
            (*pointers(_L1_UB), number("len_burst", "blocks per burst")),
            groups=(GAPS, LOOP),
            syntax="src, dst, len_burst groups : all",
        ),
    ),
    _to_ub,
    _TYPES,
    pipe="PIPE_MTE1",
    path=_L1_UB,
    where="outside",
    targets=("a5",),
    evidence=(
        _UNITS,
        Evidence(
            "which UB",
            "suite",
            "That of vector core 0: it names none, compilers pass 0 on, and public kernels read "
            "what it wrote there.",
        ),
        Evidence("loops", "micro", "Their strides are bytes from start to start."),
        _ON_A5,
        LOOPS_EVIDENCE,
        ORDER_EVIDENCE,
    ),
    formula="for each loop and burst: UB0[dst + steps] = L1[src + steps], 32*len_burst bytes",
    cpp="copy_cbuf_to_ubuf(dst, src, 0, ...)",
)


def _to_named_ub(site: Site) -> Run:
    def run(
        core: Core, src: Lanes, dst: Lanes, vector_core: Lanes, rows: Lanes, *counts: Lanes
    ) -> None:
        length, src_gap, dst_gap = counts
        outside = (vector_core < 0) | (vector_core >= VECTOR_CORES)
        said = "the cluster has vector cores 0 and 1"
        core.refuse(site, outside, "PTO0910", said, vector_core, "0 or 1")
        in_units(core, site, src, dst, (length, rows, src_gap, dst_gap), ub=vector_core)

    return run


copy_cbuf_to_ubuf = Record(
    "pto.copy_cbuf_to_ubuf",
    GROUP,
    "Copies bursts of 32-byte blocks from L1 to the UB of a vector core.",
    (Form(stream_operands(_L1_UB, "the vector core whose UB it is, 0 or 1")),),
    _to_named_ub,
    _TYPES,
    pipe="PIPE_MTE1",
    path=_L1_UB,
    where="outside",
    targets=("a5",),
    evidence=(
        Evidence("which UB", "suite", "The number of the stream is that of the vector core."),
        Evidence("unit", "suite", "Lengths and gaps count 32-byte blocks."),
        _ON_A5,
        ORDER_EVIDENCE,
    ),
    formula="for each burst: UB[sid][dst + steps] = L1[src + steps], 32*len_burst bytes",
    cpp="copy_cbuf_to_ubuf(dst, src, sid, ...)",
)

mte_ub_l1 = Record(
    "pto.mte_ub_l1",
    GROUP,
    "Copies bursts of 32-byte blocks from a vector core's UB to L1.",
    (
        Form(
            (*pointers(_UB_L1), number("len_burst", "blocks per burst")),
            groups=(GAPS,),
            syntax="src, dst, len_burst groups : all",
        ),
    ),
    units_in_clause,
    _TYPES,
    pipe="PIPE_MTE3",
    path=_UB_L1,
    where="outside",
    targets=("a5",),
    evidence=(BLOCK_UNIT, _OWN_UB, _ON_A5, ORDER_EVIDENCE),
    formula="for each burst: L1[dst + steps] = UB[src + steps], 32*len_burst bytes",
    cpp="copy_ubuf_to_cbuf(dst, src, 0, ...)",
)
copy_ubuf_to_cbuf = Record(
    "pto.copy_ubuf_to_cbuf",
    GROUP,
    "Copies bursts of 32-byte blocks from a vector core's UB to L1; the older spelling.",
    (Form(stream_operands(_UB_L1, "stream id, without effect on values")),),
    units_after_stream,
    _TYPES,
    pipe="PIPE_MTE3",
    path=_UB_L1,
    where="outside",
    targets=("a5",),
    evidence=(
        Evidence("unit", "suite", "Lengths and gaps count 32-byte blocks."),
        _OWN_UB,
        _ON_A5,
        ORDER_EVIDENCE,
    ),
    formula="for each burst: L1[dst + steps] = UB[src + steps], 32*len_burst bytes",
    cpp="copy_ubuf_to_cbuf(dst, src, sid, ...)",
)

_PART_AT = 16


def parameter_address(core: Core, site: Site, address: Lanes) -> Lanes:
    """Where a pointer into FB points. FB has two parts, for scales and for factors: from address
    0 and from 0x10000 on, which are its two halves."""
    second = (address >> _PART_AT).eq(1)
    half = MEMORIES["fb"].sizes[site.target.name] // 2
    return second.select(address - ((1 << _PART_AT) - half), address)


def _parameters(site: Site) -> Run:
    def run(core: Core, src: Lanes, dst: Lanes, length: Lanes, *burst: Lanes) -> None:
        rows, src_gap, dst_gap = burst
        to = parameter_address(core, site, dst)
        in_units(core, site, src, to, (length, rows, src_gap, dst_gap))

    return run


mte_l1_fb = Record(
    "pto.mte_l1_fb",
    GROUP,
    "Copies bursts of 64-byte units of parameters from L1 to FB.",
    (
        Form(
            (*pointers(_L1_FB, "U"), number("len_burst", "units of 64 bytes per burst")),
            groups=(gaps("units of 64 bytes"),),
            syntax="src, dst, len_burst groups : all",
        ),
    ),
    _parameters,
    {"T": Types(ELEMENTS), "U": Types((*FLOATS, *INTS64))},
    pipe="PIPE_FIX",
    path=_L1_FB,
    where="outside",
    evidence=(
        Evidence("unit", "suite", "64 bytes, for the length and for both gaps."),
        Evidence(
            "pipe",
            "suite",
            "PIPE_FIX: public kernels let it wait for L1, and what reads FB not for it.",
        ),
        Evidence(
            "addresses",
            "chosen",
            "From 0x10000 on those of the second half: a public kernel has its factors there, and "
            "compilers pass 16 bits of an address on.",
        ),
        ORDER_EVIDENCE,
    ),
    formula="for each burst: FB[dst + steps] = L1[src + steps], 64*len_burst bytes",
    cpp="copy_cbuf_to_fbuf(dst, src, ...)",
)

_FILL_BITS = 15


def _other_word(site: Site) -> str:
    width = site.attrs["fill_word_bits"]
    return "" if width in (16, 32) else f"fill_word_bits = {width}"


def _fill(site: Site) -> Run:
    word = unsigned(16 if site.attrs["fill_word_bits"] == 16 else 32)

    def run(core: Core, dst: Lanes, byte_offset: Lanes, value: Lanes, *counts: Lanes) -> None:
        times, blocks, gap = counts
        for name, count in (("repeat_times", times), ("block_num_32b", blocks), ("gap", gap)):
            core.fits_field(site, name, count, _FILL_BITS)
        core.fits_field(site, "offset", byte_offset, _GM_L1.target_stride_bits)
        # A row of no data that is padded up to the next one is filled.
        zero = times.const(0)
        row = BurstLoop(times.const(1), zero, blocks * BLOCK_BYTES)
        repeat = BurstLoop(times, zero, (blocks + gap) * BLOCK_BYTES)
        fill = Padding(value.bits(unsigned(32)).cast(word), zero, zero)
        to = core.address(dst, byte_offset, 1)
        core.transfer(site, to, to, Transfer(_IN_L1, word, zero, (row, repeat), fill))

    return run


raw_fill_l1 = Record(
    "pto.raw_fill_l1",
    GROUP,
    "Fills 32-byte blocks of L1 with a word of 16 or 32 bits.",
    (
        Form(
            (
                Operand("dst", PtrTo(space="l1"), "destination in L1"),
                number("byte_offset", "bytes from it to the first block"),
                Operand("raw_value", ScalarIn((I32,)), "the word; its low half for 16 bits"),
                number("repeat_times", "repetitions"),
                number("block_num_32b", "blocks that are filled in each"),
                number("dst_gap_32b", "blocks between repetitions"),
            ),
            attrs=(Attr("fill_word_bits", (), None, "bits of the word: 16 or 32", 16, 32),),
            syntax="dst, byte_offset, raw_value, repeat_times, block_num_32b, dst_gap_32b "
            "{fill_word_bits} : all",
        ),
    ),
    _fill,
    _TYPES,
    pipe="PIPE_MTE2",
    where="outside",
    constraints=(Constraint("the word has 16 or 32 bits", _other_word),),
    evidence=(
        Evidence("fields", "micro", "Counts are at most 32767, the address a multiple of 32."),
        Evidence("pipe", "chosen", "PIPE_MTE2, as what else fills L1; no document names one."),
        Evidence("text", "chosen", "Operands in the order of the documented function."),
    ),
    formula="for each repetition: L1[dst + byte_offset + steps] = word, 32*block_num_32b bytes",
    cpp="create_cbuf_matrix(dst, config, value)",
)

RECORDS = (
    mte_gm_l1,
    copy_gm_to_cbuf,
    raw_fill_l1,
    mte_l1_ub,
    copy_cbuf_to_ubuf,
    mte_ub_l1,
    copy_ubuf_to_cbuf,
    mte_l1_fb,
)
