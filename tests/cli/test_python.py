"""Commands take a kernel in Python as they take text."""

from __future__ import annotations

import numpy as np
import pytest

from ptoscope import ir
from tests.cli.conftest import Cli
from tests.cli.python_kernels import AXPY, TWO, WITHOUT_WAIT, WORDS, line_of

ADDS = line_of("pto.vadd(product")
LOADS = line_of("pto.load(x[t])")


@pytest.fixture(autouse=True)
def files(write) -> None:
    write("axpy.py", AXPY)
    write("two.py", TWO)
    write("race.py", WITHOUT_WAIT)


@pytest.mark.parametrize("name", ["axpy.py", "axpy.py:axpy", "axpy.py:axpy:tile=64"])
def test_run(cli: Cli, name: str) -> None:
    outcome = cli("run", name, *WORDS, "--save", "out", "--json")
    assert outcome.code == 0
    assert outcome.json["entry"] == "axpy"
    assert np.load("out/arg2.npy").tolist() == [3.0 * k for k in range(100)]


def test_fixed_parameters_are_set_behind_the_name(cli: Cli) -> None:
    for name, value in (("two.py:first", 1), ("two.py:first:n=7", 7), ("two.py:alias:n=7", 7)):
        assert cli("run", name, "zeros:1", "--save", "out").code == 0
        assert np.load("out/arg0.npy").tolist() == [value]
    assert cli("run", "two.py:first:kind=down,n=3", "zeros:1", "--save", "out").code == 0
    assert np.load("out/arg0.npy").tolist() == [-3]


def test_the_entry_names_a_kernel_as_well(cli: Cli) -> None:
    assert cli("run", "two.py", "zeros:1", "--entry", "second", "--save", "out").code == 0
    assert np.load("out/arg0.npy").tolist() == [2]


def test_target_and_revision_are_the_kernels_own_unless_others_are_asked_for(cli: Cli) -> None:
    said = cli("run", "two.py:first", "zeros:1", "--json").json
    assert (said["target"], said["revision"]) == ("a2a3", "manual")
    options = ("--target", "cpu", "--revision", "micro")
    said = cli("run", "two.py:first", "zeros:1", *options, "--json").json
    assert (said["target"], said["revision"]) == ("cpu", "micro")


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("two.py", "two.py: which kernel? kernels are second, first; write two.py:NAME"),
        ("two.py:frist", "two.py: there is no frist; did you mean 'first'?"),
        ("axpy.py:plain", "plain (line 8) is a plain function: @pto.kernel makes a kernel"),
        ("axpy.py:scaled", "scaled is a helper, under @pto.function; kernels are axpy"),
        ("axpy.py:LIMIT", "LIMIT is of type int, no kernel; kernels are axpy"),
        ("axpy.py:axpy:size=4", "axpy has no fixed parameter 'size'; there are tile"),
        ("axpy.py:axpy:tile=big", "tile=big is neither a number or another literal nor a name"),
        ("axpy.py:axpy:tile", "'tile' sets no parameter; write file.py:kernel"),
        ("axpy.py:a-b", "'a-b' names no kernel; write file.py:kernel"),
        ("missing.py:axpy", "cannot read missing.py: No such file or directory"),
    ],
)
def test_what_is_no_kernel(cli: Cli, word: str, message: str) -> None:
    outcome = cli("run", word, *WORDS)
    assert outcome.code == 2
    assert message in outcome.err
    assert outcome.out == ""


@pytest.mark.parametrize(
    ("text", "line", "caret", "found"),
    [
        ("def f(:\n    pass\n", 1, "      ^", "SyntaxError: invalid syntax"),
        ("import no_such_module\n", 1, "^^^^^^", "ModuleNotFoundError: No module named"),
        ("x = 1\ny = x / 0\n", 2, "    ^^^^^", "ZeroDivisionError: division by zero"),
        ("def f():\n    raise ValueError('no')\n\nf()\n", 2, "    ^^^^^", "ValueError: no"),
        ("import sys\nsys.exit(3)\n", 2, "^^^^^^^^^^^", "SystemExit: 3"),
        (
            "from ptoscope import pto\n@pto.kernel(target='a9')\ndef f(): pass\n",
            *(2, " ^^^^^^^^^", "unknown target 'a9'; there are cpu, a2a3, a5"),
        ),
    ],
)
def test_a_file_that_cannot_be_imported(
    cli: Cli, write, text: str, line: int, caret: str, found: str
) -> None:
    write("bad.py", text)
    for command in ("check", "run"):
        outcome = cli(command, "bad.py:f")
        assert outcome.code == 1
        head, source, under, said, *_ = outcome.err.split("\n")
        assert head.startswith(f"bad.py:{line}:")
        assert head.endswith("error[PTO1008]: the file cannot be imported")
        assert source == f"  {line} | {text.split(chr(10))[line - 1]}"
        assert under.startswith(f"    | {caret}")
        assert said.startswith(f"  found: {found}")


def test_a_file_that_is_no_text(cli: Cli, tmp_path) -> None:
    for data in (b"\x00\x01\x02", b"x = '\xff'\n", b"(" * 100_000, b"\xef\xbb\xbfx = (\n"):
        (tmp_path / "bad.py").write_bytes(data)
        outcome = cli("check", "bad.py")
        assert outcome.code == 1
        assert "error[PTO1008]: the file cannot be imported" in outcome.err


def test_a_file_finds_its_neighbours_and_its_prints_spoil_no_json(cli: Cli, write) -> None:
    write("helpers.py", "SIZE = 5\n")
    text = "from helpers import SIZE\nfrom ptoscope import pto\nprint('imported')\n\n"
    text += "@pto.kernel\ndef f(out: pto.gm[pto.i32]):\n    out[0] = SIZE\n"
    write("user.py", text)
    outcome = cli("run", "user.py", "zeros:1", "--json")
    assert outcome.code == 0
    assert outcome.json["arguments"][0]["max"] == 5
    assert outcome.err == "imported\n"


def test_check_without_a_name_checks_all_kernels(cli: Cli, write) -> None:
    said = cli("check", "two.py", "--json").json
    assert said["ok"]
    assert said["files"][0]["functions"] == ["second", "first"]
    text = TWO.replace("out[0] = 2", "out[0] = two").replace("-n\n", "nn\n")
    write("wrong.py", text)
    outcome = cli("check", "wrong.py", "--json")
    assert [(d["code"], d["file"], d["line"]) for d in outcome.json["diagnostics"]] == [
        ("PTO1003", "wrong.py", line_of("= two", text)),
    ]
    assert cli("check", "wrong.py:first:n=2").code == 0
    assert cli("check", "wrong.py:first:kind=down").code == 1


def test_check_on_all_targets(cli: Cli) -> None:
    assert cli("check", "axpy.py", "--all-targets").out.endswith("legal on cpu, a2a3, a5\n")


@pytest.mark.parametrize(
    ("argv", "option"),
    [(("check", "--fix"), "--fix"), (("check", "--diff"), "--diff"), (("fmt", "-i"), "-i")],
)
def test_python_is_not_edited(cli: Cli, argv: tuple[str, ...], option: str) -> None:
    outcome = cli(*argv, "axpy.py")
    assert outcome.code == 2
    assert f"{option}: axpy.py is Python, which is not edited" in outcome.err


def test_findings_show_python_and_have_no_fix(cli: Cli) -> None:
    outcome = cli("check", "race.py", "--json")
    assert outcome.code == 1
    found = outcome.json["diagnostics"]
    assert {d["code"] for d in found} == {"PTO0607"}
    assert {d["line"] for d in found} == {line_of("vmuls(xs[i]"), ADDS}
    assert all(d["file"] == "race.py" and "fix" not in d for d in found)
    assert f"(line {LOADS})" in found[0]["message"]


def test_a_race_shows_both_lines_of_python(cli: Cli) -> None:
    outcome = cli("run", "race.py", *WORDS, "--races")
    assert outcome.code == 1
    assert "error[PTO0701]" in outcome.err
    assert f"which PIPE_MTE2 may still write (line {LOADS})" in outcome.err
    assert "fix:" not in outcome.err


def test_fmt_prints_the_canonical_text_with_lines_of_python(cli: Cli) -> None:
    outcome = cli("fmt", "axpy.py")
    assert outcome.code == 0
    assert f'loc("axpy.py":{ADDS}:' in outcome.out
    plain = ir.print_module(ir.parse(outcome.out, "axpy.pto"))
    assert "loc(" not in plain
    outcome = cli("fmt", "axpy.py", "--generic")
    assert ir.print_module(ir.parse(outcome.out, "axpy.pto")) == plain


def test_a_new_case_has_the_text(cli: Cli) -> None:
    assert cli("new-case", "case", "axpy.py").code == 0
    assert cli("check", "case/kernel.pto").code == 0


def test_cycles_are_by_line_of_python(cli: Cli) -> None:
    said = cli("time", "axpy.py", *WORDS, "--json").json
    assert ADDS in {row["line"] for row in said["lines"]}
    outcome = cli("time", "axpy.py", *WORDS)
    assert "ys[i, m] = pto.vadd(product, ys[i], m)" in outcome.out


def test_values_have_the_names_of_variables_or_of_their_instructions(cli: Cli) -> None:
    asked = (f"{ADDS}:%product@%i=64", f"{ADDS}:%ys_new@%i=64", f"{LOADS}:%xs")
    said = cli("run", "axpy.py", *WORDS, "--print", ",".join(asked), "--json").json
    shown = [(row["line"], row["text"].partition(" = ")[0]) for row in said["printed"]]
    # What is computed once before the loop for the line of the loads is not printed.
    assert shown == [(LOADS, "%xs"), (ADDS, "%product"), (ADDS, "%ys_new")]
    outcome = cli("run", "axpy.py", *WORDS, "--print", f"{ADDS}:%v")
    assert outcome.code == 2
    assert f"@axpy has no value %v; line {ADDS} makes %vlds_1, %ys_new" in outcome.err


def test_trace_says_which_part_of_a_line_an_instruction_comes_from(cli: Cli) -> None:
    out = cli("trace", "axpy.py", *WORDS, "--line", str(ADDS), "--limit", "3").out
    first, second, third, *_ = (row.partition(" | ")[2] for row in out.split("\n"))
    assert first.startswith("pto.vlds: ys[i] ")
    assert second.startswith("pto.vadd(product, ys[i], m) ")
    assert third.startswith("pto.vsts: ys[i, m] ")


def test_debug_goes_from_one_execution_of_a_line_to_the_next(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    import io

    script = f"goto {ADDS}\nprint %product\nnext\nback\nnext\nlist\ngoto {LOADS}\nmap\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(script.encode())))
    said = cli("debug", "axpy.py", *WORDS, "--json").json["said"]
    heads = [step["lines"][0] for step in said]
    places = [heads[at].split(": ")[1] for at in (0, 2, 3)]
    assert places == [
        f"line {ADDS}, PIPE_V, %t = 0, %i = 0",
        f"line {ADDS}, PIPE_V, %t = 0, %i = 64",
        f"line {ADDS}, PIPE_V, %t = 0, %i = 64",
    ]
    assert heads[4] == f"line {ADDS} is not executed after this"
    assert f"> {ADDS}                 ys[i, m] = pto.vadd(product, ys[i], m)" in said[5]["lines"]
    # The two copies of one line are two rows of the map.
    rows = [row.split()[0] for row in said[7]["lines"][1:]]
    assert rows == ["ub:0x0..0x190:f32", "ub:0x1000..0x1190:f32"]


def test_a_wrong_element_is_traced_back_through_the_parts_of_a_line(cli: Cli) -> None:
    np.save("golden.npy", np.arange(100, dtype=np.float32) * 3 + (np.arange(100) == 7))
    outcome = cli("run", "axpy.py", *WORDS, "--expect", "2=golden.npy")
    assert outcome.code == 1
    for part in (f"line {ADDS}, %t = 0, %i = 0 (pto.vsts)", "lane 7 of %ys_new = 21"):
        assert part in outcome.err


def test_two_kernels_in_python_are_compared(cli: Cli, write) -> None:
    write("other.py", AXPY.replace("vadd(product", "vsub(product"))
    outcome = cli("run", "axpy.py", *WORDS, "--against", "other.py:axpy")
    assert outcome.code == 1
    assert f"axpy.py:{ADDS}:28: error[PTO0809]: pto.vadd: departs from other.py:axpy" in outcome.err
    assert cli("run", "axpy.py", *WORDS, "--against", "axpy.py:axpy:tile=1024").code == 0
    assert cli("run", "axpy.py", *WORDS, "--against", "revision:micro").code == 0
    write("lines.py", f"def line_{ADDS}(a, b):\n    return a - b\n")
    outcome = cli("run", "axpy.py", *WORDS, "--against", "lines.py")
    assert f"axpy.py:{ADDS}:28: error[PTO0809]: pto.vadd: departs from lines.py" in outcome.err


def test_hints_say_what_to_write_in_python(cli: Cli) -> None:
    for argv in (("check", "race.py"), ("run", "race.py", *WORDS, "--races")):
        said = cli(*argv).err
        assert f'put pto.set_flag("PIPE_MTE2", "PIPE_V", "EVENT_ID0") after line {LOADS}' in said
        assert "set_flag[" not in said


def test_view_writes_the_python_file(cli: Cli, tmp_path) -> None:
    assert cli("view", "axpy.py", *WORDS).code == 0
    page = (tmp_path / "axpy.html").read_text("utf-8")
    assert "ys[i, m] = pto.vadd(product, ys[i], m)" in page
    outcome = cli(
        "view", "axpy.py:axpy", "axpy.py:axpy:tile=64", *WORDS, "-o", "two.html", "--json"
    )
    assert outcome.json["kernels"] == ["axpy", "axpy"]
