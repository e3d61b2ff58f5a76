"""Kernels in files, notebooks and other processes; and all that a kernel in Python gives."""

from __future__ import annotations

import copy
import linecache
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ptoscope
from ptoscope import UsageError, ir, pto
from ptoscope.lang.files import import_file
from ptoscope.lang.references import Reference, parse_reference
from tests.cli.python_kernels import AXPY, line_of


@pytest.fixture
def axpy(tmp_path: Path) -> str:
    path = tmp_path / "axpy.py"
    path.write_text(AXPY, "utf-8")
    return str(path)


@pto.kernel
def number(out: pto.gm[pto.i32], n: pto.i32, times: int = 1):
    out[0] = n * times


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("k.pto", None),
        ("func.func @k() {\n  return\n}", None),
        ("k.py", Reference("k.py")),
        ("a/b.py:k", Reference("a/b.py", "k")),
        ("k.py:k:a=1,b=(1, 2)", Reference("k.py", "k", (("a", "1"), ("b", "(1, 2)")))),
        ("k.py:k:a='x,y'", Reference("k.py", "k", (("a", "'x,y'"),))),
    ],
)
def test_references(text: str, found: Reference | None) -> None:
    assert parse_reference(text) == found


@pytest.mark.parametrize("text", ["k.py:", "k.py:1", "k.py:k:a", "k.py:k:=1", "k.py:k:a=1,,"])
def test_wrong_references(text: str) -> None:
    with pytest.raises(UsageError, match=r"write file\.py:kernel"):
        parse_reference(text)


def test_load(axpy: str) -> None:
    x, out = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    for name in (axpy, f"{axpy}:axpy", Path(f"{axpy}:axpy:tile=64")):
        kernel = ptoscope.load(name)
        kernel(x, x, out, 100, 2.0)
        assert (out == 3 * x).all()
        assert kernel.signature.program.file == axpy
    assert ptoscope.load(axpy, target="a2a3", revision="micro").target.name == "a2a3"
    assert ptoscope.load(axpy, entry="axpy").name == "axpy"
    with pytest.raises(UsageError, match="there is no axpi; did you mean 'axpy'"):
        ptoscope.load(f"{axpy}:axpi")


def test_a_file_is_imported_once_and_again_when_it_is_changed(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    text = "from ptoscope import pto\n\n@pto.kernel\ndef k(out: pto.gm[pto.i32]):\n    out[0] = 1\n"
    path.write_text(text)
    first = import_file(str(path))
    assert import_file(str(path)) is first
    path.write_text(text.replace("= 1", "= 2"))
    out = np.zeros(1, np.int32)
    ptoscope.load(path)(out)
    assert out.tolist() == [2]
    # What was imported before is compiled from what it was then.
    assert "constant 1" in first.k.text


def test_the_text_has_lines_of_python_and_reads_as_the_same_program(axpy: str) -> None:
    kernel = import_file(axpy).axpy
    text = kernel.text
    assert f'loc("axpy.py":{line_of("pto.vadd(product")}:28)' in text
    assert axpy not in text
    read = ir.parse(text, "axpy.pto")
    plain = ir.print_module(ir.Module(kernel.kernel.program))
    assert ir.print_module(read) == plain
    assert ir.print_module(ir.parse(plain, "axpy.pto"), locations=True).count('loc("axpy.pto":') > 9
    x, out = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    ptoscope.load(text)(x, x, out, 100, 2.0)
    assert (out == 3 * x).all()


def test_kernels_of_a_file_go_to_other_processes(axpy: str) -> None:
    kernel = import_file(axpy).axpy
    assert copy.copy(kernel) is copy.deepcopy(kernel) is kernel
    for one in (kernel, ptoscope.load(f"{axpy}:axpy:tile=64")):
        code = (
            "import pickle, sys, numpy as np\n"
            "kernel = pickle.loads(sys.stdin.buffer.read())\n"
            "x, out = np.arange(9, dtype=np.float32), np.zeros(9, np.float32)\n"
            "kernel(x, x, out, 9, 2.0)\n"
            "print(out.tolist(), kernel.findings)\n"
        )
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, input=pickle.dumps(one), capture_output=True, check=True)
        assert done.stdout.decode() == f"{[3.0 * k for k in range(9)]} []\n"


def test_kernels_of_modules_pickle_by_their_names() -> None:
    assert pickle.loads(pickle.dumps(number)) is number
    built = pickle.loads(pickle.dumps(number.kernel))
    assert built.program.text == number.kernel.program.text
    assert built.signature.function.span == number.kernel.signature.function.span


def test_what_a_kernel_gives() -> None:
    assert repr(number) == "<kernel number for a5>"
    assert number.findings == number.check("a2a3", times=4) == []
    assert number.signature.function.name == "number"
    body = number.source.tree.body[0].lineno
    assert number.record(pto.empty(1), 5).at(body)["%out_new"] == 5
    assert not number.watch(pto.empty(1), 5, times=2).diagnostics
    assert number(pto.empty(1), 5, times=3).tolist() == [15]


def cell(name: str, text: str) -> Any:
    """What a notebook does with a cell."""
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    scope: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(text, name, "exec"), scope)
    return scope["k"]


def test_a_notebook() -> None:
    text = "from ptoscope import pto\n\n@pto.kernel\ndef k(out: pto.gm[pto.i32]):\n    out[0] = 1\n"
    first = cell("<cell 1>", text)
    assert first(pto.empty(1)).tolist() == [1]
    again = cell("<cell 2>", text.replace("= 1", "= 2"))
    assert again(pto.empty(1)).tolist() == [2]
    same = cell("<cell 1>", text.replace("= 1", "= three"))
    assert [(d.file, d.line, d.code) for d in same.findings] == [("<cell 1>", 5, "PTO1003")]
    assert first(pto.empty(1)).tolist() == [1]
