"""Unaligned streams at vector addresses."""

from __future__ import annotations

from ptoscope.isa.core import Core
from ptoscope.isa.cost import load, store
from ptoscope.isa.dtypes import ELEMENTS, I32, I64, UI32, VREG_BYTES
from ptoscope.isa.families import RESULT
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.load_store import SOURCE, TYPES, VALUE, element
from ptoscope.isa.patterns import AlignState, PtrTo, ScalarIn, VectorAddress
from ptoscope.isa.record import Attr, Evidence, Form, Operand, Record, Run, Site, Types
from ptoscope.isa.roles import StreamStep, StreamUse
from ptoscope.isa.vector_addresses import A5, ADDRESS, GROUP, OFFSET, ON_A5

_ALIGN_IN = Operand("align_in", AlignState(), "the stream so far")
_ALIGN_OUT = Operand("align_out", AlignState(), "the stream after it")
_SEED = Operand("addr_in", VectorAddress(), "bytes from the base; of one stream only", seeds=True)
_NEXT = Operand("addr_out", VectorAddress(), "where the stream goes on")
_BASE = Operand("base", PtrTo(), "UB base address")
_AT_ADDRESS = StreamStep("source", "addr", in_bytes=True)


def _prime(site: Site) -> Run:
    def run(core: Core, source: Lanes, addr: Lanes) -> object:
        return core.stream_prime(site, core.address(source, addr, 1))

    return run


def _load(site: Site) -> Run:
    dtype = element(site)

    def run(
        core: Core, source: Lanes, addr_in: Lanes, align_in: object, inc: Lanes
    ) -> tuple[object, ...]:
        value, state = core.stream_load(site, align_in, core.address(source, addr_in, 1))
        return value.bits(dtype), state, addr_in + inc.bits(UI32)

    return run


def _store(site: Site) -> Run:
    def run(
        core: Core, align_in: object, addr_in: Lanes, value: Lanes, base: Lanes
    ) -> tuple[object, Lanes]:
        address, following = core.address(base, addr_in, 1), addr_in + VREG_BYTES
        length = core.constant(I64, 1, VREG_BYTES)
        state = core.stream_store(
            site, align_in, base, address, value, length, core.address(base, following, 1), False
        )
        return state, following

    return run


def _flush(site: Site) -> Run:
    def run(core: Core, align: object, base: Lanes, addr: Lanes) -> None:
        core.stream_flush(site, align, core.address(base, addr, 1), False)

    return run


_CHAIN = Evidence("vector address", "micro", "Begins one stream only.")
valda = Record(
    "pto.valda",
    GROUP,
    "Primes an unaligned load stream with the block around a vector address.",
    (
        Form(
            (SOURCE, ADDRESS),
            (Operand("align", AlignState(), "the stream"),),
            syntax="source[addr] : source, addr -> align",
        ),
    ),
    _prime,
    {"T": Types(ELEMENTS)},
    targets=A5,
    stream=StreamUse("primes", (_AT_ADDRESS,)),
    cost=load(stream=True),
    evidence=(
        ON_A5,
        OFFSET,
        Evidence("alignment", "chosen", "None, as for vldas.", about="alignment"),
    ),
    formula="align = the 32-byte block around source + addr",
    cpp="vlda(...)",
)
valdu = Record(
    "pto.valdu",
    GROUP,
    "Loads a vector from an unaligned vector address.",
    (
        Form(
            (
                SOURCE,
                _SEED,
                _ALIGN_IN,
                Operand("inc", ScalarIn((I32,)), "bytes to the next address", VREG_BYTES),
            ),
            (RESULT, _ALIGN_OUT, _NEXT),
            syntax="source[addr_in], align_in, inc "
            ": source, addr_in, align_in, inc -> result, align_out, addr_out",
        ),
    ),
    _load,
    TYPES,
    targets=A5,
    stream=StreamUse("loads", (StreamStep("source", "addr_in", in_bytes=True),)),
    cost=load(stream=True),
    evidence=(
        ON_A5,
        OFFSET,
        _CHAIN,
        Evidence(
            "address",
            "chosen",
            "In the block that valda primed; after a valdu one vector further, as for vldus.",
        ),
        Evidence("alignment", "chosen", "None, as for vldus.", about="alignment"),
    ),
    formula="result[i] = UB[source + addr_in + i*size], its first block as the state holds it; "
    "addr_out = addr_in + inc",
    cpp="vldu(...)",
)
vastu = Record(
    "pto.vastu",
    GROUP,
    "Appends a vector to an unaligned store stream, at a vector address.",
    (
        Form(
            (_ALIGN_IN, _SEED, VALUE, _BASE),
            (_ALIGN_OUT, _NEXT),
            (Attr("mode", ("POST_UPDATE",), None, "the address advances"),),
            syntax='align_in, addr_in, value, base, "mode" '
            ": align_in, addr_in, value, base -> align_out, addr_out",
        ),
    ),
    _store,
    {"T": Types(ELEMENTS)},
    targets=A5,
    stream=StreamUse("stores", (StreamStep("base", "addr_in", in_bytes=True),)),
    cost=store(stream=True),
    evidence=(
        ON_A5,
        OFFSET,
        _CHAIN,
        Evidence("how far it advances", "chosen", "By the vector's 256 bytes, as vstu does."),
    ),
    formula="append value at base + addr_in; addr_out = addr_in + 256",
    cpp="vstu(...)",
)
vasta = Record(
    "pto.vasta",
    GROUP,
    "Flushes an unaligned store stream at a vector address.",
    (
        Form(
            (Operand("align", AlignState(), "the stream"), _BASE, ADDRESS),
            syntax="align, base[addr] : align, base, addr",
        ),
    ),
    _flush,
    {"T": Types(ELEMENTS)},
    targets=A5,
    stream=StreamUse("flushes", (StreamStep("base", "addr", in_bytes=True),)),
    cost=store(stream=True),
    evidence=(
        ON_A5,
        OFFSET,
        Evidence(
            "flush address",
            "chosen",
            "The one after the last byte stored, as for the other flushes; else a fault.",
        ),
    ),
    formula="write the bytes left, ending at base + addr",
    cpp="vsta(...)",
)

RECORDS = (valda, valdu, vastu, vasta)
