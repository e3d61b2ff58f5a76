"""What the files around the code say of each other: versions, commands, names."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import ptoscope

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
DOCUMENTS = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "docs/architecture.md"]


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def _locked() -> dict[str, str]:
    pins = re.findall(r"^([\w.-]+)==(\S+)$", _text("constraints.txt"), re.MULTILINE)
    return {canonicalize_name(name): pinned for name, pinned in pins}


def test_one_version_in_one_place() -> None:
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert f'__version__ = "{ptoscope.__version__}"' in _text(
        PROJECT["tool"]["hatch"]["version"]["path"]
    )
    assert version("ptoscope") == ptoscope.__version__
    assert f"## [{ptoscope.__version__}]" in _text("CHANGELOG.md")


def test_what_is_locked_is_in_the_ranges() -> None:
    """And everything that is asked for is locked."""
    locked = _locked()
    extras = PROJECT["project"]["optional-dependencies"].values()
    wanted = [
        Requirement(r) for group in (PROJECT["project"]["dependencies"], *extras) for r in group
    ]
    for requirement in wanted:
        if requirement.name != "ptoscope":
            assert requirement.specifier.contains(locked[canonicalize_name(requirement.name)])


def test_runtime_dependencies_have_no_upper_bound() -> None:
    """So that ptoscope can be installed beside what a user has."""
    for text in PROJECT["project"]["dependencies"]:
        assert {s.operator for s in Requirement(text).specifier} == {">="}, text


def test_lowest_versions_are_those_of_the_project() -> None:
    """The constraints of `make test-lowest`: one for each dependency and each one of the tests."""
    done = subprocess.run(
        [sys.executable, "tools/lowest.py"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    about = PROJECT["project"]
    wanted = map(Requirement, (*about["dependencies"], *about["optional-dependencies"]["test"]))
    bounds = {(r.name, s.version) for r in wanted for s in r.specifier}
    assert {tuple(line.split("==")) for line in done.stdout.splitlines()} == bounds


def test_the_formatter_before_a_commit_is_the_one_of_ci() -> None:
    assert f"rev: v{_locked()['ruff']}\n" in _text(".pre-commit-config.yaml")


def test_ci_runs_on_every_version_of_python_that_is_named() -> None:
    named = re.findall(r":: Python :: (3\.\d+)", "\n".join(PROJECT["project"]["classifiers"]))
    (listed,) = re.findall(r"python: \[(.*)\]", _text(".github/workflows/ci.yml"))
    assert re.findall(r'"(.*?)"', listed) == named
    assert PROJECT["project"]["requires-python"] == f">={named[0]}"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_commands_and_files_that_a_document_names_are_there(name: str) -> None:
    text = _text(name)
    targets = set(re.findall(r"\bmake ([a-z-]+)`", text)) | set(
        re.findall(r"^make ([\w-]+)", text, re.M)
    )
    for target in sorted(targets):
        done = subprocess.run(
            ["make", "--dry-run", target], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, (target, done.stderr)
    for path in re.findall(r"`((?:src|tests|bench|docs|examples|\.ci|\.github)/[\w./-]*)`", text):
        assert (ROOT / path).exists(), path
    for link in re.findall(r"\]\((?!https?:)([^)#]+)\)", text):
        assert ((ROOT / name).parent / link).exists(), link
