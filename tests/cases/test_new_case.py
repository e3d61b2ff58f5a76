"""`new-case`: what it writes runs at once, here and as plain Python."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import PASSES, Cli

ROOT = Path(__file__).parent.parent.parent
VECTOR_ADD = ROOT / "examples" / "vector_add.pto"
FILES = ["compare.py", "golden.py", "kernel.pto", "launch.cpp", "main.cpp"]


def edit(path: Path, *changes: tuple[str, str]) -> None:
    text = path.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")


def test_a_new_case_fails_until_it_is_filled_in(cli: Cli, tmp_path: Path):
    case = tmp_path / "mine" / "add"
    outcome = cli("new-case", case, VECTOR_ADD, "--grid", "3", "--json")
    assert outcome.code == 0
    assert outcome.json["entry"] == "vector_add"
    assert sorted(path.name for path in case.iterdir()) == FILES
    assert (case / "kernel.pto").read_text() == VECTOR_ADD.read_text()
    assert "vector_add<<<3," in (case / "launch.cpp").read_text()
    assert cli("cases", case, "--json").verdicts == {"add": "fail"}
    edit(
        case / "golden.py",
        ("v3 = v3.copy()", "v3 = v1 + v2"),
        ("V4 = 1 ", "V4 = V1_ELEMENTS "),
    )
    outcome = cli("cases", tmp_path, "--json")
    assert (outcome.code, outcome.verdicts) == (0, {"add": "pass"})
    assert outcome.case("add")["family"] == "mine"


def test_the_scripts_need_nothing_but_numpy(cli: Cli, tmp_path: Path):
    case = tmp_path / "add"
    cli("new-case", case, VECTOR_ADD)
    work = tmp_path / "work"
    work.mkdir()
    for script in ("golden.py", "compare.py"):
        code = (
            "import runpy, sys\n"
            f"try:\n    runpy.run_path({str(case / script)!r}, run_name='__main__')\n"
            "finally:\n    assert 'ptoscope' not in sys.modules\n"
            "    assert 'ml_dtypes' not in sys.modules\n"
        )
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", code],
            cwd=work,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
    names = {"v1.bin", "v2.bin", "v3.bin", "v4.bin", "golden_v3.bin"}
    assert {path.name for path in work.iterdir()} == names


TYPES = ("f32", "f16", "bf16", "i8", "ui16", "i32", "ui32", "i64", "f8e4m3", "hif8")
SCALARS = ("f32", "i1", "i8", "ui32", "i64", "index")


def test_every_type_of_parameter(cli: Cli, tmp_path: Path):
    pointers = [f"%p{i}: !pto.ptr<{name}, gm>" for i, name in enumerate(TYPES)]
    numbers = [f"%s{i}: {name}" for i, name in enumerate(SCALARS)]
    text = (
        f"module {{\n  func.func @all_types({', '.join([*pointers, *numbers])}) {{\n"
        "    %c0 = arith.constant 0 : index\n"
        "    %one = pto.addptr %p0, %c0 : !pto.ptr<f32, gm> -> !pto.ptr<f32, gm>\n"
        "    %v = arith.constant 0.0 : f32\n"
        "    pto.store_scalar %v, %one[%c0] : !pto.ptr<f32, gm>, f32\n"
        "    return\n  }\n}\n"
    )
    kernel = tmp_path / "k.pto"
    kernel.write_text(text, encoding="utf-8")
    assert cli("new-case", tmp_path / "all", kernel).code == 0
    outcome = cli("cases", tmp_path / "all", "--json")
    assert outcome.verdicts == {"all": "pass"}, outcome.out
    # Only the first is written, so only it is an output.
    assert '"v1": (np.float32, 1e-6)' in (tmp_path / "all" / "compare.py").read_text()
    assert '"v2"' not in (tmp_path / "all" / "compare.py").read_text()


@pytest.mark.parametrize(
    ("argv", "code", "message"),
    [
        (["taken", "k.pto"], 2, "taken exists already"),
        (["file", "k.pto"], 2, "file exists already"),
        ([".hidden", "k.pto"], 2, "no name for a case"),
        (["new", "missing.pto"], 2, "cannot read missing.pto"),
        (["new", "broken.pto"], 1, "PTO0"),
        (["new", "k.pto", "--entry", "other"], 2, "no function @other"),
        (["new", "k.pto", "--grid", "0"], 2, "--grid"),
        (["file/new", "k.pto"], 2, "cannot write file/new"),
        (["new"], 2, "needs NAME KERNEL"),
    ],
)
def test_nothing_is_written_otherwise(
    cli: Cli, tmp_path: Path, monkeypatch, argv: list[str], code: int, message: str
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.pto").write_text((PASSES / "kernel.pto").read_text())
    (tmp_path / "broken.pto").write_text("module {\n  func.func @x( {\n}\n")
    (tmp_path / "taken").mkdir()
    (tmp_path / "file").touch()
    before = sorted(tmp_path.rglob("*"))
    outcome = cli("new-case", *argv)
    assert outcome.code == code
    assert message in outcome.err
    assert sorted(tmp_path.rglob("*")) == before


def test_a_failing_write_leaves_nothing(cli: Cli, tmp_path: Path, monkeypatch):
    def fail(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("ptoscope.cases.skeleton.write.os.rename", fail)
    outcome = cli("new-case", tmp_path / "new", PASSES / "kernel.pto")
    assert outcome.code == 2
    assert "No space left" in outcome.err
    assert list(tmp_path.iterdir()) == []
