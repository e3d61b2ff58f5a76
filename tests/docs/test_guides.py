"""The pages on kernels in Python are executed: every fence, and what is shown of its output.

The fences of a page are cells of one program, each in a file of its own: its title, so that
messages name it and count its lines, and commands find it. What a cell prints stands in comments
of it, or in the text below it; what a command prints, below the command.
"""

from __future__ import annotations

import linecache
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ptoscope.cli.main import main

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ("tutorial", "python")
_FENCE = re.compile(r'^```(\w+)(?: title="([\w.]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)


class Cell(NamedTuple):
    """A fence of Python, or a command, and what it prints."""

    file: str
    """Empty for a command."""
    code: str
    output: str


def cells(page: str) -> list[Cell]:
    """The cells of a page, in order."""
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    found: list[Cell] = []
    fences = _FENCE.findall(text)
    assert 2 * len(fences) == text.count("```")
    for language, title, body in fences:
        if language == "python":
            prints = re.findall(r"# prints: (.*\n)", body)
            found.append(Cell(title or f"cell_{len(found)}.py", body, "".join(prints)))
        elif language == "text":
            before = found.pop()
            assert not before.output, f"{before.file} shows its output twice"
            found.append(before._replace(output=body))
        else:
            assert language == "console", f"nobody executes {language}"
            for part in re.split(r"^\$ ptoscope ", body, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                found.append(Cell("", command, output))
    files = [cell.file for cell in found if cell.file]
    assert len(set(files)) == len(files)
    return found


@pytest.mark.parametrize("page", PAGES)
def test_a_page_does_what_it_shows(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    linecache.clearcache()
    names: dict[str, Any] = {"__name__": page}
    for cell in cells(page):
        if cell.file:
            Path(cell.file).write_text(cell.code, encoding="utf-8")
            exec(compile(cell.code, cell.file, "exec"), names)
        else:
            assert main(cell.code.split()) == 0
        shown = capfd.readouterr()
        assert shown.err == "", cell
        assert shown.out == cell.output, cell
