"""How many blocks a target launches: what it cannot launch is refused before anything runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ptoscope
from ptoscope import UsageError
from ptoscope.machine.try_schedules import try_schedules
from tests.cli.python_kernels import AXPY
from tests.cli.test_process import on_a_terminal

COUNT = """func.func @count(%y: !pto.ptr<i64, gm>) {
  %c0 = arith.constant 0 : index
  %n = pto.get_block_num
  pto.store_scalar %n, %y[%c0] : !pto.ptr<i64, gm>, i64
  return
}
"""
MOST = 65535
"""The greatest blockDim of CANN's page SetBlockDim, for A2/A3 and A5."""


def counted(grid: int, target: str, **options: Any) -> int:
    """Gives what the last block stored."""
    y = np.zeros(1, np.int64)
    ptoscope.load(COUNT, target=target)(y, grid=grid, **options)
    return int(y[0])


@pytest.mark.parametrize("target", ["a5", "a2a3"])
def test_a_device_launches_65535_blocks(target: str) -> None:
    assert counted(MOST, target) == MOST
    with pytest.raises(UsageError, match=f"{target} launches at most {MOST} blocks"):
        counted(MOST + 1, target)


def test_the_simulation_on_a_cpu_has_no_bound() -> None:
    assert counted(MOST + 1, "cpu") == MOST + 1


def test_every_way_to_run_refuses_them() -> None:
    kernel, y = ptoscope.load(COUNT), np.zeros(1, np.int64)
    ways: list[Any] = [
        lambda: kernel(y, grid=10**9),
        lambda: kernel(y, grid=10**9, engine="reference"),
        lambda: kernel.time(y, grid=10**9),
        lambda: kernel.record(y, grid=10**9),
        lambda: kernel.watch(y, grid=10**9, poison=False),
        lambda: kernel.watch(y, grid=10**9, races=False),
        lambda: try_schedules(kernel, [y], 10**9),
    ]
    for run in ways:
        with pytest.raises(UsageError, match="a5 launches at most 65535 blocks"):
            run()
    assert y[0] == 0


def test_a_kernel_in_python_refuses_them(tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(AXPY)
    from ptoscope.lang.files import import_file

    axpy = import_file(str(tmp_path / "k.py")).axpy
    x = np.ones(64, np.float32)
    for run in (axpy, axpy.eager):
        with pytest.raises(UsageError, match="a5 launches at most 65535 blocks"):
            run(x, x, x.copy(), 64, 2.0, grid=10**9)


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_a_run_says_how_far_it_is(engine: str) -> None:
    kernel = ptoscope.load(COUNT)
    asked: list[Any] = []
    kernel.follow = asked.append
    kernel(np.zeros(1, np.int64), grid=40, engine=engine)
    (begun,) = asked
    assert begun() == 40


def test_a_long_run_has_a_bar(tmp_path: Path) -> None:
    """The run takes some seconds; a short one has no bar."""
    (tmp_path / "k.pto").write_text(COUNT)
    argv = ["run", str(tmp_path / "k.pto"), "zeros:1", "--engine", "reference", "--grid"]
    assert "blocks" in on_a_terminal([*argv, "40000"]).split("@count")[0]
    assert "blocks" not in on_a_terminal([*argv, "2"]).split("@count")[0]
