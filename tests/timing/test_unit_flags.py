"""Unit flags: products and what drains them wait for each other, tile by tile."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.timing.kernels import timed

M = N = K = 64
PRODUCT = 6 + (M // 16) * (N // 16) * (K // 16)
STARTED, BYTES = 1 + 317, M * N * 4 // 32
DRAIN = STARTED + BYTES
"""L0C to GM, as UB to GM in the log of A5: issue and start-up, bytes."""
SLACK = 40
L0A, L0B, L0C, GM = (
    f"!pto.ptr<{kind}, {space}>"
    for kind, space in (("f16", "l0a"), ("f16", "l0b"), ("f32", "l0c"), ("f32", "gm"))
)
_NUMBERS = "\n".join(f"    %c{n} = arith.constant {n} : i64" for n in (0, 1, M, 4 * M * N))


def _kernel(*tiles: int, set_flag: str = "check_and_set", clear: str = "check_and_clear") -> str:
    """A product into each of these tiles, each drained at once."""
    lines: list[str] = []
    for tile in tiles:
        lines += [
            f"pto.mad %a, %b, %t{tile}, %c{M}, %c{N}, %c{K} unit_flag({set_flag}) : "
            f"{L0A}, {L0B}, {L0C}, i64, i64, i64",
            f"pto.mte_l0c_gm %t{tile}, %y, %c{M}, %c{N}, %c{M}, %c{N}, %c0, %c0, "
            f"unit_flag({clear}), nz2nd : {L0C}, {GM}, i64, i64, i64, i64, i64, i64",
        ]
    body = "\n      ".join(lines)
    return f"""module {{
  func.func @k(%y: {GM}) attributes {{pto.aicore}} {{
{_NUMBERS}
    %a = pto.castptr %c0 : i64 -> {L0A}
    %b = pto.castptr %c0 : i64 -> {L0B}
    %t0 = pto.castptr %c0 : i64 -> {L0C}
    %t1 = pto.castptr %c{4 * M * N} : i64 -> {L0C}
    pto.section.cube {{
      {body}
    }}
    return
  }}
}}
"""


def _timed(text: str) -> Any:
    return timed(text, np.zeros(M * N, np.float32))


def test_one_tile_is_filled_and_drained_in_turns() -> None:
    timing = _timed(_kernel(0, 0, 0))
    serial = 3 * (PRODUCT + DRAIN)
    assert serial <= timing.total_cycles <= serial + SLACK
    stalls = [s for s in timing.as_json()["stalls"] if s["cause"] == "unit flag wait"]
    names = {timing.program.text.split("\n")[s["line"] - 1].split()[0] for s in stalls}
    assert names == {"pto.mad", "pto.mte_l0c_gm"}
    used = {p.pipe: p for p in timing.reasons.pipes if p.core == "cube"}
    assert used["PIPE_M"].busy == 3 * PRODUCT
    assert used["PIPE_FIX"].busy == 3 * DRAIN
    assert abs(used["PIPE_M"].waiting - 2 * DRAIN) <= SLACK


def test_two_tiles_overlap() -> None:
    """The next product is made while the one before is drained, and drained right behind it."""
    timing = _timed(_kernel(0, 1, 0, 1))
    overlapped = PRODUCT + STARTED + 4 * BYTES
    assert overlapped <= timing.total_cycles <= overlapped + SLACK


def test_an_instruction_with_a_unit_flag_is_issued_once() -> None:
    with_flags, without = _kernel(0), _kernel(0).replace(" unit_flag(check_and_set)", "")
    without = without.replace("unit_flag(check_and_clear), ", "")
    busy = [
        next(p.busy for p in _timed(text).reasons.pipes if p.pipe == "PIPE_S")
        for text in (with_flags, without)
    ]
    assert busy[0] == busy[1]


def test_the_critical_path_goes_through_unit_flags() -> None:
    timing = _timed(_kernel(0, 0))
    path = [(step.what, step.cycles) for step in timing.reasons.path if step.cycles > 30]
    drain = [("start-up", 317), ("transfer", DRAIN - 317)]
    assert path == [("product", PRODUCT - 6), *drain] * 2
    assert sum(step.cycles for step in timing.reasons.path) == timing.total_cycles
