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
    ("pto.ftof %a round(r) : f32 -> f64", "arith.extf %a : f32 to f64"),
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
        ("pto.ftof %a round(z) : f32 -> f16", "r"),
        ("pto.negi %a : f32", ""),
    ],
)
def test_what_is_wrong_is_said(line: str, said: str) -> None:
    with pytest.raises(PtoError) as error:
        ir.parse(_text(line))
    first = error.value.diagnostics[0]
    assert (first.line, first.expected) == (2, said)


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
