"""Scripts that misbehave harm their own case and nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from .conftest import PASSES, SUITE, Cli, make_case

GOLDEN = (PASSES / "golden.py").read_text(encoding="utf-8")
COMPARE = (PASSES / "compare.py").read_text(encoding="utf-8")


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the temporary directories of a run are made."""
    directory = tmp_path / "scratch"
    directory.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(directory))
    return directory


def test_each_harms_only_its_own_case(cli: Cli, tmp_path: Path, scratch: Path):
    cases = tmp_path / "cases"
    make_case(cases, "hangs", golden="import time\ntime.sleep(1000)\n")
    make_case(cases, "crashes", golden="import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n")
    make_case(cases, "leaves", golden=GOLDEN + "import os\nos._exit(7)\n")
    make_case(cases, "raises", golden="raise ValueError('no\\x00 data')\n")
    make_case(cases, "misspelt", golden="def (\n")
    make_case(cases, "compare_raises", compare="{}['missing']\n")
    make_case(cases, "asserts", compare="assert 1 == 2, 'not the same'\n")
    junk = "import os, sys\nfor fd in range(1, 20):\n    try:\n"
    junk += '        os.write(fd, b\'{"verdict": "fail"}\\n\\xff\\x00\' * 1000)\n'
    junk += "    except OSError:\n        pass\nsys.stdin.read()\n"
    make_case(cases, "junk", golden=junk + GOLDEN, compare=junk + COMPARE)
    changes = "import sys, os\nsys.exit = os._exit = None\nnp = sys.modules['numpy']\n"
    make_case(cases, "meddles", golden=GOLDEN + changes + "np.fromfile = np.isclose = None\n")
    unclosed = GOLDEN.replace('.tofile(f"golden_{name}.bin")', "")
    unclosed += "\nkept = open('golden_v2.bin', 'wb')\n"
    unclosed += "kept.write((2 * np.fromfile('v1.bin', np.float32)).tobytes())\n"
    make_case(cases, "unclosed", golden=unclosed)
    outcome = cli("cases", cases, "--json", "--timeout", "8", "--jobs", "2")
    details = {c["case"]: c["detail"] for c in outcome.json["cases"]}
    assert outcome.verdicts == {
        "hangs": "error",
        "crashes": "error",
        "leaves": "error",
        "raises": "error",
        "misspelt": "error",
        "compare_raises": "error",
        "asserts": "fail",
        "junk": "pass",
        "meddles": "pass",
        "unclosed": "pass",
    }, details
    assert details["hangs"] == "golden.py took longer than 8 s"
    assert details["crashes"] == "golden.py: ended by SIGSEGV"
    assert details["leaves"].startswith("golden.py: exit status 7")
    assert details["raises"].startswith("golden.py: raised ValueError: no")
    assert details["misspelt"].startswith("golden.py: raised SyntaxError")
    assert details["compare_raises"] == "compare.py: raised KeyError: 'missing'"
    assert "not the same" in outcome.case("asserts")["compare"]
    assert list(scratch.iterdir()) == []


def test_what_is_left_behind_is_removed(cli: Cli, tmp_path: Path, scratch: Path):
    cases, mark = tmp_path / "cases", tmp_path / "pid"
    sleeper = f"""
import os, subprocess, sys, tempfile
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
open({str(mark)!r}, "w").write(str(child.pid))
open("../beside", "w").write("x")
tempfile.mkstemp()
os.mkdir("locked")
open("locked/file", "w").write("x")
os.chmod("locked", 0o500)
"""
    make_case(cases, "leaves_processes", golden=GOLDEN + sleeper)
    before = sorted(path.name for path in (cases / "leaves_processes").iterdir())
    outcome = cli("cases", cases, "--json")
    assert outcome.verdicts == {"leaves_processes": "pass"}
    assert sorted(path.name for path in (cases / "leaves_processes").iterdir()) == before
    assert list(scratch.iterdir()) == []
    assert ended(int(mark.read_text()))


def test_the_server_may_be_ended_by_a_case(cli: Cli, tmp_path: Path):
    killer = """
import os, signal, time
parent = os.getppid()
status = open(f"/proc/{parent}/stat").read()
os.kill(int(status.rsplit(")", 1)[1].split()[1]), signal.SIGKILL)
time.sleep(60)
"""
    for number in range(3):
        make_case(tmp_path, f"case{number}", golden=GOLDEN)
    make_case(tmp_path, "case1_kills", golden=killer)
    outcome = cli("cases", tmp_path, "--json", "--jobs", "2")
    verdicts = outcome.verdicts
    assert verdicts.pop("case1_kills") == "error"
    assert set(verdicts.values()) == {"pass"}


def test_an_interrupt_ends_everything(tmp_path: Path):
    mark = tmp_path / "pid"
    text = f"import os, time\nopen({str(mark)!r}, 'w').write(str(os.getpid()))\ntime.sleep(1000)\n"
    make_case(tmp_path / "cases", "hangs", golden=text)
    (tmp_path / "scratch").mkdir()
    script = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "from ptoscope.cli.main import main; sys.exit(main())"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, "cases", str(tmp_path / "cases")],
        env={**os.environ, "TMPDIR": str(tmp_path / "scratch")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        deadline = time.monotonic() + 30
        while not (mark.exists() and mark.read_text()) and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, b"", b"")
    assert ended(int(mark.read_text()))
    assert list((tmp_path / "scratch").iterdir()) == []


def ended(pid: int) -> bool:
    """Whether a process is gone, or only waits to be collected."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


def test_cases_side_by_side_give_the_same_verdicts(cli: Cli):
    one = cli("cases", SUITE, "--jobs", "1", "--json")
    many = cli("cases", SUITE, "--jobs", "8", "--json")
    assert one.verdicts == many.verdicts
    assert [c["case"] for c in one.json["cases"]] == [c["case"] for c in many.json["cases"]]
