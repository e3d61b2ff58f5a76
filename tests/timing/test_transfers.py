"""Copies, flags and scalar loads: what the published figures say, computed here by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ptoscope.isa.copy_costs import paths, transfer
from ptoscope.isa.sync_costs import NOT_COUNTED
from tests.timing.kernels import GM, MASK, REG, UB, scope, timed

LOG_IN, LOG_OUT = (32768, 1501), (16384, 829)
"""The public log of A5: bytes and cycles from issue to done."""


def _kernel(*lines: str) -> str:
    """A kernel with a pointer into GM, %gm, and sizes %b256, %b4096, ..."""
    head, tail = scope().split("    pto.vecscope {")
    sizes = [f"%b{n} = arith.constant {n} : i64" for n in (1, 256, 4096, 16384, 32768)]
    body = "".join(f"    {line}\n" for line in (*sizes, *lines))
    return head.replace("@k()", f"@k(%gm: {GM})") + body + tail[tail.index("    return") :]


def _load(size: int) -> str:
    return (
        f"pto.mte_gm_ub %gm, %ub, %zero, %b{size} nburst(%b1, %b{size}, %b{size}) "
        f": {GM}, {UB}, i64, i64, i64, i64, i64"
    )


def _store(size: int) -> str:
    return (
        f"pto.mte_ub_gm %ub, %gm, %b{size} nburst(%b1, %b{size}, %b{size}) "
        f": {UB}, {GM}, i64, i64, i64, i64"
    )


def _flag(kind: str, src: str, dst: str) -> str:
    return f'pto.{kind}_flag["PIPE_{src}", "PIPE_{dst}", "EVENT_ID0"]'


SCOPE = (
    "pto.vecscope {",
    f'  %all = pto.pset_b32 "PAT_ALL" : {MASK}',
    f"  %x = pto.vlds %ub[%c0] : {UB} -> {REG}",
    f"  pto.vsts %x, %ub[%c0], %all : {REG}, {UB}, {MASK}",
    "}",
)


def _timed(*lines: str, **options: Any) -> Any:
    return timed(_kernel(*lines), np.zeros(8192, np.float32), **options)


def _busy(pipe: str, *lines: str, **options: Any) -> int:
    (found,) = (p for p in _timed(*lines, **options).reasons.pipes if p.pipe == pipe)
    return found.busy


@pytest.mark.parametrize(
    ("path", "size", "cycles"), [("gm_to_ub", *LOG_IN), ("ub_to_gm", *LOG_OUT)]
)
def test_every_figure_of_the_log_fits_the_log(path: str, size: int, cycles: int) -> None:
    """What is assumed, and both ends: the sum at the log's size is the log's."""
    rate, startup, *_ = transfer(path, "a5", manual=False)
    assert rate.ends
    assert startup.ends
    for one, other in zip((rate.value, *rate.ends), (startup.value, *startup.ends), strict=True):
        assert -(-size // one) + other == cycles


def test_the_log_of_a5() -> None:
    """Loaded; 3 cycles later the vecscope is issued; 2 after its end the store is."""
    timing = _timed(
        _load(32768), _flag("set", "MTE2", "V"), _flag("wait", "MTE2", "V"), *SCOPE,
        _flag("set", "V", "MTE3"), _flag("wait", "V", "MTE3"), _store(16384),
    )  # fmt: skip
    (vecscope,) = timing.as_json()["vecscopes"]
    load = [step.cycles for step in timing.reasons.path if step.pipe == "PIPE_MTE2"]
    (issued,) = (step for step in timing.reasons.path if step.pipe == "PIPE_S")
    assert sum(load) == 1 + 1501
    assert timing.total_cycles == issued.cycles + 1 + 1501 + 3 + vecscope["cycles"] + 2 + 829


def test_what_is_issued_right_behind_does_not_start_again() -> None:
    """A start-up of 317 and the issue; 256 bytes more take 8 cycles at 32 a cycle (2 in the log,
    which is what the end with 128 gives)."""
    assert _busy("PIPE_MTE3", _store(16384)) == 1 + 829
    assert _busy("PIPE_MTE3", _store(16384), _store(256)) == 1 + 829 + 8
    slow = {"dma.ub_to_gm.startup": 701.0, "dma.ub_to_gm.bytes_per_cycle": 128.0}
    assert _busy("PIPE_MTE3", _store(16384), _store(256), overrides=slow) == 1 + 829 + 2


def test_behind_a_flag_it_starts_again() -> None:
    """The pipe is idle when it comes to the second."""
    between = (_flag("set", "MTE3", "V"), _flag("wait", "MTE3", "V"), *SCOPE,
               _flag("set", "V", "MTE3"), _flag("wait", "V", "MTE3"))  # fmt: skip
    busy = _busy("PIPE_MTE3", _store(16384), *between, _store(256))
    assert busy == 1 + 829 + 1 + 1 + 317 + 8


def test_a_flag_that_is_up_does_not_start_it_again() -> None:
    """A signal behind the first and a wait for what is long there: the second starts meanwhile."""
    ready = _flag("set", "V", "MTE3"), _flag("wait", "V", "MTE3")
    between = _flag("set", "MTE3", "V"), ready[1]
    busy = _busy("PIPE_MTE3", ready[0], _store(16384), *between, _store(256))
    assert busy == 1 + 829 + 1 + 8


ISSUE = {"scalar.issue": 1}


def test_the_total_is_a_range() -> None:
    """4096 bytes: 128 cycles and 477 to start; 139 and 393; 32 and 1245."""
    timing = _timed(_load(4096), overrides=ISSUE)
    found = timing.range
    around = timing.total_cycles - (477 + 128)
    assert (found.low, found.high) == (around + 393 + 139, around + 1245 + 32)
    assert {reason.set for reason in found.reasons} == {
        "dma.gm_to_ub.bytes_per_cycle",
        "dma.gm_to_ub.startup",
    }
    assert str(found).endswith("dma.gm_to_ub rest on one log")
    said = timing.as_json()["range"]
    assert (said["low"], said["high"]) == (found.low, found.high)
    assert said["reasons"][0]["ends"] == [29.575, 128]


def test_a_long_transfer_is_longest_where_bytes_are_slow() -> None:
    """Four times the log's size, one behind the other."""
    timing = _timed(*(_load(32768) for _ in range(4)), overrides=ISSUE)
    around = timing.total_cycles - (477 + 4 * 1024)
    assert timing.range.low == around + 1245 + 4 * 256
    assert timing.range.high == around + 393 + 4 * 1108


def test_what_is_given_is_known() -> None:
    timing = _timed(_load(4096), overrides={"dma.gm_to_ub.startup": 480, **ISSUE})
    assert timing.range is None
    assert timing.as_json()["range"] is None
    assert _timed(*SCOPE, overrides={"sync.launch": 2, **ISSUE}).range is None


@pytest.mark.parametrize(("target", "launch"), [("a5", 2), ("a2a3", 0)])
def test_issue_and_launch_widen_the_range(target: str, launch: int) -> None:
    """Each instruction of the scalar unit takes a cycle or two, a launch none to two."""
    timing = _timed(*SCOPE, target=target)
    issued = _busy("PIPE_S", *SCOPE, target=target)
    found = timing.range
    assert {reason.set for reason in found.reasons} == {"scalar.issue", "sync.launch"}
    assert found.low == timing.total_cycles - launch
    assert timing.total_cycles + 2 - launch < found.high
    assert found.high <= timing.total_cycles + issued + 2 - launch
    assert str(found).endswith("cycles: scalar.issue and sync.launch are assumed")
    assumed = {row["set"] for row in timing.as_json()["assumed"]}
    assert {"scalar.issue", "sync.launch"} <= assumed


def test_the_ends_of_copies_and_of_issue_are_taken_with_each_other() -> None:
    """Four times the log's size is longest where bytes are slow, and issue is slow."""
    copies = tuple(_load(32768) for _ in range(4))
    plain, fixed = _timed(*copies).range, _timed(*copies, overrides=ISSUE).range
    assert plain.low == fixed.low
    assert plain.high > fixed.high


def test_two_fits_of_a2a3_are_a_range() -> None:
    """UB to GM: bytes / 109.38 or (bytes + 1755) / 16.36."""
    timing = _timed(_store(16384), target="a2a3", overrides=ISSUE)
    flat, hill = 16384 / 109.38, (16384 + 1755) / 16.36
    assert timing.range.high - timing.range.low == pytest.approx(hill - flat, abs=2)
    assert "two published fits" in str(timing.range)


def test_transfers_of_a2a3_start_one_after_the_other() -> None:
    """Measured: 512 bytes in 268 cycles, 8192 in 328, 32512 in 519: 264 and 128 bytes a cycle; 32
    times 512 bytes in 32 times 268."""
    assert _busy("PIPE_MTE2", _load(4096), target="a2a3") == 264 + 4096 // 128
    twice = _busy("PIPE_MTE2", _load(4096), _load(256), target="a2a3")
    assert twice == 264 + 4096 // 128 + 264 + 256 // 128


@pytest.mark.parametrize(("size", "expected"), [(4096, 32), (256, 2)])
def test_the_manuals_bandwidth(size: int, expected: int) -> None:
    options = {"target": "a2a3", "model": "manual"}
    assert _busy("PIPE_MTE2", _load(size), **options) == expected


@pytest.mark.parametrize("target", ["a5", "a2a3"])
@pytest.mark.parametrize(
    ("bursts", "blocks", "cycles"), [(1, 1024, 1029), (15, 3, 120), (63, 16, 1323)]
)
def test_moves_inside_ub_as_measured(bursts: int, blocks: int, cycles: int, target: str) -> None:
    """A block of 32 bytes a cycle and 5 cycles a burst, also where bursts touch."""
    text = (
        f"%bursts = arith.constant {bursts} : i64",
        f"%blocks = arith.constant {blocks} : i64",
        f"%to = pto.castptr %b32768 : i64 -> {UB}",
        "pto.mte_ub_ub %ub, %to, %blocks nburst(%bursts, %zero, %zero) "
        f": {UB}, {UB}, i64, i64, i64, i64",
    )
    assert _busy("PIPE_V", *text, target=target) == cycles + (target == "a5")


def test_flags_and_barriers_of_a2a3_take_a_cycle_each() -> None:
    """On MTE2 the load and the flag that it sets, on V the wait and a barrier."""
    timing = _timed(
        _load(4096), _flag("set", "MTE2", "V"), _flag("wait", "MTE2", "V"),
        'pto.pipe_barrier "PIPE_V"', target="a2a3",
    )  # fmt: skip
    used = {p.pipe: p.busy for p in timing.reasons.pipes}
    assert used["PIPE_MTE2"] == 264 + 32 + 1
    assert used["PIPE_V"] == 2
    names = {row["set"] for row in timing.as_json()["assumed"]}
    assert {"sync.set", "sync.wait", "sync.barrier"} <= names


def test_given_costs_of_flags() -> None:
    text = (_load(4096), _flag("set", "MTE2", "V"), _flag("wait", "MTE2", "V"), *SCOPE)
    plain = _timed(*text).total_cycles
    given = _timed(*text, overrides={"sync.set": 10, "sync.wait": 21, "sync.launch": 32})
    assert given.total_cycles == plain + 10 + 20 + 30


def test_a_scalar_load_from_gm_waits_for_memory() -> None:
    """393 cycles at the first touch of a line of 64 bytes, one at the second."""
    read = f"pto.load_scalar %gm[%c{{}}] : {GM} -> f32"
    base = _busy("PIPE_S", "%a = arith.constant 0 : i64")
    once = _busy("PIPE_S", f"%a = {read.format(0)}")
    twice = _busy("PIPE_S", f"%a = {read.format(0)}", f"%b = {read.format(1)}")
    apart = _busy("PIPE_S", f"%a = {read.format(0)}", f"%b = {read.format(64)}")
    assert (once - base, twice - base, apart - base) == (392, 393, 2 * 393 - 1)
    assert _busy("PIPE_S", f"%a = {read.format(0)}", overrides={"scalar.load": 100}) == base + 99
    timing = _timed(f"%a = {read.format(0)}")
    (row,) = (row for row in timing.table() if "load_scalar" in row.text)
    assert row.cycles == 392


def test_what_is_not_counted_is_said() -> None:
    assert any("492" in said for said in NOT_COUNTED["a5"])
    assert all(any("bandwidth of GM" in said for said in NOT_COUNTED[t]) for t in ("a5", "a2a3"))
    assert _timed(_load(4096)).as_json()["not_counted"] == list(NOT_COUNTED["a5"])


@pytest.mark.parametrize("target", ["a5", "a2a3"])
def test_every_path_has_figures(target: Any) -> None:
    for path in paths():
        for manual in (True, False):
            for figure in transfer(path, target, manual):
                assert figure.source == "manual" or figure.note


def test_integers_and_a_scalar_on_a2a3() -> None:
    """The points of i32: 62 repeats in 70 cycles, 64 in 68; of f32: 32 in 57 or 58, 49 in 77."""
    cycles: dict[tuple[str, int], int] = {}
    for dtype, one in (("i32", "1"), ("f32", "1.0")):
        reg, ub = f"!pto.vreg<64x{dtype}>", f"!pto.ptr<{dtype}, ub>"
        for repeats in (32, 62):
            text = scope(
                f"%k1 = arith.constant {one} : {dtype}",
                f"%u = pto.castptr %zero : i64 -> {ub}",
                "scf.for %i = %c0 to %n step %c1 {",
                f"%a = pto.vlds %u[%c0] : {ub} -> {reg}",
                f"%r = pto.vadds %a, %k1, %all : {reg}, {dtype}, {MASK} -> {reg}",
                f"pto.vsts %r, %u[%c0], %all : {reg}, {ub}, {MASK}",
                "}",
                n=repeats,
            )
            (found,) = timed(text, target="a2a3").as_json()["vecscopes"]
            cycles[dtype, repeats] = found["cycles"]
    assert cycles["i32", 62] == pytest.approx(70, rel=0.05)
    assert cycles["f32", 32] == pytest.approx(57, rel=0.05)
    assert cycles["f32", 62] - cycles["i32", 62] == 26 - 6
