"""Programs that go over to xDSL and back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from io import StringIO

from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.printer import Printer

from ptoscope.diagnostics import NOWHERE
from ptoscope.isa.dtypes import F32, I1, I8, SCALARS
from ptoscope.isa.patterns import Bindings, Pattern
from ptoscope.isa.record import Record
from ptoscope.isa.types import AttrValue, Ptr, Scalar, Type
from ptoscope.program import Block, Function, Op, Program, operation
from ptoscope.xdsl import context


def without_places(program: Program, *, names: bool = True) -> Program:
    """A program without its text and its places in it, nor, if so asked, its names."""
    functions = [
        replace(
            function,
            body=_block(function.body),
            span=NOWHERE,
            names=function.names if names else [],
        )
        for function in program.functions
    ]
    kind, revision = program.kernel_kind, program.revision
    return Program(functions, program.target_arch, kind, revision=revision)


def _block(block: Block) -> Block:
    return Block(block.args, [_op(op) for op in block.ops])


def _op(op: Op) -> Op:
    blocks = tuple(map(_block, op.blocks))
    return replace(op, blocks=blocks, span=NOWHERE, operand_spans=(), attrs=dict(op.attrs))


def printed(module: ModuleOp) -> str:
    """The generic text of xDSL's own printer."""
    out = StringIO()
    Printer(out, print_generic_format=True).print_op(module)
    return out.getvalue()


def parsed(text: str) -> ModuleOp:
    """What xDSL's own parser reads."""
    return Parser(context(), text).parse_module()


_TYPES: tuple[Type, ...] = (*map(Scalar, SCALARS), *(Ptr(d, "gm") for d in (F32, I8)))


def arith_uses(record: Record) -> Iterator[Program]:
    """A use of an arith record for each combination of types that its patterns take."""
    form = record.forms[0]
    attrs: dict[str, AttrValue] = {attr.name: attr.values[-1] for attr in form.attrs}
    for types in _combinations([d.type for d in (*form.operands, *form.results)], {}):
        if record.name == "arith.constant":
            (kind,) = types
            assert isinstance(kind, Scalar)
            attrs["value"] = 1.5 if kind.dtype.is_float else True if kind.dtype is I1 else 1
        operands = tuple(range(len(form.operands)))
        results = tuple(range(len(operands), len(types)))
        used = operation(record.name, operands, results, dict(attrs))
        body = Block(operands, [used, operation("func.return")])
        names = [f"x{slot}" for slot in range(len(types))]
        yield Program([Function("use", operands, body, types, names)])


def _combinations(patterns: list[Pattern], known: Bindings) -> Iterator[list[Type]]:
    if not patterns:
        yield []
        return
    for type in _TYPES:
        bound = dict(known)
        if patterns[0].match(type, bound):
            yield from ([type, *rest] for rest in _combinations(patterns[1:], bound))
