"""Instructions of the matrix core as generated code: what their witnesses demand, on all types and
clauses and on every input, byte by byte in all memories."""

from __future__ import annotations

import pytest

from ptoscope.isa import TABLE
from ptoscope.isa.patterns import PtrTo
from ptoscope.isa.record import Record
from tests.native.witnessed import generated
from tests.witness.all import WITNESSES
from tests.witness.machine import GM_BYTES, UB_BYTES, Case, Outcome
from tests.witness.registry import Trial

_OF_THE_MATRIX_CORE = {"l1", "l0a", "l0b", "l0c", "bt", "fb"}
RECORDS = [
    record
    for record in TABLE.values()
    if any(
        isinstance(o.type, PtrTo) and o.type.space in _OF_THE_MATRIX_CORE
        for form in record.forms
        for o in form.operands
    )
]


def _trials(record: Record) -> list[Trial]:
    """One for each form, types, words and clauses, the first of which has most inputs; A2/A3 by
    itself, where tiles may lie otherwise. A revision changes nothing here."""
    found: dict[object, Trial] = {}
    for trial in WITNESSES[record.name](record):
        if trial.use is not None:
            s, apart = trial.use.site, trial.use.target == "a2a3"
            words = tuple(s.attrs.items())
            found.setdefault((s.form, s.operands, words, s.segments, apart), trial)
    return list(found.values())


def _changes(case: Case, expected: Outcome) -> bool:
    before = case.ub or bytes(UB_BYTES), case.gm or bytes(GM_BYTES), case.chip
    return not expected.fault and before != (expected.ub, expected.gm, expected.chip)


def test_they_are_all_here() -> None:
    assert len(RECORDS) == 25


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r.name)
def test_generated_code_does_what_the_witness_says(record: Record) -> None:
    assert not record.micro_formula
    trials = _trials(record)
    by_code = 0
    for trial in trials:
        assert trial.use is not None
        code = generated(trial.use.site)
        alone = False
        for number, (case, expected) in enumerate(trial.known()):
            found, asked = code.run(case)
            found.registers = expected.registers
            said = found.differs(expected)
            assert not said, f"{trial.label}: case {number}: {said}"
            alone |= not asked and _changes(case, expected)
        by_code += alone
    # The engine is asked to fault, to update GM, and where rows may overlap.
    assert by_code > len(trials) * 3 // 4
