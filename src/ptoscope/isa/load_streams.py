"""Unaligned load streams: a primed block, and loads that go on where the one before ended."""

from __future__ import annotations

from ptoscope.isa.core import Core
from ptoscope.isa.cost import load
from ptoscope.isa.dtypes import ELEMENTS, INDEX, VREG_BYTES
from ptoscope.isa.families import RESULT
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.load_store import GROUP, SOURCE, TYPES, element
from ptoscope.isa.patterns import AlignState, PtrTo, ScalarIn
from ptoscope.isa.record import Evidence, Form, Operand, Record, Run, Site, Types, When
from ptoscope.isa.roles import StreamStep, StreamUse

_STEPS = (StreamStep("source"),)
_ALIGN = Operand("align", AlignState(), "primed by vldas or an earlier vldus")
_ALIGN_OUT = Operand("align_out", AlignState(), "the stream after it")
_BASE_OUT = Operand("base_out", PtrTo(), "where the stream goes on")
_INCREMENT = Operand(
    "increment", ScalarIn((INDEX,)), "elements that the base advances", lambda t: t.lanes
)


def _prime(site: Site) -> Run:
    def run(core: Core, source: Lanes) -> object:
        return core.stream_prime(site, source)

    return run


def _load(site: Site) -> Run:
    dtype = element(site)

    def run(core: Core, source: Lanes, align: object, *increment: Lanes) -> tuple[object, ...]:
        value, state = core.stream_load(site, align, source)
        following = source + VREG_BYTES
        if increment:
            following = core.address(source, increment[0], dtype.bytes)
        results = (value.bits(dtype), state, following)
        return results[: len(site.results)]

    return run


vldas = Record(
    "pto.vldas",
    GROUP,
    "Primes an unaligned load stream with the block around an address.",
    (Form((SOURCE,), (Operand("result", AlignState()),)),),
    _prime,
    {"T": Types(ELEMENTS)},
    stream=StreamUse("primes", _STEPS),
    cost=load(stream=True),
    evidence=(
        Evidence(
            "alignment", "manual", "None: the address is cut to its block.", about="alignment"
        ),
        Evidence(
            "what it reads",
            "manual",
            "The 32-byte block around the address, as it is then: what is stored to it afterwards "
            "is not in the first vector.",
        ),
    ),
    formula="result = the 32-byte block around source",
    cpp="vldas(...)",
)
vldus = Record(
    "pto.vldus",
    GROUP,
    "Loads a vector from an unaligned address.",
    (
        Form((SOURCE, _ALIGN), (RESULT, _ALIGN_OUT, _BASE_OUT)),
        Form((SOURCE, _ALIGN), (RESULT, _ALIGN_OUT)),
        Form((SOURCE, _ALIGN, _INCREMENT), (RESULT, _ALIGN_OUT, _BASE_OUT)),
    ),
    _load,
    TYPES,
    stream=StreamUse("loads", _STEPS),
    cost=load(stream=True),
    evidence=(
        Evidence(
            "results",
            "manual",
            "Three, with the base advanced by one vector.",
            when=When(forms=(0,)),
        ),
        Evidence(
            "results (spelling of micro)",
            "micro",
            "Two: the base does not advance.",
            when=When(forms=(1,)),
        ),
        Evidence(
            "increment",
            "micro",
            "How many elements the base advances; the stream itself goes on as without it.",
            when=When(forms=(2,)),
        ),
        Evidence(
            "address",
            "manual",
            "In the block that vldas primed; after a vldus one vector further. Another is a fault.",
        ),
        Evidence("alignment", "chosen", "None, as for the stores of streams.", about="alignment"),
        Evidence(
            "what it reads",
            "chosen",
            "Whole blocks, without the one that the state holds. The state after it holds the "
            "last of them where the vector ends inside it: what is stored to that block "
            "afterwards is not in the next vector.",
        ),
    ),
    formula="result[i] = UB[source + i*size], its first block as the state holds it; "
    "base_out = source + 256 bytes, or + increment*size",
    cpp="vldus(dst, align, source)",
)


def _load_anywhere(site: Site) -> Run:
    dtype = element(site)

    def run(core: Core, source: Lanes, offset: Lanes) -> Lanes:
        address = core.address(source, offset, dtype.bytes)
        value, _ = core.stream_load(site, core.stream_prime(site, address), address)
        return value.bits(dtype)

    return run


uvld = Record(
    "pto.uvld",
    GROUP,
    "Loads a vector from any address: a stream of one load.",
    (
        Form(
            (SOURCE, Operand("offset", ScalarIn((INDEX,)), "displacement in elements")),
            (RESULT,),
            syntax="source[offset] : source -> result",
        ),
    ),
    _load_anywhere,
    TYPES,
    cost=load(),
    evidence=(
        Evidence("meaning", "micro", "vldas and vldus at the address, as the compiler makes it."),
        Evidence("alignment", "micro", "None.", about="alignment"),
        Evidence("cycles", "chosen", "Of one load: no figure is published for the pair."),
    ),
    formula="result[i] = UB[source + (offset + i)*size]",
    cpp="vldas(...); vldus(...)",
)

RECORDS = (vldas, vldus, uvld)
