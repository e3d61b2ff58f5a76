"""The page as one file: the parts in `assets`, and the data of one run or of two."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any

from ptoscope.view.compare import lines_beside

_SCRIPTS = (
    "data",
    "state",
    "format",
    "tabs",
    "source",
    "moves",
    "lane_grid",
    "registers",
    "cells",
    "memory_map",
    "memory_table",
    "memory",
    "tiles",
    "path",
    "lanes",
    "timeline_draw",
    "compare",
    "timeline_rows",
    "timeline",
    "timeline_input",
    "main",
)
"""The scripts in the order in which they need each other."""
_STYLES = ("style", "values", "timeline")
_IMPORT = re.compile(r'^import [^;]*? from "\./[\w-]+\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|let|class) )", re.MULTILINE)


def asset(name: str) -> str:
    """The text of a part of the page."""
    return (files("ptoscope.view") / "assets" / name).read_text("utf-8")


def script() -> str:
    """All scripts as one: they are modules while they are checked, and one scope in the page,
    which opens from disk."""
    parts = [asset(f"{name}.js") for name in _SCRIPTS]
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", part)) for part in parts)


class Page(str):
    """A page as text. A notebook shows it in place; `save` writes it to a file."""

    __slots__ = ()

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the page."""
        Path(path).write_text(self, "utf-8")

    def _repr_html_(self) -> str:
        height = 'style="width:100%;height:48rem;border:0"'
        return f'<iframe {height} srcdoc="{escape(self)}"></iframe>'


def page(runs: Sequence[dict[str, Any]]) -> Page:
    """The page of one run, or of two to compare."""
    title = " and ".join(dict.fromkeys(run["title"] for run in runs))
    # Whatever acts inside of a script element (its end tag, a comment) begins with this character.
    data = json.dumps(_compared(runs), separators=(",", ":")).replace("<", "\\u003c")
    style = "".join(asset(f"{name}.css") for name in _STYLES)
    parts = {"title": escape(_unicode(title)), "style": style, "data": data, "script": script()}
    return Page(re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], asset("page.html")))


def _unicode(text: str) -> str:
    """Returns a text that UTF-8 can spell: a file name may hold bytes that are none."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _compared(runs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of two runs the second says which of its lines belong to which of the first."""
    if len(runs) < 2:
        return list(runs)
    first, second = runs
    return [first, {**second, "beside": lines_beside(first["source"], second["source"])}]
