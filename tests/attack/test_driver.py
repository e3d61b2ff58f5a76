"""The driver of attacks sees what goes wrong; the attackers find nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.attack.child import ATTACKERS, Child

BAD = {
    "crashes": ("os.kill(os.getpid(), signal.SIGSEGV)", "SIGSEGV"),
    "hangs": ("time.sleep(60)", "not done after 0.5 s"),
    "raises": ("raise ValueError('not right')", "ValueError: not right"),
    "leaves": ("os._exit(3)", "exit status 3"),
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


@pytest.mark.parametrize("name", ATTACKERS)
def test_an_attacker_finds_nothing(name: str) -> None:
    following, report = Child(f"tests.attack.{name}").run(0, 1)
    assert report == ""
    assert following > 0
