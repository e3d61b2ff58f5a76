"""Over to xDSL and back: the same program, which xDSL verifies and reads as it prints it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, UnrealizedConversionCastOp, i64
from xdsl.utils.exceptions import VerifyException

import ptoscope
from ptoscope import ir
from ptoscope.diagnostics import PtoError, UsageError
from ptoscope.isa import TABLE
from ptoscope.isa.record import Record
from ptoscope.program import SCOPES, Program
from ptoscope.xdsl import from_xdsl, to_program, to_xdsl
from tests.ir.kernels import ADD, MIXED, function
from tests.ir.table import FORMS, write
from tests.ir.test_round_trip import CONTROL, STRICT
from tests.xdsl.programs import arith_uses, parsed, printed, without_places

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.pto"))
ARITH = [record for name, record in TABLE.items() if name.startswith("arith.")]


def over_and_back(program: Program) -> ModuleOp:
    """The module of a program, after checking that it is the program's."""
    module = to_xdsl(program)
    assert to_program(module) == without_places(program)
    return module


def check_text(module: ModuleOp, program: Program) -> None:
    """xDSL verifies the module and reads its text as the same program; names may change."""
    module.verify()
    text = printed(module)
    again = parsed(text)
    again.verify()
    assert printed(again) == text
    nameless = without_places(program, names=False)
    assert without_places(to_program(again), names=False) == nameless


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_examples(path: Path):
    program = ir.parse(path.read_text()).program
    check_text(over_and_back(program), program)


@pytest.mark.parametrize("text", [ADD, MIXED, CONTROL, STRICT])
def test_structure(text: str):
    program = ir.parse(text).program
    check_text(over_and_back(program), program)


@pytest.mark.parametrize(("record", "index"), FORMS)
def test_every_instruction(record: Record, index: int):
    program = ir.parse(function(*write(record, index))).program
    check_text(over_and_back(program), program)


@pytest.mark.parametrize("record", ARITH, ids=lambda r: r.name)
def test_every_scalar_operation(record: Record):
    uses = list(arith_uses(record))
    assert uses
    for program in uses:
        check_text(over_and_back(program), program)


def test_scalar_operations_are_those_of_mlir_where_it_has_them():
    module = to_xdsl(ir.parse(ADD).program)
    assert not [op.name for op in module.walk() if op.name.startswith("pto.arith.")]
    text = function("%x = arith.constant 7 : ui8")
    names = [op.name for op in to_xdsl(ir.parse(text).program).walk()]
    assert "pto.arith.constant" in names


def test_no_record_is_left_out():
    seen = {p.values[0] for p in FORMS}
    others = {r for r in TABLE.values() if r.name in SCOPES}
    assert {*seen, *ARITH, *others} == set(TABLE.values())


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_xdsl_reads_our_generic_form(path: Path):
    module = ir.parse(path.read_text())
    read = parsed(ir.print_module(module, generic=True))
    read.verify()
    nameless = without_places(module.program, names=False)
    assert without_places(to_program(read), names=False) == nameless


@pytest.mark.parametrize("text", [ADD, MIXED, CONTROL, STRICT])
def test_a_built_program_prints_as_itself(text: str):
    program = to_program(to_xdsl(ir.parse(text).program))
    assert without_places(ir.parse(ir.print_module(ir.Module(program))).program) == program


def test_a_kernel_runs_after_the_way():
    softmax = ptoscope.load(Path(__file__).parents[2] / "examples" / "row_softmax.pto")
    module = to_xdsl(softmax)
    again = from_xdsl(parsed(printed(module)))
    x = np.random.default_rng(0).standard_normal((10, 128), np.float32)
    results = [np.zeros_like(x) for _ in range(2)]
    for kernel, result in zip((softmax, again), results, strict=True):
        kernel(x, result, 10)
    assert again.target == softmax.target
    assert np.array_equal(results[0], results[1])


def test_a_module_is_loaded_as_the_text_it_prints():
    softmax = ptoscope.load(Path(__file__).parents[2] / "examples" / "row_softmax.pto")
    module = to_xdsl(softmax)
    assert repr(ptoscope.load(str(module))) == repr(softmax)
    unread: Any = module
    with pytest.raises(UsageError, match=r"cannot read a kernel from a ModuleOp.*str\(module\)"):
        ptoscope.load(unread)


def test_from_xdsl_checks():
    program = ir.parse(function("pto.barrier #pto.pipe<PIPE_ALL>")).program
    module = to_xdsl(program)
    next(op for op in module.walk() if op.name == "pto.barrier").properties["pipe"] = StringAttr(
        "PIPE_X"
    )
    with pytest.raises(PtoError) as caught:
        from_xdsl(module)
    assert [d.code for d in caught.value.diagnostics] == ["PTO0103"]


def test_the_form_is_named_where_nothing_else_decides_it():
    program = ir.parse(function("%x = pto.vlds %p[%i] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>",
                                "%p: !pto.ptr<f32, ub>, %i: index")).program  # fmt: skip
    module = to_xdsl(program)
    load = next(op for op in module.walk() if op.name == "pto.vlds")
    assert "pto.form" not in load.attributes
    load.attributes["pto.form"] = IntegerAttr(0, i64)
    assert to_program(module) == without_places(program)


def test_what_kernels_do_not_have():
    module = to_xdsl(ir.parse(function("", "%n: i64")).program)
    body = next(op for op in module.walk() if op.name == "func.func").regions[0].block
    cast = UnrealizedConversionCastOp.get([body.args[0]], [i64])
    last = body.last_op
    assert last is not None
    body.insert_op_before(cast, last)
    with pytest.raises(UsageError, match=r"no operation builtin.unrealized_conversion_cast"):
        to_program(module)


def test_verification_says_what_an_instruction_takes():
    text = function(*write(TABLE["pto.vadd"], 0))
    module = to_xdsl(ir.parse(text).program)
    add = next(op for op in module.walk() if op.name == "pto.vadd")
    add.operands = [add.operands[0], add.operands[0], add.operands[0]]
    with pytest.raises(VerifyException, match=r"vadd takes .*found \(!pto.vreg<64xf32>, "):
        module.verify()
