"""The first difference from what was expected: a move, and what made it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from playwright.sync_api import expect

import ptoscope
from tests.browser import kernels
from tests.browser.conftest import Open


def test_a_planted_difference_is_found(tmp_path: Path, open_page: Open) -> None:
    """One sum of a row is taken without its second half."""
    text = (kernels.EXAMPLES / "row_softmax.pto").read_text("utf-8")
    right, x = ptoscope.load(text, target="a5"), kernels.rows()
    golden = np.zeros_like(x)
    right(x, golden, 20)
    planted = "%s = pto.vadd %e0, %e1, %all"
    wrong = ptoscope.load(text.replace(planted, "%s = pto.vadd %e0, %e0, %all"), target="a5")
    wrong.view(x, np.zeros_like(x), 20, expect={"y": golden}).save(tmp_path / "page.html")
    line = 1 + text.split(planted)[0].count("\n")
    run = wrong.record(x, np.zeros_like(x), 20)
    copy = run.writer("%y", 0)
    assert copy is not None
    with open_page(tmp_path / "page.html") as page:
        page.keyboard.press("d")
        expect(page.locator("#moment")).to_contain_text(f"moment {copy.index} of {len(run)}")
        expect(page.locator("#moment")).to_contain_text("element 0 of %y (argument 1) is")
        page.keyboard.press("3")
        links = page.locator("#difference li")
        (added,) = [m for m in run if m.line == line and m.index < copy.index][:1]
        links.locator(f'[data-step="{added.index}"]').press("Enter")
        assert page.locator("#source .current").get_attribute("data-line") == str(line)


def test_without_an_expectation_there_is_no_such_move(tmp_path: Path, open_page: Open) -> None:
    shown = kernels.softmax(tmp_path)
    with open_page(shown.path) as page:
        assert page.locator("#move-difference").count() == 0
        page.keyboard.press("d")
        expect(page.locator("#moment")).to_contain_text("there is no first difference")
