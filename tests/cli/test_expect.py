"""`run --expect` traces the first wrong element back; `run --against` names what departs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Cli

SOFTMAX = Path(__file__).parents[2] / "examples" / "row_softmax.pto"
TEXT = SOFTMAX.read_text("utf-8")
WORDS = ("randn:20x128", "zeros:20x128", 20)


def line_of(part: str) -> int:
    (line,) = [n for n, row in enumerate(TEXT.split("\n"), 1) if part in row]
    return line


DIVIDES, STORES, COPIES = (
    line_of(part) for part in ("%y0 = pto.vdiv", "pto.vsts %y0", "pto.mte_ub_gm")
)


@pytest.fixture
def wrong(write) -> str:
    write("wrong.pto", TEXT.replace("%y0 = pto.vdiv", "%y0 = pto.vmul"))
    return "wrong.pto"


def test_a_wrong_element_is_traced_back(cli: Cli, wrong: str):
    assert cli("run", SOFTMAX, *WORDS, "--save", "right").code == 0
    right = np.load("right/arg1.npy")
    outcome = cli("run", wrong, *WORDS, "--expect", "1=right/arg1.npy", "--json")
    assert outcome.code == 1
    (said,) = outcome.json["diagnostics"]
    assert said["code"] == "PTO0808"
    for text in (
        "element 0 comes from: bytes 0 to 3 of %y",
        f"line {COPIES}, %row = 0 (pto.mte_ub_gm); bytes 8192 to 8195 of ub",
        f"line {STORES}, %row = 0, %lo = 0 (pto.vsts); lane 0 of %y0",
        f"line {DIVIDES}, %row = 0, %lo = 0 (pto.vmul); ",
    ):
        assert text in said["hint"]
    (origin,) = outcome.json["differences"]
    assert (origin["argument"], origin["element"]) == (1, 0)
    assert [link["line"] for link in origin["origin"][:3]] == [COPIES, STORES, DIVIDES]
    assert DIVIDES in origin["lines"]
    # The arguments stay those of the run.
    assert cli("run", wrong, *WORDS, "--expect", "1=right/arg1.npy", "--save", "w").code == 1
    assert not np.array_equal(np.load("w/arg1.npy"), right)


def test_a_right_run_is_not_recorded(cli: Cli):
    assert cli("run", SOFTMAX, *WORDS, "--save", "right").code == 0
    outcome = cli("run", SOFTMAX, *WORDS, "--expect", "1=right/arg1.npy", "--json")
    assert outcome.code == 0
    assert outcome.json["differences"] == []


def test_a_long_run_is_not_traced(cli: Cli, write, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("ptoscope.replay.run.MOST_STEPS", 3)
    outcome = cli("run", SOFTMAX, *WORDS, "--expect", "1=zeros:20x128")
    assert outcome.code == 1
    assert "hint: the run is too long to trace the element back" in outcome.err
    outcome = cli("run", SOFTMAX, *WORDS, "--against", SOFTMAX)
    assert (outcome.code, "the run is too long to be recorded" in outcome.err) == (2, True)


def test_both_halves_of_a_byte_of_two_elements_count(cli: Cli, write):
    write("pairs.pto", "func.func @pairs(%y: !pto.ptr<f4e2m1, gm>) { return }\n")
    Path("given.bin").write_bytes(bytes([0x31, 0x21]))
    Path("wrong.bin").write_bytes(bytes([0x31, 0x31]))
    assert cli("run", "pairs.pto", "given.bin", "--expect", "0=given.bin").code == 0
    outcome = cli("run", "pairs.pto", "given.bin", "--expect", "0=wrong.bin", "--json")
    (said,) = outcome.json["diagnostics"]
    assert said["found"].startswith("33 in element 1")
    assert said["expected"] == "49"


def test_against_another_kernel(cli: Cli, wrong: str):
    outcome = cli("run", wrong, *WORDS, "--against", SOFTMAX, "--json")
    assert outcome.code == 1
    (said,) = outcome.json["diagnostics"]
    assert (said["code"], said["line"]) == ("PTO0809", DIVIDES)
    assert said["message"].endswith("row_softmax.pto (at %row = 0, %lo = 0)")
    assert "64 lanes differ" in said["found"]
    assert "%y0 = pto.vdiv" in said["hint"]
    assert cli("run", wrong, *WORDS, "--against", SOFTMAX, "--atol", "1e3").code == 0
    assert cli("run", SOFTMAX, *WORDS, "--against", SOFTMAX).code == 0
    assert cli("run", SOFTMAX, *WORDS, "--against", "revision:manual").code == 0


def test_against_a_kernel_with_a_line_more(cli: Cli, write):
    rows = TEXT.split("\n")
    write("less.pto", "\n".join([*rows[: STORES - 1], *rows[STORES:]]))
    outcome = cli("run", "less.pto", *WORDS, "--against", SOFTMAX)
    assert outcome.code == 1
    assert f"line {STORES} of the other is not executed here: pto.vsts %y0" in outcome.err


def test_against_functions(cli: Cli, wrong: str, write):
    write("lines.py", f"def line_{DIVIDES}(e, total):\n    return e / total\n")
    assert cli("run", SOFTMAX, *WORDS, "--against", "lines.py").code == 0
    outcome = cli("run", wrong, *WORDS, "--against", "lines.py", "--json")
    (said,) = outcome.json["diagnostics"]
    assert (said["code"], said["line"]) == ("PTO0809", DIVIDES)


@pytest.mark.parametrize(
    ("what", "text"),
    [
        (
            "nothing",
            "write a kernel (other.pto, file.py:name), revision:micro, or a file of Python",
        ),
        ("revision:old", "write revision:manual or revision:micro"),
        ("missing.pto", "cannot read missing.pto"),
        ("missing.py", "cannot read missing.py"),
        ("none.py", "it has no function line_71(a, b)"),
        ("broken.py", "--against broken.py: SyntaxError"),
        ("fails.py", f"the function of line {DIVIDES} fails: NameError"),
        ("far.py", "line 9999 of @row_softmax makes no value"),
        ("other.pto", "--against other.pto: @other has other parameters"),
    ],
)
def test_what_nothing_can_be_compared_with(cli: Cli, write, what: str, text: str):
    write("none.py", "def other(a):\n    return a\n")
    write("broken.py", "def line_71(:\n")
    write("fails.py", f"def line_{DIVIDES}(a):\n    return b\n")
    write("far.py", "def line_9999(a):\n    return a\n")
    write("other.pto", "func.func @other(%n: i32) {\n  return\n}\n")
    outcome = cli("run", SOFTMAX, *WORDS, "--against", what)
    assert outcome.code == 2
    assert text in outcome.err


def test_a_kernel_that_cannot_be_read(cli: Cli, write):
    write("bad.pto", "func.func @bad(%n: i32) {\n  pto.nothing\n  return\n}\n")
    outcome = cli("run", SOFTMAX, *WORDS, "--against", "bad.pto")
    assert outcome.code == 1
    assert "bad.pto:2" in outcome.err
