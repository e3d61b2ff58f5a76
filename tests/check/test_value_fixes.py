"""Fixes of masks, modes and parts: none that clashes with another, none that changes values."""

from __future__ import annotations

import pytest

from ptoscope.check import check
from ptoscope.check.apply import fixed
from ptoscope.diagnostics import Diagnostic, PtoError, edited
from ptoscope.isa.targets import TARGETS
from ptoscope.sources import parse

from .pipes import M, kernel, scope

H, P = "!pto.vreg<128xf16>", "!pto.ptr<f16, ub>"
P8, V8 = "!pto.ptr<f8e4m3, ub>", "!pto.vreg<256xf8e4m3>"
B16 = "!pto.mask<b16>"


def found(text: str) -> list[Diagnostic]:
    try:
        return check(parse(text, "<string>"), TARGETS["a5"], "manual")
    except PtoError as error:
        return list(error.diagnostics)


def work(mask: str = "%m", kind: str = M) -> list[str]:
    """Three uses of a mask for 128 lanes."""
    return [
        f"%h = pto.vlds %p[%i0] : {P} -> {H}",
        f"%h1 = pto.vabs %h, {mask} : {H}, {kind} -> {H}",
        f"%h2 = pto.vneg %h1, {mask} : {H}, {kind} -> {H}",
        f"pto.vsts %h2, %q[%i0], {mask} : {H}, {P}, {kind}",
    ]


def halves(*scopes: str) -> str:
    pointers = [f"%{n} = pto.castptr %l{at} : i64 -> {P}" for n, at in (("p", 0), ("q", 4096))]
    return kernel(*pointers, *scopes)


def wrong(text: str) -> list[Diagnostic]:
    return [d for d in found(text) if d.code in ("PTO0101", "PTO0108")]


@pytest.mark.parametrize("scopes", [1, 2])
def test_one_mask_is_made_for_all_uses_of_a_scope(scopes: int) -> None:
    text = halves(*[scope(*work())] * scopes)
    fixes = [d.fix for d in wrong(text)]
    assert len(fixes) == 3 * scopes
    together = edited(text, {edit for fix in fixes for edit in fix})
    assert wrong(together) == []
    assert together.count("pto.pset_b16") == scopes
    # One after the other they come to the same.
    one_by_one = text
    while left := wrong(one_by_one):
        one_by_one = edited(one_by_one, left[0].fix)
    assert one_by_one.count("pto.pset_b16") == scopes
    assert fixed(text, wrong).text == together


def test_a_mask_that_is_there_is_used() -> None:
    there = f'%half = pto.pset_b16 "PAT_ALL" : {B16}'
    after = fixed(halves(scope(there, *work())), wrong)
    assert after.left == []
    assert after.text == halves(scope(there, *work("%half", B16)))


def test_a_mask_of_another_pattern_or_scope_is_not_the_one() -> None:
    other = f'%half = pto.pset_b16 "PAT_H" : {B16}'
    elsewhere = scope(*work("%m_b16", B16)).replace(
        "pto.vecscope {", f'pto.vecscope {{\n%m_b16 = pto.pset_b16 "PAT_ALL" : {B16}'
    )
    after = fixed(halves(elsewhere, scope(other, *work())), wrong)
    assert after.left == []
    assert after.text.count("pto.pset_b16") == 3
    assert after.text.count(", %m_b16_1 :") == 3
    assert ", %half" not in after.text


def test_the_mask_of_a_count_is_made_of_the_same_count() -> None:
    made = f"%some_b16, %some_b16_rest = pto.plt_b16 %todo : i32 -> {B16}, i32"
    lines = [f"%some, %rest = pto.plt_b32 %todo : i32 -> {M}, i32", *work("%some")]
    after = fixed(halves("%todo = arith.constant 100 : i32", scope(*lines)), wrong)
    assert after.left == []
    assert after.text.count(made) == 1


@pytest.mark.parametrize(
    "line",
    [
        f'pto.vsts %h, %q[%i0], %m {{dist = "PK_B32"}} : {H}, {P}, {M}',
        f'pto.vsts %h, %q[%i0], %m {{dist = "PK4_B16"}} : {H}, {P}, {M}',
        f'%w = pto.vlds %p[%i0] {{dist = "UNPK_B32"}} : {P} -> {H}',
        # The mode whose name is nearest stores one lane.
        f"%e = pto.vlds %o[%i0] : {P8} -> {V8}\n"
        f'pto.vsts %e, %o[%i0], %m {{dist = "PK4_B8"}} : {V8}, {P8}, {M}',
    ],
)
def test_what_packs_gets_no_other_mode_or_mask(line: str) -> None:
    octets = f"%o = pto.castptr %l8192 : i64 -> {P8}"
    text = halves(octets, scope(f"%h = pto.vlds %p[%i0] : {P} -> {H}", line))
    about = [d for d in found(text) if d.code in ("PTO0101", "PTO0103", "PTO0104", "PTO0108")]
    assert about
    for d in about:
        assert d.fix == ()
        assert "part" in d.hint, d


@pytest.mark.parametrize("part", ["P0", "P1"])
def test_a_part_that_does_not_exist_is_not_guessed(part: str) -> None:
    line = f'%w = pto.vcvt %h, %m {{part = "{part}"}} : {H}, {B16} -> !pto.vreg<64xf32>'
    text = halves(scope(f"%h = pto.vlds %p[%i0] : {P} -> {H}", line)).replace(
        "pset_b32", "pset_b16"
    )
    about = [
        d
        for d in found(text.replace(f'"PAT_ALL" : {M}', f'"PAT_ALL" : {B16}'))
        if d.code == "PTO0107"
    ]
    assert about
    for d in about:
        assert d.fix == ()
        assert "how the result is used" in d.hint
