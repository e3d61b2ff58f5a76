"""What an instruction is hangs on its record: other rooms do not know instructions by name.

A string that equals the short or the full name of a record stands in the files below alone, each
for the reason that is given; they are listed by room and file.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import ptoscope
from ptoscope.isa import TABLE

SOURCE = Path(ptoscope.__file__).parent
ROOMS = ("timing", "cli", "docs", "check", "machine", "native", "races", "trace")
NAMES = {name for record in TABLE.values() for name in (record.name, record.short)}

WORDS = {"barrier", "vecscope", "select", "constant", "mem_bar"}
"""Names that are also words: a cause of waiting, where an instruction stands, an operation of
the lane vocabulary, a kind of event."""

WRITTEN = "it writes or changes kernel text"
ALLOWED = {
    "cli/demo.py": WRITTEN,
    "docs/example.py": WRITTEN,
    "native/lanes.py": "these are instructions of LLVM",
}


def _named(path: Path) -> set[str]:
    """The names of instructions in strings of a file."""
    tree = ast.parse(path.read_text("utf-8"))
    strings = {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant)}
    return {s for s in strings if isinstance(s, str) and s in NAMES}


@pytest.mark.parametrize("room", ROOMS)
def test_instructions_are_not_known_by_name(room: str) -> None:
    found: dict[str, list[str]] = {}
    for path in sorted((SOURCE / room).rglob("*.py")):
        named = _named(path) - WORDS
        name = path.relative_to(SOURCE).as_posix()
        if named and name not in ALLOWED:
            found[name] = sorted(named)
    assert found == {}


def test_what_is_allowed_is_needed() -> None:
    needless = [n for n in ALLOWED if not (SOURCE / n).exists() or not _named(SOURCE / n) - WORDS]
    assert needless == []


def test_timing_and_evidence_know_none() -> None:
    """Costs and conditions are the record's alone."""
    assert not any(name.startswith("timing/") for name in ALLOWED)
    assert _named(SOURCE / "evidence.py") == set()


def test_the_search_finds_a_name(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text('TABLE = {"vadd": 7, "pto.vexp": 16, "v": 1}\n', "utf-8")
    assert _named(path) == {"vadd", "pto.vexp"}
