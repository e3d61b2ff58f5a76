"""Checks hold of an instruction by whatever name: they know it by its record alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from ptoscope.check import RULES, catalogue
from ptoscope.isa import TABLE
from ptoscope.isa.arith import constant
from ptoscope.isa.record import Record
from ptoscope.program import SCOPES
from tests.check.test_examples import of_entry

CODES = [rule.code for rule in RULES]
KEPT = {*SCOPES, constant.name}
"""Known to the reader: what has a body, and literals."""
NAME = re.compile(r"(?<![\w!])(pto|arith)\.(\w+)")


def _renamed(text: str) -> str:
    """The same kernel with instructions that nobody has heard of."""
    return NAME.sub(lambda m: f"{m[1]}.trial_{m[2]}" if _replaced(m[0]) else m[0], text)


def _replaced(name: str) -> bool:
    return name in TABLE and name not in KEPT


@pytest.fixture
def trials(add_record: Callable[[Record], None]) -> None:
    """A second record for each instruction, which says the same under another name."""
    for record in list(TABLE.values()):
        if _replaced(record.name):
            add_record(replace(record, name=record.name.replace(".", ".trial_", 1)))


@pytest.mark.parametrize("half", ["bad", "fixed"])
@pytest.mark.parametrize("code", CODES)
def test_the_same_is_found_under_other_names(code: str, half: str, trials: None) -> None:
    entry = catalogue.entry(code)
    text = entry.bad if half == "bad" else entry.fixed
    expected = of_entry(entry, text)
    found = of_entry(entry, _renamed(text))
    assert [(d.code, d.line, bool(d.fix)) for d in found] == [
        (d.code, d.line, bool(d.fix)) for d in expected
    ]
    assert (code in {d.code for d in found}) == (half == "bad")
