"""The page of a kernel in Python: its source, and moves through lines with several instructions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from playwright.sync_api import expect

import ptoscope
from tests.browser import kernels
from tests.browser.conftest import Open
from tests.cli.python_kernels import AXPY, line_of

ADDS = line_of("pto.vadd(product")


def test_the_page_shows_python(open_page: Open, tmp_path: Path) -> None:
    path = tmp_path / "axpy.py"
    path.write_text(AXPY, "utf-8")
    x = np.arange(100, dtype=np.float32)
    shown = kernels.shown(tmp_path, ptoscope.load(path), x, x, np.zeros_like(x), 100, 2.0)
    with open_page(shown.path) as page:
        row = page.locator(f"#source [data-line='{ADDS}']")
        expect(row).to_contain_text("ys[i, m] = pto.vadd(product, ys[i], m)")
        row.click()
        moment = page.locator("#moment")
        expect(moment).to_contain_text("pto.vlds in ys[i] moment ")
        expect(moment).to_contain_text(f"line {ADDS}, %t = 0, %i = 0")
        page.keyboard.press("n")
        expect(moment).to_contain_text("pto.vlds in ys[i] moment ")
        expect(moment).to_contain_text(f"line {ADDS}, %t = 0, %i = 64")
        page.keyboard.press("s")
        expect(moment).to_contain_text("pto.vadd in pto.vadd(product, ys[i], m) moment ")
        page.keyboard.press("p")
        expect(moment).to_contain_text(f"line {ADDS}, %t = 0, %i = 0")
