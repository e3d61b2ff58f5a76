"""The mistakes, by the group of rules that has to find them."""

from __future__ import annotations

import re

from .mutators import Change, drop, lift, move, swap, twice

_OTHER_MASK = {"b8": "b16", "b16": "b32", "b32": "b16"}
_OTHER_ELEMENT = {"f32": "i32", "f16": "i16", "i32": "f32", "ui32": "f32", "f8e4m3": "i8"}
_VECTOR = {"64xf32": "128xf16", "128xf16": "64xf32", "64xi32": "128xi16", "64xui32": "128xui16"}
_PIPES = {"PIPE_MTE2": "PIPE_MTE3", "PIPE_MTE3": "PIPE_MTE2", "PIPE_V": "PIPE_MTE3"}


def _mask_of_maker(match: re.Match[str]) -> str:
    other = _OTHER_MASK[match[2]]
    return f"{match[1]}_{other}{match[3]}!pto.mask<{other}>"


TYPES: list[Change] = [
    # A mask of another width, at a use and at its maker.
    swap(r"!pto\.mask<(b\d+)>", lambda m: f"!pto.mask<{_OTHER_MASK[m[1]]}>"),
    swap(r"(pto\.(?:pset|plt))_(b\d+)([^\n]*?)!pto\.mask<\w+>", _mask_of_maker),
    # Another element type, in a register and in a pointer.
    swap(r"!pto\.vreg<(\w+)>", lambda m: f"!pto.vreg<{_VECTOR.get(m[1], '64xf32')}>"),
    swap(r"-> !pto\.vreg<(\d+)x(\w+)>", lambda m: f"-> !pto.vreg<{m[1]}x{_OTHER_ELEMENT[m[2]]}>"),
    swap(r"!pto\.vreg<(\d+)x", lambda m: f"!pto.vreg<{int(m[1]) // 2}x"),
    swap(
        r"i64 -> !pto\.ptr<(\w+), ub>",
        lambda m: (
            f"i64 -> !pto.ptr<{_OTHER_ELEMENT[m[1]]}, ub>" if m[1] in _OTHER_ELEMENT else m[0]
        ),
    ),
    # Instructions and tokens that do not exist for the type, or at all.
    swap(r"pto\.v(?:add|sub|mul|div|max)\b(?=[^\n]*\n?[^\n]*f(?:32|16))", "pto.vand"),
    swap(r'"PAT_ALL"', '"PAT_AL"'),
    swap(r'"LOWEST"', '"LOW"'),
    swap(r'"DINTLV_B32"', '"DINTLV_B64"'),
    swap(r'"NORM_B16"', '"NORM_B32"'),
    swap(r'part = "(?:EVEN|ODD)"', 'part = "P0"'),
    swap(r'part = "P0"', 'part = "EVEN"'),
    # Operands forgotten, and a scalar of another type.
    swap(r", %(?:mask|all|all_h)\b(?=[^\n]*$)", ""),
    swap(r"(arith\.index_cast [^\n]*): index to i32", r"\1: index to i64"),
    swap(r"(arith\.constant \d+) : i32", r"\1 : i16"),
]

_ODDITY = "      %odd_one = pto.init_align : !pto.align\n"
PROFILE: list[Change] = [
    swap(r'"NORM" : !pto\.mask', '"PKX" : !pto.mask'),
    swap(
        r'(?s)target_arch = "a5"(.*?pto\.vecscope \{\n)',
        lambda m: f'target_arch = "a2a3"{m[1]}{_ODDITY}',
    ),
    swap(
        r'(?s)target_arch = "a5"(.*?pto\.vecscope \{\n)',
        lambda m: f'target_arch = "cpu"{m[1]}{_ODDITY}',
    ),
    swap(
        r'(?s)target_arch = "a5"(.*?)%(\w+): !pto\.ptr<f32, gm>',
        lambda m: f'target_arch = "a2a3"{m[1]}%{m[2]}: !pto.ptr<f8e5m2, gm>',
    ),
    swap(r"%down_from = pto\.vci %last \{order = \"DESC\"\}", "%down_from = pto.vbr %last"),
    swap(r'target_arch = "\w+"', 'target_arch = "a9"'),
]
TARGETS = {
    "unaligned": ("cpu", "a2a3"),
    "appended": ("cpu", "a2a3"),
    "compact": ("cpu", "a2a3"),
    "eighths": ("cpu", "a2a3"),
}
"""Kernels that use what a target lacks."""

_VECTOR_LINE = r"%\w+ = pto\.(?:pset_b\d+|vbr|vlds)"
STRUCTURE: list[Change] = [
    # Work of other pipes inside the scope, and vector work outside it.
    lift(r"pto\.(?:set_flag|rls_buf)", r"^ *\}\n *\}\n|^ *pto\.vsts"),
    move(r"pto\.(?:wait_flag|get_buf)", r"^ *%\w+ = pto\.(?:vlds|pset)"),
    lift(_VECTOR_LINE, r"^ *pto\.vecscope \{"),
    swap(r"^( *)pto\.vecscope \{\n", r"\g<0>\1  pto.vecscope {\n\1  }\n"),
    swap(r"^ *pto\.vecscope \{\n", lambda m: m[0].replace("vecscope", "strict_vecscope()")),
    swap(r"^( *)(%\w+ = pto\.pset_b32[^\n]*\n)", r"\1pto.barrier #pto.pipe<PIPE_ALL>\n\1\2"),
    # Values used where they are not, bodies that do not end.
    move(r"pto\.vsts", r"^ *pto\.(?:set_flag\[\"PIPE_V|rls_buf \"PIPE_V)"),
    swap(r"(%\w+: !pto\.ptr<\w+), gm>", r"\1, ub>"),
    drop(r"scf\.yield"),
    drop(r"return"),
    swap(r"(module attributes \{)", r"\1pto.kernel_kind = #pto.kernel_kind<cube>, "),
    swap(r"^ *pto\.vecscope \{\n", ""),
]

STREAMS: list[Change] = [
    drop(r"pto\.vst(?:a|as|ar)\b"),
    twice(r"pto\.vst(?:a|as|ar)\b"),
    drop(r"pto\.sprclr"),
    drop(r"%packed = pto\.vsqz"),
    swap(r"pto\.vldas [^\n]*", "pto.init_align : !pto.align"),
    # An older state, or none.
    swap(r"pto\.vstur %s1", "pto.vstur %s0"),
    swap(r"pto\.vstur %s2", "pto.vstur %s1"),
    swap(r"pto\.vstur %s2", "pto.vstur %s0"),
    swap(r"pto\.vstas %s3", "pto.vstas %s2"),
    swap(r"pto\.vstas %s3", "pto.vstas %s1"),
    swap(r"pto\.vstas %s3", "pto.vstas %s0"),
    swap(r"pto\.vstu %store,", "pto.vstu %begin,"),
    swap(r"pto\.vstur %s,", "pto.vstur %begin,"),
    swap(r"pto\.vldus %from, %load", "pto.vldus %from, %primed"),
    swap(r"pto\.vldus %from, %load", "pto.vldus %from, %begin"),
    swap(r"pto\.vsta %s,", "pto.vsta %begin,"),
    swap(r"pto\.vsta %s,", "pto.vsta %l,"),
    swap(r"pto\.vstar %end", "pto.vstar %begin"),
    swap(r"scf\.yield %t :", "scf.yield %s :"),
    swap(r"%load2, %from2, %store2, %at2$", "%load, %from2, %store2, %at2"),
    swap(r"%load2, %from2, %store2, %at2$", "%load2, %from2, %store, %at2"),
    # Another address.
    swap(r"(%length = arith\.constant) 768", r"\1 764"),
    swap(r"(%length = arith\.constant) 768", r"\1 512"),
    swap(r"pto\.vstas %s3, %first", "pto.vstas %s3, %out"),
    # Another packed vector's count.
    swap(
        r"^( *)(%t = pto\.vstur)",
        r"\1%more = pto.vsqz %v, %all"
        r" : !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>\n\1\2",
    ),
]

_UB, _BLOCK = 262_144, 32
# Where buffers begin. A stream may begin anywhere.
_ADDRESS = r"(%(?:at_(?!first)\w+|\w+_address|c4096_i64) = arith\.constant)"
_NUMBER = r"(%(?:{}) = arith\.constant) (\d+)"


def _more(match: re.Match[str], times: int = 1, plus: int = 0) -> str:
    """A larger number behind what defines it."""
    return f"{match[1]} {int(match[2]) * times + plus}"


ADDRESSES: list[Change] = [
    # Buffers moved: misaligned, behind the end of UB, onto another buffer.
    swap(_ADDRESS + r" (\d+)", lambda m: _more(m, plus=4)),
    swap(_ADDRESS + r" (\d+)", lambda m: _more(m, plus=16)),
    swap(_ADDRESS + r" \d+", rf"\1 {_UB}"),
    swap(_ADDRESS + r" \d+", rf"\1 {-_BLOCK}"),
    swap(_ADDRESS + r" [1-9]\d*", r"\1 0"),
    # Offsets and steps.
    swap(r"(%c64 = arith\.constant) 64", r"\1 60"),
    swap(_NUMBER.format(r"plane\d|pitch|c128"), lambda m: _more(m, plus=1)),
    swap(_NUMBER.format(r"plane\d"), r"\1 65536"),
    swap(_NUMBER.format(r"plane_bytes|pitch_bytes"), lambda m: _more(m, 64)),
    swap(_NUMBER.format(r"plane_bytes|pitch_bytes|row_bytes"), lambda m: _more(m, plus=4)),
    swap(r"(%c1024 = arith\.constant) 1024", r"\1 65600"),
    swap(_NUMBER.format("tile|tile_rows"), lambda m: _more(m, 64)),
]

_FLAG = r"pto\.(?:set|wait)_flag"
_BUF = r"pto\.(?:get|rls)_buf"
SYNCHRONISATION: list[Change] = [
    drop(_FLAG),
    drop(_BUF),
    twice(_FLAG),
    twice(_BUF),
    swap(rf'({_FLAG}\[)("\w+"), ("\w+")', r"\1\3, \2"),
    swap(rf'({_FLAG}\[")(\w+)', lambda m: m[1] + _PIPES[m[2]]),
    swap(rf"({_FLAG}\[[^\]]*)EVENT_ID(\d)", lambda m: f"{m[1]}EVENT_ID{int(m[2]) + 1}"),
    swap(rf'({_BUF} ")(\w+)', lambda m: m[1] + _PIPES[m[2]]),
    swap(rf'({_BUF} "\w+"), (\d)', lambda m: f"{m[1]}, {int(m[2]) + 3}"),
    move(r"pto\.wait_flag", r"^ *pto\.set_flag"),
    lift(r"pto\.set_flag", r"^ *pto\.(?:wait_flag|mte|copy)"),
]

CHANGES = {
    "types": TYPES,
    "profile": PROFILE,
    "structure": STRUCTURE,
    "streams": STREAMS,
    "addresses": ADDRESSES,
    "synchronisation": SYNCHRONISATION,
}
