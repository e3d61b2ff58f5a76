"""The README is executed: its commands, its Python, its links, its tables; and what it refers
to for cycles."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ptoscope.cli.commands import COMMANDS, COMMON
from ptoscope.cli.main import main

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


PAGES = [
    (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    for name in ("calibration", "cycles", "debugging", "matrix")
]


def fences(language: str) -> list[str]:
    """The contents of the fenced blocks of one language, also of the pages it refers to."""
    pages = "\n".join((TEXT, *PAGES))
    return re.findall(rf"^```{language}\n(.*?)^```$", pages, re.MULTILINE | re.DOTALL)


def commands() -> list[tuple[str, str, str]]:
    """Every command after a `$`, with the lines that it is given (`<< END`, then a `>` before each
    up to END), and the output shown below it."""
    found: list[tuple[str, str, str]] = []
    for block in fences("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            given = ""
            if command.endswith(" << END"):
                command = command.removesuffix(" << END")
                given, output = output.split("> END\n")
                given = re.sub(r"^> ", "", given, flags=re.MULTILINE)
            found.append((command, given, output))
    return found


def test_every_fence_is_executed_by_some_test():
    languages = re.findall(r"^```(\w+)$", TEXT, re.MULTILINE)
    assert set(languages) == {"sh", "console", "python"}
    assert TEXT.count("```") == 2 * len(languages)
    assert all(command.startswith("ptoscope ") for command, *_ in commands())


@pytest.mark.parametrize(("command", "given", "output"), commands())
def test_commands(
    command: str,
    given: str,
    output: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
):
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given.encode())))
    code = main(command.split()[1:])
    captured = capfd.readouterr()
    if output:
        assert captured.out + captured.err == output
    assert code == (1 if "error[" in output else 0)


@pytest.mark.parametrize("block", fences("python"))
def test_python(block: str, tmp_path: Path):
    script = tmp_path / "block.py"  # kernels in Python are compiled from their source
    script.write_text(block, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", script],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == re.findall(r"# prints: (.*)", block)


@pytest.mark.parametrize("target", re.findall(r"make (\w+)", TEXT))
def test_make_targets(target: str):
    done = subprocess.run(
        ["make", "--dry-run", target], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)]+)\)", TEXT))
def test_links(link: str):
    assert (ROOT / link).exists()


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "help"])
def test_the_command_table(name: str):
    command = COMMANDS[name]
    (row,) = [x for x in TEXT.splitlines() if x.startswith(f"| `ptoscope {name}")]
    assert f"`ptoscope {name} {command.usage}`".replace(" `", "`") in row
    for option in command.options:
        shown = "-i" if option.name == "in-place" else f"--{option.name} {option.value}".rstrip()
        assert f"`{shown}`" in row


def test_the_common_options():
    for option in COMMON:
        assert f"`--{option.name}" in TEXT or option.name == "help"


def test_it_is_short():
    assert len(TEXT.splitlines()) < 120
