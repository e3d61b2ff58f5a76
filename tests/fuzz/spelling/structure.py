"""Other ways to build a kernel: helpers, sections, modules, vecscopes that are left out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ptoscope.isa import TABLE
from ptoscope.isa.parts import EVENTS
from ptoscope.isa.types import Scalar
from tests.fuzz.control import definitions
from tests.fuzz.spelling.facts import Facts, Line, names
from tests.fuzz.spelling.record import TextSpelling

_FLAG = re.compile(r'pto\.(set|wait)_flag\["(\w+)", "(\w+)", "(\w+)"\]')
_ENDS = ("scf.yield", "scf.condition", "return", "}", "^")
_BARRIER = "pto.barrier #pto.pipe<PIPE_V>"
_V, _M = "!pto.vreg<64xf32>", "!pto.mask<b32>"


def _region_end(rows: Sequence[Line], start: int) -> int:
    """The line that closes what a line opens: itself for an operation without a body."""
    if not rows[start].code.endswith("{"):
        return start
    indent = rows[start].indent
    for at in range(start + 1, len(rows)):
        row = rows[at]
        if row.indent == indent and not row.code.startswith(("} else", "} do", "^")):
            return at
    raise AssertionError(rows[start].code)


def _body(rows: Sequence[Line]) -> tuple[int, int]:
    """Where the operations of the kernel begin and where its return stands."""
    head = next(i for i, row in enumerate(rows) if "@fuzz(" in row.code)
    return head + 1, max(i for i, row in enumerate(rows) if row.code == "return")


def _indented(rows: Sequence[Line], by: int) -> list[Line]:
    return [Line(" " * (len(row.indent) + by), row.code, row.mark) for row in rows]


# Vecscopes.


def _without_scope(facts: Facts) -> list[Line] | None:
    """A vecscope that barriers stand around is what would be inferred."""
    rows = facts.lines
    found = [i for i, row in enumerate(rows) if row.code == "pto.vecscope {"]
    found = [i for i in found if _can_be_inferred(rows[i + 1 : _region_end(rows, i)])]
    if not found:
        return None
    start = facts.rng.choice(found)
    end = _region_end(rows, start)
    stop = Line(rows[start].indent, _BARRIER)
    inner = _indented(rows[start + 1 : end], -2)
    return [*rows[:start], stop, *inner, stop, *rows[end + 1 :]]


def _can_be_inferred(rows: Sequence[Line]) -> bool:
    """Whether a vecscope can hold these operations, and every loop and branch has vectors."""
    at = 0
    vectors = False
    while at < len(rows):
        row = rows[at]
        if row.code.startswith(_ENDS):
            at += 1
            continue
        end = _region_end(rows, at)
        if end > at:
            if "scf.while" in row.code or not _can_be_inferred(rows[at + 1 : end]):
                return False
            vectors = True
        else:
            record = TABLE.get(row.parts()[1])
            if record is None or not (record.where == "vecscope" or record.pure):
                return False
            vectors = vectors or record.where == "vecscope"
        at = end + 1
    return vectors


# Helpers.


def _with_helper(facts: Facts) -> list[Line] | None:
    """Some operations in a row become a function of their own."""
    rows, rng = facts.lines, facts.rng
    begin, end = _body(rows)
    first = rng.randrange(begin, end)
    if rows[first].code.startswith(_ENDS):
        return None
    last = first
    for _ in range(rng.randint(1, 12)):
        last = _region_end(rows, last)
        after = rows[last + 1]
        if after.indent != rows[first].indent or after.code.startswith(_ENDS):
            break
        last += 1
    last = _region_end(rows, last)
    return _moved(facts, first, last)


def _moved(facts: Facts, first: int, last: int) -> list[Line]:
    rows, types = facts.lines, facts.types
    span = rows[first : last + 1]
    own = {name for row in span for name in definitions(row.code)}
    used = dict.fromkeys(name for row in span for name in names(row.code))
    taken = [name for name in used if name not in own]
    top = dict.fromkeys(
        name
        for row in span
        if row.indent == span[0].indent and row.code.startswith("%")
        for name in definitions(row.code.partition(" = ")[0] + " = ")
    )
    later = {name for row in (*rows[:first], *rows[last + 1 :]) for name in names(row.code)}
    given = [name for name in top if name in later]
    symbol = f"@helper_{sum('func.func private' in row.code for row in rows)}"
    kinds = [", ".join(str(types[name]) for name in group) for group in (taken, given)]
    listed = ", ".join(f"{name}: {types[name]}" for name in taken)
    call = f"func.call {symbol}({', '.join(taken)}) : ({kinds[0]}) -> ({kinds[1]})"
    if given:
        call = f"{', '.join(given)} = {call}"
    returned = f" {', '.join(given)} : {kinds[1]}" if given else ""
    head = next(i for i, row in enumerate(rows) if "@fuzz(" in row.code)
    around = rows[head].indent
    helper = [
        Line(around, f"func.func private {symbol}({listed}) -> ({kinds[1]}) {{"),
        *_indented(span, len(around) + 2 - len(span[0].indent)),
        Line(around + "  ", f"return{returned}"),
        Line(around, "}"),
    ]
    kernel = [*rows[head:first], Line(span[0].indent, call), *rows[last + 1 :]]
    return [*rows[:head], *helper, *kernel]


# Around the whole kernel.


def _in_section(facts: Facts) -> list[Line] | None:
    rows = facts.lines
    begin, end = _body(rows)
    if any(row.code.startswith("pto.section") for row in rows):
        return None
    indent = rows[end].indent
    inner = _indented(rows[begin:end], 2)
    head, tail = Line(indent, "pto.section.vector {"), Line(indent, "}")
    return [*rows[:begin], head, *inner, tail, *rows[end:]]


def _in_module(facts: Facts) -> list[Line] | None:
    rows = facts.lines
    attributes = facts.rng.choice(("", "attributes {pto.kernel_kind = #pto.kernel_kind<vector>} "))
    inner = [Line("", f"module {attributes}{{"), *rows[1:-1], Line("", "}")]
    return [rows[0], *_indented(inner, 2), rows[-1]]


def _marked(facts: Facts) -> list[Line] | None:
    return [
        Line(row.indent, row.code.replace("{pto.aicore}", "{pto.kernel}"), row.mark)
        for row in facts.lines
    ]


# Numbers.


def _flags_by_number(facts: Facts) -> list[Line] | None:
    found: list[Line] = []
    for at, row in enumerate(facts.lines):
        match = _FLAG.fullmatch(row.code)
        if match is None or facts.rng.random() < 0.5:
            found.append(row)
            continue
        number = f"%event_{len(facts.lines)}_{at}"
        constant = f"{number} = arith.constant {EVENTS.index(match[4])} : index"
        flag = f"pto.{match[1]}_flag_dyn[#pto.pipe<{match[2]}>, #pto.pipe<{match[3]}>, {number}]"
        found += [Line(row.indent, constant), Line(row.indent, flag, row.mark)]
    return found if len(found) > len(facts.lines) else None


def _numbers(facts: Facts) -> list[Line] | None:
    """Constants as operands, but for addresses, and where a number is a token."""
    found = [
        Line(row.indent, _with_numbers(facts, row.code), row.mark) if row.is_leaf else row
        for row in facts.lines
    ]
    return found if found != facts.lines else None


def _with_numbers(facts: Facts, code: str) -> str:
    operands, colon, types = code.partition(" : ")
    left, equals, operands = operands.rpartition(" = ")
    name, _, listed = operands.partition(" ")
    record = TABLE.get(name)
    if not name.startswith("pto.") or record is None or not colon:
        return code
    if any(not attr.values for form in record.forms for attr in form.attrs):
        return code

    def number(match: re.Match[str]) -> str:
        known = facts.constants.get(match[0])
        scalar = isinstance(facts.types.get(match[0]), Scalar)
        return known if known and scalar and facts.rng.random() < 0.5 else match[0]

    written = re.sub(r"(?<![\[\w])%\w+(?![\[\]\w])", number, listed)
    return f"{left}{equals}{name} {written}{colon}{types}"


TEXTS: tuple[TextSpelling, ...] = (
    TextSpelling(
        "vecscopes left out",
        "func.func @k(%p: !pto.ptr<f32, ub>, %j: index) {\n"
        f"%v = pto.vlds %p[%j] : !pto.ptr<f32, ub> -> {_V}\nreturn\n}}\n",
        f"%v = pto.vlds %p[%j] : !pto.ptr<f32, ub> -> {_V}",
        "func.func @k(%j: index) {\n%l = arith.constant 0 : i64\n"
        "%p = pto.castptr %l : i64 -> !pto.ptr<f32, ub>\n"
        f'%m = pto.pset_b32 "PAT_ALL" : {_M}\n%v = pto.vlds %p[%j] : !pto.ptr<f32, ub> -> {_V}\n'
        f"pto.barrier <PIPE_ALL>\npto.vsts %v, %p[%j], %m : {_V}, !pto.ptr<f32, ub>, {_M}\n"
        "return\n}\n",
        "PTO0301",
        _without_scope,
        most=3,
    ),
    TextSpelling(
        "flags by number",
        "pto.set_flag_dyn[<PIPE_V>, <PIPE_MTE3>, %j]",
        "pto.set_flag_dyn[#pto.pipe<PIPE_V>, #pto.pipe<PIPE_MTE3>, %j]",
        "pto.set_flag_dyn[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]",
        "PTO0008",
        _flags_by_number,
    ),
    TextSpelling(
        "numbers as operands",
        f"%r = pto.vadds %v, 1.5, %m : {_V}, f32, {_M} -> {_V}",
        f"%r = pto.vadds %v, %cst, %m : {_V}, f32, {_M} -> {_V}",
        f"%r = pto.vadds %v, 1, %m : {_V}, f32, {_M} -> {_V}",
        "PTO0001",
        _numbers,
    ),
    TextSpelling(
        "helper functions",
        f"func.func private @h(%v: {_V}) -> {_V} {{\nreturn %v : {_V}\n}}\n"
        f"func.func @k(%v: {_V}) {{\n%w = func.call @h(%v) : ({_V}) -> ({_V})\nreturn\n}}\n",
        f"%w = func.call @h(%v) : ({_V}) -> {_V}",
        "func.func @k() {\nfunc.call @k() : () -> ()\nreturn\n}\n",
        "PTO0014",
        _with_helper,
        opened=True,
        most=5,
    ),
    TextSpelling(
        "sections",
        "func.func @k() {\npto.section.vector {\npto.barrier <PIPE_ALL>\n}\nreturn\n}\n",
        "pto.section.vector {",
        "func.func @k() {\npto.section.vector {\n}\npto.section.vector {\n}\nreturn\n}\n",
        "PTO0015",
        _in_section,
        opened=True,
    ),
    TextSpelling(
        "modules in modules",
        "module {\nmodule attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {\n"
        "func.func @k() {\nreturn\n}\n}\n}\n",
        "module attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {",
        "func.func @k() {\nmodule {\n}\nreturn\n}\n",
        "PTO0010",
        _in_module,
        opened=True,
    ),
    TextSpelling(
        "kernels by another mark",
        "func.func @k() attributes {pto.kernel} {\nreturn\n}\n",
        "func.func @k() attributes {pto.kernel} {",
        "func.func @k(%v: !pto.mask<b32>) attributes {pto.kernel} {\nreturn\n}\n",
        "PTO0303",
        _marked,
        opened=True,
    ),
)
"""In the order in which they are applied: what is opened comes last."""
