"""Reductions over all lanes of a register."""

from __future__ import annotations

from ptoscope.isa.core import Core
from ptoscope.isa.dtypes import F16, F32, INTS, INTS16, INTS32, DType, unsigned
from ptoscope.isa.families import MASK
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.patterns import Vec, WideVec
from ptoscope.isa.record import Evidence, Form, Operand, Record, Run, Site, Types
from ptoscope.isa.types import VReg

GROUP = "reduction"
_INPUT = Operand("input", Vec(), "the source vector")


def _halves(count: int) -> list[int]:
    steps: list[int] = []
    while count > 1:
        count //= 2
        steps.append(count)
    return steps


def _upper(value: Lanes, step: int) -> Lanes:
    """Lane i is lane i + step."""
    return value.shuffle(tuple(i + step if i < step else -1 for i in range(value.count)))


def _first(value: Lanes) -> Lanes:
    """Lane 0, the others zero."""
    return value.shuffle((0,) + (-1,) * (value.count - 1))


def _sum(site: Site) -> Run:
    result = site.results[0]
    assert isinstance(result, VReg)

    def run(core: Core, input: Lanes, mask: Lanes) -> Lanes:
        total = input.masked(mask).cast(result.dtype)
        for step in _halves(total.count):
            total = total + _upper(total, step)
        # From +0, as the loop starts: a sum of negative zeros is +0.
        total = total + 0
        return total.shuffle((0,) + (-1,) * (result.lanes - 1))

    return run


vcadd = Record(
    "pto.vcadd",
    GROUP,
    "Sums all active lanes into lane 0; narrow integers widen.",
    (Form((_INPUT, MASK), (Operand("result", WideVec(), "the sum in lane 0, zeros elsewhere"),)),),
    _sum,
    {"T": Types((F32, F16, *INTS))},
    evidence=(
        Evidence(
            "order of a float sum",
            "chosen",
            "A tree of halves, lane i with lane i + n/2, rounded after each step: fixed, fast on "
            "every host and at least as accurate as the loop's order.",
        ),
        Evidence("widening", "micro", "i8 to i16, i16 to i32, with the sign of the input."),
        Evidence("no active lane", "micro", "Zero."),
    ),
    formula="result[0] = sum of input[i] where mask[i]; the other lanes 0",
    cpp="vcadd(dst, src, mask)",
)


def _extreme(highest: bool, name: str, doc: str) -> Record:
    def meaning(site: Site) -> Run:
        def run(core: Core, input: Lanes, mask: Lanes) -> Lanes:
            worst = input.const(_worst(input.dtype, highest))
            taking_part = mask & ~input.isnan() if input.dtype.is_float else mask
            best = taking_part.select(input, worst)
            index = core.iota(unsigned(input.dtype.bits), input.count)
            for step in _halves(input.count):
                other, other_index = _upper(best, step), _upper(index, step)
                better = other > best if highest else other < best
                better = better | (other.eq(best) & (other_index < index))
                best = better.select(other, best)
                index = better.select(other_index, index)
            second = index.shuffle((-1, 0) + (-1,) * (index.count - 2)).bits(input.dtype)
            return _first(best) | second

        return run

    sign = "-" if highest else "+"
    return Record(
        f"pto.{name}",
        GROUP,
        doc,
        (Form((_INPUT, MASK), (Operand("result", Vec(), "value, index, zeros"),)),),
        meaning,
        {"T": Types((F32, F16, *INTS16, *INTS32))},
        evidence=(
            Evidence("index", "suite", "Lane 1 holds it as integer bits, of floats too."),
            Evidence("ties", "micro", "The lowest index."),
            Evidence("inactive lanes", "micro", f"Count as {sign}infinity or the worst integer."),
            Evidence("NaN", "micro", "The loop's comparison fails, so it is passed over."),
        ),
        formula="result[0] = the value; result[1] = its first index; the other lanes 0",
        cpp=f"{name}(dst, src, mask)",
    )


def _worst(element: DType, highest: bool) -> int | float:
    if element.is_float:
        return float("-inf") if highest else float("inf")
    if element.signed:
        limit = 1 << (element.bits - 1)
        return -limit if highest else limit - 1
    return 0 if highest else (1 << element.bits) - 1


RECORDS = (
    vcadd,
    _extreme(True, "vcmax", "Finds the highest active lane and its index."),
    _extreme(False, "vcmin", "Finds the lowest active lane and its index."),
)
