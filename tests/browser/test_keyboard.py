"""By keys alone: from the first Tab to the lane of a value, a byte's writer and a finding."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from playwright.sync_api import Page, expect

import ptoscope
from tests.browser import kernels
from tests.browser.conftest import Open
from tests.browser.kernels import EXAMPLES


def tab_to(page: Page, selector: str) -> None:
    """Presses Tab until something has the focus."""
    for _ in range(200):
        if page.evaluate("(s) => document.activeElement.matches(s)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {selector}")


def test_a_whole_session(tmp_path: Path, open_page: Open) -> None:
    text = (EXAMPLES / "row_softmax.pto").read_text("utf-8")
    wait = 'pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]'
    kernel = ptoscope.load(text.replace(wait, ""), target="a5", force=True)
    x = kernels.rows()
    raced = kernels.shown(tmp_path, kernel, x, np.zeros_like(x), 20)
    run = raced.run
    with open_page(raced.path) as page:
        moment = page.locator("#moment")
        # The source: a line that is executed, then its next execution.
        tab_to(page, "#source")
        line = next(m.line for m in run if m.name == "pto.vmax")
        while page.locator("#source .current").get_attribute("data-line") != str(line):
            page.keyboard.press("ArrowDown")
        page.keyboard.press("n")
        second = run.at(line, 1)
        expect(moment).to_contain_text(f"moment {second.index} of")
        # A button.
        tab_to(page, "#move-step")
        page.keyboard.press("Enter")
        expect(moment).to_contain_text(f"moment {second.index + 1} of")
        page.keyboard.press("b")
        # From a value to the moment that made it.
        tab_to(page, "#values .maker")
        maker = page.evaluate("document.activeElement.dataset.maker")
        page.keyboard.press("Enter")
        expect(moment).to_contain_text(f"moment {maker} of")
        # From a byte to its writer.
        page.keyboard.press("2")
        tab_to(page, "#memory-selection")
        page.keyboard.press("Control+a")
        page.keyboard.type("0x0..0x40")
        page.keyboard.press("Tab")
        tab_to(page, "#memory-writer")
        page.keyboard.press("Enter")
        writer = run.writer("ub", 0, run[int(maker) - 1])
        assert writer is not None
        expect(moment).to_contain_text(f"moment {writer.index} of")
        # A finding and its line.
        page.keyboard.press("3")
        tab_to(page, "#findings button")
        said = page.evaluate("document.activeElement.textContent")
        page.keyboard.press("Enter")
        current = page.locator("#source .current")
        expect(current).to_have_attribute("data-line", said.removeprefix("line "))
        # The timeline: the slice after this one.
        tab_to(page, "#source")
        page.keyboard.press("Home")
        tab_to(page, "#timeline-canvas")
        page.keyboard.press("ArrowDown")
        before = page.inner_text("#slice")
        page.keyboard.press("]")
        expect(page.locator("#slice")).not_to_have_text(before)
        # The theme, and the keys.
        tab_to(page, "#theme")
        page.keyboard.press("Enter")
        expect(page.locator("html")).to_have_attribute("data-theme", "dark")
        page.keyboard.press("?")
        expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()
