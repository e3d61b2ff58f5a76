"""A process whose first calls are made by several threads at once.

`python -m tests.attack.cold TASKS [fork]`: one word of letters for each thread, by commas; each
letter is a task. Every result has its expected value from a formula. With `fork`, the process forks
while the threads run, and the new one does all tasks by itself.
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import ptoscope
from ptoscope import pto
from tests.native.test_first_calls import TEXT

_ROOT = Path(__file__).parents[2]
_ADD = (_ROOT / "examples" / "vector_add.pto").read_text("utf-8")
_LARGE = 1 << 18
_SMALL = 100


@pto.function
def _twice(value):
    return value + value


@pto.kernel
def double(x: pto.gm[pto.f32], y: pto.gm[pto.f32], n: pto.i32, times: int = 1):
    """y = 2 * times * x."""
    for t in pto.tiles(n, 512, stages=2):
        xs = pto.load(x[t])
        ys = pto.ub(pto.f32, 512)
        with pto.vecscope():
            for i, m in pto.lanes(xs):
                ys[i, m] = _twice(xs[i]) * float(times)
        pto.store(y[t], ys[: t.count])


class Tasks:
    """The tasks, and kernels that all threads share and none has called yet."""

    def __init__(self) -> None:
        self._add = ptoscope.load(_ADD)
        self._write = ptoscope.load(TEXT)
        self._product = ptoscope.load(_ROOT / "examples" / "matmul.pto")

    def run(self, task: str, thread: int) -> None:
        """Does one task; AssertionError for a wrong result."""
        _DO[task](self, thread)

    def same(self, thread: int) -> None:
        """The kernel of all threads."""
        _sum(self._add, _SMALL, thread)

    def own(self, thread: int) -> None:
        """A kernel of this thread alone, read and compiled now, and let go of."""
        _sum(ptoscope.load(_ADD.replace("@vector_add", f"@add_{thread}")), _SMALL, thread)

    def large(self, thread: int) -> None:
        """Arrays for which the kernel is compiled again."""
        _sum(self._add, _LARGE, thread)

    def python(self, thread: int) -> None:
        """A kernel in Python, with two values of its fixed parameter."""
        for times in (1, 3):
            x = np.full(_SMALL, thread, np.float32)
            y = np.zeros_like(x)
            double(x, y, _SMALL, times)
            assert (y == 2 * times * thread).all(), (thread, times, y)

    def product(self, thread: int) -> None:
        """Products on the matrix unit, in several blocks."""
        a = np.full((20, 30), thread, np.float16)
        c = np.zeros((20, 40), np.float32)
        self._product(a, np.ones((30, 40), np.float16), c, 20, 40, 30, grid=2)
        assert (c == 30 * thread).all(), (thread, c)

    def told(self, thread: int, engine: str = "native") -> None:
        """Prints and warnings are those of this thread's own call."""
        out = np.zeros(1, np.int32)
        self._write(out, thread, engine=engine)
        assert [one.text for one in self._write.printed] == [f"n {thread}"]
        assert len(self._write.warnings) == (thread == 3)
        assert out[0] == thread

    def reference(self, thread: int) -> None:
        """Prints and warnings on the reference engine."""
        self.told(thread, "reference")

    def cycles(self, thread: int) -> None:
        """The cycles of a run, which functions of the native engine count."""
        x = np.full(_SMALL, thread, np.float32)
        assert self._add.time(x, x, np.zeros_like(x), _SMALL).total_cycles > 0

    def watch(self, thread: int) -> None:
        """A watched run, which finds nothing."""
        x = np.full(_SMALL, thread, np.float32)
        assert self._add.watch(x, x, np.zeros_like(x), _SMALL, schedules=1).diagnostics == []

    def fault(self, thread: int) -> None:
        """A fault, which reads the program again."""
        x = np.full(8, thread, np.float32)
        with pytest.raises(ptoscope.PtoError, match=r"error\[PTO0902\].* reads element 8 of %a"):
            self._add(x, x, np.zeros_like(x), _SMALL, engine="native")


_DO = {
    "s": Tasks.same,
    "o": Tasks.own,
    "l": Tasks.large,
    "p": Tasks.python,
    "m": Tasks.product,
    "t": Tasks.told,
    "r": Tasks.reference,
    "c": Tasks.cycles,
    "w": Tasks.watch,
    "f": Tasks.fault,
}
LETTERS = "".join(_DO)


def _sum(kernel: ptoscope.Kernel, count: int, thread: int) -> None:
    a, b = np.full(count, thread, np.float32), np.arange(count, dtype=np.float32)
    out = np.zeros_like(a)
    kernel(a, b, out, count)
    assert (out == a + b).all(), (thread, count)


def main(words: list[str], fork: bool) -> int:
    """Exit status 0 if each thread, and the forked process, did all its tasks."""
    tasks = Tasks()
    together = threading.Barrier(len(words) + 1)
    done: list[int] = []

    def run(thread: int) -> None:
        together.wait()
        for task in words[thread]:
            tasks.run(task, thread)
        done.append(thread)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(len(words))]
    for thread in threads:
        thread.start()
    together.wait()
    status = 0
    if fork:
        child = os.fork()
        if child == 0:
            try:
                for task in sorted(set("".join(words))):
                    tasks.run(task, 3)
                os._exit(0)
            finally:
                os._exit(1)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    for thread in threads:
        thread.join()
    if status or len(done) != len(words):
        print(f"{sorted(done)} of {len(words)} threads did their tasks; the fork: {status}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1].split(","), "fork" in sys.argv[2:]))
