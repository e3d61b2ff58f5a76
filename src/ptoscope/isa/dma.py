"""DMA between GM and UB, in both spellings."""

from __future__ import annotations

from ptoscope.isa.bursts import (
    BLOCK_UNIT,
    CACHE,
    GAPS,
    LOOP,
    LOOPS_EVIDENCE,
    NBURST,
    ORDER_EVIDENCE,
    element,
    grouped,
    mode,
    number,
    path_of,
    pointers,
    stream_operands,
    units_after_stream,
    units_in_clause,
)
from ptoscope.isa.copies import BurstLoop, CopyPath, Padding, Transfer
from ptoscope.isa.core import Core
from ptoscope.isa.distributions import BLOCK
from ptoscope.isa.dtypes import BF16, ELEMENTS, F16, F32, I1, I8, I16, I32, I64, unsigned
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.parts import SCALAR_PIPE
from ptoscope.isa.patterns import ScalarAsWide, ScalarIn
from ptoscope.isa.record import Evidence, Form, Group, Operand, Record, Run, Site, Types
from ptoscope.isa.types import Scalar

GROUP = "DMA"
_TYPES = {"T": Types(ELEMENTS)}

_GM_UB, _UB_GM, _UB_UB = CopyPath("gm", "ub"), CopyPath("ub", "gm"), CopyPath("ub", "ub", BLOCK)

_STATE_EVIDENCE = Evidence(
    "state at launch", "chosen", "Loop sizes 1 and strides 0: a copy without set-up is one loop."
)
_PAD_EVIDENCE = (
    Evidence(
        "padding",
        "micro",
        "Left elements, the data, right elements, then on to the 32-byte boundary and the row "
        "stride.",
    ),
    Evidence("padding counts", "micro", "Both or neither; without them both are 0."),
    Evidence("left padding", "chosen", "Moves the data: it starts after the padding."),
)
_WIDTH_EVIDENCE = Evidence(
    "field widths",
    "micro",
    "Burst length and count: 16 bits; counts of loops 21, padding 8, strides in GM 40 and in UB "
    "21, without a sign. l2_cache_ctl: 2 bits of a copy to UB (copy-gm-to-ubuf.md), 4 of one to "
    "GM, as newer pages say. Newer compilers take burst lengths of 32 bits on A5; the newest page "
    "has 16, and so they are here.",
)
_ATOMIC_EVIDENCE = Evidence(
    "atomic stores",
    "micro",
    "Where set_atomic_* has set a type, what is stored updates what is in GM by the operation.",
)


_PAD = Group(
    "pad",
    (
        Operand("pad_value", ScalarAsWide(), "the fill, of the element's width"),
        number("left", "elements before the data"),
        number("right", "elements after the data"),
    ),
    "optional",
    1,
)

mte_gm_ub = Record(
    "pto.mte_gm_ub",
    GROUP,
    "Copies rows from GM to UB, with loops around them and padding in UB.",
    (
        Form(
            (
                *pointers(_GM_UB),
                number("l2_cache_ctl", "L2 allocation hint, without effect on values"),
                number("len_burst", "bytes per row"),
            ),
            groups=(NBURST, LOOP, _PAD),
            syntax="src, dst, l2_cache_ctl, len_burst groups : all",
        ),
    ),
    grouped(4),
    _TYPES,
    pipe="PIPE_MTE2",
    path=_GM_UB,
    where="outside",
    evidence=(
        *_PAD_EVIDENCE,
        Evidence(
            "the rest of the last block of a row",
            "chosen",
            "Without padding it stays as it is. Newer pages have it written with what follows in "
            "GM and forbid to rely on it; the older edition copies len_burst bytes, and so does "
            "the suite.",
        ),
        _WIDTH_EVIDENCE,
        LOOPS_EVIDENCE,
        ORDER_EVIDENCE,
    ),
    formula="for each loop and row: UB[dst + steps] = GM[src + steps], len_burst bytes",
    cpp="copy_gm_to_ubuf_align_v2(dst, src, ...)",
)
mte_ub_gm = Record(
    "pto.mte_ub_gm",
    GROUP,
    "Copies rows from UB to GM, with loops around them.",
    (
        Form(
            (*pointers(_UB_GM), number("len_burst", "bytes per row")),
            groups=(NBURST, CACHE, LOOP),
            syntax="src, dst, len_burst groups : all",
        ),
    ),
    grouped(3),
    _TYPES,
    pipe="PIPE_MTE3",
    path=_UB_GM,
    where="outside",
    evidence=(_WIDTH_EVIDENCE, LOOPS_EVIDENCE, ORDER_EVIDENCE, _ATOMIC_EVIDENCE),
    formula="for each loop and row: GM[dst + steps] = UB[src + steps], len_burst bytes",
    cpp="copy_ubuf_to_gm_align_v2(dst, src, ...)",
)


def _state_loops(
    site: Site, core: Core, direction: str
) -> tuple[BurstLoop[Lanes], BurstLoop[Lanes]]:
    def register(name: str, initial: int) -> Lanes:
        return core.read_register(site, f"{name}_{direction}", I64, initial)

    def loop(n: int) -> BurstLoop[Lanes]:
        return BurstLoop(
            register(f"loop{n}_size", 1),
            register(f"loop{n}_src_stride", 0),
            register(f"loop{n}_dst_stride", 0),
        )

    return loop(1), loop(2)


_PAD_VALUE = "mov_pad_val"


def _copy_in(site: Site) -> Run:
    dtype = element(site)

    def run(
        core: Core,
        src: Lanes,
        dst: Lanes,
        sid: Lanes,
        n_burst: Lanes,
        len_burst: Lanes,
        left: Lanes,
        right: Lanes,
        data_select: Lanes,
        l2_cache_ctl: Lanes,
        src_stride: Lanes,
        dst_stride: Lanes,
    ) -> None:
        loops = (BurstLoop(n_burst, src_stride, dst_stride), *_state_loops(site, core, "outtoub"))
        fill = core.read_register(site, _PAD_VALUE, I64, 0)
        fill = fill.cast(unsigned(8 * dtype.bytes)).bits(dtype)
        padding = Padding(fill, left, right, data_select)
        core.transfer(site, src, dst, Transfer(path_of(site), dtype, len_burst, loops, padding))

    return run


copy_gm_to_ubuf = Record(
    "pto.copy_gm_to_ubuf",
    GROUP,
    "Copies rows from GM to UB; the loops around them are the state of set_loop*_outtoub.",
    (
        Form(
            (
                *pointers(_GM_UB),
                number("sid", "stream id, without effect on values"),
                number("n_burst", "rows"),
                number("len_burst", "bytes per row"),
                number("left_pad", "elements before the data, if selected"),
                number("right_pad", "elements after the data, if selected"),
                Operand("data_select", ScalarIn((I1,)), "whether rows are padded"),
                number("l2_cache_ctl", "L2 allocation hint, without effect on values"),
                number("src_stride", "bytes from row to row in GM"),
                number("dst_stride", "bytes from row to row in UB"),
            ),
        ),
    ),
    _copy_in,
    _TYPES,
    pipe="PIPE_MTE2",
    path=_GM_UB,
    where="outside",
    evidence=(
        *_PAD_EVIDENCE,
        Evidence("padding value", "micro", "What set_mov_pad_val has set, zero at launch."),
        _STATE_EVIDENCE,
        _WIDTH_EVIDENCE,
        ORDER_EVIDENCE,
    ),
    formula="for loop2, loop1, row: UB[dst + steps] = GM[src + steps], len_burst bytes",
    cpp="copy_gm_to_ubuf(dst, src, ...)",
)


def _copy_out(site: Site) -> Run:
    dtype = element(site)

    def run(
        core: Core,
        src: Lanes,
        dst: Lanes,
        sid: Lanes,
        n_burst: Lanes,
        len_burst: Lanes,
        reserved: Lanes,
        dst_stride: Lanes,
        src_stride: Lanes,
    ) -> None:
        core.refuse(site, reserved.ne(0), "PTO0910", "the reserved number is not 0", reserved, "0")
        loops = (BurstLoop(n_burst, src_stride, dst_stride), *_state_loops(site, core, "ubtoout"))
        copy = Transfer(path_of(site), dtype, len_burst, loops, atomic=mode(core, site))
        core.transfer(site, src, dst, copy)

    return run


copy_ubuf_to_gm = Record(
    "pto.copy_ubuf_to_gm",
    GROUP,
    "Copies rows from UB to GM; the loops around them are the state of set_loop*_ubtoout.",
    (
        Form(
            (
                *pointers(_UB_GM),
                number("sid", "stream id, without effect on values"),
                number("n_burst", "rows"),
                number("len_burst", "bytes per row"),
                Operand("reserved", ScalarIn((I64,)), "0", example=0),
                number("dst_stride", "bytes from row to row in GM"),
                number("src_stride", "bytes from row to row in UB"),
            ),
        ),
    ),
    _copy_out,
    _TYPES,
    pipe="PIPE_MTE3",
    path=_UB_GM,
    where="outside",
    evidence=(
        _STATE_EVIDENCE,
        _WIDTH_EVIDENCE,
        Evidence("reserved", "manual", "Set to 0 (dma-copy.md): any other number is a fault."),
        ORDER_EVIDENCE,
        _ATOMIC_EVIDENCE,
    ),
    formula="for loop2, loop1, row: GM[dst + steps] = UB[src + steps], len_burst bytes",
    cpp="copy_ubuf_to_gm(dst, src, ...)",
)


def _set_fill(site: Site) -> Run:
    value = site.operands[0]
    assert isinstance(value, Scalar)
    raw = unsigned(value.dtype.bits)

    def run(core: Core, value: Lanes) -> None:
        core.write_register(site, _PAD_VALUE, value.bits(raw).cast(I64))

    return run


set_mov_pad_val = Record(
    "pto.set_mov_pad_val",
    GROUP,
    "Sets what later copies of GM to UB pad rows with.",
    (Form((Operand("value", ScalarIn((F32, F16, BF16, I32, I16, I8)), "the fill", example=3),)),),
    _set_fill,
    pipe=SCALAR_PIPE,
    where="outside",
    evidence=(
        Evidence("copies", "micro", "Those of copy_gm_to_ubuf; mte_gm_ub names its own fill."),
        Evidence(
            "another width",
            "chosen",
            "The low bits of the value, or zeros above it, fill elements of another width.",
        ),
    ),
    formula="pad value = value",
    cpp="set_mov_pad_val(value)",
    shown_by=copy_gm_to_ubuf,
)


def _state(name: str, registers: tuple[str, str], doc: str, copy: Record) -> Record:
    """An instruction of the scalar unit that sets two registers, which a later copy reads."""

    def meaning(site: Site) -> Run:
        def run(core: Core, first: Lanes, second: Lanes) -> None:
            core.write_register(site, registers[0], first)
            core.write_register(site, registers[1], second)

        return run

    labels = ("loop1_count", "loop2_count") if "size" in name else ("src_stride", "dst_stride")
    return Record(
        f"pto.{name}",
        GROUP,
        doc,
        (Form(tuple(number(label, "") for label in labels)),),
        meaning,
        pipe=SCALAR_PIPE,
        where="outside",
        evidence=(_STATE_EVIDENCE,),
        formula=f"{registers[0]} = {labels[0]}; {registers[1]} = {labels[1]}",
        cpp=f"{name}({', '.join(labels)})",
        shown_by=copy,
    )


def _states(direction: str, copy: Record) -> tuple[Record, ...]:
    sizes = (f"loop1_size_{direction}", f"loop2_size_{direction}")
    return (
        _state(
            f"set_loop_size_{direction}",
            sizes,
            "Sets the counts of the two loops around later copies: loop2 around loop1.",
            copy,
        ),
        *(
            _state(
                f"set_loop{n}_stride_{direction}",
                (f"loop{n}_src_stride_{direction}", f"loop{n}_dst_stride_{direction}"),
                f"Sets the byte steps of loop {n} of later copies.",
                copy,
            )
            for n in (1, 2)
        ),
    )


_COPY_PIPE = Evidence("pipe", "chosen", "PIPE_V: both ends are the vector core's own buffer.")


mte_ub_ub = Record(
    "pto.mte_ub_ub",
    GROUP,
    "Copies bursts of 32-byte blocks inside UB.",
    (
        Form(
            (*pointers(_UB_UB), number("len_burst", "blocks per burst")),
            groups=(GAPS,),
            syntax="src, dst, len_burst groups : all",
        ),
    ),
    units_in_clause,
    _TYPES,
    path=_UB_UB,
    where="outside",
    evidence=(BLOCK_UNIT, _COPY_PIPE, _WIDTH_EVIDENCE),
    formula="for each burst: UB[dst + steps] = UB[src + steps], 32*len_burst bytes",
    cpp="copy_ubuf_to_ubuf(dst, src, ...)",
)
copy_ubuf_to_ubuf = Record(
    "pto.copy_ubuf_to_ubuf",
    GROUP,
    "Copies bursts of 32-byte blocks inside UB; the older spelling.",
    (
        Form(
            stream_operands(_UB_UB, "stream id, without effect on values"),
        ),
    ),
    units_after_stream,
    _TYPES,
    path=_UB_UB,
    where="outside",
    evidence=(
        BLOCK_UNIT,
        _COPY_PIPE,
        Evidence("operands", "chosen", "In the order of the other copies of this spelling."),
    ),
    formula="for each burst: UB[dst + steps] = UB[src + steps], 32*len_burst bytes",
    cpp="copy_ubuf_to_ubuf(dst, src, ...)",
)

RECORDS = (
    mte_gm_ub,
    mte_ub_gm,
    copy_gm_to_ubuf,
    copy_ubuf_to_gm,
    mte_ub_ub,
    copy_ubuf_to_ubuf,
    set_mov_pad_val,
    *_states("outtoub", copy_gm_to_ubuf),
    *_states("ubtoout", copy_ubuf_to_gm),
)
