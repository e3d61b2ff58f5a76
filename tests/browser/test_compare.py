"""Two kernels on one page: timelines over each other, cycles of each line, one looked at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import ptoscope
from ptoscope.cli.main import main
from ptoscope.timing import Timing
from ptoscope.timing.slices import slices
from tests.browser.conftest import Open
from tests.browser.kernels import EXAMPLES
from tests.browser.test_everyone import grave

BOTH = [EXAMPLES / "double_buffer_flags.pto", EXAMPLES / "double_buffer_bufs.pto"]
SIZE = 6000


@pytest.fixture
def page(tmp_path: Path, open_page: Open) -> Iterator[Page]:
    path = tmp_path / "page.html"
    arguments = [*[f"zeros:{SIZE}"] * 3, str(SIZE)]
    assert main(["view", *map(str, BOTH), *arguments, "-o", str(path)]) == 0
    with open_page(path) as found:
        yield found


def times() -> list[Timing]:
    arrays = [np.zeros(SIZE, np.float32) for _ in range(3)]
    return [ptoscope.load(path, target="a5").time(*arrays, SIZE) for path in BOTH]


def test_cycles_of_each_line_side_by_side(page: Page) -> None:
    page.get_by_role("tab", name="Compare").click()
    first, second = times()
    pane = page.locator("#compare")
    expect(pane).to_contain_text(f"A takes {first.total_cycles:,} cycles")
    expect(pane).to_contain_text(f"B {second.total_cycles:,}")
    rows = page.locator("#compare tbody tr")
    for timing, name in ((first, "data-first"), (second, "data-second")):
        column = 1 if name == "data-first" else 3
        seen = {
            row.get_attribute(name): row.locator("td").nth(column).inner_text().replace(",", "")
            for row in rows.all()
        }
        for line in timing.table():
            if line.cycles:
                assert seen[str(line.line)] == str(line.cycles)
    assert grave(page) == []


def test_a_slice_of_either_is_selected(page: Page) -> None:
    for run, timing in enumerate(times()):
        found = slices(timing, 200_000)
        number = int(np.argmax(found.length))
        box = page.evaluate(
            "async ([slice, run]) => { ptoscope.showSlice(slice, run);"
            "  await new Promise(requestAnimationFrame); return ptoscope.sliceBox(slice, run) }",
            [number, run],
        )
        page.mouse.click(box["left"] + box["width"] / 2, box["top"] + box["height"] / 2)
        line = timing.trace.places[found.place[number]].span.line
        expect(page.locator("#run-chooser")).to_have_value(str(run))
        expect(page.locator("#source .current")).to_have_attribute("data-line", str(line))
        expect(page.locator("#facts")).to_contain_text(f"@{BOTH[run].stem}")
        text = BOTH[run].read_text("utf-8").split("\n")[line - 1]
        assert page.locator("#source .current code").inner_text() == text


def test_the_other_run_by_keys(page: Page) -> None:
    chooser = page.locator("#run-chooser")
    chooser.focus()
    page.keyboard.press("ArrowDown")
    expect(chooser).to_have_value("1")
    expect(page.locator("#facts")).to_contain_text(f"@{BOTH[1].stem}")
    lines = BOTH[1].read_text("utf-8").split("\n")
    assert page.locator("#source .line code").all_inner_texts() == [x or " " for x in lines]
