"""`ptoscope trace`: which moments it shows, what it says of each, against NumPy."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tests.replay.softmax import SOFTMAX, line_of

from .conftest import BLOCKS, MISMASKED, Cli, store

ROWS = 3
SHOWN = (str(SOFTMAX), f"arange:{ROWS * 128}", f"zeros:{ROWS * 128}", str(ROWS))
MAX = line_of("%max = pto.vdup")
LOAD = line_of("%x0 = pto.vlds")
STORE = line_of("pto.vsts %y0")
COPY_IN, COPY_OUT = line_of("pto.mte_gm_ub"), line_of("pto.mte_ub_gm")


def lines_of(out: str) -> list[int]:
    return [int(row.split("|")[0].split()[-1]) for row in out.splitlines() if "|" in row]


def test_values_beside_instructions(cli: Cli) -> None:
    outcome = cli("trace", *SHOWN, "--line", f"{LOAD},{MAX}")
    assert (outcome.code, outcome.err) == (0, "")
    rows = outcome.out.splitlines()
    assert len(rows) == 2 * ROWS
    for row in range(ROWS):
        lo = 128 * row
        load, dup = rows[2 * row : 2 * row + 2]
        assert f"V   {LOAD:>4} | %x0 = pto.vlds %ub_in[%lo] " in load
        around = f"%row = 0, %lo = {lo}"
        first = f"%x0 = [{lo} {lo + 1} {lo + 2} .. {lo + 61} {lo + 62} {lo + 63}]"
        assert f"{around}  {first}; reads ub:{4 * lo:#x}..{4 * lo + 256:#x}" in load
        # The greatest element of 0, 1, 2 and so on is the last of the row.
        assert dup.endswith(f"{around}  %max = 64 x {lo + 127}")


def test_copies_are_ranges(cli: Cli) -> None:
    (row,) = cli("trace", *SHOWN, "--line", COPY_IN).out.splitlines()
    assert row.endswith("%x:0x0..0x600 -> ub:0x0..0x600 = [0 1 2 .. 381 382 383]")
    x = np.arange(ROWS * 128, dtype=np.float64).reshape(ROWS, 128)
    e = np.exp(x - x.max(axis=1, keepdims=True))
    y = (e / e.sum(axis=1, keepdims=True)).ravel()
    (row,) = cli("trace", *SHOWN, "--line", COPY_OUT).out.splitlines()
    assert "ub:0x2000..0x2600 -> %y:0x0..0x600 = [" in row
    assert np.allclose([float(n) for n in row[:-1].split()[-3:]], y[-3:], rtol=1e-5)


def test_selections(cli: Cli) -> None:
    whole = lines_of(cli("trace", *SHOWN).out)
    assert len(whole) == 91
    assert lines_of(cli("trace", *SHOWN, "--line", "17..20,38").out) == [17, 18, 19, 20, 38]
    only = cli("trace", *SHOWN, "--pipe", "MTE2", "--pipe", "PIPE_MTE3").out
    assert {row.split()[1] for row in only.splitlines()} == {"MTE2", "MTE3"}
    stopped = lines_of(cli("trace", *SHOWN, "--until", f"{MAX}:1").out)
    assert stopped == whole[: len(stopped)]
    assert (stopped[-1], stopped.count(MAX)) == (MAX, 2)


def test_bytes_are_watched(cli: Cli) -> None:
    out = cli("trace", *SHOWN, "--watch", "ub:0x2200..0x2204").out
    assert lines_of(out) == [STORE, COPY_OUT]
    assert lines_of(cli("trace", *SHOWN, "--watch", "%x:4,ub:0").out) == [COPY_IN, LOAD]


def test_what_is_shown(cli: Cli) -> None:
    at = ("--line", f"{line_of('%all = pto.pset_b32')},{LOAD},{COPY_IN},43", "--until", LOAD)

    vectors = cli("trace", *SHOWN, *at, "--show", "vregs").out.splitlines()
    assert vectors[-1].endswith("%row = 0, %lo = 0  %x0 = [0 1 2 .. 61 62 63]")
    assert vectors[0].endswith("%row = 0")
    both = cli("trace", *SHOWN, *at, "--show", "scalars,masks").out
    assert ("%left = 3" in both, "%all = all 64" in both) == (True, True)
    assert ("%x0 = [" in both, "ub:0x0" in both) == (False, False)
    everything = cli("trace", *SHOWN, *at, "--show", "all").out
    assert everything == cli("trace", *SHOWN, *at).out


def test_until_nan_and_undefined(cli: Cli, tmp_path: Path) -> None:
    x = np.zeros((ROWS, 128), np.float32)
    x[1, 3] = np.nan
    np.save(tmp_path / "x.npy", x)
    arguments = (SOFTMAX, "x.npy", f"zeros:{ROWS * 128}", ROWS)
    last = cli("trace", *arguments, "--until", "nan").out.splitlines()[-1]
    assert "%lo = 128  %x0 = [0 0 0 .. 0 0 0]" in last
    unset = (SOFTMAX, "undefined:384", "zeros:384", ROWS)
    last = cli("trace", *unset, "--until", "undefined").out.splitlines()[-1]
    assert "%lo = 0  %x0 = 64 x 0?" in last


def test_a_limit_says_what_it_leaves_out(cli: Cli) -> None:
    outcome = cli("trace", *SHOWN, "--limit", "5")
    *rows, notice = outcome.out.splitlines()
    assert (len(rows), notice) == (5, "86 further moments left out: --limit shows more")
    assert cli("trace", *SHOWN, "--limit", "5", "--json").json["left_out"] == 86


def test_a_fault_comes_last(cli: Cli) -> None:
    outcome = cli("trace", SOFTMAX, "zeros:384", "zeros:10", ROWS)
    assert outcome.code == 1
    assert lines_of(outcome.out)[-1] < COPY_OUT
    assert "error[PTO0902]" in outcome.err


def test_json(cli: Cli) -> None:
    found = cli("trace", *SHOWN, "--line", f"{LOAD},{STORE}", "--json").json
    assert (found["command"], found["recorded"], found["not_recorded"]) == ("trace", 91, 0)
    load, store_ = found["moments"][2:4]
    assert load["iterations"] == {"%row": 0, "%lo": 128}
    assert (load["pipe"], load["line"], load["name"]) == ("PIPE_V", LOAD, "pto.vlds")
    assert load["made"]["%x0"]["lanes"] == list(range(128, 192))
    assert load["reads"] == [{"space": "ub", "begin": 512, "end": 768, "bytes": 256}]
    assert store_["writes"] == [{"space": "ub", "begin": 8704, "end": 8960, "bytes": 256}]


def test_blocks_have_their_number(cli: Cli, write) -> None:
    out = cli("trace", write("k.pto", BLOCKS), "zeros:2", "--grid", "2").out
    assert [row.split("block ")[1][0] for row in out.splitlines()] == list("000111")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--line", "x"), "'x' names no lines; write 71, or 71,80..85"),
        (("--pipe", "MTE9"), "'MTE9' is no pipe; did you mean"),
        (("--show", "vreg"), "'vreg' is nothing to show; did you mean 'vregs'?"),
        (("--until", "soon"), "'soon' is no place to stop"),
        (("--until", "1"), "line 1 was executed 0 times"),
        (("--watch", "l1:0"), "there is no memory 'l1'"),
        (("--watch", "ub:0x100000"), "ub has bytes 0 to"),
        (("--watch", "ub::"), "names no bytes"),
        (("--limit", "0"), "--limit needs a number from 1"),
    ],
)
def test_wrong_usage(cli: Cli, options: tuple[str, str], said: str) -> None:
    outcome = cli("trace", *SHOWN, *options)
    assert (outcome.code, outcome.out) == (2, "")
    assert said in outcome.err


def test_kernels_and_arguments_that_are_wrong(cli: Cli, write) -> None:
    assert "PTO" in cli("trace", write("bad.pto", MISMASKED)).err
    outcome = cli("trace", write("k.pto", store("f32")), "zeros:1")
    assert (outcome.code, outcome.out) == (1, "")
    assert "error[PTO" in outcome.err


def test_who_stops_reading_is_no_error() -> None:
    command = [sys.executable, "-m", "ptoscope", "trace", SHOWN[0], "zeros:51200", "zeros:51200"]
    process = subprocess.Popen(
        [*command, "400"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert "%c0 = 0" in process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(60) == 0
    process.stderr.close()


def test_lines_fit_a_terminal() -> None:
    first, second = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "ptoscope", "trace", *SHOWN, "--line", f"17,{STORE}"],
        stdout=second,
        stderr=second,
        env={"PATH": "", "COLUMNS": "60", "PYTHONPATH": ":".join(sys.path)},
    )
    os.close(second)
    shown = b""
    while chunk := _read(first):
        shown += chunk
    os.close(first)
    assert process.wait(60) == 0
    rows = shown.decode().splitlines()
    assert len(rows) == 1 + ROWS
    assert max(map(len, rows)) == 60
    assert rows[-1].endswith("..")


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except OSError:
        # The other end was closed.
        return b""


def test_ten_thousand_moments_take_seconds(cli: Cli) -> None:
    rows = 560
    start = time.process_time()
    outcome = cli("trace", SOFTMAX, f"randn:{rows * 128}", f"zeros:{rows * 128}", rows)
    assert time.process_time() - start < 8
    assert len(outcome.out.splitlines()) == 10_001
    assert "further moments left out" in outcome.out
