"""Other ways to write tokens, attributes and types, inside an operation in any level."""

from __future__ import annotations

import re

from ptoscope.isa import TABLE
from ptoscope.isa.record import Attr
from tests.fuzz.spelling.facts import Facts, Line
from tests.fuzz.spelling.record import LineSpelling

_PIPE = re.compile(r'"((PIPE|EVENT_ID)\w+)"|#pto\.(?:pipe|event)<((PIPE|EVENT_ID)\w+)>')
_BUFFER = re.compile(r'((?:pto\.)?(?:get|rls)_buf) ("PIPE_\w+", \d+(?:, \d+)?)')
_MEM_BAR = re.compile(r'((?:pto\.)?mem_bar) "(\w+)"')
_POINTER = re.compile(r"!pto\.ptr<(\w+), (\w+)>")
_ENTRIES = re.compile(r' \{((?:\w+ = (?:"\w+"|-?\d+)(?:, )?)+)\}')
_NAME = re.compile(r'(?:%[^=]* = )?"?(?:pto\.)?([\w.]+)')


def _changed(code: str, line: Line) -> str | None:
    return code if code != line.code else None


def _is_generic(line: Line) -> bool:
    return '"pto.' in line.code


def _in_angles(facts: Facts, line: Line, at: int) -> str | None:
    if _is_generic(line):
        return None
    return _changed(_PIPE.sub(lambda m: f"<{m[1] or m[3]}>", line.code), line)


def _as_attributes(facts: Facts, line: Line, at: int) -> str | None:
    kinds = {"PIPE": "pipe", "EVENT_ID": "event"}

    def attribute(match: re.Match[str]) -> str:
        kind, token = kinds[match[2] or match[4]], match[1] or match[3]
        whole = f"#pto.{kind}<{token}>"
        return facts.rng.choice((whole, f"#pto<{kind} {token}>")) if _is_generic(line) else whole

    return _changed(_PIPE.sub(attribute, line.code), line)


def _in_brackets(facts: Facts, line: Line, at: int) -> str | None:
    match = _BUFFER.fullmatch(line.code)
    if match is None:
        return None
    # Mode 0 may be left out.
    inside = match[2].removesuffix(", 0") if facts.rng.random() < 0.5 else match[2]
    return f"{match[1]}[{inside}]"


def _barrier(facts: Facts, line: Line, at: int) -> str | None:
    match = _MEM_BAR.fullmatch(line.code)
    if match is None:
        return None
    return f"{match[1]} {facts.rng.choice(('', '#pto.membar'))}<{match[2]}>"


def _attrs(line: Line) -> list[Attr]:
    match = _NAME.match(line.code)
    record = TABLE.get(f"pto.{match[1]}") if match else None
    return [attr for form in record.forms for attr in form.attrs] if record else []


def _other_names(facts: Facts, line: Line, at: int) -> str | None:
    code = line.code
    for attr in _attrs(line):
        if attr.alias:
            code = re.sub(rf"(?<=[{{ ]){attr.name} = ", f"{attr.alias} = ", code)
    return _changed(code, line)


def _other_tokens(facts: Facts, line: Line, at: int) -> str | None:
    code = line.code
    for attr in _attrs(line):
        tokens: dict[str, list[str]] = {}
        for token, meant in attr.other_tokens.items():
            tokens.setdefault(meant, []).append(token)
        for meant, others in tokens.items():
            token = facts.rng.choice(others)
            spelled = [f'"{token}"', *(f"#pto.{kind}<{token}>" for kind in attr.other_kinds)]
            code = code.replace(f'"{meant}"', facts.rng.choice(spelled))
    return _changed(code, line)


def _behind_hashes(facts: Facts, line: Line, at: int) -> str | None:
    """Only in lines that may be assembly form."""
    if line.code[:1] == "%" or "ins(" in line.code or _is_generic(line):
        return None
    found = _ENTRIES.search(line.code)
    if found is None:
        return None
    entries = found[1].replace('"', "").replace(" = ", "=").split(", ")
    hashed = "".join(f" #{entry}" for entry in entries)
    return line.code.replace(found[0], hashed)


def _other_memory(facts: Facts, line: Line, at: int) -> str | None:
    return _changed(line.code.replace(", ub>", ", vec>"), line)


def _memref(facts: Facts, line: Line, at: int) -> str | None:
    rng = facts.rng

    def memref(match: re.Match[str]) -> str:
        shape = rng.choice(("?x", "16x4x", "", "64x"))
        layout = rng.choice(("", "strided<[16, 1], offset: 0>, ", "strided<[1]>, "))
        space = rng.choice(("ub", "vec")) if match[2] == "ub" else match[2]
        return f"memref<{shape}{match[1]}, {layout}#pto.address_space<{space}>>"

    return _changed(_POINTER.sub(memref, line.code), line)


def _open_memory(facts: Facts, line: Line, at: int) -> str | None:
    """Where a value is used, and where it is defined if a use decides the memory."""
    operands, arrow, results = line.code.partition(" -> ")
    if line.code[:1] != "%" or " : " not in operands:
        return None
    left, equals, rest = operands.partition(" = ")
    rest = _POINTER.sub(r"!pto.ptr<\1>", rest)
    if left in facts.decided:
        results = _POINTER.sub(r"!pto.ptr<\1>", results)
    return _changed(f"{left}{equals}{rest}{arrow}{results}", line)


TOKENS: tuple[LineSpelling, ...] = (
    LineSpelling(
        "other names of attributes",
        '%r = pto.vcvt %v, %m {round_mode = "Z", sat = "SAT", part = "ODD"} '
        ": !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<128xf16>",
        '%r = pto.vcvt %v, %m {rnd = "Z", sat = "SAT", part = "ODD"}',
        '%r = pto.vcvt %v, %m {rnd = "Z", round_mode = "Z"} '
        ": !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<128xf16>",
        "PTO0001",
        _other_names,
    ),
    LineSpelling(
        "other tokens of attributes",
        '%r = pto.vcvt %v, %m {rnd = "ROUND_Z", sat = "RS_ENABLE", part = "PART_ODD"} '
        ": !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<128xf16>",
        '%r = pto.vcvt %v, %m {rnd = "Z", sat = "SAT", part = "ODD"}',
        '%r = pto.vcvt %v, %m {rnd = "ROUND_X"} '
        ": !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<128xf16>",
        "PTO0103",
        _other_tokens,
    ),
    LineSpelling(
        "buffer ids in brackets",
        'pto.get_buf["PIPE_V", 3]',
        'pto.get_buf "PIPE_V", 3',
        'pto.get_buf["PIPE_V"]',
        "PTO0008",
        _in_brackets,
    ),
    LineSpelling(
        "pipes and events in angle brackets",
        "pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID3>]",
        'pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID3"]',
        "pto.set_flag[<PIPE_MTE2>, <PIPE_V, <EVENT_ID3>]",
        "PTO0001",
        _in_angles,
    ),
    LineSpelling(
        "pipes and events as attributes",
        "pto.set_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID3>]",
        'pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID3"]',
        "pto.set_flag[#pto.pipe<PIPE_MTE2>, #pto.event<PIPE_V>, #pto.event<EVENT_ID3>]",
        "PTO0001",
        _as_attributes,
    ),
    LineSpelling(
        "barriers of memory in angle brackets",
        "pto.vecscope {\npto.mem_bar <VST_VLD>\n}",
        'pto.mem_bar "VST_VLD"',
        "pto.vecscope {\npto.mem_bar #pto.pipe<VST_VLD>\n}",
        "PTO0001",
        _barrier,
    ),
    LineSpelling(
        "attributes behind hashes",
        "vsts %v, %p[%j], %m #dist=NORM_B32",
        'pto.vsts %v, %p[%j], %m {dist = "NORM_B32"}',
        "vsts %v, %p[%j], %m #dist=%v",
        "PTO0001",
        _behind_hashes,
    ),
    LineSpelling(
        "memories by another name",
        "%r = pto.addptr %p, %j : !pto.ptr<f32, vec> -> !pto.ptr<f32, vec>",
        "%r = pto.addptr %p, %j : !pto.ptr<f32, ub> -> !pto.ptr<f32, ub>",
        "%r = pto.addptr %p, %j : !pto.ptr<f32, dram> -> !pto.ptr<f32, dram>",
        "PTO0005",
        _other_memory,
    ),
    LineSpelling(
        "pointers without a memory",
        "%r = pto.addptr %p, %j : !pto.ptr<f32> -> !pto.ptr<f32, ub>",
        "%r = pto.addptr %p, %j : !pto.ptr<f32, ub> -> !pto.ptr<f32, ub>",
        "%r = pto.castptr %n : i64 -> !pto.ptr<f32>",
        "PTO0006",
        _open_memory,
    ),
    LineSpelling(
        "memrefs",
        "%r = pto.castptr %n : i64 -> memref<4x16xf32, #pto.address_space<vec>>",
        "%r = pto.castptr %n : i64 -> !pto.ptr<f32, ub>",
        "%r = pto.castptr %n : i64 -> memref<4xf32, strided<[1], offset: 4>, "
        "#pto.address_space<vec>>",
        "PTO0005",
        _memref,
    ),
)
"""In the order in which they are tried: none undoes what another has done."""
