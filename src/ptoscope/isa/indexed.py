"""Indexed and block-strided loads and stores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ptoscope.isa.core import Core
from ptoscope.isa.cost import Cost, Figure, load, store
from ptoscope.isa.distributions import BLOCK
from ptoscope.isa.dtypes import (
    ELEMENTS,
    I16,
    I32,
    I64,
    INDEX,
    INTS8,
    INTS16,
    INTS32,
    SIGNLESS,
    DType,
    unsigned,
)
from ptoscope.isa.families import MASK, RESULT
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.load_store import DEST, SOURCE, TYPES, VALUE, element
from ptoscope.isa.patterns import IntVec, MaskBits, PtrTo, ScalarIn, VecIn
from ptoscope.isa.post_update import evidence, post_update, updates, with_base
from ptoscope.isa.record import (
    IN_MICRO,
    Evidence,
    Form,
    Operand,
    Record,
    Run,
    Site,
    Types,
    When,
)
from ptoscope.isa.stream_records import pointed

GROUP = "load/store"
_COUNT = Operand("active_lanes", ScalarIn((INDEX,)), "how many of the first lanes take part")
_HALF_MASK = Operand("mask", MaskBits(16), "one bit per index")
_ZEROS = Evidence(
    "inactive lanes", "manual", "Access nothing, cannot fault, and load as zero.", about="mask"
)
_SIGN = (
    Evidence(
        "indices",
        "chosen",
        "Read by their own sign; a signless integer is signed, but in revision micro.",
    ),
    Evidence(
        "indices (revision micro)",
        "micro",
        "Unsigned, a signless integer too. One with a sign is in no list, and keeps it.",
        when=IN_MICRO,
    ),
)
_HELD = Figure(10, "assumed", "as vgather2")
_GATHER = Cost(
    "load",
    latency=Figure(28, "cycle model", "27 to 28 cycles"),
    hold=Figure(10, "cycle model", "about one in ten cycles"),
    role="own",
    like_a2a3="vmov",
    row_a2a3="vgather",
)
_GATHER_OLDER = Cost(
    "load",
    latency=Figure(28, "cycle model", "as vgather2"),
    hold=_HELD,
    role="own",
    like_a2a3="vgather2",
)
_GATHER_BLOCKS = Cost(
    "load",
    latency=Figure(21, "cycle model", "about 21 cycles"),
    hold=_HELD,
    role="own",
    like_a2a3="vmov",
)
_SCATTER = Cost(
    "store",
    latency=Figure(17, "cycle model", "about 17 cycles for 16 bits"),
    hold=_HELD,
    role="own",
    like_a2a3="vgather2",
)


def _active(core: Core, selector: Lanes, count: int) -> Lanes:
    """Lanes that take part: of a mask, or the first of a number of them."""
    if selector.count == 1:
        return core.first_lanes(selector, count).gate(count)
    return selector.gate(count)


def _byte_offsets(site: Site, index: Lanes, size: int) -> Lanes:
    if site.revision == "micro" and index.dtype in SIGNLESS:
        index = index.as_unsigned()
    return index.cast(I64) * size


def _gather(site: Site) -> Run:
    dtype, size = element(site), pointed(site).bytes

    def run(core: Core, source: Lanes, offsets: Lanes, selector: Lanes) -> Lanes:
        active = _active(core, selector, offsets.count)
        places = _byte_offsets(site, offsets, size)
        found = core.gather(site, source, places, active, size)
        if size < dtype.bytes:
            # Gathered bytes are unsigned whatever their type is.
            return found.cast(unsigned(dtype.bits)).bits(dtype)
        return found.bits(dtype)

    return run


def _forms(
    before: tuple[Operand, ...], after: tuple[Operand, ...], results: tuple[Operand, ...]
) -> tuple[Form, ...]:
    """The same instruction with a count of active lanes and with a mask."""
    return (
        Form((*before, *after, MASK), results),
        Form((*before, *after, _COUNT), results),
    )


_INDICES = Operand("offsets", IntVec(), "one index per lane, in elements")
_NARROW = tuple(d for d in ELEMENTS if d.bits in (8, 16, 32))
_INDEXED_TYPES = {"T": Types(_NARROW)}
_BYTE_OFFSETS = Operand("offsets", VecIn(INTS16), "128 indices, in bytes")
_OF_BYTES = (2,)
"""The form whose indices are wider than the bytes that they lead to."""
_GATHERED_BYTES = Form(
    (replace(SOURCE, type=PtrTo(only=INTS8)), _BYTE_OFFSETS, _HALF_MASK),
    (Operand("result", IntVec("T", 2), "the bytes, each extended by zeros"),),
)


def _gather_record(
    name: str,
    doc: str,
    note: str,
    cost: Cost,
    own: tuple[Evidence, ...],
    types: Types = _INDEXED_TYPES["T"],
    *forms: Form,
) -> Record:
    return Record(
        f"pto.{name}",
        GROUP,
        doc,
        (*_forms((SOURCE,), (_INDICES,), (RESULT,)), *forms),
        _gather,
        {"T": types},
        cost=cost,
        evidence=(
            _ZEROS,
            *_SIGN,
            Evidence("alignment", "chosen", "The element size.", about="alignment"),
            Evidence("mask and count", "micro", note, about="mask"),
            *own,
        ),
        formula="result[i] = active(i) ? UB[source + offsets[i]*size] : 0",
        cpp=f"{name}(dst, base, offsets, mask)",
    )


def block_bytes(core: Core, offsets: Lanes, active: Lanes, site: Site, base: Lanes) -> Lanes:
    """Eight 32-byte blocks as bytes."""
    return core.gather(site, base, offsets, active, BLOCK)


def _gather_blocks(site: Site) -> Run:
    dtype = element(site)

    def run(core: Core, source: Lanes, offsets: Lanes, selector: Lanes) -> Lanes:
        blocks = offsets.as_unsigned().cast(I64).shuffle(tuple(range(8)))
        active = _active(core, selector, offsets.count).shuffle(tuple(range(8)))
        gathered = block_bytes(core, blocks, active, site, source)
        # The base is aligned by itself: an offset cannot make up for it.
        crooked = (source & (BLOCK - 1)).ne(0) & active.population().ne(0)
        said = f"source is not a multiple of {BLOCK} bytes"
        core.refuse(site, crooked, "PTO0903", said, source, f"a multiple of {BLOCK}")
        return gathered.bits(dtype)

    return run


_BLOCK_MASK = Operand("mask", MaskBits(32), "which blocks take part: lane i for block i")
vgatherb = Record(
    "pto.vgatherb",
    GROUP,
    "Gathers eight 32-byte blocks by their byte offsets.",
    (
        Form((SOURCE, Operand("offsets", VecIn(INTS32), "byte offsets"), _BLOCK_MASK), (RESULT,)),
        Form((SOURCE, Operand("offsets", VecIn(INTS32), "byte offsets"), _COUNT), (RESULT,)),
    ),
    _gather_blocks,
    TYPES,
    cost=_GATHER_BLOCKS,
    evidence=(
        Evidence("unit", "manual", "A block of 32 bytes: the text, not the loop."),
        Evidence("offsets", "micro", "Unsigned bytes in the first eight lanes."),
        _ZEROS,
    ),
    formula="block i of result = active(i) ? 32 bytes at source + offsets[i] : 0",
    cpp="vgatherb(dst, base, offsets, mask)",
)


def _scatter(site: Site) -> Run:
    dtype = element(site, operand=0)

    def run(core: Core, value: Lanes, dest: Lanes, offsets: Lanes, selector: Lanes) -> None:
        active = _active(core, selector, offsets.count)
        places = _byte_offsets(site, offsets, dtype.bytes)
        if offsets.count < value.count:
            value = value.shuffle(tuple(range(0, value.count, 2)))
        core.scatter(site, dest, places, active, value, dtype.bytes)

    return run


vscatter = Record(
    "pto.vscatter",
    GROUP,
    "Stores lanes to indexed elements.",
    (
        *_forms((VALUE, DEST), (replace(_INDICES, distinct=True),), ()),
        Form(
            (
                VALUE,
                replace(DEST, type=PtrTo(only=tuple(d for d in ELEMENTS if d.bits == 8))),
                replace(_BYTE_OFFSETS, distinct=True),
                _HALF_MASK,
            )
        ),
    ),
    _scatter,
    _INDEXED_TYPES,
    stores_lanes=True,
    cost=_SCATTER,
    evidence=(
        *_SIGN,
        Evidence(
            "aliases",
            "manual",
            "Illegal on A2/A3; on A5 the lowest lane wins.",
            when=When(targets=("a2a3", "a5")),
        ),
        Evidence(
            "aliases on CPU",
            "chosen",
            "As on A5: defined results are easier to debug.",
            when=When(targets=("cpu",)),
        ),
        Evidence("inactive lanes", "manual", "Write nothing.", about="mask"),
        Evidence(
            "bytes",
            "chosen",
            "All 256, with an index of 8 bits each.",
            when=When(elements=INTS8, forms=(0, 1)),
        ),
        Evidence(
            "bytes by indices of 16 bits",
            "micro",
            "The even ones: index i is that of byte 2i, and lane i of the mask governs it.",
            when=When(forms=_OF_BYTES),
        ),
    ),
    formula="if active(i): UB[dest + offsets[i]*size] = value[i]",
    cpp="vscatter(src, base, offsets, mask)",
)


def _strides(values: tuple[Lanes, ...]) -> tuple[Lanes, Lanes]:
    """Block and repeat stride in blocks: two operands, or one packed word."""
    if len(values) == 2:
        block, repeat = (v.as_unsigned().cast(I64) for v in values)
        return block, repeat
    word = values[0].as_unsigned()
    return (word >> 16).cast(I64), (word & 0xFFFF).cast(I64)


def _blocks(core: Core, site: Site, base: Lanes, values: tuple[Lanes, ...]) -> tuple[Lanes, Lanes]:
    """The bytes from the base to each block, and where post-update moves the base."""
    block, repeat = _strides(values)
    offsets = core.iota(I64, 8) * (block * BLOCK).splat(8)
    if updates(site):
        return offsets, core.address(base, repeat, BLOCK)
    return (repeat * BLOCK).splat(8) + offsets, base


def _block_lanes(mask: Lanes, dtype: DType) -> Lanes:
    """Lane i of the mask for block i."""
    return mask.gate(min(dtype.lanes, 256)).shuffle(tuple(range(8)))


def _load_blocks(site: Site) -> Run:
    dtype = element(site)

    def run(core: Core, source: Lanes, *values: Lanes) -> Any:
        *strides, mask = values
        offsets, moved = _blocks(core, site, source, tuple(strides))
        active = _block_lanes(mask, dtype)
        loaded = block_bytes(core, offsets, active, site, source).bits(dtype)
        return with_base(site, moved, loaded)

    return run


def _store_blocks(site: Site) -> Run:
    dtype = element(site, operand=0)

    def run(core: Core, value: Lanes, dest: Lanes, *values: Lanes) -> Any:
        *strides, mask = values
        offsets, moved = _blocks(core, site, dest, tuple(strides))
        active = _block_lanes(mask, dtype)
        core.scatter(site, dest, offsets, active, value, BLOCK, in_order=True)
        return with_base(site, moved)

    return run


_WORD = Operand(
    "control", ScalarIn((I32,)), "block stride in the upper 16 bits, repeat stride in the lower"
)
_BLOCK_STRIDE = Operand("block_stride", ScalarIn((I16,)), "32-byte blocks from block to block")
_REPEAT_STRIDE = Operand("repeat_stride", ScalarIn((I16,)), "32-byte blocks before the first")


def _block_forms(before: tuple[Operand, ...], *results: Operand) -> tuple[Form, ...]:
    apart = Form((*before, _BLOCK_STRIDE, _REPEAT_STRIDE, MASK), results)
    return apart, Form((*before, _WORD, MASK), results), post_update(apart)


_UPDATE = "Block i at i*block; the repeat stride only advances the base."
_BLOCK_EVIDENCE = (
    Evidence("strides", "suite", "Unsigned, in 32-byte blocks; block i at repeat + i*block."),
    Evidence("mask", "micro", "Lane i of the mask governs block i.", about="mask"),
)


def _block_record(
    name: str,
    doc: str,
    forms: tuple[Form, ...],
    meaning: Callable[[Site], Run],
    formula: str,
    cost: Cost,
    updated: Evidence,
) -> Record:
    return Record(
        f"pto.{name}",
        GROUP,
        doc,
        forms,
        meaning,
        TYPES,
        cost=cost,
        evidence=(*_BLOCK_EVIDENCE, updated, _ZEROS),
        formula=formula,
        cpp=f"{name}(reg, base, strides, mask)",
    )


RECORDS = (
    _block_record(
        "vsldb",
        "Loads eight 32-byte blocks that lie a stride apart.",
        _block_forms((SOURCE,), RESULT),
        _load_blocks,
        "block i of result = mask[i] ? 32 bytes at source + 32*(repeat + i*block) : 0",
        load(),
        evidence(2, "chosen", f"{_UPDATE} The document names the advance; the rest as vsstb."),
    ),
    _gather_record(
        "vgather2",
        "Gathers elements by index.",
        "Both forms; a count is a prefix.",
        _GATHER,
        (
            Evidence(
                "bytes",
                "chosen",
                "Stay bytes, with an index of 8 bits each.",
                when=When(elements=INTS8, forms=(0, 1)),
            ),
            Evidence(
                "bytes by indices of 16 bits",
                "micro",
                "Extended to 16 bits with zeros, signed ones too; the mask is that of the result.",
                when=When(forms=_OF_BYTES),
            ),
        ),
        _INDEXED_TYPES["T"],
        _GATHERED_BYTES,
    ),
    vgatherb,
    _gather_record(
        "vgather2_bc",
        "Gathers elements by index; kept for older kernels.",
        "As vgather2; equal indices may share one access, which changes no value.",
        _GATHER_OLDER,
        (
            Evidence(
                "bytes",
                "chosen",
                "As vgather2.",
                when=When("manual", elements=INTS8),
            ),
            Evidence("width (revision micro)", "micro", "32 bits, of indices too.", when=IN_MICRO),
        ),
        Types(_NARROW, tuple(d for d in _NARROW if d.bits == 32)),
    ),
    _block_record(
        "vsstb",
        "Stores eight 32-byte blocks a stride apart.",
        _block_forms((VALUE, DEST)),
        _store_blocks,
        "if mask[i]: 32 bytes at dest + 32*(repeat + i*block) = block i of value",
        store(),
        evidence(2, "suite", _UPDATE),
    ),
    vscatter,
)
