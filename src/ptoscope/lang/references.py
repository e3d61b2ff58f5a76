"""How people name a kernel in a file of Python: `file.py:axpy`, `file.py:axpy:tile=512`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ptoscope.diagnostics import UsageError

FORMS = "write file.py:kernel or file.py:kernel:tile=512,depth=2"
_REFERENCE = re.compile(r"(.+\.py)(?::([^:]*)(?::(.*))?)?", re.DOTALL)
_SETTING = re.compile(r"([^\W\d]\w*)=(.*)", re.DOTALL)
_SHOWN = 60
"""Characters of a wrong reference that a message repeats."""


@dataclass(frozen=True)
class Reference:
    """`name` is empty where the file's only kernel is meant; `settings` are values of its fixed
    parameters, as they were written."""

    file: str
    name: str = ""
    settings: tuple[tuple[str, str], ...] = ()


def parse_reference(text: str) -> Reference | None:
    """The kernel that a text names; None if it names no file of Python. UsageError for one that
    is written wrongly."""
    found = _REFERENCE.fullmatch(text)
    if found is None or "\n" in text:
        return None
    file, name, settings = found.groups()
    if name is not None and not name.isidentifier():
        raise UsageError(f"{text[:_SHOWN]}: '{name[:_SHOWN]}' names no kernel; {FORMS}")
    return Reference(file, name or "", tuple(_settings(text, settings or "")))


def _settings(text: str, settings: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for part in _parts(settings):
        one = _SETTING.fullmatch(part.strip())
        if one is None or not one[2].strip():
            raise UsageError(f"{text[:_SHOWN]}: '{part[:_SHOWN]}' sets no parameter; {FORMS}")
        found.append((one[1], one[2].strip()))
    return found


def _parts(text: str) -> list[str]:
    """What commas divide, outside of brackets and quotes."""
    if not text:
        return []
    parts, depth, quote = [""], 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        else:
            depth += (character in "([{") - (character in ")]}")
        if character == "," and not depth and not quote:
            parts.append("")
        else:
            parts[-1] += character
    return parts
