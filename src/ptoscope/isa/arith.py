"""The scalar `arith` surface: what surrounds the instructions, in the same vocabulary."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast, get_args

from ptoscope.isa.core import Core
from ptoscope.isa.dtypes import (
    BF16,
    F16,
    F32,
    F64,
    I1,
    I8,
    I16,
    I32,
    I64,
    INDEX,
    SCALARS,
    UI64,
    DType,
    signed,
)
from ptoscope.isa.families import staged
from ptoscope.isa.functions import FloatRounding, narrowed
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.patterns import OneOf, Pattern, PtrTo, ScalarIn, ScalarVar
from ptoscope.isa.record import Attr, Evidence, Form, Operand, Record, Run, Site
from ptoscope.isa.roles import Gives, Resize
from ptoscope.isa.types import Scalar

GROUP = "arith"
NEGATION = "pto.negi"
"""The name by which a subtraction is read whose first operand, 0, is left out."""
_INTS = (I1, I8, I16, I32, I64)
_INT_LIKE = (*_INTS, INDEX)
_FLOATS = (F16, BF16, F32, F64)
_POISON = "What the dialect leaves undefined"


def _record(
    name: str,
    run: Callable[[Site], Run],
    inputs: tuple[Operand, ...],
    outputs: tuple[Operand, ...],
    attrs: tuple[Attr, ...] = (),
    formula: str = "",
    evidence: tuple[Evidence, ...] = (),
    gives: Gives = "computed",
    resize: Resize | None = None,
    also: str = "",
) -> Record:
    """`also` are the names that newer pages give it in the pto dialect."""
    return Record(
        f"arith.{name}",
        GROUP,
        "Scalar operation of the shared arith dialect.",
        (Form(inputs, outputs, attrs),),
        run,
        pipe="PIPE_S",
        where="anywhere",
        gives=gives,
        resize=resize,
        evidence=evidence or (Evidence("meaning", "micro", "The upstream dialect's."),),
        formula=formula,
        aliases=tuple(f"pto.{alias}" for alias in also.split(", ") if alias),
    )


def _same(
    name: str,
    body: Callable[[Lanes, Lanes], Lanes],
    types: tuple[DType, ...],
    formula: str,
    evidence: tuple[Evidence, ...] = (),
    shift: bool = False,
    also: str = "",
) -> Record:
    """Two operands and a result of one type. With `shift`, the second is an amount."""

    def run(core: Core, lhs: Lanes, rhs: Lanes) -> Lanes:
        return body(lhs, rhs)

    return _record(
        name,
        staged(run),
        (Operand("lhs", ScalarVar(types)), Operand("rhs", ScalarVar(types), shifts=shift)),
        (Operand("result", ScalarVar(types)),),
        formula=formula,
        evidence=evidence,
        also=also or name,
    )


def _sign_view(value: Lanes) -> Lanes:
    """i1 as the signed number it is where sign matters: true is -1."""
    return value.const(0).cast(I8) - value.cast(I8) if value.dtype is I1 else value


def _zero_view(value: Lanes) -> Lanes:
    return value if value.dtype is I1 else value.as_unsigned()


def _unsigned(body: Callable[[Lanes, Lanes], Lanes]) -> Callable[[Lanes, Lanes], Lanes]:
    def run(lhs: Lanes, rhs: Lanes) -> Lanes:
        return body(_zero_view(lhs), _zero_view(rhs)).bits(lhs.dtype)

    return run


def _add(lhs: Lanes, rhs: Lanes) -> Lanes:
    return lhs ^ rhs if lhs.dtype is I1 else lhs + rhs


def _sub(lhs: Lanes, rhs: Lanes) -> Lanes:
    return lhs ^ rhs if lhs.dtype is I1 else lhs - rhs


def _mul(lhs: Lanes, rhs: Lanes) -> Lanes:
    return lhs & rhs if lhs.dtype is I1 else lhs * rhs


def _floor_div(lhs: Lanes, rhs: Lanes) -> Lanes:
    cut = lhs.quotient(rhs)
    inexact = (cut * rhs).ne(lhs)
    return (inexact & ((lhs < 0) ^ (rhs < 0))).select(cut - 1, cut)


def _ceil_div(lhs: Lanes, rhs: Lanes) -> Lanes:
    cut = lhs.quotient(rhs)
    inexact = (cut * rhs).ne(lhs)
    return (inexact & ~((lhs < 0) ^ (rhs < 0))).select(cut + 1, cut)


def _rem(lhs: Lanes, rhs: Lanes) -> Lanes:
    return lhs - lhs.quotient(rhs) * rhs


_WIDE_INTS = (I8, I16, I32, I64, INDEX)
_BY_ZERO = (
    Evidence("division by zero", "chosen", "A fault: the dialect leaves it undefined."),
    Evidence("the most negative number by -1", "chosen", "Wraps."),
)


def _division(name: str, body: Callable[[Lanes, Lanes], Lanes], formula: str, also: str) -> Record:
    def meaning(site: Site) -> Run:
        def run(core: Core, lhs: Lanes, rhs: Lanes) -> Lanes:
            core.refuse(site, rhs.eq(0), "PTO0906", "division by zero", rhs, "any other number")
            return body(lhs, rhs)

        return run

    operand = ScalarVar(_WIDE_INTS)
    return _record(
        name,
        meaning,
        (Operand("lhs", operand), Operand("rhs", operand)),
        (Operand("result", operand),),
        formula=formula,
        evidence=_BY_ZERO,
        also=also,
    )


_SHIFT = (Evidence("amounts of the width or more", "chosen", "Everything is shifted out."),)


def _signed_zero_order(lhs: Lanes, rhs: Lanes, result: Lanes, highest: bool) -> Lanes:
    """maximumf and minimumf order -0 below +0, which no comparison does."""
    both = lhs.as_unsigned() & rhs.as_unsigned()
    either = lhs.as_unsigned() | rhs.as_unsigned()
    zero = (both if highest else either).bits(lhs.dtype)
    return (lhs.eq(rhs) & lhs.eq(0)).select(zero, result)


def _maximum(lhs: Lanes, rhs: Lanes) -> Lanes:
    return _signed_zero_order(lhs, rhs, lhs.maximum(rhs), True)


def _minimum(lhs: Lanes, rhs: Lanes) -> Lanes:
    return _signed_zero_order(lhs, rhs, lhs.minimum(rhs), False)


def _maxnum(lhs: Lanes, rhs: Lanes) -> Lanes:
    return rhs.isnan().select(lhs, lhs.isnan().select(rhs, _maximum(lhs, rhs)))


def _minnum(lhs: Lanes, rhs: Lanes) -> Lanes:
    return rhs.isnan().select(lhs, lhs.isnan().select(rhs, _minimum(lhs, rhs)))


def _remf(lhs: Lanes, rhs: Lanes) -> Lanes:
    if lhs.dtype is F16 or lhs.dtype is BF16:
        return lhs.cast(F32).fmod(rhs.cast(F32)).cast(lhs.dtype)
    return lhs.fmod(rhs)


def _shl(lhs: Lanes, rhs: Lanes) -> Lanes:
    return lhs & ~rhs if lhs.dtype is I1 else lhs << rhs


def _shrsi(lhs: Lanes, rhs: Lanes) -> Lanes:
    return lhs if lhs.dtype is I1 else lhs >> rhs


def _shrui(lhs: Lanes, rhs: Lanes) -> Lanes:
    if lhs.dtype is I1:
        return lhs & ~rhs
    return (lhs.as_unsigned() >> rhs.as_unsigned()).bits(lhs.dtype)


def _maxsi(lhs: Lanes, rhs: Lanes) -> Lanes:
    return (_sign_view(lhs) > _sign_view(rhs)).select(lhs, rhs)


def _minsi(lhs: Lanes, rhs: Lanes) -> Lanes:
    return (_sign_view(lhs) < _sign_view(rhs)).select(lhs, rhs)


addi = _same("addi", _add, _INT_LIKE, "lhs + rhs, wrapping")
_PLAIN = (
    addi,
    _same("subi", _sub, _INT_LIKE, "lhs - rhs, wrapping", also="subi, negi"),
    _same("muli", _mul, _INT_LIKE, "lhs * rhs, wrapping"),
    _division(
        "divsi", lambda lhs, rhs: lhs.quotient(rhs), "lhs / rhs, cut toward zero", "divi signed"
    ),
    _division(
        "divui",
        _unsigned(lambda lhs, rhs: lhs.quotient(rhs)),
        "unsigned lhs / rhs",
        "divi unsigned, floordiv unsigned",
    ),
    _division("floordivsi", _floor_div, "lhs / rhs, rounded down", "floordiv signed"),
    _division("ceildivsi", _ceil_div, "lhs / rhs, rounded up", "ceildiv signed"),
    _division(
        "ceildivui", _unsigned(_ceil_div), "unsigned lhs / rhs, rounded up", "ceildiv unsigned"
    ),
    _division("remsi", _rem, "lhs - rhs * (lhs / rhs)", "remi signed"),
    _division("remui", _unsigned(_rem), "unsigned remainder", "remi unsigned"),
    _same("andi", lambda lhs, rhs: lhs & rhs, _INT_LIKE, "lhs & rhs", also="and"),
    _same("ori", lambda lhs, rhs: lhs | rhs, _INT_LIKE, "lhs | rhs", also="or"),
    _same("xori", lambda lhs, rhs: lhs ^ rhs, _INT_LIKE, "lhs ^ rhs", also="xor"),
    _same("shli", _shl, _INT_LIKE, "lhs << rhs", _SHIFT, True, also="shl"),
    _same("shrsi", _shrsi, _INT_LIKE, "lhs >> rhs, arithmetic", _SHIFT, True, also="shr signed"),
    _same("shrui", _shrui, _INT_LIKE, "lhs >> rhs, logical", _SHIFT, True, also="shr unsigned"),
    _same("maxsi", _maxsi, _INT_LIKE, "the greater, signed", also="maxi signed"),
    _same("minsi", _minsi, _INT_LIKE, "the lesser, signed", also="mini signed"),
    _same(
        "maxui", _unsigned(Lanes.greater), _INT_LIKE, "the greater, unsigned", also="maxi unsigned"
    ),
    _same(
        "minui", _unsigned(Lanes.lesser), _INT_LIKE, "the lesser, unsigned", also="mini unsigned"
    ),
    _same("addf", lambda lhs, rhs: lhs + rhs, _FLOATS, "lhs + rhs"),
    _same("subf", lambda lhs, rhs: lhs - rhs, _FLOATS, "lhs - rhs"),
    _same("mulf", lambda lhs, rhs: lhs * rhs, _FLOATS, "lhs * rhs"),
    _same("divf", lambda lhs, rhs: lhs / rhs, _FLOATS, "lhs / rhs"),
    _same("remf", _remf, _FLOATS, "fmod(lhs, rhs)"),
    _same("maximumf", _maximum, _FLOATS, "the greater; NaN if either is; -0 < +0", also="maximum"),
    _same("minimumf", _minimum, _FLOATS, "the lesser; NaN if either is; -0 < +0", also="minimum"),
    _same("maxnumf", _maxnum, _FLOATS, "the greater; the number if one is NaN", also="maxf"),
    _same("minnumf", _minnum, _FLOATS, "the lesser; the number if one is NaN", also="minf"),
)


def _constant(site: Site) -> Run:
    result = site.results[0]
    assert isinstance(result, Scalar)
    value = site.attrs["value"]
    assert isinstance(value, (int, float))

    def run(core: Core) -> Lanes:
        return core.constant(result.dtype, 1, value)

    return run


_CMPI = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
_CMPF_PLAIN = ("oeq", "ogt", "oge", "olt", "ole", "one", "ord")
CMPF = ("false", *_CMPF_PLAIN, "ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true")


def _cmpi(site: Site) -> Run:
    predicate = str(site.attrs["predicate"])
    view = _zero_view if predicate[0] == "u" else _sign_view

    def run(core: Core, lhs: Lanes, rhs: Lanes) -> Lanes:
        lhs, rhs = view(lhs), view(rhs)
        match predicate:
            case "eq":
                return lhs.eq(rhs)
            case "ne":
                return lhs.ne(rhs)
            case "slt" | "ult":
                return lhs < rhs
            case "sle" | "ule":
                return lhs <= rhs
            case "sgt" | "ugt":
                return lhs > rhs
            case _:
                return lhs >= rhs

    return run


def _ordered(predicate: str, lhs: Lanes, rhs: Lanes) -> Lanes:
    match predicate:
        case "eq":
            return lhs.eq(rhs)
        case "gt":
            return lhs > rhs
        case "ge":
            return lhs >= rhs
        case "lt":
            return lhs < rhs
        case "le":
            return lhs <= rhs
        case _:
            return (lhs < rhs) | (lhs > rhs)


def _cmpf(site: Site) -> Run:
    predicate = str(site.attrs["predicate"])

    def run(core: Core, lhs: Lanes, rhs: Lanes) -> Lanes:
        unordered = lhs.isnan() | rhs.isnan()
        match predicate:
            case "false":
                return unordered & ~unordered
            case "true":
                return unordered | ~unordered
            case "ord":
                return ~unordered
            case "uno":
                return unordered
            case _ if predicate[0] == "u":
                return unordered | _ordered(predicate[1:], lhs, rhs)
            case _:
                return _ordered(predicate[1:], lhs, rhs)

    return run


_ANY: Pattern = OneOf((ScalarVar(SCALARS), PtrTo("T", "S")))


def _comparison(
    name: str,
    run: Callable[[Site], Run],
    types: tuple[DType, ...],
    predicates: tuple[str, ...],
    also: str,
) -> Record:
    return _record(
        name,
        run,
        (Operand("lhs", ScalarVar(types)), Operand("rhs", ScalarVar(types))),
        (Operand("result", ScalarIn((I1,))),),
        (Attr("predicate", predicates),),
        "result = lhs predicate rhs",
        also=also,
    )


def _select(core: Core, condition: Lanes, yes: Lanes, no: Lanes) -> Lanes:
    return condition.select(yes, no)


def _conversion(
    name: str,
    body: Callable[[Lanes, DType], Lanes],
    sources: tuple[DType, ...],
    results: tuple[DType, ...],
    formula: str,
    evidence: tuple[Evidence, ...] = (),
    resize: Resize | None = None,
    also: str = "",
) -> Record:
    integers = all(dtype.is_int for dtype in (*sources, *results))

    def meaning(site: Site) -> Run:
        result = site.results[0]
        assert isinstance(result, Scalar)

        def run(core: Core, value: Lanes) -> Lanes:
            return body(value, result.dtype)

        return run

    return _record(
        name,
        meaning,
        (Operand("operand", ScalarIn(sources)),),
        (Operand("result", ScalarIn(results)),),
        formula=formula,
        evidence=evidence,
        gives="number" if integers else "computed",
        resize=resize,
        also=also,
    )


def _truncate(value: Lanes, dtype: DType) -> Lanes:
    return (value & 1).ne(0) if dtype is I1 else value.cast(dtype)


def _sign_extend(value: Lanes, dtype: DType) -> Lanes:
    return _truncate(_sign_view(value), dtype)


def _zero_extend(value: Lanes, dtype: DType) -> Lanes:
    return _truncate(_zero_view(value), dtype)


def _float_cast(value: Lanes, dtype: DType) -> Lanes:
    return value.cast(dtype)


NEAREST: FloatRounding = "to_nearest_even"


def _truncf(site: Site) -> Run:
    result, mode = site.results[0], cast(FloatRounding, site.attrs.get("roundingmode", NEAREST))
    assert isinstance(result, Scalar)

    def run(core: Core, value: Lanes) -> Lanes:
        return narrowed(value, result.dtype, mode)

    return run


def _to_int(value: Lanes, dtype: DType, unsigned_result: bool) -> Lanes:
    """Toward zero, saturating, NaN to 0."""
    wide = value.cast(F64)
    cut = (wide < 0).select(-((-wide).floor()), wide.floor())
    bits = dtype.bits
    low = 0 if unsigned_result else -(1 << (bits - 1))
    high = (1 << bits) - 1 if unsigned_result else (1 << (bits - 1)) - 1
    over, under = cut >= float(high + 1), cut < float(low)
    inside = (over | under | cut.isnan()).select(cut.const(0), cut)
    whole = inside.cast(UI64 if unsigned_result else I64)
    number = over.select(whole.const(high), under.select(whole.const(low), whole))
    return number.cast(signed(bits)).bits(dtype) if dtype is not I1 else number.ne(0)


_SATURATE = (Evidence(_POISON, "chosen", "Saturates; NaN gives 0."),)


def _high_product(lhs: Lanes, rhs: Lanes) -> Lanes:
    """The upper half of an unsigned product, by halves of the operands."""
    half = lhs.dtype.bits // 2
    low = (1 << half) - 1
    a, b, c, d = lhs >> half, lhs & low, rhs >> half, rhs & low
    middle = a * d + ((b * d) >> half)
    cross = b * c + (middle & low)
    return a * c + (middle >> half) + (cross >> half)


def _extended_product(is_signed: bool) -> Callable[[Site], Run]:
    def run(core: Core, lhs: Lanes, rhs: Lanes) -> tuple[Lanes, Lanes]:
        a, b = lhs.as_unsigned(), rhs.as_unsigned()
        high = _high_product(a, b)
        if is_signed:
            high = high - (lhs < 0).select(b, b.const(0)) - (rhs < 0).select(a, a.const(0))
        return lhs * rhs, high.bits(lhs.dtype)

    return staged(run)


def _extended_sum(core: Core, lhs: Lanes, rhs: Lanes) -> tuple[Lanes, Lanes]:
    total = lhs + rhs
    return total, total.as_unsigned() < lhs.as_unsigned()


def _two_results(name: str, meaning: Callable[[Site], Run], second: Pattern, also: str) -> Record:
    operand = ScalarVar(_WIDE_INTS)
    return _record(
        name,
        meaning,
        (Operand("lhs", operand), Operand("rhs", operand)),
        (Operand("low", operand), Operand("high", second)),
        formula="the exact result in two parts",
        also=also,
    )


def _negate(core: Core, operand: Lanes) -> Lanes:
    return -operand


def _bitcast(value: Lanes, dtype: DType) -> Lanes:
    return value if value.dtype is I1 else value.bits(dtype)


constant = _record(
    "constant",
    _constant,
    (),
    (Operand("result", ScalarIn(SCALARS)),),
    formula="result = value",
    gives="constant",
    also="constant",
)
truncf = _record(
    "truncf",
    _truncf,
    (Operand("operand", ScalarIn(_FLOATS)),),
    (Operand("result", ScalarIn(_FLOATS)),),
    (Attr("roundingmode", get_args(FloatRounding), NEAREST, "which number near it"),),
    "narrower, rounded",
    resize=Resize("narrower"),
    also="ftof",
)
bitcast = _conversion(
    "bitcast", _bitcast, SCALARS, SCALARS, "the same bits", resize=Resize("as wide"), also="bitcast"
)
RECORDS = (
    constant,
    *_PLAIN,
    _comparison("cmpi", _cmpi, _INT_LIKE, _CMPI, "cmpi signed, cmpi unsigned"),
    _comparison("cmpf", _cmpf, _FLOATS, CMPF, "cmpf"),
    _record(
        "select",
        staged(_select),
        (Operand("condition", ScalarIn((I1,))), Operand("yes", _ANY), Operand("no", _ANY)),
        (Operand("result", _ANY),),
        formula="condition ? yes : no",
        gives="choice",
        also="select",
    ),
    _record(
        "negf",
        staged(_negate),
        (Operand("operand", ScalarVar(_FLOATS)),),
        (Operand("result", ScalarVar(_FLOATS)),),
        formula="-operand",
        also="negf",
    ),
    _two_results("addui_extended", staged(_extended_sum), ScalarIn((I1,)), "addui_extended"),
    _two_results(
        "mului_extended", _extended_product(False), ScalarVar(_WIDE_INTS), "mul_extended unsigned"
    ),
    _two_results(
        "mulsi_extended", _extended_product(True), ScalarVar(_WIDE_INTS), "mul_extended signed"
    ),
    _conversion(
        "index_cast",
        _sign_extend,
        _INT_LIKE,
        _INT_LIKE,
        "by sign",
        resize=Resize("index", "sign"),
        also="index_cast signed",
    ),
    _conversion(
        "index_castui",
        _zero_extend,
        _INT_LIKE,
        _INT_LIKE,
        "without sign",
        resize=Resize("index", "zeros"),
        also="index_cast unsigned",
    ),
    _conversion(
        "extsi",
        _sign_extend,
        _INTS,
        _INTS,
        "wider, by sign",
        resize=Resize("wider", "sign"),
        also="exti signed",
    ),
    _conversion(
        "extui",
        _zero_extend,
        _INTS,
        _INTS,
        "wider, with zeros",
        resize=Resize("wider", "zeros"),
        also="exti unsigned",
    ),
    _conversion(
        "trunci", _truncate, _INTS, _INTS, "the low bits", resize=Resize("narrower"), also="trunci"
    ),
    _conversion(
        "extf", _float_cast, _FLOATS, _FLOATS, "wider, exact", resize=Resize("wider"), also="ftof"
    ),
    truncf,
    _conversion(
        "sitofp", _sign_extend, _INTS, _FLOATS, "nearest, ties to even", also="itof signed"
    ),
    _conversion(
        "uitofp", _zero_extend, _INTS, _FLOATS, "nearest, ties to even", also="itof unsigned"
    ),
    _conversion(
        "fptosi",
        lambda v, d: _to_int(v, d, False),
        _FLOATS,
        _INTS,
        "toward zero",
        _SATURATE,
        also="ftoi signed",
    ),
    _conversion(
        "fptoui",
        lambda v, d: _to_int(v, d, True),
        _FLOATS,
        _INTS,
        "toward zero",
        _SATURATE,
        also="ftoi unsigned",
    ),
    bitcast,
)
