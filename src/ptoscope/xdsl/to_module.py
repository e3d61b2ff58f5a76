"""Program to xDSL module."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    FloatAttr,
    FunctionType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    UnitAttr,
    i32,
    i64,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.scf import ConditionOp, ForOp, IfOp, WhileOp, YieldOp
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.ir import Block as XBlock
from xdsl.utils.exceptions import VerifyException

from ptoscope.ir.attributes import CLAUSES, FORM, SIZES
from ptoscope.ir.forms.choose import form_of
from ptoscope.isa import TABLE
from ptoscope.isa.dtypes import I1
from ptoscope.isa.types import AttrValue, Scalar
from ptoscope.kernel import Kernel
from ptoscope.program import Block, Function, If, Op, Program
from ptoscope.xdsl.dialect import ARITH, CLASSES, CONSTANT, UPSTREAM
from ptoscope.xdsl.types import KernelKindAttr, to_attribute

NAMES = "pto.names"
"""Attribute that keeps the names of results and arguments where a hint of xDSL cannot."""

_STRUCTURE: dict[str, type[Operation]] = {
    op.name: op for op in (ForOp, IfOp, WhileOp, YieldOp, ConditionOp, ReturnOp)
}


def to_xdsl(kernel: Kernel | Program) -> ModuleOp:
    """The whole program of a kernel as an xDSL module."""
    program = kernel.program if isinstance(kernel, Kernel) else kernel
    module = ModuleOp([_Conversion(function).function() for function in program.functions])
    if program.target_arch:
        module.attributes["pto.target_arch"] = StringAttr(program.target_arch)
    if program.revision:
        module.attributes["pto.revision"] = StringAttr(program.revision)
    if program.kernel_kind:
        module.attributes["pto.kernel_kind"] = KernelKindAttr(program.kernel_kind)
    return module


class _Conversion:
    """One function."""

    def __init__(self, function: Function) -> None:
        self.whole = function
        self.values: dict[int, SSAValue] = {}

    def function(self) -> FuncOp:
        whole = self.whole
        region = Region(self._block(whole.body))
        inputs = self._types(whole.params)
        type = FunctionType.from_lists(inputs, self._types(whole.body.yields))
        made = FuncOp(whole.name, type, region)
        if whole.is_kernel:
            made.attributes["pto.aicore"] = UnitAttr()
        self._keep_names(made, whole.params)
        return made

    def _types(self, slots: Sequence[int]) -> list[Attribute]:
        return [to_attribute(self.whole.types[slot]) for slot in slots]

    def _block(self, block: Block) -> XBlock:
        made = XBlock(arg_types=self._types(block.args))
        self._define(block.args, made.args)
        made.add_ops([self._op(op) for op in block.ops])
        return made

    def _define(self, slots: Sequence[int], values: Sequence[SSAValue]) -> None:
        for slot, value in zip(slots, values, strict=True):
            self.values[slot] = value
            name = self.whole.names[slot]
            if _is_hint(name):
                value.name_hint = name

    def _keep_names(self, made: Operation, slots: Sequence[int]) -> None:
        names = [self.whole.names[slot] for slot in slots]
        if not all(_is_hint(name) for name in names):
            made.attributes[NAMES] = ArrayAttr([StringAttr(name) for name in names])

    def _op(self, op: Op) -> Operation:
        regions = [
            Region() if isinstance(op, If) and not block.ops else Region(self._block(block))
            for block in op.blocks
        ]
        made = self._arith(op)
        if made is None:
            properties, attributes = self._attributes(op)
            kind = _STRUCTURE.get(op.name) or CLASSES[op.name]
            made = self._create(op, kind, properties, attributes, regions)
        self._define(op.results, made.results)
        self._keep_names(made, [*op.results, *(arg for b in op.blocks for arg in b.args)])
        return made

    def _create(
        self,
        op: Op,
        kind: type[Operation],
        properties: dict[str, Attribute],
        attributes: dict[str, Attribute] | None = None,
        regions: Sequence[Region] = (),
    ) -> Operation:
        return kind.create(
            operands=[self.values[slot] for slot in op.operands],
            result_types=self._types(op.results),
            properties=properties,
            attributes=attributes or {},
            regions=regions,
        )

    def _arith(self, op: Op) -> Operation | None:
        """An operation of xDSL's own arith, where that takes these types."""
        kind = UPSTREAM.get(op.name)
        if kind is None:
            return None
        properties, _ = self._attributes(op)
        if "predicate" in op.attrs:
            names = TABLE[op.name].forms[0].attr("predicate").values
            properties["predicate"] = IntegerAttr(names.index(str(op.attrs["predicate"])), i64)
        made = self._create(op, kind, properties)
        try:
            made.verify()
        except (VerifyException, ValueError):
            made.erase()
            return None
        return made

    def _attributes(self, op: Op) -> tuple[dict[str, Attribute], dict[str, Attribute]]:
        """The properties and the attributes of an operation."""
        if op.name == CONSTANT:
            return {"value": self._constant(op)}, {}
        record = TABLE.get(op.name)
        flags = {a.name for a in record.forms[op.form].attrs if a.is_flag} if record else set[str]()
        properties = {name: _attribute(v, name in flags) for name, v in op.attrs.items()}
        if record is None or op.blocks or op.name.startswith(ARITH):
            return properties, {}
        if op.segments:
            clauses = sum(count for _, count in op.segments)
            sizes = [len(op.operands) - clauses, *(count for _, count in op.segments)]
            properties[CLAUSES] = ArrayAttr([StringAttr(word) for word, _ in op.segments])
            properties[SIZES] = DenseArrayBase.from_list(i32, sizes)
        types = self.whole.types
        operands, results = ([types[s] for s in slots] for slots in (op.operands, op.results))
        if form_of(record, operands, results, op.attrs, op.segments) == op.form:
            return properties, {}
        return properties, {FORM: IntegerAttr(op.form, i64)}

    def _constant(self, op: Op) -> Attribute:
        type = self.whole.types[op.results[0]]
        value = op.attrs["value"]
        assert isinstance(type, Scalar)
        assert isinstance(value, int | float)
        if type.dtype.is_float:
            return FloatAttr(value, to_attribute(type))  # pyright: ignore[reportArgumentType, reportCallIssue]
        if type.dtype is I1:
            return IntegerAttr(int(value), IntegerType(1))
        return IntegerAttr(int(value), to_attribute(type))  # pyright: ignore[reportArgumentType, reportCallIssue]


def _attribute(value: AttrValue, is_flag: bool) -> Attribute:
    assert isinstance(value, str | int)
    if isinstance(value, str):
        return StringAttr(value)
    return IntegerAttr(int(value), IntegerType(1) if is_flag else i64)


def _is_hint(name: str) -> bool:
    """Whether xDSL keeps a name as it is; it drops numbers at the end."""
    if not name:
        return True
    return bool(SSAValue.is_valid_name(name)) and SSAValue.extract_valid_name(name) == name
