"""Random texts in kernels, opened as a page.

Whatever comments, formats and names hold, the page has its own elements alone, its script runs, and
the source is shown as it is written.
"""

from __future__ import annotations

import contextlib
import functools
import io
import random
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from ptoscope.cli.main import main
from tests.browser.opened import launch, opened
from tests.browser.test_hostile_text import TRAPS, kernel_text

SECONDS = 60

_PIECES = (*TRAPS, *"<>!-/&'`{}[]", "script", "SCRIPT", "style", " ", "\t", "x", "é", "漢")
_NOT_IN_TEXT = str.maketrans("", "", "\x00\ud800")


@functools.cache
def _browser() -> Browser:
    """One browser for all attempts of a process: it ends with the process."""
    return launch(sync_playwright().start())


def attempt(rng: random.Random) -> None:
    """One kernel of random text, or two beside each other."""
    with tempfile.TemporaryDirectory() as name:
        paths = [Path(name, number + _text(rng, 3).replace("/", " ") + ".pto") for number in "12"]
        texts = [kernel_text(_text(rng, 12), f'"{_text(rng, 3)}"') for _ in paths]
        texts = [text.replace("\\", "") for text in texts]
        for path, text in zip(paths, texts, strict=True):
            path.write_text(text, "utf-8", newline="")
        used = paths[: rng.choice((1, 2))]
        output = Path(name, "page.html")
        argv = ["view", *map(str, used), "undefined:1", "-o", str(output)]
        said = io.StringIO()
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            status = main(argv)
        if status:
            # A name or a format may be wrong; that is said, and no page is written.
            assert "error[PTO" in said.getvalue(), (texts, said.getvalue())
            return
        with opened(_browser(), output) as page:
            assert page.locator("img, plaintext, body script ~ style").count() == 0, argv
            shown = page.locator("#source code").evaluate_all("all => all.map(e => e.textContent)")
            assert shown == [line or " " for line in texts[0].split("\n")], texts


def _text(rng: random.Random, most: int) -> str:
    pieces = rng.choices(_PIECES, k=rng.randrange(most))
    return "".join(pieces).translate(_NOT_IN_TEXT).replace('"', "")
