"""Functions of scalars."""

from __future__ import annotations

from collections.abc import Callable

from ptoscope.isa.core import Core
from ptoscope.isa.dtypes import BF16, F16, F32, I1, I8, I16, I32, I64, INDEX, DType
from ptoscope.isa.families import parameters, staged
from ptoscope.isa.functions import exp, fma, log
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.patterns import ScalarVar
from ptoscope.isa.power import power
from ptoscope.isa.record import Attr, Evidence, Form, Operand, Record, Run, Site, Types

GROUP = "scalar"
_ROUNDED = Evidence("rounding", "chosen", "Correctly rounded, as the functions of vectors are.")


def _function(
    name: str,
    body: Callable[..., Lanes],
    doc: str,
    formula: str,
    types: tuple[DType, ...] = (F32, F16),
    evidence: tuple[Evidence, ...] = (_ROUNDED,),
    syntax: str = "",
) -> Record:
    def run(core: Core, *values: Lanes) -> Lanes:
        return body(*values)

    operands = parameters(body)
    return Record(
        f"pto.{name}",
        GROUP,
        doc,
        (
            Form(
                tuple(Operand(operand, ScalarVar(types)) for operand in operands),
                (Operand("result", ScalarVar(types)),),
                syntax=syntax,
            ),
        ),
        staged(run),
        {"T": Types(types)},
        pipe="PIPE_S",
        where="anywhere",
        evidence=evidence,
        formula=f"result = {formula}",
        cpp=f"{name}({', '.join(operands)})",
    )


def _sqrt(x: Lanes) -> Lanes:
    return x.sqrt()


def _abs(x: Lanes) -> Lanes:
    return x.abs()


def _pow(base: Lanes, exponent: Lanes) -> Lanes:
    return power(base, exponent)


def _fma(lhs: Lanes, rhs: Lanes, acc: Lanes) -> Lanes:
    return fma(lhs, rhs, acc)


_INTS = (I32, I16, I8, I64, INDEX, I1)


def _absi(site: Site) -> Run:
    unsigned = site.attrs["signedness"] == "unsigned"

    def run(core: Core, x: Lanes) -> Lanes:
        # True is -1, the most negative number of one bit.
        return x if unsigned or x.dtype is I1 else x.abs()

    return run


absi = Record(
    "pto.absi",
    GROUP,
    "The absolute value of an integer.",
    (
        Form(
            (Operand("x", ScalarVar(_INTS)),),
            (Operand("result", ScalarVar(_INTS)),),
            (
                Attr(
                    "signedness",
                    ("signed", "unsigned"),
                    None,
                    "whether the number has a sign",
                    kind="signedness",
                ),
            ),
            syntax="x 'signedness' : result",
        ),
    ),
    _absi,
    {"T": Types(_INTS)},
    pipe="PIPE_S",
    where="anywhere",
    evidence=(
        Evidence("the most negative integer", "chosen", "Wraps to itself: it does not saturate."),
        Evidence("unsigned", "micro", "Unchanged."),
    ),
    formula="result = |x|",
    cpp="abs(x)",
)

RECORDS = (
    absi,
    _function("sqrt", _sqrt, "The square root of a scalar.", "the root of x"),
    _function("exp", exp, "The exponential of a scalar.", "e ** x"),
    _function("log", log, "The natural logarithm of a scalar.", "ln(x)"),
    _function(
        "pow",
        _pow,
        "The power of a scalar.",
        "base ** exponent",
        evidence=(
            Evidence(
                "rounding",
                "chosen",
                "Rounded once, from an evaluation with 67 bits, as the functions of vectors are: "
                "no document gives an error bound.",
            ),
            Evidence(
                "zeros, infinities, NaN",
                "chosen",
                "IEEE 754's pow: the page leaves them to the target. Any number to the 0 is 1, "
                "and 1 to any number; a negative number to one that is not whole is NaN.",
            ),
        ),
    ),
    _function(
        "fma",
        _fma,
        "The product of two scalars and their sum with a third.",
        "lhs * rhs + acc, rounded once",
        types=(F32, F16, BF16),
        evidence=(Evidence("rounding", "micro", "One, of the exact sum."),),
    ),
    _function(
        "absf",
        _abs,
        "The absolute value of a scalar.",
        "|x|",
        evidence=(Evidence("NaN", "micro", "Loses its sign, as every number does."),),
        syntax="x : result",
    ),
)
