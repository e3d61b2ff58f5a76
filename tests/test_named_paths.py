"""What docs/architecture.md and CONTRIBUTING.md name is there: files, definitions, targets."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "ptoscope"
PAGES = ("docs/architecture.md", "CONTRIBUTING.md")
_PATH = re.compile(r"^[\w./-]*(/|\.(py|md|txt|toml))$|^[\w.-]+(/[\w.-]+)+$")


def text_of(page: str) -> str:
    """A page without its blocks of code."""
    return re.sub(r"```.*?```", "", (ROOT / page).read_text("utf-8"), flags=re.DOTALL)


def paths(text: str) -> list[str]:
    """The files and directories that a text names, in marks of code or as links."""
    links = re.findall(r"\]\(((?!http)[^)#]+)\)", text)
    return [word for word in re.findall(r"`([^`\n]+)`", text) if _PATH.match(word)] + links


def is_there(path: str, page: str) -> bool:
    """Whether a path exists: from the root, beside the page, in the package or in a room."""
    beside = (ROOT / page).parent
    return any((base / path).exists() for base in (ROOT, beside, PACKAGE, *PACKAGE.iterdir()))


@pytest.mark.parametrize("page", PAGES)
def test_every_path_exists(page: str) -> None:
    found = paths(text_of(page))
    assert len(found) > 20
    assert [path for path in found if not is_there(path, page)] == []


def test_a_path_that_is_not_there_is_noticed() -> None:
    text = "see `src/ptoscope/isa/gone.py`, `gone/`, `tests/gone` and [this](docs/gone.md)"
    assert [is_there(path, PAGES[1]) for path in paths(text)] == [False] * 4


@pytest.mark.parametrize("page", PAGES)
def test_what_a_file_is_said_to_define_is_there(page: str) -> None:
    """`NAME` in `file`, and `NAME` (`file`)."""
    said = re.findall(r"`(\w+)`\s+(?:in\s+|\()`(src/[\w/]+\.py)`", text_of(page))
    assert said
    for name, path in said:
        tree = ast.parse((ROOT / path).read_text("utf-8"))
        defined = {getattr(node, "name", None) for node in tree.body} | {
            target.id
            for node in tree.body
            for target in getattr(node, "targets", [getattr(node, "target", None)])
            if isinstance(target, ast.Name)
        }
        assert name in defined, (name, path)


def test_every_target_of_make_exists() -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named = {
        word for page in PAGES for word in re.findall(r"\bmake (\w+)", "".join(_code(ROOT / page)))
    }
    assert len(named) > 5
    assert named <= targets


def _code(page: Path) -> list[str]:
    """What a page has in marks of code or in blocks of it."""
    return re.findall(r"```.*?```|`[^`\n]+`", page.read_text("utf-8"), re.DOTALL)


def test_every_directory_of_tests_is_described() -> None:
    described = set(re.findall(r"`tests/(\w+)/`", text_of("CONTRIBUTING.md")))
    assert described == {path.parent.name for path in (ROOT / "tests").glob("*/__init__.py")}
