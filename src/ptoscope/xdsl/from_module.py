"""xDSL module to program, and to a kernel that can be called."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from xdsl.dialects.builtin import ArrayAttr, FloatAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.ir import Block as XBlock

from ptoscope import ir
from ptoscope.diagnostics import UsageError
from ptoscope.ir.attributes import FORM, Segments
from ptoscope.ir.forms.choose import form_of
from ptoscope.ir.module import fresh
from ptoscope.ir.numbers import constant_value
from ptoscope.ir.reading.attributes import all_attributes
from ptoscope.ir.reading.functions import KERNEL_MARKS
from ptoscope.isa import TABLE
from ptoscope.isa.parts import SECTIONS
from ptoscope.isa.types import AttrValue, Scalar, Type
from ptoscope.kernel import Kernel, load
from ptoscope.program import SCOPES, Block, Function, Op, Program, operation
from ptoscope.xdsl.dialect import ARITH, CONSTANT, PREFIX, StrictVecScope, attributes, segments
from ptoscope.xdsl.to_module import NAMES
from ptoscope.xdsl.types import KernelKindAttr, to_type

_STRUCTURE = (
    *("scf.for", "scf.if", "scf.while", "scf.yield", "scf.condition", "func.return"),
    *SCOPES,
    *SECTIONS,
)


def from_xdsl(
    module: ModuleOp,
    target: str | None = None,
    revision: str | None = None,
    *,
    entry: str | None = None,
    force: bool = False,
) -> Kernel:
    """A kernel of an xDSL module, checked as `ptoscope.load` does it. What it says of lines is
    about the kernel's canonical text, `kernel.program.text`. Raises UsageError for a module that
    holds what kernels do not have, PtoError with every error that the checks find."""
    text = ir.print_module(ir.Module(to_program(module)))
    return load(text, target, revision, entry=entry, force=force)


def to_program(module: ModuleOp) -> Program:
    """The program of an xDSL module, unchecked; UsageError where it holds what kernels do not."""
    functions: list[Function] = []
    for op in module.ops:
        if not isinstance(op, FuncOp):
            raise UsageError(f"{op.name} stands outside a function")
        functions.append(_Conversion(op).function())
    return Program(
        functions,
        _word(module.attributes.get("pto.target_arch")),
        _word(module.attributes.get("pto.kernel_kind")),
        revision=_word(module.attributes.get("pto.revision")),
    )


def _word(attr: Attribute | None) -> str:
    return attr.data if isinstance(attr, StringAttr | KernelKindAttr) else ""


class _Conversion:
    """One function. `visible` are the names that may not be given again, `taken` all names that
    are asked for somewhere."""

    def __init__(self, op: FuncOp) -> None:
        self.op = op
        self.slots: dict[SSAValue, int] = {}
        self.types: list[Type] = []
        self.names: list[str] = []
        self.visible: set[str] = set()
        self.taken = {name for each in op.walk() for _, name in _named(each)}

    def function(self) -> Function:
        op = self.op
        if not op.body.blocks:
            raise UsageError(f"function @{op.sym_name.data} has no body")
        body = self._block(op, op.body)
        is_kernel = any(mark in op.attributes for mark in KERNEL_MARKS)
        name = op.sym_name.data
        return Function(name, body.args, body, self.types, self.names, is_kernel)

    def _block(self, op: Operation, region: Region) -> Block:
        if len(region.blocks) > 1:
            raise UsageError(f"a body of {op.name} has several blocks: kernels have no branches")
        if not region.blocks:
            return Block()
        block: XBlock = region.block
        outer = self.visible
        self.visible = set() if isinstance(op, StrictVecScope) else set(outer)
        args = self._define(op, block.args)
        ops = [self._op(inner) for inner in block.ops]
        self.visible = outer
        return Block(args, ops)

    def _define(self, op: Operation, values: Sequence[SSAValue]) -> tuple[int, ...]:
        asked = dict(_named(op))
        slots: list[int] = []
        for value in values:
            type = to_type(value.type)
            if type is None:
                raise UsageError(f"{op.name} has a value of type {value.type}")
            name = asked.get(value, "")
            if name in self.visible or (not name and value.first_use is not None):
                name = fresh(name or "v", self.taken)
                self.taken.add(name)
            self.visible |= {name} if name else set()
            self.slots[value] = len(self.types)
            slots.append(len(self.types))
            self.types.append(type)
            self.names.append(name)
        return tuple(slots)

    def _op(self, op: Operation) -> Op:
        name = op.name.removeprefix(PREFIX) if op.name.startswith(PREFIX + ARITH) else op.name
        if name not in _STRUCTURE and name not in TABLE:
            raise UsageError(f"there is no operation {op.name} in kernels")
        operands = tuple(self.slots[value] for value in op.operands)
        blocks = tuple(self._block(op, region) for region in op.regions)
        results = self._define(op, op.results)
        if name in _STRUCTURE:
            return operation(name, operands, results, None, blocks)
        if name.startswith(ARITH):
            return operation(name, operands, results, self._arith(name, op, results))
        form, clauses = self._form(name, op, operands, results)
        attrs = all_attributes(TABLE[name].forms[form], attributes(op))
        return operation(name, operands, results, attrs, form=form, segments=clauses)

    def _arith(self, name: str, op: Operation, results: tuple[int, ...]) -> dict[str, AttrValue]:
        if name == CONSTANT:
            attr, type = op.properties.get("value"), self.types[results[0]]
            if not isinstance(attr, IntegerAttr | FloatAttr) or not isinstance(type, Scalar):
                raise UsageError(f"{name} needs a number as its value")
            return {"value": constant_value(attr.value.data, type.dtype)}
        attrs: dict[str, AttrValue] = {}
        for attr in TABLE[name].forms[0].attrs:
            found = attributes(op).get(attr.name)
            if isinstance(found, int) and 0 <= found < len(attr.values):
                found = attr.values[found]
            if found is None and attr.default is not None:
                continue
            if not isinstance(found, str):
                raise UsageError(f"{name} needs the attribute '{attr.name}'")
            if found != attr.default:
                attrs[attr.name] = found
        return attrs

    def _form(
        self, name: str, op: Operation, operands: tuple[int, ...], results: tuple[int, ...]
    ) -> tuple[int, Segments]:
        record = TABLE[name]
        clauses = segments(op)
        named = op.attributes.get(FORM)
        form = -1
        if clauses is not None:
            kinds, given = [self.types[s] for s in operands], [self.types[s] for s in results]
            form = form_of(record, kinds, given, attributes(op), clauses)
        if form < 0 or clauses is None:
            counts = f"{len(operands)} operands and {len(results)} results"
            raise UsageError(f"no form of {name} takes these {counts} and attributes")
        if isinstance(named, IntegerAttr) and 0 <= named.value.data < len(record.forms):
            form = named.value.data
        return form, clauses


def _named(op: Operation) -> Iterator[tuple[SSAValue, str]]:
    """The values that an operation defines, with the names they are to have."""
    values = [*op.results, *(arg for r in op.regions for block in r.blocks for arg in block.args)]
    kept = op.attributes.get(NAMES)
    names = kept.data if isinstance(kept, ArrayAttr) and len(kept) == len(values) else ()
    for value, exact in zip_longest(values, names):
        yield value, exact.data if isinstance(exact, StringAttr) else value.name_hint or ""
