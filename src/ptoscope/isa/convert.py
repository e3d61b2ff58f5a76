"""Conversions: vci, vcvt, vtrc and vbitcast."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from ptoscope.isa.core import Core
from ptoscope.isa.cost import FREE, Cost
from ptoscope.isa.dtypes import (
    BF16,
    ELEMENTS,
    F4E1M2,
    F4E2M1,
    F8E4M3,
    F8E5M2,
    F16,
    F32,
    FLOAT_ELEMENTS,
    HIF8,
    I8,
    I16,
    I32,
    INT_ELEMENTS,
    NARROW_FLOATS,
    SI8,
    SI16,
    SI32,
    SI64,
    SIGNLESS,
    UI8,
    DType,
    dtype,
)
from ptoscope.isa.families import MASK, RESULT, UNMASKED, ZEROING
from ptoscope.isa.formats import ROUNDINGS, Rounding, converter, whole
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.patterns import ScalarFor, Vec
from ptoscope.isa.record import Attr, Evidence, Form, Operand, Pairs, Record, Run, Site, Types, When
from ptoscope.isa.types import VReg

GROUP = "conversion"
_ROUNDING_TOKENS = {f"ROUND_{rounding}": rounding for rounding in ROUNDINGS}

_TIES_AWAY = Evidence(
    "rounding mode A",
    "chosen",
    "To nearest, ties away from zero. The vector pages only say away from zero; the tile pages "
    "and the public kernels, which lower to it, say nearest.",
    when=When(attrs={"rnd": ("A", "ROUND_A")}),
)


def _element(type: object) -> DType:
    assert isinstance(type, VReg)
    return type.dtype


def _index(site: Site) -> Run:
    target = _element(site.results[0])
    down = site.attrs["order"] == "DESC"

    def run(core: Core, index: Lanes) -> Lanes:
        base = index.bits(target).splat(target.lanes)
        lane = core.iota(target, target.lanes)
        return base - lane if down else base + lane

    return run


vci = Record(
    "pto.vci",
    GROUP,
    "Fills a vector with indices that rise or fall by one from a base.",
    (
        Form(
            (Operand("index", ScalarFor(), "the index of lane 0"),),
            (RESULT,),
            (Attr("order", ("ASC", "DESC"), "ASC", "whether indices rise or fall"),),
            syntax="index {order} : index -> result",
        ),
    ),
    _index,
    {"T": Types((I8, SI8, I16, SI16, I32, SI32, F16, F32))},
    cost=Cost(like="vdup", like_a2a3="vmov"),
    evidence=(
        Evidence("base", "manual", "Lane 0 holds it in both orders."),
        Evidence(
            "cost",
            "manual",
            "About 10 cycles of start-up on A2/A3, where the model takes a move's.",
            when=When(targets=("a2a3",)),
        ),
        Evidence("element types", "micro", "Signless results as in the manual's examples."),
        Evidence(
            "integer overflow",
            "suite",
            "Wraps: the case with 8-bit lanes counts past 127.",
            when=When(elements=INT_ELEMENTS),
        ),
        Evidence(
            "float lanes",
            "chosen",
            "The exact sum, rounded once to nearest even.",
            when=When(elements=FLOAT_ELEMENTS),
        ),
        Evidence(
            "no order written",
            "chosen",
            "ASC: every example has an order.",
            when=When(attrs={"order": ("ASC",)}),
        ),
    ),
    formula="result[i] = index + i (ASC), index - i (DESC)",
    cpp="vci(dst, index, order)",
)

# Which types convert to which, and the attributes of each pair.
_DOCUMENTED = """
    f32 si64: rnd sat part;   f32 si32: rnd sat;        f32 si16: rnd sat part
    f16 si32: rnd sat part;   f16 si16: rnd sat;        f16 si8: rnd sat part
    f16 ui8: rnd sat part;    bf16 si32: rnd sat part
    f32 f16: rnd sat part;    f32 bf16: rnd sat part;   bf16 f16: rnd sat
    f16 bf16: rnd
    f16 f32: part;            bf16 f32: part
    ui8 f16: part;            si8 f16: part;            si16 f16: rnd
    si16 f32: rnd part;       si32 f32: rnd;            ui32 f32: rnd
    si64 f32: rnd part
    ui8 ui16: part;           ui8 ui32: part;           si8 si16: part
    si8 si32: part;           ui16 ui8: sat part;       ui16 ui32: part
    si16 ui8: sat part;       si16 ui32: part;          si16 si32: part
    ui32 ui8: sat part;       ui32 ui16: sat part;      ui32 si16: sat part
    si32 ui8: sat part;       si32 ui16: sat part;      si32 si16: sat part
    si32 si64: part
"""
_HALVES, _QUARTERS = ("EVEN", "ODD"), ("P0", "P1", "P2", "P3")
_SATURATIONS = ("NOSAT", "SAT")
_NOSAT, _SAT = ({"sat": (token,)} for token in _SATURATIONS)
_ANY = "NONE"


def _parts(source: DType, target: DType) -> tuple[str, ...]:
    """The names of the places that the narrower type has in the wider one."""
    ratio = max(source.bits, target.bits) // min(source.bits, target.bits)
    return _HALVES if ratio == 2 else _QUARTERS


def _pair(source: DType, target: DType, names: str) -> Mapping[str, tuple[str, ...]]:
    values: dict[str, tuple[str, ...]] = {
        "rnd": ROUNDINGS,
        "sat": _SATURATIONS,
        "part": (_ANY, *_parts(source, target)),
    }
    return {name: values[name] for name in names.split()}


def _spellings(name: str) -> list[DType]:
    """A signless integer converts as a signed one does."""
    return [dtype(name), dtype(name[1:])] if name.startswith("si") else [dtype(name)]


def _pairs() -> Pairs:
    pairs: dict[tuple[DType, DType], Mapping[str, tuple[str, ...]]] = {}
    for entry in _DOCUMENTED.replace("\n", ";").split(";"):
        types, _, names = entry.partition(":")
        if not names:
            continue
        first, second = types.split()
        for source in _spellings(first):
            for target in _spellings(second):
                pairs[source, target] = _pair(source, target, names)
    for wide in (F32, F16, BF16):
        for narrow in NARROW_FLOATS:
            pairs[wide, narrow] = _pair(wide, narrow, "rnd sat part")
            pairs[narrow, wide] = _pair(narrow, wide, "part")
    return pairs


PAIRS = _pairs()


def _narrow(value: Lanes, target: DType, part: int) -> Lanes:
    """Lanes in their places in a register of a type of at most their width."""
    if target.bits < 8:
        # Two neighbours share a byte, the first in its low half.
        low = value.shuffle(tuple(range(0, value.count, 2)))
        high = value.shuffle(tuple(range(1, value.count, 2)))
        value = low | (high << 4)
    step = target.lanes // value.count
    order = tuple(i // step if i % step == part else -1 for i in range(target.lanes))
    return (value.shuffle(order) if step > 1 else value).bits(target)


def _widen(value: Lanes, count: int, part: int) -> Lanes:
    """The lanes that stand in one part of `count` wider ones."""
    return value.shuffle(tuple(range(part, value.count, value.count // count)))


def _halves(value: Lanes) -> Lanes:
    """Bytes of two 4-bit values as twice as many bytes of one."""
    order = tuple(i // 2 + i % 2 * value.count for i in range(2 * value.count))
    return (value & 0xF).shuffle(order, value >> 4)


def _twice(active: Lanes) -> Lanes:
    """Each lane two times."""
    return active.shuffle(tuple(i // 2 for i in range(2 * active.count)))


def _convert(site: Site) -> Run:
    source, target = _element(site.operands[0]), _element(site.results[0])
    written = str(site.attrs["part"])
    part = 0 if written == _ANY else _parts(source, target).index(written)
    rnd = cast(Rounding, site.attrs["rnd"])
    convert = converter(source, target, rnd, site.attrs["sat"] == "SAT")

    def narrow(core: Core, input: Lanes, mask: Lanes) -> Lanes:
        value = convert(input).masked(mask.gate(input.count))
        return _narrow(value, target, part)

    def widen(core: Core, input: Lanes, mask: Lanes) -> Lanes:
        lanes = _widen(input, target.lanes, part)
        active = _widen(mask.gate(input.count), target.lanes, part)
        return convert(lanes).masked(active)

    def widen_halves(core: Core, input: Lanes, mask: Lanes) -> Lanes:
        lanes = _widen(input.bits(UI8), target.lanes // 2, part)
        active = _widen(mask.gate(input.count), target.lanes // 2, part)
        return convert(_halves(lanes)).masked(_twice(active))

    if source.bits >= target.bits:
        return narrow
    return widen if source.bits >= 8 else widen_halves


vcvt = Record(
    "pto.vcvt",
    GROUP,
    "Converts lanes to another element type, rounded and saturated as the attributes say.",
    (
        Form(
            (Operand("input", Vec(), "the source vector"), MASK),
            (Operand("result", Vec("U"), "the converted vector"),),
            (
                Attr(
                    "rnd",
                    ROUNDINGS,
                    "R",
                    "how to round",
                    alias="round_mode",
                    other_tokens=_ROUNDING_TOKENS,
                ),
                Attr(
                    "sat",
                    _SATURATIONS,
                    "NOSAT",
                    "what becomes of numbers out of range",
                    other_tokens={"RS_ENABLE": "SAT", "RS_DISABLE": "NOSAT"},
                ),
                Attr(
                    "part",
                    (_ANY, *_HALVES, *_QUARTERS),
                    _ANY,
                    "which place of the wider lane the narrower one has",
                    needed="micro",
                    other_tokens={f"PART_{part}": part for part in (*_HALVES, *_QUARTERS)},
                ),
            ),
            syntax="input, mask {rnd, sat, part} : input, mask -> result",
            unmasked=True,
        ),
    ),
    _convert,
    {
        "T": Types(tuple(d for d in ELEMENTS if any(d is t for t, _ in PAIRS))),
        "U": Types(tuple(d for d in ELEMENTS if any(d is u for _, u in PAIRS))),
    },
    pairs=PAIRS,
    unreliable_zeros=True,
    cost=Cost(like_a2a3="vabs", row_a2a3="vconv", rows_by="types"),
    evidence=(
        ZEROING,
        Evidence("pairs of types", "micro", "The list of forms; of the manual also ui32 to f32."),
        Evidence(
            "sat of f16 to si32",
            "manual",
            "vcvt.md: optional. Only infinity and NaN are out of range.",
            when=When(elements=(F16,), results=(SI32, I32)),
        ),
        Evidence(
            "rnd of si16 to f32",
            "manual",
            "vcvt.md has it; without effect, as f32 holds every 16-bit integer.",
            when=When(elements=(SI16, I16), results=(F32,)),
        ),
        Evidence(
            UNMASKED, "manual", "The family page has no other, vcvt.md none such.", about="mask"
        ),
        Evidence(
            "si64 to f32",
            "suite",
            "In no list of forms, but a case converts so.",
            when=When(elements=(SI64,), results=(F32,)),
        ),
        Evidence(
            "pairs with narrow floats",
            "chosen",
            "All of them with f32, f16 and bf16. The micro specification names packed fp8 and fp4 "
            "conversions without a list.",
            when=When(elements=NARROW_FLOATS),
        ),
        Evidence("signless integers", "suite", "Count as signed.", when=When(elements=SIGNLESS)),
        Evidence("targets", "chosen", "The same pairs everywhere: A2/A3 has an unnamed subset."),
        _TIES_AWAY,
        Evidence(
            "rounding mode O",
            "chosen",
            "An inexact result gets an odd last bit.",
            when=When(attrs={"rnd": ("O",)}),
        ),
        Evidence(
            "rounding to hif8",
            "chosen",
            "Any mode, as an exact computation says; a tie of numbers with one bit goes to the "
            "larger, as IEEE 754 has it. The public kernels round to it with A only.",
            when=When(results=(HIF8,)),
        ),
        Evidence("no rnd or sat written", "manual", "R and NOSAT."),
        Evidence(
            "no part written",
            "chosen",
            "EVEN or P0 where the width changes; in revision micro an error, as in the compiler.",
            when=When("manual", attrs={"part": (_ANY,)}),
        ),
        Evidence(
            "SAT of NaN", "suite", "+0, for integers and floats alike.", when=When(attrs=_SAT)
        ),
        Evidence("SAT of infinity", "suite", "The largest finite number.", when=When(attrs=_SAT)),
        Evidence(
            "NOSAT to integers",
            "chosen",
            "The low bits of the rounded number (the manual: wraps or undefined). Infinity and "
            "NaN give 0, as the low bits of every large power of two are.",
            when=When(attrs=_NOSAT, results=INT_ELEMENTS),
        ),
        Evidence(
            "NOSAT to floats",
            "chosen",
            "IEEE 754: infinity where the mode rounds away from zero, else the largest finite "
            "number; NaN for f8e4m3, as in ml_dtypes; the 4-bit floats always saturate.",
            when=When(attrs=_NOSAT, results=FLOAT_ELEMENTS),
        ),
        Evidence(
            "NaN to floats",
            "chosen",
            "The canonical NaN; 0 in the 4-bit floats.",
            when=When(results=FLOAT_ELEMENTS),
        ),
        Evidence(
            "f8e4m3, f8e5m2, f4e2m1",
            "chosen",
            "The OCP formats, as in ml_dtypes.",
            when=When(elements=(F8E4M3, F8E5M2, F4E2M1)),
        ),
        Evidence(
            "f4e1m2",
            "chosen",
            "0 to 1.75 in steps of a quarter, as public test data has.",
            when=When(elements=(F4E1M2,)),
        ),
        Evidence(
            "hif8",
            "chosen",
            "The published format (arXiv 2409.16626): one zero, NaN 0x80, infinities 0x6f and "
            "0xef, largest number 2^15, smallest 2^-22.",
            when=When(elements=(HIF8,)),
        ),
        Evidence(
            "place of the narrower lane",
            "suite",
            "EVEN and ODD are the low and high half of the wider lane, P0 to P3 its quarters from "
            "the lowest; a narrowing conversion leaves zeros in the others.",
        ),
        Evidence(
            "place of 4-bit floats",
            "chosen",
            "Lanes 2i (low half) and 2i + 1 share a byte, which is byte P of what the two wide "
            "lanes take, as in the public kernels for bf16; f32, of which these four parts reach "
            "half a register, follows the same rule.",
            when=When(elements=(F4E1M2, F4E2M1)),
        ),
        Evidence(
            "mask",
            "micro",
            "A bit of the source's granularity for each source lane, also where ODD or P1 to P3 "
            "choose which lanes are read.",
            about="mask",
        ),
    ),
    formula="result[place of i] = mask[i] ? convert(input[i], rnd, sat) : 0",
    cpp="vcvt(dst, src, mask, rnd, sat, part)",
)


def _truncate(site: Site) -> Run:
    element = _element(site.results[0])
    rnd = cast(Rounding, str(site.attrs["rnd"])[-1])

    def run(core: Core, input: Lanes, *mask: Lanes) -> Lanes:
        value = whole(input.cast(F32), rnd).cast(element)
        return value.masked(mask[0].gate(value.count)) if mask else value

    return run


_TRUNCATIONS = ROUNDINGS[:-1]
_INPUT = Operand("input", Vec(), "the source vector")
vtrc = Record(
    "pto.vtrc",
    GROUP,
    "Rounds lanes to whole numbers that stay floats.",
    (
        Form(
            (_INPUT, MASK),
            (RESULT,),
            (
                Attr(
                    "rnd",
                    _TRUNCATIONS,
                    doc="how to round",
                    alias="round_mode",
                    other_tokens=_ROUNDING_TOKENS,
                ),
            ),
            syntax='input, mask, "rnd" : input, mask -> result',
        ),
        Form(
            (_INPUT,),
            (RESULT,),
            (Attr("rnd", tuple(f"ROUND_{r}" for r in ROUNDINGS), doc="how to round"),),
            syntax='input, "rnd" : input -> result',
        ),
    ),
    _truncate,
    {"T": Types((F32, F16, BF16))},
    unreliable_zeros=True,
    cost=Cost(like="vcvt_f32_to_s32", like_a2a3="vabs", row_a2a3="vconv"),
    evidence=(
        ZEROING,
        _TIES_AWAY,
        Evidence("sign", "suite", "Kept, also of a result that is zero."),
        Evidence("infinity and NaN", "suite", "Unchanged, NaN as the canonical one."),
        Evidence(
            "form without a mask",
            "manual",
            "All lanes; it also has ROUND_O.",
            when=When(forms=(1,)),
            about="mask",
        ),
    ),
    formula="result[i] = mask[i] ? whole(input[i], rnd) : 0",
    cpp="vtrc(dst, src, rnd, mask)",
)


def _reinterpret(site: Site) -> Run:
    target = _element(site.results[0])

    def run(core: Core, input: Lanes) -> Lanes:
        return input.bits(target)

    return run


vbitcast = Record(
    "pto.vbitcast",
    GROUP,
    "Sees the bits of a register as another element type.",
    (Form((_INPUT,), (Operand("result", Vec("U"), "the same 2048 bits"),)),),
    _reinterpret,
    {"T": Types(ELEMENTS), "U": Types(ELEMENTS)},
    cost=FREE,
    evidence=(
        Evidence("bits", "micro", "Unchanged, those of NaN too."),
        Evidence("order of lanes", "chosen", "Little-endian, as a store and a load would do."),
    ),
    formula="result = the bits of input",
    cpp="vbitcast(dst, src)",
)


def _scale(site: Site) -> Run:
    odd = site.attrs["part"] == "ODD"
    convert = converter(F32, F16, cast(Rounding, site.attrs["rnd"]), False)

    def run(core: Core, input: Lanes, scalar: Lanes, mask: Lanes) -> Lanes:
        product = input * scalar.splat(input.count)
        return _narrow(convert(product).masked(mask.gate(input.count)), F16, int(odd))

    return run


vmulscvt = Record(
    "pto.vmulscvt",
    GROUP,
    "Multiplies f32 lanes by a scalar and converts the products to f16.",
    (
        Form(
            (_INPUT, Operand("scalar", ScalarFor(), "the factor of every lane"), MASK),
            (Operand("result", Vec("U"), "the products in even or odd lanes, zeros between"),),
            (
                Attr("rnd", ROUNDINGS, doc="how to round"),
                Attr("part", _HALVES, doc="which half of a lane takes the product"),
            ),
            syntax='input, scalar, mask, "rnd", "part" : input, scalar, mask -> result',
        ),
    ),
    _scale,
    {"T": Types((F32,)), "U": Types((F16,))},
    targets=("cpu", "a5"),
    unreliable_zeros=True,
    cost=Cost(like="vcvt_f32_to_f16"),
    evidence=(
        ZEROING,
        _TIES_AWAY,
        Evidence("types", "micro", "f32 to f16, the pair that is documented."),
        Evidence(
            "rounding",
            "chosen",
            "The product in f32, to nearest even, then to f16 as rnd says: one step of the "
            "machine, of which nobody says that it rounds once.",
        ),
        Evidence("out of range", "chosen", "As vcvt with NOSAT."),
    ),
    formula="result[2i + part] = mask[i] ? convert(input[i] * scalar, rnd) : 0",
    cpp="vmulscvt(dst, src, scalar, mask, rnd, part)",
)

RECORDS = (vci, vcvt, vtrc, vbitcast, vmulscvt)
