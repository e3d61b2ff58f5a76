"""Predicate loads and stores of the whole register: 256 bits, one per byte of a vector."""

from __future__ import annotations

from typing import Any

from ptoscope.isa.core import Core
from ptoscope.isa.cost import MASK_LOAD, MASK_STORE
from ptoscope.isa.distributions import run as dense
from ptoscope.isa.dtypes import ELEMENTS, INDEX, UI8
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.patterns import AnyMask, PtrTo, ScalarIn
from ptoscope.isa.post_update import begins, evidence, post_update, with_base
from ptoscope.isa.record import Attr, Evidence, Form, Operand, Record, Run, Site, Types

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


_UNITS = {"NORM": 32, "US": 16, "DS": 32, "PK": 16}
"""Bytes that an immediate offset counts, by mode."""


def _unit(site: Site) -> int:
    """What an offset counts, in bytes."""
    immediate = any(o.immediate for o in site.record.forms[site.form].operands)
    return _UNITS[str(site.attrs["dist"])] if immediate else 1


def _load(site: Site) -> Run:
    unit = _unit(site)

    def run(core: Core, source: Lanes, offset: Lanes) -> Any:
        moved = core.address(source, offset, unit)
        return with_base(site, moved, _load_image(core, site, begins(site, source, moved)))

    return run


def _store(site: Site) -> Run:
    unit = _unit(site)

    def run(core: Core, value: Lanes, dest: Lanes, offset: Lanes) -> Any:
        moved = core.address(dest, offset, unit)
        _store_image(core, site, begins(site, dest, moved), value)
        return with_base(site, moved)

    return run


_POINTER = PtrTo()
_TYPES = {"T": Types(ELEMENTS)}


def _offset(modes: tuple[str, ...], instead: str) -> Operand:
    """A constant where another instruction takes what is computed."""
    index = ScalarIn((INDEX,))
    if not instead:
        return Operand("offset", index, "displacement in bytes")
    units = ", ".join(f"{_UNITS[mode]} bytes with {mode}" for mode in modes)
    return Operand("offset", index, f"displacement, a constant, in {units}", immediate=instead)


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
        (form, post_update(form)),
        _load,
        _TYPES,
        cost=MASK_LOAD,
        evidence=_evidence(instead),
        formula="result bit i = UB bit i (NORM), i/2 (US), 2i (DS)",
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
        (form, post_update(form)),
        _store,
        _TYPES,
        cost=MASK_STORE,
        evidence=_evidence(instead),
        formula="UB bit i = value bit i (NORM), 2i (PK)",
        cpp=f"{name}(src, base, offset, dist)",
    )


IMAGES = (
    _image_load("plds", "Loads the predicate register, at an offset known when it runs."),
    _image_load("pldi", "Loads the predicate register, at a constant offset.", "pto.plds"),
    _image_store("psts", "Stores the predicate register, at an offset known when it runs."),
    _image_store("psti", "Stores the predicate register, at a constant offset.", "pto.psts"),
)
