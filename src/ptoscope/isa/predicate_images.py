"""Predicate loads and stores of the whole register: 256 bits, one per byte of a vector.

With a pointer to i64 and without brackets, the manual's pages write the same names for one 64-bit
word: bit i for lane i of a b32 mask.
"""

from __future__ import annotations

from typing import Any

from ptoscope.isa.core import Core
from ptoscope.isa.cost import MASK_LOAD, MASK_STORE
from ptoscope.isa.distributions import run as dense
from ptoscope.isa.dtypes import ELEMENTS, I32, I64, INDEX, UI8
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.patterns import AnyMask, MaskBits, PtrTo, ScalarIn
from ptoscope.isa.post_update import begins, evidence, post_update, with_base
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

GROUP = "predicate load/store"
WORD_BYTES = 8
LOADS = ("NORM", "US", "DS")
STORES = ("NORM", "PK")


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


def doubled(bits: Lanes) -> Lanes:
    """Each bit twice."""
    return bits.shuffle(tuple(i // 2 for i in range(2 * bits.count)))


def halved(bits: Lanes) -> Lanes:
    """Every second bit."""
    return bits.shuffle(tuple(range(0, bits.count, 2)))


_IMAGE_BYTES = {"NORM": 32, "US": 16, "DS": 64, "PK": 16}


def _load_image(core: Core, site: Site, address: Lanes) -> Lanes:
    mode = str(site.attrs["dist"])
    count = _IMAGE_BYTES[mode]
    packed = core.load(site, address, dense(count, UI8, WORD_BYTES), UI8)
    bits = to_bits(core, packed)
    if mode == "US":
        return doubled(bits)
    return halved(bits) if mode == "DS" else bits


def _store_image(core: Core, site: Site, address: Lanes, mask: Lanes) -> None:
    packs = site.attrs["dist"] == "PK"
    packed = to_bytes(core, halved(mask) if packs else mask)
    core.store(site, address, dense(packed.count, UI8, WORD_BYTES), packed, None)


WORD_POINTER = Operand("ub_ptr", PtrTo(only=(I64,)), "UB base address")
WORD_MASK = Operand("mask", MaskBits(32), "64 lanes: one word")


def load_word(core: Core, site: Site, address: Lanes, mode: str = "NORM") -> Lanes:
    """A b32 mask from the words at an address, spread by a mode."""
    count = {"NORM": 8, "US": 4, "DS": 16}[mode]
    bits = to_bits(core, core.load(site, address, dense(count, UI8, WORD_BYTES), UI8))
    lanes = doubled(bits) if mode == "US" else halved(bits) if mode == "DS" else bits
    return lanes.image()


def store_word(core: Core, site: Site, address: Lanes, mask: Lanes) -> None:
    """Stores a b32 mask as one word."""
    word = to_bytes(core, mask.gate(64))
    core.store(site, address, dense(WORD_BYTES, UI8, WORD_BYTES), word, None)


_WORDS = {"a2a3": 256}
"""How many words an immediate offset reaches where the encoding is shorter than on A5."""
_MOST_WORDS = 1024


def _word_address(core: Core, site: Site, ub_ptr: Lanes, offset: tuple[Lanes, ...]) -> Lanes:
    if not offset:
        return core.address(ub_ptr, core.constant(I32, 1, 0), WORD_BYTES)
    (imm,) = offset
    reach = _WORDS.get(site.target.name, _MOST_WORDS)
    outside = (imm < 0) | (imm >= reach)
    said = "the immediate offset does not fit the instruction"
    core.refuse(site, outside, "PTO0910", said, imm, f"0 to {reach - 1}")
    return core.address(ub_ptr, imm, WORD_BYTES)


_UNITS = {"NORM": 32, "US": 16, "DS": 32, "PK": 16}
"""Bytes that an immediate offset counts, by mode."""


def _unit(site: Site) -> int:
    """What an offset counts, in bytes."""
    immediate = any(o.immediate for o in site.record.forms[site.form].operands)
    return _UNITS[str(site.attrs.get("dist", "NORM"))] if immediate else 1


def _is_word(site: Site) -> bool:
    return WORD_POINTER in site.record.forms[site.form].operands


def _load(site: Site) -> Run:
    unit = _unit(site)

    def run_word(core: Core, ub_ptr: Lanes, *offset: Lanes) -> Lanes:
        address = _word_address(core, site, ub_ptr, offset)
        return load_word(core, site, address, str(site.attrs.get("dist", "NORM")))

    def run(core: Core, source: Lanes, offset: Lanes) -> Any:
        moved = core.address(source, offset, unit)
        return with_base(site, moved, _load_image(core, site, begins(site, source, moved)))

    return run_word if _is_word(site) else run


def _store(site: Site) -> Run:
    unit = _unit(site)

    def run_word(core: Core, mask: Lanes, ub_ptr: Lanes, *offset: Lanes) -> None:
        store_word(core, site, _word_address(core, site, ub_ptr, offset), mask)

    def run(core: Core, value: Lanes, dest: Lanes, offset: Lanes) -> Any:
        moved = core.address(dest, offset, unit)
        _store_image(core, site, begins(site, dest, moved), value)
        return with_base(site, moved)

    return run_word if _is_word(site) else run


_POINTER = PtrTo()
_TYPES = {"T": Types(ELEMENTS)}


def _offset(modes: tuple[str, ...], instead: str) -> Operand:
    """A constant where another instruction takes what is computed."""
    index = ScalarIn((INDEX,))
    if not instead:
        return Operand("offset", index, "displacement in bytes")
    units = ", ".join(f"{_UNITS[mode]} bytes with {mode}" for mode in modes)
    return Operand("offset", index, f"displacement, a constant, in {units}", immediate=instead)


def _word_form(value: Operand, instead: str, modes: tuple[str, ...]) -> Form:
    """The form of the manual's pages, which accesses one word: with an immediate offset and a mode,
    or with neither."""
    stores = modes is STORES
    operands = (value, WORD_POINTER) if stores else (WORD_POINTER,)
    results = () if stores else (value,)
    if not instead:
        return Form(operands, results, in_text=True)
    words = f"displacement, a constant, in {WORD_BYTES} bytes"
    operands = (*operands, Operand("imm", ScalarIn((I32,)), words, immediate=instead))
    listed = ", ".join(o.name for o in operands)
    arrow = "" if stores else f" -> {value.name}"
    return Form(
        operands,
        results,
        (Attr("dist", modes, None, "how bits are spread or packed"),),
        syntax=f'{listed}, "dist" : {listed}{arrow}',
        in_text=True,
    )


def _no_such_mode(site: Site) -> str:
    """The manual's table of psti has no PK on the CPU."""
    packs = site.attrs.get("dist") == "PK"
    return "PK" if packs and _is_word(site) and site.target.name == "cpu" else ""


def _evidence(instead: str) -> tuple[Evidence, ...]:
    counts = "what its mode moves, at most 32 bytes" if instead else "bytes"
    return (
        Evidence(
            "payload", "suite", "The 256-bit register; US doubles bits, DS and PK halve them."
        ),
        Evidence("alignment", "suite", "8 bytes.", about="alignment"),
        Evidence("offset", "micro", f"Counts {counts}."),
        evidence(
            1,
            "chosen",
            "Works at the base, as vlds does; the offset only advances it. An example of the "
            "document reads as if the access were at the advanced address.",
        ),
        Evidence(
            "form with a pointer to words",
            "manual",
            "The only one of the manual's pages: one 64-bit word"
            + (
                ", at an immediate offset in words: up to 255 on A2/A3, up to 1023 on A5, and the "
                "same on the CPU, whose range the pages leave open."
                if instead
                else " at the pointer."
            )
            + " 64 bits hold the 64 lanes of a b32 mask; the pages also speak of wider masks, "
            "which one word cannot hold.",
            when=When(forms=(2,)),
        ),
        *(
            (
                Evidence(
                    "modes of the form with words",
                    "chosen",
                    "As for pld and pst: each bit twice, every second bit; PK the same word.",
                    when=When(forms=(2,), attrs={"dist": ("US", "DS", "PK")}),
                ),
            )
            if instead
            else ()
        ),
    )


def _image_load(name: str, doc: str, instead: str = "") -> Record:
    form = Form(
        (Operand("source", _POINTER, "UB base address"), _offset(LOADS, instead)),
        (Operand("result", AnyMask()),),
        (Attr("dist", LOADS, None, "how bits are spread"),),
        syntax='source[offset], "dist" : source, offset -> result',
    )
    return Record(
        f"pto.{name}",
        GROUP,
        doc,
        (form, post_update(form), _word_form(WORD_MASK, instead and "pto.pld", LOADS)),
        _load,
        _TYPES,
        cost=MASK_LOAD,
        evidence=_evidence(instead),
        formula="result bit i = UB bit i (NORM), i/2 (US), 2i (DS); of a word, lane i for bit i",
        cpp=f"{name}(dst, base, offset, dist)",
    )


def _image_store(name: str, doc: str, instead: str = "") -> Record:
    form = Form(
        (
            Operand("value", AnyMask()),
            Operand("dest", _POINTER, "UB base address"),
            _offset(STORES, instead),
        ),
        (),
        (Attr("dist", STORES, None, "how bits are packed"),),
        syntax='value, dest[offset], "dist" : value, dest, offset',
    )
    return Record(
        f"pto.{name}",
        GROUP,
        doc,
        (form, post_update(form), _word_form(WORD_MASK, instead and "pto.pst", STORES)),
        _store,
        _TYPES,
        cost=MASK_STORE,
        evidence=_evidence(instead),
        constraints=(
            Constraint(
                "PK of one word is not on the CPU", _no_such_mode, "NORM stores the same word"
            ),
        ),
        formula="UB bit i = value bit i (NORM), 2i (PK); of a word, bit i = lane i",
        cpp=f"{name}(src, base, offset, dist)",
    )


IMAGES = (
    _image_load("plds", "Loads the predicate register, at an offset known when it runs."),
    _image_load("pldi", "Loads the predicate register, at a constant offset.", "pto.plds"),
    _image_store("psts", "Stores the predicate register, at an offset known when it runs."),
    _image_store("psti", "Stores the predicate register, at a constant offset.", "pto.psts"),
)
