"""Which revision counts: the one asked for, else the module's, else the first that allows it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import ptoscope
from ptoscope import PtoError
from ptoscope.check import catalogue
from tests.command import Outcome


@pytest.fixture
def cli(capfd: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Runs a command line."""
    return lambda *argv: Outcome.of(argv, capfd)


def kernel_text(revision: str | None = None) -> str:
    text = catalogue.entry("PTO0013").bad.replace("0.0 : f32", "1.0 : f32")
    named = "" if revision is None else f' attributes {{pto.revision = "{revision}"}}'
    return text.replace("module {", f"module{named} {{")


def sums(text: str, revision: str | None = None) -> list[float]:
    out = np.zeros(64, "f4")
    kernel = ptoscope.load(text, revision=revision)
    kernel(out)
    return out.tolist()


MANUAL = [float(i + 1) for i in range(64)]
"""Of ones: the manual's prefix sums."""
MICRO = [2.0] * 32 + [0.0] * 32
"""The public specification's sums of pairs, zeros above."""


def test_the_module_names_its_revision() -> None:
    assert sums(kernel_text()) == MANUAL
    assert sums(kernel_text("manual")) == MANUAL
    assert sums(kernel_text("micro")) == MICRO
    assert sums(kernel_text("micro"), "manual") == MANUAL
    assert sums(kernel_text(), "micro") == MICRO
    assert ptoscope.load(kernel_text("micro")).revision == "micro"


def test_a_kernel_from_the_cache_keeps_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PTOSCOPE_CACHE", str(tmp_path))
    for _ in range(2):
        assert sums(kernel_text("micro")) == MICRO
        assert ptoscope.load(kernel_text("micro")).revision == "micro"


def test_a_revision_that_does_not_exist() -> None:
    with pytest.raises(PtoError, match="unknown revision 'draft'") as raised:
        ptoscope.load(kernel_text("draft"))
    assert [(d.code, d.line) for d in raised.value.diagnostics] == [("PTO0012", 1)]
    assert sums(kernel_text("draft"), "micro") == MICRO
    with pytest.raises(ptoscope.UsageError, match="unknown revision 'draft'"):
        ptoscope.load(kernel_text(), revision="draft")


def test_the_text_keeps_it(cli: Callable[..., Outcome], tmp_path: Path) -> None:
    path = tmp_path / "k.pto"
    path.write_text(kernel_text("micro"), encoding="utf-8")
    assert cli("fmt", path).out.startswith('module attributes {pto.revision = "micro"} {')


def test_check_says_once_that_it_matters(cli: Callable[..., Outcome], tmp_path: Path) -> None:
    twice = kernel_text().replace(
        "      pto.vsts",
        "      %more = pto.vcpadd %sum, %all : !pto.vreg<64xf32>, !pto.mask<b32>"
        " -> !pto.vreg<64xf32>\n      pto.vsts",
    )
    path = tmp_path / "k.pto"
    path.write_text(twice, encoding="utf-8")
    outcome = cli("check", path, "--json")
    (note,) = [d for d in outcome.json["diagnostics"] if d["code"] == "PTO0013"]
    assert outcome.code == 0
    assert note["severity"] == "note"
    assert note["message"].startswith("pto.vcpadd: the meaning depends on the revision")
    assert "j <= i" in note["found"]
    assert "input[2i] + input[2i + 1]" in note["found"]
    for said in (("--revision", "manual"), ("--revision", "micro")):
        found = cli("check", path, *said, "--json").json["diagnostics"]
        assert "PTO0013" not in [d["code"] for d in found]
    path.write_text(kernel_text("micro"), encoding="utf-8")
    assert cli("check", path, "--json").json["diagnostics"] == []


@pytest.mark.parametrize("line", ["vmax", "vadd"])
def test_no_note_where_the_revisions_agree(
    cli: Callable[..., Outcome], tmp_path: Path, line: str
) -> None:
    text = kernel_text().replace(
        "pto.vcpadd %x, %all : !pto.vreg<64xf32>,",
        f"pto.{line} %x, %x, %all : !pto.vreg<64xf32>, !pto.vreg<64xf32>,",
    )
    path = tmp_path / "k.pto"
    path.write_text(text, encoding="utf-8")
    assert cli("check", path, "--json").json["diagnostics"] == []


# The manual's page of vand lists integers only; the public cases of the micro instruction set
# give floats to bitwise instructions.
ONLY_MICRO = """func.func @kernel(%x: f32, %out: !pto.ptr<f32, gm>) attributes {pto.aicore} {
  %c0 = arith.constant 0 : index
  %at = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %bytes = arith.constant 256 : i64
  %ub = pto.castptr %at : i64 -> !pto.ptr<f32, ub>
  pto.vecscope {
    %all = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>
    %v = pto.vbr %x : f32 -> !pto.vreg<64xf32>
    %b = pto.vand %v, %v, %all
      : !pto.vreg<64xf32>, !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>
    pto.vsts %b, %ub[%c0], %all : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.mask<b32>
  }
  pto.set_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]
  pto.wait_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]
  pto.mte_ub_gm %ub, %out, %bytes nburst(%one, %bytes, %bytes)
    : !pto.ptr<f32, ub>, !pto.ptr<f32, gm>, i64, i64, i64, i64
  return
}
"""
LINE = 10


def told(text: str, *argv: str, cli: Callable[..., Outcome], path: Path) -> list[tuple[str, int]]:
    path.write_text(text, encoding="utf-8")
    found = cli("check", path, *argv, "--json").json["diagnostics"]
    return [(d["code"], d["line"]) for d in found]


def test_a_text_that_only_micro_allows_is_read_in_micro(
    cli: Callable[..., Outcome], tmp_path: Path
) -> None:
    path = tmp_path / "k.pto"
    warned, refused = [("PTO0016", LINE)], [("PTO0102", LINE)]
    assert told(ONLY_MICRO, cli=cli, path=path) == warned
    assert told(ONLY_MICRO, "--revision", "auto", cli=cli, path=path) == warned
    assert told(ONLY_MICRO, "--revision", "micro", cli=cli, path=path) == []
    assert told(ONLY_MICRO, "--revision", "manual", cli=cli, path=path) == refused
    assert cli("check", path).code == 0
    assert cli("check", path, "--strict").code == 1
    kernel, out = ptoscope.load(ONLY_MICRO), np.zeros(64, "f4")
    kernel(1.5, out)
    assert kernel.revision == "micro"
    assert out.tolist() == [1.5] * 64
    assert ptoscope.load(ONLY_MICRO, revision="auto").revision == "micro"
    for revision in ("manual", "micro"):
        named = f'module attributes {{pto.revision = "{revision}"}} {{\n{ONLY_MICRO}}}\n'
        wanted = [("PTO0102", LINE + 1)] if revision == "manual" else []
        assert told(named, cli=cli, path=path) == wanted


def test_what_no_revision_allows_has_the_findings_of_the_manual(
    cli: Callable[..., Outcome], tmp_path: Path
) -> None:
    path = tmp_path / "k.pto"
    lines = """    %k = arith.constant 1 : i32
    %i = pto.vbr %k : i32 -> !pto.vreg<64xi32>
    %e = pto.vexp %i, %all : !pto.vreg<64xi32>, !pto.mask<b32> -> !pto.vreg<64xi32>
    pto.vsts"""
    text = ONLY_MICRO.replace("    pto.vsts", lines)
    in_manual = told(text, "--revision", "manual", cli=cli, path=path)
    assert ("PTO0102", LINE) in in_manual
    assert len(in_manual) > 1
    unnamed = told(text, cli=cli, path=path)
    assert [found for found in unnamed if found[0] != "PTO0013"] == in_manual


def test_a_race_does_not_change_the_revision(cli: Callable[..., Outcome], tmp_path: Path) -> None:
    """What is wrong with its order is told beside the revision that its operations need."""
    wait = '  pto.wait_flag["PIPE_V", "PIPE_MTE3", "EVENT_ID0"]\n'
    found = told(ONLY_MICRO.replace(wait, ""), cli=cli, path=tmp_path / "k.pto")
    assert ("PTO0016", LINE) in found
    assert "PTO0102" not in [code for code, _ in found]
    assert [code for code, _ in found if code.startswith("PTO06")]


def test_a_text_with_an_error_of_grammar_is_judged_by_what_can_be_read(
    cli: Callable[..., Outcome], tmp_path: Path
) -> None:
    broken = ONLY_MICRO.replace("  return", "  pto.vadd %nothing\n  return")
    found = told(broken, cli=cli, path=tmp_path / "k.pto")
    assert "PTO0102" not in [code for code, _ in found]


def test_a_case_that_only_micro_lets_pass(cli: Callable[..., Outcome], tmp_path: Path) -> None:
    """The golden file has the manual's sums; the module of one names the other revision."""
    golden = "golden = [2.0] * 32 + [0.0] * 32\n"
    for name, text in (("unnamed", kernel_text()), ("named", kernel_text("manual"))):
        make_case(tmp_path / "cases", name, text, golden)
    outcome = cli("cases", tmp_path / "cases", "--json")
    assert outcome.code == 1
    told = {c["case"]: (c["verdict"], c["revision"]) for c in outcome.json["cases"]}
    assert told == {"unnamed": ("pass (micro)", "micro"), "named": ("fail", "manual")}
    counts = outcome.json["counts"]
    assert (counts["pass"], counts["pass (micro)"], counts["fail"]) == (0, 1, 1)
    assert cli("cases", tmp_path / "cases", "--filter", "unnamed").code == 0
    page = cli("cases", tmp_path / "cases", "--filter", "unnamed").out
    assert page.splitlines()[-1].endswith(": 1 pass (micro) (1 bit for bit)")
    assert "unnamed: pass (micro): " in page
    asked = cli("cases", tmp_path / "cases", "--revision", "manual", "--json")
    assert asked.json["counts"]["fail"] == 2


IN_MANUAL = "golden = np.arange(1, 65)\n"


def make_case(directory: Path, name: str, text: str, wanted: str = IN_MANUAL) -> None:
    case = directory / name
    case.mkdir(parents=True)
    (case / "kernel.pto").write_text(text, encoding="utf-8")
    golden = f"import numpy as np\nnp.zeros(64, 'f4').tofile('v1.bin')\n{wanted}"
    golden += "np.array(golden, 'f4').tofile('golden_v1.bin')\n"
    (case / "golden.py").write_text(golden, encoding="utf-8")
    compare = (
        "import numpy as np, sys\na, b = (np.fromfile(n + 'v1.bin') for n in ('', 'golden_'))\n"
    )
    compare += "sys.exit(int((a != b).any()))\n"
    (case / "compare.py").write_text(compare, encoding="utf-8")


def test_run_and_cases_agree_and_say_which(cli: Callable[..., Outcome], tmp_path: Path) -> None:
    """The golden file has the manual's sums."""
    make_case(tmp_path / "cases", "none", kernel_text())
    make_case(tmp_path / "cases", "micro", kernel_text("micro"))
    for name, revision, last in (("none", "manual", 64), ("micro", "micro", 2)):
        kernel = tmp_path / "cases" / name / "kernel.pto"
        ran = cli("run", kernel, "zeros:64", "--json")
        assert (ran.json["revision"], ran.json["arguments"][0]["max"]) == (revision, last)
        assert f", revision {revision}, " in cli("run", kernel, "zeros:64").out.splitlines()[0]
    outcome = cli("cases", tmp_path / "cases", "--json")
    told = {c["case"]: (c["verdict"], c["revision"]) for c in outcome.json["cases"]}
    assert told == {"none": ("pass", "manual"), "micro": ("fail", "micro")}
    assert outcome.json["revision"] == "manual, micro"
    page = cli("cases", tmp_path / "cases", "--revision", "micro").out
    assert ", revision micro: 2 fail" in page.splitlines()[-1]
