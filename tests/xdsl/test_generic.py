"""The generic form is MLIR's: xDSL reads it."""

from __future__ import annotations

from bench.text import context
from xdsl.dialects.builtin import UnregisteredOp
from xdsl.parser import Parser

from ptoscope import ir
from tests.ir.kernels import ADD


def test_xdsl_reads_the_generic_form():
    module = ir.parse(ADD)
    read = Parser(context(), ir.print_module(module, generic=True)).parse_module()
    names = [op.name for op in module.program.functions[0].ops()]
    found = [op.op_name.data if isinstance(op, UnregisteredOp) else op.name for op in read.walk()]
    assert found == ["builtin.module", "func.func", *names]
