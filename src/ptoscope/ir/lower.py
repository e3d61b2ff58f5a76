"""Module to Program: slots instead of values, plain Python instead of attributes."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import IntegerAttr, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ptoscope.diagnostics import Diagnostic, PtoError
from ptoscope.ir import arith, types
from ptoscope.ir.dialect import Instruction, KernelKindAttr
from ptoscope.ir.module import Module, name_of
from ptoscope.isa.record import AttrValue
from ptoscope.isa.types import Type
from ptoscope.program import Block as ProgramBlock
from ptoscope.program import Function, Op, Program, operation

KERNEL_MARKS = ("pto.aicore", "pto.kernel")


def lower(module: Module, *, partly: bool = False) -> Program:
    """The program of a parsed module; `partly`, of what could be read of a broken one: an
    operation that depends on something unread is left out, but for the blocks it holds, and
    so is one about which the reader had something to say."""
    attributes = module.op.attributes
    return Program(
        [_Lowering(module, partly).function(op) for op in module.op.ops if isinstance(op, FuncOp)],
        _word(attributes.get("pto.target_arch")),
        _word(attributes.get("pto.kernel_kind")),
        module.file,
        module.text,
    )


def _word(attr: Attribute | None) -> str:
    return attr.data if isinstance(attr, StringAttr | KernelKindAttr) else ""


class _Lowering:
    """One function."""

    def __init__(self, module: Module, partly: bool) -> None:
        self.module = module
        self.partly = partly
        self.slots: dict[SSAValue, int] = {}
        self.types: list[Type] = []
        self.names: list[str] = []

    def function(self, op: FuncOp) -> Function:
        block = op.body.block
        params = self._define(block.args)
        body = ProgramBlock(params, self._ops(block))
        return Function(
            op.sym_name.data,
            params,
            body,
            self.types,
            self.names,
            any(mark in op.attributes for mark in KERNEL_MARKS),
            self.module.span(op),
        )

    def _define(self, values: tuple[SSAValue, ...]) -> tuple[int, ...]:
        slots: list[int] = []
        for value in values:
            type = types.description(value.type)
            if type is None:
                if self.partly:
                    continue
                raise PtoError([self._unsupported(value)])
            self.slots[value] = len(self.types)
            slots.append(len(self.types))
            self.types.append(type)
            self.names.append(name_of(value))
        return tuple(slots)

    def _unsupported(self, value: SSAValue) -> Diagnostic:
        owner = value.owner
        op = owner if isinstance(owner, Operation) else owner.parent_op()
        spelled = types.spelling(value.type)
        message = f"values of type {spelled} are not supported"
        module = self.module
        if op is None:
            return Diagnostic("PTO0005", message, file=module.file, found=spelled)
        span = module.span(op)
        line = module.tokens.source_line(span.line)
        return Diagnostic(
            "PTO0005", message, file=module.file, span=span, found=spelled, source_line=line
        )

    def _ops(self, block: Block) -> list[Op]:
        if not self.partly:
            return [self._op(op) for op in block.ops]
        lowered: list[Op] = []
        for op in block.ops:
            if op in self.module.doubtful and not op.regions:
                # More about it would be the same mistake again; its results go on.
                self._define(op.results)
            elif op.regions or self._known(op):
                lowered.append(self._op(op))
        return lowered

    def _known(self, op: Operation) -> bool:
        return all(value in self.slots for value in op._operands) and all(
            types.description(value.type) is not None for value in op.results
        )

    def _op(self, op: Operation) -> Op:
        note = self.module.notes.get(op)
        slots = self.slots
        operands = tuple([slots[value] for value in op._operands if value in slots])
        blocks = ()
        if op.regions:
            blocks = tuple(
                ProgramBlock(self._define(region.block.args), self._ops(region.block))
                if region.blocks
                else ProgramBlock()
                for region in op.regions
            )
        results = self._define(op.results)
        module = self.module
        if note is None:
            return operation(op.name, operands, results, _attrs(op, 0), blocks)
        return operation(
            op.name,
            operands,
            results,
            _attrs(op, note.form),
            blocks,
            module.tokens.span(note.name),
            module.operand_spans(op),
            note.form,
            note.segments,
        )


def _attrs(op: Operation, form: int) -> Mapping[str, AttrValue]:
    if isinstance(op, Instruction):
        attrs: dict[str, AttrValue] = {}
        for attr in op.record.forms[form].attrs:
            written = op.properties.get(attr.name)
            if isinstance(written, StringAttr):
                attrs[attr.name] = written.data
            elif isinstance(written, IntegerAttr):
                attrs[attr.name] = written.value.data
            elif attr.default is not None:
                attrs[attr.name] = attr.default
        return attrs
    if op.name == "arith.constant":
        return {"value": arith.python_value(op.properties["value"])}
    if op.name in arith.COMPARISONS:
        return {"predicate": arith.predicate(op)}
    return {}
