"""Edits: applied to the text of a kernel in any layout, they leave the rest as it was."""

from __future__ import annotations

import pytest

from ptoscope.check import catalogue
from ptoscope.diagnostics import Diagnostic, Edit, Span, edited

from .kernels import HM, H, M, P, V, findings, in_scope


def test_edits_are_applied_together() -> None:
    text = "one\ntwo three\nfour\n"
    edits = (
        Edit(Span(2, 1, 3), "2"),
        Edit(Span(2, 5, 0), "2.5 "),
        Edit(Span(3, 1, 5), ""),
        Edit(Span(1, 1, 0), "zero\n"),
    )
    assert edited(text, edits) == "zero\none\n2 2.5 three\n"


def test_a_fix_is_shown_and_in_the_json() -> None:
    edits = (
        Edit(Span(3, 5, 0), "%n = pto.x\n"),
        Edit(Span(4, 9, 6), "right"),
        Edit(Span(5, 1, 4), ""),
    )
    diagnostic = Diagnostic("PTO0000", "wrong", span=Span(4, 9, 6), fix=edits)
    assert str(diagnostic).split("\n")[1:] == [
        "  fix: insert `%n = pto.x` before 3:5",
        "  fix: write `right` at 4:9-14",
        "  fix: delete 5:1-4",
    ]
    record = diagnostic.as_json()
    assert record["length"] == 6
    assert record["fix"] == [
        {"line": 3, "column": 5, "length": 0, "text": "%n = pto.x\n"},
        {"line": 4, "column": 9, "length": 6, "text": "right"},
        {"line": 5, "column": 1, "length": 4, "text": ""},
    ]
    assert "fix" not in Diagnostic("PTO0000", "wrong").as_json()


def repaired(text: str) -> str:
    """The text after the only fix that is offered."""
    (finding,) = [d for d in findings(text) if d.fix]
    return edited(text, finding.fix)


@pytest.mark.parametrize(
    "lines",
    [
        (f"%r = pto.vadd %v, %v, %h : {V}, {V}, {HM} -> {V}",),
        (f"%r = pto.vadd %v, %v, %h  // %h : {HM}", f"  : {V}, {V}, {HM} -> {V}"),
        (f"pto.vadd ins(%v, %v, %h : {V}, {V}, {HM}) outs(%r : {V})",),
        (f"vadd %r, %v, %v, %h : {V}",),
        (
            f"%r = pto.vadd %v, %v, %h : ({V}, {V}, {HM}) -> {V}",
            f"%s = pto.vabs %r, %m : {V}, {M} -> {V}",
        ),
    ],
    ids=["a line", "two lines", "dps", "assembly", "parentheses"],
)
def test_a_mask_of_another_width_in_every_spelling(lines: tuple[str, ...]) -> None:
    text = repaired(with_own_mask(*lines))
    assert findings(text) == []
    assert f'    %h_b32 = pto.pset_b32 "PAT_H" : {M}\n' in text
    assert text.count("\n") == in_scope(*lines).count("\n") + 1


def with_own_mask(*lines: str) -> str:
    """No mask of 32 bits is made as %h is."""
    return in_scope(*lines).replace('pset_b16 "PAT_ALL"', 'pset_b16 "PAT_H"')


def test_a_mask_made_from_a_count() -> None:
    tail = f"%t, %rest = pto.plt_b32 %n : i32 -> {M}, i32"
    text = repaired(in_scope(tail, f"%r = pto.vneg %w, %t : {H}, {M} -> {H}"))
    assert f"%t_b16, %t_b16_rest = pto.plt_b16 %n : i32 -> {HM}, i32" in text
    assert findings(text) == []


def test_no_fix_where_it_is_not_known_how() -> None:
    chosen = f'%k = pto.vcmps %v, %x, %m, "gt" : {V}, f32, {M} -> {M}'
    (finding,) = findings(in_scope(chosen, f"%r = pto.vneg %w, %k : {H}, {M} -> {H}"))
    assert (finding.code, finding.fix) == ("PTO0101", ())


def test_a_new_name_is_new() -> None:
    text = repaired(with_own_mask(f"%h_b32 = pto.vneg %v, %h : {V}, {HM} -> {V}"))
    assert "%h_b32_1 = pto.pset_b32" in text
    assert findings(text) == []


@pytest.mark.parametrize(
    ("entries", "left"),
    [
        ('{part = "ODD"}', ""),
        ('{part = "ODD", rnd = "R"}', ' {rnd = "R"}'),
        ('{rnd = "R", part = "ODD"}', ' {rnd = "R"}'),
    ],
)
def test_an_attribute_that_means_nothing_is_taken_out(entries: str, left: str) -> None:
    line = f"%r = pto.vcvt %v, %m {entries} : {V}, {M} -> !pto.vreg<64xi32>"
    text = repaired(in_scope(line))
    assert f"pto.vcvt %v, %m{left} :" in text
    assert findings(text) == []


@pytest.mark.parametrize("code", ["PTO0402", "PTO0403", "PTO0404", "PTO0405"])
def test_stream_fixes_keep_the_layout(code: str) -> None:
    text = catalogue.entry(code).bad.replace("    %v =", "    // kept\n    %v =")
    changed = repaired(text)
    assert findings(changed) == []
    assert "    // kept\n" in changed
    assert "\n\n" not in changed


def test_a_stream_that_a_loop_carries_is_flushed_behind_it() -> None:
    lines = (
        "%a = pto.init_align : !pto.align",
        "%b = scf.for %k = %c0 to %end step %c1 iter_args(%s = %a) -> (!pto.align) {",
        f"  %t = pto.vstur %s, %v, %odd : !pto.align, {V}, {P} -> !pto.align",
        "  scf.yield %t : !pto.align",
        "}  // the end",
    )
    text = repaired(in_scope(*lines))
    assert f"    }}  // the end\n    pto.vstar %b, %odd : !pto.align, {P}\n" in text
    assert findings(text) == []
