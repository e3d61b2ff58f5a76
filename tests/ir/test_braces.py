"""A brace that was left open is named, and nothing is said to be wrong because of it."""

from __future__ import annotations

import pytest

from ptoscope import ir
from ptoscope.diagnostics import PtoError

KERNEL = """module {
  func.func @f(%p: !pto.ptr<f32, gm>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %c1 step %c1 {
      scf.for %j = %c0 to %c1 step %c1 {
        %v = pto.load_scalar %p[%j] : !pto.ptr<f32, gm> -> f32
      }
    }
    pto.vecscope {
      %m = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>
    } // behind
    return
  }
  func.func @g() {
    return
  }
}
"""


def findings(text: str) -> list[tuple[str, int, str]]:
    with pytest.raises(PtoError) as raised:
        ir.parse(text)
    return [(d.code, d.line, d.expected) for d in raised.value.diagnostics]


def without(*lines: int) -> str:
    """The kernel with lines left out, their closing braces with them."""
    kept = KERNEL.split("\n")
    return "\n".join(text for number, text in enumerate(kept, 1) if number not in lines)


def test_the_kernel_is_right():
    ir.parse(KERNEL)


@pytest.mark.parametrize(
    ("left_out", "brace", "before"),
    [(8, 6, 8), (9, 5, 9), (12, 10, 12), (14, 2, 14), (17, 15, 17)],
    ids=["inner loop", "outer loop", "vecscope", "function", "last function"],
)
def test_the_brace_left_open_is_named(left_out: int, brace: int, before: int):
    """The line it stands in, and the line before which the other has to stand: where the one
    that was left out stood."""
    assert findings(without(left_out)) == [("PTO0001", brace, f"'}}' before line {before}")]


def test_other_mistakes_are_still_found():
    text = without(12).replace("pto.load_scalar", "pto.load_scaler")
    assert [code for code, *_ in findings(text)] == ["PTO0002", "PTO0001"]


def test_two_braces():
    assert [line for _, line, _ in findings(without(8, 12))] == [6, 9]


def test_many_braces_end():
    """Braces that nobody closes are named a few times; reading ends."""
    text = "module {\n" + "  func.func @f() {\n    return\n}\n" * 400
    assert findings(text)


def test_without_indentation_the_end_of_the_file_is_named():
    text = "\n".join(line.strip() for line in without(12).split("\n"))
    assert ("PTO0001", "'}' for the '{' of line 1") in [(c, e) for c, _, e in findings(text)]
