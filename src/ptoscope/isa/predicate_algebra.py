"""Predicate algebra: logic on masks, and rearrangement of the predicate register.

Logic works on the lanes of a granularity: of each group of bits the lowest counts, the
others come out 0. Packing, interleaving and bit casts move the whole register's bits.
"""

from __future__ import annotations

from collections.abc import Callable

from ptoscope.isa.core import Core
from ptoscope.isa.cost import FREE, PREDICATE, predicate
from ptoscope.isa.lanes import PREDICATE_BITS, Lanes
from ptoscope.isa.patterns import AnyMask, MaskBits
from ptoscope.isa.rearrange import deinterleaved, interleaved
from ptoscope.isa.record import (
    Attr,
    Constraint,
    Evidence,
    Form,
    Meaning,
    Operand,
    Record,
    Run,
    Site,
    When,
)
from ptoscope.isa.types import GRANULARITIES, Mask

GROUP = "predicates"
_MASK = Operand("mask", AnyMask(), "which lanes take part")
_RESULT = Operand("result", AnyMask())
_LANES = Evidence(
    "bits between the lanes", "chosen", "Read as nothing and written as 0: no lane is there."
)


def _lanes(site: Site) -> int:
    kind = site.operands[0]
    assert isinstance(kind, Mask)
    return kind.lanes


def _logic(
    name: str, names: tuple[str, ...], body: Callable[..., Lanes], doc: str, formula: str
) -> Record:
    def meaning(site: Site) -> Run:
        count = _lanes(site)

        def run(core: Core, *masks: Lanes) -> Lanes:
            *inputs, active = (m.gate(count) for m in masks)
            return (body(*inputs) & active).image()

        return run

    return Record(
        f"pto.{name}",
        GROUP,
        doc,
        (Form((*(Operand(n, AnyMask()) for n in names), _MASK), (_RESULT,)),),
        meaning,
        cost=predicate(7, "as pand and por"),
        evidence=(Evidence("inactive lanes", "micro", "0.", about="mask"), _LANES),
        formula=f"result[i] = mask[i] && ({formula})",
        cpp=f"{name}(dst, {', '.join(names)}, mask)",
    )


def _and(src0: Lanes, src1: Lanes) -> Lanes:
    return src0 & src1


def _or(src0: Lanes, src1: Lanes) -> Lanes:
    return src0 | src1


def _xor(src0: Lanes, src1: Lanes) -> Lanes:
    return src0 ^ src1


def _not(input: Lanes) -> Lanes:
    return ~input


def _psel(site: Site) -> Run:
    count = _lanes(site)

    def run(core: Core, *masks: Lanes) -> Lanes:
        src0, src1, sel, *active = (m.gate(count) for m in masks)
        chosen = sel.select(src0, src1)
        return (chosen & active[0] if active else chosen).image()

    return run


_SELECTED = (
    Operand("src0", AnyMask(), "taken where sel is set"),
    Operand("src1", AnyMask(), "taken elsewhere"),
    Operand("sel", AnyMask(), "chooses"),
)
psel = Record(
    "pto.psel",
    GROUP,
    "Selects lanes of two masks by a third.",
    (Form(_SELECTED, (_RESULT,)), Form((*_SELECTED, _MASK), (_RESULT,))),
    _psel,
    cost=PREDICATE,
    evidence=(
        _LANES,
        Evidence(
            "form with a mask",
            "manual",
            "psel.md has no other. The page calls the fourth mask a masking predicate and does not "
            "say more: lanes that it leaves out are 0, as in pand.",
            when=When(forms=(1,)),
            about="mask",
        ),
    ),
    formula="result[i] = mask[i] && (sel[i] ? src0[i] : src1[i])",
    cpp="psel(dst, src0, src1, sel)",
)


_HALF = PREDICATE_BITS // 2


def _ppack(site: Site) -> Run:
    kept = tuple(range(0, PREDICATE_BITS, 2))
    empty = (-1,) * _HALF
    order = empty + kept if site.attrs["part"] == "HIGHER" else kept + empty

    def run(core: Core, input: Lanes) -> Lanes:
        return input.shuffle(order)

    return run


def _punpack(site: Site) -> Run:
    first = _HALF if site.attrs["part"] == "HIGHER" else 0
    order = tuple(-1 if i % 2 else first + i // 2 for i in range(PREDICATE_BITS))

    def run(core: Core, input: Lanes) -> Lanes:
        return input.shuffle(order)

    return run


def _packing(name: str, meaning: Meaning, doc: str, formula: str, *, widens: bool) -> Record:
    def misfit(site: Site) -> str:
        source, result = site.operands[0], site.results[0]
        assert isinstance(source, Mask)
        assert isinstance(result, Mask)
        step = source.bits * 2 if widens else source.bits // 2
        return "" if result.bits in (source.bits, step) else f"{source} to {result}"

    return Record(
        f"pto.{name}",
        GROUP,
        doc,
        (
            Form(
                (Operand("input", AnyMask()),),
                (Operand("result", AnyMask("H")),),
                (Attr("part", ("LOWER", "HIGHER"), None, "which half"),),
                syntax='input, "part" : input -> result',
            ),
        ),
        meaning,
        cost=PREDICATE,
        evidence=(
            Evidence("bits", "suite", "Those of the whole register, whatever the granularity."),
            Evidence("granularities", "micro", "The same, or one step in its direction."),
        ),
        constraints=(
            Constraint(
                f"lanes of the result are as wide, or {'twice' if widens else 'half'} as wide",
                misfit,
                "pbitcast makes a mask of any other granularity",
            ),
        ),
        formula=formula,
        cpp=f"{name}(dst, src, part)",
    )


def _pbitcast(site: Site) -> Run:
    def run(core: Core, input: Lanes) -> Lanes:
        return input

    return run


pbitcast = Record(
    "pto.pbitcast",
    GROUP,
    "Sees the same predicate register with another granularity.",
    (Form((Operand("input", AnyMask()),), (Operand("result", AnyMask("H")),)),),
    _pbitcast,
    cost=FREE,
    evidence=(Evidence("bits", "micro", "All 256 stay as they are."),),
    formula="result = input",
    cpp="(vector_bool)src",
)


def _paired(
    name: str,
    bits: int,
    halves: Callable[[Lanes, Lanes], tuple[Lanes, Lanes]],
    doc: str,
    formula: str,
) -> Record:
    def meaning(site: Site) -> Run:
        count = Mask(bits).lanes

        def run(core: Core, src0: Lanes, src1: Lanes) -> tuple[Lanes, Lanes]:
            low, high = halves(src0.gate(count), src1.gate(count))
            return low.image(), high.image()

        return run

    mask = MaskBits(bits)
    return Record(
        f"pto.{name}_b{bits}",
        GROUP,
        doc,
        (
            Form(
                (Operand("src0", mask), Operand("src1", mask)),
                (Operand("low", mask), Operand("high", mask)),
            ),
        ),
        meaning,
        cost=PREDICATE,
        evidence=(Evidence("order", "suite", "That of vintlv and vdintlv."), _LANES),
        formula=formula,
        cpp=f"{name}_b{bits}(low, high, src0, src1)",
    )


RECORDS = (
    _logic("pand", ("src0", "src1"), _and, "Lane-wise AND of masks.", "src0[i] && src1[i]"),
    _logic("por", ("src0", "src1"), _or, "Lane-wise OR of masks.", "src0[i] || src1[i]"),
    _logic("pxor", ("src0", "src1"), _xor, "Lane-wise exclusive OR.", "src0[i] != src1[i]"),
    _logic("pnot", ("input",), _not, "Lane-wise negation of a mask.", "!input[i]"),
    psel,
    _packing(
        "ppack",
        _ppack,
        "Keeps every second bit of the predicate register, packed into one half.",
        "result bit (part*128 + i) = input bit 2i; the other half 0",
        widens=False,
    ),
    _packing(
        "punpack",
        _punpack,
        "Spreads one half of the predicate register to every second bit.",
        "result bit 2i = input bit (part*128 + i); odd bits 0",
        widens=True,
    ),
    *(
        _paired(
            "pintlv",
            bits,
            interleaved,
            "Interleaves two masks.",
            "low, high = halves of src0[0], src1[0], src0[1], ...",
        )
        for bits in GRANULARITIES
    ),
    *(
        _paired(
            "pdintlv",
            bits,
            deinterleaved,
            "Separates even and odd lanes of two masks taken as one stream.",
            "low = even lanes of src0 ++ src1; high = odd lanes",
        )
        for bits in GRANULARITIES
    ),
    pbitcast,
)
