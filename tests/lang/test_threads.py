"""Kernels in Python that several threads call, or load, for the first time at once."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ptoscope
from ptoscope import pto
from ptoscope.lang import kernel as lang_kernel
from ptoscope.lang.files import import_file
from tests.native.test_first_calls import slowed
from tests.test_once import Slow, at_once, forks, several_threads_may_fork, status_of_fork


def _multiple() -> Any:
    @pto.kernel
    def multiple(out: pto.gm[pto.i32], n: pto.i32, times: int = 1):
        pto.print("n %d", n)
        out[0] = n * times

    return multiple


def test_threads_compile_one_variant_once(monkeypatch: pytest.MonkeyPatch) -> None:
    built = slowed(monkeypatch, lang_kernel, "compile_function")
    kernel, sent = _multiple(), iter(range(6))

    def call() -> bool:
        out, n = np.zeros(1, np.int32), next(sent)
        times = 1 + n % 2
        kernel(out, n, times, engine="native")
        printed = [one.text for one in kernel.on(times=times).printed]
        return out[0] == n * times and printed == [f"n {n}"]

    assert at_once(call) == [True] * 6
    assert built.count == 2


def test_threads_run_one_kernel_as_plain_python() -> None:
    kernel, sent, called = _multiple(), iter(range(6)), threading.Barrier(6)

    def call() -> tuple[int, int, list[str]]:
        out, n = np.zeros(1, np.int32), next(sent)
        kernel.eager(out, n)
        called.wait(30)
        return n, int(out[0]), [one.text for one in kernel.kernel.printed]

    assert sorted(at_once(call)) == [(n, n, [f"n {n}"]) for n in range(6)]


COUNTED = """\
import builtins
from ptoscope import pto

builtins.slow.make()
print("imported")

@pto.kernel
def one(out: pto.gm[pto.i32]):
    out[0] = 1
"""


def test_threads_import_a_file_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path, slow, printing = tmp_path / "one.py", Slow(), sys.stdout
    path.write_text(COUNTED, "utf-8")
    monkeypatch.setattr("builtins.slow", slow, raising=False)
    found = at_once(lambda: import_file(str(path)))
    assert (len(found), len(set(map(id, found))), slow.count) == (6, 1, 1)
    assert sys.stdout is printing
    assert str(tmp_path) not in sys.path
    assert capsys.readouterr() == ("", "imported\n")
    out = np.zeros(1, np.int32)
    ptoscope.load(f"{path}:one")(out)
    assert out[0] == 1


@forks
@several_threads_may_fork
def test_a_fork_while_another_thread_imports_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, forked = threading.Event(), threading.Event()

    class Waits:
        def make(self) -> None:
            begun.set()
            assert forked.wait(30)

    slow, quick = tmp_path / "slow.py", tmp_path / "quick.py"
    slow.write_text(COUNTED, "utf-8")
    quick.write_text("import ptoscope\n", "utf-8")
    monkeypatch.setattr("builtins.slow", Waits(), raising=False)
    thread = threading.Thread(target=import_file, args=(str(slow),))
    thread.start()
    assert begun.wait(30)
    # It may take as long as it likes: no fork waits for what a file does.
    status = status_of_fork(lambda: import_file(str(quick)) or os._exit(1))
    forked.set()
    thread.join()
    assert status == 0
