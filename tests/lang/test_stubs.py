"""Signatures, docstrings and the stub, over the whole table.

That pyright accepts `typing/right.py` and finds every mistake of `typing/wrong.py`, where it is
marked, is checked whenever pyright runs: both are strict, and a remark that is not needed is an
error."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

import ptoscope
from ptoscope import pto
from ptoscope.isa.record import Record
from ptoscope.lang.calls.names import BY_NAME
from ptoscope.lang.calls.parameters import call_forms
from ptoscope.lang.kernel import PythonKernel
from ptoscope.lang.stubs.text import stub
from tests.lang.typing import right

_STUB = Path(ptoscope.__file__).with_name("pto.pyi")
EVERY = [pytest.param(name, record, id=name) for name, record in BY_NAME.items()]


def test_the_stub_is_up_to_date() -> None:
    """Else: python -m ptoscope.lang.stubs > src/ptoscope/pto.pyi"""
    assert _STUB.read_text() == stub()


def test_the_stub_has_what_the_module_has() -> None:
    tree = ast.parse(_STUB.read_text())
    stubbed = {n.name for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    imported = {a.asname for n in tree.body if isinstance(n, ast.ImportFrom) for a in n.names}
    assert set(dir(pto)) <= stubbed | imported
    for name in dir(pto):
        assert getattr(pto, name) is not None


@pytest.mark.parametrize(("name", "record"), EVERY)
def test_a_function_tells_what_it_takes(name: str, record: Record) -> None:
    function = getattr(pto, name)
    assert function.__name__ == name
    signature = inspect.signature(function)
    for parameter in signature.parameters.values():
        ast.parse(str(parameter.annotation), mode="eval")
    doc = inspect.getdoc(function) or ""
    assert record.doc.split()[0] in doc
    if record.formula:
        assert record.formula.replace(" ", "") in doc.replace("\n", "").replace(" ", "")
    assert f"Targets: {', '.join(record.targets)}." in doc
    for form in call_forms(record):
        for parameter in form.parameters:
            assert parameter.name in signature.parameters
            assert f"\n{parameter.name}: " in doc
        assert ("dtype" in signature.parameters) or form.dtype == "never"
    # The examples are Python, and fit the signature.
    for line in doc.splitlines():
        if f"pto.{name}(" in line:
            call = ast.parse(line.strip()).body[0]
            assert isinstance(call, (ast.Assign, ast.Expr))
            assert isinstance(call.value, ast.Call)
            named = {k.arg: 0 for k in call.value.keywords if k.arg}
            signature.bind(*call.value.args, **named)


@pytest.mark.parametrize("kernel", right.KERNELS, ids=lambda k: k.function.__name__)
def test_what_pyright_accepts_is_accepted(kernel: PythonKernel) -> None:
    assert not [d for d in kernel.on().findings if d.severity == "error"]
