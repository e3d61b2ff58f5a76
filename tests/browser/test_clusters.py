"""The page of a cluster in a browser: cores on the timeline, values of each, tiles as matrices."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser import kernels
from tests.browser.conftest import Open
from tests.browser.test_everyone import grave
from tests.view import cluster


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> kernels.Shown:
    return kernels.shown(
        tmp_path_factory.mktemp("product"), cluster.kernel(), *cluster.operands(), title="product"
    )


@pytest.fixture
def page(open_page: Open, product: kernels.Shown) -> Iterator[Page]:
    with open_page(product.path) as found:
        yield found


def go(page: Page, part: str) -> None:
    """To the first execution of a line."""
    page.locator(f"#line-{cluster.line_of(part)}").click()


def test_headings_of_cores_open_and_close(page: Page) -> None:
    headings = page.locator(".gutter .block")
    expect(headings).to_have_count(3)
    assert [text[2:] for text in headings.all_inner_texts()] == ["cube", "vector 0", "vector 1"]
    tracks = page.locator(".gutter .track").count()
    headings.first.click()
    assert page.locator(".gutter .track").count() == tracks - 5
    page.get_by_label("open all cores").click()
    assert page.locator(".gutter .track").count() == tracks


def test_the_moment_and_the_slice_say_their_core(page: Page) -> None:
    go(page, "pto.mad")
    expect(page.locator("#moment")).to_contain_text("cube, PIPE_M")
    expect(page.locator("#slice")).to_contain_text("cube, PIPE_M")
    go(page, "pto.mte_ub_gm")
    expect(page.locator("#moment")).to_contain_text("vector 1, PIPE_MTE3")
    expect(page.locator("#facts")).to_contain_text("cores cube, vector 0, vector 1")


def test_each_core_has_its_own_values(page: Page) -> None:
    go(page, "arith.cmpi eq")
    value = page.locator('.value[data-name="%me"] .number')
    expect(page.locator("#moment")).to_contain_text("vector 0")
    expect(value).to_have_text("0")
    page.keyboard.press("n")
    expect(page.locator("#moment")).to_contain_text("vector 1")
    expect(value).to_have_text("1")


def test_a_pointer_to_ub_means_that_of_its_core(page: Page) -> None:
    go(page, "pto.mte_ub_gm")
    expect(page.locator('.value[data-name="%ub"] .number')).to_have_text(re.compile("^ub1 0x0"))
    page.locator("#tab-memory").click()
    expect(page.locator("#memory-cell")).to_contain_text("%y byte")
    page.locator("#memory-space").select_option(label="ub1 (262144 bytes)")
    expect(page.locator("#memory-cell")).to_contain_text(
        f"written by line {cluster.line_of('copy_cbuf_to_ubuf')}"
    )


def _grid(page: Page, role: str) -> dict[tuple[int, int], float]:
    cells = page.locator(f'.matrix.now[data-role="{role}"] .element').evaluate_all(
        "all => all.map(e => [e.dataset.row, e.dataset.column, e.textContent])"
    )
    return {(int(row), int(column)): float(text) for row, column, text in cells}


def test_tiles_are_matrices(page: Page) -> None:
    a, b, _ = cluster.operands()
    go(page, "pto.mad")
    page.locator("#tab-tiles").click()
    sums = a.astype(np.float32) @ b.astype(np.float32)
    for role, matrix in (("left", a), ("right", b), ("result", sums)):
        shown = _grid(page, role)
        assert len(shown) == min(32, matrix.shape[0]) * 16
        assert all(matrix[where] == number for where, number in shown.items())
    left = page.locator('.matrix.now[data-role="left"]')
    assert left.get_attribute("data-space") == "l0a"
    assert left.get_attribute("data-layout") == "NZ: blocks of 16 columns"
    page.locator("#tiles-column").fill("32")
    page.locator("#tiles-column").press("Enter")
    expect(left.locator(".element").first).to_have_attribute("data-column", "32")
    shown = _grid(page, "left")
    assert all(a[where] == number for where, number in shown.items())


def test_what_was_written_last_is_there_at_other_moments(page: Page) -> None:
    go(page, "copy_cbuf_to_ubuf")
    page.locator("#tab-tiles").click()
    expect(page.locator("#matrices")).to_contain_text("This instruction works on no tiles.")
    result = page.locator('.matrix[data-space="l0c"]')
    expect(result).to_contain_text(f"written by line {cluster.line_of('pto.mad')}")
    result.get_by_role("button").click()
    expect(page.locator("#moment")).to_contain_text("pto.mad")


def test_an_element_leads_to_its_byte(page: Page) -> None:
    """Element (2, 17) of the left tile: the second block of 16 columns, its third row."""
    go(page, "pto.mad")
    page.locator("#tab-tiles").click()
    page.locator("#tiles-column").fill("16")
    page.locator("#tiles-column").press("Enter")
    page.locator('.matrix.now[data-role="left"] [data-row="2"][data-column="17"]').click()
    byte = 32 * cluster.M + 2 * 32 + 1 * 2
    expect(page.locator("#memory-cell")).to_contain_text(f"l0a byte 0x{byte:x}:")


def test_the_path_names_cores(page: Page) -> None:
    page.locator("#tab-path").click()
    texts = page.locator("#path tbody tr").all_inner_texts()
    assert any("cube" in text and "PIPE_MTE2" in text for text in texts)
    assert any("vector 1" in text and "PIPE_MTE3" in text for text in texts)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_keeps_anyone_out(scheme: str, open_page: Open, product: kernels.Shown) -> None:
    with open_page(product.path, color_scheme=scheme) as page:
        go(page, "pto.mad")
        for tab in page.get_by_role("tab").all():
            tab.click()
            assert grave(page) == []


def test_a_kernel_without_tiles_has_no_such_tab(open_page: Open, softmax: kernels.Shown) -> None:
    with open_page(softmax.path) as page:
        expect(page.locator("#tab-tiles")).to_have_count(0)
        expect(page.locator("#tab-memory")).to_have_count(1)
