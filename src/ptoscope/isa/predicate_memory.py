"""Predicate loads and stores.

Two views: the manual's `pst` and `pld` move one 64-bit word, bit i for lane i of a b32
mask; the others move the predicate register as it is, one bit per byte of a vector.
"""

from __future__ import annotations

from ptoscope.isa.core import Core
from ptoscope.isa.cost import MASK_LOAD, MASK_STORE
from ptoscope.isa.dtypes import I32, I64, UI16, UI32
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.patterns import AlignState, MaskBits, PtrTo, ScalarIn
from ptoscope.isa.predicate_images import (
    GROUP,
    IMAGES,
    LOADS,
    STORES,
    WORD_BYTES,
    WORD_MASK,
    WORD_POINTER,
    load_word,
    store_word,
    to_bytes,
)
from ptoscope.isa.record import (
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
from ptoscope.isa.roles import StreamStep, StreamUse
from ptoscope.isa.types import Mask, Ptr

# The manual's word: bit i for lane i of a b32 mask, at base + 8 * areg.

_AREG = Operand("areg", ScalarIn((I32,)), "how many 8-byte words after the base")
_WORD_TYPES = {"T": Types((I64,))}
_WORD_EVIDENCE = (
    Evidence("granularity", "manual", "64 bits hold the 64 lanes of a b32 mask; no other fits."),
    Evidence("atomicity", "manual", "The word is written as one."),
)


def _pst(site: Site) -> Run:
    def run(core: Core, mask: Lanes, ub_ptr: Lanes, areg: Lanes) -> None:
        store_word(core, site, core.address(ub_ptr, areg, WORD_BYTES), mask)

    return run


pst = Record(
    "pto.pst",
    GROUP,
    "Stores a mask as one 64-bit word at a register-relative address.",
    (
        Form(
            (WORD_MASK, WORD_POINTER, _AREG),
            (),
            (Attr("dist", STORES, None, "NORM, or PK where the target has it"),),
            syntax='mask, ub_ptr, areg, "dist" : mask, ub_ptr, areg',
        ),
    ),
    _pst,
    _WORD_TYPES,
    cost=MASK_STORE,
    absent={"cpu": {"dist": ("PK",)}},
    evidence=(
        *_WORD_EVIDENCE,
        Evidence(
            "PK",
            "chosen",
            "The same word: its two 32-bit segments are the lower and the upper 32 lanes.",
            when=When(attrs={"dist": ("PK",)}),
        ),
    ),
    formula="64-bit word at ub_ptr + 8*areg: bit i = mask[i]",
    cpp="pst(src, base, offset, NORM)",
)


def _pld(site: Site) -> Run:
    mode = str(site.attrs["dist"])

    def run(core: Core, ub_ptr: Lanes, areg: Lanes) -> Lanes:
        return load_word(core, site, core.address(ub_ptr, areg, WORD_BYTES), mode)

    return run


pld = Record(
    "pto.pld",
    GROUP,
    "Loads a mask from one 64-bit word at a register-relative address.",
    (
        Form(
            (WORD_POINTER, _AREG),
            (WORD_MASK,),
            (Attr("dist", LOADS, None, "how bits are spread"),),
            syntax='ub_ptr, areg, "dist" : ub_ptr, areg -> mask',
        ),
    ),
    _pld,
    _WORD_TYPES,
    cost=MASK_LOAD,
    evidence=(
        *_WORD_EVIDENCE,
        Evidence(
            "US, DS",
            "chosen",
            "As for plds: each bit twice, every second bit.",
            when=When(attrs={"dist": ("US", "DS")}),
        ),
    ),
    formula="mask[i] = bit i (NORM), i/2 (US), 2i (DS) of the words at ub_ptr + 8*areg",
    cpp="pld(dst, base, offset, dist)",
)


def _pstu(site: Site) -> Run:
    kind = site.operands[1]
    assert isinstance(kind, Mask)
    count = kind.lanes // 8

    def run(core: Core, align_in: object, value: Lanes, base: Lanes) -> tuple[object, Lanes]:
        packed = to_bytes(core, value.gate(kind.lanes))
        length = core.constant(I64, 1, count)
        after = base + count
        state = core.stream_store(site, align_in, base, base, packed, length, after, False)
        return state, after

    return run


def _pstu_form(bits: int) -> Form:
    pointer = PtrTo()
    return Form(
        (
            Operand("align_in", AlignState(), "the stream so far"),
            Operand("value", MaskBits(bits)),
            Operand("base", pointer, "where the stream goes on"),
        ),
        (
            Operand("align_out", AlignState(), "the stream after it"),
            Operand("base_out", pointer, "where it goes on then"),
        ),
    )


def _pstu_misfit(site: Site) -> str:
    """The base points to elements as wide as the mask's lanes."""
    mask, base = site.operands[1], site.operands[2]
    assert isinstance(mask, Mask)
    assert isinstance(base, Ptr)
    return "" if mask.bits == base.dtype.bits else f"{mask} and {base}"


pstu = Record(
    "pto.pstu",
    GROUP,
    "Appends the lanes of a mask, one bit each, to an unaligned stream.",
    (_pstu_form(16), _pstu_form(32)),
    _pstu,
    {"T": Types((UI16, UI32))},
    targets=("a5",),
    stream=StreamUse("stores", (StreamStep("base"),)),
    cost=MASK_STORE,
    evidence=(
        Evidence("payload", "suite", "16 bytes of a b16, 8 of a b32 mask, bit i for lane i."),
        Evidence(
            "targets",
            "chosen",
            "A5 only, as the streams it shares its flush with, which the overview does not have on "
            "A2/A3. The table of pstu.md has A2/A3, where nothing could make or flush its stream.",
        ),
    ),
    constraints=(
        Constraint(
            "the base points to elements of the mask's width",
            _pstu_misfit,
            "a b16 mask goes to ui16, a b32 mask to ui32 elements",
        ),
    ),
    formula="append value's lanes as bits at base; base_out = base + lanes/8 bytes",
    cpp="pstu(align, src, base)",
)

_PLDS, _PLDI, _PSTS, _PSTI = IMAGES
RECORDS = (pld, _PLDS, _PLDI, pst, _PSTS, _PSTI, pstu)
