"""A new case for a kernel: its directory with scripts and host code to fill in."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from ptoscope.cases.find import COMPARE, GOLDEN, KERNEL, LAUNCH, MAIN
from ptoscope.cases.skeleton.arguments import case_arguments
from ptoscope.cases.skeleton.host_code import launch_text, main_text
from ptoscope.cases.skeleton.scripts import compare_text, golden_text
from ptoscope.diagnostics import UsageError
from ptoscope.program import Function


def write_case(directory: Path, text: str, function: Function, grid: int = 1) -> list[str]:
    """Writes a case for a kernel text, whole or not at all; the names of its files.

    UsageError if the directory exists or cannot be written.
    """
    files = case_files(text, function, grid)
    if os.path.lexists(directory):
        raise UsageError(f"{directory} exists already; choose another name or remove it")
    scratch: Path | None = None
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=f".{directory.name}-", dir=directory.parent))
        for name, contents in files.items():
            (scratch / name).write_text(contents, encoding="utf-8")
        scratch.chmod(0o777 & ~_umask())
        # Fails if something has been written there in the meantime.
        os.rename(scratch, directory)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"cannot write {directory}: {reason}") from None
    finally:
        if scratch is not None:
            shutil.rmtree(scratch, ignore_errors=True)
    return list(files)


def case_files(text: str, function: Function, grid: int = 1) -> dict[str, str]:
    """The files of a case, by name."""
    arguments = case_arguments(function)
    return {
        KERNEL: text,
        GOLDEN: golden_text(function.name, arguments),
        COMPARE: compare_text(function.name, arguments),
        LAUNCH: launch_text(function.name, arguments, grid),
        MAIN: main_text(function.name, arguments),
    }


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
