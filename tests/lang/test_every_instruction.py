"""Every instruction of the table, in every form, is called from Python: what is written down is
what the reference's example has in text."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from ptoscope import ir, pto
from ptoscope.docs.example import NoExample, example
from ptoscope.ir.module import Module
from ptoscope.ir.printing import print_module
from ptoscope.isa.dtypes import DType
from ptoscope.isa.record import Record
from ptoscope.isa.table import TABLE
from ptoscope.isa.targets import TARGETS
from ptoscope.isa.types import Mask, Ptr, Scalar, Type, VAddr, VReg
from ptoscope.lang.calls.names import BY_NAME
from ptoscope.lang.calls.parameters import CallForm, call_forms
from ptoscope.lang.compile.emitter import Emitter
from ptoscope.lang.maker import making
from ptoscope.lang.values import SCALAR_CLASSES, wrapped
from ptoscope.program import Op, Program

FORMS = [
    pytest.param(record, form, id=f"{name}-{form.index}")
    for name, record in BY_NAME.items()
    if record.name.startswith("pto.")
    for form in call_forms(record)
]
_ELEMENT_OF_MASK = {8: pto.i8, 16: pto.i16, 32: pto.i32}


def _text(record: Record, form: int) -> tuple[str, str]:
    """The text of the example of a form, and its target."""
    for target in ("a5", *record.targets):
        try:
            return example(record, target, form).text, target
        except NoExample:
            continue
    raise AssertionError(f"{record.name} has no example of form {form}")


def _used(program: Program, record: Record, form: int) -> Op:
    """The first use of the form."""
    ops = [op for op in program.functions[0].ops() if op.name == record.name]
    return next(op for op in ops if op.form == form)


def _element(kind: Type) -> Any:
    match kind:
        case Mask(bits) | VAddr(bits):
            return _ELEMENT_OF_MASK[bits]
        case VReg(dtype) | Ptr(dtype) | Scalar(dtype):
            return dtype
        case _:
            return None


def _call(form: CallForm, op: Op, kinds: list[Type]) -> tuple[list[Any], dict[str, Any]]:
    """The arguments that say what an operation is."""
    values = [wrapped(kinds[slot], slot) for slot in op.operands]
    given: dict[str, Any] = dict(zip([o.name for o in form.form.operands], values, strict=False))
    given |= {name: value for name, value in op.attrs.items() if name in form.by_name}
    at = len(form.form.operands)
    for keyword, count in op.segments:
        given[keyword] = tuple(values[at : at + count])
        at += count
    arguments = [given.pop(name) for name in form.positional if name in given]
    if form.update:
        given["update"] = True
    if form.dtype != "never":
        result = kinds[op.results[0]]
        if not (isinstance(result, Scalar) and form.space):
            given["dtype"] = _element(result)
        if form.space and isinstance(result, Ptr):
            given["space"] = result.space
    return arguments, given


@pytest.mark.parametrize(("record", "form"), FORMS)
def test_called_as_its_example(record: Record, form: CallForm) -> None:
    text, target = _text(record, form.index)
    module = ir.parse(text)
    function = module.program.functions[0]
    op = _used(module.program, record, form.index)
    emitter = Emitter(TARGETS[target], "manual")
    emitter.types, emitter.names = list(function.types), list(function.names)
    arguments, named = _call(form, op, emitter.types)
    called = getattr(pto, record.short.replace(".", "_"))
    inspect.signature(called).bind(*arguments, **named)
    with making(emitter):
        called(*arguments, **named)
    (made,) = emitter.ops
    assert [emitter.types[slot] for slot in made.results] == [
        function.types[slot] for slot in op.results
    ]
    assert (made.name, made.form, made.segments) == (op.name, op.form, op.segments)
    before = print_module(Module(module.program))
    op.operands, op.attrs, op.form, op.segments = (
        made.operands,
        made.attrs,
        made.form,
        made.segments,
    )
    assert print_module(Module(module.program)) == before


def test_nothing_of_the_table_is_left_out() -> None:
    """Only what has a body is no function: `with pto.vecscope()`."""
    called = {record.name for record in BY_NAME.values()}
    missing = {name for name in TABLE if name not in called}
    assert missing == {"pto.vecscope", "pto.strict_vecscope", "arith.constant"}
    assert set(BY_NAME) <= set(dir(pto))
    assert {d.name for d in SCALAR_CLASSES} <= set(dir(pto))
    assert isinstance(pto.f32.dtype, DType)
