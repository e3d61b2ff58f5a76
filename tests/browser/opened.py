"""Pages in a headless Chromium."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, Playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--no-sandbox",  # CI is root, to whom Chromium refuses one
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
WIDE = (1440, 900)


def launch(playwright: Playwright) -> Browser:
    """A browser of this machine. Without one an error says what to install."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        raise RuntimeError(
            "these tests open the page in a browser: install Chromium "
            "(apt-get install chromium), or have google-chrome on the path"
        )
    return playwright.chromium.launch(executable_path=found, args=FLAGS)


@contextmanager
def opened(
    browser: Browser, path: Path, size: tuple[int, int] = WIDE, **options: Any
) -> Iterator[Page]:
    """A page from disk, ready, at the first moment. What it says on the console, what it throws
    and what it asks a network for is an error at the end."""
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, **options)
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda sent: None if local(sent.url) else wrong.append(sent.url))
    try:
        page.goto(path.as_uri())
        page.wait_for_selector("body[data-ready]", timeout=20_000)
        yield page
        assert not wrong, "; ".join(wrong)
    finally:
        context.close()


def local(url: str) -> bool:
    """Whether nothing but this machine is asked."""
    return url.startswith(("file:", "data:", "blob:"))
