"""`check --explain`, `--all-targets`, fixes and spans in JSON."""

from __future__ import annotations

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
    if code not in catalogue.NO_EXAMPLE:
        assert f"{entry.severity}[{code}]: " in outcome.out
        for part in ("\nsource\n", "\nbad.pto (--", "\nfixed.pto\n"):
            assert part in outcome.out
        for text in (entry.bad, entry.fixed):
            assert "\n".join(f"  {line}" for line in text.split("\n")) in outcome.out


def test_explain_json(cli: Cli) -> None:
    record = cli("check", "--explain", "pto0201", "--json").json
    rule = record["rule"]
    assert record["ok"] is True
    assert (rule["code"], rule["severity"]) == ("PTO0201", "error")
    assert (rule["target"], rule["revision"]) == ("a2a3", "manual")
    assert rule["source"].startswith("Vector Instruction Set")
    assert [d["code"] for d in rule["findings"]] == ["PTO0201"] * 3
    assert {"title", "why", "bad", "fixed"} <= set(rule)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--explain", "PTO0111"), "near it are PTO0106, PTO0107, PTO0108, PTO0109, PTO0110"),
        (("--explain", "mask"), "there is no rule MASK; near it are PTO0001, PTO0002"),
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
