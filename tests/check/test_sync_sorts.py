"""Instructions that go through UB step by step: the whole of what they touch is known before."""

from __future__ import annotations

import pytest

from ..races.pairs_registers import REGISTERS
from .pipes import P, both, codes, copy_in, copy_out, findings, kernel

INDICES = "!pto.ptr<ui32, ub>"
BEFORE = {
    "vbitsort": f"{copy_in('%c', '%l128')}\n%ix = pto.castptr %l8192 : i64 -> {INDICES}",
    "vsort32": "",
    "vtranspose": "%shape = arith.constant 524296 : i64",
    "vmrgsort4": "%lists = arith.constant 3841 : i64\n"
    "%long = arith.constant 2251829878849544 : i64",
}
"""8 rows of 8 columns; four lists of 8 records."""
LINES = {
    "vbitsort": f"pto.vbitsort %b, %a, %ix, %i1 : {P}, {P}, {INDICES}, index",
    "vsort32": f"pto.vsort32 %b, %a, %l1 : {P}, {P}, i64",
    "vtranspose": f"pto.vtranspose %b, %a, %shape : {P}, {P}, i64",
    "vmrgsort4": f"pto.vmrgsort4 %b, %a, %a, %a, %a, %long, %lists : "
    f"{P}, {P}, {P}, {P}, {P}, i64, i64",
}


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("missing", ["MTE2", "MTE3", None])
def test_what_a_sort_reads_and_writes_is_ordered(name: str, missing: str | None) -> None:
    """All of them write 256 bytes; what goes out are the last of these."""
    text = kernel(
        BEFORE[name],
        "%end = arith.constant 4320 : i64",
        f"%last = pto.castptr %end : i64 -> {P}",
        copy_in("%a"),
        *([both("MTE2", "V")] if missing != "MTE2" else []),
        LINES[name],
        *([both("V", "MTE3")] if missing != "MTE3" else []),
        copy_out("%last", "%l32"),
    )
    assert codes(text) == ([] if missing is None else ["PTO0607"])


@pytest.mark.parametrize("name", REGISTERS)
def test_a_register_that_a_pipe_still_writes(name: str) -> None:
    pair = REGISTERS[name]
    assert "PTO0607" in codes(pair.faulty())
    assert "PTO0607" not in codes(pair.fixed())
    (race,) = [d for d in findings(pair.faulty()) if d.code == "PTO0607"]
    assert "the special register VMS4_0" in race.message
