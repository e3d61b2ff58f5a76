"""`run --print`: what people and programs see of it, and wrong requests."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from .conftest import Cli

SOFTMAX = str(Path(__file__).parents[2] / "examples" / "row_softmax.pto")
RUN = ("run", SOFTMAX, "arange:3x128", "zeros:3x128", "3")


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_values_memory_and_flags(cli: Cli, engine: str):
    requests = ("--print", "71:%max@%lo=128", "--print=52:ub:0x100..0x10c:f32,39:flags")
    found = cli(*RUN, "--engine", engine, *requests)
    assert (found.code, found.err) == (0, "")
    flags = "PIPE_MTE3->PIPE_V event 0, PIPE_V->PIPE_MTE2 event 0"
    assert found.out.splitlines()[1:4] == [
        f"{SOFTMAX}:39: flags = set: {flags}; held: none",
        f"{SOFTMAX}:52 (at %row = 0): ub:0x100..0x10c:f32 = 64.0 65.0 66.0",
        f"{SOFTMAX}:71 (at %row = 0, %lo = 128): %max = 255.0 x64",
    ]


def test_json(cli: Cli):
    said = cli(*RUN, "--print", "71:%max@2", "--json").json
    assert said["printed"] == [
        {
            "text": "%max = 383.0 x64",
            "values": [383.0] * 64,
            "line": 71,
            "block": 0,
            "iterations": ["%row = 0", "%lo = 256"],
            "calls": [],
            "asked": "71:%max@2",
            "core": "",
        }
    ]
    assert said["prints_left_out"] == 0


def test_what_the_run_never_comes_to(cli: Cli):
    found = cli(*RUN, "--print", "71:%max@99")
    assert found.code == 0
    assert "print 71:%max@99: the run never came to it\n" in found.out
    assert cli(*RUN, "--print", "71:%max@99", "--json").json["printed"] == []


@pytest.mark.parametrize("more", [(), ("--check", "all"), ("--races", "--engine", "native")])
def test_nothing_else_changes(cli: Cli, more: tuple[str, ...]):
    cli(*RUN, *more, "--save", "plain")
    found = cli(
        *RUN, *more, "--save", "looking", "--print", "71:%max,60:%all,104:flags,52:ub:0..64"
    )
    assert found.code == 0
    plain, looking = (cli(*RUN, *more, *p, "--json").json for p in ((), ("--print", "71:%max")))
    for name in ("printed", "prints_left_out"):
        looking.pop(name)
    assert looking == plain
    for name in ("0.npy", "1.npy"):
        one, other = (next(Path(folder).glob(f"*{name}")) for folder in ("plain", "looking"))
        assert np.load(one).tobytes() == np.load(other).tobytes()


def test_a_wrong_request_is_wrong_usage(cli: Cli):
    found = cli(*RUN, "--print", "71:%mox")
    assert (found.code, found.out) == (2, "")
    assert "print 71:%mox: @row_softmax has no value %mox; did you mean '%max'?" in found.err
    assert cli(*RUN, "--print", "71").code == 2
