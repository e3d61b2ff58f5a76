"""The timeline: slices by mouse and keys, and how fast it is with 100,000 events."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import ptoscope
from ptoscope.timing.slices import INSTRUCTION, ISSUE, WAIT, WORK, Slices, slices
from tests.browser import kernels
from tests.browser.conftest import Open
from tests.browser.kernels import EXAMPLES
from tests.view.test_page import data_of

FRAME = 1 / 60


@pytest.fixture(scope="module")
def timed(softmax: kernels.Shown) -> Slices:
    """The slices of the page, as the schedule has them."""
    x = kernels.rows()
    return slices(softmax.kernel.time(x, np.zeros_like(x), 20, grid=2), 200_000)


def shown_range(page: Page) -> tuple[float, float]:
    """The first cycle in view, and how many there are."""
    first, cycles = page.evaluate("ptoscope.range()")
    return first, cycles


def click(page: Page, number: int) -> None:
    """On the middle of a slice, brought into view."""
    box = page.evaluate(
        "async (slice) => { ptoscope.showSlice(slice);"
        "  await new Promise(requestAnimationFrame); return ptoscope.sliceBox(slice) }",
        number,
    )
    page.mouse.click(box["left"] + box["width"] / 2, box["top"] + box["height"] / 2)


@pytest.mark.parametrize("kind", [WORK, WAIT, ISSUE, INSTRUCTION])
def test_a_click_selects_the_line_and_the_moment_of_a_slice(
    kind: int, page: Page, softmax: kernels.Shown, timed: Slices
) -> None:
    trace = softmax.run.recording.trace
    executed = trace.executed.tolist()
    page.locator("#timeline-canvas").focus()
    for _ in range(9):
        page.keyboard.press("+")
    chosen = np.flatnonzero((timed.kind == kind) & (timed.length >= 1))
    for number in np.random.default_rng(kind).permutation(chosen)[:8].tolist():
        click(page, number)
        place = trace.places[timed.place[number]]
        step = executed.index(timed.event[number])
        current = page.locator("#source .current")
        assert current.get_attribute("data-line") == str(place.span.line)
        expect(page.locator("#moment")).to_contain_text(f"moment {step} of")
        said = page.locator("#slice")
        expect(said).to_contain_text(f"{place.name} (")
        expect(said).to_contain_text(f"line {place.span.line}")
        expect(said).to_contain_text(f"block {timed.block[number]}, ")
        for name, value in softmax.run[step].iterations.items():
            expect(said).to_contain_text(f"{name} = {value}")


def test_it_is_moved_by_keys(page: Page, softmax: kernels.Shown) -> None:
    canvas = page.locator("#timeline-canvas")
    canvas.focus()
    begin, total = shown_range(page)
    assert begin == 0
    page.keyboard.press("+")
    _, zoomed = shown_range(page)
    assert zoomed < total
    before = shown_range(page)[0]
    page.keyboard.press("ArrowRight")
    assert shown_range(page)[0] > before
    page.keyboard.press("ArrowLeft")
    assert shown_range(page)[0] == pytest.approx(before)
    page.keyboard.press("-")
    assert shown_range(page)[1] > zoomed
    page.keyboard.press("0")
    assert shown_range(page) == (0, pytest.approx(total))
    said = page.inner_text("#slice")
    page.keyboard.press("]")
    expect(page.locator("#slice")).not_to_have_text(said)
    page.keyboard.press("[")
    expect(page.locator("#slice")).to_have_text(said)
    page.keyboard.press("ArrowDown")
    expect(page.locator("#slice")).not_to_have_text(said)
    expect(canvas).to_be_focused()


def test_it_is_moved_by_the_mouse(page: Page) -> None:
    box = page.locator("#timeline-canvas").bounding_box()
    assert box is not None
    x, y = box["x"] + 400, box["y"] + 60
    page.mouse.move(x, y)
    _, total = shown_range(page)
    page.mouse.wheel(0, -400)
    page.wait_for_function("(total) => ptoscope.range()[1] < total", arg=total)
    before, cycles = shown_range(page)
    page.mouse.down()
    page.mouse.move(x - 100, y, steps=4)
    page.mouse.up()
    assert shown_range(page)[0] == pytest.approx(before + 100 * cycles / box["width"], rel=0.02)


def test_the_page_of_softmax_is_built_in_two_seconds() -> None:
    """Of the processor, so that a machine with other work does not matter."""
    kernel = ptoscope.load(EXAMPLES / "row_softmax.pto", target="a5")
    x = np.zeros((64, 128), np.float32)
    begin = time.process_time()
    kernel.view(x, np.zeros_like(x), 64)
    assert time.process_time() - begin < 2


def metrics(session: Any) -> dict[str, float]:
    """The browser's own clocks: `ProcessTime` and `ThreadTime` are of the processor."""
    found = session.send("Performance.getMetrics")["metrics"]
    return {one["name"]: one["value"] for one in found}


def test_100_000_events(tmp_path: Path, open_page: Open) -> None:
    """Under 25 MB, open in under 2 s, and 60 frames a second while it zooms and pans from all of
    the time to a thousandth of it. Times are those of the processor, of the page's process and of
    the page's thread for each frame: on a machine with other work frames come late all the same."""
    kernel = ptoscope.load(EXAMPLES / "row_softmax.pto", target="a5")
    x = np.random.default_rng(5).standard_normal((5600, 128)).astype(np.float32)
    path = tmp_path / "page.html"
    text = kernel.view(x, np.zeros_like(x), 5600, grid=4)
    text.save(path)
    (data,) = data_of(text)
    assert data["columns"]["event_place"][-1] >= 100_000
    assert path.stat().st_size < 25_000_000
    keys = [*"+" * 18, *["ArrowRight"] * 20, *"-" * 12, *["ArrowLeft"] * 10]
    with open_page(path) as page:
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        assert 0 < metrics(session)["ProcessTime"] < 2
        expect(page.locator("#notice")).to_contain_text("are left out")
        page.locator("#timeline-canvas").focus()
        page.evaluate("ptoscope.frames()")
        before = metrics(session)["ThreadTime"]
        page.evaluate(
            """async (keys) => {
              for (const key of keys) {
                document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key }));
                await new Promise(requestAnimationFrame);
              }
            }""",
            keys,
        )
        spent = metrics(session)["ThreadTime"] - before
        frames = page.evaluate("ptoscope.frames()")
        assert len(frames) >= len(keys) - 2
        assert 0 < spent / len(frames) < FRAME
