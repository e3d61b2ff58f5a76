"""Scalar operations of the pto dialect: each is read as the arith operation that it stands for."""

from __future__ import annotations

import re

import numpy as np
import pytest

import ptoscope
from ptoscope import PtoError, ir
from ptoscope.isa import TABLE

_TYPES = {"i": "%a: i32, %b: i32, %c: i1", "f": "%a: f32, %b: f32, %c: i1"}

PAGE = [
    ("pto.constant 3 : i32", "arith.constant 3 : i32"),
    ("pto.addi %a, %b : i32", "arith.addi %a, %b : i32"),
    (
        "pto.addi %a, %b overflow<nsw, nuw> : i32",
        "arith.addi %a, %b overflow<nsw, nuw> : i32",
    ),
    ("pto.subi %a, %b : i32", "arith.subi %a, %b : i32"),
    ("pto.muli %a, %b : i32", "arith.muli %a, %b : i32"),
    ("pto.negi %a : i32", "arith.subi %c0, %a : i32"),
    ("pto.divi %a, %b signed : i32", "arith.divsi %a, %b : i32"),
    ("pto.divi %a, %b unsigned : i32", "arith.divui %a, %b : i32"),
    ("pto.floordiv %a, %b signed : i32", "arith.floordivsi %a, %b : i32"),
    ("pto.floordiv %a, %b unsigned : i32", "arith.divui %a, %b : i32"),
    ("pto.ceildiv %a, %b signed : i32", "arith.ceildivsi %a, %b : i32"),
    ("pto.ceildiv %a, %b unsigned : i32", "arith.ceildivui %a, %b : i32"),
    ("pto.remi %a, %b signed : i32", "arith.remsi %a, %b : i32"),
    ("pto.remi %a, %b unsigned : i32", "arith.remui %a, %b : i32"),
    ("pto.and %a, %b : i32", "arith.andi %a, %b : i32"),
    ("pto.or %a, %b : i32", "arith.ori %a, %b : i32"),
    ("pto.xor %a, %b : i32", "arith.xori %a, %b : i32"),
    ("pto.shl %a, %b : i32", "arith.shli %a, %b : i32"),
    ("pto.shr %a, %b signed : i32", "arith.shrsi %a, %b : i32"),
    ("pto.shr %a, %b unsigned : i32", "arith.shrui %a, %b : i32"),
    ("pto.cmpi eq %a, %b signed : i32", "arith.cmpi eq, %a, %b : i32"),
    ("pto.cmpi gt %a, %b signed : i32", "arith.cmpi sgt, %a, %b : i32"),
    ("pto.cmpi le %a, %b unsigned : i32", "arith.cmpi ule, %a, %b : i32"),
    ("pto.cmpf ne %a, %b : f32", "arith.cmpf one, %a, %b : f32"),
    ("pto.cmpf une %a, %b : f32", "arith.cmpf une, %a, %b : f32"),
    ("pto.maxi %a, %b signed : i32", "arith.maxsi %a, %b : i32"),
    ("pto.mini %a, %b unsigned : i32", "arith.minui %a, %b : i32"),
    ("pto.maxf %a, %b : f32", "arith.maxnumf %a, %b : f32"),
    ("pto.minimum %a, %b : f32", "arith.minimumf %a, %b : f32"),
    ("pto.addf %a, %b fastmath<nnan,ninf> : f32", "arith.addf %a, %b fastmath<nnan, ninf> : f32"),
    ("pto.negf %a : f32", "arith.negf %a : f32"),
    ("pto.exti %a signed : i32 -> i64", "arith.extsi %a : i32 to i64"),
    ("pto.exti %a unsigned : i32 -> i64", "arith.extui %a : i32 to i64"),
    ("pto.trunci %a : i32 -> i16", "arith.trunci %a : i32 to i16"),
    ("pto.ftof %a : f32 -> f16", "arith.truncf %a : f32 to f16"),
    ("pto.ftof %a : f32 -> f64", "arith.extf %a : f32 to f64"),
    ("pto.ftof %a round(r) nosat : f32 -> f16", "arith.truncf %a : f32 to f16"),
    ("pto.ftof %a round(a) : f32 -> f16", "arith.truncf %a to_nearest_away : f32 to f16"),
    ("pto.ftof %a round(f) : f32 -> f16", "arith.truncf %a downward : f32 to f16"),
    ("pto.ftof %a round(c) : f32 -> f16", "arith.truncf %a upward : f32 to f16"),
    (
        "pto.ftof %a round(z) fastmath<nnan> : f32 -> f16",
        "arith.truncf %a toward_zero fastmath<nnan> : f32 to f16",
    ),
    ("pto.ftoi %a unsigned : f32 -> i32", "arith.fptoui %a : f32 to i32"),
    ("pto.itof %a signed : i32 -> f32", "arith.sitofp %a : i32 to f32"),
    ("pto.bitcast %a : f32 -> i32", "arith.bitcast %a : f32 to i32"),
    ("pto.index_cast %a signed : i32 -> index", "arith.index_cast %a : i32 to index"),
    ("pto.index_cast %a unsigned : i32 -> index", "arith.index_castui %a : i32 to index"),
    ("pto.select %c, %a, %b : i32", "arith.select %c, %a, %b : i32"),
]


def _text(line: str, results: str = "%r") -> str:
    given = _TYPES["f" if re.search(r"%\w+[^:]*: f32", line) else "i"]
    return f"func.func @k({given}) {{\n  {results} = {line}\n  return\n}}\n"


@pytest.mark.parametrize(("line", "meant"), PAGE)
def test_it_is_the_operation_of_arith(line: str, meant: str) -> None:
    printed = ir.print_module(ir.parse(_text(line)))
    assert f"%r = {meant}\n" in printed
    assert ir.print_module(ir.parse(printed)) == printed


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("pto.addui_extended %a, %b : i32, i1", "arith.addui_extended %a, %b : i32, i1"),
        ("pto.mul_extended %a, %b signed : i32", "arith.mulsi_extended %a, %b : i32"),
        ("pto.mul_extended %a, %b unsigned : i32", "arith.mului_extended %a, %b : i32"),
    ],
)
def test_those_with_two_results(line: str, meant: str) -> None:
    assert f"%l, %h = {meant}\n" in ir.print_module(ir.parse(_text(line, "%l, %h")))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("pto.divi %a, %b : i32", "signed or unsigned"),
        ("pto.addi %a, %b signed : i32", "':'"),
        ("pto.cmpi sgt %a, %b signed : i32", "one of eq, ne, lt, le, gt, ge"),
        ("pto.cmpi %a, %b signed : i32", "one of eq, ne, lt, le, gt, ge"),
        ("pto.addi gt %a, %b : i32", "a value"),
        ("pto.exti %a signed : i32", "'->' and a type"),
        ("pto.addi %a, %b : i32 -> i32", "one type"),
        ("pto.addi %a, %b, %c : i32", "2"),
        ("pto.addi %a : i32", "2"),
        ("pto.negi %a, %b : i32", "1"),
        ("pto.ftof %a round(o) : f32 -> f16", "r, f, c, z, a"),
        ("pto.ftof %a round(z) : f32 -> f64", ""),
        ("pto.ftoi %a signed round(z) : f32 -> i32", ""),
        ("pto.ftoi %a signed sat : f32 -> i32", "nosat"),
        ("pto.negi %a : f32", ""),
    ],
)
def test_what_is_wrong_is_said(line: str, said: str) -> None:
    with pytest.raises(PtoError) as error:
        ir.parse(_text(line))
    first = error.value.diagnostics[0]
    assert (first.line, first.expected) == (2, said)


_ROUNDINGS = ("r", "f", "c", "z", "a")
_SIGNED = "signedness = #pto<signedness signed>"


def _generic(line: str) -> str:
    """A line of the page in generic form, with the attributes that compilers print."""
    head, _, types = line.partition(" : ")
    kind, _, result = types.partition(" -> ")
    name, *_ = head.split()
    operands = re.findall(r"%\w+", head)
    entries: list[str] = []
    if name == "pto.constant":
        entries.append(f"value = {head.split()[-1]} : {types}")
    if name[:7] == "pto.cmp":
        entries.append(f"predicate = #pto<scalar_cmp_predicate {head.split()[1]}>")
        result = "i1"
    for sign in re.findall(r" (signed|unsigned)$", head):
        entries.append(f"signedness = #pto<signedness {sign}>")
    for mode in re.findall(r"round\((.)\)", head):
        entries.append(f"roundingmode = {_ROUNDINGS.index(mode)} : i32")
    for promise, words in re.findall(r"(overflow|fastmath)<(.*?)>", head):
        key = "overflowFlags" if promise == "overflow" else promise
        entries.append(f"{key} = #pto.{promise}<{words}>")
    kinds = ["i1", kind, kind] if name == "pto.select" else [kind] * len(operands)
    properties = f" <{{{', '.join(entries)}}}>" if entries else ""
    ends = f"({', '.join(kinds)}) -> {result or kind}"
    return f'"{name}"({", ".join(operands)}){properties} : {ends}'


@pytest.mark.parametrize(("line", "meant"), PAGE)
def test_generic_form(line: str, meant: str) -> None:
    text = _text(line).replace(line, _generic(line))
    module = ir.parse(text)
    assert f"%r = {meant}\n" in ir.print_module(module)
    for generic in (True, False):
        printed = ir.print_module(module, generic=generic)
        assert ir.print_module(ir.parse(printed), generic=generic) == printed


@pytest.mark.parametrize(
    "entries",
    [
        "<{signedness = #pto.signedness<unsigned>}>",
        "{signedness = #pto<signedness unsigned>}",
        '<{signedness = "unsigned"}>',
    ],
)
def test_spellings_of_an_attribute(entries: str) -> None:
    line = f'"pto.divi"(%a, %b) {entries} : (i32, i32) -> i32'
    text = f"func.func @k(%a: i32, %b: i32) {{\n  %r = {line}\n  return\n}}\n"
    assert "%r = arith.divui %a, %b : i32\n" in ir.print_module(ir.parse(text))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('"pto.divi"(%a, %b) : (i32, i32) -> i32', "expected signed or unsigned"),
        (f'"pto.addi"(%a, %b) <{{{_SIGNED}}}> : (i32, i32) -> i32', "expected ':'"),
        (
            f'"pto.cmpi"(%a, %b) <{{predicate = #pto<scalar_cmp_predicate oeq>, {_SIGNED}}}>'
            " : (i32, i32) -> i1",
            "one of eq, ne, lt, le, gt, ge",
        ),
        (f'"pto.cmpi"(%a, %b) <{{{_SIGNED}}}> : (i32, i32) -> i1', "predicate"),
        ('"pto.addi"(%a) : (i32) -> i32', "takes 2 operands"),
        ('"pto.negi"(%a, %b) : (i32, i32) -> i32', "takes 1 operand"),
        ('"pto.ftof"(%f) <{roundingmode = 5 : i32}> : (f32) -> f16', "mode from 0 to 4"),
        ('"pto.ftof"(%f) <{roundingmode = 3 : i32}> : (f32) -> f64', "takes a rounding"),
        (
            '"pto.ftof"(%f) <{saturation = #pto.saturation<sat>}> : (f32) -> f16',
            "in SIMT code",
        ),
    ],
)
def test_what_is_wrong_in_generic_form_is_said(line: str, said: str) -> None:
    with pytest.raises(PtoError) as error:
        ir.parse(f"func.func @k(%a: i32, %b: i32, %f: f32) {{\n  %r = {line}\n  return\n}}\n")
    first = error.value.diagnostics[0]
    assert first.line == 2
    assert said in str(error.value)


@pytest.mark.parametrize(
    "line",
    [
        "%r = pto.addf %v, %v : vector<4xf32>",
        "%r = pto.constant dense<1.0> : vector<4xf32>",
        "%r = pto.exp %v : vector<2xf16> -> vector<2xf16>",
        '%r = "pto.addf"(%v, %v) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>',
    ],
)
def test_builtin_vectors_are_told_as_such(line: str) -> None:
    with pytest.raises(PtoError) as error:
        ir.parse(f"func.func @k(%v: f32) {{\n  {line}\n  return\n}}\n")
    said = error.value.diagnostics
    assert {(d.code, d.line, d.message) for d in said} == {
        ("PTO0005", 2, "builtin vectors are not modelled")
    }
    assert "SIMT" in said[0].hint


def test_a_precise_division_is_a_division() -> None:
    """Every division is correctly rounded."""
    line = "divf %a, %b {precisionType = #pto<div_precision high_precision>} : f32"
    assert f"%r = arith.{line}\n" in ir.print_module(ir.parse(_text(f"pto.{line}")))


def test_loads_and_stores() -> None:
    kernel = ptoscope.load(
        """func.func @k(%x: !pto.ptr<f32, gm>) attributes {pto.aicore} {
      %c1 = pto.constant 1 : index
      %c2 = pto.constant 2 : index
      %half = pto.constant 0.5 : f32
      %v = pto.load %x[%c1] : !pto.ptr<f32, gm> -> f32
      %w = pto.mulf %v, %half : f32
      pto.store %w, %x[%c2] : !pto.ptr<f32, gm>, f32
      return
    }"""
    )
    x = np.array([1, 5, 9], np.float32)
    kernel(x)
    assert x.tolist() == [1, 5, 2.5]


def test_no_alias_is_the_name_of_another_record() -> None:
    aliases = [alias for record in TABLE.values() for alias in record.aliases]
    assert not {alias.split(" ")[0] for alias in aliases} & set(TABLE)
