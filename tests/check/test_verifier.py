"""What the public verifier of the field's compiler rejects, rejected for the same reason."""

from __future__ import annotations

import pytest

import ptoscope
from ptoscope import PtoError

V, W, H = "!pto.vreg<64xf32>", "!pto.vreg<64xi32>", "!pto.vreg<128xf16>"
M, MH, MB = "!pto.mask<b32>", "!pto.mask<b16>", "!pto.mask<b8>"
P = "!pto.ptr<ui32, ub>"
REVISIONS = pytest.mark.parametrize("revision", ["manual", "micro"])
TEXT = f"""\
func.func @k(%x: f32, %i: index, %n: i32) attributes {{pto.aicore}} {{
  %zero = arith.constant 0 : i64
  %c8 = arith.constant 8 : index
  %ub = pto.castptr %zero : i64 -> {P}
  pto.vecscope {{
    %m = pto.pset_b32 "PAT_ALL" : {M}
    %mh = pto.pset_b16 "PAT_ALL" : {MH}
    %v = pto.vbr %x : f32 -> {V}
    %w = pto.vbr %n : i32 -> {W}
    %h = pto.vbitcast %v : {V} -> {H}
    LINE
  }}
  return
}}
"""


def rejected(line: str, revision: str) -> str:
    """The first code that the check has for a line of vector code, or none."""
    try:
        ptoscope.load(TEXT.replace("LINE", line), target="a5", revision=revision)
    except PtoError as error:
        return error.diagnostics[0].code
    return ""


@REVISIONS
@pytest.mark.parametrize(
    ("right", "wrong", "code"),
    [
        (
            f'pto.psti %m, %ub[%c8], "NORM" : {M}, {P}',
            f'pto.psti %m, %ub[%i], "NORM" : {M}, {P}',
            "PTO0111",
        ),
        (
            f'%r = pto.pldi %ub[%c8], "US" : {P} -> {M}',
            f'%r = pto.pldi %ub[%i], "US" : {P} -> {M}',
            "PTO0111",
        ),
        (
            f'%r = pto.ppack %m, "LOWER" : {M} -> {MH}',
            f'%r = pto.ppack %m, "LOWER" : {M} -> {MB}',
            "PTO0108",
        ),
        (
            f'%r = pto.punpack %mh, "LOWER" : {MH} -> {M}',
            f'%r = pto.punpack %mh, "LOWER" : {MH} -> {MB}',
            "PTO0108",
        ),
        (
            f'%r = pto.vcvt %h, %mh {{part = "EVEN"}} : {H}, {MH} -> {V}',
            f'%r = pto.vcvt %h, %mh {{rnd = "R", part = "EVEN"}} : {H}, {MH} -> {V}',
            "PTO0107",
        ),
        (
            f'%r = pto.vcvt %h, %mh {{part = "ODD"}} : {H}, {MH} -> {V}',
            f'%r = pto.vcvt %h, %mh {{sat = "NOSAT", part = "ODD"}} : {H}, {MH} -> {V}',
            "PTO0107",
        ),
        (
            f'%r = pto.vcvt %w, %m {{rnd = "R"}} : {W}, {M} -> {V}',
            f'%r = pto.vcvt %w, %m {{rnd = "R", sat = "NOSAT"}} : {W}, {M} -> {V}',
            "PTO0107",
        ),
    ],
)
def test_rejections(right: str, wrong: str, code: str, revision: str):
    assert rejected(right, revision) == ""
    assert rejected(wrong, revision) == code


@REVISIONS
def test_a_constant_that_came_through_a_cast(revision: str):
    """It is a number that the text says, wherever."""
    line = "%k = arith.constant 16 : i32\n%at = arith.index_cast %k : i32 to index\n"
    line += f'pto.psti %m, %ub[%at], "NORM" : {M}, {P}'
    assert rejected(line, revision) == ""


@pytest.mark.parametrize(("source", "mask", "target"), [(V, "m", H), (H, "mh", V)])
def test_a_part_that_is_left_out(source: str, mask: str, target: str):
    """Where the width changes, revision micro wants to know which lanes."""
    value, kind = ("%v", M) if source == V else ("%h", MH)
    line = f"%r = pto.vcvt {value}, %{mask}ATTRS : {source}, {kind} -> {target}"
    assert rejected(line.replace("ATTRS", ""), "manual") == ""
    assert rejected(line.replace("ATTRS", ""), "micro") == "PTO0107"
    for part in ("EVEN", "ODD"):
        assert rejected(line.replace("ATTRS", f' {{part = "{part}"}}'), "micro") == ""


@REVISIONS
def test_rounding_and_saturation_have_defaults(revision: str):
    assert rejected(f"%r = pto.vcvt %v, %m : {V}, {M} -> {W}", revision) == ""


FLAG = """\
func.func @k(%i: index) attributes {pto.aicore} {
  LINE
  return
}
"""


@REVISIONS
@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("pto.set_flag_dyn [#pto.pipe<PIPE_MTE5>, #pto.pipe<PIPE_V>, %i]", "no instruction is"),
        ("pto.wait_flag_dyn [#pto.pipe<PIPE_V>, #pto.pipe<PIPE_MTE4>, %i]", "no instruction is"),
        ('pto.set_flag["PIPE_V2", "PIPE_S", "EVENT_ID0"]', "no instruction is"),
        ("pto.barrier #pto.pipe<PIPE_V2>", "no instruction is"),
        ('pto.set_flag["PIPE_ALL", "PIPE_S", "EVENT_ID0"]', "a barrier waits for"),
        ('pto.get_buf "PIPE_ALL", 0, 0', "a barrier waits for"),
    ],
)
def test_names_that_are_no_pipes(line: str, reason: str, revision: str):
    """Compilers know names of pipes on which no instruction is executed: they get no guess."""
    with pytest.raises(PtoError) as caught:
        ptoscope.load(FLAG.replace("LINE", line), target="a5", revision=revision)
    first = caught.value.diagnostics[0]
    assert (first.code, first.fix) == ("PTO0103", ())
    assert reason in first.hint


@pytest.mark.parametrize(
    ("mode", "dtype", "right", "wrong"),
    [
        ("PK_B16", "256xui8", "b16", "b8"),
        ("PK_B32", "128xf16", "b32", "b16"),
        ("MRG4CHN_B8", "256xui8", "b32", "b8"),
        ("MRG2CHN_B8", "256xui8", "b16", "b8"),
        ("MRG2CHN_B16", "128xi16", "b32", "b16"),
    ],
)
def test_modes_that_pack_or_merge_have_a_mask_of_their_own(
    mode: str, dtype: str, right: str, wrong: str
):
    """It governs what is stored, not the lanes of the vector."""
    element = dtype.partition("x")[2]
    lines = f"""%p = pto.castptr %zero : i64 -> !pto.ptr<{element}, ub>
    %mask = pto.pset_MASK "PAT_ALL" : !pto.mask<MASK>
    %data = pto.vbitcast %v : {V} -> !pto.vreg<{dtype}>
    pto.vsts %data, %p[%c8], %mask {{dist = "{mode}"}} : !pto.vreg<{dtype}>, """
    lines += f"!pto.ptr<{element}, ub>, !pto.mask<MASK>"
    assert rejected(lines.replace("MASK", right), "micro") in ("", "PTO0502")
    assert rejected(lines.replace("MASK", wrong), "micro") == "PTO0108"


def test_a_mode_for_two_vectors_names_the_instruction_that_has_both():
    """Page and list of modes of vast have it too; but of two vectors it has one."""
    lines = f"""%zero_16 = arith.constant 0 : i16
    %one_16 = arith.constant 1 : i16
    scf.for %j = %zero_16 to %one_16 step %one_16 : i16 {{
      %a = pto.vag %n : i32 -> !pto.vaddr<b32>
      %p = pto.castptr %zero : i64 -> !pto.ptr<f32, ub>
      pto.vast %v, %p[%a], %m {{dist = "INTLV_B32"}}
          : {V}, !pto.ptr<f32, ub>, !pto.vaddr<b32>, {M}
    }}"""
    with pytest.raises(PtoError) as caught:
        ptoscope.load(TEXT.replace("LINE", lines), target="a5", revision="micro")
    (found,) = caught.value.diagnostics
    assert (found.code, found.hint, found.fix) == (
        "PTO0103",
        "the mode is for two vectors: pto.vastx2 has both",
        (),
    )


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("func.func @k(%x: i32) -> i32 attributes {pto.entry} {\n  return %x : i32\n}", "PTO0308"),
        ("func.func @k(%x: i32) -> i32 attributes {pto.kernel} {\n  return %x : i32\n}", "PTO0308"),
        ("func.func @k(%x: i32) -> i32 {\n  return %x : i32\n}", "PTO0308"),
        ("func.func @k(%x: i32) attributes {pto.entry} {\n  return\n}", ""),
        (
            "func.func @k(%x: i32) attributes {pto.entry} {\n"
            "  %y = func.call @help(%x) : (i32) -> i32\n  return\n}\n"
            "func.func private @help(%x: i32) -> i32 {\n  return %x : i32\n}",
            "",
        ),
    ],
)
def test_a_kernel_returns_nothing(text: str, code: str):
    try:
        ptoscope.load(text + "\n")
        found = ""
    except PtoError as error:
        found = error.diagnostics[0].code
    assert found == code


def test_a_part_that_has_to_be_written_may_not_be_none():
    line = f'%r = pto.vcvt %v, %m {{rnd = "R", sat = "SAT", part = "P0"}} : {V}, {M} -> {H}'
    with pytest.raises(PtoError) as caught:
        ptoscope.load(TEXT.replace("LINE", line), target="a5", revision="micro")
    (found,) = caught.value.diagnostics
    assert (found.code, found.expected) == ("PTO0107", "EVEN, ODD")
