"""Other ways to write one operation: its level, its name, its operands."""

from __future__ import annotations

from ptoscope import ir
from ptoscope.isa import TABLE
from ptoscope.isa.scalar import castptr
from ptoscope.isa.types import Ptr
from tests.fuzz.spelling.facts import Facts, Line, names
from tests.fuzz.spelling.record import LineSpelling

_LOCATIONS = (
    'loc("k.py":3:1)',
    "loc(unknown)",
    "loc(#loc)",
    'loc(callsite("f" at #loc1))',
    'loc(fused<"of">["a", #loc])',
    'loc("k.py":1:2 to :5)',
)
_ROUNDINGS = {
    "to_nearest_even": "r",
    "downward": "f",
    "upward": "c",
    "toward_zero": "z",
    "to_nearest_away": "a",
}
LOCATION_ALIASES = ('#loc = loc("k.py":3:1)', "#loc1 = loc(unknown)")
"""What texts with locations end with."""


def _written(level: ir.Level, generic: bool = False):
    def rewrite(facts: Facts, line: Line, at: int) -> str | None:
        code = facts.level(level, generic)[at]
        return None if facts.implied.intersection(names(code)) else code

    return rewrite


def _scalar_name(facts: Facts, line: Line, at: int) -> str | None:
    """Another name of an operation: `arith.divsi %a, %b : T` is `pto.divi %a, %b signed : T`."""
    left, name, rest = line.parts()
    record = TABLE.get(name)
    # A negation has one operand less.
    aliases = [a for a in record.aliases if a != "pto.negi"] if record else []
    if not aliases:
        return None
    operands, colon, types = rest.partition(" : ")
    if name == "arith.cmpi":
        predicate, _, operands = operands.strip().partition(", ")
        signs = {"s": "signed", "u": "unsigned"}
        sign = signs.get(predicate[0] if len(predicate) == 3 else "")
        aliases = [a for a in aliases if sign in (None, a.split(" ")[1])]
        operands = f" {predicate[-2:]} {operands}"
    elif name == "arith.cmpf":
        predicate, _, operands = operands.strip().partition(", ")
        short = predicate[1:] if predicate[0] == "o" and predicate != "ord" else predicate
        operands = f" {facts.rng.choice((short, predicate))} {operands}"
    elif name == "arith.truncf" and (written := operands.split())[-1] in _ROUNDINGS:
        operands = f" {written[0]} round({_ROUNDINGS[written[-1]]})"
    alias, _, words = facts.rng.choice(aliases).partition(" ")
    operands += f" {words}" if words else ""
    return f"{left} = ".lstrip(" =") + f"{alias}{operands}{colon}{types.replace(' to ', ' -> ')}"


def _generic_scalar_name(facts: Facts, line: Line, at: int) -> str | None:
    """The same in generic form, its words as attributes."""
    custom = _scalar_name(facts, line, at)
    if custom is None or line.parts()[1] == "arith.constant":
        return None
    code = facts.level("ssa", True)[at]
    if facts.implied.intersection(names(code)):
        return None
    entries: list[str] = []
    head, _, _ = Line("", custom).parts()[2].partition(" : ")
    alias = Line("", custom).parts()[1]
    for word in head.replace(",", " ").split():
        if word in ("signed", "unsigned"):
            entries.append(f"signedness = #pto<signedness {word}>")
        elif word.startswith("round("):
            entries.append(f"roundingmode = {list(_ROUNDINGS.values()).index(word[6])} : i32")
        elif alias.startswith("pto.cmp") and not word.startswith("%"):
            entries.append(f"predicate = #pto.scalar_cmp_predicate<{word}>")
    left, _, rest = code.partition(f'"{line.parts()[1]}"')
    operands, _, types = rest.partition(")")
    properties = f" <{{{', '.join(entries)}}}>" if entries else ""
    return f'{left}"{alias}"{operands}){properties}{types[types.rindex(" : ") :]}'


def _view(facts: Facts, line: Line, at: int) -> str | None:
    left, name, rest = line.parts()
    if name == castptr.name:
        operand, _, types = rest.partition(" : ")
        if not isinstance(facts.types.get(operand.strip()), Ptr) or not types.endswith(">"):
            return None
        rest = rest.replace(" -> ", " to ")
    elif name != "arith.bitcast":
        return None
    return f"{left} = builtin.unrealized_conversion_cast{rest}"


def _labelled(facts: Facts, line: Line, at: int) -> str | None:
    """Only what has no results on its left has a label."""
    if line.code[:1] in '%"':
        return None
    return f"line_{at}: {line.code}"


def _located(facts: Facts, line: Line, at: int) -> str | None:
    return f"{line.code} {facts.rng.choice(_LOCATIONS)}"


WAYS: tuple[LineSpelling, ...] = (
    LineSpelling(
        "destination form",
        "pto.vabs ins(%v, %m : !pto.vreg<64xf32>, !pto.mask<b32>) outs(%r : !pto.vreg<64xf32>)",
        "%r = pto.vabs %v, %m : !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>",
        "pto.vabs ins(%v, %m : !pto.vreg<64xf32>) outs(%r : !pto.vreg<64xf32>)",
        "PTO0008",
        _written("dps"),
    ),
    LineSpelling(
        "assembly form",
        "vabs %r, %v, %m",
        "%r = pto.vabs %v, %m : !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>",
        "vabs %r, %v, %m : !pto.vreg<64xi32>",
        "PTO0009",
        _written("asm"),
    ),
    LineSpelling(
        "generic form",
        '%r = "pto.vabs"(%v, %m) : (!pto.vreg<64xf32>, !pto.mask<b32>) -> !pto.vreg<64xf32>',
        "%r = pto.vabs %v, %m : !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>",
        '%r = "pto.vabs"(%v) : (!pto.vreg<64xf32>) -> !pto.vreg<64xf32>',
        "PTO0008",
        _written("ssa", generic=True),
    ),
    LineSpelling(
        "scalar operations of pto",
        "%r = pto.divi %n, %n unsigned : i64",
        "%r = arith.divui %n, %n : i64",
        "%r = pto.divi %n, %n : i64",
        "PTO0001",
        _scalar_name,
    ),
    LineSpelling(
        "scalar operations of pto in generic form",
        '%r = "pto.cmpi"(%n, %n) <{predicate = #pto<scalar_cmp_predicate gt>, '
        "signedness = #pto<signedness unsigned>}> : (i64, i64) -> i1",
        "%r = arith.cmpi ugt, %n, %n : i64",
        '%r = "pto.divi"(%n, %n) : (i64, i64) -> i64',
        "PTO0001",
        _generic_scalar_name,
    ),
    LineSpelling(
        "casts between views",
        "%r = builtin.unrealized_conversion_cast %p : !pto.ptr<f32, ub> to !pto.ptr<i8, ub>",
        "%r = pto.castptr %p : !pto.ptr<f32, ub> -> !pto.ptr<i8, ub>",
        "%r = builtin.unrealized_conversion_cast %p : !pto.ptr<f32, ub> to !pto.mask<b32>",
        "PTO0009",
        _view,
    ),
)
"""Of these an operation is written in one."""

ADDITIONS: tuple[LineSpelling, ...] = (
    LineSpelling(
        "labels",
        "first: vabs %r, %v, %m",
        "%r = pto.vabs %v, %m : !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>",
        "first: second: vabs %r, %v, %m",
        "PTO0002",
        _labelled,
    ),
    LineSpelling(
        "locations",
        '%r = arith.addi %i, %i : i32 loc("k.py":3:1)',
        "%r = arith.addi %i, %i : i32",
        '%r = arith.addi %i, %i : i32 loc("k.py":3',
        "PTO0001",
        _located,
    ),
)
"""What may stand before and behind any operation."""
