"""Long bodies are written once and called, and give the same bits as where they stand inline."""

from __future__ import annotations

import numpy as np
import pytest

import ptoscope
from ptoscope import native
from ptoscope.isa.targets import TARGETS
from ptoscope.kernel import Kernel
from ptoscope.sources import parse
from tests.native import large

V, M, U = large.V, large.M, "!pto.vreg<64xi32>"


def fresh(text: str) -> Kernel:
    return Kernel(parse(text, "long.pto", "a5", "manual"), TARGETS["a5"], "manual")


def chain(count: int, mask: str = "%m") -> list[str]:
    """Exponentials of logarithms, one after the other."""
    lines: list[str] = []
    for i in range(0, 2 * count, 2):
        lines.append(f"%v{i + 1} = pto.vexp %v{i}, {mask} : {V}, {M} -> {V}")
        lines.append(f"%v{i + 2} = pto.vln %v{i + 1}, {mask} : {V}, {M} -> {V}")
    return lines


def in_loop(body: list[str], last: str) -> list[str]:
    """The same twice."""
    head = f"%r = scf.for %i = %c0 to %c2 step %c1 iter_args(%v0 = %x0) -> ({V}) {{"
    return [head, *body, f"scf.yield {last} : {V}", "}"]


@pytest.mark.parametrize("loops", [False, True])
def test_a_body_is_written_once_however_often_it_is_used(loops: bool) -> None:
    sizes: list[int] = []
    for count in (2, 3, 12):
        lines, last = chain(count), f"%v{2 * count}"
        text = large.kernel(lines, last)
        if loops:
            text = large.kernel(in_loop(lines, last), "%r").replace("%v0 = pto", "%x0 = pto")
        module = native.lower(fresh(text).function, TARGETS["a5"], "manual")
        both = module.text, module.cold_text
        # Twice: of the row as it was loaded, and of results, whose NaN may be any.
        written = [t.count("call <64 x double> @llvm.roundeven") for t in both]
        assert written == ([2, 0] if loops else [0, 2])
        sizes.append(sum(map(len, both)))
    # Each use more is a few lines.
    assert sizes[2] - sizes[1] < 9 * 2 * 400


def test_one_that_is_used_once_is_not_called() -> None:
    text = large.kernel(chain(1), "%v2")
    module = native.lower(fresh(text).function, TARGETS["a5"], "manual")
    assert "@vexp" not in module.text + module.cold_text


def test_masks_and_pairs_of_results_cross_a_call() -> None:
    """A sum of 64-bit numbers in two halves, thrice, where a mask of a run-time count is set."""
    carry = f"{U}, {M}"
    body = [
        f"%p, %rest = pto.plt_b32 %n : i32 -> {M}, i32",
        f"%a = pto.vbitcast %v0 : {V} -> {U}",
        f"%s0, %c = pto.vaddc %a, %a, %p : {U}, {U}, {M} -> {carry}",
        f"%s1, %d = pto.vaddcs %s0, %a, %c, %p : {U}, {U}, {M}, {M} -> {carry}",
        f"%s2, %e = pto.vaddcs %s1, %a, %d, %p : {U}, {U}, {M}, {M} -> {carry}",
        f"%s3, %g = pto.vaddcs %s2, %a, %e, %p : {U}, {U}, {M}, {M} -> {carry}",
        f"%w = pto.vbitcast %s3 : {U} -> {V}",
    ]
    text = large.kernel(body, "%w")
    module = native.lower(fresh(text).function, TARGETS["a5"], "manual")
    assert module.cold_text.count("define { <64 x i32>, i64 } @vaddcs") == 1
    x = np.random.default_rng(3).integers(0, 1 << 32, 64, np.uint32)
    y = np.zeros(64, np.float32)
    ptoscope.load(text)(x.view(np.float32), y, engine="native")
    total, carried = 2 * x.astype(np.uint64), np.uint64(0)
    expected, carried = total & 0xFFFFFFFF, total >> 32
    for _ in range(3):
        total = expected + x + carried
        expected, carried = total & 0xFFFFFFFF, total >> 32
    expected[5:] = 0
    assert (y.view(np.uint32) == expected).all()


@pytest.mark.parametrize("mask", ["%m", "%p"])
def test_calls_give_the_bits_of_the_reference(mask: str) -> None:
    body = [f"%p, %rest = pto.plt_b32 %n : i32 -> {M}, i32", *chain(3, mask)]
    text = large.kernel(body, "%v6")
    x = np.random.default_rng(1).standard_normal(64).astype(np.float32)
    x[:4] = np.nan, np.inf, -np.inf, 1e30
    results: list[bytes] = []
    for engine in ("reference", "native"):
        y = np.zeros(64, np.float32)
        ptoscope.load(text)(x, y, engine=engine)
        results.append(y.tobytes())
    assert results[0] == results[1]
