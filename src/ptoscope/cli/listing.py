"""Files that words of a command line mean: names, directories and patterns."""

from __future__ import annotations

import ast
import fnmatch
import glob
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ptoscope.bounded_files import read_file
from ptoscope.cli.files import STDIN, kernel_name

TEXT, PYTHON = ".pto", ".py"


class Listed(NamedTuple):
    """A file that is meant, as a command line would name it; or a problem that keeps files from
    being listed."""

    text: str
    problem: str = ""

    @property
    def name(self) -> str:
        """The name of the file in findings."""
        return kernel_name(Path(self.text)) if self.text else "''"


def listed(words: tuple[str, ...], suffixes: tuple[str, ...]) -> list[Listed]:
    """Returns the words with directories and patterns replaced by the files in them, each file
    once. Of a directory, all files below it with one of the suffixes are meant; what is named
    itself, or by a pattern, may have any name."""
    found: dict[str, Listed] = {}
    for word in words:
        for item in _meant(word, suffixes):
            found.setdefault(os.path.normpath(item.text), item)
    return list(found.values())


def _meant(word: str, suffixes: tuple[str, ...]) -> Iterator[Listed]:
    if os.path.isdir(word) and word != str(STDIN):
        yield from _below(word, suffixes)
    elif glob.has_magic(word) and not _is_there(word):
        yield from _matching(word, suffixes)
    else:
        yield Listed(word)


def _is_there(word: str) -> bool:
    try:
        return os.path.lexists(word)
    except ValueError:
        # A name with a zero byte is no pattern.
        return True


def _matching(pattern: str, suffixes: tuple[str, ...]) -> Iterator[Listed]:
    """A shell that knows patterns gives names alone, and so does this."""
    is_empty = True
    for path in _matched(Path(), Path(pattern).parts):
        if path.is_dir():
            is_empty = False
            yield from _below(str(path), suffixes)
        elif path.is_file():
            is_empty = False
            yield Listed(str(path))
    if is_empty:
        # Settings of a kernel in Python may hold brackets.
        problem = "" if f"{PYTHON}:" in pattern else f"no file matches {pattern}"
        yield Listed(pattern, problem)


def _matched(at: Path, parts: Sequence[str]) -> Iterator[Path]:
    """Yields the paths below a directory whose parts match; `**` stands for any number of folders,
    none among them. It follows no links, which may lead in a circle."""
    if not parts:
        yield at
        return
    first, *rest = parts
    if first == "**":
        yield from _matched(at, rest)
        for name in _names(at):
            if (at / name).is_dir() and not (at / name).is_symlink():
                yield from _matched(at / name, parts)
    elif glob.has_magic(first):
        for name in fnmatch.filter(_names(at, hidden=first.startswith(".")), first):
            yield from _matched(at / name, rest)
    elif os.path.lexists(at / first):
        yield from _matched(at / first, rest)


def _names(directory: Path, hidden: bool = False) -> list[str]:
    """Returns what is in a directory; nothing where that cannot be told."""
    try:
        return sorted(n for n in os.listdir(directory) if n.startswith(".") == hidden)
    except OSError:
        return []


def _below(directory: str, suffixes: tuple[str, ...]) -> Iterator[Listed]:
    """Yields the kernels below a directory in the order of their names. Hidden files and folders
    and links to folders are left out, as are pipes and devices, and Python that defines no
    kernel."""
    refused: list[Listed] = []

    def refuse(error: OSError) -> None:
        place = str(error.filename)
        refused.append(Listed(place, f"cannot read {place}: {error.strerror}"))

    is_empty = True
    for at, folders, files in os.walk(directory, onerror=refuse):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = Path(at, name)
            if path.suffix not in suffixes or name.startswith(".") or not path.is_file():
                continue
            if path.suffix != PYTHON or defines_kernel(path):
                is_empty = False
                yield Listed(str(path))
    yield from refused
    if is_empty and not refused:
        what = " or ".join(suffixes)
        yield Listed(directory, f"there is no kernel below {directory} ({what})")


def defines_kernel(path: Path) -> bool:
    """Returns True if a file of Python makes a kernel, as far as can be told without running it:
    a function outside of others is given to `kernel`, of whatever module."""
    try:
        data = read_file(path)
    except OSError:
        # Whoever looks at it says why it cannot be read.
        return True
    if b"ptoscope" not in data or b"kernel" not in data:
        return False
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return b"import" in data
    return any(_makes_kernel(statement) for statement in tree.body)


def _makes_kernel(node: ast.AST) -> bool:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return any(_is_kernel(one) for one in node.decorator_list)
    if isinstance(node, ast.Call) and _is_kernel(node):
        return True
    return any(_makes_kernel(child) for child in ast.iter_child_nodes(node))


def _is_kernel(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return _is_kernel(node.func)
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return name == "kernel"
