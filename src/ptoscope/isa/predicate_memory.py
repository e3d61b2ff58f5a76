"""Predicate loads and stores.

Two views: the manual's `pst` and `pld` move one 64-bit word, bit i for lane i of a b32
mask; the others move the predicate register as it is, one bit per byte of a vector.
"""

from __future__ import annotations

from ptoscope.isa.core import Core
from ptoscope.isa.cost import MASK_LOAD, MASK_STORE
from ptoscope.isa.distributions import run as dense
from ptoscope.isa.dtypes import ELEMENTS, I32, I64, INDEX, UI8, UI16, UI32
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.patterns import AlignState, AnyMask, MaskBits, PtrTo, ScalarIn
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

GROUP = "predicate load/store"
_WORD_BYTES = 8
_LOADS = ("NORM", "US", "DS")
_STORES = ("NORM", "PK")


def to_bytes(core: Core, bits: Lanes) -> Lanes:
    """i1 lanes packed eight to a byte, the first in the lowest bit."""
    one = bits.cast(UI8) << (core.iota(UI8, bits.count) & 7)
    for step in (4, 2, 1):
        upper = tuple(i + step if i + step < bits.count else -1 for i in range(bits.count))
        one = one | one.shuffle(upper)
    return one.shuffle(tuple(range(0, bits.count, 8)))


def to_bits(core: Core, packed: Lanes) -> Lanes:
    """The reverse of to_bytes."""
    count = 8 * packed.count
    spread = packed.shuffle(tuple(i // 8 for i in range(count)))
    return ((spread >> (core.iota(UI8, count) & 7)) & 1).ne(0)


def _doubled(bits: Lanes) -> Lanes:
    return bits.shuffle(tuple(i // 2 for i in range(2 * bits.count)))


def _halved(bits: Lanes) -> Lanes:
    return bits.shuffle(tuple(range(0, bits.count, 2)))


_IMAGE_BYTES = {"NORM": 32, "US": 16, "DS": 64, "PK": 16}


def _load_image(core: Core, site: Site, address: Lanes) -> Lanes:
    mode = str(site.attrs["dist"])
    count = _IMAGE_BYTES[mode]
    packed = core.load(site, address, dense(count, UI8, _WORD_BYTES), UI8)
    bits = to_bits(core, packed)
    if mode == "US":
        return _doubled(bits)
    return _halved(bits) if mode == "DS" else bits


def _store_image(core: Core, site: Site, address: Lanes, mask: Lanes) -> None:
    packs = site.attrs["dist"] == "PK"
    packed = to_bytes(core, _halved(mask) if packs else mask)
    core.store(site, address, dense(packed.count, UI8, _WORD_BYTES), packed, None)


def _element_bytes(site: Site, operand: int) -> int:
    pointer = site.operands[operand]
    assert isinstance(pointer, Ptr)
    return pointer.dtype.bytes


def _load(site: Site) -> Run:
    size = _element_bytes(site, 0)

    def run(core: Core, source: Lanes, offset: Lanes) -> Lanes:
        return _load_image(core, site, core.address(source, offset, size))

    return run


def _store(site: Site) -> Run:
    size = _element_bytes(site, 1)

    def run(core: Core, value: Lanes, dest: Lanes, offset: Lanes) -> None:
        _store_image(core, site, core.address(dest, offset, size), value)

    return run


_POINTER = PtrTo()
_OFFSET = Operand("offset", ScalarIn((INDEX,)), "displacement in elements")
_TYPES = {"T": Types(ELEMENTS)}
_EVIDENCE = (
    Evidence("payload", "suite", "The 256-bit register; US doubles bits, DS and PK halve them."),
    Evidence("alignment", "suite", "8 bytes.", about="alignment"),
    Evidence("offset", "chosen", "Counts elements of the pointer, as vector loads do."),
)


def _image_load(name: str, doc: str) -> Record:
    return Record(
        f"pto.{name}",
        GROUP,
        doc,
        (
            Form(
                (Operand("source", _POINTER, "UB base address"), _OFFSET),
                (Operand("result", AnyMask()),),
                (Attr("dist", _LOADS, None, "how bits are spread"),),
                syntax='source[offset], "dist" : source, offset -> result',
            ),
        ),
        _load,
        _TYPES,
        cost=MASK_LOAD,
        evidence=_EVIDENCE,
        formula="result bit i = UB bit i (NORM), i/2 (US), 2i (DS)",
        cpp=f"{name}(dst, base, offset, dist)",
    )


def _image_store(name: str, doc: str) -> Record:
    return Record(
        f"pto.{name}",
        GROUP,
        doc,
        (
            Form(
                (
                    Operand("value", AnyMask()),
                    Operand("dest", _POINTER, "UB base address"),
                    _OFFSET,
                ),
                (),
                (Attr("dist", _STORES, None, "how bits are packed"),),
                syntax='value, dest[offset], "dist" : value, dest, offset',
            ),
        ),
        _store,
        _TYPES,
        cost=MASK_STORE,
        evidence=_EVIDENCE,
        formula="UB bit i = value bit i (NORM), 2i (PK)",
        cpp=f"{name}(src, base, offset, dist)",
    )


# The manual's word: bit i for lane i of a b32 mask, at base + 8 * areg.

_WORD_POINTER = Operand("ub_ptr", PtrTo(), "UB base address")
_AREG = Operand("areg", ScalarIn((I32,)), "how many 8-byte words after the base")
_WORD_MASK = Operand("mask", MaskBits(32), "64 lanes: one word")
_WORD_TYPES = {"T": Types((I64,))}
_WORD_EVIDENCE = (
    Evidence("granularity", "manual", "64 bits hold the 64 lanes of a b32 mask; no other fits."),
    Evidence("atomicity", "manual", "The word is written as one."),
)


def _pst(site: Site) -> Run:
    def run(core: Core, mask: Lanes, ub_ptr: Lanes, areg: Lanes) -> None:
        word = to_bytes(core, mask.gate(64))
        address = core.address(ub_ptr, areg, _WORD_BYTES)
        core.store(site, address, dense(_WORD_BYTES, UI8, _WORD_BYTES), word, None)

    return run


pst = Record(
    "pto.pst",
    GROUP,
    "Stores a mask as one 64-bit word at a register-relative address.",
    (
        Form(
            (_WORD_MASK, _WORD_POINTER, _AREG),
            (),
            (Attr("dist", _STORES, None, "NORM, or PK where the target has it"),),
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
        address = core.address(ub_ptr, areg, _WORD_BYTES)
        count = {"NORM": 8, "US": 4, "DS": 16}[mode]
        bits = to_bits(core, core.load(site, address, dense(count, UI8, _WORD_BYTES), UI8))
        lanes = _doubled(bits) if mode == "US" else _halved(bits) if mode == "DS" else bits
        return lanes.image()

    return run


pld = Record(
    "pto.pld",
    GROUP,
    "Loads a mask from one 64-bit word at a register-relative address.",
    (
        Form(
            (_WORD_POINTER, _AREG),
            (_WORD_MASK,),
            (Attr("dist", _LOADS, None, "how bits are spread"),),
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
        Evidence("targets", "chosen", "A5 only, as the streams it shares its flush with."),
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

RECORDS = (
    pld,
    _image_load("plds", "Loads the predicate register, at an offset known when it runs."),
    _image_load("pldi", "Loads the predicate register, at a constant offset."),
    pst,
    _image_store("psts", "Stores the predicate register, at an offset known when it runs."),
    _image_store("psti", "Stores the predicate register, at a constant offset."),
    pstu,
)
