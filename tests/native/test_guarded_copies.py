"""Copies at the edges of 2**31, 2**32 and 2**63, between pages that nobody may touch.

Instructions run in processes of their own, several in each: a crash is a failure of the test, and
names the instruction.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from ptoscope.isa import TABLE
from tests.attack.copies import EDGES, EVERY, FORMS, compare, legal_numbers

SCRIPT = """
import sys
from tests.attack.copies import compare, edge_cases
for name in sys.argv[1:]:
    print(name, end=": ", flush=True)
    said = [compare(name, numbers) for numbers in edge_cases(name)]
    print(len(said), said[0] or "legal", sum(map(bool, said)), flush=True)
"""
PROCESSES = 4


@pytest.mark.parametrize("part", range(PROCESSES))
def test_a_copy_at_the_edges_of_all_numbers(part: int) -> None:
    names = EVERY[part::PROCESSES]
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT, *names], capture_output=True, text=True, timeout=300
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr[-2000:]
    for name, line in zip(names, ran.stdout.splitlines(), strict=True):
        told, _, said = line.partition(": ")
        cases, first, faults = said.split()
        assert (told, first) == (name, "legal")
        assert int(cases) == 1 + len(EDGES) * len(legal_numbers(name)), name
        assert int(faults) > int(cases) // 2, name


def test_every_copy_instruction_is_among_them() -> None:
    copies = {name.removeprefix("pto.") for name, record in TABLE.items() if record.path}
    assert {name.partition(",")[0] for name in EVERY} == copies


@pytest.mark.parametrize("name", ["mte_ub_ub", "copy_ubuf_to_ubuf"])
def test_a_length_in_blocks_whose_bytes_wrap_is_refused(name: str) -> None:
    """2**59 + 1 blocks are 32 bytes modulo 2**64."""
    said = compare(name, {**FORMS[name].numbers, "length": (1 << 59) + 1})
    assert "PTO0907" in said
    assert "the burst length does not fit its 16-bit field" in said


@pytest.mark.parametrize("name", ["mte_gm_ub", "copy_gm_to_ubuf"])
def test_the_faulting_row_of_more_rows_than_anyone_can_visit(name: str) -> None:
    """The row is found at once: 2**58 of them, and only the last iteration leaves UB."""
    legal = FORMS[name].numbers
    still = {"gm0": 0, "ub0": 0, "gm1": 4, "ub1": 0, "gm2": 0, "ub2": 32}
    counts = {"rows": (1 << 16) - 1, "count1": 2, "count2": (1 << 21) - 1}
    said = compare(name, {**legal, **still, **counts, "length": 4})
    assert "PTO0901" in said
