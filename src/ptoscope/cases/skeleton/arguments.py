"""The arguments of a new case: what its files and its host code are about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ptoscope.dataflow import Dataflow, Definition, OpResult
from ptoscope.diagnostics import UsageError
from ptoscope.isa import TABLE
from ptoscope.isa.dtypes import DType
from ptoscope.isa.types import Ptr, Scalar
from ptoscope.program import Function, Op


class HostArgument(NamedTuple):
    """A parameter of the kernel: `name` is its file's, `label` how the kernel spells it."""

    name: str
    label: str
    dtype: DType
    is_pointer: bool
    is_output: bool


def case_arguments(function: Function) -> list[HostArgument]:
    """The parameters of a kernel as the files of a case. An output is a pointer that is
    written; where that cannot be told for any, all of them."""
    written = _written(function)
    arguments: list[HostArgument] = []
    for number, slot in enumerate(function.params, 1):
        kind = function.types[slot]
        if not isinstance(kind, (Ptr, Scalar)):
            raise UsageError(f"a case cannot pass %{function.names[slot]}: {kind}")
        is_pointer = isinstance(kind, Ptr)
        label = f"%{function.names[slot]}: {kind}"
        is_output = is_pointer and (slot in written or not written)
        arguments.append(HostArgument(f"v{number}", label, kind.dtype, is_pointer, is_output))
    return arguments


def _written(function: Function) -> set[int]:
    """The pointer parameters a store goes to, followed through pointer arithmetic."""
    flow = Dataflow(function)

    def pointers(op: Op) -> list[int]:
        kinds = [(slot, function.types[slot]) for slot in op.operands]
        return [slot for slot, kind in kinds if isinstance(kind, Ptr) and kind.space == "gm"]

    def into(slot: int, definition: Definition) -> Iterable[int]:
        return pointers(definition.op) if isinstance(definition, OpResult) else flow.joined(slot)

    stored = [slot for op in function.ops() if _writes_gm(op) for slot in pointers(op)]
    return {slot for slot, _ in flow.walk(stored, into) if slot in function.params}


def _writes_gm(op: Op) -> bool:
    """Whether an operation writes to the pointers to GM that it takes: a copy there, and what
    gives nothing in return."""
    # Loops and branches have no record; scopes take pointers for their body.
    record = TABLE.get(op.name)
    if record is None or op.blocks:
        return False
    return not op.results if record.path is None else record.path.target == "gm"
