"""Which revision counts: the one asked for, else the module's, else the same default everywhere."""

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


def make_case(directory: Path, name: str, text: str) -> None:
    case = directory / name
    case.mkdir(parents=True)
    (case / "kernel.pto").write_text(text, encoding="utf-8")
    golden = "import numpy as np\nnp.zeros(64, 'f4').tofile('v1.bin')\n"
    golden += "np.arange(1, 65, dtype='f4').tofile('golden_v1.bin')\n"
    (case / "golden.py").write_text(golden, encoding="utf-8")
    compare = "import numpy as np, sys\n"
    compare += "sys.exit(int(np.fromfile('v1.bin', 'f4')[63] != 64))\n"
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
