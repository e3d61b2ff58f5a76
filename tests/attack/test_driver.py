"""The driver of attacks sees what goes wrong; the attackers find nothing."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.attack.child import ATTACKERS, Child

BAD = {
    "crashes": ("os.kill(os.getpid(), signal.SIGSEGV)", "SIGSEGV"),
    "hangs": ("time.sleep(60)", "not done after 0.5 s"),
    "raises": ("raise ValueError('not right')", "ValueError: not right"),
    "leaves": ("os._exit(3)", "exit status 3"),
    "leaves_well": ("os._exit(0)", "exit status 0"),
    "killed": ("os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL"),
}


@pytest.mark.parametrize("name", BAD)
def test_an_attempt_that_goes_wrong_is_reported_with_its_seed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    act, said = BAD[name]
    body = f"    if rng.random() == random.Random(7).random():\n        {act}\n"
    text = f"import os, random, signal, time\nSECONDS = 0.5\n\ndef attempt(rng):\n{body}"
    (tmp_path / f"attack_{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    following, report = Child(f"attack_{name}").run(5, 30)
    assert following == 8
    assert report.startswith(f"attack_{name}, seed 7: ")
    assert said in report


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_driver_that_is_ended_says_where_it_was(number: signal.Signals) -> None:
    command = [sys.executable, "-m", "tests.attack", "--only", "copies", "--first", "1000"]
    driver = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    children = Path(f"/proc/{driver.pid}/task/{driver.pid}/children")
    while not (child := children.read_text()) and driver.poll() is None:
        time.sleep(0.01)
    driver.send_signal(number)
    said, _ = driver.communicate(timeout=60)
    assert driver.returncode == 128 + number
    assert re.fullmatch(rf"ended by {number.name} in copies, seed \d+; 0 wrong before\n", said)
    # One that was just being started ends itself when it has nobody to talk to.
    deadline = time.monotonic() + 30
    while (left := Path(f"/proc/{int(child)}").exists()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not left


@pytest.mark.parametrize("name", ATTACKERS)
def test_an_attacker_finds_nothing(name: str) -> None:
    following, report = Child(f"tests.attack.{name}").run(0, 1)
    assert report == ""
    assert following > 0
