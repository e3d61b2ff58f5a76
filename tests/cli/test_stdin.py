"""Kernels from standard input."""

from __future__ import annotations

import io
from types import SimpleNamespace

import pytest

from .conftest import BROKEN, MISMASKED, Cli, store


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch):
    """Puts a text on standard input."""

    def put(text: str) -> None:
        stdin = SimpleNamespace(buffer=io.BytesIO(text.encode()))
        monkeypatch.setattr("sys.stdin", stdin)

    return put


def test_check(cli: Cli, typed):
    typed(store("f32"))
    outcome = cli("check", "-")
    assert (outcome.code, outcome.out, outcome.err) == (
        0,
        "<stdin>: ok, 0 errors, 0 warnings\n",
        "",
    )
    typed(BROKEN)
    outcome = cli("check", "-")
    assert outcome.code == 1
    assert outcome.err.startswith("<stdin>:3:")


def test_check_of_all_targets_reads_it_once(cli: Cli, typed):
    typed(MISMASKED.replace("b16", "b8").replace("64xf32", "256xf8e4m3").replace("f32", "f8e4m3"))
    assert "<stdin>: legal on a5\n" in cli("check", "-", "--all-targets").out


def test_run_and_fmt(cli: Cli, typed):
    typed(store("f32"))
    assert cli("run", "-", "zeros:1", 2, "--expect", "0=arange:1", "--atol", "2").code == 0
    typed(store("f32"))
    formatted = cli("fmt", "-").out
    assert formatted.startswith("// stores one element\n")


def test_none(cli: Cli, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.stdin", None)
    assert cli("check", "-").code == 2
