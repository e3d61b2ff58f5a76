"""The overview's SSA form, and that no snippet of the documents is left without a test."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from ptoscope.isa import TABLE
from tests.documents.harness import (
    BINARY,
    LOAD_STORE,
    OVERVIEW,
    PREDICATE_STORE,
    VECTOR_SCALAR,
    assert_same,
    assert_verbatim,
    blank,
    document,
    floats,
    registers,
    run,
)

SSA = """\
%vdst = pto.vadd %vsrc0, %vsrc1, %mask
: (!pto.vreg<64xf32>, !pto.vreg<64xf32>, !pto.mask<b32>) -> !pto.vreg<64xf32>
"""

OPERATION = re.compile(r"^(?:%[\w:, %]+ = )?(\w+\.\w+)\b")
# A line with one of these is a description of syntax or another level of it, not a kernel.
NOT_KERNEL_TEXT = ("NxT", '"DIST"', "ins(")


def test_the_lines_are_the_documents() -> None:
    assert_verbatim(SSA, OVERVIEW)


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
@pytest.mark.parametrize("active", [0, 31, 64])
def test_ssa_form(target: str, active: int) -> None:
    kernel = registers(SSA, {"vsrc0": "f32", "vsrc1": "f32"}, {"vdst": "f32"})
    src0, src1, dst, expected = floats(1), floats(2), blank(), blank()
    run(kernel, src0, src1, dst, active, target=target)
    with np.errstate(all="ignore"):
        for i in range(active):
            expected[i] = src0[i] + src1[i]
    assert_same(dst, expected)


def operations(text: str) -> list[str]:
    """The lines of a document that are an operation of the table, written as in a kernel."""
    found = []
    for line in (line.strip() for line in text.splitlines()):
        match = OPERATION.match(line)
        concrete = "%" in line or '"' in line
        if match and match[1] in TABLE and concrete:
            found.append(line)
    return [line for line in found if not any(word in line for word in NOT_KERNEL_TEXT)]


@pytest.mark.parametrize("name", [LOAD_STORE, OVERVIEW, BINARY, PREDICATE_STORE, VECTOR_SCALAR])
def test_every_operation_of_the_documents_is_tested(name: str) -> None:
    tests = "\n".join(p.read_text(encoding="utf-8") for p in Path(__file__).parent.glob("*.py"))
    lines = operations(document(name))
    assert lines or name == PREDICATE_STORE
    assert [line for line in lines if line not in tests] == []
