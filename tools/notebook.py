"""Writes docs/tutorial_notebook.py: docs/tutorial.md as a marimo notebook.

What the page shows as output is left out: the notebook makes it again.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
PAGE, NOTEBOOK = DOCS / "tutorial.md", DOCS / "tutorial_notebook.py"
_FIRST = '```python {.marimo hide_code="true"}\nimport marimo as mo\n```\n\n'


def notebook() -> str:
    """The text of the notebook, formatted as all Python here."""
    text = re.sub(r"^```text\n.*?^```\n+", "", PAGE.read_text("utf-8"), flags=re.M | re.S)
    text = re.sub(r"^# prints: .*\n", "", text, flags=re.M)
    text = re.sub(r"^```python.*$", "```python {.marimo}", text, flags=re.M)
    with tempfile.TemporaryDirectory() as folder:
        page, made = Path(folder, "page.md"), Path(folder, "notebook.py")
        page.write_text(_FIRST + text, "utf-8")
        _python("-m", "marimo", "-q", "convert", str(page), "-o", str(made))
        _python("-m", "ruff", "format", "-q", "--line-length", "100", str(made))
        return made.read_text("utf-8")


def _python(*arguments: str) -> None:
    subprocess.run([sys.executable, *arguments], check=True)


if __name__ == "__main__":
    NOTEBOOK.write_text(notebook(), "utf-8")
