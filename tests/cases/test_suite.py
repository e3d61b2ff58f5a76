"""The suite of this directory: one case for each verdict, and each way to launch."""

from __future__ import annotations

import os
import pty
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from .conftest import SUITE, Cli, Outcome, make_case

VERDICTS = {
    "passes": "pass",
    "fails": "fail",
    "faults": "fault",
    "unsupported": "unsupported",
    "mistaken": "error",
}


@pytest.fixture
def verdicts(cli: Cli, tmp_path: Path) -> Outcome:
    """The cases of all verdicts, with all files written."""
    junit, keep = tmp_path / "junit.xml", tmp_path / "kept"
    return cli("cases", SUITE / "verdicts", "--json", "--junit", junit, "--keep", keep)


def test_one_case_for_each_verdict(verdicts: Outcome, tmp_path: Path):
    record = verdicts.json
    assert verdicts.code == 1
    assert verdicts.err == ""
    assert verdicts.verdicts == VERDICTS
    assert (record["version"], record["command"], record["ok"]) == (2, "cases", False)
    assert record["revision"] == "manual"
    assert verdicts.case("passes")["revision"] == "manual"
    assert record["counts"] == {
        "pass": 1,
        "pass (micro)": 0,
        "fail": 1,
        "fault": 1,
        "race": 0,
        "undefined": 0,
        "unsupported": 1,
        "error": 1,
        "total": 5,
        "exact": 1,
    }
    assert record["families"] == {"verdicts": record["counts"]}
    assert [d["code"] for d in record["diagnostics"]] == ["PTO0903"]
    assert all(case["family"] == "verdicts" for case in record["cases"])
    assert all(case["seconds"] > 0 for case in record["cases"])
    check_failure(verdicts)
    check_reasons(verdicts)
    check_junit(tmp_path / "junit.xml")
    check_kept(tmp_path / "kept")


def check_failure(verdicts: Outcome) -> None:
    case = verdicts.case("fails")
    (difference,) = case["differences"]
    assert difference["file"] == "v2.bin"
    assert (difference["index"], difference["ulp"], difference["differing"]) == (5, 3, 1)
    assert difference["expected"] in case["detail"]
    assert difference["got"] in case["detail"]
    assert "element 5 of 64 (f32)" in case["detail"]
    assert case["compare"].startswith("compare.py: exit status 1: v2[5]")
    assert case["exact"] is False
    assert shlex.split(case["rerun"]) == ["ptoscope", "cases", str(SUITE / "verdicts" / "fails")]


def check_reasons(verdicts: Outcome) -> None:
    assert "line 21: PTO0903 pto.vlds" in verdicts.case("faults")["detail"]
    assert verdicts.case("unsupported")["unsupported"] == "pto.tadd"
    assert "launch.cpp:8: cannot tell what ChooseBlocks" in verdicts.case("mistaken")["detail"]
    assert verdicts.case("passes")["exact"] is True


def check_junit(path: Path) -> None:
    root = ElementTree.parse(path).getroot()
    (suite,) = root
    counts = {k: suite.get(k) for k in ("name", "tests", "failures", "errors", "skipped")}
    assert list(counts.values()) == ["verdicts", "5", "2", "1", "1"]
    outcomes = {case.get("name"): [child.tag for child in case] for case in suite}
    assert outcomes["passes"] == []
    assert outcomes["unsupported"] == ["skipped"]
    assert outcomes["fails"][0] == outcomes["faults"][0] == "failure"
    assert outcomes["mistaken"][0] == "error"


def check_kept(keep: Path) -> None:
    assert {path.name for path in (keep / "verdicts").iterdir()} == {"fails", "faults", "mistaken"}
    kept = keep / "verdicts" / "fails"
    assert (kept / "work" / "golden_v2.bin").stat().st_size == 256
    assert (kept / "work" / "v2.bin").stat().st_size == 256
    assert "v2[5] is" in (kept / "compare.log").read_text()


def test_ways_to_launch(cli: Cli):
    outcome = cli("cases", SUITE / "launches", "--json")
    assert outcome.code == 0, outcome.out
    assert outcome.json["ok"] is True
    assert all(case["exact"] for case in outcome.json["cases"])
    assert len(outcome.verdicts) == 7
    (note,) = outcome.case("beyond")["notes"]
    assert "beyond its arrays: line 12" in note
    assert outcome.case("plain")["notes"] == []


def test_the_page(cli: Cli):
    outcome = cli("cases", SUITE, "--filter", "verdicts/*s", "--jobs", "1")
    assert outcome.code == 1
    lines = outcome.out.split("\n")
    assert lines[0].split() == ["family", "case", "verdict", "time"]
    assert lines[1].split()[:3] == ["verdicts", "fails", "fail"]
    assert any(
        line.split() == ["verdicts", "1", "0", "1", "1", "0", "0", "0", "0", "3"] for line in lines
    )
    assert f"  rerun: ptoscope cases {SUITE / 'verdicts' / 'fails'}" in lines
    assert lines[-2].endswith(": 1 pass (1 bit for bit), 1 fail, 1 fault")
    assert "error[PTO0903]" in outcome.err


def test_options_of_a_run_are_those_of_its_rerun(cli: Cli):
    outcome = cli(
        *("cases", SUITE, "--filter", "verdicts/fails", "--revision", "manual", "--target", "cpu"),
        *("--accumulate", "exact", "--json"),
    )
    wanted = "fails --target cpu --revision manual --accumulate exact"
    assert outcome.case("fails")["rerun"].endswith(wanted)
    assert outcome.json["revision"] == "manual"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["cases"], "needs DIR"),
        (["cases", "missing"], "no such directory"),
        (["cases", "."], "no case directory below ."),
        (["cases", str(SUITE), "--filter", "bogus"], "none of the 12 cases matches"),
        (["cases", str(SUITE), "--jobs", "0"], "--jobs"),
        (["cases", str(SUITE), "--timeout", "never"], "--timeout"),
        (["cases", str(SUITE), "--engine", "bogus"], "unknown engine"),
        (["cases", str(SUITE), "--junit", "missing/x.xml"], "cannot write missing/x.xml"),
        (["cases", str(SUITE), "--keep", "file"], "not a directory"),
    ],
)
def test_wrong_usage(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, argv: list[str], message: str
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    outcome = cli(*argv)
    assert outcome.code == 2
    assert message in outcome.err


def test_what_is_missing_or_wrong_is_named(cli: Cli, tmp_path: Path):
    make_case(tmp_path, "no_compare", compare=None)
    make_case(tmp_path, "no_launch", launch=None)
    make_case(tmp_path, "no_main", main="int other() { return 0; }\n")
    make_case(tmp_path, "bad_kernel", kernel="module {\n  func.func @double( {\n}\n")
    make_case(tmp_path, "writes_less", golden="print('nothing')\n")
    kernel = "module {\n  func.func @other(%x: !pto.ptr<f32, gm>) {\n    return\n  }\n}\n"
    make_case(tmp_path, "other_name", kernel=kernel)
    outcome = cli("cases", tmp_path, "--json")
    assert outcome.code == 1
    assert set(outcome.verdicts.values()) == {"error"}
    assert outcome.case("no_compare")["detail"] == "there is no compare.py"
    assert "LaunchDouble(...)" in outcome.case("no_launch")["detail"]
    assert "there is no main()" in outcome.case("no_main")["detail"]
    assert "PTO0001" in outcome.case("bad_kernel")["detail"]
    assert "golden.py wrote no v1.bin" in outcome.case("writes_less")["detail"]
    assert "there is no function @double" in outcome.case("other_name")["detail"]


def test_a_bar_on_a_terminal_and_none_otherwise():
    argv = [sys.executable, "-m", "ptoscope", "cases", str(SUITE), "--filter", "plain"]
    master, slave = pty.openpty()
    with open(master, "rb", buffering=0) as terminal:
        done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=slave, check=False, timeout=60)
        os.close(slave)
        shown = b""
        while chunk := _read(terminal.fileno()):
            shown += chunk
    assert done.returncode == 0
    assert "━" in shown.decode("utf-8", "replace") or b"1/1" in shown
    done = subprocess.run(argv, capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except OSError:
        return b""


WAIT = 'pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]'
LOAD = "pto.mte_gm_ub %x, %ub_x, %zero, %bytes nburst(%one, %bytes, %bytes)"
ADD = "%sum = pto.vadd %v, %v, %all"


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("", "", "pass"),
        (WAIT, "", "race"),
        # All lanes are added, but nobody wrote what the upper half of the sum is made of.
        ("%ub_y[%c0], %all :", '%ub_y[%c0], %all {dist = "NORM"} :', "pass"),
        (LOAD, LOAD.replace("nburst(%one", "nburst(%zero"), "undefined"),
    ],
)
def test_what_is_watched(cli: Cli, tmp_path: Path, old: str, new: str, verdict: str):
    """With --check all; the kernel's synchronisation may be wrong then, as it is run to see."""
    case = tmp_path / "family" / "case"
    shutil.copytree(SUITE / "verdicts" / "passes", case)
    text = (case / "kernel.pto").read_text()
    assert old in text
    (case / "kernel.pto").write_text(text.replace(old, new))
    if verdict == "undefined":
        # UB is zero here: with zeros for input the result is right by accident.
        golden = (case / "golden.py").read_text()
        (case / "golden.py").write_text(golden + ZEROS)
    outcome = cli("cases", case, "--check", "all", "--json")
    assert outcome.verdicts == {"case": verdict}, outcome.out
    assert outcome.code == (0 if verdict == "pass" else 1)
    (record,) = outcome.json["cases"]
    assert "--check all" in record["rerun"]


def test_what_was_seen_in_a_case_that_fails_anyway(cli: Cli, tmp_path: Path):
    """Its race and what it reads before anybody wrote it may well be why it fails."""
    text = (SUITE / "verdicts" / "passes" / "kernel.pto").read_text()
    empty = LOAD.replace("nburst(%one", "nburst(%zero")
    case = make_case(tmp_path, "case", kernel=text.replace(WAIT, "").replace(LOAD, empty))
    outcome = cli("cases", case, "--check", "all", "--json")
    assert outcome.verdicts == {"case": "fail"}
    (record,) = outcome.json["cases"]
    codes = {d["code"] for d in record["diagnostics"]}
    assert "PTO0711" in codes


ZEROS = """
np.zeros(64, np.float32).tofile("v1.bin")
np.zeros(64, np.float32).tofile("golden_v2.bin")
"""
