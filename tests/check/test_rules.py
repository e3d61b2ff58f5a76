"""Rules about single operations: what they point at, what they say, what they leave alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

import ptoscope
from ptoscope.check import catalogue
from ptoscope.isa import TABLE

from .kernels import FIRST, HM, H, I, M, P, V, codes, findings, in_scope


def bad(code: str) -> str:
    return catalogue.entry(code).bad


def test_a_finding_points_at_the_operand() -> None:
    (finding,) = findings(bad("PTO0101"))
    assert finding.source_line[finding.column - 1 :].startswith("%mask :")
    assert (finding.found, finding.expected) == (HM, M)
    assert "b32" in finding.hint


def test_all_findings_come_in_source_order() -> None:
    lines = [f"%r{i} = pto.vand %v, %v, %m : {V}, {V}, {M} -> {V}" for i in range(3)]
    assert [d.line for d in findings(in_scope(*lines))] == [FIRST, FIRST + 1, FIRST + 2]


def test_an_illegal_instruction_is_reported_even_if_its_result_is_unused() -> None:
    (finding,) = findings(bad("PTO0102"))
    assert "%both" in finding.source_line
    assert bad("PTO0102").count("%both") == 1


@pytest.mark.parametrize("code", ["PTO0102", "PTO0104"])
def test_revision_micro_allows_what_the_suite_does(code: str) -> None:
    assert findings(bad(code))
    assert findings(bad(code), revision="micro") == []


def test_profiles_differ() -> None:
    assert findings(bad("PTO0202"), "cpu") == []
    assert findings(bad("PTO0202"), "a2a3") == []
    for code in ("PTO0203", "PTO0204", "PTO0205", "PTO0201"):
        assert findings(bad(code), "a5") == []


def test_an_instruction_of_other_targets_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    record = TABLE["pto.vadd"]
    monkeypatch.setitem(TABLE, record.name, replace(record, targets=("a5",)))
    fixed = catalogue.entry("PTO0101").fixed
    (finding,) = findings(fixed, "cpu")
    assert (finding.code, finding.expected) == ("PTO0201", "target a5")
    assert findings(fixed) == []


@pytest.mark.parametrize(
    ("mask", "line"),
    [
        # Where a mask passes through another instruction, its granularity goes with it.
        ("%m", f"%r = pto.pand %h, %m, %h : {HM}, {M}, {HM} -> {HM}"),
        ("%m", f"%r = pto.psel %h, %h, %m : {HM}, {HM}, {M} -> {HM}"),
        ("%m", f"%r = pto.vsel %w, %w, %m : {H}, {H}, {M} -> {H}"),
        ("%h", f'%r = pto.vcvt %v, %h {{part = "EVEN"}} : {V}, {HM} -> {H}'),
        ("%m", f'%r = pto.vcvt %w, %m {{part = "EVEN"}} : {H}, {M} -> {V}'),
        ("%h", f'%r = pto.vcmps %v, %x, %h, "gt" : {V}, f32, {HM} -> {M}'),
        ("%h", f"pto.vsts %v, %ub[%c0], %h : {V}, {P}, {HM}"),
        ("%h", f'pto.vsts %v, %ub[%c0], %h {{dist = "PK_B32"}} : {V}, {P}, {HM}'),
        ("%h", f"%r = pto.vsqz %v, %h : {V}, {HM} -> {V}"),
        ("%h", f"%r = pto.vdup %x, %h : f32, {HM} -> {V}"),
    ],
)
def test_the_granularity_of_a_mask_is_that_of_the_data(mask: str, line: str) -> None:
    (finding,) = findings(in_scope(line))
    assert finding.code in ("PTO0101", "PTO0108")
    other = "%h" if mask == "%m" else "%m"
    wrong_type, right_type = (M, HM) if mask == "%m" else (HM, M)
    head, _, types = line.partition(" : ")
    fixed = f"{head.replace(mask, other)} : {types.replace(wrong_type, right_type)}"
    assert codes(fixed) == []


def test_packing_a_mask_changes_its_granularity() -> None:
    pack = f'%p = pto.ppack %m, "LOWER" : {M} -> {HM}'
    use = f"%r = pto.vadd %w, %w, %p : {H}, {H}, {{}} -> {H}"
    assert codes(pack, use.format(HM)) == []
    assert codes(f'%p = pto.ppack %m, "LOWER" : {M} -> {M}', use.format(M)) == ["PTO0101"]


def test_no_promotion() -> None:
    wide = f"%r = pto.vadds %i, %c, %m : {I}, i64, {M} -> {I}"
    assert codes("%c = arith.constant 1 : i64", wide) == ["PTO0101"]
    assert codes(f"%r = pto.vadd %v, %i, %m : {V}, {I}, {M} -> {V}") == ["PTO0101"]
    assert codes(f"pto.vsts %i, %ub[%c0], %m : {I}, {P}, {M}") == ["PTO0101"]


def test_a_missing_conversion_says_what_there_is() -> None:
    (finding,) = findings(bad("PTO0106"))
    assert finding.message == "pto.vcvt has no form from f32 to i8"
    assert "si16" in finding.expected
    assert "hif8" in finding.expected
    assert finding.hint == "two conversions do it, through f16"
    (finding,) = findings(bad("PTO0106"), "cpu")
    assert "hif8" not in finding.expected


def test_an_attribute_of_other_conversions_is_named() -> None:
    (finding,) = findings(bad("PTO0107"))
    assert finding.message == "pto.vcvt from f32 to f16: 'part' has no such value"
    assert finding.expected == "NONE, EVEN, ODD"
    text = in_scope(f'%r = pto.vcvt %v, %m {{part = "ODD"}} : {V}, {M} -> {I}')
    (finding,) = findings(text)
    assert (finding.code, finding.expected) == ("PTO0107", "no 'part'")


def test_types_that_do_not_fit_are_no_crash() -> None:
    """A constraint reads the types of a use; it is not asked about ones that do not fit."""
    assert codes(f"pto.vsts %v, %ub[%c0], %n : {V}, {P}, i32") == ["PTO0101"]


def test_a_type_written_wrong_is_one_mistake() -> None:
    """The operation is not judged by a type that it was not meant to have; what uses its
    result is."""
    text = in_scope(
        f"%a = pto.vadd %v, %v, %m : {I}, {V}, {M} -> {I}",
        f"%b = pto.vadd %a, %i, %h : {I}, {I}, {HM} -> {I}",
    )
    with pytest.raises(ptoscope.PtoError) as caught:
        ptoscope.load(text)
    found = [(d.line - FIRST, d.code) for d in caught.value.diagnostics]
    assert found == [(0, "PTO0009"), (1, "PTO0101")]


def test_errors_of_reading_and_of_checking_come_together() -> None:
    text = in_scope(
        f'%p = pto.pset_b32 "PAT_FOO" : {M}',
        f"%r = pto.vadd %v, %undefined, %m : {V}, {V}, {M} -> {V}",
        f"%s = pto.vand %v, %v, %p : {V}, {V}, {M} -> {V}",
        f"%t = pto.vabs %r, %m : {V}, {M} -> {V}",
        'pto.set_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]',
    )
    with pytest.raises(ptoscope.PtoError) as caught:
        ptoscope.load(text)
    found = [(d.line - FIRST, d.code) for d in caught.value.diagnostics]
    assert found == [(0, "PTO0103"), (1, "PTO0003"), (2, "PTO0102"), (4, "PTO0302")]


@pytest.mark.parametrize(
    ("line", "amount", "expected"),
    [
        (f"%r = pto.vshls %i, %s, %m : {I}, i32, {M} -> {I}", "31", []),
        (f"%r = pto.vshls %i, %s, %m : {I}, i32, {M} -> {I}", "32", ["PTO0109"]),
        (f"%r = pto.vshrs %i, %s, %m : {I}, i32, {M} -> {I}", "-1", ["PTO0109"]),
        (
            f"%t = pto.vbr %s : i32 -> {I}\n%r = pto.vshl %i, %t, %m : {I}, {I}, {M} -> {I}",
            "40",
            ["PTO0109"],
        ),
        ("%r = arith.shrui %n, %s : i32", "32", ["PTO0109"]),
        ("%r = arith.shli %n, %s : i32", "8", []),
    ],
)
def test_constant_shifts(line: str, amount: str, expected: list[str]) -> None:
    assert codes(f"%s = arith.constant {amount} : i32", *line.split("\n")) == expected


@pytest.mark.parametrize(
    ("conversion", "expected"),
    [
        ("%s = arith.extui %b : i8 to i32", ["PTO0109"]),
        ("%s = arith.extsi %b : i8 to i32", ["PTO0109"]),
        ("%s = arith.trunci %l : i64 to i32", ["PTO0109"]),
        # 2**32 has no bit that is left; -1 as 255 of 8 bits is no number that is written.
        ("%s = arith.trunci %far : i64 to i32", []),
        ("%s = arith.extui %minus : i8 to i32", []),
    ],
)
def test_a_conversion_hands_on_the_number_that_fits(conversion: str, expected: list[str]) -> None:
    numbers = (
        "%b = arith.constant 40 : i8",
        "%minus = arith.constant -1 : i8",
        "%l = arith.constant 40 : i64",
        "%far = arith.constant 4294967296 : i64",
    )
    shift = f"%r = pto.vshls %i, %s, %m : {I}, i32, {M} -> {I}"
    assert codes(*numbers, conversion, shift) == expected


def test_a_shift_by_an_unknown_amount_is_left_alone() -> None:
    assert codes(f"%r = pto.vshls %i, %n, %m : {I}, i32, {M} -> {I}") == []


def test_packed_lanes_and_the_mask_they_were_chosen_by() -> None:
    chosen = f'%k = pto.vcmps %v, %x, %m, "gt" : {V}, f32, {M} -> {M}'
    packed = f"%p = pto.vsqz %v, %k : {V}, {M} -> {V}"
    store = "pto.vsts {}, %ub[%c0], {} : " + f"{V}, {P}, {M}"
    assert codes(chosen, packed, store.format("%p", "%k")) == ["PTO0110"]
    assert codes(chosen, packed, store.format("%p", "%m")) == []
    assert codes(chosen, packed, store.format("%v", "%k")) == []
    scatter = f"pto.vscatter %p, %ub, %i, %k : {V}, {P}, {I}, {M}"
    assert codes(chosen, packed, scatter) == ["PTO0110"]
    # Lane by lane: what was packed stays packed.
    negated = f"%q = pto.vneg %p, %m : {V}, {M} -> {V}"
    assert codes(chosen, packed, negated, store.format("%q", "%k")) == ["PTO0110"]
    # The first lanes packed are the first lanes.
    tail = f"%k, %rest = pto.plt_b32 %n : i32 -> {M}, i32"
    assert codes(tail, packed, store.format("%p", "%k")) == []


@pytest.mark.parametrize(
    ("indices", "lanes", "expected"),
    [
        (f"%at = pto.vbr %n : i32 -> {I}", "%m", ["PTO0205"]),
        (f"%at = pto.vdup %n, %m : i32, {M} -> {I}", "%m", ["PTO0205"]),
        (f"%at = pto.vci %n : i32 -> {I}", "%m", []),
        (f"%at = pto.vbr %n : i32 -> {I}", "%one", []),
        # How many lanes this activates is known only when it runs.
        (f"%at = pto.vbr %n : i32 -> {I}", "%some", []),
    ],
)
def test_a_scatter_to_one_element(indices: str, lanes: str, expected: list[str]) -> None:
    masks = (
        f'%one = pto.pset_b32 "PAT_VL1" : {M}',
        f"%some, %rest = pto.plt_b32 %n : i32 -> {M}, i32",
    )
    scatter = f"pto.vscatter %v, %ub, %at, {lanes} : {V}, {P}, {I}, {M}"
    assert codes(*masks, indices, scatter, target="a2a3") == expected
    assert codes(*masks, indices, scatter, target="a5") == []
