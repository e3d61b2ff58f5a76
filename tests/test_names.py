"""What an instruction is hangs on its record: nobody above `isa` knows instructions by name.

A string with the full name of a record, or the beginning of one, and a string that is a short
name stand in the files below alone, each for the reason that is given.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import ptoscope
from ptoscope.isa import TABLE

SOURCE = Path(ptoscope.__file__).parent
FILES = [
    path
    for path in sorted(SOURCE.rglob("*.py"))
    if path.relative_to(SOURCE).parts[0] != "isa" and "tests" not in path.parts
]
SHORT = {record.short for record in TABLE.values()}
WORD = re.compile(r"\b(?:pto|arith)\.\w+")

WORDS = {"barrier", "vecscope", "select", "constant", "mem_bar", "pto.pipe", "pto.vaddr", "print"}
"""What is also a word: a cause of waiting, where an instruction stands, an operation of the lane
vocabulary, what a result is, a kind of event, an attribute, a type, an option."""

SAID = "a message says which instruction to write"
ALLOWED = {
    "check/structure.py": SAID,
    "check/synchronisation/messages.py": SAID,
    "cli/demo.py": "the instruction that the demonstration explains",
    "demo/__init__.py": "it breaks the text of its own kernel",
    "docs/example.py": "it writes a kernel around an instruction",
    "docs/kernel.py": "it writes a kernel around an instruction",
    "docs/matrix_example.py": "it writes a kernel around an instruction",
    "docs/page.py": "prose of the reference pages",
    "docs/vector_addresses.py": "it writes a kernel around an instruction",
    "lang/buffers.py": "what brackets of an array mean",
    "lang/compile/control.py": SAID,
    "lang/compile/emitter.py": "it writes constants and masks of all lanes",
    "lang/compile/place.py": "it writes the pointers of arrays",
    "lang/compile/statements.py": SAID,
    "lang/loops.py": "what loops of the language mean",
    "lang/matrix_moves.py": "what copies of the language mean",
    "lang/moves.py": "what copies of the language mean",
    "lang/products.py": "what products of the language mean",
    "lang/operators.py": "what operators of Python mean",
    "lang/results.py": "what copies of the language mean",
    "lang/scalars.py": "what operators of Python mean",
    "lang/ub_moves.py": "what copies of the language mean",
    "native/lanes.py": "these are instructions of LLVM",
    "races/fixes.py": SAID,
    "races/messages.py": SAID,
    "timing/bodies.py": "it writes a kernel around a body",
}


def _strings(tree: ast.AST) -> Iterator[str]:
    """The strings of a file, documentation left out."""
    documentation = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(value)) if id(node) not in documentation:
                yield value
            case _:
                pass


def _named(path: Path) -> set[str]:
    """The names of instructions in strings of a file."""
    found: set[str] = set()
    for string in _strings(ast.parse(path.read_text("utf-8"))):
        found |= {string} & SHORT
        found |= {w for w in WORD.findall(string) if any(n.startswith(w) for n in TABLE)}
    return found - WORDS


def _compared(path: Path) -> set[str]:
    """Where a file decides by the short name or the group of a record."""

    def is_label(node: ast.AST) -> bool:
        return isinstance(node, ast.Attribute) and node.attr in ("short", "group")

    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.Compare(left=left, comparators=others):
                sides = [left, *others]
                if any(map(is_label, sides)) and any(list(_strings(side)) for side in sides):
                    found.add(ast.unparse(node))
            case ast.Call(func=ast.Attribute(value=value, attr="startswith" | "endswith")):
                if is_label(value):
                    found.add(ast.unparse(node))
            case _:
                pass
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.relative_to(SOURCE).as_posix())
def test_instructions_are_not_known_by_name(path: Path) -> None:
    allowed = path.relative_to(SOURCE).as_posix() in ALLOWED
    assert allowed or _named(path) == set()
    assert _compared(path) == set()


def test_what_is_allowed_is_needed() -> None:
    needless = [n for n in ALLOWED if not (SOURCE / n).exists() or not _named(SOURCE / n)]
    assert needless == []


def test_the_search_finds_names(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(
        '"""pto.vabs in prose."""\n'
        'TABLE = {"vadd": 7, "pto.vexp": 16, "v": 1, "!pto.vreg": 2}\n'
        'hint = f"put {x} behind pto.vsub or pto.pge_{bits}"\n',
        "utf-8",
    )
    assert _named(path) == {"vadd", "pto.vexp", "pto.vsub", "pto.pge_"}


@pytest.mark.parametrize(
    "text",
    ['record.short == "vadd"', 'r.group in ("unary", "binary")', 'record.short.startswith("vst")'],
)
def test_the_search_finds_decisions(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(f"if {text}:\n    pass\n", "utf-8")
    assert _compared(path) == {text.replace('"', "'")}
