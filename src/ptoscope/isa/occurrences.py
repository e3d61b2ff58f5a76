"""Where values occur, and how often: extremes with their places, and histograms."""

from __future__ import annotations

from ptoscope.isa.core import Core
from ptoscope.isa.cost import Cost
from ptoscope.isa.dtypes import F16, F32, FLOATS, I32, INTS, UI8, UI16
from ptoscope.isa.families import MASK
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.patterns import MaskBits, MaskFor, ScalarIn, Vec, VecIn
from ptoscope.isa.record import Evidence, Form, Operand, Record, Run, Site, Types, When
from ptoscope.isa.reduction import GROUP, halves, upper, wins_tie, worst
from ptoscope.isa.targets import TargetName

_A5: tuple[TargetName, ...] = ("cpu", "a5")
_OUT_OF_RANGE = "PTO0910"


def _places(highest: bool, name: str, doc: str) -> Record:
    def meaning(site: Site) -> Run:
        def run(core: Core, input: Lanes, mask: Lanes) -> tuple[Lanes, Lanes]:
            active = mask.gate(input.count)
            is_float = input.dtype.is_float
            taking_part = active & ~input.isnan() if is_float else active
            best = taking_part.select(input, input.const(worst(input.dtype, highest)))
            for step in halves(best.count):
                other = upper(best, step)
                better = other > best if highest else other < best
                if is_float:
                    better = better | (other.eq(best) & wins_tie(other, highest))
                best = better.select(other, best)
            everywhere = best.shuffle((0,) * best.count)
            value = best.shuffle((0,) + (-1,) * (best.count - 1))
            return value, (active & input.eq(everywhere)).image()

        return run

    sign = "-" if highest else "+"
    return Record(
        f"pto.{name}",
        GROUP,
        doc,
        (
            Form(
                (Operand("input", Vec(), "the source vector"), MASK),
                (
                    Operand("value", Vec(), "the value in lane 0, zeros elsewhere"),
                    Operand("predicate", MaskFor(), "the active lanes that have it"),
                ),
            ),
        ),
        meaning,
        {"T": Types((F32, F16, *INTS))},
        targets=_A5,
        cost=Cost(like="vcmax" if highest else "vcmin"),
        evidence=(
            Evidence("places", "micro", "All of them; both zeros match a zero."),
            Evidence(
                "inactive lanes",
                "micro",
                f"Count as {sign}infinity or the worst integer, and never match.",
                about="mask",
            ),
            Evidence(
                "zeros of both signs",
                "chosen",
                "+0 is the higher, as newer pages say of vcgmax and vcgmin.",
                when=When(elements=FLOATS),
            ),
            Evidence(
                "NaN",
                "chosen",
                "Passed over, as in vcmax and vcmin.",
                when=When(elements=FLOATS),
            ),
        ),
        formula="value[0] = the extreme; predicate[i] = mask[i] && input[i] == value[0]",
        cpp=f"{name}(dst, predicate, src, mask)",
    )


_BINS = 128
_HISTOGRAM = Operand("acc", VecIn((UI16,)), "the counts so far")
_SAMPLES = Operand("source", VecIn((UI8,)), "256 samples")
_NEVER = 1 << 15
"""What no bin counts."""


def _histogram(cumulative: bool, name: str, doc: str, formula: str) -> Record:
    def meaning(site: Site) -> Run:
        def run(core: Core, acc: Lanes, source: Lanes, mask: Lanes, bin: Lanes) -> Lanes:
            message = "bin has to be 0 or 1"
            core.refuse(site, bin.as_unsigned() > 1, _OUT_OF_RANGE, message, bin, "0 or 1")
            wide = source.cast(UI16)
            samples = mask.gate(source.count).select(wide, wide.const(_NEVER))
            first = (bin.cast(UI16) * _BINS).splat(_BINS)
            bins = core.iota(UI16, _BINS) + first
            for lane in range(samples.count):
                sample = samples.shuffle((lane,) * _BINS)
                counted = sample <= bins if cumulative else sample.eq(bins)
                acc = acc + counted.cast(UI16)
            return acc

        return run

    return Record(
        f"pto.{name}",
        GROUP,
        doc,
        (
            Form(
                (
                    _HISTOGRAM,
                    _SAMPLES,
                    Operand("mask", MaskBits(8), "which samples count"),
                    Operand("bin", ScalarIn((I32,)), "0 for samples below 128, 1 for the others"),
                ),
                (Operand("result", VecIn((UI16,)), "a count for each of 128 values"),),
            ),
        ),
        meaning,
        targets=_A5,
        cost=Cost(like="vcmax"),
        evidence=(
            Evidence("bins", "micro", "128 of 256: the lower or the upper half, as bin says."),
            Evidence(
                "counts",
                "micro",
                "Added to those so far"
                + (
                    "; all samples up to a value, also those of the lower half."
                    if cumulative
                    else "."
                ),
            ),
            Evidence("a count that does not fit", "chosen", "Wraps, as sums do."),
            Evidence("another bin", "chosen", "A fault: nobody says what it would count."),
        ),
        formula=formula,
        cpp=f"{name}(dst, src, mask, bin)",
    )


RECORDS = (
    _places(True, "vcbmax", "Finds the highest active lane and all lanes that have it."),
    _places(False, "vcbmin", "Finds the lowest active lane and all lanes that have it."),
    _histogram(
        True,
        "chistv2",
        "Counts the active samples up to each value.",
        "result[b] = acc[b] + number of i with mask[i] && source[i] <= 128 * bin + b",
    ),
    _histogram(
        False,
        "dhistv2",
        "Counts the active samples of each value.",
        "result[b] = acc[b] + number of i with mask[i] && source[i] == 128 * bin + b",
    ),
)
