"""The page for everyone: by keys alone, with a screen reader's roles, in both themes, enlarged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser import kernels
from tests.browser.conftest import Open
from tests.browser.opened import WIDE

AXE = Path(__file__).parents[2] / "build" / "page" / "node_modules" / "axe-core" / "axe.min.js"
HALF = (720, 450)
"""What is left of the window when everything is twice as large."""


def grave(page: Page) -> list[str]:
    """What axe-core calls serious or critical."""
    assert AXE.exists(), "axe-core is not here: `make page` installs it"
    page.evaluate(AXE.read_text("utf-8"))
    found: dict[str, Any] = page.evaluate(
        "axe.run({ resultTypes: ['violations'], preload: false })"
    )
    assert found["passes"]
    return [
        f"{one['id']}: {one['help']}: {one['nodes'][0]['html']}"
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize(("scheme", "size"), [("light", WIDE), ("dark", WIDE), ("light", HALF)])
def test_nothing_keeps_anyone_out(
    scheme: str, size: tuple[int, int], open_page: Open, softmax: kernels.Shown
) -> None:
    with open_page(softmax.path, size, color_scheme=scheme) as page:
        for tab in page.get_by_role("tab").all():
            tab.click()
            assert grave(page) == []
        page.keyboard.press("?")
        assert grave(page) == []


def test_axe_would_notice(page: Page) -> None:
    page.evaluate("document.getElementById('moves').firstChild.textContent = ''")
    page.evaluate("document.getElementById('moves').firstChild.removeAttribute('title')")
    assert [text.split(":")[0] for text in grave(page)] == ["button-name"]


def test_the_theme_is_the_systems_until_somebody_chooses(
    open_page: Open, softmax: kernels.Shown
) -> None:
    def ground(page: Page) -> str:
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    with open_page(softmax.path, color_scheme="dark") as page:
        dark = ground(page)
        page.emulate_media(color_scheme="light")
        light = ground(page)
        assert light != dark
        button = page.locator("#theme")
        button.focus()
        page.keyboard.press("Enter")
        assert ground(page) == dark
        expect(button).to_have_text("Light")
        page.emulate_media(color_scheme="dark")
        page.keyboard.press("Enter")
        assert ground(page) == light


def test_the_keys_are_told(page: Page) -> None:
    page.keyboard.press("?")
    help_ = page.get_by_role("dialog", name="Keys")
    expect(help_).to_be_visible()
    for word in ("Home", "ArrowRight", "one moment on", "next execution of this line"):
        expect(help_).to_contain_text(word)
    page.keyboard.press("Escape")
    expect(help_).to_be_hidden()


NUMBER = "(e) => [...document.querySelectorAll('*')].indexOf(e)"
"""The number of an element in the document."""


def test_every_control_is_reached_by_tab_and_shows_it(page: Page) -> None:
    wanted: list[int] = page.evaluate(
        "() => [...document.querySelectorAll('a, button, select, input, [tabindex]')]"
        f"  .filter((e) => e.tabIndex >= 0 && !e.disabled && e.checkVisibility()).map({NUMBER})"
    )
    reached: list[int] = []
    for _ in wanted:
        page.keyboard.press("Tab")
        number, style, width = page.evaluate(
            "() => { const e = document.activeElement; const style = getComputedStyle(e);"
            f"  return [({NUMBER})(e), style.outlineStyle, style.outlineWidth] }}"
        )
        assert style != "none"
        assert width != "0px"
        reached.append(number)
    assert reached == wanted


def test_lines_are_chosen_by_keys(page: Page, softmax: kernels.Shown) -> None:
    page.locator("#source").focus()
    line = softmax.run[0].line
    for key, by in [("ArrowDown", 1), ("ArrowDown", 1), ("ArrowUp", -1), ("PageDown", 20)]:
        page.keyboard.press(key)
        line += by
        current = page.locator("#source .current")
        assert current.get_attribute("data-line") == str(line)
        assert page.locator("#source").get_attribute("aria-activedescendant") == f"line-{line}"
        expect(current).to_be_in_viewport()


def test_at_twice_the_size_nothing_is_lost(open_page: Open, softmax: kernels.Shown) -> None:
    """No scrolling sideways but inside of panes that do, and nothing cut off."""
    with open_page(softmax.path, HALF) as page:
        width = "document.documentElement.scrollWidth"
        assert page.evaluate(width) <= HALF[0]
        for control in page.get_by_role("button").all():
            control.scroll_into_view_if_needed()
            expect(control).to_be_in_viewport(ratio=1)
        for pane in ("source", "timeline-pane", "moment-pane"):
            page.locator(f"#{pane}").scroll_into_view_if_needed()
            expect(page.locator(f"#{pane}")).to_be_in_viewport()


def test_text_can_be_selected(page: Page, softmax: kernels.Shown) -> None:
    """And a click that selects does not go elsewhere."""
    page.locator("#line-1 code").dblclick()
    assert page.evaluate("String(getSelection())").strip()
