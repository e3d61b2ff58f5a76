"""First calls by several threads at once: one compilation, results of their own, and forks that
do not hang.

Where a whole process has to be new, its code is a text here, run by another interpreter.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import ptoscope
from ptoscope import native
from ptoscope.native import Compiled
from ptoscope.native.subset.compiled import CompiledFunction
from tests.test_once import Slow, at_once, forks

TEXT = """\
func.func @write(%out: !pto.ptr<i32, gm>, %n: i32) {
  %i = arith.constant 0 : index
  pto.store_scalar %n, %out[%i] : !pto.ptr<i32, gm>, i32
  pto.print ins("n %d", %n : i32)
  %three = arith.constant 3 : i32
  %leaves = arith.cmpi eq, %n, %three : i32
  scf.if %leaves {
    pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID3"]
  }
  return
}
"""
ADD = Path(__file__).parents[2] / "examples" / "vector_add.pto"
LARGE = 1 << 18


def slowed(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> Slow:
    """Counts the calls of a function and lets other threads run during each of them."""
    slow, real = Slow(), getattr(owner, name)

    def call(*given: Any) -> Any:
        slow.make()
        return real(*given)

    monkeypatch.setattr(owner, name, call)
    return slow


def test_threads_compile_one_kernel_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = slowed(monkeypatch, native, "compile_program")
    kernel = ptoscope.load(TEXT)
    sent = iter(range(6))

    def call() -> bool:
        out, n = np.zeros(1, np.int32), next(sent)
        kernel(out, n, engine="native")
        return out[0] == n

    assert at_once(call) == [True] * 6
    assert compiled.count == 1


def test_threads_compile_once_for_large_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = ptoscope.load(ADD)

    def call() -> bool:
        a, out = np.ones(LARGE, np.float32), np.zeros(LARGE, np.float32)
        kernel(a, a, out, LARGE, engine="native")
        return bool((out == 2).all())

    kernel.engine("native")
    compiled = slowed(monkeypatch, native, "compile_program")
    assert at_once(call) == [True] * 6
    assert compiled.count == 1


def test_a_kernel_that_is_too_long_for_large_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = ptoscope.load(ADD)
    kernel.engine("native")
    slow = Slow()

    def refuse(*_: Any) -> Compiled:
        slow.make()
        raise native.NotCovered("it has too much code")

    monkeypatch.setattr(native, "compile_program", refuse)

    def call() -> bool:
        a, out = np.ones(LARGE, np.float32), np.zeros(LARGE, np.float32)
        kernel(a, a, out, LARGE, engine="native")
        return bool((out == 2).all())

    assert at_once(call) == [True] * 6
    assert slow.count == 1


def test_threads_compile_a_function_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def twice(n: int) -> int:
        return n + n

    monkeypatch.setattr(sys.modules[__name__], "twice", twice, raising=False)
    function: Any = CompiledFunction(twice)
    linked = slowed(monkeypatch, native._jit(), "linked")
    assert at_once(lambda: function(21)) == [42] * 6
    assert linked.count == 1


def test_threads_make_one_traced_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = ptoscope.load(ADD)
    assembled = slowed(monkeypatch, native, "assemble")
    given = np.ones(64, np.float32), np.ones(64, np.float32), np.zeros(64, np.float32), 64
    cycles = at_once(lambda: kernel.time(*(np.copy(g) for g in given[:3]), 64).total_cycles)
    assert len(set(cycles)) == 1
    assert assembled.count == 1


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_each_thread_sees_its_own_last_call(engine: str) -> None:
    kernel = ptoscope.load(TEXT)
    sent, called = iter(range(6)), threading.Barrier(6)

    def call() -> tuple[int, list[str], int]:
        n = next(sent)
        kernel(np.zeros(1, np.int32), n, engine=engine)
        called.wait(30)
        return n, [one.text for one in kernel.printed], len(kernel.warnings)

    assert sorted(at_once(call)) == [(n, [f"n {n}"], int(n == 3)) for n in range(6)]
    assert (kernel.printed, kernel.warnings, kernel.prints_left_out) == ([], [], 0)


def test_each_thread_gets_the_prints_that_it_asks_for() -> None:
    kernel = ptoscope.load(ADD)
    line = 1 + next(i for i, row in enumerate(kernel.program.text.split("\n")) if "%c0 =" in row)
    wanted = iter(["%c0", "flags"] * 3)

    def call() -> bool:
        request = next(wanted)
        a = np.ones(64, np.float32)
        for _ in range(5):
            kernel(a, a, np.zeros_like(a), 64, engine="native", print=[f"{line}:{request}"])
            if {one.asked for one in kernel.printed} != {f"{line}:{request}"}:
                return False
        return True

    assert at_once(call) == [True] * 6


COLD = """\
import sys, threading, time
import numpy as np
import ptoscope
from ptoscope.native import jit
from tests.native.test_first_calls import TEXT

linked, count = jit.linked, []
def slow(objects, exports, imports):
    count.append(sorted(exports))
    time.sleep(0.2)
    return linked(objects, exports, imports)
jit.linked = slow
together = threading.Barrier(6)
def call(n):
    kernel = ptoscope.load(TEXT.replace("@write", f"@write{n if sys.argv[1] == 'own' else 0}"))
    together.wait()
    for _ in range(20):
        out = np.zeros(1, np.int32)
        kernel(out, n, engine="native")
        assert out[0] == n, (out, n)
threads = [threading.Thread(target=call, args=(n,)) for n in range(6)]
for one in threads: one.start()
for one in threads: one.join()
print(sum(exports != ["main"] for exports in count))
"""

FORK = """\
import os, sys, threading
import llvmlite.binding as llvm
import numpy as np
import ptoscope
from pathlib import Path
from types import ModuleType
from ptoscope.native import jit
from tests.native.test_first_calls import TEXT

place, how, folder = sys.argv[1:]
kernel = ptoscope.load(TEXT)
inside, forked, armed = threading.Event(), threading.Event(), threading.Event()

def call(kernel=kernel):
    out = np.zeros(1, np.int32)
    kernel(out, 5, engine="native")
    assert out[0] == 5
def pause(*_):
    # A process that forks now does so while this thread holds a lock.
    if armed.is_set() and threading.current_thread() is thread and not inside.is_set():
        inside.set()
        forked.wait(1)
def work():
    if place == "free":
        kept = jit.object_code("define i32 @main() { ret i32 0 }", quickly=True)
        library = jit.linked((kept,), ("main",), {})
        armed.set()
        del library
    else:
        armed.set()
        call()
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "ptoscope.native.compile":
            pause()
if place == "import":
    sys.meta_path.insert(0, Finder())
else:
    llvm.ffi.register_lock_callback(pause, lambda: None)
thread = threading.Thread(target=work)
thread.start()
assert inside.wait(60)
if how == "script":
    from ptoscope.cases.run.script import run_script
    script = Path(folder, "script.py")
    script.write_text("import __main__ as m, numpy, ptoscope\\n"
        "from tests.native.test_first_calls import TEXT\\n"
        "out = numpy.zeros(1, numpy.int32)\\n"
        "ptoscope.load(TEXT)(out, 5, engine='native')\\n"
        "assert out[0] == 5\\n")
    ending = run_script(script, Path(folder), Path(folder, "log"))
    forked.set()
    assert ending.ok, (ending, ending.output)
else:
    child = os.fork()
    if child == 0:
        call()
        os._exit(0)
    forked.set()
    assert os.waitpid(child, 0)[1] == 0
thread.join()
"""


def run_cold(text: str, *words: str, cache: str = "", seconds: float = 120) -> str:
    """Returns the output of a new interpreter. It fails, with all it started, if it hangs."""
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", text, *words],
        env={**os.environ, "PTOSCOPE_CACHE": cache},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        said, _ = process.communicate(timeout=seconds)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    assert process.returncode == 0, (process.returncode, said)
    return said


@pytest.mark.parametrize("kept", [False, True], ids=["no cache", "cache"])
@pytest.mark.parametrize("whose", ["own", "same"])
def test_the_first_calls_of_a_process_are_of_threads(
    whose: str, kept: bool, tmp_path: Path
) -> None:
    cache = str(tmp_path) if kept else ""
    for _ in range(1 + kept):
        # One library beside those of kernels: the runtime.
        assert run_cold(COLD, whose, cache=cache) == "1\n"


@forks
@pytest.mark.parametrize("how", ["fork", "script"])
@pytest.mark.parametrize("place", ["llvm", "import", "free"])
def test_a_fork_while_another_thread_compiles(place: str, how: str, tmp_path: Path) -> None:
    run_cold(FORK, place, how, str(tmp_path), seconds=60)


def test_a_call_while_another_thread_imports_masked_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel, out = ptoscope.load(TEXT), np.zeros(1, np.int32)
    monkeypatch.setitem(sys.modules, "numpy.ma", ModuleType("numpy.ma"))
    kernel(out, 7, engine="native")
    assert out[0] == 7
