"""What a person sees of a plain run: prints, values as NumPy has them, a stop in the debugger."""

from __future__ import annotations

import os
import pty
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from ptoscope import pto


@pto.kernel
def talking(x: pto.gm[pto.f32], out: pto.gm[pto.f32], n: pto.i32, a: pto.f32):
    xs = pto.load(x[0:64])
    for i in range(n):
        print("iteration", i, f"{a:.3f} {n:03d} {i}", repr(n))
    with pto.vecscope():
        v = xs[0] * a
        m = v > 2
        print(np.asarray(v)[:3], v.numpy().dtype, np.asarray(m)[:4], len(m.numpy()))
        xs[0, m] = v
    print(np.asarray(xs)[:4], x.numpy()[:2])
    pto.store(out[0:64], xs)


def test_prints_of_a_plain_run(capsys: pytest.CaptureFixture[str]) -> None:
    x = np.arange(64, dtype=np.float32)
    plain, compiled = np.zeros((2, 64), np.float32)
    talking.eager(x, plain, 2, 1.5)
    assert capsys.readouterr().out.splitlines() == [
        "iteration 0 1.500 002 0 i32(2)",
        "iteration 1 1.500 002 1 i32(2)",
        "[0.  1.5 3. ] float32 [False False  True  True] 64",
        "[0.  1.  3.  4.5] [0. 1.]",
    ]
    talking(x, compiled, 2, 1.5)
    assert capsys.readouterr().out == ""
    assert plain.tobytes() == compiled.tobytes()


def test_prints_leave_nothing_in_what_is_compiled() -> None:
    assert "xs" in talking.text
    loads = [line for line in talking.text.splitlines() if "pto.vlds" in line]
    assert len(loads) == 1


@pto.kernel
def kinds(x: pto.gm[pto.bf16], y: pto.gm[pto.i8], out: pto.gm[pto.f32]):
    xs, ys = pto.load(x[0:128]), pto.load(y[0:256])
    with pto.vecscope():
        print(repr(xs[0])[:27], repr(ys[0])[-12:], xs[0])
    small = pto.bf16(0.1)
    yes = out[0] == 0
    print(small, repr(small), f"{small:.2f}", yes, repr(yes), xs.size, out)
    out[0] = 1


def test_values_of_all_kinds(capsys: pytest.CaptureFixture[str]) -> None:
    x = np.ones(128, ml_dtypes.bfloat16)
    kinds.eager(x, np.arange(256).astype(np.int8), np.zeros(2, np.float32))
    out = capsys.readouterr().out
    assert "array([1, 1, 1, 1, 1, 1, 1," in out
    assert "dtype=int8)" in out
    assert "0.1 bf16(0.1) 0.10 True i1(True) 128 [0. 0.]" in out.replace("0.100098", "0.1")


@pto.function
def doubled(v, name):
    w = v + v
    breakpoint()
    return w


@pto.kernel
def stopping(x: pto.gm[pto.f32], out: pto.gm[pto.f32], n: pto.i32):
    total = 0.5
    for i in range(n):
        total = doubled(total, "inner")
        if i == 1:
            breakpoint()
    out[0] = total


def _line(text: str, skip: int = 0) -> int:
    lines = Path(__file__).read_text("utf-8").splitlines()
    return [number for number, line in enumerate(lines, 1) if line.strip() == text][skip]


def test_breakpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    stops: list[tuple[str, str, int, dict[str, str]]] = []

    def stop() -> None:
        frame = sys._getframe(1)
        shown = {name: repr(value) for name, value in frame.f_locals.items()}
        code = frame.f_code
        stops.append((code.co_filename, code.co_name, frame.f_lineno, shown))

    monkeypatch.setattr(sys, "breakpointhook", stop)
    out = np.zeros(1, np.float32)
    stopping(np.zeros(1, np.float32), out, 2)
    assert not stops
    stopping.eager(np.zeros(1, np.float32), out, 2)
    assert out[0] == 2
    inner, first = _line("breakpoint()"), _line("breakpoint()", 1)
    assert [(name, line) for _, name, line, _ in stops] == [
        ("doubled", inner),
        ("doubled", inner),
        ("stopping", first),
    ]
    assert {file for file, *_ in stops} == {__file__}
    assert stops[0][3] == {"v": "f32(0.5)", "name": "'inner'", "w": "f32(1.0)"}
    assert stops[2][3] == {
        "x": "array([0.], dtype=float32)",
        "out": "array([2.], dtype=float32)",
        "n": "i32(2)",
        "total": "f32(2.0)",
        "i": "index(1)",
    }


def test_the_debugger_shows_the_source(tmp_path: Path) -> None:
    file = tmp_path / "stops.py"
    file.write_text(
        "import numpy as np\n"
        "from ptoscope import pto\n\n"
        "@pto.kernel\n"
        "def sums(out: pto.gm[pto.i32], n: pto.i32):\n"
        "    total = pto.i32(0)\n"
        "    for i in range(n):\n"
        "        breakpoint()\n"
        "        total = total + 5\n"
        "    out[0] = total\n\n"
        "print('gave', sums.eager(pto.empty(1), 2))\n"
    )
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, str(file)])
    with os.fdopen(terminal, "rb+", buffering=0) as talk:
        talk.write(b"p total\nn\nc\np i, total\nc\n")
        told = b""
        try:
            while piece := talk.read(4096):
                told += piece
        except OSError:
            # The other end has closed.
            pass
    os.waitpid(child, 0)
    text = told.decode()
    assert f"{file}(9)sums()" in text
    assert "-> total = total + 5" in text
    assert "i32(0)" in text
    assert "(index(1), i32(5))" in text
    assert "gave [10]" in text
