"""Clauses with words: attributes that are written as clauses, with and without commas."""

from __future__ import annotations

import pytest

from ptoscope.ir.forms.clauses import clause_texts, with_clauses, word_table
from ptoscope.isa.dtypes import I64
from ptoscope.isa.patterns import ScalarIn
from ptoscope.isa.record import Attr, Form, Group, Operand

N = ScalarIn((I64,))


def number(name: str) -> Operand:
    return Operand(name, N)


FORM = Form(
    (number("a"),),
    attrs=(
        Attr("flag", ("none", "check"), "none", clause="unit_flag(*)"),
        Attr("mode", ("none", "fast", "slow"), "none", clause="scale(mode = *)"),
        Attr("layout", ("none", "rows", "columns"), "none", clause="*"),
        Attr("quiet", (), 0, high=1, is_flag=True, clause="quiet"),
        Attr(
            "sat", ("none", "sat", "sat_nan"), "none", clause="*", written={"sat_nan": "sat(nan)"}
        ),
    ),
    groups=(
        Group("scale", (number("factor"),), "optional", unnamed=True),
        Group("top", (number("top"),), "optional", unnamed=True, inside="scale"),
        Group("columns", (number("step"),), "optional", unnamed=True),
    ),
    syntax="a, groups {flag, mode, layout, quiet, sat} : all",
    clauses=("unit_flag", "scale", "rows", "columns", "quiet", "sat"),
)


def test_words_of_a_form():
    told = {(w.keyword, w.label, w.token): said for w, said in word_table(FORM).meanings.items()}
    assert told == {
        ("unit_flag", "", "check"): ("flag", "check"),
        ("scale", "mode", "fast"): ("mode", "fast"),
        ("scale", "mode", "slow"): ("mode", "slow"),
        ("rows", "", ""): ("layout", "rows"),
        ("columns", "", ""): ("layout", "columns"),
        ("quiet", "", ""): ("quiet", 1),
        ("sat", "", ""): ("sat", "sat"),
        ("sat", "", "nan"): ("sat", "sat_nan"),
    }


@pytest.mark.parametrize(
    ("attrs", "clauses", "texts"),
    [
        ({}, [], []),
        ({"flag": "none", "quiet": 0}, [], []),
        ({"flag": "check", "sat": "sat_nan"}, [], ["unit_flag(check)", "sat(nan)"]),
        ({"layout": "columns"}, [("columns", ["%s"])], ["columns(%s)"]),
        (
            {"sat": "sat", "quiet": 1, "mode": "fast"},
            [("scale", ["%f"]), ("top", ["%t"])],
            ["scale(%f, mode = fast, top = %t)", "quiet", "sat"],
        ),
        ({"mode": "slow"}, [("top", ["%t"])], ["scale(mode = slow, top = %t)"]),
    ],
)
def test_clauses_as_text(
    attrs: dict[str, str | int], clauses: list[tuple[str, list[str]]], texts: list[str]
):
    assert clause_texts(FORM, attrs, clauses) == texts


def test_commas_stand_before_a_break():
    assert with_clauses(FORM, "x %a", ["quiet", "sat"]) == ["x %a,", " quiet,", " sat"]
    plain = Form((number("a"),), syntax="a groups : all")
    assert with_clauses(plain, "x %a", ["quiet", "sat"]) == ["x %a", " quiet", " sat"]
