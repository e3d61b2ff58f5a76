"""Wrong Python: every kind with all that is said of it; and the examples of the catalogue."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from ptoscope import PtoError
from ptoscope.check import catalogue
from ptoscope.cli.explain import findings
from ptoscope.lang.files import import_file, kernels

HEAD = """from ptoscope import pto

def plain(v):
    return v


@pto.function
def endless(n):
    return endless(n)


@pto.kernel
"""

KINDS = {
    "break": (
        """
        def k(out: pto.gm[pto.i32], n: pto.i32):
            for i in range(n):
                break
        """,
        """
        k.py:15:9: error[PTO1001]: a kernel has no break
          15 |         break
             |         ^^^^^
          hint: let the condition of a while say when it ends
        """,
    ),
    "continue": (
        """
        def k(out: pto.gm[pto.i32], n: pto.i32):
            for i in range(n):
                continue
        """,
        """
        k.py:15:9: error[PTO1001]: a kernel has no continue
          15 |         continue
             |         ^^^^^^^^
          hint: put the rest of the body under an if
        """,
    ),
    "return in a loop": (
        """
        def k(out: pto.gm[pto.i32], n: pto.i32):
            for i in range(n):
                return
        """,
        """
        k.py:15:9: error[PTO1001]: a kernel has no return inside a loop or branch of a run
          15 |         return
             |         ^^^^^^
          hint: return at the end; give a name the value before
        """,
    ),
    "try": (
        """
        def k(out: pto.gm[pto.i32]):
            try:
                out[0] = 1
            except ValueError:
                pass
        """,
        """
        k.py:14:5: error[PTO1001]: a kernel has no try
          14 |     try:
             |     ^^^^
          hint: nothing is raised while a kernel runs; pto.trap() stops a run
        """,
    ),
    "lambda": (
        """
        def k(out: pto.gm[pto.i32]):
            f = lambda x: x + 1
            out[0] = f(1)
        """,
        """
        k.py:14:9: error[PTO1001]: a kernel has no lambda
          14 |     f = lambda x: x + 1
             |         ^^^^^^^^^^^^^^^
          hint: define a function outside, under @pto.function
        """,
    ),
    "unknown name": (
        """
        def k(out: pto.gm[pto.i32], count: pto.i32):
            out[0] = coutn
        """,
        """
        k.py:14:14: error[PTO1003]: 'coutn' is not defined
          14 |     out[0] = coutn
             |              ^^^^^
          found: coutn
          hint: did you mean 'count'?
        """,
    ),
    "unknown instruction": (
        """
        def k(x: pto.gm[pto.f32]):
            xs = pto.load(x[0:64])
            with pto.vecscope():
                xs[0] = pto.vabss(xs[0])
        """,
        """
        k.py:16:17: error[PTO1003]: pto has no 'vabss'
          16 |         xs[0] = pto.vabss(xs[0])
             |                 ^^^^^^^^^
          found: vabss
          hint: did you mean 'vabs'?
        """,
    ),
    "type change in a loop": (
        """
        def k(out: pto.gm[pto.f32], n: pto.i32):
            total = n
            for i in range(n):
                total = pto.f32(total)
            out[0] = total
        """,
        """
        k.py:15:5: error[PTO1004]: 'total' changes its type in the loop
          15 |     for i in range(n):
             |     ^^^^^^^^^^^^^^^^^^
          found: a value of type i32 before, a value of type f32 after an iteration
          expected: one type
          hint: convert it before the loop, or give it another name
        """,
    ),
    "branches of different types": (
        """
        def k(out: pto.gm[pto.f32], n: pto.i32, a: pto.f32):
            if n > 0:
                v = n
            else:
                v = a
            out[0] = v
        """,
        """
        k.py:14:5: error[PTO1004]: 'v' has different types after the two branches
          14 |     if n > 0:
             |     ^^^^^^^^^
          found: a value of type i32, a value of type f32
          expected: one type
          hint: convert one of them, or give them two names
        """,
    ),
    "call of a plain function": (
        """
        def k(out: pto.gm[pto.i32], n: pto.i32):
            out[0] = plain(n)
        """,
        """
        k.py:14:14: error[PTO1001]: a kernel has no call of plain with values of a run
          14 |     out[0] = plain(n)
             |              ^^^^^^^^
          hint: put @pto.function before def plain, or use instructions of pto
        """,
    ),
    "vector behind its vecscope": (
        """
        def k(x: pto.gm[pto.f32]):
            xs = pto.load(x[0:64])
            with pto.vecscope():
                v = xs[0]
            xs[0] = v
        """,
        """
        k.py:17:13: error[PTO1003]: 'v' has no value here
          17 |     xs[0] = v
             |             ^
          found: v
          hint: a vecscope gives nothing back: store it to UB, or use it inside
        """,
    ),
    "float //": (
        """
        def k(out: pto.gm[pto.f32], a: pto.f32):
            out[0] = a // 2.0
        """,
        """
        k.py:14:14: error[PTO1002]: '//' is not defined for scalars of type f32
          14 |     out[0] = a // 2.0
             |              ^^^^^^^^
          found: f32 // f32
          expected: whole numbers
        """,
    ),
    "attribute that is assigned": (
        """
        def k(out: pto.gm[pto.i32], n: pto.i32):
            out.size = n
        """,
        """
        k.py:14:5: error[PTO1001]: a kernel has no attribute that is assigned
          14 |     out.size = n
             |     ^^^^^^^^
          hint: names and elements of arrays are assigned: n = 1, out[0] = n
        """,
    ),
    "nested def": (
        """
        def k(out: pto.gm[pto.i32]):
            def one():
                return 1
            out[0] = one()
        """,
        """
        k.py:14:5: error[PTO1001]: a kernel has no def inside
          14 |     def one():
             |     ^^^^^^^^^^
          hint: define it outside, under @pto.function
        """,
    ),
    "while True": (
        """
        def k(out: pto.gm[pto.i32]):
            while True:
                out[0] = 1
        """,
        """
        k.py:14:11: error[PTO1001]: a kernel has no while with a fixed condition
          14 |     while True:
             |           ^^^^
          hint: the condition has to depend on values of a run
        """,
    ),
    "wrong annotation": (
        """
        def k(out: pto.gm[pto.i32], n: dict):
            out[0] = 1
        """,
        """
        k.py:13:29: error[PTO1007]: what the parameter 'n' is, is not said
          13 | def k(out: pto.gm[pto.i32], n: dict):
             |                             ^^^^^^^
          found: <class 'dict'>
          expected: pto.gm[pto.f32], pto.i32, pto.f32, ... or pto.static
        """,
    ),
    "size that a run decides": (
        """
        def k(x: pto.gm[pto.f32], n: pto.i32):
            for t in pto.tiles(n, n):
                pass
        """,
        """
        k.py:14:14: error[PTO1002]: a value of type i32 is no size of a tile
          14 |     for t in pto.tiles(n, n):
             |              ^^^^^^^^^^^^^^^
          expected: a number above 0 that is known when the kernel is compiled
        """,
    ),
    "recursion": (
        """
        def k(out: pto.gm[pto.i32], n: pto.i32):
            out[0] = endless(n)
        """,
        """
        k.py:9:12: error[PTO1001]: endless calls itself without end
          9 |     return endless(n)
            |            ^^^^^^^^^^
          hint: the number of calls has to be known when the kernel is compiled
        """,
    ),
    "unhashable": (
        """
        def k(out: pto.gm[pto.i32]):
            out[0] = {[1]: 2}[1]
        """,
        """
        k.py:14:14: error[PTO1005]: TypeError: unhashable type: 'list'
          14 |     out[0] = {[1]: 2}[1]
             |              ^^^^^^^^
          hint: this is computed while the kernel is compiled
        """,
    ),
}


@pytest.mark.parametrize("name", KINDS)
def test_wrong_python(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, expected = (textwrap.dedent(text).strip() for text in KINDS[name])
    monkeypatch.chdir(tmp_path)
    Path("k.py").write_text(f"{HEAD}{source}\n", "utf-8")
    with pytest.raises(PtoError) as raised:
        import_file("k.py").k.on()
    (found,) = raised.value.diagnostics
    assert str(found) == expected


def test_a_kernel_without_a_source() -> None:
    scope: dict[str, object] = {}
    exec("from ptoscope import pto\n@pto.kernel\ndef k(out: pto.gm[pto.i32]):\n  pass\n", scope)
    found = scope["k"].findings  # type: ignore[attr-defined]
    assert [d.code for d in found] == ["PTO1006"]
    assert found[0].message == "the source of k cannot be read"


EXAMPLES = [code for code in catalogue.PYTHON if code not in catalogue.NO_EXAMPLE]


@pytest.mark.parametrize("code", EXAMPLES)
def test_the_bad_example_is_reported_where_it_says(code: str) -> None:
    entry = catalogue.entry(code)
    found = findings(entry)
    assert [(d.line, d.code) for d in found] == [(e.line, code) for e in entry.expected]
    for one, expected in zip(found, entry.expected, strict=True):
        assert expected.words in f"{one.message} {one.found}"
        assert one.file == "bad.py"
        assert one.source_line
        assert one.column


@pytest.mark.parametrize("code", EXAMPLES)
def test_the_fixed_twin_compiles_and_is_clean(code: str, tmp_path: Path) -> None:
    path = tmp_path / "fixed.py"
    path.write_text(catalogue.entry(code).fixed, "utf-8")
    (kernel,) = kernels(import_file(str(path))).values()
    assert kernel.check() == []
