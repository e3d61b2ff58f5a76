"""Functions of floating-point scalars."""

from __future__ import annotations

from collections.abc import Callable

from ptoscope.isa.core import Core
from ptoscope.isa.dtypes import F16, F32, DType
from ptoscope.isa.families import parameters, staged
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.patterns import ScalarVar
from ptoscope.isa.record import Evidence, Form, Operand, Record, Types

GROUP = "scalar"
_ROUNDED = Evidence("rounding", "chosen", "Correctly rounded, as the functions of vectors are.")


def _function(
    name: str,
    body: Callable[..., Lanes],
    doc: str,
    formula: str,
    types: tuple[DType, ...] = (F32, F16),
    evidence: Evidence = _ROUNDED,
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
        evidence=(evidence,),
        formula=f"result = {formula}",
        cpp=f"{name}({', '.join(operands)})",
    )


def _sqrt(x: Lanes) -> Lanes:
    return x.sqrt()


def _abs(x: Lanes) -> Lanes:
    return x.abs()


RECORDS = (
    _function("sqrt", _sqrt, "The square root of a scalar.", "the root of x"),
    _function(
        "absf",
        _abs,
        "The absolute value of a scalar.",
        "|x|",
        evidence=Evidence("NaN", "micro", "Loses its sign, as every number does."),
        syntax="x : result",
    ),
)
