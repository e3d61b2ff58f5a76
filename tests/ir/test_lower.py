"""Program: slots, attributes, blocks, spans."""

from __future__ import annotations

import math
import pickle

import pytest

from ptoscope.diagnostics import Span
from ptoscope.isa.dtypes import F32, I32, I64
from ptoscope.isa.types import Mask, Ptr, Scalar
from tests.ir.kernels import ADD, function, ops, program


def named(text: str, name: str):
    return [op for op in ops(text) if op.name == name]


def test_module_and_function():
    whole = program(ADD)
    assert (whole.target_arch, whole.kernel_kind, whole.file) == ("a5", "vector", "k.pto")
    kernel = whole.functions[0]
    assert kernel.name == "add"
    assert kernel.is_kernel
    assert [kernel.names[p] for p in kernel.params] == ["a", "b"]
    assert kernel.types[kernel.params[0]] == Ptr(F32, "gm")
    assert kernel.span == Span(3, 3, 9)
    assert kernel.body.ops[-1].name == "func.return"
    assert pickle.loads(pickle.dumps(whole)) == whole


def test_without_module_and_attributes():
    whole = program("func.func @k() {\n  return\n}\n")
    assert (whole.target_arch, whole.kernel_kind) == ("", "")
    assert not whole.functions[0].is_kernel


def test_loop():
    kernel = program(ADD).functions[0]
    (loop,) = named(ADD, "scf.for")
    assert [kernel.names[s] for s in loop.operands] == ["c0", "c256", "c64", "n"]
    (block,) = loop.blocks
    assert [kernel.names[s] for s in block.args] == ["i", "left"]
    assert [kernel.names[s] for s in loop.results] == ["_"]
    assert kernel.types[loop.results[0]] == Scalar(I32)
    assert block.ops[-1].name == "scf.yield"
    assert [kernel.names[s] for s in block.ops[-1].operands] == ["next"]


def test_instruction():
    kernel = program(ADD).functions[0]
    (add,) = named(ADD, "pto.vadd")
    assert [kernel.names[s] for s in add.operands] == ["v", "v", "m"]
    assert kernel.types[add.operands[2]] == Mask(32)
    assert add.span == Span(23, 16, 8)
    assert add.operand_spans == (Span(23, 25, 2), Span(23, 29, 2), Span(23, 33, 2))


def test_defaults_and_clauses():
    (load,) = named(ADD, "pto.vlds")
    assert load.attrs == {"dist": "NORM"}
    (copy,) = named(ADD, "pto.mte_gm_ub")
    assert copy.segments == (("nburst", 3),)
    assert len(copy.operands) == 7


def test_forms():
    text = function('pto.set_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID1"]\n'
                    'pto.set_flag["PIPE_V", "PIPE_MTE3", %e]', "%e: i64")  # fmt: skip
    static, dynamic = named(text, "pto.set_flag")
    assert (static.form, dynamic.form) == (0, 1)
    assert static.attrs == {"src": "PIPE_V", "dst": "PIPE_MTE3", "event": "EVENT_ID1"}
    assert dynamic.attrs == {"src": "PIPE_V", "dst": "PIPE_MTE3"}
    assert len(dynamic.operands) == 1


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ("-7 : i8", -7),
        ("200 : i8", -56),
        ("255 : ui8", 255),
        ("0xFFFFFFFF : i32", -1),
        ("true", True),
        ("false", False),
        ("0 : i1", False),
        ("1.5 : f32", 1.5),
        ("0.1 : f32", 0.10000000149011612),
        ("0x3F800000 : f32", 1.0),
        ("0xFF80 : bf16", -math.inf),
        ("-0.0 : f64", -0.0),
        ("7 : index", 7),
    ],
)
def test_constants(literal: str, value: float):
    (constant,) = named(function(f"%x = arith.constant {literal}"), "arith.constant")
    assert constant.attrs == {"value": value}
    assert repr(constant.attrs["value"]) == repr(value)


def test_predicates():
    text = function("%x = arith.cmpi ult, %a, %a : i32\n%y = arith.cmpf une, %f, %f : f32",
                    "%a: i32, %f: f32")  # fmt: skip
    assert named(text, "arith.cmpi")[0].attrs == {"predicate": "ult"}
    assert named(text, "arith.cmpf")[0].attrs == {"predicate": "une"}


def test_if_has_two_blocks():
    (branch,) = named(function("scf.if %c {\n}", "%c: i1"), "scf.if")
    then, otherwise = branch.blocks
    assert [op.name for op in then.ops] == ["scf.yield"]
    assert otherwise.ops == []


def test_while():
    body = """\
%r = scf.while (%k = %a) : (i32) -> (i32) {
scf.condition(%c) %k : i32
} do {
^bb0(%j: i32):
scf.yield %j : i32
}"""
    text = function(body, "%a: i32, %c: i1")
    kernel = program(text).functions[0]
    (loop,) = named(text, "scf.while")
    before, after = loop.blocks
    assert [kernel.names[s] for s in before.args + after.args] == ["k", "j"]
    assert before.ops[-1].name == "scf.condition"
    assert [kernel.names[s] for s in before.ops[-1].operands] == ["c", "k"]


def test_results_implied_by_the_record():
    text = function("%x = pto.get_block_idx\n%y = arith.addi %x, %x : i64")
    (query,) = named(text, "pto.get_block_idx")
    assert program(text).functions[0].types[query.results[0]] == Scalar(I64)


def test_unnamed_results():
    text = function("arith.addi %a, %a : i32", "%a: i32")
    assert program(text).functions[0].names == ["a", ""]
