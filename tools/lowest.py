"""Prints the lowest versions that pyproject.toml allows, as constraints for pip: those of the
dependencies and of the extra `test`."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def lowest(requirement: str) -> str:
    """Returns the constraint for a requirement `name>=version`; ValueError for another form."""
    found = re.fullmatch(r"([\w.-]+)\s*>=\s*([\w.]+)", requirement)
    if found is None:
        raise ValueError(f"{requirement}: has no lowest version; write name>=version")
    return f"{found[1]}=={found[2]}"


def constraints(project: Path = PROJECT) -> list[str]:
    """Returns the constraints of a project."""
    about = tomllib.loads(project.read_text("utf-8"))["project"]
    return [lowest(r) for r in (*about["dependencies"], *about["optional-dependencies"]["test"])]


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in constraints())
