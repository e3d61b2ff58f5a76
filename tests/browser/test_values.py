"""The lanes and bytes that the page shows are those of the reference engine, forth and back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

import ptoscope
from ptoscope.isa.types import Mask, Scalar, VReg
from ptoscope.replay.moment import Moment
from tests.browser import kernels
from tests.browser.conftest import Open

TYPES = ["f32", "f16", "bf16", "i8", "si8", "ui8", "i16", "ui16", "i32", "ui32", "i64", "ui64"]
SHOWN = """() => [...document.querySelectorAll('#values > .value')].map((value) => ({
  name: value.dataset.name,
  number: value.querySelector('.number')?.textContent,
  lanes: [...value.querySelectorAll('.lane')].map((lane) => [lane.title, lane.className]),
}))"""
TITLE = re.compile(r"lane (\d+): (\S+) \(0x([0-9a-f]+)\)")


def vector(element: str) -> str:
    """The type of a vector."""
    return f"!pto.vreg<{2048 // int(element.strip('bfsui'))}x{element}>"


def typed() -> tuple[str, Any]:
    """A kernel that loads the same random bytes as each type, and adds in a part of the lanes."""
    loads = [
        f"""    %p{t} = pto.castptr %zero : i64 -> !pto.ptr<{t}, ub>
    %v{t} = pto.vlds %p{t}[%c0] : !pto.ptr<{t}, ub> -> {vector(t)}"""
        for t in TYPES
    ]
    vreg, mask = "!pto.vreg<64xf32>", "!pto.mask<b32>"
    text = f"""
func.func @typed(%gm: !pto.ptr<f32, gm>, %end: i32) {{
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %row = arith.constant 256 : i64
  %ub = pto.castptr %zero : i64 -> !pto.ptr<f32, ub>
  pto.mte_gm_ub %gm, %ub, %zero, %row nburst(%one, %row, %row)
    : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64
  pto.barrier #pto.pipe
  pto.vecscope {{
{chr(10).join(loads)}
    %some, %rest = pto.plt_b32 %end : i32 -> {mask}, i32
    %sum = pto.vadd %vf32, %vf32, %some : {vreg}, {vreg}, {mask} -> {vreg}
    pto.vsts %sum, %ub[%c0], %some : {vreg}, !pto.ptr<f32, ub>, {mask}
  }}
  pto.barrier #pto.pipe
  pto.mte_ub_gm %ub, %gm, %row nburst(%one, %row, %row)
    : !pto.ptr<f32, ub>, !pto.ptr<f32, gm>, i64, i64, i64, i64
  return
}}
"""
    return text, np.random.default_rng(1).bytes(256)


@pytest.fixture
def of_types(tmp_path: Path) -> kernels.Shown:
    text, data = typed()
    kernel = ptoscope.load(text, target="a5", force=True)
    return kernels.shown(tmp_path, kernel, np.frombuffer(data, np.float32).copy(), 37)


def agrees(moment: Moment, shown: dict[str, Any]) -> bool:
    """Whether what the page shows of a value is what the run holds; False if it is neither of
    lanes nor a number."""
    name = shown["name"]
    kind, value, undefined = moment.type_of(name), moment[name], None
    if isinstance(kind, Mask):
        on = [("on" in classes.split()) for _, classes in shown["lanes"]]
        assert on == np.asarray(value).astype(bool).tolist(), (moment, name)
    elif isinstance(kind, VReg):
        undefined = moment.undefined(name)
        lanes = np.asarray(value)
        assert len(shown["lanes"]) == len(lanes) == kind.lanes
        for lane, (title, classes) in enumerate(shown["lanes"]):
            found = TITLE.match(title)
            assert found is not None, title
            assert int(found[1]) == lane
            assert bytes.fromhex(found[3])[::-1] == lanes[lane].tobytes(), (moment, name, lane)
            assert same(found[2], lanes[lane]), (moment, name, lane, title)
            assert ("undefined" in classes.split()) == bool(undefined[lane])
    elif isinstance(kind, Scalar):
        assert same(shown["number"], value), (moment, name)
    else:
        return False
    return True


def same(text: str, value: Any) -> bool:
    """Whether a text is a number, to its last bit."""
    if text in ("true", "false"):
        return (text == "true") == bool(value)
    wanted = np.asarray(value)
    if np.issubdtype(wanted.dtype, np.integer):
        return int(text) == int(value)
    read = np.asarray(float(text), dtype=wanted.dtype)
    return read.tobytes() == wanted.tobytes() or bool(
        np.isnan(float(read)) & np.isnan(float(value))
    )


def steps(page: Page, key: str, count: int) -> Iterator[list[dict[str, Any]]]:
    """What the page shows after each of some steps."""
    for _ in range(count):
        page.keyboard.press(key)
        yield page.evaluate(SHOWN)


def test_softmax_forth_and_back(page: Page, softmax: kernels.Shown) -> None:
    """Into the second iteration of the inner loop and back, and around the end."""
    run = softmax.run
    seen = [page.evaluate(SHOWN), *steps(page, "ArrowRight", 60)]
    kinds = set()
    for index, values in enumerate(seen):
        moment = run[index]
        assert {one["name"] for one in values} == {*moment.operands, *moment.results}
        kinds |= {str(moment.type_of(v["name"])) for v in values if agrees(moment, v)}
    assert {"!pto.vreg<64xf32>", "!pto.mask<b32>", "index", "i64"} <= kinds
    assert list(steps(page, "ArrowLeft", 60)) == seen[-2::-1]
    page.keyboard.press("End")
    for back, values in enumerate(steps(page, "b", 20), start=2):
        for one in values:
            agrees(run[len(run) - back], one)


def test_every_type(of_types: kernels.Shown, open_page: Open) -> None:
    run = of_types.run
    with open_page(of_types.path) as page:
        checked = {
            str(run[index].type_of(one["name"]))
            for index, values in enumerate(steps(page, "s", len(run) - 1), start=1)
            for one in values
            if agrees(run[index], one)
        }
        assert {*map(vector, TYPES), "!pto.mask<b32>"} <= checked


def test_lanes_that_take_no_part(of_types: kernels.Shown, open_page: Open) -> None:
    (added,) = [m for m in of_types.run if m.name == "pto.vadd"]
    with open_page(of_types.path) as page:
        page.locator(f"#line-{added.line}").click()
        values = {one["name"]: one for one in page.evaluate(SHOWN)}
        for name in ("%sum", "%vf32"):
            inactive = ["inactive" in classes.split() for _, classes in values[name]["lanes"]]
            assert inactive == [lane >= 37 for lane in range(64)]


def test_memory_is_as_it_was(page: Page, softmax: kernels.Shown) -> None:
    """The bytes of UB and of an array, at moments here and there, forth and back."""
    run = softmax.run
    page.keyboard.press("2")
    written = run.writer("ub", 0)
    assert written is not None
    for space in ("ub", "%y"):
        page.select_option("#memory-space", label=label(page, space))
        page.fill("#memory-selection", "0x0..0x100")
        page.keyboard.press("Tab")
        page.select_option("#memory-type", "hex")
        for index in (len(run) - 1, 0, written.index, 100, written.index - 1):
            go(page, run[index])
            shown = page.evaluate(
                "() => [...document.querySelectorAll('#memory-table .element')]"
                "  .map((e) => [e.textContent, e.classList.contains('undefined')])"
            )
            lost = run[index].undefined_memory(space, 0, 256).tolist()
            data = run[index].memory(space, np.uint8, 0, 256).tolist()
            assert [one[1] for one in shown] == lost
            assert [int(one[0].lstrip("?"), 16) for one in shown] == data


def label(page: Page, space: str) -> str:
    """The option of a memory."""
    texts = page.locator("#memory-space option").all_inner_texts()
    (found,) = [text for text in texts if text.split(" ")[0] == space]
    return found


def go(page: Page, moment: Moment) -> None:
    """To a moment, by the source and its executions."""
    page.locator("#tab-memory").focus()
    page.keyboard.press("Home")
    page.locator(f"#line-{moment.line}").click()
    for _ in range(500):
        if f"moment {moment.index} of" in page.inner_text("#moment"):
            return
        page.keyboard.press("n")
    raise AssertionError(f"{moment} was not reached")
