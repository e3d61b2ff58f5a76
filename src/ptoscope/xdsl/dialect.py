"""The `pto` dialect: one operation class per record of the instruction table.

Each arith record has a class here too, `pto.arith.NAME`, for the uses that xDSL's own arith
cannot hold: that one takes signless integers only, and lacks some operations.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, ClassVar

from xdsl.context import Context
from xdsl.dialects.arith import Arith
from xdsl.dialects.builtin import ArrayAttr, Builtin, DenseArrayBase, IntegerAttr, StringAttr, i1
from xdsl.dialects.func import Func
from xdsl.dialects.scf import Scf
from xdsl.ir import Attribute, Dialect, Operation
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import IsolatedFromAbove, NoTerminator
from xdsl.universe import Universe
from xdsl.utils.exceptions import VerifyException

from ptoscope.ir.attributes import CLAUSES, SIZES, Segments
from ptoscope.ir.forms.choose import expected_counts, form_of
from ptoscope.ir.forms.follow import bind, patterns
from ptoscope.ir.types import UNKNOWN, TextType, known
from ptoscope.isa import TABLE
from ptoscope.isa.arith import constant
from ptoscope.isa.parts import SECTIONS
from ptoscope.isa.patterns import Bindings, Pattern
from ptoscope.isa.record import Attr, Form, Record
from ptoscope.isa.types import AttrValue, Scalar
from ptoscope.program import SCOPES
from ptoscope.xdsl.types import ATTRIBUTES, to_type

ARITH = "arith."
CONSTANT = constant.name
PREFIX = "pto."


class Instruction(IRDLOperation):
    """An operation of the table. Subclasses are generated, one per record."""

    RECORD: ClassVar[Record]

    def verify_(self) -> None:
        """Operands, results and attributes are those of a form of the record."""
        types = [_text_type(v.type) for v in (*self.operands, *self.results)]
        operands, results = types[: len(self.operands)], types[len(self.operands) :]
        found = segments(self)
        index = -1
        if found is not None:
            given = attributes(self)
            if self.RECORD.name == CONSTANT:
                given.pop("value")
            index = form_of(self.RECORD, operands, results, given, found)
        if index < 0:
            counts = f"{len(operands)} operands, {len(results)} results"
            listed = ", ".join(self.properties) or "no attributes"
            raise VerifyException(
                f"no form of {self.RECORD.short} takes {counts} and {listed}; "
                f"expected {expected_counts(self.RECORD)}"
            )
        form = self.RECORD.forms[index]
        wanted = patterns(form, found or ())
        returned = [result.type for result in form.results]
        if not _fit([*wanted, *returned], types):
            raise VerifyException(
                f"{self.RECORD.short} takes {_arrow(wanted, returned)}, "
                f"found {_arrow(operands, results)}"
            )


def _fit(wanted: Sequence[Pattern], types: Sequence[TextType]) -> bool:
    """Whether types fit the patterns of one use."""
    # Scalars last: a signless one serves a signed or unsigned vector, so that decides.
    pairs = sorted(zip(wanted, types, strict=True), key=lambda p: isinstance(p[1], Scalar))
    bindings: Bindings = {}
    return all(type is UNKNOWN or bind(p, known(type), bindings) for p, type in pairs)


def _arrow(operands: Sequence[object], results: Sequence[object]) -> str:
    return f"({', '.join(map(str, operands))}) -> ({', '.join(map(str, results))})"


def _text_type(attr: Attribute) -> TextType:
    found = to_type(attr)
    return UNKNOWN if found is None else found


class _Scope(IRDLOperation):
    """A vecscope, or a section."""

    body = region_def("single_block")

    traits = traits_def(NoTerminator())


@irdl_op_definition
class VecScope(_Scope):
    """`pto.vecscope`: its body sees everything outside."""

    name = SCOPES[0]


@irdl_op_definition
class StrictVecScope(_Scope):
    """`pto.strict_vecscope`: its body sees nothing but its arguments."""

    name = SCOPES[1]

    inputs = var_operand_def()

    traits = traits_def(NoTerminator(), IsolatedFromAbove())

    def verify_(self) -> None:
        """The arguments of the body are the values passed in."""
        if [v.type for v in self.inputs] != [a.type for a in self.body.block.args]:
            raise VerifyException("the body's arguments are not the values passed to it")


def _section(name: str) -> type[Operation]:
    """`pto.section.cube` or another: the cores of its kind execute its body."""
    return irdl_op_definition(type(name.rsplit(".", 1)[-1], (_Scope,), {"name": name}))


def attributes(op: Operation) -> dict[str, AttrValue]:
    """The attributes of an instruction as a program has them; an empty tuple for one that no
    instruction takes."""
    found: dict[str, AttrValue] = {}
    for name, attr in op.properties.items():
        if isinstance(attr, StringAttr):
            found[name] = attr.data
        elif isinstance(attr, IntegerAttr):
            # A set bit is -1 to xDSL.
            found[name] = abs(attr.value.data) if attr.type == i1 else attr.value.data
        elif name not in (CLAUSES, SIZES):
            found[name] = ()
    return found


def segments(op: Operation) -> Segments | None:
    """The clauses of an instruction; None if its properties contradict its operands."""
    keywords, sizes = op.properties.get(CLAUSES), op.properties.get(SIZES)
    if keywords is None and sizes is None:
        return ()
    if not isinstance(keywords, ArrayAttr) or not isinstance(sizes, DenseArrayBase):
        return None
    counts = [int(n) for n in sizes.get_values()]
    words = [k.data for k in keywords if isinstance(k, StringAttr)]
    if len(words) + 1 != len(counts) or min(counts) < 0 or sum(counts) != len(op.operands):
        return None
    return tuple(zip(words, counts[1:], strict=True))


def _generated(record: Record) -> type[Instruction]:
    name = record.name if record.name.startswith(PREFIX) else PREFIX + record.name
    members: dict[str, Any] = {"name": name, "__doc__": record.doc}
    (first, *others) = record.forms
    if not others and not first.groups:
        members |= {_member(o.name): operand_def() for o in first.operands}
        members |= {_member(r.name): result_def() for r in first.results}
    else:
        members |= {"inputs": var_operand_def(), "outputs": var_result_def()}
    members |= {_member(attr.name): _property(attr, record) for attr in _attributes(record.forms)}
    if any(form.groups for form in record.forms):
        members[CLAUSES] = opt_prop_def(ArrayAttr)
        members["segment_sizes"] = opt_prop_def(DenseArrayBase, prop_name=SIZES)
    if record.name == CONSTANT:
        members["value"] = prop_def()
    generated = irdl_op_definition(type(record.short, (Instruction,), members))
    generated.RECORD = record
    return generated


def _member(name: str) -> str:
    """What an operand, result or attribute is called in its class."""
    return f"{name}_" if hasattr(Instruction, name) else name


def _attributes(forms: tuple[Form, ...]) -> list[Attr]:
    return list({attr.name: attr for form in forms for attr in form.attrs}.values())


def _property(attr: Attr, record: Record) -> Attribute | None:
    kind = StringAttr if attr.values else IntegerAttr
    needed = attr.default is None and all(attr in form.attrs for form in record.forms)
    return (prop_def if needed else opt_prop_def)(kind, prop_name=attr.name)


CLASSES: dict[str, type[Operation]] = {
    VecScope.name: VecScope,
    StrictVecScope.name: StrictVecScope,
    **{name: _section(name) for name in SECTIONS},
    **{name: _generated(record) for name, record in TABLE.items() if name not in SCOPES},
}
"""The operation class of each record and section, by its name."""

UPSTREAM: dict[str, type[Operation]] = {op.name: op for op in Arith.operations}
"""MLIR's own arith."""

PTO = Dialect("pto", list(CLASSES.values()), ATTRIBUTES)

UNIVERSE = Universe(all_dialects={"pto": lambda: PTO})
"""What `xdsl-opt` loads."""


@cache
def context() -> Context:
    """A context with all dialects that kernels are made of."""
    made = Context()
    for dialect in (Builtin, Func, Scf, Arith, PTO):
        made.load_dialect(dialect)
    return made
