"""One browser for the tests of a process, and the pages that most of them look at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser import kernels
from tests.browser.opened import launch, opened

Open = Callable[..., AbstractContextManager[Page]]

# A machine with other work is slow, not wrong.
expect.set_options(timeout=20_000)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        found = launch(playwright)
        yield found
        found.close()


@pytest.fixture
def open_page(browser: Browser) -> Open:
    """Opens a page from disk: `with open_page(path, size, color_scheme="dark") as page`."""
    return partial(opened, browser)


@pytest.fixture(scope="session")
def softmax(tmp_path_factory: pytest.TempPathFactory) -> kernels.Shown:
    """Softmax of a few rows in two blocks."""
    return kernels.softmax(tmp_path_factory.mktemp("softmax"))


@pytest.fixture
def page(open_page: Open, softmax: kernels.Shown) -> Iterator[Page]:
    """The page of softmax."""
    with open_page(softmax.path) as found:
        yield found
