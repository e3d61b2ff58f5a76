"""What a caller has to know of a kernel: its name and its parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ptoscope.diagnostics import Span
from ptoscope.isa.dtypes import dtype
from ptoscope.isa.types import Ptr, Scalar, Type
from ptoscope.program import Block, Function, Program


@dataclass(frozen=True)
class Signature:
    """A function without its body, and the file it stands in."""

    program: Program
    function: Function

    @staticmethod
    def of(program: Program, function: Function) -> Signature:
        """The signature of a function."""
        return Signature(program, function)

    def as_json(self) -> dict[str, Any]:
        """Everything but the file and its text."""
        function = self.function
        return {
            "name": function.name,
            "span": list(function.span),
            "parameters": [
                [function.names[slot], *_type(function.types[slot])] for slot in function.params
            ],
        }

    @staticmethod
    def from_json(record: dict[str, Any], file: str, text: str) -> Signature:
        """The reverse, for a text in a file."""
        parameters = record["parameters"]
        function = Function(
            record["name"],
            tuple(range(len(parameters))),
            Block(),
            [_read_type(kind, element, space) for _, kind, element, space in parameters],
            [name for name, *_ in parameters],
            span=Span.from_record(record["span"]),
        )
        return Signature(Program([function], file=file, text=text), function)


def _type(kind: Type) -> tuple[str, str, str]:
    if isinstance(kind, Ptr):
        return "ptr", kind.dtype.name, kind.space
    assert isinstance(kind, Scalar)
    return "scalar", kind.dtype.name, ""


def _read_type(kind: str, element: str, space: Any) -> Type:
    return Ptr(dtype(element), space) if kind == "ptr" else Scalar(dtype(element))
