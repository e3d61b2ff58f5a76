"""`python -m tests.browser.screenshot OUT.png [light|dark]`: the picture of the README."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

import ptoscope
from tests.browser.kernels import EXAMPLES
from tests.browser.opened import launch, opened

SIZE = (1280, 860)
SHOWN = "%s = pto.vadd %e0, %e1, %all"
"""The line of softmax at which the page is looked at, in its third iteration."""


def main(output: str, scheme: str = "light") -> None:
    """Takes the picture: softmax in the middle of a row."""
    source = EXAMPLES / "row_softmax.pto"
    lines = source.read_text("utf-8").split("\n")
    (line,) = [n for n, text in enumerate(lines, start=1) if text.strip() == SHOWN]
    x = np.random.default_rng(0).standard_normal((64, 128)).astype(np.float32)
    with tempfile.TemporaryDirectory() as directory, sync_playwright() as playwright:
        path = Path(directory) / "page.html"
        kernel = ptoscope.load(source, target="a5")
        kernel.view(x, np.zeros_like(x), 64, title="row_softmax").save(path)
        browser = launch(playwright)
        with opened(browser, path, SIZE, color_scheme=scheme) as page:
            page.locator(f"#line-{line}").click()
            for _ in range(2):
                page.keyboard.press("n")
            page.evaluate("document.activeElement.blur()")
            page.screenshot(path=output)
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
