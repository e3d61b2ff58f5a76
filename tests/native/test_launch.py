"""Launches: grids on threads, limits, interruption, what is not covered."""

from __future__ import annotations

import inspect
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import ptoscope
from ptoscope import PtoError, UsageError
from ptoscope.native import NotCovered
from ptoscope.native import engine as native_engine
from ptoscope.native.runner import Runner
from ptoscope.native.threads import run_on_thread

EXAMPLES = Path(__file__).parents[2] / "examples"

ENDLESS = """\
func.func @endless() {
  %yes = arith.constant true
  scf.while : () -> () {
    scf.condition(%yes)
  } do {
    scf.yield
  }
  return
}
"""

NESTED = """\
func.func @nested(%n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %m step %c1 {
    }
  }
  return
}
"""

ROWS = """\
func.func @rows(%x: !pto.ptr<i32, gm>, %bad: i64) {
  %c0 = arith.constant 0 : index
  %block = pto.get_block_idx
  %n = pto.get_block_num
  %at = arith.index_cast %block : i64 to index
  %wrong = arith.cmpi sge, %block, %bad : i64
  %far = arith.constant 100000 : index
  %place = arith.select %wrong, %far, %at : index
  %word = arith.trunci %block : i64 to i32
  pto.store_scalar %word, %x[%place] : !pto.ptr<i32, gm>, i32
  return
}
"""


@pytest.mark.parametrize("threads", [1, 2, 3, 16])
def test_the_result_does_not_depend_on_threads(threads: int) -> None:
    kernel = ptoscope.load(EXAMPLES / "double_buffer_flags.pto")
    rng = np.random.default_rng(threads)
    a, b = rng.standard_normal((2, 70_001), dtype=np.float32)
    out = np.zeros_like(a)
    kernel(a, b, out, a.size, grid=11, engine="native", threads=threads)
    assert (out == a + b).all()


def test_blocks_run_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two threads that begin only when both are there."""
    together = threading.Barrier(2, timeout=30)
    begin, met = Runner.begin, []

    def meet(self: Runner, launch: Any) -> None:
        begin(self, launch)
        met.append(together.wait())

    monkeypatch.setattr(Runner, "begin", meet)
    out = np.full(4, -1, "i4")
    ptoscope.load(ROWS)(out, 9, engine="native", threads=2, grid=4)
    assert out.tolist() == [0, 1, 2, 3]
    assert sorted(met) == [0, 1]


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("bad", [0, 5, 36])
def test_the_first_faulty_block_is_reported(bad: int, threads: int) -> None:
    """Whichever thread comes first: as if blocks ran one after the other."""
    kernel = ptoscope.load(ROWS)
    with pytest.raises(PtoError, match=rf"block {bad} of 37"):
        kernel(np.zeros(40, "i4"), bad, grid=37, threads=threads)


def test_other_threads_may_run_while_a_kernel_runs() -> None:
    kernel = ptoscope.load(NESTED)
    kernel(1, 1, engine="native")
    iterations = 0
    worker = threading.Thread(target=lambda: kernel(300_000, 3000, engine="native"))
    worker.start()
    while worker.is_alive() and iterations < 5:
        time.sleep(0.001)
        iterations += 1
    worker.join()
    assert iterations == 5


@pytest.mark.parametrize("limit", [1, 7, 12, 17])
def test_a_limit_of_steps(limit: int) -> None:
    """Three outer iterations of five inner ones are 18; the nineteenth never begins."""
    with pytest.raises(PtoError, match=f"not done after {limit} iterations") as error:
        ptoscope.load(NESTED)(3, 5, max_steps=limit)
    (said,) = error.value.diagnostics
    assert said.code == "PTO0915"
    outer, inner = divmod(limit, 6)
    where = f"(at %i = {outer}, %j = {inner - 1})" if inner else f"(at %i = {outer})"
    assert where in said.message


@pytest.mark.parametrize("limit", [18, 19, 10**9])
def test_a_limit_that_is_enough(limit: int) -> None:
    ptoscope.load(NESTED)(3, 5, max_steps=limit)


@pytest.mark.parametrize("limit", [1, 100_000])
def test_an_endless_kernel_ends_at_its_limit(limit: int) -> None:
    with pytest.raises(PtoError, match=f"iteration {limit} of scf.while"):
        ptoscope.load(ENDLESS)(max_steps=limit)


def test_limits_are_per_block() -> None:
    ptoscope.load(NESTED)(3, 5, max_steps=18, grid=4)


@pytest.mark.parametrize("option", ["grid", "threads", "max_steps"])
@pytest.mark.parametrize("value", [0, -1, 1.5])
def test_numbers_are_at_least_one(option: str, value: float) -> None:
    kernel, options = ptoscope.load(NESTED), cast("dict[str, Any]", {option: value})
    with pytest.raises(UsageError, match=option):
        kernel(1, 1, **options)


TELLING = """\
import sys
from pathlib import Path
from ptoscope.cli.main import main
from ptoscope.machine.walker import Walker
from ptoscope.native.runner import Runner

def telling(run):
    def told(self, *arguments):
        Path("ready").touch()
        return run(self, *arguments)
    return told

Walker.run, Runner.begin = telling(Walker.run), telling(Runner.begin)
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("grid", [1, 3])
@pytest.mark.parametrize("engine", ["native", "reference"])
def test_ctrl_c_ends_an_endless_kernel(tmp_path: Path, engine: str, grid: int) -> None:
    (tmp_path / "k.pto").write_text(ENDLESS)
    running = subprocess.Popen(
        [
            *(sys.executable, "-c", TELLING, "run", "k.pto"),
            *("--engine", engine, "--grid", str(grid), "--save", "out"),
        ],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        # Whatever runs the tests may ignore the signal; the command of a user does not.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        for _ in range(600):
            if (tmp_path / "ready").exists():
                break
            time.sleep(0.1)
        time.sleep(0.5)
        assert running.poll() is None
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=60)
    finally:
        running.kill()
        running.wait()
    assert running.returncode == 130
    assert "Traceback" not in said
    assert not list(tmp_path.glob("out/*"))


def _refuse(*arguments: object) -> None:
    raise NotCovered("it has too many wheels")


def test_what_is_not_covered_runs_elsewhere_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ptoscope.native.compile_program", _refuse)
    text = ROWS.replace("@rows", "@elsewhere")
    out = np.zeros(4, "i4")
    kernel = ptoscope.load(text)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        inspect.unwrap(type(kernel).__call__)(kernel, out, 9, grid=4)
    assert [str(w.message) for w in said] == ["on the reference engine: it has too many wheels"]
    assert out.tolist() == [0, 1, 2, 3]
    with pytest.raises(UsageError, match="cannot run this kernel: it has too many wheels"):
        kernel(out, 9, engine="native")


def test_an_error_outside_of_blocks_is_raised_when_all_threads_have_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Memory for a second core is not there: others may have done their blocks, not all."""
    make, made = Runner.__init__, threading.Event()

    def second_fails(self: Runner, *given: Any) -> None:
        if made.is_set():
            raise MemoryError
        made.set()
        make(self, *given)

    monkeypatch.setattr(Runner, "__init__", second_fails)
    before = threading.active_count()
    kernel = ptoscope.load(ENDLESS)
    with pytest.raises(MemoryError):
        kernel(grid=2, engine="native", threads=2)
    assert threading.active_count() == before


@pytest.mark.parametrize("started", [0, 1, 2])
def test_threads_that_start_do_the_work_of_those_that_cannot(
    started: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = [started]

    def limited(*given: Any) -> None:
        if left[0] == 0:
            raise RuntimeError("can't start new thread")
        left[0] -= 1
        run_on_thread(*given)

    kernel = ptoscope.load(ROWS)
    kernel.engine("native")
    monkeypatch.setattr(native_engine, "run_on_thread", limited)
    x = np.full(100, -1, np.int32)
    # The thread of the caller is one of them.
    with pytest.warns(
        UserWarning, match=f"only {started + 1} of 8 threads could be started: can't"
    ):
        kernel(x, 1000, grid=100, engine="native", threads=8)
    assert (x == np.arange(100)).all()
