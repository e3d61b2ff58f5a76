"""`check --explain`, `--all-targets`, fixes and spans in JSON."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from ptoscope.check import catalogue
from ptoscope.diagnostics import Edit, Span, edited

from .conftest import BROKEN, MISMASKED, Cli, store

STREAM = """func.func @append(%x: f32) {
  %at = arith.constant 4100 : i64
  %ub = pto.castptr %at : i64 -> !pto.ptr<f32, ub>
  pto.vecscope {
    %v = pto.vbr %x : f32 -> !pto.vreg<64xf32>
    %a = pto.init_align : !pto.align
    %b = pto.vstur %a, %v, %ub : !pto.align, !pto.vreg<64xf32>, !pto.ptr<f32, ub> -> !pto.align
    pto.vstar %b, %ub : !pto.align, !pto.ptr<f32, ub>
  }
  return
}
"""


@pytest.mark.parametrize("code", catalogue.codes())
def test_explain_every_code(cli: Cli, code: str) -> None:
    outcome = cli("check", "--explain", code)
    entry = catalogue.entry(code)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith(f"{code} ({entry.severity}): {entry.title}\n\nwhy\n  ")
    if code in catalogue.NO_EXAMPLE:
        assert "\nbad" not in outcome.out
        return
    assert f"{entry.severity}[{code}]: " in outcome.out
    assert "\nsource\n" in outcome.out
    assert f"\nbad{entry.suffix}{' (--' if entry.suffix == '.pto' else ''}" in outcome.out
    assert (f"\nfixed{entry.suffix}\n" in outcome.out) == (entry.bad != entry.fixed)
    assert ("\nput right\n" in outcome.out) == (entry.bad == entry.fixed)
    for text in (entry.bad, entry.fixed):
        assert textwrap.indent(text, "  ") in outcome.out


RUN = [c for c in catalogue.codes() if catalogue.entry(c).use.run is not None]


@pytest.mark.parametrize("code", RUN)
def test_the_command_that_is_shown_reports_what_is_shown(cli: Cli, write, code: str) -> None:
    """The commands of the page, on the default engine, say what the page says."""
    entry = catalogue.entry(code)
    write("bad.pto", entry.bad)
    write("fixed.pto", entry.fixed)
    page = cli("check", "--explain", code).out
    (command,) = re.findall(r"^what `ptoscope (.*)` reports$", page, re.MULTILINE)
    outcome = cli(*command.split())
    assert (outcome.code, outcome.err != "") == (int(entry.severity == "error"), True)
    assert textwrap.indent(outcome.err, "  ") in page
    right = command.replace("bad.pto", "fixed.pto")
    if entry.bad == entry.fixed:
        right = page.rstrip().split("\n")[-1].removeprefix("  ptoscope ")
    outcome = cli(*right.split())
    assert (outcome.code, outcome.err) == (0, "")


def test_explain_json(cli: Cli) -> None:
    record = cli("check", "--explain", "pto0201", "--json").json
    rule = record["rule"]
    assert record["ok"] is True
    assert (rule["code"], rule["severity"]) == ("PTO0201", "error")
    assert (rule["target"], rule["revision"]) == ("a2a3", "manual")
    assert rule["source"].startswith("Vector Instruction Set")
    assert [d["code"] for d in rule["findings"]] == ["PTO0201"] * 3
    assert {"title", "why", "bad", "fixed"} <= set(rule)
    assert rule["use"] == {"run": None, "call": None}
    rule = cli("check", "--explain", "PTO0803", "--json").json["rule"]
    assert (rule["use"]["run"], rule["fixed_use"]["run"]) == ("4 7", "zeros:4 7")
    assert [d["file"] for d in rule["findings"]] == ["bad.pto"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--explain", "PTO0112"), "near it are PTO0107, PTO0108, PTO0109, PTO0110, PTO0111"),
        (("--explain", "mask"), "there is no code MASK; codes are PTO0000 to PTO0016, PTO0101 to"),
        (("--explain", "PTO0707"), "there is no code PTO0707; near it are PTO0703, PTO0704"),
        (("--explain",), "--explain needs a value: CODE"),
        (("--explain", "PTO0101", "k.pto"), "check takes --explain or kernels, not both"),
        (("k.pto", "--all-targets", "--target", "a5"), "--target or --all-targets, not both"),
        ((), "check needs KERNEL..."),
    ],
)
def test_wrong_usage(cli: Cli, write, args: tuple[str, ...], message: str) -> None:
    write("k.pto", store("f32"))
    outcome = cli("check", *args)
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err
    assert cli("check", *args, "--json").json["ok"] is False


def test_a_portability_table(cli: Cli, write) -> None:
    write("s.pto", STREAM)
    write("k.pto", store("f32"))
    outcome = cli("check", "s.pto", "k.pto", "--all-targets")
    assert (outcome.code, outcome.err) == (1, "")
    head, *rows, first, second = outcome.out.splitlines()
    assert head.split()[-3:] == ["cpu", "a2a3", "a5"]
    assert [row.split()[0] for row in rows] == ["s.pto:6", "s.pto:7", "s.pto:8"]
    assert all(row.split()[-3:] == ["PTO0201", "PTO0201", "-"] for row in rows)
    assert (first, second) == ("s.pto: legal on a5", "k.pto: legal on cpu, a2a3, a5")
    assert cli("check", "k.pto", "--all-targets").code == 0


def test_a_warning_keeps_a_kernel_away_where_one_is_strict(cli: Cli, write) -> None:
    left = 'pto.set_flag["PIPE_V", "PIPE_MTE2", "EVENT_ID7"]\n  return'
    write("k.pto", store("f32").replace("return", left))
    plain = cli("check", "k.pto", "--all-targets")
    assert (plain.code, plain.out) == (0, "k.pto: legal on cpu, a2a3, a5\n")
    strict = cli("check", "k.pto", "--all-targets", "--strict")
    assert strict.code == 1
    assert strict.out.endswith("k.pto: legal on no target\n")
    found = cli("check", "k.pto", "--all-targets", "--strict", "--json").json
    (line,) = found["files"][0]["lines"]
    assert found["ok"] is False
    assert {d["severity"] for d in line["errors"]["a5"]} == {"warning"}
    assert cli("check", "k.pto", "--strict").code == 1


def test_portability_as_json(cli: Cli, write) -> None:
    write("s.pto", STREAM)
    record = cli("check", "s.pto", "--all-targets", "--json").json
    assert record["targets"] == ["cpu", "a2a3", "a5"]
    (file,) = record["files"]
    assert (file["file"], file["legal"]) == ("s.pto", ["a5"])
    first = file["lines"][0]
    assert (first["line"], first["source"]) == (6, "%a = pto.init_align : !pto.align")
    assert [len(first["errors"][t]) for t in record["targets"]] == [1, 1, 0]
    assert first["errors"]["cpu"][0]["code"] == "PTO0201"


def test_what_cannot_be_read_is_legal_nowhere(cli: Cli, write) -> None:
    write("b.pto", BROKEN)
    outcome = cli("check", "b.pto", "--all-targets")
    assert outcome.code == 1
    assert outcome.out.endswith("b.pto: legal on no target\n")
    assert outcome.out.count("PTO0002") == 3


def test_fixes_of_the_json_repair_the_file(cli: Cli, write) -> None:
    write("k.pto", MISMASKED)
    assert "  fix: write `!pto.mask<b32>` at 9:" in cli("check", "k.pto").err
    found = cli("check", "k.pto", "--json").json["diagnostics"]
    (diagnostic,) = [d for d in found if d["code"] == "PTO0108"]
    line = MISMASKED.split("\n")[diagnostic["line"] - 1]
    at = diagnostic["column"] - 1
    assert line[at : at + diagnostic["length"]] == "pto.vsts"
    edits = [Edit(Span(e["line"], e["column"], e["length"]), e["text"]) for e in diagnostic["fix"]]
    Path("k.pto").write_text(edited(MISMASKED, edits), encoding="utf-8")
    outcome = cli("check", "k.pto")
    assert "PTO01" not in outcome.err


def test_a_warning_is_no_error(cli: Cli, write) -> None:
    text = store("i32", body="%n = arith.constant 32 : i32\n    %w = arith.shli %v, %n : i32")
    write("k.pto", text)
    outcome = cli("check", "k.pto")
    assert (outcome.code, outcome.out) == (0, "k.pto: ok, 0 errors, 1 warning\n")
    assert "warning[PTO0109]" in outcome.err
