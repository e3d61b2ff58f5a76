"""Runs the kernels of this folder with the scripts of their text twins, and compares how many
lines they take: `python examples/python [NAME...]`."""

from __future__ import annotations

import ast
import importlib.util
import io
import sys
import tokenize
from pathlib import Path
from types import ModuleType
from typing import Any

from ptoscope.lang.kernel import PythonKernel

HERE = Path(__file__).parent
NAMES = sorted(path.stem for path in HERE.glob("[a-z]*.py"))
_NO_CODE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    tokenize.ENDMARKER,
}


def module_of(path: Path) -> ModuleType:
    """A file as a module."""
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def kernel_of(name: str) -> PythonKernel:
    """The kernel of an example in Python."""
    found = vars(module_of(HERE / f"{name}.py")).values()
    (kernel,) = (value for value in found if isinstance(value, PythonKernel))
    return kernel


def lines_of_text(text: str) -> int:
    """Lines of a kernel in text, without blank ones and comments."""
    lines = (line.strip() for line in text.splitlines())
    return sum(bool(line) and not line.startswith("//") for line in lines)


def lines_of_python(text: str) -> int:
    """Lines of a file of Python, without blank ones, comments and docstrings."""
    code = {
        line
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in _NO_CODE
        for line in range(token.start[0], token.end[0] + 1)
    }
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            code -= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return len(code)


def lines_of(name: str) -> tuple[int, int]:
    """How many lines an example takes in Python, and in text."""
    python = (HERE / f"{name}.py").read_text(encoding="utf-8")
    text = (HERE.parent / f"{name}.pto").read_text(encoding="utf-8")
    return lines_of_python(python), lines_of_text(text)


def main(names: list[str]) -> int:
    """Runs the named examples, or all; 0 if every result is right, else 1."""
    names = names or NAMES
    wrong = 0
    for name in names:
        script: Any = module_of(HERE.parent / f"{name}.py")
        script.KERNEL = kernel_of(name)
        wrong += script.main()
    lines = {name: lines_of(name) for name in names}
    lines["all"] = sum(p for p, _ in lines.values()), sum(t for _, t in lines.values())
    print(f"\n{'lines':20} Python  text")
    for name, (python, text) in lines.items():
        print(f"{name:20} {python:6} {text:5}  {python / text:4.0%}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
