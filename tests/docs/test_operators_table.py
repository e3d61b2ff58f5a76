"""The table of operators in docs/python.md: each is compiled to the instruction that it names."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import pytest

from ptoscope.lang.files import import_file
from tests.docs.test_guides import DOCS

_KERNEL = """from ptoscope import pto


@pto.kernel
def one(x: pto.gm[pto.{dtype}], s: pto.{dtype}):
    xs = pto.load(x[0:64])
    with pto.vecscope():
        a, b = xs[0], xs[0]
        xs[0] = {value}
    pto.store(x[0:64], xs)
"""


def uses() -> list[tuple[str, str]]:
    """Every use of an operator that the table has, and its instruction."""
    text = (DOCS / "python.md").read_text(encoding="utf-8")
    (table,) = re.findall(r"^\| written \| vectors \|.*\n\|[-|]*\n((?:\|.*\n)+)", text, re.M)
    found: list[tuple[str, str]] = []
    for row in table.splitlines():
        _, written, vectors, scalar, _ = row.split("|")
        signs = [
            html.unescape(code) for code in re.findall(r"(?:`|<code>)(.*?)(?:`|</code>)", written)
        ]
        for cell, operand in ((vectors, "b"), (scalar, "s")):
            names = re.findall(r"`(\w+)`", cell)
            if not names:
                continue
            names = names * len(signs) if len(names) == 1 else names
            found += [
                (re.sub(r"\bb$", operand, sign), name)
                for sign, name in zip(signs, names, strict=True)
            ]
    return found


def test_the_table_is_found() -> None:
    assert len(uses()) == 26


@pytest.mark.parametrize(("use", "name"), uses())
def test_an_operator_is_its_instruction(use: str, name: str, tmp_path: Path) -> None:
    dtype = "f32" if "/" in use else "i32"
    value = f"pto.vsel(a, b, {use})" if "cmp" in name else use
    file = tmp_path / "one.py"
    file.write_text(_KERNEL.format(dtype=dtype, value=value), encoding="utf-8")
    kernel: Any = import_file(str(file)).one
    assert kernel.on().findings == []
    assert re.search(rf"= pto\.{name} ", kernel.text)
