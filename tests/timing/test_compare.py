"""Two runs side by side: lines matched by their text, and what each takes more or less."""

from __future__ import annotations

import json

from tests.timing.kernels import FLOATS, GM, UB, tiles, timed, whole

START_UP, BYTES = 1 + 477, 32
"""Of a copy, as assumed for A5: cycles, and bytes a cycle."""


def _loads(*floats: int, barrier: str = "", before: bool = False) -> str:
    """A kernel that loads so many floats, one load after the other."""
    lines = ["%burst = arith.constant 1 : i64"]
    for count in floats:
        lines.append(f"%b{count} = arith.constant {4 * count} : i64")
    copies = [
        f"pto.mte_gm_ub %gm, %ub, %zero, %b{n} nburst(%burst, %b{n}, %b{n}) "
        f": {GM}, {UB}, i64, i64, i64, i64, i64"
        for n in floats
    ]
    between = [barrier] if barrier else []
    return whole(*lines, *([*between, *copies] if before else [*copies, *between]))


def test_lines_are_matched_by_their_text() -> None:
    one, two = _loads(1024, 512), _loads(1024, 256, 64)
    a, b = (timed(text, tiles(1)) for text in (one, two))
    found = a.compare(b)
    rows = {
        (line.a_line > 0, line.b_line > 0, line.a_cycles, line.b_cycles, line.difference)
        for line in found.lines
        if "mte_gm_ub" in line.text
    }
    # What follows the first copy at once does not start anew.
    first, half, quarter, short = (4 * n // BYTES for n in (1024, 512, 256, 64))
    long = START_UP + first
    assert rows == {
        (True, True, long, long, 0),
        (True, False, half, 0, -half),
        (False, True, 0, quarter, quarter),
        (False, True, 0, short, short),
    }
    for line in found.lines:
        for number, text in ((line.a_line, one), (line.b_line, two)):
            assert not number or text.split("\n")[number - 1].strip() == line.text
    assert (found.a_cycles, found.b_cycles) == (a.total_cycles, b.total_cycles)
    assert found.difference == b.total_cycles - a.total_cycles == quarter + short - half + 1
    assert found.ratio == b.total_cycles / a.total_cycles


def test_a_line_that_moved_is_the_same_line() -> None:
    barrier = "pto.barrier #pto.pipe<PIPE_ALL>"
    first, last = (_loads(FLOATS, barrier=barrier, before=before) for before in (True, False))
    found = timed(first, tiles(1)).compare(timed(last, tiles(1)))
    (line,) = (line for line in found.lines if line.text == barrier)
    assert line.a_line < line.b_line
    assert (line.a_cycles, line.difference) == (0, START_UP + 4 * FLOATS // BYTES)


def test_other_names_are_no_difference() -> None:
    """Only lines that took cycles are told, and a kernel against itself gains nothing."""
    text = _loads(1024)
    found = timed(text, tiles(1)).compare(timed(text.replace("@k", "@other"), tiles(1)))
    assert (found.difference, found.ratio) == (0, 1)
    assert not [line for line in found.lines if line.difference or not line.b_line]
    table = str(found).splitlines()
    assert table[0].split() == ["line", "in", "A", "in", "B", "A", "B", "difference", "source"]
    assert table[-1].split()[:3] == ["total", str(found.a_cycles), str(found.b_cycles)]
    assert table[-1].endswith("1.00 times the cycles")
    assert json.loads(json.dumps(found.as_json())) == found.as_json()
