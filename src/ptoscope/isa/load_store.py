"""Vector loads and stores between UB and registers: contiguous, dual, strided."""

from __future__ import annotations

from typing import Any

from ptoscope.isa.core import Core
from ptoscope.isa.cost import load, store
from ptoscope.isa.distributions import (
    DUAL_LOAD_MODES,
    DUAL_STORE_MODES,
    LOAD_MODES,
    STORE_MODES,
    STRIDES,
    access,
    parted,
    store_mode,
    strided,
    suffix_bits,
    widths,
)
from ptoscope.isa.dtypes import ELEMENTS, INDEX, INTS32, DType, unsigned
from ptoscope.isa.families import MASK, RESULT
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.patterns import AnyMask, Extended, PtrTo, ScalarIn, Vec
from ptoscope.isa.post_update import begins, evidence, post_update, with_base
from ptoscope.isa.record import (
    IN_MANUAL,
    IN_MICRO,
    Attr,
    Constraint,
    Evidence,
    Form,
    Operand,
    Record,
    Run,
    Site,
    Types,
    When,
)
from ptoscope.isa.types import Mask, Ptr, VAddr, VReg, granularity

GROUP = "load/store"
SOURCE = Operand("source", PtrTo(), "UB base address")
DEST = Operand("dest", PtrTo(), "UB base address")
VALUE = Operand("value", Vec(), "the source vector")
OFFSET = Operand("offset", ScalarIn((INDEX,)), "displacement in elements")
TYPES = {"T": Types(ELEMENTS)}
_ALIGNMENT = Evidence(
    "alignment",
    "manual",
    "32 bytes for NORM on A5; the same is chosen for the other modes and for A2/A3, the element "
    "size on CPU, for BRC and for 1PT.",
    about="alignment",
)
_OFFSET_EVIDENCE = Evidence("offset", "micro", "Counts elements.")
_UPDATE = "Works at the base; the offset, in elements, only advances it."
_SUFFIX = Evidence(
    "width suffix unlike the element (revision micro)",
    "suite",
    "The register is seen as elements of the suffix's width.",
    when=IN_MICRO,
)


def element(site: Site, *, operand: int | None = None) -> DType:
    """The element type of a vector operand, or of the first result."""
    kind = site.results[0] if operand is None else site.operands[operand]
    assert isinstance(kind, VReg)
    return kind.dtype


def alignment(site: Site, dtype: DType) -> int:
    """What a NORM address is a multiple of: the target's rule, or the element size."""
    return site.target.norm_alignment or dtype.bytes


def unit(site: Site, dtype: DType) -> int:
    """The bytes that an offset counts: an element's, one where it is a vector address."""
    return 1 if any(isinstance(kind, VAddr) for kind in site.operands) else dtype.bytes


def _in_memory(site: Site) -> DType:
    """The element type that the pointer of a load points to."""
    pointer = site.operands[0]
    assert isinstance(pointer, Ptr)
    return pointer.dtype


def _load(site: Site) -> Run:
    dtype, stored = element(site), _in_memory(site)
    words = dtype.bits == _WORDS * stored.bits
    mode = LOAD_MODES["UNPK4" if words else str(site.attrs["dist"])]
    seen = mode.seen(stored)
    places = access(mode, seen, alignment(site, stored))
    size = unit(site, stored)

    def run(core: Core, source: Lanes, offset: Lanes) -> Any:
        moved = core.address(source, offset, size)
        loaded = core.load(site, begins(site, source, moved), places, seen)
        return with_base(site, moved, loaded.bits(dtype))

    return run


_TIMES = {"UNPK_B8": 2, "UNPK_B16": 2, "UNPK_B32": 2, "UNPK4": 4}
"""How many times as wide the integers are to which a mode extends."""
_WORDS = 4
"""How many times as wide the words are to which the manual's UNPK_B8 extends bytes, too."""
_EXTENDED = Operand("result", Extended(times=tuple(sorted(set(_TIMES.values())))))


def _not_extended(site: Site) -> str:
    """A register that is wider than the elements in memory is that of the mode."""
    dtype, stored, token = element(site), _in_memory(site), str(site.attrs["dist"])
    if dtype.bits == stored.bits:
        return ""
    times = dtype.bits // stored.bits
    fits = times == _TIMES.get(token, 1)
    fits = fits or (times == _WORDS and token == "UNPK_B8" and not site.micro)
    same = suffix_bits(token) == stored.bits
    return "" if fits and same else f"{stored} in memory, {dtype} in the register, mode {token}"


_VLDS = Form(
    (SOURCE, OFFSET),
    (_EXTENDED,),
    (Attr("dist", tuple(LOAD_MODES), "NORM", "how memory maps to lanes"),),
    syntax="source[offset] {dist} : source -> result",
)
vlds = Record(
    "pto.vlds",
    GROUP,
    "Loads a vector from UB, distributed over the lanes by a mode.",
    (_VLDS, post_update(_VLDS)),
    _load,
    TYPES,
    cost=load(note=""),
    evidence=(
        _ALIGNMENT,
        _SUFFIX,
        _OFFSET_EVIDENCE,
        evidence(1, "suite", _UPDATE),
        Evidence(
            "alignment of BRC",
            "suite",
            "The element size: kernels of the suite broadcast each element of a row. The table of "
            "vlds.md has 32 bytes for each mode.",
            when=When(attrs={"dist": widths(LOAD_MODES, "BRC")}),
            about="alignment",
        ),
        Evidence(
            "BLK",
            "chosen",
            "As BRC_BLK: the manual says no more than a blocked pattern.",
            when=When(attrs={"dist": widths(LOAD_MODES, "BLK")}),
        ),
        Evidence(
            "BRC_BLK",
            "suite",
            "One 32-byte block in each of the eight lane groups.",
            when=When(attrs={"dist": widths(LOAD_MODES, "BRC_BLK")}),
        ),
        Evidence(
            "E2B",
            "chosen",
            "Element i fills block i: the name says element to block.",
            when=When(attrs={"dist": widths(LOAD_MODES, "E2B")}),
        ),
        Evidence(
            "UNPK, UNPK4",
            "suite",
            "The upper parts of each wider lane are zero.",
            when=When(attrs={"dist": tuple(_TIMES)}),
        ),
        Evidence(
            "register of UNPK, UNPK4",
            "manual",
            "Of the wider integers, whatever their sign: the elements are zero-extended. One of "
            "the element type shows the zeros as lanes of their own, and is the only one for "
            "floats, which vcvt converts.",
            when=When(attrs={"dist": tuple(_TIMES)}),
        ),
        Evidence(
            "UNPK_B8 to words",
            "manual",
            "vlds.md extends bytes to words, 64 contiguous bytes, as UNPK4 does; other pages to "
            "halves. The register's type says which.",
            when=When("manual", attrs={"dist": ("UNPK_B8",)}, elements=INTS32),
        ),
        Evidence(
            "SPLT2CHN, SPLT4CHN",
            "manual",
            "The first channel's plane.",
            when=When(attrs={"dist": widths(LOAD_MODES, "SPLT2CHN", "SPLT4CHN")}),
        ),
    ),
    constraints=(
        Constraint(
            "the register has the pointer's element type, or the wider one of its UNPK mode",
            _not_extended,
            "UNPK_B8, UNPK_B16 and UNPK_B32 zero-extend integers to twice, UNPK4 to four times "
            "their width",
        ),
    ),
    formula="result[i] = UB[source + offset*size + map(i)], see the modes",
    cpp="VLDS(dst, addr)",
)


_MERGES = {"dist": widths(STORE_MODES, "MRG2CHN", "MRG4CHN")}


def _store(site: Site) -> Run:
    dtype = element(site, operand=0)
    mode = store_mode(str(site.attrs["dist"]), site.revision)
    seen = mode.seen(dtype)
    places = access(mode, seen, alignment(site, dtype))
    size = unit(site, dtype)

    def run(core: Core, value: Lanes, dest: Lanes, offset: Lanes, mask: Lanes) -> Any:
        moved = core.address(dest, offset, size)
        lanes = value.bits(seen)
        if mode.stored:
            lanes = lanes.as_unsigned().cast(unsigned(mode.stored))
        core.store(site, begins(site, dest, moved), places, lanes, active(mask))
        return with_base(site, moved)

    def active(mask: Lanes) -> Lanes | None:
        if mode.ignores_mask:
            return None
        if not mode.gate_bits:
            return mask.gate(seen.lanes)
        # The mask governs places in memory, in elements of its own granularity.
        lanes = mask.gate(Mask(mode.gate_bits).lanes)
        per = mode.gate_bits // seen.bits
        return lanes.shuffle(tuple(mode.place(i, seen.lanes) // per for i in range(seen.lanes)))

    return run


def _mask_misfit(site: Site) -> str:
    """The mask has the lanes of the element, or of what the mode sees."""
    dtype, mask = element(site, operand=0), site.operands[3]
    assert isinstance(mask, Mask)
    token = str(site.attrs["dist"])
    mode = store_mode(token, site.revision) if token in STORE_MODES else None
    widths = [dtype.bits]
    if mode is not None and mode.bits:
        # What packs or merges says itself what its mask is for.
        own = site.micro and not mode.stored and not mode.gate_bits
        widths = [mode.gate_bits or mode.bits, *([dtype.bits] if own else [])]
    if mode is not None and mode.ignores_mask:
        return ""
    needed = [granularity(w) for w in widths]
    return "" if mask.bits in needed else f"{mask}, where b{needed[0]} is needed"


_VSTS = Form(
    (VALUE, DEST, OFFSET, Operand("mask", AnyMask(), "which lanes are stored")),
    (),
    (Attr("dist", tuple(STORE_MODES), "NORM", "how lanes map to memory"),),
    syntax="value, dest[offset], mask {dist} : value, dest, mask",
)
vsts = Record(
    "pto.vsts",
    GROUP,
    "Stores the active lanes of a vector to UB, placed by a mode.",
    (_VSTS, post_update(_VSTS)),
    _store,
    TYPES,
    stores_lanes=True,
    cost=store(note=""),
    evidence=(
        _ALIGNMENT,
        _SUFFIX,
        _OFFSET_EVIDENCE,
        evidence(1, "suite", _UPDATE),
        Evidence("inactive lanes", "manual", "Write nothing.", about="mask"),
        Evidence(
            "1PT",
            "suite",
            "Lane 0 is written whatever the mask.",
            when=When(attrs={"dist": widths(STORE_MODES, "1PT")}),
        ),
        Evidence(
            "MRG2CHN, MRG4CHN",
            "manual",
            "Channels are planes of the whole vector: halves, or quarters; the mask has a bit for "
            "each of the vector's own lanes.",
            when=When("manual", attrs=_MERGES),
        ),
        Evidence(
            "MRG2CHN, MRG4CHN (revision micro)",
            "micro",
            "Channels are planes inside each 32-byte block; the mask governs places after the "
            "merge, in elements twice (MRG4CHN: four times) as wide.",
            when=When("micro", attrs=_MERGES),
        ),
    ),
    constraints=(
        Constraint(
            "the mask has the lanes of the data, as the mode sees it",
            _mask_misfit,
            "a mode's mask has the width of its element; in revision micro that of MRG2CHN is "
            "twice, of MRG4CHN four times as wide",
        ),
    ),
    formula="if mask[i]: UB[dest + offset*size + map(i)] = value[i], see the modes",
    cpp="VSTS(addr, src, mask)",
)


def _dual_load(site: Site) -> Run:
    dtype = element(site)
    bits = DUAL_LOAD_MODES[str(site.attrs["dist"])]
    (even, seen), (odd, _) = (
        parted(bits, second, alignment(site, dtype)) for second in (False, True)
    )

    def run(core: Core, source: Lanes, offset: Lanes) -> Any:
        moved = core.address(source, offset, unit(site, dtype))
        address = begins(site, source, moved)
        low = core.load(site, address, even, seen)
        high = core.load(site, address, odd, seen)
        return with_base(site, moved, low.bits(dtype), high.bits(dtype))

    return run


_VLDSX2 = Form(
    (SOURCE, OFFSET),
    (Operand("low", Vec(), "the even ones"), Operand("high", Vec(), "the odd ones")),
    (Attr("dist", tuple(DUAL_LOAD_MODES), None, "what is taken apart"),),
    syntax='source[offset], "dist" : source, offset -> low, high',
)
vldsx2 = Record(
    "pto.vldsx2",
    GROUP,
    "Loads two vectors, taking interleaved elements or blocks apart.",
    (_VLDSX2, post_update(_VLDSX2)),
    _dual_load,
    TYPES,
    cost=load(),
    evidence=(
        _ALIGNMENT,
        _SUFFIX,
        _OFFSET_EVIDENCE,
        evidence(1, "chosen", f"{_UPDATE} The document names the advance; the rest as vlds."),
        Evidence(
            "BDINTLV",
            "chosen",
            "Blocks of 32 bytes: the machine's other block size.",
            when=When(attrs={"dist": ("BDINTLV",)}),
        ),
    ),
    formula="low[i], high[i] = UB[address + 2i], UB[address + 2i + 1] (elements or blocks)",
    cpp="vlds(low, high, addr, dist)",
)


def _dual_store(site: Site) -> Run:
    dtype = element(site, operand=0)
    bits = DUAL_STORE_MODES[str(site.attrs["dist"])] or 8 * dtype.bytes
    (even, seen), (odd, _) = (
        parted(bits, second, alignment(site, dtype)) for second in (False, True)
    )

    def run(core: Core, low: Lanes, high: Lanes, dest: Lanes, offset: Lanes, mask: Lanes) -> None:
        address = core.address(dest, offset, unit(site, dtype))
        active = None if site.micro else mask.gate(seen.lanes)
        core.store(site, address, even, low.bits(seen), active)
        core.store(site, address, odd, high.bits(seen), active)

    return run


def _interleaves_other(site: Site) -> bool:
    return site.attrs["dist"] == "INTLV" and element(site, operand=0).bytes > 4


vstsx2 = Record(
    "pto.vstsx2",
    GROUP,
    "Stores two vectors interleaved.",
    (
        Form(
            (
                Operand("low", Vec(), "goes to the even places"),
                Operand("high", Vec(), "goes to the odd places"),
                DEST,
                OFFSET,
                MASK,
            ),
            (),
            (Attr("dist", tuple(DUAL_STORE_MODES), None, "what is interleaved"),),
            syntax='low, high, dest[offset], "dist", mask : low, high, dest, offset, mask',
        ),
    ),
    _dual_store,
    TYPES,
    stores_lanes=True,
    cost=store(12),
    evidence=(
        _ALIGNMENT,
        _SUFFIX,
        _OFFSET_EVIDENCE,
        Evidence(
            "mask",
            "manual",
            "Gates the elements: lane i both of low and of high.",
            when=IN_MANUAL,
            about="mask",
        ),
        Evidence("mask (revision micro)", "micro", "Ignored.", when=IN_MICRO, about="mask"),
        Evidence(
            "INTLV",
            "micro",
            "Newest pages: the family, for elements of 8, 16 and 32 bits; its width is theirs.",
            when=When(attrs={"dist": ("INTLV",)}),
        ),
    ),
    constraints=(
        Constraint(
            "INTLV is for elements of 8, 16 or 32 bits",
            lambda site: str(site.operands[0]) if _interleaves_other(site) else "",
            "interleave wider elements by vintlv",
        ),
    ),
    formula="if mask[i]: UB[address + 2i], UB[address + 2i + 1] = low[i], high[i]",
    micro_formula="UB[address + 2i], UB[address + 2i + 1] = low[i], high[i]",
    cpp="vsts(low, high, addr, dist, mask)",
)


def _strided_load(site: Site) -> Run:
    dtype = element(site)
    places, seen = strided(str(site.attrs["stride"]), alignment(site, dtype))

    def run(core: Core, source: Lanes, offset: Lanes) -> Lanes:
        address = core.address(source, offset, unit(site, dtype))
        return core.load(site, address, places, seen).bits(dtype)

    return run


def _strided_store(site: Site) -> Run:
    dtype = element(site, operand=0)
    places, seen = strided(str(site.attrs["stride"]), alignment(site, dtype))

    def run(core: Core, value: Lanes, dest: Lanes, offset: Lanes) -> None:
        address = core.address(dest, offset, unit(site, dtype))
        core.store(site, address, places, value.bits(seen), None)

    return run


_STRIDE = Attr("stride", tuple(STRIDES), None, "elements from lane to lane, and their width")
_STRIDE_EVIDENCE = Evidence(
    "layout",
    "chosen",
    "STRIDE_Sn_Bw: lane i of w bits lies n*i elements after the address; the manual names the "
    "tokens only.",
)
vsld = Record(
    "pto.vsld",
    GROUP,
    "Loads a vector with a fixed stride between elements.",
    (
        Form(
            (SOURCE, OFFSET),
            (RESULT,),
            (_STRIDE,),
            syntax='source[offset], "stride" : source -> result',
        ),
    ),
    _strided_load,
    TYPES,
    cost=load(),
    evidence=(_STRIDE_EVIDENCE, _ALIGNMENT, _OFFSET_EVIDENCE),
    formula="result[i] = UB[address + stride*i]",
    cpp="vsld(dst, addr, stride)",
)
vsst = Record(
    "pto.vsst",
    GROUP,
    "Stores a vector with a fixed stride between elements.",
    (
        Form(
            (VALUE, DEST, OFFSET),
            (),
            (_STRIDE,),
            syntax='value, dest[offset], "stride" : value, dest',
        ),
    ),
    _strided_store,
    TYPES,
    cost=store(),
    evidence=(_STRIDE_EVIDENCE, _ALIGNMENT, _OFFSET_EVIDENCE),
    formula="UB[address + stride*i] = value[i]",
    cpp="vsst(src, addr, stride)",
)

RECORDS = (vlds, vldsx2, vsld, vsts, vstsx2, vsst)
