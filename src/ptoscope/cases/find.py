"""Where the cases are."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ptoscope.diagnostics import UsageError

KERNEL, GOLDEN, COMPARE = "kernel.pto", "golden.py", "compare.py"
MAIN, LAUNCH = "main.cpp", "launch.cpp"


class Case(NamedTuple):
    """One case directory. `family` is the name of the directory around it."""

    path: str
    family: str
    name: str

    @property
    def title(self) -> str:
        return f"{self.family}/{self.name}"


def find_cases(directories: Sequence[str], pattern: str | None = None) -> list[Case]:
    """The cases below the directories, each once, by path; UsageError if there are none.

    A pattern with `*`, `?` or `[` is matched against `family/case`, any other is a part of it.
    """
    cases: dict[str, Case] = {}
    for directory in directories:
        if not os.path.isdir(directory):
            problem = "it is not a directory" if os.path.exists(directory) else "no such directory"
            raise UsageError(f"cannot read {directory}: {problem}")
        for path, below, files in os.walk(directory):
            below[:] = sorted(name for name in below if not name.startswith("."))
            if is_case(files):
                real = Path(os.path.realpath(path))
                cases.setdefault(str(real), Case(path, real.parent.name, real.name))
    if not cases:
        raise UsageError(
            f"no case directory below {', '.join(directories)}; "
            f"one holds {KERNEL}, {GOLDEN} and {COMPARE}"
        )
    chosen = [case for case in cases.values() if pattern is None or _matches(case, pattern)]
    if not chosen:
        raise UsageError(f"none of the {len(cases)} cases matches '{pattern}'")
    return chosen


def is_case(files: Sequence[str]) -> bool:
    """Whether a directory with these files is meant as a case, even if one is missing."""
    return KERNEL in files and (GOLDEN in files or COMPARE in files)


def _matches(case: Case, pattern: str) -> bool:
    if any(c in pattern for c in "*?["):
        return fnmatch.fnmatchcase(case.title, pattern)
    return pattern in case.title
