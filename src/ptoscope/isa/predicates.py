"""Predicates from patterns and counts: pset, pge and plt for each granularity."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ptoscope.isa.core import Core
from ptoscope.isa.cost import predicate
from ptoscope.isa.dtypes import I32
from ptoscope.isa.lanes import Lanes
from ptoscope.isa.patterns import MaskBits, ScalarIn
from ptoscope.isa.record import Attr, Evidence, Form, Operand, Record, Run, Site, When
from ptoscope.isa.roles import Gives
from ptoscope.isa.types import GRANULARITIES, Mask

_MADE = predicate(6, "as pset and plt")
GROUP = "predicates"
_VL = (1, 2, 3, 4, 8, 16, 32, 64, 128)
PATTERNS = (
    "PAT_ALL",
    "PAT_ALLF",
    "PAT_H",
    "PAT_Q",
    *(f"PAT_VL{n}" for n in _VL),
    "PAT_M3",
    "PAT_M4",
)


def is_pattern(pattern: object) -> bool:
    """Returns True if it is the name of a pattern."""
    return isinstance(pattern, str) and _PATTERN.allows(pattern)


def pattern_lane(pattern: str, lane: int, lanes: int) -> bool:
    """Whether a pattern activates a lane."""
    if pattern.startswith("PAT_VL"):
        return lane < int(pattern.removeprefix("PAT_VL"))
    rules: dict[str, Callable[[], bool]] = {
        "PAT_ALL": lambda: True,
        "PAT_ALLF": lambda: False,
        "PAT_H": lambda: lane < lanes // 2,
        "PAT_Q": lambda: lane < lanes // 4,
        "PAT_M3": lambda: lane % 3 == 0,
        "PAT_M4": lambda: lane % 4 == 0,
    }
    return rules[pattern]()


def is_prefix(pattern: str) -> bool:
    """Whether a pattern activates the first lanes and no others."""
    active = [pattern_lane(pattern, lane, 64) for lane in range(64)]
    return active == sorted(active, reverse=True)


def pattern_maker(bits: int, table: Mapping[str, Record]) -> Record | None:
    """The instruction of a table that makes a mask of a granularity from a pattern."""
    for record in table.values():
        if record.gives == "pattern" and record.forms[0].results[0].type == MaskBits(bits):
            return record
    return None


def of_granularity(name: str, bits: int) -> str:
    """The name of the same instruction for masks of another granularity."""
    return f"{name.rpartition('_b')[0]}_b{bits}"


def _from_pattern(bits: int) -> Callable[[Site], Run]:
    def meaning(site: Site) -> Run:
        count = Mask(bits).lanes
        pattern = str(site.attrs["pattern"])
        active = tuple(pattern_lane(pattern, lane, count) for lane in range(count))

        def run(core: Core) -> Lanes:
            return core.mask(active)

        return run

    return meaning


def _from_count(bits: int) -> Callable[[Site], Run]:
    def meaning(site: Site) -> Run:
        count = Mask(bits).lanes

        def run(core: Core, scalar: Lanes) -> tuple[Lanes, Lanes]:
            enough = scalar >= count
            rest = enough.select(scalar - count, scalar.const(0))
            return core.first_lanes(scalar, count), rest

        return run

    return meaning


_PATTERN = Attr(
    "pattern", PATTERNS, None, "which lanes are active", low=1, high=128, numbered="PAT_VL"
)
_PATTERN_EVIDENCE = (
    Evidence(
        "PAT_VLn",
        "manual",
        "Every n from 1 to 128: the manual's list is a range (pset-b32.md and the family's page), "
        "and examples have PAT_VL12. The micro specification has the range and lists nine of them.",
    ),
    Evidence(
        "PAT_H, PAT_Q",
        "suite",
        "The lowest half and quarter of the lanes.",
        when=When(attrs={"pattern": ("PAT_H", "PAT_Q")}),
    ),
    Evidence(
        "PAT_M3, PAT_M4",
        "suite",
        "Every third and fourth lane, from lane 0.",
        when=When(attrs={"pattern": ("PAT_M3", "PAT_M4")}),
    ),
)


def _beyond(bits: int) -> Evidence:
    more = tuple(f"PAT_VL{n}" for n in _VL if n > Mask(bits).lanes)
    return Evidence(
        "PAT_VLn beyond the lanes",
        "chosen",
        "All lanes: there are no more.",
        when=When(attrs={"pattern": more}),
    )


def _pattern_record(name: str, bits: int, doc: str, gives: Gives) -> Record:
    return Record(
        f"pto.{name}_b{bits}",
        GROUP,
        doc,
        (
            Form(
                results=(Operand("result", MaskBits(bits)),),
                attrs=(_PATTERN,),
                syntax='"pattern" : result',
            ),
        ),
        _from_pattern(bits),
        gives=gives,
        cost=_MADE,
        evidence=(*_PATTERN_EVIDENCE, _beyond(bits)),
        formula="result[i] = pattern activates lane i",
        cpp=f"{name}_b{bits}(pattern)",
    )


_POST_UPDATE = Attr(
    "post_update", (), 1, "the only form there is: it counts off", low=1, high=1, is_flag=True
)


def _count_record(bits: int) -> Record:
    return Record(
        f"pto.plt_b{bits}",
        GROUP,
        f"Activates the first `scalar` of {Mask(bits).lanes} lanes and counts them off.",
        (
            Form(
                (Operand("scalar", ScalarIn((I32,)), "how many lanes remain"),),
                (
                    Operand("mask", MaskBits(bits), "the tail mask"),
                    Operand("rest", ScalarIn((I32,)), "what remains after these lanes"),
                ),
                (_POST_UPDATE,),
                syntax="scalar {post_update} : scalar -> mask, rest",
            ),
        ),
        _from_count(bits),
        gives="first lanes",
        cost=_MADE,
        evidence=(
            Evidence("a negative count", "chosen", "Signed, as the loop's comparison: no lane."),
            Evidence("post_update", "manual", "Its pages write the word, others leave it out."),
        ),
        formula=f"mask[i] = i < scalar; rest = max(scalar - {Mask(bits).lanes}, 0)",
        cpp=f"plt_b{bits}(count, POST_UPDATE)",
    )


RECORDS = (
    *(
        _pattern_record("pset", b, "Makes a predicate from a pattern.", "pattern")
        for b in GRANULARITIES
    ),
    *(
        _pattern_record("pge", b, "Makes a predicate from a lane-count pattern.", "tail pattern")
        for b in GRANULARITIES
    ),
    *(_count_record(b) for b in GRANULARITIES),
)
