"""Rearrangement: lanes moved within and between registers, bits unchanged."""

from __future__ import annotations

from collections.abc import Callable

from ptoscope.isa.compare import by_index
from ptoscope.isa.core import Core
from ptoscope.isa.cost import Cost
from ptoscope.isa.dtypes import (
    ELEMENTS,
    I8,
    I16,
    I32,
    I64,
    INDEX,
    INTS8,
    INTS16,
    INTS32,
    SI8,
    SI16,
    SI32,
    DType,
    dtype,
    signed,
    unsigned,
)
from ptoscope.isa.families import MASK, RESULT
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.patterns import IntVec, ScalarIn, Vec, VecOf
from ptoscope.isa.record import Attr, Evidence, Form, Operand, Record, Run, Site, Types, When
from ptoscope.isa.roles import SQZN
from ptoscope.isa.types import VReg

GROUP = "rearrangement"
_TYPES = {"T": Types(ELEMENTS)}
_PAIR = (Operand("lhs", Vec()), Operand("rhs", Vec()))
_MOVED = Cost(like="vintlv", like_a2a3="vmov", by_width=True)
_SQUEEZED = Cost(like="vcadd", like_a2a3="vmov")
_BITS = Evidence("bits", "chosen", "Moved unchanged, NaN included.")
_PART = Attr("part", ("LOWER", "HIGHER"), None, "which half")

Halves = Callable[[Lanes, Lanes], tuple[Lanes, Lanes]]


def interleaved(lhs: Lanes, rhs: Lanes) -> tuple[Lanes, Lanes]:
    """lhs[0], rhs[0], lhs[1], ...: the lower and the upper half of that stream."""
    n = lhs.count
    stream = tuple(i // 2 + (n if i % 2 else 0) for i in range(2 * n))
    return lhs.shuffle(stream[:n], rhs), lhs.shuffle(stream[n:], rhs)


def deinterleaved(lhs: Lanes, rhs: Lanes) -> tuple[Lanes, Lanes]:
    """The even and the odd lanes of lhs followed by rhs."""
    n = lhs.count
    even, odd = tuple(range(0, 2 * n, 2)), tuple(range(1, 2 * n, 2))
    return lhs.shuffle(even, rhs), lhs.shuffle(odd, rhs)


def _both(name: str, halves: Halves, doc: str, formula: str) -> Record:
    def meaning(site: Site) -> Run:
        def run(core: Core, lhs: Lanes, rhs: Lanes) -> tuple[Lanes, Lanes]:
            return halves(lhs, rhs)

        return run

    return Record(
        f"pto.{name}",
        GROUP,
        doc,
        (Form(_PAIR, (Operand("low", Vec()), Operand("high", Vec()))),),
        meaning,
        _TYPES,
        cost=_MOVED,
        evidence=(_BITS, Evidence("order", "micro", "Lower half first, even lanes first.")),
        formula=formula,
        cpp=f"{name}(low, high, src0, src1)",
    )


def _one(name: str, halves: Halves, doc: str, formula: str) -> Record:
    def meaning(site: Site) -> Run:
        upper = site.attrs["part"] == "HIGHER"

        def run(core: Core, lhs: Lanes, rhs: Lanes) -> Lanes:
            return halves(lhs, rhs)[upper]

        return run

    return Record(
        f"pto.{name}",
        GROUP,
        doc,
        (Form(_PAIR, (RESULT,), (_PART,), syntax='lhs, rhs, "part" : lhs, rhs -> result'),),
        meaning,
        _TYPES,
        cost=_MOVED,
        evidence=(
            _BITS,
            Evidence("part tokens", "chosen", "LOWER and HIGHER, as everywhere else."),
        ),
        formula=formula,
        cpp=f"{name}(dst, src0, src1, part)",
    )


def _refuse_outside(core: Core, site: Site, amount: Lanes, lanes: int) -> None:
    outside = (amount < 0) | (amount > lanes)
    said = f"the amount is not between 0 and {lanes}"
    core.refuse(site, outside, "PTO0910", said, amount, f"0 to {lanes}")


def _vslide(site: Site) -> Run:
    def run(core: Core, src0: Lanes, src1: Lanes, amount: Lanes) -> Lanes:
        n = src0.count
        _refuse_outside(core, site, amount, n)
        both = src1.shuffle(tuple(range(2 * n)), src0)
        return both.window(amount, n)

    return run


def _vshift(site: Site) -> Run:
    def run(core: Core, src: Lanes, amount: Lanes) -> Lanes:
        n = src.count
        _refuse_outside(core, site, amount, n)
        behind_zeros = src.shuffle((-1,) * n + tuple(range(n)))
        return behind_zeros.window(amount.const(n) - amount, n)

    return run


_AMOUNT = Operand("amount", ScalarIn((I16,)), "how many lanes")
_AMOUNT_EVIDENCE = Evidence("an amount outside [0, N]", "chosen", "A fault: no target allows it.")
vslide = Record(
    "pto.vslide",
    GROUP,
    "Takes N lanes, from a lane number on, of src1 followed by src0.",
    (Form((Operand("src0", Vec()), Operand("src1", Vec()), _AMOUNT), (RESULT,)),),
    _vslide,
    _TYPES,
    cost=_MOVED,
    evidence=(
        _BITS,
        _AMOUNT_EVIDENCE,
        Evidence("order", "chosen", "src1 before src0, as the manual's later edition says."),
    ),
    formula="result[i] = (src1 ++ src0)[amount + i]",
    cpp="vslide(dst, src0, src1, amount)",
)
vshift = Record(
    "pto.vshift",
    GROUP,
    "Moves lanes up by an amount and fills with zeros.",
    (Form((Operand("src", Vec()), _AMOUNT), (RESULT,)),),
    _vshift,
    _TYPES,
    cost=_MOVED,
    evidence=(
        _BITS,
        _AMOUNT_EVIDENCE,
        Evidence("fill", "chosen", "Zero, as the manual's later edition says."),
    ),
    formula="result[i] = i >= amount ? src[i - amount] : 0",
    cpp="vshift(dst, src, amount)",
)


def _leave_count(site: Site, core: Core, active: Lanes, element: DType) -> None:
    """SQZN: the bytes that the active lanes fill, for vstur."""
    core.write_register(site, SQZN, active.population() * element.bytes)


def _vsqz(site: Site) -> Run:
    def run(core: Core, src: Lanes, mask: Lanes) -> Lanes:
        active = mask.gate(src.count)
        _leave_count(site, core, active, src.dtype)
        return src.squeeze(active)

    return run


def _vusqz(site: Site) -> Run:
    def run(core: Core, src: Lanes, mask: Lanes) -> Lanes:
        active = mask.gate(src.count)
        _leave_count(site, core, active, src.dtype)
        total = active.cast(src.dtype)
        total = total.shuffle((-1, *range(total.count - 1)))
        step = 1
        while step < total.count:
            earlier = (-1,) * step + tuple(range(total.count - step))
            total = total + total.shuffle(earlier)
            step *= 2
        return total

    return run


vsqz = Record(
    "pto.vsqz",
    GROUP,
    "Packs the active lanes to the front; leaves their byte count in SQZN.",
    (Form((Operand("src", Vec()), MASK), (RESULT,)),),
    _vsqz,
    _TYPES,
    gives="packed",
    counts_bytes=True,
    cost=_SQUEEZED,
    evidence=(_BITS, Evidence("SQZN", "micro", "Active lanes times the element size.")),
    formula="result = active lanes of src in order, then zeros",
    cpp="vsqz(dst, src, mask)",
)
vusqz = Record(
    "pto.vusqz",
    GROUP,
    "Counts for each lane the active lanes before it.",
    (Form((Operand("src", Vec(), "without effect on the result"), MASK), (RESULT,)),),
    _vusqz,
    {"T": Types((I8, SI8, I16, SI16, I32, SI32))},
    counts_bytes=True,
    cost=_SQUEEZED,
    evidence=(
        Evidence("meaning", "micro", "Prefix counts of the mask; wraps at 256 lanes of si8."),
        Evidence(
            "form of a mask alone",
            "chosen",
            "Refused: vusqz.md spreads an implicit front-packed source stream to the lanes of its "
            "mask, and no page says which register that is.",
        ),
        Evidence("SQZN", "micro", "Active lanes times the element size."),
    ),
    formula="result[i] = number of active lanes below i",
    cpp="vusqz(dst, src, mask)",
)


def _vperm(site: Site) -> Run:
    def run(core: Core, src: Lanes, index: Lanes) -> Lanes:
        return by_index(src, index)

    return run


vperm = Record(
    "pto.vperm",
    GROUP,
    "Permutes the lanes of a vector by an index vector.",
    (Form((Operand("src", Vec()), Operand("index", IntVec())), (RESULT,)),),
    _vperm,
    _TYPES,
    cost=_MOVED,
    evidence=(
        _BITS,
        Evidence("an index of N or more", "chosen", "Modulo N, as the loop on its page."),
    ),
    formula="result[i] = src[index[i] mod N]",
    cpp="vperm(dst, src, index)",
)


def narrowed(element: DType) -> DType:
    """What vpack makes of a type: the unsigned integer of half the width."""
    # A byte has no half; legality refuses it, and has to get that far.
    return unsigned(max(8, element.bits // 2))


def _half(element: DType) -> DType:
    """The integer of half the width and the same sign."""
    return dtype(element.name.replace(str(element.bits), str(max(8, element.bits // 2))))


def _vpack(site: Site) -> Run:
    upper = site.attrs.get("part") == "HIGHER"

    def run_two(core: Core, src0: Lanes, src1: Lanes, part: Lanes) -> Lanes:
        said = "no page defines another part than 0"
        core.refuse(site, part.ne(0), "PTO0910", said, part, "0")
        n, narrow = src0.count, _half(src0.dtype)
        low = src0.cast(narrow)
        return low.shuffle(tuple(range(2 * n)), src1.cast(narrow))

    def run(core: Core, src: Lanes) -> Lanes:
        n = src.count
        low = src.cast(narrowed(src.dtype))
        place = tuple(range(n))
        return low.shuffle((-1,) * n + place if upper else place + (-1,) * n)

    return run_two if site.form == 1 else run


vpack = Record(
    "pto.vpack",
    GROUP,
    "Cuts each lane to its lower half and packs the results into one half of the register.",
    (
        Form(
            (Operand("src", Vec()),),
            (Operand("result", VecOf("T", narrowed, "half of T")),),
            (_PART,),
            syntax='src, "part" : src -> result',
        ),
        Form(
            (
                Operand("src0", Vec(), "goes to the lower half"),
                Operand("src1", Vec(), "goes to the upper half"),
                Operand("part", ScalarIn((INDEX,)), "0", example=0),
            ),
            (Operand("result", VecOf("T", _half, "half of T")),),
            in_text=True,
        ),
    ),
    _vpack,
    {"T": Types(INTS16 + INTS32)},
    cost=_MOVED,
    evidence=(
        Evidence(
            "result type",
            "micro",
            "ui16 of 32-bit, ui8 of 16-bit integers.",
            when=When(forms=(0,)),
        ),
        Evidence(
            "form with two sources",
            "manual",
            "The only one of vpack.md, whose loop cuts each element of both.",
            when=When(forms=(1,)),
        ),
        Evidence(
            "part of two sources",
            "chosen",
            "0, as in the example: the pages call it a packing mode and define no other.",
            when=When(forms=(1,)),
        ),
    ),
    formula="result[part*N + i] = low half of src[i]; the other half 0, or that of a second src",
    cpp="vpack(dst, src, part)",
)


def _unpack(name: str, is_signed: bool) -> Record:
    def meaning(site: Site) -> Run:
        result = site.results[0]
        assert isinstance(result, VReg)
        wide = result.dtype

        def run(core: Core, src: Lanes, part: Lanes) -> Lanes:
            outside, said = (part < 0) | (part > 1), "part is neither 0 nor 1"
            core.refuse(site, outside, "PTO0910", said, part, "0 or 1")
            n = result.lanes
            upper = part.ne(0).splat(n)
            half = upper.select(src.shuffle(tuple(range(n, 2 * n))), src.shuffle(tuple(range(n))))
            kind = signed if is_signed else unsigned
            return half.bits(kind(src.dtype.bits)).cast(kind(wide.bits)).bits(wide)

        return run

    word = "sign" if is_signed else "zero"
    return Record(
        f"pto.{name}",
        GROUP,
        f"Widens one half of a vector, extending by {word}.",
        (
            Form(
                (Operand("src", Vec()), Operand("part", ScalarIn((INDEX, I64, I32)), "0 or 1")),
                (Operand("result", IntVec("T", 2), "twice as wide"),),
                syntax="src, part : src -> result",
            ),
        ),
        meaning,
        {"T": Types(INTS8 + INTS16 + INTS32)},
        cost=_MOVED,
        evidence=(Evidence("part", "micro", "0 the lower half, 1 the upper; else a fault."),),
        formula=f"result[i] = {word}_extend(src[part*N/2 + i])",
        cpp=f"{name}(dst, src, part)",
    )


RECORDS = (
    _both(
        "vintlv",
        interleaved,
        "Interleaves two vectors.",
        "low, high = halves of lhs[0], rhs[0], lhs[1], rhs[1], ...",
    ),
    _both(
        "vdintlv",
        deinterleaved,
        "Separates even and odd lanes of two vectors taken as one stream.",
        "low = even lanes of lhs ++ rhs; high = odd lanes",
    ),
    _one(
        "vintlvv2",
        interleaved,
        "One half of the interleaving of two vectors.",
        "result = lower or upper half of lhs[0], rhs[0], lhs[1], ...",
    ),
    _one(
        "vdintlvv2",
        deinterleaved,
        "The even or the odd lanes of two vectors taken as one stream.",
        "result = even (LOWER) or odd (HIGHER) lanes of lhs ++ rhs",
    ),
    vslide,
    vshift,
    vsqz,
    vusqz,
    vperm,
    vpack,
    _unpack("vsunpack", True),
    _unpack("vzunpack", False),
)
