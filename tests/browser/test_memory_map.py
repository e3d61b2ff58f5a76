"""The map of a memory: who wrote its cells, what becomes of them, and the moves of a byte."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from ptoscope.replay.run import RecordedRun
from tests.browser import kernels

CELL = "#memory-cell"


def at(page: Page) -> int:
    """The moment that the page shows."""
    return int(page.inner_text("#moment").split("moment ")[1].split(" ")[0])


def select(page: Page, text: str) -> None:
    """Selects bytes by writing their range."""
    page.fill("#memory-selection", text)
    page.press("#memory-selection", "Enter")
    page.locator("#memory-map").focus()


def touching(run: RecordedRun, byte: int, writes: bool) -> list[int]:
    """The moments that write or read a byte of UB, from the accesses of the trace."""
    trace = run.recording.trace
    accesses = trace.accesses
    step_of = {int(event): step for step, event in enumerate(trace.executed)}
    found: set[int] = set()
    for row in range(len(accesses)):
        if accesses.space[row] != -1 or bool(accesses.writes[row]) != writes:
            continue
        starts = int(accesses.start[row]) + np.arange(accesses.count[row]) * accesses.stride[row]
        if ((starts <= byte) & (byte < starts + accesses.length[row])).any():
            found.add(step_of[int(accesses.event[row])])
    return sorted(found)


def test_moves_of_a_byte(page: Page, softmax: kernels.Shown) -> None:
    run = softmax.run
    page.keyboard.press("End")
    page.keyboard.press("2")
    byte = 0x104
    select(page, "0x104..0x144")
    expect(page.locator(CELL)).to_contain_text("ub byte 0x104")
    block = range(run.begin_of(len(run) - 1), len(run))
    writers = [step for step in touching(run, byte, True) if step in block]
    readers = [step for step in touching(run, byte, False) if step in block]
    assert writers
    assert readers
    for step in reversed(writers):
        page.keyboard.press("w")
        assert at(page) == step
        assert page.locator("#memory-table .written").count() > 0
    page.keyboard.press("w")
    assert at(page) == writers[0]
    expect(page.locator(CELL)).to_contain_text("no writer before this moment in this block")
    for step in sorted({*writers[1:], *readers}):
        page.keyboard.press("x")
        assert at(page) == step
    page.keyboard.press("x")
    expect(page.locator(CELL)).to_contain_text("no next access")
    page.keyboard.press("End")
    page.keyboard.press("r")
    assert at(page) == readers[-1]


def test_the_map_by_keys(page: Page, softmax: kernels.Shown) -> None:
    """Cells that the arrows choose have the bytes that the selection says."""
    page.keyboard.press("End")
    page.keyboard.press("2")
    select(page, "0x0..0x4")
    mapped = page.locator("#memory-map")
    size, columns = (int(mapped.get_attribute(f"data-{name}") or 0) for name in ("cell", "columns"))
    mapped.focus()
    for keys, begin, end in [
        (["ArrowRight", "ArrowRight"], 2 * size, 3 * size),
        (["ArrowDown"], (2 + columns) * size, (3 + columns) * size),
        (["Shift+ArrowRight", "Shift+ArrowRight"], (2 + columns) * size, (5 + columns) * size),
        (["ArrowUp", "ArrowLeft"], 3 * size, 4 * size),
    ]:
        for key in keys:
            page.keyboard.press(key)
        assert page.input_value("#memory-selection") == f"{begin:#x}..{end:#x}"
    writer = softmax.run.writer("ub", 3 * size)
    assert writer is not None
    expect(page.locator(CELL)).to_contain_text(
        f"written by line {writer.line} at moment {writer.index}"
    )
    page.keyboard.press("z")
    assert page.input_value("#memory-range") == f"{3 * size:#x}..{4 * size:#x}"
    page.keyboard.press("o")
    assert page.input_value("#memory-range").startswith("0x0..")


@pytest.mark.parametrize("part", [0.2, 0.45, 0.7, 0.95])
def test_live_or_dead(part: float, page: Page, softmax: kernels.Shown) -> None:
    """A cell is live if one of its bytes is read before it is written again in its block."""
    run = softmax.run
    page.keyboard.press("2")
    page.evaluate("document.activeElement.blur()")
    step = int(part * len(run))
    line = run[step].line
    page.locator(f"#line-{line}").click()
    while at(page) < step:
        page.keyboard.press("n")
    step = at(page)
    ends = [end for end in run.recording.blocks if end > step]
    size = int(page.locator("#memory-map").get_attribute("data-cell") or 0)
    said = {True: 0, False: 0}
    for cell in range(0, 0x2000 // size, 37):
        live = any(
            _read_next(run, byte, step, ends[0]) for byte in range(cell * size, (cell + 1) * size)
        )
        select(page, f"{cell * size}..{(cell + 1) * size}")
        text = page.inner_text(CELL)
        if "not written yet" in text:
            assert not live
            continue
        found = re.search(r"its cell is (read later|not read again)", text)
        assert found is not None, text
        assert (found[1] == "read later") == live, text
        said[live] += 1
    assert sum(said.values())


def _read_next(run: RecordedRun, byte: int, step: int, end: int) -> bool:
    reads = [s for s in touching(run, byte, False) if step < s < end]
    writes = [s for s in touching(run, byte, True) if step < s < end]
    return bool(reads) and (not writes or reads[0] <= writes[0])


def test_the_chosen_byte(page: Page) -> None:
    page.keyboard.press("End")
    page.keyboard.press("2")
    select(page, "0x0..0x100")
    page.select_option("#memory-type", "f32")
    page.locator("#memory-table").focus()
    for key in ("ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    expect(page.locator("#memory-table .chosen")).to_have_attribute("data-byte", "36")
    expect(page.locator(CELL)).to_contain_text("ub byte 0x24:")
    page.locator('#memory-table [data-byte="8"]').click()
    expect(page.locator(CELL)).to_contain_text("ub byte 0x8:")


@pytest.mark.parametrize("text", ["0x40..0x20", "0..99999999", "all"])
def test_what_is_no_range_is_said(text: str, page: Page) -> None:
    page.keyboard.press("2")
    select(page, text)
    expect(page.locator(CELL)).to_contain_text(f"'{text}' is no range")


def test_who_made_a_value(page: Page, softmax: kernels.Shown) -> None:
    moment = next(m for m in softmax.run if m.name == "pto.vdiv")
    page.locator(f"#line-{moment.line}").click()
    for name in moment.operands:
        made = moment.maker(name)
        assert made is not None
        button = page.locator(f'.value[data-name="{name}"] .maker')
        assert button.get_attribute("data-maker") == str(made.index)
        button.focus()
        page.keyboard.press("Enter")
        assert at(page) == made.index
        page.locator(f"#line-{moment.line}").click()


def test_a_pointer_shows_its_memory(page: Page, softmax: kernels.Shown) -> None:
    moment = next(m for m in softmax.run if m.name == "pto.mte_gm_ub")
    page.locator(f"#line-{moment.line}").click()
    row = page.locator('.value[data-name="%gm_in"]')
    expect(row).to_contain_text("%x + 0 bytes (element 0)")
    row.get_by_role("button", name="memory").click()
    assert page.input_value("#memory-selection") == "0x0..0x100"
    expect(page.locator("#memory-cell")).to_contain_text("%x byte 0x0:")
