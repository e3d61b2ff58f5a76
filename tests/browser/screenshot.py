"""`python -m tests.browser.screenshot OUT.png [softmax|attention] [light|dark]`: the pictures of
the README and of the page on the matrix unit."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from playwright.sync_api import sync_playwright

import ptoscope
from tests.browser.kernels import EXAMPLES
from tests.browser.opened import launch, opened


class Picture(NamedTuple):
    """An example on some arguments, looked at after the n-th execution of a line, at a tab."""

    example: str
    line: str
    times: int
    tab: str
    size: tuple[int, int]

    def arguments(self) -> list[Any]:
        dice = np.random.default_rng(0)
        if self.example == "row_softmax":
            x = dice.standard_normal((64, 128)).astype(np.float32)
            return [x, np.zeros_like(x), 64]
        shapes = ((128, 64), (192, 64), (192, 64))
        q, k, v = (dice.standard_normal(shape).astype(np.float16) for shape in shapes)
        return [q, k, v, np.zeros((128, 64), np.float32), 128, 192]


PICTURES = {
    "softmax": Picture("row_softmax", "%s = pto.vadd %e0, %e1, %all", 3, "registers", (1280, 860)),
    "attention": Picture("flash_attention", "pto.mad %l0a_p, %l0b_v", 2, "tiles", (1280, 980)),
}


def main(output: str, which: str = "softmax", scheme: str = "light") -> None:
    """Takes a picture."""
    picture = PICTURES[which]
    source = EXAMPLES / f"{picture.example}.pto"
    lines = source.read_text("utf-8").split("\n")
    (line,) = [n for n, text in enumerate(lines, 1) if text.strip().startswith(picture.line)]
    with tempfile.TemporaryDirectory() as directory, sync_playwright() as playwright:
        path = Path(directory) / "page.html"
        kernel = ptoscope.load(source, target="a5")
        kernel.view(*picture.arguments(), title=picture.example).save(path)
        browser = launch(playwright)
        with opened(browser, path, picture.size, color_scheme=scheme) as page:
            page.locator(f"#line-{line}").click()
            for _ in range(picture.times - 1):
                page.keyboard.press("n")
            page.locator(f"#tab-{picture.tab}").click()
            page.evaluate("document.activeElement.blur()")
            page.screenshot(path=output)
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
