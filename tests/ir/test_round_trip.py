"""Canonical text: what is printed reads back as itself, in both forms."""

from __future__ import annotations

import pytest

from ptoscope import ir
from tests.ir.kernels import ADD, function, round_trip


def test_canonical_text_is_kept_exactly():
    assert round_trip(ADD) == ADD


@pytest.mark.parametrize(
    "line",
    [
        "%x = arith.constant -7 : i8",
        "%x = arith.constant true",
        "%x = arith.constant 0.1 : f32",
        "%x = arith.constant -1.5e-30 : f32",
        "%x = arith.constant 0x7F800000 : f32",
        "%x = arith.constant 0x7FC0 : bf16",
        "%x = arith.constant 65504.0 : f16",
        "%x = arith.addi %i, %i : i32",
        "%x = arith.addi %i, %i overflow<nsw> : i32",
        "%x = arith.addf %f, %f fastmath<fast> : f32",
        "%x = arith.addf %f, %f fastmath<nnan, ninf> : f32",
        "%x = arith.cmpi slt, %i, %i : i32",
        "%x = arith.cmpf ogt, %f, %f : f32",
        "%x = arith.select %c, %i, %i : i32",
        "%x = arith.index_castui %i : i32 to index",
        "%x = arith.extui %i nneg : i32 to i64",
        "%x = arith.remf %f, %f : f32",
        "%x, %y = arith.addui_extended %i, %i : i32, i1",
        "%x, %y = arith.mulsi_extended %i, %i : i32",
        "%x = arith.negf %f : f32",
        'pto.set_flag["PIPE_V", "PIPE_MTE3", %n]',
        'pto.get_buf "PIPE_V", 0, 0',
        'pto.get_buf "PIPE_V", %n, %n : i64, i64',
        'pto.pipe_barrier "PIPE_V"',
        "%x = pto.get_block_idx",
        "pto.store_scalar %f, %p[%j] : !pto.ptr<f32, ub>, f32",
        "%x = pto.load_scalar %p[%j] : !pto.ptr<f32, ub> -> f32",
        "%x = pto.addptr %p, %j : !pto.ptr<f32, ub> -> !pto.ptr<f32, ub>",
        "%0 = pto.castptr %n : i64 -> !pto.ptr<ui8, ub>",
    ],
)
def test_single_operations(line: str):
    parameters = "%i: i32, %f: f32, %c: i1, %n: i64, %j: index, %p: !pto.ptr<f32, ub>"
    text = round_trip(function(line, parameters))
    assert f"  {line}" in text.splitlines()


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("%x = arith.constant 200 : i8", "%x = arith.constant -56 : i8"),
        ("%x = arith.constant 1 : i1", "%x = arith.constant true"),
        ("%x = arith.constant 0x10 : i32", "%x = arith.constant 16 : i32"),
        ("%x = arith.constant 1.000000e+00 : f32", "%x = arith.constant 1.0 : f32"),
        ("pto.barrier #pto.pipe", "pto.barrier #pto.pipe<PIPE_ALL>"),
        (
            "%x = pto.castptr %n : (i64) -> (!pto.ptr<u8, ub>)",
            "%x = pto.castptr %n : i64 -> !pto.ptr<ui8, ub>",
        ),
        (
            "%x = pto.addptr %p, %j : <f32, ub> -> <f32, ub>",
            "%x = pto.addptr %p, %j : !pto.ptr<f32, ub> -> !pto.ptr<f32, ub>",
        ),
        (
            "%x = pto.load_scalar %p[%j] : !pto.ptr<f32,\n ub>, index -> f32",
            "%x = pto.load_scalar %p[%j] : !pto.ptr<f32, ub> -> f32",
        ),
        ('%x = "pto.get_block_idx"() : () -> i64 loc(unknown)', "%x = pto.get_block_idx"),
        ('%x = pto.get_block_idx loc("k.py":3:1)', "%x = pto.get_block_idx"),
    ],
)
def test_other_spellings(written: str, canonical: str):
    text = round_trip(function(written, "%n: i64, %j: index, %p: !pto.ptr<f32, ub>"))
    assert f"  {canonical}" in text.splitlines()


STRICT = """\
func.func @k(%p: !pto.ptr<f32, ub>, %i: index) {
  pto.strict_vecscope(%p, %i) {
  ^bb0(%p: !pto.ptr<f32, ub>, %at: index):
    %v = pto.vlds %p[%at] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
  } : (!pto.ptr<f32, ub>, index) -> ()
  return
}
"""
CONTROL = """\
func.func @k(%c: i1, %a: i32, %n: index) {
  %r:2 = scf.if %c -> (i32, i32) {
    scf.yield %a, %a : i32, i32
  } else {
    %x = arith.addi %a, %a : i32
    scf.yield %x, %a : i32, i32
  }
  %s = arith.addi %r#0, %r#1 : i32
  scf.if %c {
    %x = arith.addi %a, %a : i32
  }
  %w = scf.while (%k = %a) : (i32) -> (i32) {
    %go = arith.cmpi slt, %k, %s : i32
    scf.condition(%go) %k : i32
  } do {
  ^bb0(%k: i32):
    %next = arith.addi %k, %a : i32
    scf.yield %next : i32
  }
  scf.for %i = %a to %s step %a : i32 {
  }
  return
}
"""


def test_control_flow():
    assert round_trip(CONTROL) == CONTROL


def test_packs_are_used_by_number():
    text = function("%r:2 = scf.if %c -> (i32, i32) {\nscf.yield %a, %a : i32, i32\n} else {\n"
                    "scf.yield %a, %a : i32, i32\n}\n%s = arith.addi %r, %r#1 : i32",
                    "%c: i1, %a: i32")  # fmt: skip
    assert "%s = arith.addi %r#0, %r#1 : i32" in round_trip(text)


def test_strict_scope():
    assert round_trip(STRICT) == STRICT


def test_clauses():
    line = (
        "pto.mte_gm_ub %g, %u, %n, %n nburst(%n, %n, %n) loop(%n, %n, %n) loop(%n, %n, %n) pad(%f)"
        " : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64, loop i64, i64, i64,"
        " loop i64, i64, i64, pad f32"
    )
    parameters = "%g: !pto.ptr<f32, gm>, %u: !pto.ptr<f32, ub>, %n: i64, %f: f32"
    text = round_trip(function(line, parameters))
    assert line in " ".join(part.strip() for part in text.splitlines())
    assert max(len(part) for part in text.splitlines()) <= 100


def test_comments_and_blank_lines():
    written = """\
// top

// of the file
func.func @k(%a: i32,
    // in the head
    %b: i32) { // behind the head

  // first


  %x = arith.addi %a, // inside
      %b : i32 // behind
  // before the end
  return

  // last
} // behind the brace
// bottom
"""
    canonical = """\
// top

// of the file
// in the head
func.func @k(%a: i32, %b: i32) {  // behind the head
  // first

  // inside
  %x = arith.addi %a, %b : i32  // behind
  // before the end
  return

  // last
}  // behind the brace
// bottom
"""
    assert round_trip(written) == canonical


def test_long_heads_break():
    parameters = ", ".join(f"%argument_{i}: !pto.ptr<f32, gm>" for i in range(8))
    text = round_trip(function("", parameters))
    assert max(len(line) for line in text.splitlines()) <= 100


def test_a_built_operation_prints_without_notes():
    module = ir.parse(ADD)
    module.notes.clear()
    module.tokens.comments.clear()
    assert "pto.vadd %v, %v, %m" in ir.print_module(module)
    assert module.program.functions[0].name == "add"
