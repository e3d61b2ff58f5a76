"""Every process that a case starts ends with it, within its limits, however the case ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ptoscope.cases.run import processes

from .conftest import Cli, make_case
from .test_scripts import GOLDEN, ended, scratch

__all__ = ["scratch"]

DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open({mark!r}, "a").write(f"{{os.getpid()}}\\n")
        time.sleep(1000)
    os._exit(0)
while not (os.path.exists({mark!r}) and os.path.getsize({mark!r})):
    time.sleep(0.01)
"""
"""Leaves its process group and loses its parent, as a daemon does."""

ENDINGS = {
    "passes": ("", "pass"),
    "is late": ("time.sleep(1000)\n", "golden.py took longer than 6 s"),
    "ends its parent": ("os.kill(os.getppid(), 9)\ntime.sleep(1000)\n", "golden.py: the process"),
    "ends the server": (
        "status = open(f'/proc/{os.getppid()}/stat').read()\n"
        "os.kill(int(status.rsplit(')', 1)[1].split()[1]), 9)\ntime.sleep(1000)\n",
        "the process that runs cases ended",
    ),
}


def started(mark: Path) -> list[int]:
    """The numbers that processes have written to a file."""
    return [int(line) for line in mark.read_text().splitlines()]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives orphans to their ancestors")
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_daemon_is_ended(cli: Cli, tmp_path: Path, scratch: Path, ending: str) -> None:
    text, detail = ENDINGS[ending]
    mark = tmp_path / "pid"
    daemon = DAEMON.format(mark=str(mark))
    make_case(tmp_path / "cases", "leaves", golden=GOLDEN + daemon + text)
    make_case(tmp_path / "cases", "other", golden=GOLDEN)
    outcome = cli("cases", tmp_path / "cases", "--json", "--timeout", "6", "--jobs", "1")
    assert outcome.verdicts["other"] == "pass"
    record = outcome.case("leaves")
    assert (record["detail"] or record["verdict"]).startswith(detail)
    assert started(mark)
    assert all(ended(pid) for pid in started(mark))
    assert list(scratch.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives orphans to their ancestors")
def test_processes_that_go_on_forking_are_ended(cli: Cli, tmp_path: Path) -> None:
    """Each starts the next and ends: to end them one by one comes too late."""
    mark = tmp_path / "pids"
    text = f"""
import os, time
if os.fork() == 0:
    os.setsid()
    for number in range(100_000):
        open({str(mark)!r}, "w").write(f"{{os.getpid()}}\\n")
        if os.fork():
            os._exit(0)
        time.sleep(0.001)
time.sleep(0.2)
"""
    make_case(tmp_path / "cases", "forks", golden=GOLDEN + text)
    assert cli("cases", tmp_path / "cases", "--json").verdicts == {"forks": "pass"}
    last = mark.read_text()
    time.sleep(0.1)
    assert mark.read_text() == last
    assert all(ended(pid) for pid in started(mark))


@contextmanager
def hanging(
    tmp_path: Path, before: str = "", rest: str = "time.sleep(1000)\n"
) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """A command under way on a case that does not end by itself; its scratch directory."""
    mark, scratch = tmp_path / "pid", tmp_path / "scratch"
    scratch.mkdir()
    make_case(tmp_path / "cases", "hangs", golden=DAEMON.format(mark=str(mark)) + rest)
    script = f"import signal, sys\n{before}\nfrom ptoscope.cli.main import main\nsys.exit(main())"
    with subprocess.Popen(
        [sys.executable, "-c", script, "cases", str(tmp_path / "cases"), "--timeout", "600"],
        env={**os.environ, "TMPDIR": str(scratch)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        # The whole line: half a number is that of another process.
        deadline = time.monotonic() + 120
        while not (mark.exists() and mark.read_text().endswith("\n")):
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline, "the case does not begin"
            time.sleep(0.02)
        yield process, scratch
        assert all(ended(pid) for pid in started(mark))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_everything(tmp_path: Path, number: signal.Signals) -> None:
    # Whoever starts the tests may have it ignored, as nohup does.
    with hanging(tmp_path, f"signal.signal({int(number)}, signal.SIG_DFL)") as (process, scratch):
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
        assert (process.returncode, out, err) == (-number, b"", b"")
        assert list(scratch.iterdir()) == []


def test_a_signal_that_is_ignored_stays_ignored(tmp_path: Path) -> None:
    """The case goes on, and says at its own time how it ended."""
    go = tmp_path / "go"
    rest = f"while not os.path.exists({str(go)!r}):\n    time.sleep(0.01)\nos._exit(7)\n"
    ignored = "signal.signal(signal.SIGHUP, signal.SIG_IGN)"
    with hanging(tmp_path, ignored, rest) as (process, _):
        process.send_signal(signal.SIGHUP)
        time.sleep(0.5)
        assert process.poll() is None
        go.touch()
        out, _ = process.communicate(timeout=60)
        assert process.returncode == 1
        assert b"golden.py: exit status 7" in out


def test_a_command_that_is_killed_leaves_nothing(tmp_path: Path) -> None:
    with hanging(tmp_path) as (process, scratch):
        process.kill()
        process.communicate(timeout=30)
        deadline = time.monotonic() + 10
        while list(scratch.iterdir()) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert list(scratch.iterdir()) == []


def test_memory_has_a_limit(cli: Cli, tmp_path: Path) -> None:
    """Of each process: of the scripts, of what they start, and of the kernel's own."""
    golden = """
import resource, subprocess, sys
most = resource.getrlimit(resource.RLIMIT_AS)[0]
child = "import sys; bytearray(int(sys.argv[1]))"
assert subprocess.run([sys.executable, "-c", child, str(most)]).returncode == 1
bytearray(most)
"""
    make_case(tmp_path, "golden", golden=golden)
    main = "int main() { float *a; aclrtMalloc((void **)&a, 9'000'000'000, 0); return 0; }\n"
    make_case(tmp_path, "host", main=main)
    outcome = cli("cases", tmp_path, "--json")
    details = {c["case"]: c["detail"] for c in outcome.json["cases"]}
    assert details == {
        "golden": "golden.py: raised MemoryError",
        "host": "there is not enough memory",
    }
    assert processes.MOST_MEMORY < 9_000_000_000


STATUSES = ("1", "2", "255", "256", "-256", "1 << 40", "'a text'")


def test_any_exit_status_but_0_fails(cli: Cli, tmp_path: Path) -> None:
    for number, status in enumerate(STATUSES):
        ending = f"\nimport sys\nsys.exit({status})\n"
        make_case(tmp_path, f"golden{number}", golden=GOLDEN + ending)
        make_case(tmp_path, f"compare{number}", compare=ending)
    make_case(tmp_path, "success", golden=GOLDEN + "\nraise SystemExit(0)\n")
    outcome = cli("cases", tmp_path, "--json")
    expected = {f"golden{number}": "error" for number in range(len(STATUSES))}
    expected |= {f"compare{number}": "fail" for number in range(len(STATUSES))}
    assert outcome.verdicts == {**expected, "success": "pass"}


def test_what_took_too_long_is_named(cli: Cli, tmp_path: Path) -> None:
    sleep = "import time\ntime.sleep(1000)\n"
    make_case(tmp_path, "golden", golden=sleep)
    make_case(tmp_path, "compare", compare=sleep)
    fill = "char *p = (char *)malloc(1 << 30); std::fill_n(p, 1 << 30, 0);"
    make_case(tmp_path, "host", main=f"int main() {{ {fill} return 0; }}\n")
    kernel = make_case(tmp_path, "kernel") / "kernel.pto"
    endless = """
    %forever = arith.constant 1000000000000 : index
    %step = arith.constant 1 : index
    scf.for %again = %c0 to %forever step %step {
    }
    return"""
    text = kernel.read_text(encoding="utf-8").replace("return", endless)
    kernel.write_text(text, encoding="utf-8")
    options = ("--json", "--timeout", "4", "--jobs", "4", "--engine", "reference")
    outcome = cli("cases", tmp_path, *options)
    details = {c["case"]: c["detail"] for c in outcome.json["cases"]}
    assert details == {
        "golden": "golden.py took longer than 4 s",
        "compare": "compare.py took longer than 4 s",
        "host": "the host code took longer than 4 s",
        "kernel": "@double, launch 1 took longer than 4 s",
    }
