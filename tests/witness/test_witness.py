"""Every meaning agrees with an independent statement of what the instruction does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ptoscope.isa import TABLE
from ptoscope.isa.dtypes import F32
from ptoscope.isa.families import binary, cost
from ptoscope.isa.record import Record, Types
from tests.witness.all import WITNESSES, judged, without_witness


def test_every_record_has_a_witness() -> None:
    assert without_witness(TABLE) == []


def test_every_witness_has_a_record() -> None:
    assert [name for name in WITNESSES if name not in TABLE] == []


@pytest.mark.parametrize("record", TABLE.values(), ids=lambda r: r.name)
def test_the_meaning_is_what_its_witness_says(record: Record) -> None:
    assert judged(record) == ""


def test_a_new_record_without_a_witness_is_reported() -> None:
    new = binary(
        "vavg",
        lambda lhs, rhs: (lhs + rhs) / 2,
        doc="Lane-wise mean.",
        types=Types((F32,)),
        formula="(lhs[i] + rhs[i]) / 2",
        cost=cost(7, "f32"),
    )
    assert without_witness({**TABLE, new.name: new}) == ["pto.vavg"]


@pytest.mark.parametrize("wrong", ["lhs - rhs", "without the mask"])
def test_a_wrong_meaning_is_caught(wrong: str) -> None:
    other = TABLE["pto.vsub"] if wrong == "lhs - rhs" else _unmasked(TABLE["pto.vadd"])
    said = judged(replace(TABLE["pto.vadd"], meaning=other.meaning))
    assert said.startswith("pto.vadd: ")
    assert "lane" in said


def _unmasked(record: Record) -> Record:
    return replace(record, meaning=lambda site: lambda core, lhs, rhs, mask: lhs + rhs)
