"""Moves by keys and by buttons go where the moves of a recorded run go."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import ptoscope
from tests.browser import kernels
from tests.browser.conftest import Open

VREG, PTR = "!pto.vreg<64xf32>", "!pto.ptr<f32, ub>"


def says(page: Page, shown: kernels.Shown, step: int) -> None:
    """The page is at a step: its words, its line and the mark in the source agree."""
    moment = shown.run[step]
    expect(page.locator("#moment")).to_contain_text(f"moment {step} of {len(shown.run)}")
    expect(page.locator("#moment")).to_contain_text(f"line {moment.line}")
    for name, value in moment.iterations.items():
        expect(page.locator("#moment")).to_contain_text(f"{name} = {value}")
    assert page.locator("#source .current").get_attribute("data-line") == str(moment.line)
    assert page.locator("#source [aria-selected=true]").count() == 1


def test_keys(page: Page, softmax: kernels.Shown) -> None:
    last = len(softmax.run) - 1
    says(page, softmax, 0)
    for key, step in [
        ("s", 1),
        ("ArrowRight", 2),
        ("b", 1),
        ("ArrowLeft", 0),
        ("ArrowLeft", 0),
        ("End", last),
        ("ArrowRight", last),
        ("Home", 0),
    ]:
        page.keyboard.press(key)
        says(page, softmax, step)


def test_executions_of_a_line(page: Page, softmax: kernels.Shown) -> None:
    line = next(m.line for m in softmax.run if m.name == "pto.vdiv")
    steps = np.flatnonzero(softmax.run.lines == line).tolist()
    page.locator(f"#line-{line}").click()
    says(page, softmax, steps[0])
    for step in [*steps[1:4], *steps[2::-1]]:
        page.keyboard.press("n" if step > steps[0] and _at(page) < step else "p")
        says(page, softmax, step)
    page.get_by_role("button", name="Last").click()
    page.locator(f"#line-{line}").click()
    says(page, softmax, steps[-1])


def _at(page: Page) -> int:
    return int(page.inner_text("#moment").split("moment ")[1].split(" ")[0])


@pytest.mark.parametrize("key", ["a", "u"])
def test_what_there_is_not_is_said(key: str, page: Page, softmax: kernels.Shown) -> None:
    assert softmax.run.first_nan() is None
    assert softmax.run.first_undefined() is None
    page.keyboard.press(key)
    expect(page.locator("#moment")).to_contain_text("there is no next moment")
    says(page, softmax, 0)


def test_nan_and_undefined_data(tmp_path: Path, open_page: Open) -> None:
    """A logarithm of negative numbers, and a load of bytes that nobody wrote."""
    text = f"""
func.func @odd(%gm: !pto.ptr<f32, gm>) {{
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %row = arith.constant 256 : i64
  %ub = pto.castptr %zero : i64 -> {PTR}
  pto.mte_gm_ub %gm, %ub, %zero, %row nburst(%one, %row, %row)
    : !pto.ptr<f32, gm>, {PTR}, i64, i64, i64, i64, i64
  pto.barrier #pto.pipe
  pto.vecscope {{
    %all = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>
    %v = pto.vlds %ub[%c0] : {PTR} -> {VREG}
    %ln = pto.vln %v, %all : {VREG}, !pto.mask<b32> -> {VREG}
    %lost = pto.vlds %ub[%c64] : {PTR} -> {VREG}
    pto.vsts %ln, %ub[%c0], %all : {VREG}, {PTR}, !pto.mask<b32>
  }}
  pto.barrier #pto.pipe
  pto.mte_ub_gm %ub, %gm, %row nburst(%one, %row, %row)
    : {PTR}, !pto.ptr<f32, gm>, i64, i64, i64, i64
  return
}}
"""
    x = np.arange(-32, 32, dtype=np.float32)
    odd = kernels.shown(tmp_path, ptoscope.load(text, target="a5", force=True), x)
    nan, lost = odd.run.first_nan(), odd.run.first_undefined()
    assert nan is not None
    assert lost is not None
    assert (nan.name, lost.name) == ("pto.vln", "pto.vlds")
    with open_page(odd.path) as page:
        page.keyboard.press("a")
        says(page, odd, nan.index)
        page.keyboard.press("Home")
        page.get_by_role("button", name="Next undefined").click()
        says(page, odd, lost.index)
