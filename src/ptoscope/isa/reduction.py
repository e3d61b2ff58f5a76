"""Reductions over all lanes of a register."""

from __future__ import annotations

from ptoscope.isa.core import Core
from ptoscope.isa.cost import Cost
from ptoscope.isa.dtypes import (
    F16,
    F32,
    FLOATS,
    INT_ELEMENTS,
    INTS,
    INTS8,
    INTS16,
    INTS32,
    INTS64,
    DType,
    signed,
    unsigned,
    widened,
)
from ptoscope.isa.families import MASK
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.patterns import Vec, VecOf
from ptoscope.isa.record import (
    IN_MANUAL,
    IN_MICRO,
    Constraint,
    Evidence,
    Form,
    Operand,
    Record,
    Run,
    Site,
    Types,
    When,
)
from ptoscope.isa.types import VReg

GROUP = "reduction"
_INPUT = Operand("input", Vec(), "the source vector")


def halves(count: int) -> list[int]:
    """Half of a count, half of that, and so on to 1."""
    steps: list[int] = []
    while count > 1:
        count //= 2
        steps.append(count)
    return steps


def upper(value: Lanes, step: int) -> Lanes:
    """Lane i is lane i + step."""
    return value.shuffle(tuple(i + step if i < step else -1 for i in range(value.count)))


def _first(value: Lanes) -> Lanes:
    """Lane 0, the others zero."""
    return value.shuffle((0,) + (-1,) * (value.count - 1))


def _sum(site: Site) -> Run:
    result = site.results[0]
    assert isinstance(result, VReg)

    def run(core: Core, input: Lanes, mask: Lanes) -> Lanes:
        total = input.masked(mask.gate(input.count)).cast(result.dtype)
        for step in halves(total.count):
            total = total + upper(total, step)
        # From +0, as the loop starts: a sum of negative zeros is +0.
        total = total + 0
        return total.shuffle((0,) + (-1,) * (result.lanes - 1))

    return run


def _not_widened(site: Site) -> str:
    """A sum of narrow integers in their own type, which revision micro does not have."""
    source, result = site.operands[0], site.results[0]
    assert isinstance(source, VReg)
    narrow = source == result and widened(source.dtype) is not source.dtype
    return str(result) if narrow and site.micro else ""


_SUM = Operand(
    "result",
    VecOf("T", widened, "wide T", or_same=True),
    "the sum in lane 0, zeros elsewhere",
)
vcadd = Record(
    "pto.vcadd",
    GROUP,
    "Sums all active lanes into lane 0; narrow integers widen.",
    (
        Form(
            (_INPUT, MASK),
            (_SUM,),
        ),
    ),
    _sum,
    {"T": Types((F32, F16, *INTS, *INTS64), micro=(F32, F16, *INTS))},
    cost=Cost(like_a2a3="vadd"),
    evidence=(
        Evidence(
            "order of a float sum",
            "chosen",
            "A tree of halves, lane i with lane i + n/2, rounded after each step: fixed, fast on "
            "every host and at least as accurate as the loop's order.",
            when=When(elements=FLOATS),
        ),
        Evidence(
            "widening",
            "micro",
            "i8 to i16, i16 to i32, with the sign of the input.",
            when=When(elements=INTS8 + INTS16),
        ),
        Evidence(
            "sums in the type of the input",
            "manual",
            "vcadd.md: a narrow sum is returned in the declared type. So it is that of the input, "
            "where the sum wraps, or the wider one; in revision micro the wider one alone.",
            when=When("manual", elements=INTS8 + INTS16),
        ),
        Evidence(
            "64 bits",
            "manual",
            "vcadd.md: i16 to i64; sums wrap. The micro specification ends at 32 bits.",
            when=When("manual", elements=INTS64),
        ),
        Evidence("no active lane", "micro", "Zero."),
    ),
    constraints=(
        Constraint(
            "in revision micro narrow integers widen",
            _not_widened,
            "declare a result of elements twice as wide",
        ),
    ),
    formula="result[0] = sum of input[i] where mask[i]; the other lanes 0",
    cpp="vcadd(dst, src, mask)",
)


def _extreme(highest: bool, name: str, doc: str) -> Record:
    def meaning(site: Site) -> Run:
        def run(core: Core, input: Lanes, mask: Lanes) -> Lanes:
            lowest = input.const(worst(input.dtype, highest))
            active = mask.gate(input.count)
            taking_part = active & ~input.isnan() if input.dtype.is_float else active
            best = taking_part.select(input, lowest)
            index = core.iota(unsigned(input.dtype.bits), input.count)
            for step in halves(input.count):
                other, other_index = upper(best, step), upper(index, step)
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
        cost=Cost(like_a2a3="vmax" if highest else "vmin"),
        evidence=(
            Evidence("index", "suite", "Lane 1 holds it as integer bits, of floats too."),
            Evidence("ties", "micro", "The lowest index."),
            Evidence(
                "inactive lanes",
                "micro",
                f"Count as {sign}infinity or the worst integer.",
                about="mask",
            ),
            Evidence(
                "NaN",
                "micro",
                "The loop's comparison fails, so it is passed over.",
                when=When(elements=FLOATS),
            ),
        ),
        formula="result[0] = the value; result[1] = its first index; the other lanes 0",
        cpp=f"{name}(dst, src, mask)",
    )


def worst(element: DType, highest: bool) -> int | float:
    """What every number is at least as high as, or as low."""
    if element.is_float:
        return float("-inf") if highest else float("inf")
    if element.signed:
        limit = 1 << (element.bits - 1)
        return -limit if highest else limit - 1
    return 0 if highest else (1 << element.bits) - 1


def wins_tie(value: Lanes, highest: bool) -> Lanes:
    """Where a float wins against an equal one: of two zeros +0 is the higher."""
    raw = value.bits(signed(value.dtype.bits))
    return raw >= 0 if highest else raw < 0


GROUPS = 8
_GROUP_RESULT = Operand("result", Vec(), "one value per 32-byte group in lanes 0 to 7, then zeros")
_GROUP_TYPES = {"T": Types((F32, F16, *INTS16, *INTS32))}


_PLACE = Evidence(
    "place of the results",
    "suite",
    "Lanes 0 to 7, as both the older and the newer edition say; one between them spread them.",
)


def _front(value: Lanes) -> Lanes:
    """The first lane of each group, moved to the front; the rest zero."""
    step = value.count // GROUPS
    return value.shuffle(tuple(i * step if i < GROUPS else -1 for i in range(value.count)))


def _inside(value: Lanes, step: int) -> Lanes:
    """Lane i is lane i + step of the same group."""
    size = value.count // GROUPS
    return value.shuffle(tuple(i + step if i % size < step else -1 for i in range(value.count)))


def _neighbour(value: Lanes, step: int) -> Lanes:
    """Lane i is lane i + step, of the lanes that lead a run of two steps."""
    leads = 2 * step
    return value.shuffle(tuple(-1 if i % leads else i + step for i in range(value.count)))


def _group_sum(site: Site) -> Run:
    def run(core: Core, input: Lanes, mask: Lanes) -> Lanes:
        total = input.masked(mask.gate(input.count))
        if site.micro:
            total = total.cast(widened(input.dtype))
        for step in halves(total.count // GROUPS):
            total = total + _inside(total, step)
        # As many as fill the register with sums, which may be wider than what they are of.
        sums = _front(total + 0).shuffle(tuple(range(total.dtype.lanes)))
        return sums.bits(input.dtype)

    return run


vcgadd = Record(
    "pto.vcgadd",
    GROUP,
    "Sums the active lanes of each 32-byte group.",
    (Form((_INPUT, MASK), (_GROUP_RESULT,)),),
    _group_sum,
    _GROUP_TYPES,
    cost=Cost(like="vcgmax", like_a2a3="vadd"),
    evidence=(
        Evidence(
            "order of a float sum",
            "chosen",
            "A tree of halves, as vcadd.",
            when=When(elements=FLOATS),
        ),
        Evidence(
            "integers",
            "chosen",
            "The type stays and sums wrap, as an older edition of the micro specification says.",
            when=When("manual", elements=INT_ELEMENTS),
        ),
        Evidence(
            "integers (revision micro)",
            "micro",
            "Newer pages: sums of 16 bits have 32, whose halves fill the first 16 lanes. Its older "
            "edition wraps them in lanes 0 to 7; the suite sums floats.",
            when=When("micro", elements=INTS16),
        ),
        _PLACE,
        Evidence("inactive lanes", "micro", "Count as zero.", about="mask"),
    ),
    formula="result[g] = sum of input[g*K + i] where active, g < 8; the other lanes 0",
    micro_formula="the same; of 16-bit integers, 32-bit sums in the register seen as 64 lanes",
    cpp="vcgadd(dst, src, mask)",
)


def _group_extreme(highest: bool, name: str, doc: str) -> Record:
    def meaning(site: Site) -> Run:
        def run(core: Core, input: Lanes, mask: Lanes) -> Lanes:
            lowest = input.const(worst(input.dtype, highest))
            active = mask.gate(input.count)
            taking_part = active & ~input.isnan() if input.dtype.is_float else active
            best = taking_part.select(input, lowest)
            # Neighbours first: the lower lane stays where both are equal (+0 and -0 are), so
            # that the first of equals wins, as in the loop.
            for step in reversed(halves(best.count // GROUPS)):
                other = _neighbour(best, step)
                better = other > best if highest else other < best
                if site.micro and input.dtype.is_float:
                    better = better | (other.eq(best) & wins_tie(other, highest))
                best = better.select(other, best)
            return _front(best)

        return run

    sign = "-" if highest else "+"
    return Record(
        f"pto.{name}",
        GROUP,
        doc,
        (Form((_INPUT, MASK), (_GROUP_RESULT,)),),
        meaning,
        _GROUP_TYPES,
        cost=Cost(like="" if highest else "vcgmax", like_a2a3="vmax" if highest else "vmin"),
        evidence=(
            Evidence(
                "inactive lanes",
                "chosen",
                f"Count as {sign}infinity, as in vcmax and vcmin.",
                about="mask",
            ),
            _PLACE,
            Evidence(
                "zeros of both signs",
                "chosen",
                "The first of equals stays, as in the loop.",
                when=When("manual", elements=FLOATS),
            ),
            Evidence(
                "zeros of both signs (revision micro)",
                "micro",
                "Newer pages: +0 is the higher. The loop of the older edition keeps the first.",
                when=When("micro", elements=FLOATS),
            ),
            Evidence(
                "NaN",
                "micro",
                "The loop's comparison fails, so it is passed over.",
                when=When(elements=FLOATS),
            ),
        ),
        formula="result[g] = the extreme of input[g*K + i] where active; the other lanes 0",
        micro_formula="the same; of two zeros +0 is the higher",
        cpp=f"{name}(dst, src, mask)",
    )


def _prefix(site: Site) -> Run:
    def run_pairs(core: Core, input: Lanes, mask: Lanes) -> Lanes:
        value = input.masked(mask.gate(input.count))
        n = value.count
        even = value.shuffle(tuple(range(0, n, 2)) + (-1,) * (n // 2))
        odd = value.shuffle(tuple(range(1, n, 2)) + (-1,) * (n // 2))
        return even + odd

    def run_prefix(core: Core, input: Lanes, mask: Lanes) -> Lanes:
        n = input.count
        value = input.masked(mask.gate(n))
        result = value.const(0)
        running = value.const(0)
        # Lane by lane: a float sum in another order would round differently.
        for lane in range(n):
            running = running + value.shuffle((lane,) * n)
            here = tuple(lane == i for i in range(n))
            result = core.mask(here).gate(n).select(running, result)
        return result

    return run_pairs if site.micro else run_prefix


vcpadd = Record(
    "pto.vcpadd",
    GROUP,
    "Prefix sums; in revision micro sums of pairs.",
    (Form((_INPUT, MASK), (Operand("result", Vec()),)),),
    _prefix,
    {"T": Types((F32, F16))},
    cost=Cost(like="vcgmax", like_a2a3="vadd"),
    evidence=(
        Evidence(
            "meaning",
            "chosen",
            "A scan in lane order, as the manual's later edition says.",
            when=IN_MANUAL,
        ),
        Evidence(
            "meaning (revision micro)",
            "suite",
            "result[i] = input[2i] + input[2i + 1] in the lower half, zeros above.",
            when=IN_MICRO,
        ),
        Evidence(
            "inactive lanes",
            "chosen",
            "Add nothing; their result is the sum so far.",
            when=IN_MANUAL,
            about="mask",
        ),
    ),
    formula="result[i] = sum of input[j] where active, j <= i",
    micro_formula="result[i] = input[2i] + input[2i + 1] where active, i < N/2; above 0",
    cpp="vcpadd(dst, src, mask)",
)

RECORDS = (
    vcadd,
    _extreme(True, "vcmax", "Finds the highest active lane and its index."),
    _extreme(False, "vcmin", "Finds the lowest active lane and its index."),
    vcgadd,
    _group_extreme(True, "vcgmax", "Finds the highest active lane of each 32-byte group."),
    _group_extreme(False, "vcgmin", "Finds the lowest active lane of each 32-byte group."),
    vcpadd,
)
