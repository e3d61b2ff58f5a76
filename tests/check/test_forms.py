"""Every form of every instruction refuses a value of another kind in the place of an operand."""

from __future__ import annotations

import re

import pytest

from ptoscope import PtoError, ir
from ptoscope.check import check_operations
from ptoscope.isa.record import Record
from ptoscope.isa.targets import TARGETS
from ptoscope.isa.types import Align, Mask, Type
from tests.ir.kernels import function
from tests.ir.table import FORMS, write


def _other(record: Record, index: int, operand: str) -> Type:
    """A type that no form takes there."""
    patterns = [o.type for form in record.forms for o in form.operands if o.name == operand]
    return next(t for t in (Align(), Mask(8)) if not any(p.match(t, {}) for p in patterns))


def _codes(text: str) -> list[str]:
    """What is said about the line."""
    try:
        found = check_operations(ir.parse(text).program, TARGETS["a5"], "micro")
    except PtoError as error:
        found = list(error.diagnostics)
    return [said.code for said in found if said.line == 2]


@pytest.mark.parametrize(("record", "index"), FORMS)
def test_a_value_of_another_kind_is_refused(record: Record, index: int) -> None:
    """Whether the text lists the type that it should have, or the one that it has."""
    for operand in record.forms[index].operands:
        other = _other(record, index, operand.name)
        line, parameters = write(record, index)
        line = re.sub(rf"%{operand.name}\b", "%other", line)
        hidden = function(line, f"{parameters}, %other: {other}")
        shown = function(*write(record, index, instead={operand.name: other}))
        # Where a type is listed, it is not that of the value; else the rule of types says so.
        assert {"PTO0009", "PTO0101"}.intersection(_codes(hidden)), hidden
        assert "PTO0101" in _codes(shown), shown
