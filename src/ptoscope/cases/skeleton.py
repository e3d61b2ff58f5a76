"""A new case for a kernel: its directory with scripts and host code to fill in."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

from ptoscope.cases.find import COMPARE, GOLDEN, KERNEL
from ptoscope.cases.run import LAUNCH, MAIN
from ptoscope.cases.skeleton_host import launch_text, main_text
from ptoscope.cases.skeleton_scripts import compare_text, golden_text
from ptoscope.diagnostics import UsageError
from ptoscope.isa.dtypes import DType
from ptoscope.isa.types import Ptr, Scalar
from ptoscope.program import Function

_WRITERS = ("pto.mte_ub_gm", "pto.copy_ubuf_to_gm", "pto.store_scalar")


class Argument(NamedTuple):
    """A parameter of the kernel: `name` is its file's, `label` how the kernel spells it."""

    name: str
    label: str
    dtype: DType
    is_pointer: bool
    is_output: bool


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


def case_arguments(function: Function) -> list[Argument]:
    """The parameters of a kernel as the files of a case. An output is a pointer that is
    written; where that cannot be told for any, all of them."""
    written = _written(function)
    arguments: list[Argument] = []
    for number, slot in enumerate(function.params, 1):
        kind = function.types[slot]
        if not isinstance(kind, (Ptr, Scalar)):
            raise UsageError(f"a case cannot pass %{function.names[slot]}: {kind}")
        is_pointer = isinstance(kind, Ptr)
        label = f"%{function.names[slot]}: {kind}"
        is_output = is_pointer and (slot in written or not written)
        arguments.append(Argument(f"v{number}", label, kind.dtype, is_pointer, is_output))
    return arguments


def _written(function: Function) -> set[int]:
    """The pointer parameters a store goes to, followed through pointer arithmetic."""
    origins: dict[int, set[int]] = {slot: {slot} for slot in function.params}
    written: set[int] = set()
    for op in function.ops():
        sources: set[int] = set()
        for operand in op.operands:
            kind = function.types[operand]
            if isinstance(kind, Ptr) and kind.space == "gm":
                sources |= origins.get(operand, set())
        if op.name in _WRITERS:
            written |= sources
        inner = [slot for block in op.blocks for slot in block.args]
        for slot in (*op.results, *inner):
            if isinstance(function.types[slot], Ptr):
                origins[slot] = origins.get(slot, set()) | sources
    return written


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
