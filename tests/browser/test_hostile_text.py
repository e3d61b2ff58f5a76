"""Text of a kernel that an HTML tokenizer would act on: the page shows it as text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, expect

from ptoscope.cli.main import main
from ptoscope.view.page import Page, page
from tests.browser.conftest import Open

TRAPS = (
    *("</script>", "</script", "</SCRIPT >", "<!--", "<!-- <script>", "<!--<script", "-->"),
    *("<script>throw 1</script>", "]]>", "<![CDATA[", "\u2028\u2029", "&lt;&#60;&amp", "</style>"),
    *("</title>", "<img src=x onerror=throw>", "<plaintext>", "{{data}}", "${0}", "\\u003c", "'`"),
    *("\x1b[31m", "\x00", "\r", "\x7f\x85\x9b", "\u202e", "\\", "<"),
)
ALL = " ".join(TRAPS)
KERNEL = ALL.replace("\x00", "")
"""What a kernel may hold of it."""


def kernel_text(trap: str, name: str = "k") -> str:
    """A kernel with the trap in a comment and a format, which reads what nothing wrote."""
    quoted = trap.replace("\\", "").replace('"', "").replace("%", "")
    return f"""// {trap}
module attributes {{pto.target_arch = "a5"}} {{
  func.func @{name}(%x: !pto.ptr<f32, gm>) attributes {{pto.aicore}} {{ // {trap}
    %c0 = arith.constant 0 : index // "{trap}
    %s = pto.load_scalar %x[%c0] : !pto.ptr<f32, gm> -> f32
    pto.print ins("{quoted} %f", %s : f32)
    pto.store_scalar %s, %x[%c0] : !pto.ptr<f32, gm>, f32
    return
  }}
}}
"""


DATA = "JSON.parse(document.getElementById('data').textContent)"
"""The data of a page, as its script reads it."""


def data_of(path: Path) -> Any:
    """The data of a page whose texts are harmless."""
    text = path.read_text("utf-8").partition('id="data">')[2]
    return json.loads(text.partition("</script>")[0])


def fed(value: Any, trap: str) -> Any:
    """The data with a trap before and behind every text and in every name."""
    match value:
        case str():
            return f"{trap}{value}{trap}"
        case dict():
            return {f"{key}{trap}": fed(one, trap) for key, one in value.items()}
        case list() | tuple():
            return [fed(one, trap) for one in value]
        case _:
            return value


def test_every_field_arrives_as_it_is(browser: Browser, tmp_path: Path) -> None:
    kernel, output = tmp_path / "k.pto", tmp_path / "page.html"
    kernel.write_text(kernel_text("plain"))
    np.save(tmp_path / "one.npy", np.ones(1, np.float32))
    words = [str(kernel), "undefined:1", "--expect", f"0={tmp_path / 'one.npy'}", "-o", str(output)]
    assert main(["view", *words]) == 0
    (data,) = data_of(output)
    assert data["findings"]
    assert data["difference"]
    # Without its scripts, which need some of the texts to be what they are.
    opened = browser.new_context(java_script_enabled=False).new_page()
    for trap in (*TRAPS, ALL, "\ud800"):
        # `source` is a list of texts, and `title` a text, in the page of two runs as well.
        runs = [{**fed(data, trap), "title": trap, "source": [trap]}]
        page(runs).save(output)
        opened.goto(output.as_uri())
        assert opened.locator("script").count() == 2, trap
        assert opened.locator("noscript").count() == 1, trap
        assert opened.locator("img, plaintext").count() == 0, trap
        assert opened.evaluate(DATA) == json.loads(json.dumps(runs)), trap
    opened.context.close()


def test_a_page_of_hostile_text_works(open_page: Open, tmp_path: Path) -> None:
    directory = tmp_path / "<!-- <script"
    directory.mkdir()
    path, output = directory / "script> & <!-- <script>.pto", directory / "page.html"
    text = kernel_text(KERNEL, f'"{KERNEL}"'.replace("\\", ""))
    path.write_text(text, "utf-8", newline="")
    other = directory / "other.pto"
    other.write_text(text, "utf-8", newline="")
    words = [str(path), str(other), "undefined:1", "--force", "-o", str(output)]
    assert main(["view", *words]) == 0
    with open_page(output) as opened:
        expect(opened.locator("#title")).to_contain_text("script> & <!-- <script> and other")
        for number, line in enumerate(text.split("\n"), 1):
            shown = opened.locator(f"#line-{number} code").evaluate("e => e.textContent")
            assert shown == (line or " ")
        opened.get_by_role("tab", name="Findings").click()
        finding = data_of(output)[0]["findings"][0]
        expect(opened.locator("#findings")).to_contain_text(finding["message"])
        for name in ("Compare", "Memory", "Registers"):
            opened.get_by_role("tab", name=name).click()


NAMES = ("__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "length")
"""What every object of JavaScript has; a value of a kernel may be called so."""


def test_names_that_every_object_has(open_page: Open, tmp_path: Path) -> None:
    proto, constructor, string, own, value, length = (f"%{name}" for name in NAMES)
    gm, ub = "!pto.ptr<f32, gm>", "!pto.ptr<f32, ub>"
    path, output = tmp_path / "k.pto", tmp_path / "page.html"
    path.write_text(f"""module attributes {{pto.target_arch = "a5"}} {{
  func.func @"constructor"({proto}: {gm}, {string}: {gm}) attributes {{pto.aicore}} {{
    {constructor} = arith.constant 0 : index
    {own} = arith.constant 0 : i64
    {value} = pto.castptr {own} : i64 -> {ub}
    {length} = pto.load_scalar {proto}[{constructor}] : {gm} -> f32
    pto.store_scalar {length}, {string}[{constructor}] : {gm}, f32
    return
  }}
}}
""")
    np.save(tmp_path / "ones.npy", np.ones(4, np.float32))
    words = [str(path), str(tmp_path / "ones.npy"), "zeros:4", "-o", str(output)]
    assert main(["view", *words]) == 0
    with open_page(output) as opened:
        opened.locator("#line-7").click()
        for name in ("Registers", "Memory", "Findings"):
            opened.get_by_role("tab", name=name).click()
        opened.get_by_role("tab", name="Registers").click()
        shown = opened.locator("body").inner_text()
        assert all(name in shown for name in NAMES)


def test_a_notebook_shows_a_page_of_hostile_text(browser: Browser, tmp_path: Path) -> None:
    path, output = tmp_path / "k.pto", tmp_path / "page.html"
    path.write_text(kernel_text(KERNEL), "utf-8", newline="")
    assert main(["view", str(path), "undefined:1", "-o", str(output)]) == 0
    cell = Page(output.read_text("utf-8"))._repr_html_()
    notebook = tmp_path / "notebook.html"
    notebook.write_text(f"<!doctype html><p>before</p>{cell}<p id=after>after</p>", "utf-8")
    opened = browser.new_page()
    opened.goto(notebook.as_uri())
    inside = opened.frame_locator("iframe")
    inside.locator("body[data-ready]").wait_for(timeout=20_000)
    shown = inside.locator("#line-1 code").evaluate("e => e.textContent")
    assert shown == kernel_text(KERNEL).split("\n", 1)[0]
    assert opened.locator("#after").count() == 1
    assert opened.locator("img, plaintext").count() == 0
    opened.close()
