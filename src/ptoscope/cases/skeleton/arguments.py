"""The arguments of a new case: what its files and its host code are about."""

from __future__ import annotations

from typing import NamedTuple

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
