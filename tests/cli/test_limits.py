"""What may be of any size: lines of a megabyte are cut, a full disk leaves nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

import ptoscope
from ptoscope import PtoError
from tests.cases.conftest import PASSES, make_case
from tests.command import Outcome

MANY = 1_000_000
KERNEL = (PASSES / "kernel.pto").read_text(encoding="utf-8")
ADD = Path(__file__).parents[2] / "examples" / "vector_add.pto"


@pytest.fixture
def cli(capfd: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Runs a command line."""
    return lambda *argv: Outcome.of(argv, capfd)


TEXTS = {
    "a long name": KERNEL.replace("pto.vadd", "pto.v" + "a" * MANY),
    "a long value": KERNEL.replace("vadd %v, %v", f"vadd %v, %{'v' * MANY}"),
    "a long line": KERNEL.replace("pto.vadd", " " * MANY + "pto.vadx"),
    "a long string": KERNEL.replace("PAT_ALL", "P" * MANY),
    "a long type": KERNEL.replace("64xf32", "6" * MANY + "xf32"),
    "a long number": KERNEL.replace("constant 256", "constant " + "2" * MANY),
    "one long line": KERNEL.replace("\n", "  ").replace("pto.vadd", "pto.vadx"),
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_lines_of_findings_are_cut(cli: Callable[..., Outcome], tmp_path: Path, text: str) -> None:
    path = tmp_path / "k.pto"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PtoError) as raised:
        ptoscope.load(path)
    assert max(len(line) for line in str(raised.value).split("\n")) < 1200
    assert len(repr(raised.value.diagnostics[0])) < 1200
    outcome = cli("check", path)
    assert outcome.code == 1
    assert max(len(line) for line in outcome.err.split("\n")) < 1200
    assert max(len(line) for line in cli("check", path, "--json").out.split("\n")) < 1200


def test_the_caret_of_a_cut_line_stands_under_its_word() -> None:
    text = KERNEL.replace("pto.vadd", " " * 5000 + "pto.vadx").replace(
        "%all\n", "%all" + " " * 5000 + "\n"
    )
    with pytest.raises(PtoError) as raised:
        ptoscope.load(text)
    _, source, carets, *_ = str(raised.value).split("\n")
    assert source[carets.index("^") :].startswith("pto.vadx")
    assert len(source) < 300


def test_usage_that_is_long_is_cut(cli: Callable[..., Outcome]) -> None:
    for argv in (["run", ADD, "x" * MANY], ["--" + "x" * MANY], ["x" * MANY], ["isa", "x" * MANY]):
        outcome = cli(*argv)
        assert outcome.code == 2
        assert len(outcome.err) < 3000


def test_what_a_case_says_is_cut(cli: Callable[..., Outcome], tmp_path: Path) -> None:
    long = "x" * MANY
    make_case(tmp_path, "golden", golden=f"raise ValueError('x' * {MANY})\n")
    make_case(tmp_path, "compare", compare=f"import sys\nsys.exit('x' * {MANY})\n")
    make_case(tmp_path, "host", main=f"int main() {{ return {long}; }}\n")
    make_case(tmp_path, "kernel", kernel=KERNEL.replace("pto.vadd", "pto.v" + long))
    outcome = cli("cases", tmp_path)
    assert max(len(line) for line in outcome.out.split("\n")) < 3000
    assert max(len(line) for line in outcome.err.split("\n")) < 3000


LIMITED = (
    "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600));"
    "from ptoscope.cli.main import main; sys.exit(main())"
)
"""A file of more than 600 bytes cannot be written, as on a full disk."""

WRITES = {
    "run": (
        [*("run", ADD, "zeros:300", "zeros:300", "zeros:300", "300", "--save", "new")],
        "cannot write new/arg0.npy: File too large",
    ),
    "run, into a directory": (
        [*("run", ADD, "zeros:300", "zeros:300", "zeros:300", "300", "--save", ".")],
        "cannot write arg0.npy: File too large",
    ),
    "time": (
        [*("time", ADD, "zeros:300", "zeros:300", "zeros:300", "300", "--trace", "t.json")],
        "cannot write t.json: File too large",
    ),
    "fmt": (["fmt", "-i", "k.pto"], "cannot write k.pto: File too large"),
    "new-case": (["new-case", "case", "k.pto"], "cannot write case: File too large"),
}


@pytest.mark.parametrize("command", WRITES)
def test_a_full_disk_says_what_and_leaves_nothing(tmp_path: Path, command: str) -> None:
    argv, message = WRITES[command]
    (tmp_path / "k.pto").write_text(KERNEL.replace("    ", "  "), encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, "-c", LIMITED, *map(str, argv)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert message in ended.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["k.pto"]
    assert (tmp_path / "k.pto").read_text("utf-8") == KERNEL.replace("    ", "  ")


def test_what_is_there_stays(cli: Callable[..., Outcome], tmp_path: Path) -> None:
    """A trace through a link, to a file with a mode of its own; and to a device."""
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "real.json").chmod(0o640)
    (tmp_path / "link.json").symlink_to("real.json")
    argv = ("time", ADD, "zeros:64", "zeros:64", "zeros:64", "64", "--trace")
    assert cli(*argv, tmp_path / "link.json").code == 0
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "real.json").read_text().startswith("{")
    assert (tmp_path / "real.json").stat().st_mode & 0o777 == 0o640
    assert cli(*argv, "/dev/null").code == 0
    assert Path("/dev/null").is_char_device()


def test_no_room_for_scratch(
    cli: Callable[..., Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
        outcome = cli("cases", PASSES)
    assert outcome.code == 2
    assert f"cannot make a directory in {tmp_path}/missing" in outcome.err
