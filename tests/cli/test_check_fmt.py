"""`check` and `fmt`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ptoscope.demo import PATH as SOFTMAX

from .conftest import BROKEN, MISMASKED, Cli, store

UNTIDY = """module{
// before
func.func @f(%p : !pto.ptr<f32,gm>){ // behind
      %c0 = arith.constant   0 : index
  return }
}
"""

LEVELS = """func.func @f() attributes {pto.aicore} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  castptr %ub, %zero : !pto.ptr<f32, ub>
  pto.vecscope {
    vlds %one, %ub[%c0] : !pto.ptr<f32, ub> // first
    pset_b32 %m, "PAT_ALL" : !pto.mask<b32>
    vadd %two, %one, %one : !pto.vreg<f32, 64>
    pto.vabs ins(%two, %m : !pto.vreg<64xf32>, !pto.mask<b32>) outs(%three : !pto.vreg<64xf32>)
    pto.vsts %three, %ub[%c0], %m : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.mask<b32>
  }
  return
}
"""


def test_a_clean_kernel_is_one_line(cli: Cli, write):
    write("k.pto", store("f32"))
    outcome = cli("check", "k.pto")
    assert (outcome.code, outcome.out, outcome.err) == (0, "k.pto: ok, 0 errors, 0 warnings\n", "")
    write("l.pto", store("f16"))
    assert cli("check", "k.pto", "l.pto").out == "2 files: ok, 0 errors, 0 warnings\n"


@pytest.mark.parametrize("text", [BROKEN, MISMASKED])
def test_findings_go_to_stderr_with_a_caret(cli: Cli, write, text: str):
    write("k.pto", text)
    outcome = cli("check", "k.pto")
    assert outcome.code == 1
    assert outcome.out.startswith("k.pto: wrong, ")
    assert outcome.err.startswith("k.pto:")
    assert "^^" in outcome.err


def test_all_errors_of_all_files(cli: Cli, write):
    write("a.pto", BROKEN)
    write("b.pto", MISMASKED)
    write("c.pto", store("f32"))
    outcome = cli("check", "a.pto", "b.pto", "c.pto", "--json")
    record = outcome.json
    assert outcome.code == 1
    assert {d["file"] for d in record["diagnostics"]} == {"a.pto", "b.pto"}
    assert [(f["file"], f["ok"]) for f in record["files"]] == [
        ("a.pto", False),
        ("b.pto", False),
        ("c.pto", True),
    ]
    assert record["files"][2]["functions"] == ["store"]
    assert sum(f["errors"] for f in record["files"]) == len(record["diagnostics"])
    lines = [d["line"] for d in record["diagnostics"] if d["file"] == "a.pto"]
    assert lines == [3, 4]


@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
def test_the_target_decides(cli: Cli, write, target: str):
    write("k.pto", store("f32"))
    assert cli("check", "k.pto", "--target", target).code == 0
    narrow = MISMASKED.replace("b16", "b8").replace("64xf32", "256xf8e4m3").replace("f32", "f8e4m3")
    write("n.pto", narrow)
    assert cli("check", "n.pto", "--target", target).code == (0 if target == "a5" else 1)


@pytest.mark.parametrize(
    "data", [b"", b"\0", b"\xff\xfe", b"}", b"module {", b"(" * 5000, "é".encode("latin-1")]
)
def test_no_text_makes_a_traceback(cli: Cli, tmp_path: Path, data: bytes):
    (tmp_path / "k.pto").write_bytes(data)
    for command in ("check", "fmt", "run"):
        outcome = cli(command, "k.pto")
        assert outcome.code == 1
        assert "internal error" not in outcome.err
        assert "error[PTO" in outcome.err
        assert cli(command, "k.pto", "--json").json["ok"] is False


def test_fmt_prints_a_fixed_point_with_comments(cli: Cli, write):
    write("k.pto", UNTIDY)
    first = cli("fmt", "k.pto")
    assert (first.code, first.err) == (0, "")
    assert "// before" in first.out
    assert "// behind" in first.out
    assert "%c0 = arith.constant 0 : index" in first.out
    assert Path("k.pto").read_text() == UNTIDY
    write("l.pto", first.out)
    assert cli("fmt", "l.pto").out == first.out


def test_fmt_check(cli: Cli, write):
    write("k.pto", UNTIDY)
    outcome = cli("fmt", "k.pto", "--check")
    assert (outcome.code, outcome.out) == (1, "k.pto: would change\n")
    assert Path("k.pto").read_text() == UNTIDY
    record = cli("fmt", "k.pto", "--check", "--json").json
    assert (record["ok"], record["changed"]) == (False, True)
    write("l.pto", cli("fmt", "k.pto").out)
    assert cli("fmt", "l.pto", "--check").code == 0
    record = cli("fmt", "l.pto", "--json").json
    assert (record["changed"], record["text"]) == (False, Path("l.pto").read_text())


@pytest.mark.parametrize("switch", ["-i", "--in-place"])
def test_fmt_in_place(cli: Cli, write, switch: str):
    write("k.pto", UNTIDY)
    expected = cli("fmt", "k.pto").out
    os.chmod("k.pto", 0o640)
    os.symlink("k.pto", "link.pto")
    assert cli("fmt", "link.pto", switch).code == 0
    assert Path("k.pto").read_text() == expected
    assert os.path.islink("link.pto")
    assert os.stat("k.pto").st_mode & 0o777 == 0o640
    assert cli("fmt", "k.pto", switch).out == "k.pto: unchanged\n"
    assert sorted(os.listdir()) == ["k.pto", "link.pto"]


def test_fmt_in_place_leaves_a_broken_file_alone(cli: Cli, write):
    write("k.pto", BROKEN)
    before = os.stat("k.pto")
    outcome = cli("fmt", "k.pto", "-i")
    assert (outcome.code, outcome.out) == (1, "")
    assert Path("k.pto").read_text() == BROKEN
    assert os.stat("k.pto").st_ino == before.st_ino
    assert os.listdir() == ["k.pto"]


def test_fmt_generic_is_the_same_kernel(cli: Cli, write):
    write("k.pto", store("f32"))
    generic = cli("fmt", "k.pto", "--generic").out
    assert '"pto.store_scalar"(' in generic
    assert "// stores one element" in generic
    write("g.pto", generic)
    assert cli("check", "g.pto").code == 0
    assert '"pto.store_scalar"' not in cli("fmt", "g.pto").out


@pytest.mark.parametrize(
    ("form", "line"),
    [
        ("ssa", "%one = pto.vlds %ub[%c0] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>"),
        ("dps", "pto.vlds ins(%ub[%c0] : !pto.ptr<f32, ub>) outs(%one : !pto.vreg<64xf32>)"),
        ("asm", "vlds %one, %ub[%c0] : !pto.ptr<f32, ub>"),
    ],
)
def test_fmt_form(cli: Cli, write, form: str, line: str):
    write("k.pto", LEVELS)
    outcome = cli("fmt", "k.pto", "--form", form)
    assert (outcome.code, outcome.err) == (0, "")
    assert f"    {line}  // first" in outcome.out.splitlines()
    # From any level back to any other.
    write("l.pto", outcome.out)
    assert cli("fmt", "l.pto", f"--form={form}", "--check").code == 0
    assert cli("fmt", "l.pto").out == cli("fmt", "k.pto").out
    assert cli("check", "l.pto").code == 0


def test_fmt_form_with_the_other_options(cli: Cli, write):
    write("k.pto", LEVELS)
    expected = cli("fmt", "k.pto", "--form", "asm").out
    assert cli("fmt", "k.pto", "--form", "asm", "--check").code == 1
    record = cli("fmt", "k.pto", "--form", "asm", "--json").json
    assert (record["text"], record["changed"]) == (expected, True)
    assert cli("fmt", "k.pto", "--form", "asm", "-i").out == "k.pto: rewritten\n"
    assert Path("k.pto").read_text() == expected
    assert cli("fmt", "k.pto", "--form", "asm", "--check").code == 0
    assert cli("fmt", "k.pto", "--form", "ssa", "--check").code == 1


@pytest.mark.parametrize(
    "form", [("--form", "ssa"), ("--form", "dps"), ("--form", "asm"), ("--generic",)]
)
def test_fmt_in_place_keeps_the_form(cli: Cli, write, form: tuple[str, ...]):
    write("k.pto", LEVELS)
    written = cli("fmt", "k.pto", *form).out
    write("k.pto", written.replace("  %zero", "      %zero"))
    assert cli("fmt", "k.pto", "--check").code == 1
    assert cli("fmt", "k.pto", "-i").out == "k.pto: rewritten\n"
    assert Path("k.pto").read_text() == written
    assert cli("fmt", "k.pto", "--check").code == 0


def test_fmt_in_place_keeps_the_form_of_every_line(cli: Cli, write):
    write("k.pto", LEVELS)
    cli("fmt", "k.pto", "-i")
    lines = [line.strip() for line in Path("k.pto").read_text().splitlines()]
    assert "vlds %one, %ub[%c0] : !pto.ptr<f32, ub>  // first" in lines
    assert any(line.startswith("pto.vabs ins(%two, %m : ") for line in lines)
    assert any(line.startswith("pto.vsts %three, %ub[%c0], %m : ") for line in lines)
    assert cli("check", "k.pto").code == 0


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--form", "asm", "--generic"), "fmt takes --form or --generic, not both"),
        (("--form", "cpp"), "unknown form 'cpp'; there are ssa, dps, asm"),
        (("--form",), "--form needs a value: NAME"),
    ],
)
def test_fmt_form_wrong_usage(cli: Cli, write, args: tuple[str, ...], message: str):
    write("k.pto", LEVELS)
    outcome = cli("fmt", "k.pto", *args)
    assert outcome.code == 2
    assert message in outcome.err


def test_the_bundled_kernel_is_canonical(cli: Cli):
    assert cli("fmt", SOFTMAX, "--check").code == 0
