"""The tables of the page on the matrix unit say what the rulebook says."""

from __future__ import annotations

import re
from pathlib import Path

from ptoscope.isa.cost import product
from ptoscope.isa.parts import ALL_PIPES, KIB, MEMORIES

TEXT = (Path(__file__).parents[2] / "docs" / "matrix.md").read_text("utf-8")


def _rows(column: str) -> list[list[str]]:
    """The rows of the table whose first column has a title."""
    lines = TEXT.split(f"| {column} |")[1].split("\n")[2:]
    table = lines[: next(n for n, line in enumerate(lines) if not line.startswith("|"))]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


def test_memories() -> None:
    """All that a pointer may name, with their other names and sizes."""
    found = {row[0].strip("`"): row for row in _rows("memory")}
    named = {name for name, memory in MEMORIES.items() if memory.named and memory.on_core}
    assert found.keys() == named
    for name, (_, others, _, a5, a2a3) in found.items():
        memory = MEMORIES[name]
        assert tuple(re.findall(r"`(\w+)`", others)) == memory.aliases
        for size, target in ((a5, "a5"), (a2a3, "a2a3")):
            assert size == f"{memory.sizes[target] // KIB} KiB"
    hidden = [memory for memory in MEMORIES.values() if not memory.named]
    assert f"two memories of {hidden[0].sizes['a5'] // KIB} KiB" in TEXT
    assert len(hidden) == 2


def test_pipes() -> None:
    kinds = {("cube", "vector"): "both", ("cube",): "matrix", ("vector",): "vector"}
    found = {row[0].strip("`"): row[1] for row in _rows("pipe")}
    assert found.keys() == {pipe.name for pipe in ALL_PIPES}
    for pipe in ALL_PIPES:
        # The matrix core has the pipe of copies out of UB, and nothing to copy with it.
        expected = "vector" if pipe.name == "PIPE_MTE3" else kinds[pipe.cores]
        assert found[pipe.name] == expected


def test_what_a_product_costs() -> None:
    head, each = product("a2a3", "f16", manual=False)
    _, slower = product("a2a3", "f32", manual=False)
    assert (head.value, each.value, slower.value) == (6, 1, 2)
    assert "takes 6 cycles and one for each pair\nof fractals, two of f32" in TEXT
