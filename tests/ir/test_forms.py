"""Matching of forms, on instructions made for the purpose."""

from __future__ import annotations

import pytest

from ptoscope import ir
from ptoscope.diagnostics import PtoError
from ptoscope.ir.language import Language
from ptoscope.ir.reading.parse import parse
from ptoscope.isa import TABLE
from ptoscope.isa.dtypes import F32, I32
from ptoscope.isa.patterns import PtrTo, ScalarIn
from ptoscope.isa.record import Attr, Form, Operand, Record, Run, Site

POINTER = Operand("base", PtrTo())
COUNT = Operand("count", ScalarIn((I32,)))
SCALE = Operand("scale", ScalarIn((F32,)))
MODE = Attr("mode", ("A", "B"), default="A")


def _meaning(site: Site) -> Run:
    raise NotImplementedError


def language(*forms: Form) -> Language:
    record = Record("pto.probe", "test", "A probe.", forms, _meaning)
    return Language({"pto.probe": record, "arith.constant": TABLE["arith.constant"]})


def text(line: str) -> str:
    return f"func.func @k(%p: !pto.ptr<f32, ub>, %i: i32, %f: f32) {{\n  {line}\n  return\n}}\n"


def form(line: str, known: Language) -> int:
    """The form a line is read in, after a round trip through both forms."""
    module = parse(text(line), of=known)
    custom = ir.print_module(module)
    again = parse(ir.print_module(module, generic=True), of=known)
    assert ir.print_module(again) == custom
    (before,) = [op.form for op in module.program.functions[0].ops() if op.name == "pto.probe"]
    (after,) = [op.form for op in again.program.functions[0].ops() if op.name == "pto.probe"]
    assert before == after
    return before


def test_brackets_tell_forms_apart():
    known = language(
        Form((POINTER, COUNT)),
        Form((POINTER, COUNT), syntax="base[count] : base"),
    )
    assert form("pto.probe %p, %i : !pto.ptr<f32, ub>, i32", known) == 0
    assert form("pto.probe %p[%i] : !pto.ptr<f32, ub>", known) == 1
    # The generic form of both looks alike, so the second one names its form.
    generic = ir.print_module(
        parse(text("pto.probe %p[%i] : !pto.ptr<f32, ub>"), of=known), generic=True
    )
    assert "pto.form = 1 : i64" in generic


def test_types_tell_forms_apart():
    known = language(Form((POINTER, COUNT)), Form((POINTER, SCALE)))
    assert form("pto.probe %p, %i : !pto.ptr<f32, ub>, i32", known) == 0
    assert form("pto.probe %p, %f : !pto.ptr<f32, ub>, f32", known) == 1


def test_offset_types_may_be_listed():
    known = language(Form((POINTER, COUNT), syntax="base[count] : base"))
    full = ir.print_module(parse(text("pto.probe %p[%i] : !pto.ptr<f32, ub>, i32"), of=known))
    assert full == text("pto.probe %p[%i] : !pto.ptr<f32, ub>")


@pytest.mark.parametrize(
    ("line", "mode"),
    [
        ("pto.probe %p : !pto.ptr<f32, ub>", "A"),
        ('pto.probe %p {mode = "A"} : !pto.ptr<f32, ub>', "A"),
        ('pto.probe %p {mode = "B"} : !pto.ptr<f32, ub>', "B"),
    ],
)
def test_defaults_are_printed_only_where_written(line: str, mode: str):
    known = language(Form((POINTER,), attrs=(MODE,), syntax="base {mode} : base"))
    module = parse(text(line), of=known)
    assert ir.print_module(module) == text(line)
    (probe, _) = module.program.functions[0].ops()
    assert probe.attrs == {"mode": mode}


def test_a_trailing_token_may_be_left_out():
    known = language(Form((POINTER,), attrs=(MODE,), syntax='base, "mode" : base'))
    for line in ("pto.probe %p : !pto.ptr<f32, ub>", 'pto.probe %p, "B" : !pto.ptr<f32, ub>'):
        assert ir.print_module(parse(text(line), of=known)) == text(line)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("pto.probe : i32", "probe takes 1 operand (base[count]), found 0"),
        ("pto.probe %p, %i : i32", "probe takes an address 'base[count]'"),
        ('pto.probe "A" : i32', "expected an address 'base[count]'"),
        ("pto.probe %p[%i]", "probe is written with 1 operand type, found 0"),
        ("pto.probe %p[%i] : !pto.ptr<f32, ub> -> i32", "probe is written with 0 result types"),
        ("pto.probe %p[%i] pad(%i) : !pto.ptr<f32, ub>", "probe takes no clause 'pad' here"),
    ],
)
def test_the_nearest_form_complains(line: str, message: str):
    known = language(Form((POINTER, COUNT), syntax="base[count] : base"))
    with pytest.raises(PtoError) as caught:
        parse(text(line), of=known)
    (found,) = caught.value.diagnostics
    assert found.code == "PTO0008"
    assert found.message.startswith(message)
