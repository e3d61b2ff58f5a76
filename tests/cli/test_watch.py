"""`run` with eyes open: races, undefined data, other orders; and `time`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Cli
from tests.timing.validity import problems

EXAMPLES = Path(__file__).parents[2] / "examples"
SOFTMAX = EXAMPLES / "row_softmax.pto"
WAIT = 'pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]\n'


@pytest.fixture
def rows(tmp_path: Path) -> list[str]:
    """Arguments of a softmax of three rows."""
    np.save(tmp_path / "x.npy", np.arange(384, dtype=np.float32) / 100)
    return [str(tmp_path / "x.npy"), "zeros:384", "3"]


@pytest.fixture
def racy(tmp_path: Path) -> Path:
    """The softmax without the wait for its input."""
    text = SOFTMAX.read_text()
    assert WAIT in text
    path = tmp_path / "racy.pto"
    path.write_text(text.replace(WAIT, "\n"))
    return path


def codes(outcome) -> list[str]:
    return [d["code"] for d in outcome.json["diagnostics"]]


def test_nothing_is_found_in_a_right_kernel(cli: Cli, rows: list[str]) -> None:
    outcome = cli("run", SOFTMAX, *rows, "--check", "all", "--json")
    assert outcome.code == 0, outcome.out
    assert outcome.json["watched"] == {"races": 0, "poison": 0, "schedules": 0}
    assert outcome.json["engine"] == "reference"
    told = cli("run", SOFTMAX, *rows, "--races").out
    assert "races: none found" in told


def test_a_race_is_found_with_its_fix(cli: Cli, rows: list[str], racy: Path) -> None:
    outcome = cli("run", racy, *rows, "--races", "--json")
    assert outcome.code == 1
    (race,) = [d for d in outcome.json["diagnostics"] if d["code"] == "PTO0701"]
    assert "PIPE_MTE2" in race["message"]
    assert any("pto.wait_flag" in edit["text"] for edit in race["fix"])


def test_another_order_shows_it(cli: Cli, rows: list[str], racy: Path, tmp_path: Path) -> None:
    outcome = cli("run", racy, *rows, "--schedules", "4", "--json")
    assert outcome.code == 1
    (other,) = [d for d in outcome.json["diagnostics"] if d["code"] == "PTO0705"]
    assert "schedule lazy" in other["found"]
    results = []
    for order in ("program", "lazy"):
        place = tmp_path / order
        assert cli("run", racy, *rows, "--schedule", order, "--save", place).code == 0
        results.append(np.load(next(place.glob("*1*.npy"))))
    assert (results[0] != results[1]).any()


def test_undefined_data_is_found(cli: Cli, rows: list[str], tmp_path: Path) -> None:
    text = SOFTMAX.read_text()
    path = tmp_path / "unwritten.pto"
    rows_in = "nburst(%count_i64, %row_bytes"
    assert rows_in in text
    path.write_text(text.replace(rows_in, "nburst(%no_hint, %row_bytes", 1))
    outcome = cli("run", path, *rows, "--poison", "--json")
    assert outcome.code == 1
    assert "PTO0711" in codes(outcome)


FAR = """func.func @far(%x: !pto.ptr<f32, gm>, %y: !pto.ptr<f32, gm>, %n: i64) {
  %zero = arith.constant 0 : i64
  %row = arith.constant 256 : i64
  %one = arith.constant 1 : i64
  %c0 = arith.constant 0 : index
  %u = pto.castptr %zero : i64 -> !pto.ptr<f32, ub>
  pto.mte_gm_ub %x, %u, %zero, %row nburst(%one, %row, %row)
    : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64
  pto.mte_ub_gm %u, %y, %row nburst(%one, %row, %row)
    : !pto.ptr<f32, ub>, !pto.ptr<f32, gm>, i64, i64, i64, i64
  pto.barrier #pto.pipe<PIPE_ALL>
  pto.mte_ub_gm %u, %y, %row nburst(%n, %row, %row)
    : !pto.ptr<f32, ub>, !pto.ptr<f32, gm>, i64, i64, i64, i64
  return
}
"""
"""A copy out of what is still copied in, then one that goes too far where %n is 2."""


@pytest.mark.parametrize("watched", ["--races", "--check"])
def test_what_was_seen_before_a_fault(cli: Cli, tmp_path: Path, watched: str) -> None:
    path = tmp_path / "far.pto"
    path.write_text(FAR)
    argv = [watched, *(["all"] if watched == "--check" else []), "--json"]
    outcome = cli("run", path, "zeros:64", "zeros:64", "2", *argv)
    assert outcome.code == 1
    assert codes(outcome).count("PTO0902") == 1
    assert codes(outcome).count("PTO0701") == 1
    assert outcome.json["watched"]["races"] == 2


def test_races_as_numbers_and_names(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "far.pto"
    path.write_text(FAR)
    outcome = cli("run", path, "zeros:64", "zeros:64", "1", "--check", "all", "--json")
    assert outcome.code == 1
    # Check sees the same race in the text; it is told once.
    assert codes(outcome) == ["PTO0701"]
    (race,) = outcome.json["races"]
    assert (race["code"], race["kind"], race["space"]) == ("PTO0701", "RAW", "ub")
    assert (race["first_byte"], race["last_byte"], race["count"]) == (0, 255, 1)
    assert (race["early"]["line"], race["late"]["line"]) == (7, 9)
    assert (race["early"]["pipe"], race["late"]["pipe"]) == ("PIPE_MTE2", "PIPE_MTE3")
    assert outcome.json["difference"] is None


def test_an_order_with_another_result_as_numbers_and_names(
    cli: Cli, rows: list[str], racy: Path
) -> None:
    found = cli("run", racy, *rows, "--schedules", "4", "--json").json["difference"]
    assert found["schedule"] == "lazy"
    assert (found["argument"], found["position"]) == ("y", 1)
    assert 0 < found["differing"] <= found["elements"] == 384


def test_what_check_found_and_was_told_to_ignore(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "far.pto"
    path.write_text(FAR)
    arguments = ("zeros:64", "zeros:64", "1", "--json")
    refused = cli("run", path, *arguments)
    assert (refused.code, refused.json["ok"]) == (1, False)
    for ignoring in (["--force"], ["--schedule", "lazy"]):
        outcome = cli("run", path, *arguments, *ignoring)
        assert (outcome.code, outcome.json["ok"]) == (0, True)
        severities = {(d["code"], d["severity"]) for d in outcome.json["diagnostics"]}
        assert severities == {("PTO0607", "warning")}


def test_an_array_of_undefined_contents(cli: Cli, rows: list[str]) -> None:
    _, *others = rows
    for given, code in (("zeros:384", 0), ("undefined:384", 1)):
        outcome = cli("run", SOFTMAX, given, *others, "--poison", "--json")
        assert outcome.code == code
        assert bool(codes(outcome)) == bool(code)
    # Without --poison it is an array like any other.
    assert cli("run", SOFTMAX, "undefined:384", *others).code == 0
    assert "undefined:64" in cli("run", SOFTMAX, "undefined:x", *others).err


@pytest.mark.parametrize(
    "argv",
    [
        ("--poison", "--engine", "native"),
        ("--schedule", "sideways"),
        ("--schedule", "seed:x"),
        ("--schedules", "0"),
        ("--check", "some"),
    ],
)
def test_wrong_usage(cli: Cli, rows: list[str], argv: tuple[str, ...]) -> None:
    assert cli("run", SOFTMAX, *rows, *argv).code == 2


@pytest.mark.parametrize("target", ["a5", "a2a3"])
def test_time(cli: Cli, rows: list[str], target: str, tmp_path: Path) -> None:
    place = tmp_path / "trace.json"
    outcome = cli("time", SOFTMAX, *rows, "--target", target, "--trace", place, "--json")
    assert outcome.code == 0, outcome.err
    record = outcome.json
    assert (record["target"], record["model"]) == (target, "calibrated")
    assert record["engine"] == "native"
    slower = cli("time", SOFTMAX, *rows, "--target", target, "--engine", "reference", "--json").json
    assert (slower["engine"], slower["total_cycles"]) == ("reference", record["total_cycles"])
    assert record["total_cycles"] > 0
    assert set(record["other_models"]) == {"manual"}
    (scope,) = record["vecscopes"]
    assert scope["entries"] == 1
    assert 0 < scope["cycles"] <= record["total_cycles"]
    assert problems(json.loads(place.read_text())) == []
    page = cli("time", SOFTMAX, *rows, "--target", target).out
    assert f"{record['total_cycles']} cycles (calibrated model" in page
    assert "rests on assumed figures" in page


def test_figures_can_be_set(cli: Cli, rows: list[str]) -> None:
    def total(*more: str) -> int:
        return cli("time", SOFTMAX, *rows, "--target", "a5", *more, "--json").json["total_cycles"]

    assert total("--set", "vexp.f32.latency=400") > total() + 300
    assert total("--model", "manual") != total()


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("--target", "cpu"), "no cycles are defined for cpu"),
        (("--set", "vexp"), "NAME=NUMBER"),
        (("--set", "vmul2.f32.latency=1"), "vmul2"),
        (("--model", "other"), "other"),
        (("--calibration", "missing.csv"), "missing.csv"),
    ],
)
def test_what_cannot_be_timed(cli: Cli, rows: list[str], argv: tuple[str, ...], said: str) -> None:
    outcome = cli("time", SOFTMAX, *rows, *argv)
    assert outcome.code == 2
    assert said in outcome.err


def test_from_python(tmp_path: Path) -> None:
    import ptoscope

    x = np.zeros((10, 128), np.float32)
    timing = ptoscope.load(SOFTMAX).time(x, np.zeros_like(x), 10)
    assert timing.as_json()["total_cycles"] == timing.total_cycles > 0
    assert timing.table()
