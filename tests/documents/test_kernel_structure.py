"""The load/store document's typical kernel, completed by definitions alone."""

from __future__ import annotations

import numpy as np
import pytest

from tests.documents.harness import ROOT, assert_same, blank, floats, run

KERNEL = (ROOT / "examples" / "abs_kernel.pto").read_text(encoding="utf-8")
# The document leaves the types of the UB pointers open as well: both ways must do.
CAST = ": i64 -> !pto.ptr\n"
MARKS = ("    // added >>>\n", "    // <<< added\n")


@pytest.mark.parametrize("target", [None, "cpu", "a2a3", "a5"])
@pytest.mark.parametrize("pointer", ["!pto.ptr", "!pto.ptr<f32, ub>"])
def test_absolute_values(target: str | None, pointer: str) -> None:
    assert KERNEL.count(CAST) == 2
    source, dst, expected = floats(1, 1024), blank(shape=1024), blank(shape=1024)
    run(KERNEL.replace(CAST, f": i64 -> {pointer}\n"), source, dst, target=target)
    for i in range(1024):
        magnitude = int(source.view(np.uint32)[i]) & 0x7FFFFFFF
        expected.view(np.uint32)[i] = magnitude
    assert_same(dst, expected)


def test_the_example_adds_only_definitions() -> None:
    """The document's kernel has five steps; none of their instructions is among the added."""
    before, _, rest = KERNEL.partition(MARKS[0])
    added, _, after = rest.partition(MARKS[1])
    assert all(line.strip().startswith("%") for line in added.splitlines())
    assert "pto." not in before[before.index("func.func") :].replace("!pto.ptr", "")
    steps = ("copy_gm_to_ubuf", "set_flag", "vecscope", "set_flag", "copy_ubuf_to_gm", "barrier")
    at = 0
    for step in steps:
        at = after.index(f"pto.{step}", at) + 1
