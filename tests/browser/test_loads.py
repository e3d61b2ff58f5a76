"""Pages open from disk, ask for nothing and say nothing on the console (see `opened`)."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

import ptoscope
from ptoscope.kernel import Kernel
from ptoscope.view import history
from tests.browser import kernels
from tests.browser.conftest import Open
from tests.browser.kernels import EXAMPLES
from tests.browser.opened import launch, opened
from tests.test_examples import NAMES, main_of


@pytest.mark.parametrize("name", NAMES)
def test_the_page_of_each_example(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, open_page: Open
) -> None:
    """As its script runs it, and it comes out right then too."""
    path = tmp_path / "page.html"

    def view(kernel: Kernel, *arguments: Any, grid: int = 1) -> None:
        kernel.view(*arguments, grid=grid, title=name).save(path)

    monkeypatch.setattr(Kernel, "__call__", view)
    assert main_of(name)(target="a5") == 0
    lines = (EXAMPLES / f"{name}.pto").read_text("utf-8").split("\n")
    with open_page(path) as page:
        assert page.title() == f"{name} - ptoscope"
        assert page.locator("#source .line code").all_inner_texts() == [x or " " for x in lines]
        expect(page.locator("#facts")).to_contain_text("cycles by the calibrated model")
        page.keyboard.press("End")
        expect(page.locator("#moment")).to_contain_text("moment")


def test_each_line_has_its_executions_and_cycles(page: Page, softmax: kernels.Shown) -> None:
    run = softmax.run
    x = kernels.rows()
    timing = softmax.kernel.time(x, np.zeros_like(x), 20, grid=2)
    executed = run.lines.tolist()
    cycles = {line.line: line.cycles for line in timing.table()}
    rows = page.locator("#source .line")
    for number, row in enumerate(rows.all(), start=1):
        times = row.locator(".times").inner_text().replace(",", "")
        assert int(times or 0) == executed.count(number)
        said = row.locator(".cycles").inner_text().replace(",", "").rstrip("*")
        assert int(said or 0) == cycles.get(number, 0)


def test_what_is_left_out_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, open_page: Open, page: Page
) -> None:
    expect(page.locator("#notice")).to_be_hidden()
    monkeypatch.setattr(history, "MOST_BYTES", 30_000)
    cut = kernels.softmax(tmp_path)
    with open_page(cut.path) as found:
        notice = found.locator("#notice")
        expect(notice).to_be_visible()
        found.keyboard.press("End")
        kept = int(found.inner_text("#moment").split("of ")[1].split(",")[0])
        assert 0 < kept < len(cut.run)
        expect(notice).to_contain_text(f"values of the last {len(cut.run) - kept} executions")


def test_findings_have_a_mark_a_text_and_a_hint(tmp_path: Path, open_page: Open) -> None:
    text = (EXAMPLES / "row_softmax.pto").read_text("utf-8")
    wait = 'pto.wait_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID0"]'
    kernel = ptoscope.load(text.replace(wait, ""), target="a5", force=True)
    x = kernels.rows()
    raced = kernels.shown(tmp_path, kernel, x, np.zeros_like(x), 20)
    with open_page(raced.path) as page:
        page.get_by_role("tab", name="Findings").click()
        found = page.locator("#findings .finding").filter(has_text="PTO0701").first
        expect(found).to_be_visible()
        expect(found).to_contain_text("hint:")
        found.get_by_role("button").first.click()
        line = found.get_by_role("button").first.inner_text().removeprefix("line ")
        current = page.locator("#source .current")
        assert current.get_attribute("data-line") == line
        expect(current.locator(".mark")).to_have_text("!")


def test_without_a_browser_it_says_what_to_install(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(RuntimeError, match="apt-get install chromium"):
        launch(browser)  # pyright: ignore[reportArgumentType]


def test_what_a_page_says_on_the_console_fails(browser: Browser, tmp_path: Path) -> None:
    """The check of all other tests can fail."""
    path = tmp_path / "bad.html"
    path.write_text("<body data-ready><script>console.error('no')</script>", "utf-8")
    with pytest.raises(AssertionError, match="error: no"), opened(browser, path):
        pass
