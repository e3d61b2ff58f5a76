"""The syntax lines of the documents of computation: read, and printed as they were written."""

from __future__ import annotations

import pytest

import ptoscope
from ptoscope.ir import parse, print_module
from ptoscope.isa import INSTRUCTIONS
from tests.documents.harness import registers

VECTOR, MASK = "!pto.vreg<64x{t}>", "!pto.mask<b32>"
BINARY = "%result = pto.{name} %lhs, %rhs, %mask : {v}, {v}, {m} -> {v}"
CARRY = "%result, %{out} = pto.{name} %lhs, %rhs, %mask : {v}, {v}, {m} -> {v}, {m}"
CARRIED = (
    "%result, %{out} = pto.{name} %lhs, %rhs, %{out}_in, %mask : {v}, {v}, {m}, {m} -> {v}, {m}"
)
SCALAR = "%result = pto.{name} %input, %scalar, %mask : {v}, {t}, {m} -> {v}"
FLOATS, INTEGERS, BOTH = ("f32",), ("i32",), ("f32", "i32")

# Of each document: the syntax line, the instructions it is given for, and the element types of
# 32 bits that these take.
LINES = (
    (BINARY, ("vadd", "vsub", "vmul", "vmax", "vmin"), BOTH),
    (BINARY, ("vdiv",), FLOATS),
    (BINARY, ("vand", "vor", "vxor", "vshl", "vshr"), INTEGERS),
    (CARRY, ("vaddc", "vsubc"), INTEGERS),
    (SCALAR, ("vadds", "vsubs", "vmuls", "vmaxs", "vmins"), BOTH),
    (SCALAR, ("vands", "vors", "vxors", "vshls", "vshrs"), INTEGERS),
    (SCALAR, ("vlrelu",), FLOATS),
    (CARRIED, ("vaddcs", "vsubcs"), INTEGERS),
)
BROAD = [name for _, names, elements in LINES for name in names if elements == BOTH]
CLAIMS = [
    (line, name, element)
    for line, names, elements in LINES
    for name in names
    for element in elements
]
NARROW = [(line, name, element) for line, name, element in CLAIMS if name not in BROAD]


def _id(value: str) -> str:
    return value if value.isidentifier() else ""


def written(line: str, name: str, element: str) -> str:
    """A syntax line with its blanks filled."""
    vector = VECTOR.format(t=element)
    out = "carry" if "add" in name else "borrow"
    return line.format(name=name, v=vector, m=MASK, t=element, out=out)


def kernel(line: str, name: str, element: str) -> str:
    text = written(line, name, element)
    carry = "".join(
        f'%{word}_in = pto.pset_b32 "PAT_ALL" : {MASK}\n'
        for word in ("carry", "borrow")
        if f"%{word}_in" in text
    )
    sources = {source: element for source in ("lhs", "rhs", "input") if f"%{source}" in text}
    scalars = {"scalar": element} if "%scalar" in text else {}
    return registers(carry + text, sources, {"result": element}, scalars)


@pytest.mark.parametrize(("line", "name", "element"), CLAIMS, ids=_id)
def test_syntax_line(line: str, name: str, element: str) -> None:
    text = kernel(line, name, element)
    # Long lines are broken before their types.
    printed = " ".join(print_module(parse(text), level="ssa").split())
    assert written(line, name, element) in printed
    for target in ("cpu", "a2a3", "a5"):
        ptoscope.load(text, target)


@pytest.mark.parametrize(("line", "name", "element"), NARROW, ids=_id)
def test_other_element_types_are_refused(line: str, name: str, element: str) -> None:
    other = "i32" if element == "f32" else "f32"
    with pytest.raises(ptoscope.PtoError) as caught:
        ptoscope.load(kernel(line, name, other), "a5", "manual")
    assert {d.code for d in caught.value.diagnostics} == {"PTO0102"}


def test_both_documents_are_complete() -> None:
    groups = ("binary", "vector-scalar")
    described = [name for _, names, _ in LINES for name in names]
    assert sorted(described) == sorted(r.short for r in INSTRUCTIONS.values() if r.group in groups)
