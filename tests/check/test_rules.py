"""Every rule: a bad example that it names, and a fixed twin on which all rules are silent."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

import ptoscope
from ptoscope import ir
from ptoscope.check import RULES, check
from ptoscope.isa import TABLE
from ptoscope.isa.targets import TARGETS, Revision

V = "!pto.vreg<64xf32>"
M = "!pto.mask<b32>"
APPEND = f"""\
    %one = arith.constant 1 : index
    %at = pto.addptr %ub, %one : !pto.ptr<f32, ub> -> !pto.ptr<f32, ub>
    %a = pto.init_align : !pto.align
    %s = pto.vstur %a, %v, %at : !pto.align, {V}, !pto.ptr<f32, ub> -> !pto.align"""
FLUSH = "    pto.vstar %s, %ub : !pto.align, !pto.ptr<f32, ub>"


def in_scope(body: str) -> str:
    """Vector code with a pointer %ub, an all-active mask %m and a vector %v around it."""
    return f"""\
func.func @kernel(%x: !pto.ptr<f32, gm>, %n: i32) {{
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %ub = pto.castptr %zero : i64 -> !pto.ptr<f32, ub>
  pto.vecscope {{
    %m = pto.pset_b32 "PAT_ALL" : {M}
    %v = pto.vlds %ub[%c0] : !pto.ptr<f32, ub> -> {V}
{body}
  }}
  return
}}
"""


def outside(body: str) -> str:
    """Scalar code."""
    return f"""\
func.func @kernel(%x: !pto.ptr<f32, gm>, %n: i32) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %ub = pto.castptr %zero : i64 -> !pto.ptr<f32, ub>
{body}
  return
}}
"""


@dataclass(frozen=True)
class Example:
    code: str
    bad: str
    fixed: str
    found: str
    target: str = "a5"
    revision: Revision = "manual"


EXAMPLES = [
    Example(
        "PTO0101",
        in_scope(
            '    %h = pto.pset_b16 "PAT_ALL" : !pto.mask<b16>\n'
            f"    %r = pto.vadd %v, %v, %h : {V}, {V}, !pto.mask<b16> -> {V}"
        ),
        in_scope(f"    %r = pto.vadd %v, %v, %m : {V}, {V}, {M} -> {V}"),
        "!pto.mask<b16>",
    ),
    Example(
        "PTO0102",
        in_scope(f"    %r = pto.vand %v, %v, %m : {V}, {V}, {M} -> {V}"),
        in_scope(f"    %r = pto.vmax %v, %v, %m : {V}, {V}, {M} -> {V}"),
        "f32",
    ),
    Example(
        "PTO0103",
        in_scope(f'    %p = pto.pset_b32 "PAT_VL7" : {M}'),
        in_scope(f'    %p = pto.pset_b32 "PAT_VL8" : {M}'),
        "PAT_VL7",
    ),
    Example(
        "PTO0104",
        in_scope(f'    %r = pto.vlds %ub[%c0] {{dist = "BRC_B16"}} : !pto.ptr<f32, ub> -> {V}'),
        in_scope(f'    %r = pto.vlds %ub[%c0] {{dist = "BRC_B32"}} : !pto.ptr<f32, ub> -> {V}'),
        "32-bit elements",
    ),
    Example(
        "PTO0105",
        outside("  %w = arith.extsi %n : i32 to i16"),
        outside("  %w = arith.extsi %n : i32 to i64"),
        "i32 to i16",
    ),
    Example(
        "PTO0106",
        in_scope(f"    %r = pto.vcvt %v, %m : {V}, {M} -> !pto.vreg<256xi8>"),
        in_scope(f"    %r = pto.vcvt %v, %m : {V}, {M} -> !pto.vreg<128xi16>"),
        "f32 to i8",
    ),
    Example(
        "PTO0107",
        in_scope(f'    %r = pto.vcvt %v, %m {{part = "P1"}} : {V}, {M} -> !pto.vreg<128xf16>'),
        in_scope(f'    %r = pto.vcvt %v, %m {{part = "ODD"}} : {V}, {M} -> !pto.vreg<128xf16>'),
        "P1",
    ),
    Example(
        "PTO0108",
        in_scope(
            '    %h = pto.pset_b16 "PAT_ALL" : !pto.mask<b16>\n'
            f"    pto.vsts %v, %ub[%c0], %h : {V}, !pto.ptr<f32, ub>, !pto.mask<b16>"
        ),
        in_scope(f"    pto.vsts %v, %ub[%c0], %m : {V}, !pto.ptr<f32, ub>, {M}"),
        "!pto.mask<b16>",
    ),
    Example(
        "PTO0204",
        in_scope(
            "    %w = pto.castptr %zero : i64 -> !pto.ptr<i64, ub>\n"
            f'    pto.pst %m, %w, %n, "PK" : {M}, !pto.ptr<i64, ub>, i32'
        ),
        in_scope(
            "    %w = pto.castptr %zero : i64 -> !pto.ptr<i64, ub>\n"
            f'    pto.pst %m, %w, %n, "NORM" : {M}, !pto.ptr<i64, ub>, i32'
        ),
        "PK",
        target="cpu",
    ),
    Example(
        "PTO0202",
        in_scope(
            "    %p = pto.castptr %zero : i64 -> !pto.ptr<i8, ub>\n"
            '    %b = pto.pset_b8 "PAT_ALL" : !pto.mask<b8>\n'
            "    %a = pto.vlds %p[%c0] : !pto.ptr<i8, ub> -> !pto.vreg<256xi8>\n"
            "    %r = pto.vmul %a, %a, %b : !pto.vreg<256xi8>, !pto.vreg<256xi8>, !pto.mask<b8>"
            " -> !pto.vreg<256xi8>"
        ),
        in_scope(f"    %r = pto.vmul %v, %v, %m : {V}, {V}, {M} -> {V}"),
        "i8 on a5",
    ),
    Example(
        "PTO0203",
        "func.func @kernel(%x: !pto.ptr<f8e4m3, gm>) {\n  return\n}\n",
        "func.func @kernel(%x: !pto.ptr<ui8, gm>) {\n  return\n}\n",
        "f8e4m3",
        target="a2a3",
    ),
    Example(
        "PTO0301",
        outside(f'  %m = pto.pset_b32 "PAT_ALL" : {M}'),
        outside(f'  pto.vecscope {{\n    %m = pto.pset_b32 "PAT_ALL" : {M}\n  }}'),
        "",
    ),
    Example(
        "PTO0302",
        in_scope('    pto.set_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]'),
        outside('  pto.set_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]'),
        "inside the vecscope of line 5",
    ),
    Example(
        "PTO0303",
        "func.func @kernel(%x: !pto.ptr<f32, ub>) {\n  return\n}\n",
        "func.func @kernel(%x: !pto.ptr<f32, gm>) {\n  return\n}\n",
        "!pto.ptr<f32, ub>",
    ),
    Example(
        "PTO0304",
        "module attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {\n"
        "  func.func @kernel() {\n    return\n  }\n}\n",
        "module attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {\n"
        "  func.func @kernel() {\n    return\n  }\n}\n",
        "cube",
    ),
    Example(
        "PTO0401",
        in_scope(
            "    %a = pto.init_align : !pto.align\n"
            f"    %r, %b = pto.vldus %ub, %a : !pto.ptr<f32, ub>, !pto.align -> {V}, !pto.align"
        ),
        in_scope(
            "    %a = pto.vldas %ub : !pto.ptr<f32, ub> -> !pto.align\n"
            f"    %r, %b = pto.vldus %ub, %a : !pto.ptr<f32, ub>, !pto.align -> {V}, !pto.align"
        ),
        "pto.init_align",
    ),
    Example("PTO0402", in_scope(APPEND), in_scope(f"{APPEND}\n{FLUSH}"), "%s is not used"),
    Example(
        "PTO0403",
        in_scope(f"{APPEND}\n{FLUSH}\n{FLUSH}"),
        in_scope(f"{APPEND}\n{FLUSH}"),
        "%s, already used at line 12",
    ),
    Example(
        "PTO0404",
        in_scope(f"    %s = pto.init_align : !pto.align\n{FLUSH}"),
        in_scope(f"{APPEND}\n{FLUSH}"),
        "pto.init_align",
    ),
]
BY_CODE = {example.code: example for example in EXAMPLES}


def findings(text: str, example: Example) -> list:
    program = ir.lower(ir.parse(text))
    return check(program, TARGETS[example.target], example.revision)


def test_every_rule_has_an_example() -> None:
    assert {rule.code for rule in RULES} == {*BY_CODE, "PTO0201"}


@pytest.mark.parametrize("code", BY_CODE)
def test_the_bad_example_is_named_and_its_twin_is_clean(code: str) -> None:
    example = BY_CODE[code]
    reported = findings(example.bad, example)
    assert [d.code for d in reported] == [code]
    assert example.found in reported[0].found
    assert reported[0].line > 0
    assert reported[0].source_line
    assert findings(example.fixed, example) == []


def test_a_finding_points_at_the_operand() -> None:
    (finding,) = findings(BY_CODE["PTO0101"].bad, BY_CODE["PTO0101"])
    line = finding.source_line
    assert line[finding.column - 1 :].startswith("%h")
    assert finding.expected == M
    assert "b32" in finding.hint


def test_all_findings_come_in_source_order() -> None:
    body = f"    %r = pto.vand %v, %v, %m : {V}, {V}, {M} -> {V}\n" * 3
    text = in_scope(body.replace("%r", "%r0", 1).replace("%r ", "%r1 ", 1).replace("%r ", "%r2 "))
    reported = findings(text, BY_CODE["PTO0102"])
    assert [d.line for d in reported] == [8, 9, 10]


def test_revision_micro_allows_what_the_suite_does() -> None:
    for code in ("PTO0102", "PTO0104"):
        program = ir.lower(ir.parse(BY_CODE[code].bad))
        assert check(program, TARGETS["a5"], "micro") == []


def test_profiles_differ() -> None:
    program = ir.lower(ir.parse(BY_CODE["PTO0202"].bad))
    assert check(program, TARGETS["cpu"], "manual") == []
    assert check(program, TARGETS["a2a3"], "manual") == []


def test_an_instruction_of_other_targets_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    record = TABLE["pto.vadd"]
    monkeypatch.setitem(TABLE, record.name, replace(record, targets=("a5",)))
    program = ir.lower(ir.parse(BY_CODE["PTO0101"].fixed))
    (finding,) = check(program, TARGETS["cpu"], "manual")
    assert (finding.code, finding.expected) == ("PTO0201", "target a5")
    assert check(program, TARGETS["a5"], "manual") == []


def test_a_missing_conversion_says_what_there_is() -> None:
    (finding,) = findings(BY_CODE["PTO0106"].bad, BY_CODE["PTO0106"])
    assert finding.message == "pto.vcvt has no form from f32 to i8"
    assert "si16" in finding.expected
    assert "hif8" in finding.expected
    assert finding.hint == "two conversions do it, through f16"
    (finding,) = check(ir.lower(ir.parse(BY_CODE["PTO0106"].bad)), TARGETS["cpu"], "manual")
    assert "hif8" not in finding.expected


def test_an_attribute_of_other_conversions_is_named() -> None:
    (finding,) = findings(BY_CODE["PTO0107"].bad, BY_CODE["PTO0107"])
    assert finding.message == "pto.vcvt from f32 to f16: 'part' has no such value"
    assert finding.expected == "NONE, EVEN, ODD"
    text = in_scope(f'    %r = pto.vcvt %v, %m {{part = "ODD"}} : {V}, {M} -> !pto.vreg<64xi32>')
    (finding,) = findings(text, BY_CODE["PTO0107"])
    assert (finding.code, finding.expected) == ("PTO0107", "no 'part'")


def test_types_that_do_not_fit_are_no_crash() -> None:
    """A constraint reads the types of a use; it is not asked about ones that do not fit."""
    text = in_scope(f"    pto.vsts %v, %ub[%c0], %n : {V}, !pto.ptr<f32, ub>, i32")
    assert [d.code for d in findings(text, BY_CODE["PTO0101"])] == ["PTO0101"]


def test_errors_of_reading_and_of_checking_come_together() -> None:
    text = in_scope(
        f'    %p = pto.pset_b32 "PAT_FOO" : {M}\n'
        f"    %r = pto.vadd %v, %undefined, %m : {V}, {V}, {M} -> {V}\n"
        f"    %s = pto.vand %v, %v, %p : {V}, {V}, {M} -> {V}\n"
        f"    %t = pto.vabs %r, %m : {V}, {M} -> {V}"
    )
    with pytest.raises(ptoscope.PtoError) as caught:
        ptoscope.load(text)
    found = [(d.line, d.code) for d in caught.value.diagnostics]
    assert found == [(8, "PTO0103"), (9, "PTO0003"), (10, "PTO0102")]
