"""The contract of options, usage errors, help and JSON, the same for every command."""

from __future__ import annotations

import pytest

import ptoscope
from ptoscope import ir
from ptoscope.cli import commands
from ptoscope.isa.targets import ACCUMULATE, REVISIONS, TARGETS

from .conftest import BLOCKS, BROKEN, MISMASKED, Cli, store


def test_the_lists_of_choices_are_those_of_the_machine():
    assert tuple(TARGETS) == commands.TARGETS
    assert commands.REVISIONS == REVISIONS
    assert commands.ACCUMULATE == ACCUMULATE
    assert commands.LEVELS == ir.LEVELS


def test_version(cli: Cli):
    outcome = cli("--version")
    assert (outcome.code, outcome.out, outcome.err) == (0, f"ptoscope {ptoscope.__version__}\n", "")
    assert cli("--version", "--json").json["release"] == ptoscope.__version__


@pytest.mark.parametrize("argv", [(), ("--help",), ("help",), ("-h",)])
def test_help_names_every_command(cli: Cli, argv: tuple[str, ...]):
    outcome = cli(*argv)
    assert outcome.code == 0
    for command in ("run", "check", "fmt", "isa", "demo"):
        assert f"  {command} " in outcome.out


@pytest.mark.parametrize("command", ["run", "check", "fmt", "isa", "demo", "help"])
def test_help_of_a_command_lists_its_options(cli: Cli, command: str):
    outcome = cli(command, "--help")
    assert outcome.code == 0
    for option in ("--target", "--revision", "--json"):
        assert option in outcome.out
    assert ("--save" in outcome.out) == (command == "run")
    assert cli("help", command).out == outcome.out or command == "help"
    assert cli(command, "--help", "--json").json["text"] == outcome.out


USAGE = [
    ["bogus"],
    ["--bogus"],
    ["-x", "isa"],
    ["chek", "x.pto"],
    ["help", "bogus"],
    ["run"],
    ["check"],
    ["fmt"],
    ["fmt", "k.pto", "k.pto"],
    ["fmt", "k.pto", "--check", "-i"],
    ["isa", "vadd", "vsub"],
    ["isa", "vaddd"],
    ["demo", "x"],
    ["isa", "--grid", "2"],
    ["check", "k.pto", "--save", "d"],
    ["isa", "--target"],
    ["isa", "--target="],
    ["isa", "--target", "a7"],
    ["isa", "--revision", "draft"],
    ["isa", "--help=yes"],
    ["check", "missing.pto"],
    ["check", "d.npy"],
    ["check", "*.txt"],
    ["fmt", "."],
    ["check", "a\0b"],
    ["fmt", "missing.pto"],
    ["run", "missing.pto"],
    ["run", "k.pto", "missing.npy", "1"],
    ["run", "k.pto", "missing.bin", "1"],
    ["run", "k.pto", "d.npy", "1"],
    ["run", "k.pto", "k.pto", "1"],
    ["run", "k.pto", "zeros:", "1"],
    ["run", "k.pto", "zeros:-1", "1"],
    ["run", "k.pto", "zeros:x", "1"],
    ["run", "k.pto", "zeros:2x", "1"],
    ["run", "k.pto", "randn:", "1"],
    ["run", "k.pto", "arange:-4", "1"],
    ["run", "k.pto", "zeros:4", "1", "--expect", "0"],
    ["run", "k.pto", "zeros:4", "1", "--expect", "0=missing.npy"],
    ["run", "k.pto", "zeros:4", "1", "--expect", "0=7"],
    ["run", "k.pto", "zeros:4", "1", "--expect", "2=zeros:4"],
    ["run", "k.pto", "zeros:4", "1", "--expect", "1=zeros:4"],
    ["run", "k.pto", "zeros:4", "1", "--expect", "q=zeros:4"],
    ["run", "k.pto", "zeros:4", "1", "--rtol", "1"],
    ["run", "k.pto", "zeros:4", "1", "--expect", "0=zeros:4", "--atol", "-1"],
    ["run", "k.pto", "zeros:4", "1", "--expect", "0=zeros:4", "--atol", "nan"],
    ["isa", "vq*"],
    ["fmt", "-", "-i"],
    ["run", "k.pto", "zeros:4", "word"],
    ["run", "k.pto", "zeros:4", "1", "--grid", "0"],
    ["run", "k.pto", "zeros:4", "1", "--grid", "-3"],
    ["run", "k.pto", "zeros:4", "1", "--grid", "two"],
    ["run", "k.pto", "zeros:4", "1", "--grid", "1.5"],
    ["run", "k.pto", "zeros:4", "1", "--engine", "other"],
    ["run", "k.pto", "zeros:4", "1", "--entry", "other"],
    ["run", "k.pto", "zeros:4", "1", "--save", "k.pto"],
    ["run", "k.pto", "zeros:4", "1", "--save", "k.pto/below"],
]


@pytest.mark.parametrize("argv", USAGE, ids=" ".join)
def test_wrong_usage_is_exit_2_in_both_forms(cli: Cli, write, tmp_path, argv: list[str]):
    write("k.pto", store("f32"))
    (tmp_path / "d.npy").mkdir()
    outcome = cli(*argv)
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err.startswith("error[PTO0000]: ")
    as_json = cli("--json", *argv)
    assert (as_json.code, as_json.err) == (2, "")
    record = as_json.json
    assert (record["version"], record["ok"]) == (2, False)
    (diagnostic,) = record["diagnostics"]
    assert {"code", "severity", "file", "line", "column", "message", "hint"} <= set(diagnostic)
    assert diagnostic["message"] in outcome.err


@pytest.mark.parametrize(
    "argv", ["isa --target --json", "isa --json=yes", "--json --x", "--x --json"]
)
def test_json_is_understood_beside_other_mistakes(cli: Cli, argv: str):
    outcome = cli(*argv.split())
    assert (outcome.code, outcome.err, outcome.json["ok"]) == (2, "", False)


@pytest.mark.parametrize(
    ("argv", "hint"),
    [
        (["chek", "x"], "did you mean 'check'?"),
        (["isa", "--targt", "a5"], "did you mean '--target'?"),
        (["isa", "vaddd"], "did you mean 'vadd'?"),
        (["isa", "pto.vexpp"], "did you mean 'pto.vexp'?"),
        (["isa", "--target", "a7"], "cpu, a2a3, a5"),
        (["run", "k.pto", "zeros:1", "1", "--entry", "b"], "@store"),
    ],
)
def test_wrong_usage_says_what_would_be_right(cli: Cli, write, argv: list[str], hint: str):
    write("k.pto", store("f32"))
    assert hint in cli(*argv).err


@pytest.mark.parametrize(
    "argv",
    [
        "--grid 3 run k.pto zeros:3",
        "run --grid 3 k.pto zeros:3",
        "run k.pto --grid 3 zeros:3",
        "run k.pto zeros:3 --grid 3",
        "run k.pto zeros:3 --grid=3",
        "run --grid=3 --grid 2 --grid 3 -- k.pto zeros:3",
        "--grid 3 -- run k.pto zeros:3",
    ],
)
def test_options_stand_anywhere(cli: Cli, write, argv: str):
    write("k.pto", BLOCKS)
    record = cli("--json", *argv.split()).json
    assert record["ok"]
    assert (record["grid"], record["arguments"][0]["max"]) == (3, 2)


def test_two_dashes_end_the_options(cli: Cli, write):
    write("--json", store("f32"))
    outcome = cli("check", "--", "--json")
    assert (outcome.code, outcome.out) == (0, "--json: ok, 0 errors, 0 warnings\n")


@pytest.mark.parametrize("word", ["-3", "-1.5e3", "-.5", "-inf", "-0x10"])
def test_a_negative_number_is_no_option(cli: Cli, write, word: str):
    write("k.pto", store("f32"))
    record = cli("run", "k.pto", "zeros:1", word, "--json").json
    expected = -16 if word == "-0x10" else float(word)
    stored = record["arguments"][0]["min"]
    assert float(stored) == expected


@pytest.mark.parametrize(
    ("name", "text", "code"), [("a", BROKEN, 1), ("b", MISMASKED, 1), ("c", store("f32"), 0)]
)
def test_json_is_one_object_with_the_common_fields(cli: Cli, write, name, text, code):
    write(name, text)
    for command in ("check", "fmt"):
        outcome = cli(command, name, "--json")
        record = outcome.json
        if command == "check" or name == "a":
            assert outcome.code == code
        assert outcome.err == ""
        assert (record["version"], record["command"]) == (2, command)
        assert record["ok"] == (outcome.code == 0)
        for diagnostic in record["diagnostics"]:
            assert diagnostic["file"] == name
            assert diagnostic["line"] > 0
            assert diagnostic["column"] > 0


def test_an_internal_error_is_no_traceback(cli: Cli, write, monkeypatch: pytest.MonkeyPatch):
    def fail(*arguments: object) -> None:
        raise ZeroDivisionError("oops")

    write("k.pto", store("f32"))
    monkeypatch.setattr("ptoscope.cli.examine.parse", fail)
    outcome = cli("check", "k.pto")
    assert outcome.code == 1
    assert "internal error: ZeroDivisionError: oops" in outcome.err
    assert "Traceback" not in outcome.err
    assert cli("check", "k.pto", "--json").json["ok"] is False
    monkeypatch.setenv("PTOSCOPE_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        cli("check", "k.pto")


@pytest.mark.parametrize("raised", [KeyboardInterrupt, MemoryError])
def test_interruptions_end_quietly(cli: Cli, write, monkeypatch: pytest.MonkeyPatch, raised):
    def fail(*arguments: object) -> None:
        raise raised

    write("k.pto", store("f32"))
    monkeypatch.setattr("ptoscope.cli.examine.parse", fail)
    outcome = cli("check", "k.pto")
    assert outcome.out == ""
    if raised is KeyboardInterrupt:
        assert (outcome.code, outcome.err) == (130, "")
    else:
        assert outcome.code == 1
        assert "not enough memory" in outcome.err
